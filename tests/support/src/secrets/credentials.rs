//! Files in which programs store credentials.

use super::notations::as_diff;
use super::{Case, Random};

type Make = fn(&str, &mut Random) -> String;

/// The path of each file, and a function that creates its content around a password.
const FILES: &[(&str, Make)] = &[
    (".netrc", |p, _| format!("machine api.example.org\n  login deploy\n  password {p}\n")),
    ("home/.netrc", |p, _| format!("machine git.example.org login bot password {p}")),
    (".pgpass", |p, _| format!("# host:port:db:user:password\ndb.example.org:5432:shop:app:{p}\n")),
    (".npmrc", |p, r| {
        format!("registry=https://npm.example.org/\n//npm.example.org/:_authToken={p}{}\nemail=a@b.c\n", r.hex(20))
    }),
    (".npmrc", |p, _| format!("//npm.example.org/:_password={p}\n//npm.example.org/:username=bot\n")),
    (".htpasswd", |_, r| format!("admin:$apr1${}${}\n", r.alnum(8), r.alnum(22))),
    ("etc/shadow", |_, r| format!("root:$6${}${}:18000:0:99999:7:::\n", r.alnum(8), r.alnum(86))),
    (".git-credentials", |p, _| format!("https://bot:{p}@git.example.org\n")),
    (".my.cnf", |p, _| format!("[client]\nuser=root\npassword={p}\n")),
    (".pypirc", |p, _| format!("[pypi]\nusername = bot\npassword = {p}\n")),
    (".aws/credentials", |_, r| format!("[default]\naws_secret_access_key = {}\n", r.base64(40))),
    (".s3cfg", |_, r| format!("[default]\naccess_key = x\nsecret_key = {}\n", r.base64(40))),
    (".boto", |_, r| format!("[Credentials]\ngs_secret_access_key = {}\n", r.base64(40))),
    (".docker/config.json", |p, _| {
        format!("{{\"auths\": {{\"r.example.org\": {{\"auth\": \"{}\"}}}}}}", base64(&format!("bot:{p}")))
    }),
    (".dockercfg", |p, _| {
        format!("{{\"r.example.org\": {{\"auth\": \"{}\", \"email\": \"a@b.c\"}}}}", base64(&format!("bot:{p}")))
    }),
    ("wp-config.php", |p, _| format!("<?php\ndefine('DB_USER', 'wp');\ndefine('DB_PASSWORD', '{p}');\n")),
    ("wp-config.php", |_, r| format!("define( 'LOGGED_IN_SALT', '{}|;z+Q' );\n", r.alnum(50))),
    ("config/database.yml", |p, _| format!("production:\n  adapter: postgresql\n  username: app\n  password: {p}\n")),
    ("config/secrets.yml", |_, r| format!("production:\n  secret_key_base: {}\n", r.hex(128))),
    ("config/master.key", |_, r| r.hex(32)),
    ("filezilla.xml", |p, _| {
        format!("<Server><Host>h</Host><User>u</User><Pass encoding=\"base64\">{}</Pass></Server>", base64(p))
    }),
    ("sftp-config.json", |p, _| {
        format!("{{\n  \"host\": \"h\",\n  \"user\": \"u\",\n  \"password\": \"{p}\",\n  \"port\": 22\n}}")
    }),
    ("web.config", |p, _| {
        format!(
            "<connectionStrings><add name=\"a\" connectionString=\"Server=db;User Id=sa;Password={p};\" /></connectionStrings>"
        )
    }),
    ("k8s/secret.yaml", |p, _| {
        format!("apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  password: {}\n", base64(p))
    }),
    ("k8s/secret.yaml", |p, _| format!("kind: Secret\nstringData:\n  admin-login: {p}\n")),
    ("settings.xml", |p, _| {
        format!("<servers><server><id>r</id><username>u</username><password>{p}</password></server></servers>")
    }),
    ("gradle.properties", |p, _| format!("signing.keyId=ABCD\nsigning.password={p}\n")),
    ("nginx/.htpasswd", |_, r| format!("me:{{SHA}}{}=\n", r.base64(27))),
    ("proftpdpasswd", |_, r| format!("ftp:$1${}${}:1001:1001::/srv:/bin/false\n", r.alnum(8), r.alnum(22))),
    ("redis.conf", |p, _| format!("bind 0.0.0.0\nrequirepass {p}42\n")),
    ("muttrc", |p, _| format!("set imap_user=me\nset imap_pass=\"{p}\"\n")),
    (".esmtprc", |p, _| format!("username = \"me\"\npassword = \"{p}\"\n")),
    ("ventrilo_srv.ini", |p, _| format!("[Server]\nName=x\nAdminPassword={p}\n")),
    ("unattend.xml", |p, _| {
        format!("<AutoLogon><Password><Value>{p}</Value><PlainText>true</PlainText></Password></AutoLogon>")
    }),
    ("ansible/hosts", |p, _| format!("web ansible_host=10.0.0.1 ansible_user=root ansible_ssh_pass={p}\n")),
    ("wpa_supplicant.conf", |p, _| format!("network={{\n  ssid=\"home\"\n  psk=\"{p}\"\n}}\n")),
    ("wg0.conf", |_, r| format!("[Interface]\nPrivateKey = {}=\n", r.base64(43))),
    ("openvpn/auth.txt", |p, _| format!("user\npassword: {p}\n")),
    ("router.cfg", |_, r| format!("enable secret 5 $1${}${}\n", r.alnum(4), r.alnum(22))),
    ("cookies.http", |_, r| format!("GET / HTTP/1.1\nCookie: theme=dark; session={}; lang=de\n", r.hex(32))),
    ("request.sh", |p, _| format!("curl -u admin:{p}9 https://api.example.org/v1\n")),
    ("request.sh", |_, r| format!("curl -H 'X-Api-Key: {}' https://api.example.org\n", r.alnum(32))),
    ("backup.sh", |p, _| format!("mysqldump -u root -p{p} shop > dump.sql\n")),
    ("history", |p, _| format!("sshpass -p '{p}' ssh root@host\n")),
    ("login.sh", |p, _| format!("docker login -u bot -p {p} r.example.org\n")),
    ("robomongo.json", |p, _| format!("{{\"userName\": \"a\", \"userPassword\": \"{p}\"}}")),
    ("recentservers.xml", |p, _| format!("<Server><Host>h</Host><Pass>{p}</Pass></Server>")),
    ("jupyter.json", |_, r| format!("{{\"NotebookApp\": {{\"password\": \"sha1:{}:{}\"}}}}", r.hex(12), r.hex(40))),
    ("heroku.json", |_, r| format!("{{\"HEROKU_API_KEY\": \"{}\"}}", r.uuid())),
];

