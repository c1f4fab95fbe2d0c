use std::sync::Arc;

use proptest::prelude::*;

use super::types::RedactionReason;
use super::*;
use diffsan_change::{parse_patch, print_change};
use diffsan_config::{ExtraPattern, RedactionConfig};

fn settings() -> RedactionConfig {
    diffsan_config::resolve(Vec::new(), false).expect("defaults").config.redaction
}

fn session() -> Session {
    Arc::new(Redactor::new(&settings(), [7; 32]).expect("engine")).session()
}

fn mask(text: &str) -> String {
    session().text("a.txt", text).into_inner()
}

/// Secrets are assembled at run time, so that no scanner reports this file as a leak.
fn aws() -> String {
    format!("AKIA{}", "Q3EGRTYUIOPLKJH2")
}

#[test]
fn formats_are_found_and_numbered() {
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    assert_eq!(
        mask(&format!("x = {} # {token}\nagain {}\n", aws(), aws())),
        "x = [REDACTED:aws-access-key-id:1] # [REDACTED:github-token:2]\nagain [REDACTED:aws-access-key-id:1]\n"
    );
}

#[test]
fn text_that_resembles_a_secret_is_not_masked() {
    for text in [
        "id: 550e8400-e29b-41d4-a716-446655440000",
        "commit 3a4d2990c1f2e3d4b5a69788776655443322110f",
        "\"integrity\": \"sha512-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrst==\"",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGmM0000000000000000000000000000000000000000 me@host",
        "color: #a1b2c3; background: url(data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ)",
        "password: ${DB_PASSWORD}",
        "fn token(&self) -> Token { self.token.clone() }",
        "https://example.com/path?query=value#fragment",
        "git@github.com:owner/repository.git",
        "let key = keys.next();",
    ] {
        assert_eq!(mask(text), text);
    }
}

#[test]
fn urls_headers_and_files_of_credentials() {
    for (text, secret) in [
        ("postgres://app:Geheim-12@db:5432/x", "Geheim-12"),
        ("Authorization: Basic dXNlcjpwYXNzd29yZA==", "dXNlcjpwYXNzd29yZA=="),
        ("machine h login me password geheim12", "geheim12"),
        ("//registry/:_authToken=abcdef123456", "abcdef123456"),
        ("db.host:5432:app:me:geheim12", "geheim12"),
        ("me:$apr1$abcdefgh$ABCDEFGHIJKLMNOPQRSTU/", "$apr1$abcdefgh$ABCDEFGHIJKLMNOPQRSTU/"),
        ("curl -u me:geheim12 https://x", "geheim12"),
    ] {
        assert!(!mask(text).contains(secret), "{text} -> {}", mask(text));
    }
}

#[test]
fn headers_connections_hashes_and_webhooks() {
    let hash = "0123456789abcdef".repeat(4);
    let key = "KBPlwMVRlOZF6kvYJPeWjJ6o2sSgyK2vK8cGKQmJr7yB";
    testing::check(
        "a.py",
        &[
            "curl -H \"X-Auth: ⟦geheim77⟧\" https://x",
            "headers = {'Authorization': 'MyScheme ⟦geheim77⟧'}",
            "headers = {\"Authorization\": \"Bearer \" + \"⟦einfach⟧\"}",
            "psycopg2.connect(\"host=h dbname=d user=u password=⟦einfach⟧\")",
            "\"Driver={SQL Server};Server=x;Uid=sa;Pwd=⟦ganz einfach⟧;Encrypt=yes\"",
            "\"jdbc:oracle:thin:scott/⟦einfach⟧@//h:1521/x\"",
            "db = \"user:⟦einfach⟧@tcp(127.0.0.1:3306)/db\"",
            "auth=('me', '⟦einfach⟧')",
            &format!("⟦$krb5asrep$23$user@domain.com:{hash}${hash}⟧"),
            &format!("me:500:⟦{0}:{0}⟧:::", &hash[..32]),
            &format!("Unseal Key 1: ⟦{key}⟧"),
            &format!("\"unseal_keys_b64\": [⟦\"{key}\", \"{key}\"⟧]"),
            &format!("https://discord.com/api/v10/webhooks/123456789012345678/⟦{hash}⟧"),
            &format!("{{\"kty\":\"RSA\",\"n\":\"{}\",\"dq\":\"⟦{key}⟧\"}}", hash.repeat(20)),
            &format!("⟦SUA{}⟧", "GQ4XZ7KTB2".repeat(6).split_at(55).0),
            "CREATE USER x IDENTIFIED BY ⟦einfach⟧;",
            "const password=e.value;let token=t(),pwd=n.pwd;",
            "Authorization: Bearer <token>",
        ],
    );
    testing::check(
        "router.cfg",
        &[
            " enable password ⟦einfach⟧",
            " radius-server host 1.2.3.4 key ⟦einfach⟧",
            " crypto isakmp key ⟦einfach⟧ address 1.2.3.4",
        ],
    );
}

