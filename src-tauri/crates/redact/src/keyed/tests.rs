//! Tests of the values of keys.

use crate::testing::check;

#[test]
fn names_versions_and_code_behind_a_key_are_harmless() {
    check(
        "settings.yml",
        &[
            "existingSecret: app-secrets",
            "shared-key: stable-cache-v2",
            "api-key: ⟦stable-cache-v2⟧",
            "'@inquirer/password': 5.1.1(@types/node@26.1.1)",
            "rpassword = \"7.5\"",
            "api26 = { module = \"net.example.signature:android-api-level-26\" }",
            "ApiKeyAuth: { type: apiKey, in: header }",
            "Resource: arn:aws:secretsmanager:eu-west-1:334280860058:secret:shop/db-AbCdEf",
            "- curl --header \"JOB-TOKEN: $CI_JOB_TOKEN\" \"$URL\"",
            "- curl --header \"JOB-TOKEN: ⟦geheim-77⟧\" \"$URL\"",
        ],
    );
    check(
        "a.js",
        &[
            "x.isTokenCredential=x.isKeyCredential=void 0;",
            "const a={credential:i.credential}:undefined;",
            ".auth-key-row { border: 1px solid var(--border-secret, #ccc); }",
            "h.Set(\"Sec-WebSocket-Key\", \"dGhlIHNhbXBsZSBub25jZQ==\")",
            "run(\"--password\", \"⟦geheim-77⟧\")",
        ],
    );
    check("a.go", &["switch token {\ncase isOpen(token):\n\tnesting++"]);
}

#[test]
fn passwords_beside_a_host_may_be_two_words() {
    check(
        "a.rb",
        &[
            "config.irc = { nick: \"bot\", server: \"irc.host.example\", password: \"⟦irc_pass⟧\" }",
            "config.irc = { nick: \"bot\", server: server, password: \"irc_pass\" }",
            "config.irc = { nick: \"bot\", server: \"irc.host.example\", password: \"irc_password\" }",
            "config.irc = { nick: \"bot\", server: \"irc.host.example\", password: \"irc.form.pass\" }",
            "labels = { nick: \"label_nick\", server: \"label_server\", password: \"label_pass\" }",
        ],
    );
}

#[test]
fn comments_interpolations_and_glyphs_are_no_values() {
    check(
        "values.yaml",
        &[
            "sshPrivateKeySecret: #the chart doesn't install the secret",
            "password: \"⟦#geheim-77 und mehr⟧\"",
            "password: ⟦#geheim-77⟧",
        ],
    );
    check(
        "a.rb",
        &[
            "url = \"#{API_URL}?token=#{@@API_KEY}&url=\" <<",
            "url = \"#{API_URL}?token=#{@token}&url=\"",
            "url = \"#{API_URL}?token=⟦q8Zk02mLq9Zt4Rb7⟧&url=\"",
        ],
    );
    check("a.css", &[".secret-toggle::after { content: \"\\f06e\"; }"]);
}

#[test]
fn passwords_in_the_form_of_names_are_masked_where_the_key_is_certain() {
    check(
        "a.rs",
        &[
            "const PASSWORD: &str = \"⟦silent-Dragon-Night⟧\";",
            "pub const IOCTL_DVD_AUTH_KEY: u32 = 3362824u32;",
            "const MQTT_PASS: &str = \"⟦garden-shed⟧\";",
            "let icon = Icon { password: \"lock-outline\" };",
            "let key = \"silent-Dragon-Night\";",
            "let autocomplete_password = \"current-password\";",
            "let password = \"login.form.hint\";",
        ],
    );
    check("a.kts", &["storePassword = \"⟦Weasel.in.Gravel⟧\""]);
}

