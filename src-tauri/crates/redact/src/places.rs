//! Classifies files by name: settings files, whose values are plain text, and credential files, whose secrets are at fixed places.

use super::blocks;
use super::span::Span;
use super::types::RedactionReason;
use super::values::{Bare, is_placeholder};

/// The rule's name in reports and markers.
const RULE: &str = "credential-file";

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    /// How an unquoted value in the file is read.
    pub(super) bare: Bare,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Other,
    /// `host:port:database:user:password`
    Pgpass,
    /// `user:hash` and more fields.
    Passwd,
    /// `user:uid:hash:hash` and more fields.
    Smbpasswd,
    /// `login x password y`, possibly over several lines.
    Netrc,
    /// A single secret, alone in its file.
    Bare,
    /// `user:secret`, or one secret on each line.
    Pair,
    /// A user on the first line, and the secret on the second.
    Lines,
    /// `client server secret addresses`
    Chap,
    /// `server user:secret`
    Sasl,
    /// `host : KIND "secret"`
    Ipsec,
    /// `user name on >password #hash ~keys`
    RedisAcl,
    /// `option key 'secret'`
    Uci,
    /// `PrivateExponent: base64`
    Dnssec,
    /// A key as text. Its first and last lines may be missing.
    Key,
}

/// Extensions of files with private keys.
const KEYS: &[&str] = &["key", "pem", "pk8", "p8", "ppk", "jks", "p12", "pfx", "keystore", "bks", "sec"];