#[test]
fn every_copy_of_a_secret_is_masked_also_earlier_and_encoded() {
    let mut session = session();
    let patch = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1,2 @@\n-x\n+note: zq9-Geheim-77 here\n+enc enE5LUdlaGVpbS03Nw==\ndiff --git a/b b/b\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-y\n+password = \"zq9-Geheim-77\"\n";
    let change = parse_patch(patch.as_bytes().to_vec().into()).expect("patch");
    let text = String::from_utf8(print_change(session.change(&change).get())).expect("text");
    assert!(!text.contains("Geheim") && !text.contains("enE5LUdl"), "{text}");
    assert_eq!(text.matches(":1]").count(), 3, "{text}");
    assert_eq!(text.lines().count(), patch.lines().count());
    assert_eq!(session.report().matches.len(), 3);
}

#[test]
fn key_blocks_are_masked_across_lines_and_prefixes() {
    let body = "MIIEpAIBAAKCAQEA7bqEXAMPLEkeybody0123456789";
    let kind = "RSA PRIVATE KEY";
    let patch = format!(
        "diff --git a/k b/k\n--- a/k\n+++ b/k\n@@ -1,4 +1,4 @@\n -----BEGIN {kind}-----\n-{body}A\n+{body}B\r\n {body}C\n -----END {kind}-----\n"
    );
    let change = parse_patch(patch.clone().into_bytes().into()).expect("patch");
    let masked = String::from_utf8(print_change(session().change(&change).get())).expect("text");
    assert!(!masked.contains("keybody"), "{masked}");
    assert!(masked.contains("]\r\n"), "the carriage return stays: {masked:?}");
    assert_eq!(masked.lines().count(), patch.lines().count());
    let as_text = session().diff_text("k", &patch).into_inner();
    assert!(!as_text.contains("keybody") && as_text.lines().count() == patch.lines().count(), "{as_text}");
}

#[test]
fn paths_messages_and_utf16() {
    let patch =
        format!("diff --git a/{0} b/{0}\nnew file mode 100644\n--- /dev/null\n+++ b/{0}\n@@ -0,0 +1 @@\n+x\n", aws());
    let mut change = parse_patch(patch.into_bytes().into()).expect("patch");
    change.messages = vec![format!("use {}", aws())];
    let masked = session().change(&change);
    assert!(!format!("{:?}", masked.get()).contains(&aws()));
    let utf16: Vec<u8> = format!("key {}", aws()).encode_utf16().flat_map(u16::to_le_bytes).collect();
    let masked = session().bytes("a", &utf16).into_inner();
    let text =
        String::from_utf16(&masked.chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect::<Vec<_>>());
    assert!(text.expect("UTF-16").starts_with("key [REDACTED:"));
}

#[test]
fn disabled_redaction_masks_nothing_and_reports_it() {
    let off = RedactionConfig { enabled: false, ..settings() };
    let mut session = Arc::new(Redactor::new(&off, [0; 32]).expect("engine")).session();
    assert_eq!(session.text("a", &aws()).into_inner(), aws());
    assert!(!session.report().enabled && !session.report().found);
}

#[test]
fn extra_patterns_apply_and_an_invalid_one_is_named() {
    let with = |pattern: &str| RedactionConfig {
        extra_patterns: vec![ExtraPattern { name: "ours".into(), pattern: pattern.into() }],
        ..settings()
    };
    let mut session = Arc::new(Redactor::new(&with("id-(\\d+)"), [0; 32]).expect("engine")).session();
    assert_eq!(session.text("a", "x id-4711 y").into_inner(), "x id-[REDACTED:ours:1] y");
    let error = Redactor::new(&with("("), [0; 32]).err().expect("an error");
    assert!(error.to_string().starts_with("the redaction pattern `ours` is not a valid regular expression"), "{error}");
}