/// Encodes a text as Base64.
pub fn base64(text: &str) -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in text.as_bytes().chunks(3) {
        let number = three.iter().fold(0u32, |number, byte| number << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for index in 0..4 {
            if index <= three.len() {
                out.push(char::from(ALPHABET[(number >> (18 - 6 * index)) as usize & 63]));
            } else {
                out.push('=');
            }
        }
    }
    out
}

/// Returns the cases, each with the password, its Base64 form or a token derived from it as the secret.
pub(super) fn cases() -> Vec<Case> {
    let mut random = Random::new(0x5eed_0004);
    let mut cases = Vec::new();
    for round in 0..16 {
        for (path, make) in FILES {
            let password = random.weak_password() + &random.hex(2);
            let seed = random.below(usize::MAX);
            let text = make(&password, &mut Random::new(seed));
            let plain = text.contains(&password);
            let encoded = base64(&password);
            let secret = if plain {
                password
            } else if text.contains(&encoded) {
                encoded
            } else {
                longest_token(&text)
            };
            let diff = round % 2 == 0;
            let text = if diff { as_diff(path, text.trim_end_matches('\n'), &mut random) } else { text };
            cases.push(Case {
                class: format!("file: {path}"),
                notation: "file".to_owned(),
                path: (*path).to_owned(),
                diff,
                text,
                secrets: vec![secret],
            });
        }
    }
    cases
}

/// Returns the generated part of a text that does not contain the password: its longest run of letters and digits.
fn longest_token(text: &str) -> String {
    let is_token = |char: char| char.is_ascii_alphanumeric() || "+/-".contains(char);
    text.split(|char| !is_token(char)).max_by_key(|part| part.len()).unwrap_or_default().to_owned()
}