/// Names of files with private keys, without an extension.
const KEY_NAMES: &[&str] = &["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "identity"];

/// Parts of the names of files whose keys are public.
const PUBLIC: &[&str] = &["pub", "cert", "crt", "chain", "ca.", "root"];

/// The options of OpenWrt's settings of a wireless network that are secrets.
const UCI_KEYS: &[&[u8]] = &[b"option key ", b"option sae_password ", b"option auth_secret ", b"option password "];

/// The length of the shortest line of a key that is read without its first and last lines.
const MIN_KEY_LINE: usize = 40;

const PLAIN_ENDS: &[&str] = &[
    ".env",
    ".ini",
    ".cfg",
    ".conf",
    ".cnf",
    ".properties",
    ".toml",
    ".yaml",
    ".yml",
    ".sls",
    ".tfvars",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".gitconfig",
    ".dockercfg",
    "credentials",
    ".secret",
    ".secrets",
    ".envrc",
    ".service",
    ".pgpass",
    ".s3cfg",
    ".htpasswd",
    ".ovpn",
    ".boto",
    ".muttrc",
    ".esmtprc",
    ".rc",
    "rc",
    ".props",
    ".prefs",
    ".inf",
    ".reg",
    ".htaccess",
    ".ldif",
    ".nmconnection",
    ".rsc",
    ".ks",
    ".preseed",
    ".rdp",
    ".remmina",
    ".vpnc",
    ".passwd",
    ".htdigest",
    "kubeconfig",
];

/// Extensions of source code, where an unquoted value is code.
const SOURCE: &[&str] = &[
    "rs", "go", "py", "pyi", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "vue", "svelte", "java", "kt",
    "kts", "scala", "groovy", "gradle", "c", "h", "cc", "cpp", "cxx", "hpp", "m", "mm", "cs", "fs", "vb", "swift",
    "dart", "rb", "erb", "php", "pl", "pm", "lua", "r", "jl", "ex", "exs", "erl", "hs", "ml", "clj", "cljs", "sol",
    "zig", "nim", "sql", "graphql", "gql", "proto", "css", "scss", "less", "svg", "twig", "jinja", "j2", "tmpl", "hbs",
    "ejs", "pug", "haml", "asm", "s", "v", "sv", "vhd", "bicep", "cue", "nix", "jsonnet", "rego", "cmake", "g4", "y",
    "yy", "peg", "pest", "abap", "cob", "cbl", "f90", "pas", "adb", "ads", "lisp", "el", "rkt", "cr", "elm", "coffee",
    "astro", "cshtml", "razor", "jsp", "ino", "cu", "wgsl", "glsl", "snap",
];

/// Extensions of settings that are written like source code.
const DATA: &[&str] = &[
    "json",
    "json5",
    "ipynb",
    "xml",
    "html",
    "htm",
    "tf",
    "hcl",
    "config",
    "plist",
    "csproj",
    "pubxml",
    "targets",
    "resx",
    "xaml",
    "jsonc",
    "tfstate",
    "nomad",
    "webloc",
    "mobileconfig",
    "jmx",
    "har",
];

/// Returns whether a text has a block of something else than a private key, such as a certificate.
fn has_public_block(text: &[u8]) -> bool {
    memchr::memmem::find_iter(text, b"-----BEGIN ").any(|at| {
        let line = text[at..].split(|byte| *byte == b'\n').next().unwrap_or_default();
        memchr::memmem::find(line, b"PRIVATE KEY").is_none()
    })
}

/// Returns whether a file has a public key or a certificate, by its name.
pub(super) fn is_public(place: &str) -> bool {
    let name = place.rsplit(['/', '\\']).next().unwrap_or(place).to_ascii_lowercase();
    PUBLIC.iter().any(|part| name.contains(part))
}

/// Returns the kind of a file by the last component of its path.
pub(super) fn kind(place: &str) -> Kind {
    let name = place.rsplit(['/', '\\']).next().unwrap_or(place).to_ascii_lowercase();
    let form = match name.as_str() {
        ".pgpass" | "pgpass.conf" | "pgpass" => Form::Pgpass,
        ".netrc" | "_netrc" | "netrc" | ".authinfo" => Form::Netrc,
        "shadow" | "gshadow" | "passwd" | "master.passwd" | "shadow-" | "htpasswd" | "proftpdpasswd" | "users.db" => {
            Form::Passwd
        }
        "smbpasswd" => Form::Smbpasswd,
        "master.key"
        | "secret_key_base"
        | ".vault_pass"
        | ".vault-token"
        | "vault_pass.txt"
        | "hudson.util.secret"
        | "credentials.key"
        | "pam_ldap.secret"
        | "ldap.secret"
        | "libnss-ldap.secret"
        | ".erlang.cookie"
        | ".google_authenticator"
        | "api_key.txt"
        | "token.txt"
        | "password.txt"
        | "secret.txt" => Form::Bare,
        "rsyncd.secrets" | "passwords.txt" | "passwords.lst" => Form::Pair,
        "auth.txt"
        | "auth-user-pass"
        | "auth-user-pass.txt"
        | "userpass.txt"
        | "vpn-auth.txt"
        | "openvpn-auth.txt"
        | "vpn.auth"
        | "login.conf"
        | "pia-credentials"
        | "vpn-credentials.txt" => Form::Lines,
        "chap-secrets" | "pap-secrets" => Form::Chap,
        "sasl_passwd" => Form::Sasl,
        "ipsec.secrets" => Form::Ipsec,
        "users.acl" | "redis.acl" => Form::RedisAcl,
        "wireless" => Form::Uci,
        name if name.ends_with(".keyfile") => Form::Bare,
        name if name.ends_with(".auth_private") => Form::Sasl,
        name if name.starts_with('k') && name.ends_with(".private") => Form::Dnssec,
        name if is_key(name) => Form::Key,
        name if name.ends_with(".htpasswd") || name.ends_with("passwd") && !name.contains('.') => Form::Passwd,
        name if name.ends_with(".pgpass") => Form::Pgpass,
        _ => Form::Other,
    };
    let plain = PLAIN_ENDS.iter().any(|end| name.ends_with(end))
        || name.starts_with(".env")
        || name.starts_with("env.")
        || ["interfaces", "fstab", "hosts", "inventory", "config"].contains(&name.as_str())
        || name == "dockerfile"
        || name == "makefile"
        || name.ends_with(".mk");
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let bare = if plain || form != Form::Other {
        Bare::Plain
    } else if SOURCE.contains(&extension) {
        Bare::Code
    } else if DATA.contains(&extension) {
        Bare::Data
    } else {
        Bare::Text
    };
    Kind { bare, form }
}

/// Returns whether a text has two lines of one word each.
fn has_two_words(text: &[u8]) -> bool {
    let lines = || text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end).filter(|line| !line.is_empty());
    lines().count() == 2 && lines().all(|line| line.iter().all(u8::is_ascii_graphic))
}

/// Returns whether each line of a text is the entry of a user, a section or a remark. Programs and their manuals are named `passwd`, too.
fn has_entries_of_users(text: &[u8]) -> bool {
    let is_entry = |line: &[u8]| {
        let name = line.iter().take_while(|byte| byte.is_ascii_graphic() && **byte != b':').count();
        let behind = &line[name..];
        let has_field = matches!(behind, [b':', next, ..] if !next.is_ascii_whitespace()) || behind.starts_with(b":");
        line.starts_with(b"[")
            || name > 0 && (has_field && !behind.starts_with(b": ") || behind.starts_with(b" = ") && behind.len() > 3)
    };
    let mut lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
    lines.all(|line| line.is_empty() || line.starts_with(b"#") || is_entry(line))
}

/// Returns whether a file has a private key, by its name.
fn is_key(name: &str) -> bool {
    let keys = KEY_NAMES.contains(&name)
        || name.rsplit_once('.').is_some_and(|(_, extension)| KEYS.contains(&extension))
        || name.contains("private") && name.ends_with(".asc")
        || ["_key", "-key", "privkey"].iter().any(|end| name.ends_with(end));
    keys && !is_public(name)
}