#[test]
fn the_digest_is_keyed() {
    let digest = |key: u8| {
        let mut session = Arc::new(Redactor::new(&settings(), [key; 32]).expect("engine")).session();
        session.text("a", &aws());
        session.report().matches[0].match_sha256.clone()
    };
    assert_ne!(digest(1), digest(2));
    assert_eq!(digest(1), digest(1));
}

#[test]
fn a_stream_is_masked_like_the_whole_in_parts_of_any_size() {
    let body = "MIIEpAIBAAKCAQEA7bqEXAMPLEkeybody0123456789\n".repeat(40);
    let kind = "PRIVATE KEY";
    let text = format!(
        "{}password = \"geheim-12\"\n-----BEGIN {kind}-----\n{body}-----END {kind}-----\nend\n",
        "line of text\n".repeat(40_000)
    );
    for size in [1000, 70_000, 600_000] {
        let mut filter = StreamFilter::new(session());
        let mut out = Vec::new();
        for part in text.as_bytes().chunks(size) {
            out.extend(filter.push(part));
        }
        out.extend(filter.finish().0);
        let out = String::from_utf8(out).expect("text");
        assert!(!out.contains("geheim") && !out.contains("keybody"));
        assert_eq!(out.lines().count(), text.lines().count());
    }
}

fn pieces() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "password = \"",
        "hunter2xyz!9",
        "\"\n",
        "token: ",
        "AKIAQ3EGRTYUIOPLKJH2",
        "\n",
        " ",
        "-----BEGIN PRIVATE KEY-----\n",
        "MIIEpAIBAAKCAQEA7bq0123456789abcdef\n",
        "-----END PRIVATE KEY-----",
        "https://u:p4ssw0rd@h/",
        "=",
        "secret",
        "ü",
        "[REDACTED]",
        "[REDACTED:keyed-value:1]",
        "api_key=",
        "'",
        "x1y2z3",
        "<password>",
        "</password>",
        "\r\n",
        "--token ",
        "Bearer abcdefghijklmnop123",
    ]);
    prop::collection::vec(words, 0..24).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn masking_is_idempotent_and_keeps_the_lines(text in pieces()) {
        let once = mask(&text);
        prop_assert_eq!(text.matches('\n').count(), once.matches('\n').count());
        prop_assert_eq!(mask(&once), once);
    }

    #[test]
    fn arbitrary_bytes_never_panic_and_keep_their_lines(bytes in prop::collection::vec(any::<u8>(), 0..400), parts in 1..90usize) {
        let masked = session().bytes("a.txt", &bytes).into_inner();
        if super::utf16::decode(&bytes).is_none() {
            prop_assert_eq!(bytecount(&masked), bytecount(&bytes));
        }
        session().diff_text("a.txt", &String::from_utf8_lossy(&bytes));
        let mut filter = StreamFilter::new(session());
        for part in bytes.chunks(parts) {
            filter.push(part);
        }
        filter.finish();
    }

    #[test]
    fn a_planted_secret_is_masked_in_any_context(
        before in pieces(),
        after in pieces(),
        noise in prop::collection::vec(any::<char>(), 0..40),
        which in 0..4usize,
    ) {
        let (text, secret) = [
            (format!("ghp_{}", "kJ8x2Lm4Qp6Rt8Vw1Yz3Bc5Df7Gh9Jk2Lm4N"), "kJ8x2Lm4Qp6Rt8Vw1Yz3Bc5Df7Gh9Jk2Lm4N"),
            (format!("glpat-{}", "Zq9Xw8Ev7Rb6Tn5Ym4Uk"), "Zq9Xw8Ev7Rb6Tn5Ym4Uk"),
            ("postgres://app:qW3eR5tY7uI9@db:1/x".to_owned(), "qW3eR5tY7uI9"),
            ("client_secret = \"mN8bV6cX4zL2\"".to_owned(), "mN8bV6cX4zL2"),
        ][which].clone();
        let noise: String = noise.into_iter().collect();
        // The secret is on its own line, with random text above, below and behind it.
        let whole = format!("{before}{noise}\n{text} {noise}\n{after}");
        prop_assert!(!mask(&whole).contains(secret), "{}", mask(&whole));
    }

    // Letters alone can be a name of source code, which is not masked: `lastOpenedProject`.
    #[test]
    fn a_masked_patch_still_parses(secret in "[A-Za-z0-9]{6,10}[0-9][A-Za-z0-9]{5,9}", at in 0..3usize) {
        let mut lines = ["+a = 1", "-b = 2", " c = 3"].map(str::to_owned);
        lines[at] += &format!("; password = \"{secret}\"");
        let patch = format!("diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n{}\n", lines.join("\n"));
        let masked = session().diff_text("x.py", &patch).into_inner();
        prop_assert!(!masked.contains(&secret));
        let (before, after) = (parse_patch(patch.into_bytes().into()), parse_patch(masked.into_bytes().into()));
        let shape = |change: diffsan_change::Change| change.files[0].hunks()[0].lines.len();
        prop_assert_eq!(shape(before.expect("a patch")), shape(after.expect("a patch")));
    }
}

