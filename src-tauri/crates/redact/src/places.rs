//! Classifies files by name: settings files, whose values are plain text, and credential files, whose secrets are at fixed places
//! (`credential_files.rs`).

use super::values::Bare;

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    /// How an unquoted value in the file is read.
    pub(super) bare: Bare,
    pub(super) form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
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
    /// The same, if the file has nothing else. Texts of mails have such names, too.
    Only,
    /// `user:secret`, or one secret on each line.
    Pair,
    /// A user on the first line, and the secret on the second.
    Lines,
    /// `"user" "secret"`
    Userlist,
    /// `password …` with the rest of its line.
    Msmtp,
    /// `user … password …`, possibly with other options behind it.
    Fetchmail,
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
    /// `100 => secret,name,address`
    Voicemail,
    /// `user: secret, role` or `user = secret,role`
    Realm,
    /// A key as text. Its first and last lines may be missing.
    Key,
}

/// The ends of the names of files with the users of Java servers.
const REALMS: &[&str] = &["realm.properties", "jetty-users.properties", "login.properties"];

/// Extensions of files with private keys.
const KEYS: &[&str] = &["key", "pem", "pk8", "p8", "ppk", "jks", "p12", "pfx", "keystore", "bks", "sec"];

/// Names of files with private keys, without an extension.
const KEY_NAMES: &[&str] = &["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "identity"];

/// Parts of the names of files whose keys are public.
const PUBLIC: &[&str] = &["pub", "cert", "crt", "chain", "ca.", "root"];

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
    "s3cfg",
    "gitconfig",
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

/// Returns the name of the file at a place.
pub(super) fn file_name(place: &str) -> &str {
    place.rsplit(['/', '\\']).next().unwrap_or(place)
}

/// Returns whether a file has a public key or a certificate, by its name.
pub(super) fn is_public(place: &str) -> bool {
    let name = file_name(place).to_ascii_lowercase();
    PUBLIC.iter().any(|part| name.contains(part))
}

/// Returns the kind of a file by the last component of its path.
pub(super) fn kind(place: &str) -> Kind {
    let name = file_name(place).to_ascii_lowercase();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
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
        | "vpn-credentials.txt"
        | "credentials.txt"
        | "creds.txt"
        | "login.txt"
        | "pass.txt"
        | "userpass"
        | "user-pass.txt" => Form::Lines,
        "userlist.txt" => Form::Userlist,
        ".msmtprc" | "msmtprc" => Form::Msmtp,
        ".fetchmailrc" | "fetchmailrc" => Form::Fetchmail,
        "chap-secrets" | "pap-secrets" => Form::Chap,
        "sasl_passwd" => Form::Sasl,
        "ipsec.secrets" => Form::Ipsec,
        "users.acl" | "redis.acl" => Form::RedisAcl,
        "wireless" => Form::Uci,
        "voicemail.conf" => Form::Voicemail,
        name if REALMS.iter().any(|end| name.ends_with(end)) => Form::Realm,
        name if name.ends_with(".keyfile") => Form::Bare,
        name if is_named_secret(name) => Form::Only,
        name if name.ends_with(".auth_private") => Form::Sasl,
        name if name.starts_with('k') && name.ends_with(".private") => Form::Dnssec,
        name if is_key(name) => Form::Key,
        name if name.ends_with(".htpasswd") || name.ends_with("passwd") && !name.contains('.') => Form::Passwd,
        name if name.starts_with("htpasswd") && !SOURCE.contains(&extension) => Form::Passwd,
        name if name.ends_with(".pgpass") => Form::Pgpass,
        name if is_login_of_vpn(place, name) => Form::Lines,
        _ => Form::Other,
    };
    let plain = PLAIN_ENDS.iter().any(|end| name.ends_with(end))
        || name.starts_with(".env")
        || name.starts_with("env.") && !SOURCE.contains(&extension)
        || ["interfaces", "fstab", "hosts", "inventory", "config"].contains(&name.as_str())
        || name == "dockerfile"
        || name == "makefile"
        || name.ends_with(".mk");
    let bare = if plain || !matches!(form, Form::Other | Form::Only) {
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

/// Returns whether a file of a private network has the name of a user and a password, by its path.
fn is_login_of_vpn(place: &str, name: &str) -> bool {
    const PARTS: &[&str] = &["auth", "pass", "login", "cred", "user"];
    const EXTENSIONS: &[&str] = &["", "txt", "auth", "pass", "conf", "cred", "creds"];
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_named = extension == "txt" || PARTS.iter().any(|part| name.contains(part));
    is_named && EXTENSIONS.contains(&extension) && place.to_ascii_lowercase().contains("vpn")
}

/// Returns whether a file has one secret, by its name: `db_password.txt`, `token-staging.txt`.
fn is_named_secret(name: &str) -> bool {
    const SECRETS: &[&str] = &["password", "passwd", "passphrase", "token", "secret"];
    let mut words = name.strip_suffix(".txt").unwrap_or_default().split(['_', '-', '.']);
    let first = words.next().unwrap_or_default();
    words.next_back().is_some_and(|last| SECRETS.contains(&first) || SECRETS.contains(&last))
}

/// Returns whether a file has a private key, by its name.
fn is_key(name: &str) -> bool {
    let keys = KEY_NAMES.contains(&name)
        || name.rsplit_once('.').is_some_and(|(_, extension)| KEYS.contains(&extension))
        || name.contains("private") && name.ends_with(".asc")
        || ["_key", "-key", "privkey"].iter().any(|end| name.ends_with(end));
    keys && !is_public(name)
}
