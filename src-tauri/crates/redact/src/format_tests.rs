//! Tests of the formats, calls and programs that `config/redaction/` describes: each with texts that look alike and stay readable.

use crate::testing::check;

#[test]
fn tokens_of_sessions_and_identity_providers_are_masked() {
    let parts = "fJ4TAvKjvjatrV5.nOg0iQBQd1Ujj5jfZJGk8MBFyLJ_XUOYgRTh2.dq9Dw5B9FgQbc1zurgohqs";
    check(
        "a.ts",
        &[
            &format!("const x = \"⟦eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..{parts}⟧\""),
            "const x = \"eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..\"",
        ],
    );
    let response = "PHNhbWxwOlJlc3BvbnNlIElEPSJfNTJiNWE1YzkwYmJmYTA2NTJmMzJjNTQ5OTgzZWQxNjUiPjxBc3NlcnRpb24%2BPE5h";
    check(
        "saml.http",
        &[
            &format!("RelayState=%2Fhome&SAMLResponse=⟦{response}⟧"),
            &format!("<input type=\"hidden\" name=\"SAMLResponse\" value=\"⟦{response}⟧\"/>"),
            "RelayState=%2Fhome&SAMLResponse=%s",
            "The SAMLResponse is PHNhbWw in base64.",
        ],
    );
    check(
        "a.md",
        &[
            "curl https://x.example/token -d client_secret=⟦0043c378843cfd02b4cd245d55ea18d02e047f43⟧ -d code=⟦9d3775d735d514644068⟧",
            "curl https://x.example/token -d client_secret=$SECRET -d code=authorization_code_value",
            "curl https://x.example/error?code=9d3775d735d514644068",
        ],
    );
}

#[test]
fn keys_of_services_are_masked_beside_their_names() {
    check(
        "a.rb",
        &[
            "# old pushover: ⟦clpedroj8t1lsiiwqtxg94maddxa2u⟧",
            "# old pushover: notificationdelivererconfigure",
            "# digest: clpedroj8t1lsiiwqtxg94maddxa2u",
        ],
    );
    let keytab = "BQIAAAeBUqJhY8Q5K8AmLGPg7V4/PGc698Ba1oUOWPhmFKjUu3U9nV5Xi4IvTTFjLbj9R3lLI9nQKWWzW04TAo3";
    check("krb5.yml", &[&format!("keytab_b64: ⟦{keytab}⟧"), "keytab: /etc/krb5.keytab", "keytab_name: BQIAAA"]);
    check(
        "nginx.conf",
        &[
            "proxy_set_header X-Internal-Key ⟦KRz13cx4i2tvSUTcWTZc9DEouEHun0j3⟧;",
            "proxy_set_header Sec-WebSocket-Key $http_sec_websocket_key;",
            "proxy_set_header X-Cache-Key static-assets-of-shop;",
        ],
    );
}

#[test]
fn identifiers_are_told_apart_from_keys() {
    check(
        ".env",
        &[
            "PLANETSCALE_SERVICE_TOKEN_ID=k3v9x2m4p7qz",
            "RECAPTCHA_SITE_KEY=6LVgxy2uI9J4U2IV3GdMbxwhoDkjIUgiXTiRLkz6",
            "RECAPTCHA_SECRET_KEY=⟦6LVgxy2uI9J4U2IV3GdMbxwhoDkjIUgiXTiRLkz6⟧",
        ],
    );
    check(
        "a.rs",
        &[
            "let keys = Keys::new(b\"⟦k3zciHk4c0ZjdvZB8zcL57kJPiw661C5XgEp1⟧\");",
            "LazyLock::new(|| Keys::new(b\"⟦k3zciHk4c0ZjdvZB8zcL57kJPiw661C5XgEp1⟧\"));",
            "let key = Key::new(\"settings.window.width\");",
            "let key = Key::new(\"user-settings-2\");",
        ],
    );
    check(
        "a.rb",
        &[
            "DIGEST_PEPPER = \"⟦9ddf0539592e1ec0c2b56ebbc270dc7f0e2275bb9dda0d86fe98d2952a7be190⟧\"",
            "DIGEST_SUM = \"9ddf0539592e1ec0c2b56ebbc270dc7f0e2275bb9dda0d86fe98d2952a7be190\"",
            "ROTP::TOTP.new(\"⟦NCU4YX7H2HLXUSYC⟧\").now",
            "ROTP::TOTP.new(user.otp_secret).now",
        ],
    );
}

#[test]
fn passwords_of_commands_and_calls_are_masked() {
    check(
        "a.php",
        &["$ftp = ftp_login($conn, 'web4711', '⟦kirschgarten⟧');", "$ftp = ftp_login($conn, $user, $password);"],
    );
    check(
        "a.md",
        &[
            "mitmdump --mode upstream:http://proxy.example:3128 --upstream-auth corp\\\\jdoe:⟦lUjP5nB08uKo⟧",
            "mitmdump --mode upstream:http://proxy.example:3128 --listen-port jdoe:8080",
            "3. AUTH with ⟦G1DxWhjhNIxLZZrXgh2DImYq⟧",
            "3. Authenticate with OAuth2 and the authorizationcodeflow.",
            "(root on the staging box: ⟦YOj77mkd1BZEE⟧)",
            "root on the staging box: /srv/images",
            "Sign in as root on the staging box: it has all tools.",
        ],
    );
    check(
        "a.py",
        &[
            "conn = psycopg2.connect(\"billing\", \"svc_bill\", \"⟦yj3~82A6ewub9V⟧\", \"10.12.4.7\")",
            "conn = psycopg2.connect(\"billing\", \"svc_bill\", password, \"10.12.4.7\")",
        ],
    );
}

#[test]
fn formats_without_the_name_of_their_vendor_are_masked() {
    check(
        "a.js",
        &[
            "const mail = require(\"mailer\")(\"⟦md-yWEw8YqYo4U3cAKOLd5j6O⟧\");",
            "<md-icon-button-toggle-x md-autofocus-of-the-dialog>",
            "requests.get(url, auth=(\"⟦m8zCYr7PN5LbYZTMmgAW⟧\", \"X\"))",
            "requests.get(url, auth=(\"name-of-a-test-user\", \"\"))",
            "url: https://logs-01.loggly.com/inputs/⟦c4b9db16-5c23-1156-61ff-b0df9daee364⟧/tag/http/",
            "const t = translate('⟦3be9c4cf-c1a2-4122-af26-d4bed28bcdca:fx⟧'); // deepl",
            "'key' => 'base64:⟦Mk1v6a0ztCoEYscu0HxvayuL5RZ6p5KOhO9zeUzVdis=⟧', // config/app.php",
            "hash: \"⟦AQAAAAEAACcQAAAAE4eo1xeS/l+cdMEHcXAgNHaropIMXI1bqF/4PWlEdQflhFFoFF2Auq9bvWcXhkN0=⟧\"",
        ],
    );
    check(
        "a.yml",
        &[
            "certid: ⟦PRD-811fb9545997-4ddf-3f67-9b10-8b0b⟧",
            "build: PRD-2026-11-04",
            "keys:\n  APIq3x8Zk2MvW: ⟦TYUJWjic52vmZfIVPczztwMiaiLkuJqMiWfMhHkHNMdH⟧",
            "APIVersion: networking-v1beta1-with-a-long-name-of-words",
            "ikey: DIXXQ3Z8KLMVW2B7T4NA\nskey: ⟦LcwXtGWkVqszPhxF9dxjm0nmdAZKBqG269C9wlCH⟧",
            "skey: created_at",
        ],
    );
}