impl Kind {
    /// Adds the secrets of a credential file.
    pub(super) fn find(self, text: &[u8], spans: &mut Vec<Span>) {
        if self.form == Form::Other {
            return;
        }
        // The first line of a block says what it has. A later hunk may begin in the middle of a private one.
        let is_other = match self.form {
            Form::Key => has_public_block(text),
            Form::Lines => !has_two_words(text),
            Form::Passwd => !has_entries_of_users(text),
            _ => false,
        };
        if is_other {
            return;
        }
        let mut at = 0;
        // The public lines of PuTTY's files.
        let mut public = false;
        // Whether the line of the user was read.
        let mut user = false;
        for line in text.split(|byte| *byte == b'\n') {
            public = (public || line.starts_with(b"Public-Lines: ")) && !line.starts_with(b"Private-Lines: ");
            let start = at;
            at += line.len() + 1;
            let line = line.trim_ascii_end();
            if line.starts_with(b"#") || line.is_empty() || public {
                continue;
            }
            if self.form == Form::Lines && !user {
                user = true;
                continue;
            }
            for (from, to) in self.secrets(line) {
                if from < to && !is_placeholder(&line[from..to]) {
                    spans.push(
                        Span::new(start + from, start + to, RULE.into()).because(RedactionReason::CredentialFile),
                    );
                }
            }
        }
    }

    fn secrets(self, line: &[u8]) -> Vec<(usize, usize)> {
        let field = |number: usize| {
            let mut from = 0;
            for _ in 0..number {
                from += line[from..].iter().position(|byte| *byte == b':')? + 1;
            }
            Some(from)
        };
        let until = |from: usize| line[from..].iter().position(|byte| *byte == b':').map_or(line.len(), |at| from + at);
        match self.form {
            Form::Pgpass => field(4).map(|from| vec![(from, line.len())]).unwrap_or_default(),
            Form::Passwd => {
                // Subversion: `harry = …`.
                let assigned = memchr::memmem::find(line, b" = ").map(|at| vec![(at + 3, line.len())]);
                field(1).map(|from| vec![(from, until(from))]).or(assigned).unwrap_or_default()
            }
            Form::Smbpasswd => {
                let hashes = [2, 3].into_iter().filter_map(field).map(|from| (from, until(from)));
                hashes.filter(|&(from, to)| line[from..to].iter().any(u8::is_ascii_digit)).collect()
            }
            Form::Netrc => after_word(line, &[b"password", b"account"]),
            Form::Lines => vec![(0, line.len())],
            Form::Bare => {
                let from = indent(line);
                let bare = !line[from..].iter().any(|byte| byte.is_ascii_whitespace());
                if bare && line.len() - from >= 6 { vec![(from, line.len())] } else { Vec::new() }
            }
            Form::Pair => {
                let from = field(1).unwrap_or(0);
                vec![(from + indent(&line[from..]), line.len())]
            }
            Form::Chap => word(line, 2).into_iter().collect(),
            Form::Sasl => {
                let colon = line.iter().rposition(|byte| *byte == b':');
                colon.map(|at| (at + 1, line.len())).into_iter().collect()
            }
            Form::Ipsec => {
                let close = line.iter().rposition(|byte| *byte == b'"');
                let open = close.and_then(|close| line[..close].iter().rposition(|byte| *byte == b'"'));
                open.zip(close).map(|(open, close)| (open + 1, close)).into_iter().collect()
            }
            Form::RedisAcl => line
                .split(u8::is_ascii_whitespace)
                .filter(|word| word.len() > 1 && matches!(word[0], b'>' | b'#' | b'<' | b'!'))
                .map(|word| {
                    let from = word.as_ptr() as usize - line.as_ptr() as usize;
                    (from + 1, from + word.len())
                })
                .collect(),
            Form::Uci => {
                let from = indent(line);
                let is_key = UCI_KEYS.iter().find(|key| line[from..].starts_with(key));
                let quoted = |from: usize| {
                    let value = &line[from..];
                    let quotes = usize::from(
                        value.len() > 1 && matches!(value[0], b'\'' | b'"') && value.last() == value.first(),
                    );
                    (from + quotes, line.len() - quotes)
                };
                is_key.map(|key| quoted(from + key.len())).into_iter().collect()
            }
            Form::Dnssec => {
                let name = line.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
                let public = [&b"Modulus"[..], b"PublicExponent", b"Algorithm", b"Created", b"Publish", b"Activate"];
                let value = line[name..].strip_prefix(b": ").filter(|_| !public.contains(&&line[..name]));
                value
                    .filter(|value| value.len() >= 16)
                    .map(|value| (line.len() - value.len(), line.len()))
                    .into_iter()
                    .collect()
            }
            Form::Key => {
                let from = indent(line);
                let long = line.len() - from >= MIN_KEY_LINE && !line[from..].contains(&b' ');
                if long && blocks::is_body(line) { vec![(from, line.len())] } else { Vec::new() }
            }
            Form::Other => Vec::new(),
        }
    }
}