fn bytecount(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte == b'\n').count()
}

#[test]
fn each_masked_value_has_its_reason_and_each_file_a_summary() {
    let mut settings = settings();
    settings.extra_patterns = vec![ExtraPattern { name: "ticket".to_owned(), pattern: "TCK-[0-9]{8}".to_owned() }];
    let mut session = Arc::new(Redactor::new(&settings, [7; 32]).expect("engine")).session();
    let password = "Tr0mmel-und-Fisch";
    let encoded = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, format!("key is {} here", aws()));
    session.text("app.ini", &format!("db_password = {password}\n# {} TCK-12345678\n", aws()));
    session.text("notes.md", &format!("It is {password}.\n{encoded}\n"));
    session.text("etc/rsyncd.secrets", "me:geheim12\n");
    session.text("run.sh", "ipmitool -H host -P Kat7-ze-Lauf power on\n");
    let report = session.report();
    let reasons: Vec<_> = report.matches.iter().map(|found| (found.path.as_str(), found.reason.clone())).collect();
    let key = |word: &str| RedactionReason::Key { word: word.to_owned() };
    assert_eq!(
        reasons,
        [
            ("app.ini", key("password")),
            ("app.ini", RedactionReason::Format),
            ("app.ini", RedactionReason::UserPattern),
            ("notes.md", RedactionReason::Copy),
            ("notes.md", RedactionReason::Encoded),
            ("etc/rsyncd.secrets", RedactionReason::CredentialFile),
            ("run.sh", RedactionReason::CommandLine),
        ]
    );
    let file = &report.files[0];
    assert_eq!((file.path.as_str(), file.places, file.values), ("app.ini", 3, 3));
    assert_eq!(file.rules, ["keyed-value", "aws-access-key-id", "ticket"]);
    assert_eq!(report.files.len(), 4);
}

#[test]
fn weak_values_of_settings_are_masked() {
    let mask = |path: &str, text: &str| session().text(path, text).into_inner();
    assert_eq!(mask(".env", "IRC_PASS=irc_pass\n"), "IRC_PASS=[REDACTED:keyed-value:1]\n");
    assert_eq!(mask("redis.conf", "requirepass cachepass\n"), "requirepass [REDACTED:keyed-value:1]\n");
    for (path, text) in
        [("a.rs", "const IRC_PASS: &str = \"irc_pass\";"), (".env", "DB_PASS=${OTHER}"), (".env", "DB_PASS=changeme")]
    {
        assert_eq!(mask(path, text), text);
    }
}

#[test]
fn a_key_in_a_hunk_header_has_its_value_in_the_first_lines() {
    let patch = "--- a/app.yml\n+++ b/app.yml\n@@ -5,2 +5,3 @@ password:\n+  Kat7-ze-Lauf\n user: app\n role: dev\n";
    let change = parse_patch(patch.as_bytes().to_vec().into()).expect("patch");
    let masked = session().change(&change);
    let printed = String::from_utf8_lossy(&print_change(masked.get())).into_owned();
    assert!(!printed.contains("Kat7"), "{printed}");
    assert!(printed.contains(" user: app"), "{printed}");
}

#[test]
fn a_copy_before_another_secret_ends_at_it() {
    let block = "-----BEGIN PRIVATE KEY-----";
    let text =
        format!("password = \"=<password>{block}\n\nghp_kJ8x2Lm4 \n{block}\npassword = \"-----END PRIVATE KEY-----\n");
    assert_eq!(mask(&text).lines().count(), text.lines().count());
}