#[test]
fn settings_about_secrets_and_names_of_secrets_are_harmless() {
    check(
        "a.yml",
        &[
            "- secretKey: DB_PASSWORD",
            "update_password: on_create",
            "with: { exportToken: false, method: jwt }",
            "auth: { username: $USER_NAME, password: $DOCKER_PASS }",
            "auth: { username: me, password: ⟦geheim-77⟧ }",
            "GenerateSecretString: {PasswordLength: 32, ExcludeCharacters: 'x'}",
            "SecretArn: !Sub '{{resolve:secretsmanager:${DbSecret}:SecretString:password}}'",
        ],
    );
    check("a.properties", &["app.password.encoder=bcrypt", "app.token.validity=3600s", "db.password=⟦bcrypt⟧"]);
    check("a.yaml", &["recovery_codes:\n  - ⟦7195-1043⟧\n  - ⟦8812-9921⟧\nnames:\n  - a1-b2\n"]);
    check(
        "a.py",
        &[
            "    \"\"\"\n    Uses of the token:\n        - Implicit1 Grant\n        - Client Credentials grant\n    \"\"\"",
        ],
    );
    check("a.scss", &["$password-border: 1px solid"]);
    check("a.php", &["'password' => 'required|string|min:12|confirmed',", "'password' => '⟦geheim|77⟧',"]);
    check(
        "a.xml",
        &["<pin digest=\"SHA-256\">8+AbI5a0vqu/kHdWmsckBgNk87UrUlaULWnAX7Q58IQ=</pin>", "<pin>⟦8391⟧</pin>"],
    );
    check("help.txt", &["      --secret stringArray  Secret to expose to the build"]);
    check("package.json", &["\"token\": \"node scripts/make-token.js\","]);
    check("a.snap", &["<ul data-key=\"item-x3u2rwa9\">", "<ul data-api-key=\"⟦q8Zk02mLq9Zt4Rb7⟧\">"]);
    check(
        "a.md",
        &["  SECRET: '⟦geheim-77⟧'\n```\n## See Also\n[OpenID Connect 1.0]: ../a.md\n\nThe `x` is 1.", "x = 'a'\n"],
    );
    check("modes.py", &["MODES = {\"password\": \"PBES2-HS256+A128KW\"}"]);
    check("a.vue", &["<input v-model=\"password\" :label=\"$t('login.password')\" />"]);
    check("a.ts", &["const TOKEN_OWNER = '0x7db3d2d76c5e1db7ab527f32c7edf789442f238a';"]);
    check("a.sh", &["echo \"  -p, --password   the password of the database\"", "run --password ⟦geheim-77⟧"]);
}

#[test]
fn words_that_people_choose_as_passwords_are_masked_in_settings() {
    check(
        "settings.ini",
        &["Password=⟦secret⟧", "PWD: ⟦passwd⟧", "secret = password", "password = changeme", "password = token"],
    );
    check(
        "docker-compose.yml",
        &["MYSQL_PASSWORD: \"⟦password⟧\"", "x: ⟦[REDACTED:keyed-value:7]⟧\ndb_password: ⟦secret⟧"],
    );
    check("ldap.conf", &["bindpw ⟦ldapadmin⟧", "rootpw\t⟦geheim⟧"]);
    check("config/locales/en.yml", &["password: Password", "  secret: Secret", "  pass: Pass"]);
    check("a.txt", &["Password=secret"]);
    check("a.py", &["password = \"secret\""]);
}

#[test]
fn the_rest_of_an_expression_between_two_strings_is_no_value() {
    check(
        "a.go",
        &[
            "sql := `CREATE TABLE a (\n    token         ` + db.typeChar(16) + ` not null,\n    note ` + db.typeText() + `)`",
            "password := `⟦+feld9+⟧`",
        ],
    );
    check("a.php", &["$sql = 'WHERE token=' . $db->quote($x) . ' AND 1';", "$password = '⟦.feld9.⟧';"]);
}

#[test]
fn bytes_that_go_with_a_key_stay_readable() {
    check(
        "test_a.py",
        &[
            "sig = b\"Qxa47mk/azzUgmY2StAOguAd4P7YBLpyCfU3JdbaiWnXM4o4WibXwmIHvNYgN3frtE2fcyd8OYEaOiD/KiwkCg==\"",
            "key = b\"⟦Qxa47mk/azzUgmY2StAOguAd4P7YBLpyCfU3JdbaiWnXM4o4WibX⟧\"",
        ],
    );
}
