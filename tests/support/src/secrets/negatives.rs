//! Texts that look like secrets but are not. Masking them would make a review less useful.

use super::notations::as_diff;
use super::{Case, Random};

type Make = fn(&mut Random) -> String;

const NAMES: &[&str] =
    &["user", "order", "session", "payment", "customer", "account", "device", "report", "invoice", "project"];

const CLASSES: &[(&str, &str, Make)] = &[
    ("uuid", "ids.json", |r| format!("{{\"id\": \"{}\", \"parent\": \"{}\"}}", r.uuid(), r.uuid())),
    ("uuid-in-code", "a.ts", |r| format!("const {}Id = '{}';", r.pick(NAMES), r.uuid())),
    ("git-hash", "CHANGELOG.md", |r| format!("- fix the parser ({})", r.hex(40))),
    ("git-short", "notes.md", |r| format!("see commit {} and {}", r.hex(7), r.hex(12))),
    ("submodule", "a.yml", |r| format!("uses: actions/checkout@{} # v4", r.hex(40))),
    ("npm-integrity", "package-lock.json", |r| format!("\"integrity\": \"sha512-{}==\",", r.base64(86))),
    ("yarn-lock", "yarn.lock", |r| {
        format!(
            "  resolved \"https://registry.example.org/a/-/a-1.0.0.tgz#{}\"\n  integrity sha512-{}==",
            r.hex(40),
            r.base64(86)
        )
    }),
    ("cargo-lock", "Cargo.lock", |r| {
        format!("name = \"serde\"\nversion = \"1.0.{}\"\nchecksum = \"{}\"", r.below(300), r.hex(64))
    }),
    ("go-sum", "go.sum", |r| format!("github.com/a/b v1.2.{} h1:{}=", r.below(90), r.base64(43))),
    ("pip-hash", "requirements.txt", |r| format!("flask==3.0.{} \\\n    --hash=sha256:{}", r.below(9), r.hex(64))),
    ("docker-digest", "Dockerfile", |r| format!("FROM alpine@sha256:{}", r.hex(64))),
    ("checksum-file", "SHA256SUMS", |r| format!("{}  release-{}.tar.gz", r.hex(64), r.below(99))),
    ("md5", "a.md5", |r| format!("{}  image.iso", r.hex(32))),
    ("etag", "a.http", |r| format!("ETag: \"{}\"", r.hex(32))),
    ("public-key", "keys.pub", |r| format!("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ{} me@host", r.base64(360))),
    ("public-key-ed", "authorized_keys", |r| {
        format!("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{} me@laptop", r.base64(43))
    }),
    ("public-pem", "pub.pem", |r| {
        format!("-----BEGIN PUBLIC KEY-----\n{}\n{}\n-----END PUBLIC KEY-----", r.base64(64), r.base64(64))
    }),
    ("certificate", "ca.crt", |r| {
        format!(
            "-----BEGIN CERTIFICATE-----\n{}\n{}\n{}\n-----END CERTIFICATE-----",
            r.base64(64),
            r.base64(64),
            r.base64(40)
        )
    }),
    ("pgp-public", "KEYS", |r| {
        format!(
            "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n{}\n={}\n-----END PGP PUBLIC KEY BLOCK-----",
            r.base64(64),
            r.base64(4)
        )
    }),
    ("known-hosts", "known_hosts", |r| {
        format!("github.com ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAI{}=", r.base64(99))
    }),
    ("css-colour", "a.css", |r| format!(".a {{ color: #{}; background: #{}; }}", r.hex(6), r.hex(8))),
    ("css-class", "a.html", |r| format!("<div class=\"css-{} sc-{}\">", r.hex(6), r.hex(5))),
    ("image", "a.css", |r| {
        format!("background: url(data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA{}==)", r.base64(400))
    }),
    ("font", "a.css", |r| format!("src: url(data:font/woff2;base64,d09GMgABAAAAA{});", r.base64(600))),
    ("source-map", "a.js.map", |r| format!("\"mappings\": \"AAAA,{};AACA\"", r.chars("ACEGIKMSU,;", 200))),
    ("placeholder", ".env.example", |r| {
        format!(
            "DB_PASSWORD={}",
            r.pick(&[
                "changeme",
                "<password>",
                "your-password",
                "xxxxxxxx",
                "${DB_PASSWORD}",
                "********",
                "TODO",
                "placeholder",
                "<your-token>",
                "your_api_key_here"
            ])
        )
    }),
    ("placeholder-code", "a.py", |r| {
        format!(
            "API_KEY = \"{}\"",
            r.pick(&[
                "YOUR_API_KEY",
                "<api-key>",
                "INSERT_KEY_HERE",
                "your-api-key-here",
                "xxx",
                "{{ api_key }}",
                "changeme",
                "REPLACE_ME",
                ""
            ])
        )
    }),
    ("docs-bearer", "README.md", |r| {
        format!(
            "curl -H \"Authorization: Bearer {}\" $URL",
            r.pick(&["$TOKEN", "<token>", "${API_TOKEN}", "YOUR_TOKEN", "{token}"])
        )
    }),
    ("reference-env", "a.js", |r| format!("const password = process.env.{}_PASSWORD;", r.pick(NAMES).to_uppercase())),
    ("reference-py", "a.py", |r| format!("token = os.environ[\"{}_TOKEN\"]", r.pick(NAMES).to_uppercase())),
    ("reference-java", "A.java", |r| {
        format!("String password = System.getenv(\"{}_PASSWORD\");", r.pick(NAMES).to_uppercase())
    }),
    ("reference-go", "a.go", |r| format!("secret := os.Getenv(\"{}_SECRET\")", r.pick(NAMES).to_uppercase())),
    ("reference-yaml", "a.yml", |r| format!("password: ${{{{ secrets.{}_PASSWORD }}}}", r.pick(NAMES).to_uppercase())),
    ("reference-helm", "a.yaml", |r| format!("password: {{{{ .Values.{}.password }}}}", r.pick(NAMES))),
    ("reference-spring", "application.yml", |r| format!("password: ${{{}_PASSWORD}}", r.pick(NAMES).to_uppercase())),
    ("terraform", "main.tf", |r| format!("password = var.{}_password", r.pick(NAMES))),
    ("terraform-data", "main.tf", |r| {
        format!("secret_string = data.aws_secretsmanager_secret_version.{}.secret_string", r.pick(NAMES))
    }),
    ("terraform-random", "main.tf", |r| format!("password = random_password.{}.result", r.pick(NAMES))),
    ("secret-ref", "k8s.yaml", |r| {
        format!("valueFrom:\n  secretKeyRef:\n    name: {}-secret\n    key: password", r.pick(NAMES))
    }),
    ("k8s-name", "k8s.yaml", |r| format!("secretName: {}-tls\nserviceAccountName: {}", r.pick(NAMES), r.pick(NAMES))),
    ("function", "a.rs", |r| format!("fn {}_token(&self) -> Token {{ self.token.clone() }}", r.pick(NAMES))),
    ("method-call", "a.ts", |r| format!("const token = await this.{}Service.getToken(request);", r.pick(NAMES))),
    ("type", "a.ts", |r| {
        format!("interface {}Login {{ username: string; password: string; token?: string }}", r.pick(NAMES))
    }),
    ("rust-type", "a.rs", |r| {
        format!("pub struct Login {{ pub {}: String, pub password: String, pub token: Option<String> }}", r.pick(NAMES))
    }),
    ("sql-column", "a.sql", |r| {
        format!("CREATE TABLE {} (id INT, password VARCHAR(255) NOT NULL, api_key TEXT);", r.pick(NAMES))
    }),
    ("label", "a.tsx", |r| format!("<label htmlFor=\"password\">Password of the {}</label>", r.pick(NAMES))),
    ("input", "a.html", |r| {
        format!("<input type=\"password\" name=\"password\" id=\"{}\" placeholder=\"Password\">", r.pick(NAMES))
    }),
    ("message", "en.json", |r| {
        format!("\"passwordRequired\": \"Please enter the password of your {}.\"", r.pick(NAMES))
    }),
    ("message-error", "a.py", |r| format!("raise ValueError(\"token of {} is missing\")", r.pick(NAMES))),
    ("prose", "README.md", |r| {
        format!("The password is kept in the keyring; the token of each {} expires after an hour.", r.pick(NAMES))
    }),
    ("prose-key", "README.md", |r| format!("Press a key to go on. The primary key of `{}` is `id`.", r.pick(NAMES))),
    ("tokens", "a.py", |r| {
        format!("max_tokens = {}\ntokenizer = Tokenizer(vocab_size={})", 1 + r.below(9000), r.below(50_000))
    }),
    ("length", "a.js", |r| format!("const MIN_PASSWORD_LENGTH = {};", 6 + r.below(20))),
    ("flag", "a.ts", |r| format!("showPassword: {}, hasToken: {}", r.below(2) == 0, r.below(2) == 0)),
    ("route", "urls.py", |r| {
        format!("path('{}/password/reset/', views.password_reset, name='password_reset')", r.pick(NAMES))
    }),
    ("import", "a.ts", |r| {
        format!("import {{ hashPassword, verifyToken }} from '../{}/auth/password';", r.pick(NAMES))
    }),
    ("test-name", "a.test.ts", |r| format!("it('rejects a wrong password for {}', async () => {{", r.pick(NAMES))),
    ("css-selector", "a.css", |r| {
        format!(".password-field, #token-{} {{ margin: {}px; }}", r.pick(NAMES), r.below(40))
    }),
    ("map-key", "a.go", |r| format!("value, ok := cache[key]\nfor key, {} := range items {{}}", r.pick(NAMES))),
    ("key-code", "a.js", |r| {
        format!("if (event.key === '{}') submit();", r.pick(&["Enter", "Escape", "ArrowDown", "Tab"]))
    }),
    ("i18n-key", "a.tsx", |r| {
        format!("t('{}.settings.title', {{ key: '{}-{}' }})", r.pick(NAMES), r.pick(NAMES), r.below(9))
    }),
    ("react-key", "a.tsx", |r| format!("<Row key={{`${{item.id}}-{}`}} />", r.pick(NAMES))),
    ("url", "a.md", |r| {
        format!("https://example.org/{}/{}?page={}&sort=asc#top", r.pick(NAMES), r.below(9999), r.below(9))
    }),
    ("url-port", "a.yml", |r| format!("endpoint: http://{}.internal:80{}/v1", r.pick(NAMES), 10 + r.below(80))),
    ("git-url", "a.md", |r| {
        format!("git clone git@github.com:owner/{}.git && ssh://git@host:2222/{}.git", r.pick(NAMES), r.pick(NAMES))
    }),
    ("mail", "AUTHORS", |r| format!("{} <{}@example.org>", r.pick(NAMES), r.pick(NAMES))),
    ("version", "a.toml", |r| format!("version = \"{}.{}.{}\"", r.below(20), r.below(20), r.below(20))),
    ("date", "a.log", |r| {
        format!(
            "2026-{:02}-{:02}T{:02}:00:00.000Z request done in {} ms",
            1 + r.below(12),
            1 + r.below(28),
            r.below(24),
            r.below(900)
        )
    }),
    ("ip", "a.conf", |r| format!("allow 10.{}.{}.0/24;", r.below(250), r.below(250))),
    ("numbers", "a.csv", |r| {
        format!("{},{},{},{}", r.below(99_999), r.below(99_999), r.below(usize::MAX), r.below(99))
    }),
    ("hex-colours", "theme.json", |r| format!("\"key\": \"#{}\", \"token\": \"#{}\"", r.hex(6), r.hex(6))),
    ("constant", "a.h", |r| format!("#define {}_KEY 0x{}", r.pick(NAMES).to_uppercase(), r.hex(8))),
    ("address", "a.sol", |r| format!("address constant {} = 0x{};", r.pick(NAMES), r.hex(40))),
    ("arn", "a.tf", |r| format!("role = \"arn:aws:iam::{}:role/{}\"", r.chars("123456789", 12), r.pick(NAMES))),
    ("enum", "a.ts", |r| {
        format!("enum Kind {{ AccessToken = 'access_token', RefreshToken = 'refresh_token', {} = 'x' }}", r.pick(NAMES))
    }),
    ("grant", "a.py", |r| format!("data = {{'grant_type': 'password', 'scope': '{}'}}", r.pick(NAMES))),
    ("token-type", "a.json", |r| format!("\"token_type\": \"bearer\", \"expires_in\": {}", r.below(9000))),
    ("regex", "a.js", |r| format!("const passwordPattern = /^(?=.*[A-Z]).{{{},}}$/;", 6 + r.below(9))),
    ("comment", "a.c", |r| format!("/* the key of the {} is its hash, see RFC {} */", r.pick(NAMES), r.below(9000))),
    ("assembly", "a.s", |r| format!("mov eax, 0x{}\npush 0x{}", r.hex(8), r.hex(4))),
    ("long-name", "a.java", |r| {
        format!("AbstractAuthenticationTokenProviderFactoryBean{}Configuration", r.pick(NAMES))
    }),
    ("path", "a.py", |r| format!("KEY_FILE = '/etc/ssl/private/{}.key'", r.pick(NAMES))),
    ("password-file", "a.yml", |r| format!("POSTGRES_PASSWORD_FILE: /run/secrets/{}_password", r.pick(NAMES))),
    ("password-hash-call", "a.py", |r| format!("user.password = hash_password(form.{}.data)", r.pick(NAMES))),
    ("assign-member", "a.js", |r| format!("this.token = {}.token; state.password = action.payload;", r.pick(NAMES))),
    ("kwargs", "a.py", |r| format!("connect(password=password, token=self.{}_token, key=key)", r.pick(NAMES))),
    ("null", "a.json", |r| format!("\"{}\": null, \"password\": null, \"token\": \"\"", r.pick(NAMES))),
    ("vault-path", "a.yml", |r| format!("password: vault:secret/data/{}#password", r.pick(NAMES))),
    ("bool", "a.ini", |_| "use_token = true\nrequire_password = yes".to_owned()),
    ("lorem", "a.txt", |r| format!("Lorem ipsum dolor sit amet {} consectetur {}", r.pick(NAMES), r.pick(NAMES))),
    ("svg", "a.svg", |r| {
        format!(
            "<path d=\"M{}.{} {}c{}-{} {} {}z\"/>",
            r.below(99),
            r.below(99),
            r.below(99),
            r.below(9),
            r.below(9),
            r.below(99),
            r.below(9)
        )
    }),
    ("minified", "a.min.js", |r| {
        format!("!function(e,t){{e.token=t.key,n.{}=function(){{return e.password}}}}(a,b);", r.pick(NAMES))
    }),
    ("licence", "LICENSE", |r| {
        format!("Permission is hereby granted, free of charge, to any {} obtaining a copy", r.pick(NAMES))
    }),
    ("proto", "a.proto", |r| {
        format!(
            "message {} {{ string password = {}; string api_key = {}; }}",
            r.pick(NAMES),
            1 + r.below(9),
            10 + r.below(9)
        )
    }),
    ("graphql", "a.graphql", |r| {
        format!("mutation Login($password: String!) {{ {}(password: $password) {{ token }} }}", r.pick(NAMES))
    }),
    ("sorted", "a.py", |r| format!("sorted({}s, key=lambda item: item.created)", r.pick(NAMES))),
    ("makefile", "Makefile", |r| format!(".PHONY: {}\nsecret:\n\t@echo done", r.pick(NAMES))),
];

/// Returns the cases, most of them as diffs.
pub fn negatives() -> Vec<Case> {
    let mut random = Random::new(0x5eed_0005);
    let mut cases = Vec::new();
    for round in 0..34 {
        for (class, path, make) in CLASSES {
            let text = make(&mut random);
            let diff = round % 3 != 0;
            let text = if diff { as_diff(path, &text, &mut random) } else { text };
            cases.push(Case {
                class: (*class).to_owned(),
                notation: "as is".to_owned(),
                path: (*path).to_owned(),
                diff,
                text,
                secrets: Vec::new(),
            });
        }
    }
    cases
}