#[test]
fn names_objects_and_sentences_beside_words_for_secrets_stay() {
    use super::testing::check;
    check(
        "configure",
        &[
            "{ printf \"%s\\n\" \"$as_me: error: in \\`$ac_pwd':\" >&2;}",
            "test -z \"$CC\" || echo \"in '$my_pwd': \" >&5",
        ],
    );
    check(
        "a.py",
        &[
            "@pytest.mark.parametrize((\"token\", \"expected\"), cases())",
            "os.environ.get(\"JWT_TTL_ACCESS\", \"5 minutes\")",
            "TOKEN_DECLINE = \"0002\"\nfetch(token=\"reference\")",
            "set(\"password\", \"⟦waldhorn7⟧\")",
        ],
    );
    check(
        "ci.yml",
        &[
            "  uses: acme/github-app-token@bcd2ba49218906704ab6c1aa796996da409d3eb1 # v3",
            "credentials: PowerShellGallery",
        ],
    );
    check(
        "app.log",
        &["skip token=Token{78af589 Record{3b04890 u0}}", "Bad activity token: android.os.BinderProxy@2bd79ce"],
    );
    check("redis.conf", &["# is flagged as requiring no password: it means that every\n# user may log in"]);
    check(
        "a.md",
        &["[signing_key_2021]: https://keys.example.com/lookup?search=dbd744ace7ade6aa50dd591f66b50994442d2d40"],
    );
    check("values.yaml", &["webhook: 443", "imap:\n  nopassword: yes_please", "mail_crypt_curve: secp521r1"]);
    check("a.go", &["req.Header.Add(\"Authorization\", \"Bearer \"+exchange.Token)"]);
    check("auth.md", &["OAuth2 Bearer authentication is used.", "## Default password schemes"]);
    check("Dockerfile", &["RUN echo \"me ALL=(ALL) NOPASSWD: ALL\" > /etc/sudoers.d/me"]);
    let line = "q8Zk02mLq9Zt4Rb7x8Kd3jWvN5yTcGfHsPaEuXo1iBhMr6JlVgQdYeSw7CnUtAkFxOzIpRm4Lb\n";
    check(
        "cassette.yaml",
        &[&format!("    string: !!binary |\n      H4sI{}      {line}      {line}      {line}", &line[4..])],
    );
}

#[test]
fn tokens_of_clients_and_with_prefixes_are_masked() {
    crate::testing::check(
        "a.py",
        &[
            "client.login(\"⟦q8Zk02mLq9Zt4Rb7x8Kd02mLx1Gv5TqY9⟧\")",
            "bot.run('⟦Zx81-kQ02_mmPq77Lw2⟧')",
            "login(\"user@example.org\"); client.login('main-page')",
            "KEY = '⟦shop_live_Q8Zk02mLq9Zt4Rb7x8Kd02mLx⟧'",
            "gw = Gateway('https://x.example', 'm-1', '⟦tp_sbx_f611ce698414bd54fb532abae9c1a30bc32c7fba⟧')",
            "published = 'pk_prod_Q8Zk02mLq9Zt4Rb7x8Kd02mLx'",
            "run_test_with_the_default_settings_of_the_shop()",
            "box.login(\"ci@x.example\", \"⟦iewz xnv0 1k7e g7v5⟧\")",
            "box.login(\"ci@x.example\", \"00ff 12ab 34cd 56ef\")",
        ],
    );
}

