//! Notations of a value: in settings files, in source code, on command lines, and in a diff of these.

use super::{Case, Random};

/// The notations: a name, the path of a file, and a text with `KEY` and `VALUE`. The case of `KEY` shows how the notation writes
/// names.
const NOTATIONS: &[(&str, &str, &str)] = &[
    ("env", ".env", "DEBUG=1\nUPPER_KEY=VALUE\nPORT=80"),
    ("env-quoted", "deploy/.env.prod", "UPPER_KEY=\"VALUE\"\nREGION=eu"),
    ("export", "run.sh", "#!/bin/sh\nexport UPPER_KEY=VALUE\nexec ./app"),
    ("shell-quoted", "run.sh", "UPPER_KEY='VALUE' ./deploy --now"),
    ("ini", "app.ini", "[main]\nsnake_key = VALUE\nlevel = info"),
    ("properties", "application.properties", "spring.datasource.url=jdbc:h2:mem\nspring.dotted.key=VALUE"),
    ("json", "config.json", "{\n  \"host\": \"db\",\n  \"camelKey\": \"VALUE\",\n  \"port\": 5432\n}"),
    ("json-one-line", "config.min.json", "{\"a\":1,\"snake_key\":\"VALUE\",\"b\":[1,2]}"),
    ("json-in-string", "lib/a.js", "const body = '{\\\"snake_key\\\":\\\"VALUE\\\"}';"),
    ("yaml", "config.yml", "database:\n  host: db\n  snake_key: VALUE\n  port: 1"),
    ("yaml-quoted", "values.yaml", "auth:\n  camelKey: \"VALUE\""),
    ("yaml-single", "values.yaml", "auth:\n  camelKey: 'VALUE'  # rotate"),
    (
        "yaml-env-pair",
        "k8s/deployment.yaml",
        "env:\n  - name: UPPER_KEY\n    value: \"VALUE\"\n  - name: MODE\n    value: prod",
    ),
    ("yaml-list", "a.yaml", "snake_key:\n  - VALUE"),
    ("yaml-block", "a.yaml", "snake_key: |\n  VALUE\nother: 1"),
    ("toml", "Settings.toml", "[auth]\nsnake_key = \"VALUE\""),
    ("xml", "conf.xml", "<config><host>h</host><camelKey>VALUE</camelKey></config>"),
    ("xml-lines", "conf.xml", "<camelKey>\n    VALUE\n</camelKey>"),
    ("xml-attribute", "web.config", "<add key=\"PascalKey\" value=\"VALUE\" />"),
    ("xml-own-attribute", "beans.xml", "<ds user=\"sa\" camelKey=\"VALUE\" pool=\"3\"/>"),
    ("plist", "Info.plist", "<dict>\n  <key>camelKey</key>\n  <string>VALUE</string>\n</dict>"),
    ("hcl", "main.tf", "resource \"x\" \"y\" {\n  snake_key = \"VALUE\"\n}"),
    ("hcl-default", "variables.tf", "variable \"snake_key\" {\n  type    = string\n  default = \"VALUE\"\n}"),
    ("tfvars", "prod.tfvars", "snake_key = \"VALUE\""),
    ("flag", "README.md", "    tool login --kebab-key VALUE --verbose"),
    ("flag-equals", "ci.sh", "tool --kebab-key=VALUE --dry-run"),
    ("arguments", "job.yaml", "args: [\"--kebab-key\", \"VALUE\"]"),
    ("python", "settings.py", "import os\nUPPER_KEY = 'VALUE'\nDEBUG = True"),
    ("python-dict", "conf.py", "conf = {\n    'host': 'h',\n    'snake_key': 'VALUE',\n}"),
    ("python-default", "conf.py", "snake_key = os.environ.get('UPPER_KEY', 'VALUE')"),
    ("python-call", "main.py", "client = connect(host='db', snake_key='VALUE', port=1)"),
    ("python-bytes", "sign.py", "snake_key = b\"VALUE\""),
    ("python-typed", "a.py", "snake_key: str = \"VALUE\""),
    ("javascript", "index.js", "const camelKey = 'VALUE';\nmodule.exports = { camelKey };"),
    ("template-string", "index.ts", "const camelKey = `VALUE`;"),
    ("typescript", "env.ts", "export const camelKey: string = \"VALUE\";"),
    ("object", "env.ts", "export const env = {\n  production: true,\n  camelKey: 'VALUE',\n};"),
    ("setter", "Main.java", "config.setProperty(\"dotted.key\", \"VALUE\");"),
    ("java", "Config.java", "private static final String UPPER_KEY = \"VALUE\";"),
    ("annotation", "Config.java", "@Value(\"VALUE\") String camelKey = \"VALUE\";"),
    ("csharp", "Startup.cs", "public string PascalKey { get; set; } = \"VALUE\";"),
    ("connection", "appsettings.json", "\"Default\": \"Server=db;User Id=sa;Password=VALUE;Encrypt=true\""),
    ("go", "main.go", "const camelKey = \"VALUE\""),
    ("go-short", "main.go", "camelKey := \"VALUE\""),
    ("go-struct", "main.go", "cfg := Config{\n\tHost: \"h\",\n\tPascalKey: \"VALUE\",\n}"),
    ("rust", "src/main.rs", "const UPPER_KEY: &str = \"VALUE\";"),
    ("rust-string", "src/main.rs", "let snake_key = String::from(\"VALUE\");"),
    ("ruby", "config.rb", "config.snake_key = \"VALUE\""),
    ("ruby-hash", "config.rb", "{ :snake_key => 'VALUE', host: 'h' }"),
    ("php", "config.php", "$config['snake_key'] = 'VALUE';"),
    ("php-define", "wp.php", "define('UPPER_KEY', 'VALUE');"),
    ("php-array", "db.php", "return ['host' => 'h', 'snake_key' => 'VALUE'];"),
    ("kotlin", "App.kt", "val camelKey = \"VALUE\""),
    ("swift", "App.swift", "let camelKey: String = \"VALUE\""),
    ("dockerfile", "Dockerfile", "FROM alpine\nENV UPPER_KEY=VALUE\nRUN true"),
    ("dockerfile-old", "Dockerfile", "ENV UPPER_KEY VALUE"),
    ("makefile", "Makefile", "UPPER_KEY := VALUE\nall:\n\t./run"),
    ("sql", "seed.sql", "CREATE USER app WITH PASSWORD 'VALUE';"),
    ("sql-identified", "grants.sql", "GRANT ALL ON x.* TO 'a'@'%' IDENTIFIED BY 'VALUE';"),
    ("query", "api.http", "GET https://api/v1/items?page=1&snake_key=VALUE&sort=asc"),
    ("comparison", "auth.js", "if (camelKey === 'VALUE') { allow(); }"),
    ("concatenated", "a.js", "const camelKey = 'VALUE' +\n  '';"),
    ("remark", "main.py", "# old snake_key = 'VALUE'"),
    ("markdown", "docs/setup.md", "Set `snake_key: VALUE` in the file."),
    ("log", "app.log", "2026-01-01 12:00:00 INFO connecting snake_key=VALUE host=db"),
    ("powershell", "run.ps1", "$PascalKey = \"VALUE\""),
    ("gradle", "build.gradle", "    camelKey 'VALUE'"),
    ("npm-script", "package.json", "\"start\": \"UPPER_KEY=VALUE node index.js\""),
    ("compose", "docker-compose.yml", "services:\n  db:\n    environment:\n      - UPPER_KEY=VALUE\n      - TZ=UTC"),
    ("compose-map", "docker-compose.yml", "    environment:\n      UPPER_KEY: VALUE"),
    ("perl", "a.pl", "my $snake_key = 'VALUE';"),
    ("lua", "a.lua", "local snake_key = \"VALUE\""),
    ("scala", "A.scala", "val camelKey = \"VALUE\""),
    ("elixir", "config.exs", "config :app, snake_key: \"VALUE\""),
    ("clojure", "a.clj", "{:kebab-key \"VALUE\"}"),
    ("csv-like", "notes.txt", "snake key: VALUE"),
];