/// Returns the number of blanks at the start of a line.
fn indent(line: &[u8]) -> usize {
    line.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// Returns the range of the word with an index. Quotes around a word with blanks do not belong to it.
fn word(line: &[u8], index: usize) -> Option<(usize, usize)> {
    let mut at = 0;
    for number in 0.. {
        at += indent(&line[at..]);
        let rest = line.get(at..).filter(|rest| !rest.is_empty())?;
        let quote = rest.first().filter(|byte| b"\"'".contains(byte));
        let closed = quote.and_then(|quote| rest[1..].iter().position(|byte| byte == quote));
        let (from, to, next) = match closed {
            Some(length) => (at + 1, at + 1 + length, at + length + 2),
            None => {
                let length = rest.iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
                (at, at + length, at + length)
            }
        };
        if number == index {
            return Some((from, to));
        }
        at = next;
    }
    None
}

/// Returns the word after each of the given words.
fn after_word(line: &[u8], words: &[&[u8]]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut wanted = false;
    for part in line.split(|byte| byte.is_ascii_whitespace()) {
        if wanted && !part.is_empty() {
            found.push((at, at + part.len()));
            wanted = false;
        } else if words.contains(&part) {
            wanted = true;
        }
        at += part.len() + 1;
    }
    found
}

#[cfg(test)]
mod tests {
    #[test]
    fn programs_named_like_files_of_passwords_are_no_such_files() {
        crate::testing::check(
            "etc/passwd",
            &[
                "root:⟦kirschgarten7⟧:0:0:root of all:/root:/bin/sh\ndaemon:x:1:1::/:/bin/false\n",
                "[users]\nharry = ⟦kirschgarten⟧\n",
            ],
        );
        crate::testing::check(
            "cmd/passwd",
            &[
                "usage: passwd [options]\n",
                "local cur:prev2\nroot:kirschgarten7\n",
                "if x: return7\n",
                "NAME: passwd7\n",
            ],
        );
    }

    use super::*;

    #[test]
    fn files_of_credentials_are_known_by_their_names() {
        for (place, line, secret) in [
            ("home/.pgpass", "db:5432:app:me:ge:heim", "ge:heim"),
            ("etc/shadow", "root:$6$ab$cd:1:2:::", "$6$ab$cd"),
            ("web/.htpasswd", "me:geheimhash", "geheimhash"),
            ("home/.netrc", "machine h login l password geheim", "geheim"),
            ("etc/rsyncd.secrets", "backup:geheim7", "geheim7"),
            ("etc/ppp/chap-secrets", "ops * geheim7 *", "geheim7"),
            ("etc/ppp/pap-secrets", "\"ops\" * \"ge heim 7\" 10.0.0.1", "ge heim 7"),
            ("svn/conf/passwd", "harry = geheim7", "geheim7"),
            ("etc/postfix/sasl_passwd", "[mail.x.org]:587 me@x.org:geheim7", "geheim7"),
            ("etc/ipsec.secrets", "%any %any : PSK \"ge heim\"", "ge heim"),
            (
                "keys/server.key",
                "T4dfVguNf/rQdOHOIQh+GLRSXMD9E6DVqFpHt8EEoE9M45XQ0TeVQdJ729kjbgfC",
                "T4dfVguNf/rQdOHOIQh+GLRSXMD9E6DVqFpHt8EEoE9M45XQ0TeVQdJ729kjbgfC",
            ),
            ("openvpn/auth.txt", "ops\ngeheim-leitung", "geheim-leitung"),
            ("etc/redis/users.acl", "user app on >geheim ~app:* +@all", "geheim"),
            ("etc/config/wireless", "\toption key 'Geheim 12'", "Geheim 12"),
            (
                "Kex.org.+008+12345.private",
                "Prime1: pPKY5ojRAs8xj+KJ31q9rxmfjOEF5v0DHc+554e8ATs=",
                "pPKY5ojRAs8xj+KJ31q9rxmfjOEF5v0DHc+554e8ATs=",
            ),
            ("config/master.key", "0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef"),
        ] {
            let mut spans = Vec::new();
            kind(place).find(line.as_bytes(), &mut spans);
            let found: Vec<&str> = spans.iter().map(|span| &line[span.start..span.end]).collect();
            assert_eq!(found, [secret], "{place}");
        }
    }
}