#[test]
fn secrets_on_lines_below_their_names_are_masked() {
    crate::testing::check(
        "a.yaml",
        &[
            "headers:\n  X-Auth-Token:\n  - ⟦7c1e90b3a4d25f68e0917b2c3d4f5a6b⟧\n  Accept:\n  - application/json\n",
            "secrets:\n  cipher:\n    - ⟦2JmsI3T197Yzqrj5htEHN3ApsfSGsqnl⟧\n  default:\n    - ⟦9Zt4Rb7x8Kd02mLx1Gv5TqYq8Zk02mLq⟧\nservices:\n  - web\n",
            "tokens_001:\n  action: api\n  id: 1\n  value: ⟦m3O3ItDgcM1WoSw0b4m2KtZey3gxdsTKkZYjB2gL⟧\n",
            "secrets:\n- db-credentials-v2\n- tls-cert-2024\n",
            "imagePullSecrets:\n- name: regcred\nsecrets:\n- db-secret\n- regcred\n",
        ],
    );
    crate::testing::check(
        "sw.conf",
        &[
            "tacacs server t1\n address ipv4 10.0.0.9\n key ⟦dosenoeffner⟧\n",
            "radius server r1\n address ipv4 10.0.0.9 auth-port 1812\n key 7 ⟦dosenoeffner⟧\n",
            "ntp server n1\n key dosenoeffner\n",
        ],
    );
    crate::testing::check(
        "voicemail.conf",
        &["[voicemail]\n201 => ⟦4482⟧,Lea,lea@x.example\n", "[phones]\n201 => 4482,Lea,lea@x.example\n"],
    );
    crate::testing::check(
        "notes.md",
        &["Vault starts sealed. Hers is here:\n\n    ⟦r/25VqDqIgJoVqejmlS+ZQNUbefc76fmrYVw0qjm+mX=⟧\n"],
    );
}

#[test]
fn users_and_passwords_in_logs_and_networks_are_masked() {
    crate::testing::check(
        "a.log",
        &[
            "CONNECT c=x u='hof' p='⟦heuballen⟧' k=60",
            "got auth packet scheme=digest auth=lager:⟦regalboden⟧",
            "Community name: ⟦Wetterhahn-RW⟧",
            "Community name: public",
            "mail.auth = smtp-user:⟦Moosbeere7⟧",
            "auth = db:primary",
            "auth=plugin u='hof' size=3 oauth=lager:x",
            "root | localhost | authentication_string | ⟦*A0847AF44F61F3BCC424BC02429169EA3CE71A31⟧ |",
        ],
    );
    crate::testing::check(
        "a.rsc",
        &["add name=hof wpa2-pre-shared-key=\"⟦Rasen-Maeher-Hof⟧\"", "shared-key=\"lite-rust-binaries\""],
    );
}

#[test]
fn dates_fields_and_names_of_secrets_stay() {
    crate::testing::check(
        "a.log",
        &[
            "db-password     2024-03-01    platform",
            "token issued type=bearer ttl=3600 jti=0c2e0f09-e6fa-40bc-97f9-1beeb78e2e34",
            "ipa otptoken-del 4c8d6b6b-5ea3-4d5b-8ff9-0c2f0b4d3d1f",
            "mailbox-guid 3f9a1c7e5b2d8046af13c95e7b204d68",
            "  user:{plain}pass",
        ],
    );
    crate::testing::check("a.go", &["desc: \"has=aal1, available=aal2, credential=password+webauth_mfa\","]);
    crate::testing::check(
        "src/i18n.ts",
        &["password: 'Passwort',\n  token: 'Zugriffstoken',", "password: '⟦geheim77⟧'"],
    );
    crate::testing::check("conf/locale/locale_pl-PL.ini", &["auths.bind_password=Hasło Bind"]);
}

#[test]
fn the_headers_of_a_diff_are_no_part_of_a_file_with_secrets() {
    let head = "diff --git a/etc/ppp/chap-secrets b/etc/ppp/chap-secrets\nindex ca3116b..16a81e9 100644\n--- a/etc/ppp/chap-secrets\n+++ b/etc/ppp/chap-secrets\n@@ -41,1 +41,2 @@\n";
    let masked =
        session().diff_text("", &format!("{head} # client\tserver\tsecret\n+station2\t*\tLo3schzug!12\t10.0.0.1\n"));
    assert_eq!(
        masked.into_inner(),
        format!("{head} # client\tserver\tsecret\n+station2\t*\t[REDACTED:credential-file:1]\t10.0.0.1\n")
    );
}