const KEYS: &[&str] = &[
    "password",
    "db password",
    "api key",
    "client secret",
    "auth token",
    "access token",
    "smtp password",
    "secret key",
    "redis passwd",
    "admin pwd",
    "private key",
    "jwt secret",
    "encryption key",
    "passphrase",
    "ftp pass",
    "webhook secret",
    "stripe api key",
    "aws secret access key",
    "session secret",
    "root password",
    "signing key",
    "ldap bind password",
];

/// Returns a key as a notation writes it.
fn write(key: &str, template: &str) -> String {
    let words: Vec<&str> = key.split(' ').collect();
    let pascal: String = words.iter().map(|word| word[..1].to_uppercase() + &word[1..]).collect();
    let camel = pascal[..1].to_lowercase() + &pascal[1..];
    template
        .replace("UPPER_KEY", &key.replace(' ', "_").to_uppercase())
        .replace("snake_key", &key.replace(' ', "_"))
        .replace("snake key", key)
        .replace("kebab-key", &key.replace(' ', "-"))
        .replace("dotted.key", &key.replace(' ', "."))
        .replace("PascalKey", &pascal)
        .replace("camelKey", &camel)
}

/// Returns a text as an added, removed or unchanged part of a diff, with other lines around it.
pub(super) fn as_diff(path: &str, text: &str, random: &mut Random) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let sign = random.pick(&["+", "-", " "]);
    let count = lines.len();
    let mut diff = format!(
        "diff --git a/{path} b/{path}\nindex {}..{} 100644\n--- a/{path}\n+++ b/{path}\n",
        random.hex(7),
        random.hex(7)
    );
    let (old, new) = match sign {
        "+" => (2, 2 + count),
        "-" => (2 + count, 2),
        _ => (3 + count, 2 + count),
    };
    diff += &format!("@@ -10,{old} +10,{new} @@ section\n");
    diff += " \n";
    if sign == " " {
        diff += "-removed line\n";
    }
    for line in lines {
        diff += &format!("{sign}{line}\n");
    }
    diff += " end\n";
    diff
}

/// Writes a value in the notation with the given index.
pub(super) fn written(number: usize, key: &str, value: &str) -> (&'static str, &'static str, String) {
    let (name, path, template) = NOTATIONS[number % NOTATIONS.len()];
    (name, path, write(key, template).replace("VALUE", value))
}

/// Returns the number of notations.
pub(super) fn count() -> usize {
    NOTATIONS.len()
}

/// Returns weak passwords after revealing keys, in every notation, as text and as diff.
pub(super) fn weak_cases() -> Vec<Case> {
    let mut random = Random::new(0x5eed_0001);
    let mut cases = Vec::new();
    for round in 0..18 {
        for number in 0..NOTATIONS.len() {
            let key = random.pick(KEYS);
            let value = random.weak_password();
            let (notation, path, text) = written(number, key, &value);
            let diff = round % 3 != 0;
            let text = if diff { as_diff(path, &text, &mut random) } else { text };
            cases.push(Case {
                class: format!("keyed: {key}"),
                notation: notation.to_owned(),
                path: path.to_owned(),
                diff,
                text,
                secrets: vec![value],
            });
        }
    }
    cases
}