#[test]
fn codes_and_tokens_are_masked_and_similar_texts_stay() {
    super::testing::check("wlan.txt", &["WIFI:T:WPA;S:Gast;P:⟦Kaffee-Kuchen9⟧;;", "WIFI:S:Gast;T:nopass;;"]);
    super::testing::check(
        "a.ts",
        &[
            "const t = \"⟦v4.local.QAxIpVe-ECVNI1z4xQbm_qQYomyT3h8FtV8bxkz8pBJWkT8f7HtlOpbroPDEZUKop⟧\";",
            "const TOKEN_LIST_HASH = \"0x3b1f7a0c2e94d86f5a1c7e3d9b8f602144c0aa7d51e6839f0b27cd4e9a1f5b37\";",
            "\"Login renders password field 1\"",
        ],
    );
    super::testing::check("a.ini", &["secret=\nsecret=⟦Tr4ktorX9⟧", "wpa_key_mgmt=WPA-PSK"]);
    super::testing::check("a.py", &["password = \"⟦Winter_is_here9⟧\"", "password = \"your_password_here\""]);
    super::testing::check(
        "a.sh",
        &[
            "curl https://api.telegram.org/bot⟦1679532212:AAd9KojUp3xqlvFMGYkic2XjZwGtZizTFvu⟧/getMe",
            "ansible-vault encrypt_string --name db_password",
            "curl -H \"X-Auth-Email: ops@example.org\" https://x",
        ],
    );
    super::testing::check("a.md", &["La parola d'ordine è ⟦Gelato-Rosso9⟧."]);
}

#[test]
fn secrets_of_single_programs_are_masked() {
    crate::testing::check(
        "scripts/make-cert.sh",
        &[
            "    -passin pass:⟦OIYMqncCjfOxqAq⟧ -out a.crt",
            "    -passin env:CA_PASS -out a.crt",
            "    -passin pass:$CA_PASS -out a.crt",
        ],
    );
    crate::testing::check("cfg/server.cfg", &["sv_setsteamaccount ⟦DD4016982463B3E79FB847265443A7C6⟧"]);
    crate::testing::check(
        "a.service",
        &["Environment=\"DATA_SOURCE_NAME=exporter:⟦KdbUE9GhZoCaWWMp⟧@(localhost:3306)/\""],
    );
    crate::testing::check(
        "mail.txt",
        &[
            "https://app.host.example/join?invite=⟦uYEVQyOZpsIPDP0posdI1dNbFjfGK0G_3kJTw-wNo3W⟧",
            "https://app.host.example/join?invite=the-whole-team-of-the-company",
        ],
    );
    crate::testing::check(
        "consul/agent.json",
        &[
            "\"encrypt\": \"⟦VCEEtFO2FvZeu5+lmaWih1NxenkxVDgp/q103kvUDGg=⟧\"",
            "\"tokens\": {\n\"initial_management\": \"⟦eeac82c5-678f-4233-befb-fcb98c8231c8⟧\",\n\"agent\": \"⟦bb4b04d0-f977-4eb0-a604-2cc8f34fdad2⟧\"\n}",
            "\"encrypt\": \"aes-256-gcm\"",
        ],
    );
    crate::testing::check(
        "a.adoc",
        &["$ katalogctl license add ⟦AMJF8V-YMY6CU-6R6EWT-2YWUEP⟧", "$ katalogctl license add XXXXX-XXXXX-XXXXX-XXXXX"],
    );
    crate::testing::check("a.md", &["- Razorpay (IN): `⟦3bbyRldio0X37mGR75u1lnYo⟧`, id"]);
    crate::testing::check(
        "a.dart",
        &[
            "'access_token': const String.fromEnvironment('TILES_TOKEN',\n  defaultValue: '⟦9nz55bvpqymh33f6ymi7ms8r471n7vbr⟧')",
        ],
    );
    crate::testing::check(
        "a.swift",
        &["static let encryptionKey = Data(base64Encoded: \"⟦jCt8mwzpOal8GJNMMQjgPRbDnYo8j8djyU1BMzfHMBo=⟧\")!"],
    );
    crate::testing::check("faq.org", &["Then =mysql -P 3307 -u tester -p⟦HVVkE4AlKuwB⟧ poly=."]);
}

#[test]
fn words_that_stand_for_a_secret_stay_readable() {
    crate::testing::check("src/env.ts", &["export const token = env.SESSION_SECRET;"]);
    crate::testing::check(
        "wp-config.php.j2",
        &["define( 'AUTH_KEY', '{{ lookup(\"password\", \"/dev/null length=64\") }}' );"],
    );
    crate::testing::check(
        "a.md",
        &[
            "format is `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>`.",
            "1. Generate a new password: `openssl rand -base64 24`.",
        ],
    );
    crate::testing::check(
        "a.html",
        &[
            "<table><tr><td>User</td><td>Password</td></tr>\n<tr><td>eva</td><td>&bull;&bull;&bull;&bull;</td></tr></table>",
        ],
    );
}
