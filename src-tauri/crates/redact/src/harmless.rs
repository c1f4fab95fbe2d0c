//! Recognises values that only their file or their rule shows to be harmless: labels in files of translations, checksums, names of
//! objects, and cookies whose value is inserted later.

use super::code::{is_address, is_call, is_reference, is_wordy};
use super::cookies::{self, has_cookie};
use super::cursor::indent;
use super::encoded::is_pair_without_password;
use super::key_words::split;
use super::keyed;
use super::meanings::is_of_build;
use super::places::file_name;
use super::prose;
use super::published;
use super::translations::{is_escaped, is_label, is_translation};
use super::values::{is_placeholder, is_prose};
use super::words::{WORDS, Worth};

/// The names of the rules for the header of a request with credentials.
const AUTHORIZATION: &[&str] = &["authorization-header", "http-basic-authentication"];

/// The name of the rule for tokens behind `Bearer`, and the length of the shortest one that consists of small letters, in bytes.
const BEARER: &str = "bearer-token";
const SHORTEST_BEARER: usize = 20;

/// The name of the rules for the data of Kubernetes documents.
const KUBERNETES: &str = "kubernetes-secret-yaml";
/// `-----BEGIN CERT` in base64.
const CERTIFICATE: &[u8] = b"LS0tLS1CRUdJTiBDRVJU";
/// The name of the rule for passwords in addresses.
const ADDRESS: &str = "url-credentials";

/// The name of the rules for random values near the word.
const GENERIC: &str = "generic-secret";
/// The name of the rule for the keys and salts of WordPress.
const SALT: &str = "wordpress-salt";
/// The name of the rule for cells of tables.
const TABLE: &str = "html-table-password";
/// The name of the rule for headers with credentials.
pub(super) const HEADER: &str = "custom-header";

/// The name of the rules for passwords in connection strings.
pub(super) const CONNECTION: &str = "connection-string-password";

/// The name of the rule for tokens by their prefix.
const PREFIXED: &str = "prefixed-token";
/// The name of the rule for credentials of package registries.
const NPM: &str = "npm-auth";
/// The name of the rules for lines of `.netrc`.
const HEX_KEY: &str = "hex-private-key";
const NETRC: &str = "netrc-password";
/// The name of the rule for passwords in SQL.
const SQL: &str = "sql-password";

/// Files that package managers write, whose keys are the names of packages.
const LOCK_FILES: &[&str] = &[
    "yarn.lock",
    "pnpm-lock.yaml",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "bun.lock",
    "Cargo.lock",
    "poetry.lock",
    "uv.lock",
    "pdm.lock",
    "Pipfile.lock",
    "composer.lock",
    "Gemfile.lock",
    "go.sum",
    "mix.lock",
    "pubspec.lock",
    "Podfile.lock",
    "packages.lock.json",
    "gradle.lockfile",
    "flake.lock",
    "deno.lock",
];

/// The file that names the sources of users and passwords of a system: `passwd: files systemd`.
const SWITCH: &str = "nsswitch.conf";

/// The name of the number of a commit in a log.
const COMMIT: &[u8] = b"commit";
/// The words with which names of hashes end.
const HASHES: &[&str] = &["hash", "digest", "checksum", "fingerprint", "root", "topic"];

/// Returns the name that the value behind a text is assigned to, or nothing if there is no sign between the two.
pub(super) fn assigned_name(before: &[u8]) -> &[u8] {
    let name = before.trim_ascii_end();
    let signs = name.iter().rev().take_while(|byte| b" \t=:\"'`(<".contains(byte)).count();
    let name = &name[..name.len() - signs];
    let start = name.iter().rposition(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').map_or(0, |at| at + 1);
    if signs > 0 { &name[start..] } else { &[] }
}

/// Returns whether a value is assigned to the name of a hash: `TOKEN_LIST_HASH = "0x…"`.
fn has_name_of_hash(before: &[u8]) -> bool {
    split(assigned_name(before)).last().is_some_and(|last| HASHES.contains(&last))
}

/// Returns whether what a rule found behind `before` is harmless at this place.
pub(super) fn is_harmless(found: &[u8], before: &[u8], rule: &str, place: &str) -> bool {
    match rule {
        _ if published::is_public(found, before, place) => true,
        keyed::RULE | GENERIC if found.starts_with(CERTIFICATE) => true,
        keyed::RULE => {
            is_lock_file(place)
                || is_switch(place)
                || is_label(found) && (is_escaped(found) || is_translation(place))
                || is_checksum(found, before)
                || is_list_of_names(found)
                || is_remark(found)
                || is_dialogue(found)
                || is_of_build(before, place)
                || is_hash(found) && assigned_name(before) == COMMIT
                || is_address_of_example(found)
                || is_name_in_annotation(found, before)
        }
        prose::RULE => is_label(found) && is_translation(place) || is_in_changelog(found, before),
        GENERIC => {
            is_lock_file(place) || is_checksum(found, before) || is_commit(found, before) || has_name_of_hash(before)
        }
        SALT => is_prose(found),
        TABLE => is_wordy_cell(found),
        HEADER => {
            is_placeholder(found.strip_prefix(b"Bearer ").unwrap_or(found))
                || std::str::from_utf8(found).is_ok_and(is_address)
        }
        KUBERNETES => is_manifest_name(found),
        ADDRESS => is_port(found) || is_name_of_password(found, before),
        // A part of an address in XML has a rule of its own.
        CONNECTION if is_label(found) && is_translation(place) => true,
        CONNECTION
            if is_call(found) || [&b"&amp;password="[..], b"&amp;pwd="].iter().any(|key| before.ends_with(key)) =>
        {
            true
        }
        CONNECTION => found
            .split(|byte| *byte == b' ')
            .next()
            .is_some_and(|first| first.len() < found.len() && is_placeholder(first)),
        _ if rule.ends_with("connection-string") => has_placeholder_password(found),
        _ if rule.starts_with("aws-") => found.ends_with(b"EXAMPLE") || found.ends_with(b"EXAMPLEKEY"),
        // A key that is published.
        PREFIXED => found.starts_with(b"pk_") || found.starts_with(b"pub_"),
        NPM => is_placeholder(bare(found)),
        SQL => is_mention(found),
        // The type of a column: `login text, password varchar(60)`.
        NETRC => is_call(found),
        HEX_KEY => has_name_of_hash(before),
        cookies::RULE => !has_cookie(found),
        _ if is_pinned(found, before) => true,
        // `Bearer authentication`, `"Bearer "+token`
        BEARER => {
            found.iter().all(u8::is_ascii_lowercase) && found.len() < SHORTEST_BEARER
                || found.starts_with(b"+") && before.ends_with(b"\"")
        }
        _ if AUTHORIZATION.contains(&rule) => is_pair_without_password(found),
        _ => false,
    }
}

/// Returns whether the cell of a table has words only, or a reference to a value.
fn is_wordy_cell(found: &[u8]) -> bool {
    let text = String::from_utf8_lossy(found);
    is_prose(found) || is_reference(found) || text.chars().all(|char| char.is_alphabetic() || " /,-'’".contains(char))
}

/// Returns whether a value has the form of the number of a commit.
fn is_hash(value: &[u8]) -> bool {
    matches!(value.len(), 40 | 64) && value.iter().all(u8::is_ascii_hexdigit)
}

/// Returns whether a value is the number of the commit to which a dependency is pinned: `uses: owner/action@…`.
fn is_pinned(value: &[u8], before: &[u8]) -> bool {
    let name = before.strip_suffix(b"@").unwrap_or_default();
    let name = name.rsplit(|byte| byte.is_ascii_whitespace() || b"\"'".contains(byte)).next().unwrap_or_default();
    is_hash(value) && name.contains(&b'/') && !name.ends_with(b"/")
}

/// Returns whether a value is the number of a commit in an address: `https://host/project/commit/…`.
fn is_commit(value: &[u8], before: &[u8]) -> bool {
    is_hash(value)
        && [
            &b"/commit/"[..],
            b"/commits/",
            b"/tree/",
            b"/blob/",
            b"/raw/",
            b"/blame/",
            b"/compare/",
            b"..",
            b"/archive/",
        ]
        .iter()
        .any(|path| before.ends_with(path))
}

/// Returns whether a value is the number of the commit that ends an entry of a changelog: `* fix: mask the password (…)`. Between the name of a
/// secret and the bracket is a text of its own.
fn is_in_changelog(value: &[u8], before: &[u8]) -> bool {
    const COMMIT_DIGITS: usize = 40;
    let line = last_line(before);
    let Some(entry) = line.strip_suffix(b"`").unwrap_or(line).strip_suffix(b" (") else { return false };
    let Some(entry) = [&b"* "[..], b"- "].iter().find_map(|mark| entry.trim_ascii_start().strip_prefix(*mark)) else {
        return false;
    };
    // `fix: …`, `feat(auth)!: …`, `**core:** …`
    let kind = entry.split(|byte| *byte == b':').next().filter(|kind| kind.len() < entry.len());
    let last = entry.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
    value.len() == COMMIT_DIGITS
        && value.iter().all(u8::is_ascii_hexdigit)
        && (kind.is_some_and(|kind| !kind.contains(&b' ')) || WORDS.worth(last) == Worth::None)
}

fn last_line(text: &[u8]) -> &[u8] {
    memchr::memrchr(b'\n', text).map_or(text, |end| &text[end + 1..])
}

/// Returns whether a value is a checksum, as the line before it says: `checksum/secret: …` of Helm.
fn is_checksum(value: &[u8], before: &[u8]) -> bool {
    if !matches!(value.len(), 32 | 40 | 64) || !value.iter().all(u8::is_ascii_hexdigit) {
        return false;
    }
    let line = last_line(before);
    ["checksum", "sha256", "digest"].iter().any(|word| memchr::memmem::find(line, word.as_bytes()).is_some())
        || is_in_list_of_checksums(line, &before[..before.len() - line.len()])
}

/// Returns whether a line of a list of checksums begins before a value, as in the lock file of CocoaPods: the line above is its head or has
/// another checksum of the same length.
fn is_in_list_of_checksums(line: &[u8], above: &[u8]) -> bool {
    let Some(above) = above.strip_suffix(b"\n") else { return false };
    let above = last_line(above).trim_ascii_end();
    let is_checksum = |value: &[u8]| value.len() == 40 && value.iter().all(u8::is_ascii_hexdigit);
    let name = above.rsplit(|byte| *byte == b' ').next().filter(|value| is_checksum(value));
    let name = name.and_then(|value| above[..above.len() - value.len()].strip_suffix(b": "));
    above.ends_with(b"CHECKSUMS:")
        || name.is_some_and(|name| indent(name) == indent(line) && WORDS.worth(name.trim_ascii()) == Worth::None)
}

/// Returns whether a value is the rest of an expected dialogue in which a program fills in the passwords: `passwd chat = *password:* %n\n`.
fn is_dialogue(found: &[u8]) -> bool {
    found.starts_with(b"* %n") || found.starts_with(b"* %o")
}

fn is_switch(place: &str) -> bool {
    file_name(place) == SWITCH
}

fn is_lock_file(place: &str) -> bool {
    LOCK_FILES.contains(&file_name(place))
}

/// Returns whether a value in a Kubernetes document is the name of an object, or a certificate in base64.
fn is_manifest_name(value: &[u8]) -> bool {
    let value = value.strip_prefix(b"\"").unwrap_or(value);
    value.starts_with(CERTIFICATE) || std::str::from_utf8(value).is_ok_and(is_wordy)
}

/// Returns whether a value lists the names of secrets: `APP-ID,APP-KEY`.
fn is_list_of_names(value: &[u8]) -> bool {
    let is_name = |name: &[u8]| {
        let name = name.trim_ascii();
        let parts = || name.split(|byte| b"-_".contains(byte));
        parts().count() > 1
            && parts().all(|part| part.first().is_some_and(u8::is_ascii_uppercase))
            && name
                .iter()
                .all(|byte| !byte.is_ascii_lowercase() && (byte.is_ascii_alphanumeric() || b"-_".contains(byte)))
    };
    let names = value.strip_suffix(b",").unwrap_or(value);
    value.contains(&b',') && names.split(|byte| *byte == b',').all(is_name)
}

/// Returns whether a value is a remark behind an empty one: `#optional`.
fn is_remark(value: &[u8]) -> bool {
    value.strip_prefix(b"#").is_some_and(|word| word.iter().all(u8::is_ascii_alphabetic) && is_placeholder(word))
}

/// Returns whether a value names an object of Kubernetes behind the key of an annotation, which has a slash:
/// `nginx.ingress.kubernetes.io/auth-secret: default/basic-auth`.
fn is_name_in_annotation(value: &[u8], before: &[u8]) -> bool {
    let line = last_line(before);
    let line = line.strip_suffix(b"\"").or_else(|| line.strip_suffix(b"'")).unwrap_or(line);
    let key = line.trim_ascii_end().strip_suffix(b":").unwrap_or_default();
    let is_part =
        |part: &str| part.split('-').all(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase()));
    key.contains(&b'/')
        && key.ends_with(b"-secret")
        && std::str::from_utf8(value).is_ok_and(|value| value.split('/').all(is_part))
}

/// Returns a value without the punctuation of the sentence around it: "local_auth=True``." in a text.
fn bare(value: &[u8]) -> &[u8] {
    let end = value.iter().rposition(|byte| !b"`.,;:)\"'".contains(byte)).map_or(0, |at| at + 1);
    &value[..end]
}

/// Returns whether a value mentions a person: `identified by @name`.
fn is_mention(value: &[u8]) -> bool {
    value.strip_prefix(b"@").is_some_and(|name| name.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'-'))
}

/// Returns whether a value is an address that has no more than a user and a password that stand for these.
fn is_address_of_example(value: &[u8]) -> bool {
    memchr::memmem::find(value, b"://").is_some() && !value.contains(&b'=') && has_placeholder_password(value)
}

/// Returns whether the password of an address stands for one: `mongodb://<user>:<password>@host`.
fn has_placeholder_password(address: &[u8]) -> bool {
    let Some(end) = memchr::memrchr(b'@', address) else { return false };
    memchr::memrchr(b':', &address[..end]).is_some_and(|start| is_placeholder(&address[start + 1..end]))
}

/// Returns whether what follows a host and a colon is a port and a path: `8080/api/routers/name` before `@file`.
fn is_port(found: &[u8]) -> bool {
    let digits = found.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (2..=5).contains(&digits) && found.get(digits) == Some(&b'/')
}

/// Returns whether the password of an address has the name of one, like the user before it: `db_user:db_password`.
fn is_name_of_password(found: &[u8], before: &[u8]) -> bool {
    let Some(user) = before.strip_suffix(b":") else { return false };
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
    let user = &user[user.len() - user.iter().rev().take_while(|byte| is_part(byte)).count()..];
    let (user, password) = (split(user), split(found));
    user.len() > 1
        && user.len() == password.len()
        && user.iter().zip(password.iter()).take(user.len() - 1).all(|(one, other)| one == other)
        && matches!(user.last(), Some("user" | "username" | "name" | "login"))
        && matches!(password.last(), Some("password" | "pass" | "passwd" | "pwd" | "pw"))
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn labels_with_inserted_values_and_names_of_secrets_are_harmless() {
        check(
            "res/values-es-rAR/strings.xml",
            &[
                "<string name=\"auth_unauthorized\">Nombre de usuario o contraseña incorrecto</string>",
                "<string name=\"auth_token\">錯誤不詳：%1$s</string>",
                "<string name=\"password\">Kennwort von {name}</string>",
                "<string name=\"password\">⟦geheim%1x7⟧</string>",
            ],
        );
        check(
            ".github/workflows/build.yml",
            &[
                "secrets: \"GH-APP-ID,GH-APP-KEY\"",
                "secrets: \"GUEST-REGISTRY-USERNAME,GUEST-REGISTRY-PASSWORD\"",
                "secrets: \"⟦Kr7Zq2Vw9Xb4,Nc6Mf8Lh1Jt3⟧\"",
                "nginx.ingress.kubernetes.io/auth-secret: \"default/basic-auth\"",
                "nginx.ingress.kubernetes.io/auth-secret: other-auth",
                "auth-secret: \"⟦default/basic-auth7⟧\"",
            ],
        );
        check("a.md", &["-e ALLOW_PRIVATE_KEYS= `#optional` \\", "-e PRIVATE_KEY=⟦#geheim77⟧"]);
    }

    #[test]
    fn commits_of_a_changelog_and_labels_are_harmless() {
        check(
            "CHANGELOG.md",
            &[
                "* fix: mask the password in logs (`cd80df439797e1318f073ef7fe6c2ce5cd0d0a04`)",
                "* **auth:** encode the token (cd80df439797e1318f073ef7fe6c2ce5cd0d0a04)",
                "- hide the password of the proxy (cd80df439797e1318f073ef7fe6c2ce5cd0d0a04)",
                "- the token (`⟦cd80df439797e1318f073ef7fe6c2ce5cd0d0a04⟧`)",
            ],
        );
        check(
            "res/values/strings.xml",
            &[
                "<string name=\"password_hint\">Password</string>\n    <string name=\"cancel\">Cancel</string>",
                "<string name=\"pref_key_title\">API key</string>\n    <string name=\"cancel\">Cancel</string>",
            ],
        );
        check("a.plist", &["<key>Password</key>\n<string>⟦Cancel⟧</string>"]);
    }

    #[test]
    fn names_in_manifests_and_lock_files_are_harmless() {
        check("web/yarn.lock", &["\"path-key@npm:^5.0.0\":", "registry-auth-token: x5.0.0"]);
        check(
            "a.yml",
            &[
                "kind: Secret\nmetadata:\n  name: app\ndata:\n  tls.crt: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCi0tLS0t",
                "url: http://127.0.0.1:8080/api/routers/x@file",
            ],
        );
    }

    #[test]
    fn files_about_secrets_are_harmless() {
        check("etc/nsswitch.conf", &["passwd:         files systemd\nshadow: compat sss\npasswd_compat: nis"]);
        check("etc/other.conf", &["passwd: ⟦geheim7⟧"]);
        check("smb.conf", &["passwd chat = *Enter\\snew\\s*\\spassword:* %n\\n *password\\supdated* ."]);
        let vault = "6231336539666234306139346433616338376437376461363365363430623138\n".repeat(3);
        check(
            "vault.yml",
            &[
                &format!("$ANSIBLE_VAULT;1.1;AES256\n{vault}"),
                &format!(
                    "db_password: !vault |\n  $ANSIBLE_VAULT;1.2;AES256;prod\n  {}",
                    vault.trim_end().replace('\n', "\n  ")
                ),
            ],
        );
    }

    #[test]
    fn sentences_and_descriptions_are_harmless() {
        check(
            "a.rst",
            &[
                "Addressing typos identified by @marckhouzam\n",
                "SECRET_KEY = os.environ.get(\"SECRET_KEY\", default=None)",
                "return jsonify(token=generate_token(email, password))",
                "<input name=\"password\" required>\n<input type=\"submit\" value=\"Log In\">",
                "<add key=\"Password\" value=\"⟦geheim77⟧\" />",
            ],
        );
        check("a.yml", &["  -v $(pwd):/wrk -w /wrk"]);
        check("a.txt", &["We no longer need to pin jinja2 here", "Enter host password for user 'admin':"]);
        check(
            "a.py",
            &[
                "class TokenProxy(Token):\n    \"\"\"\n    A proxy of a token, 1x.\n    \"\"\"",
                "f(local_auth=True)``. See",
                "forced_auth = ForcedAuthentication(force_user, force_token)",
                "('authtoken', '0003_tokenproxy'),",
                "password = '⟦geheim⟧'",
            ],
        );
    }

    #[test]
    fn markup_binary_data_and_empty_credentials_are_harmless() {
        check(
            "a.html",
            &[
                "<a href=\"http://x.example/UsingJsr305CheckReturnValue\"><code>UsingJsr305CheckReturnValue</code></a>",
                "<password>⟦geheim77⟧</password>",
            ],
        );
        check(
            "a.py",
            &[
                "MovedAttribute(\"HTTPPasswordMgr\", \"urllib2\", \"urllib.request\"),",
                "h == {'Proxy-Authorization': 'Basic dXNlcjo='}",
                "h == {'Proxy-Authorization': 'Basic ⟦dXNlcjpodW50ZXIy⟧'}",
            ],
        );
        check("a.txt", &["\u{1}x-pw=\u{3}\u{7}a1b2c3\u{1c}d4", "x-pw=⟦a1b2c3ä4⟧"]);
    }

    #[test]
    fn labels_checksums_and_documented_examples_are_harmless() {
        let digest = "039e5db8dfaa6901e3e426f1dae5acb8c35db4b8cd1dd623edd5d9610c8a1bc6";
        check("de.lproj/Localizable.strings", &["\"password\" = \"Kennwort\";", "\"password\" = \"⟦geheim77⟧\";"]);
        check("res/values-de/strings.xml", &["<string name=\"password_repeat\">Passwort wiederholen</string>"]);
        check("locales/es.yml", &["contraseña: Contraseña (mín. 8)", "token: Ficha nº 2"]);
        check("messages_it.properties", &["error.password=La password deve avere almeno 8 caratteri"]);
        check("app.yaml", &[&format!("checksum/secret: {digest}"), &format!("client_secret: ⟦{digest}⟧")]);
        check("Podfile.lock", &["  SecretKit: 4857395e3dc3ebcaaedfcba397aed03fd873e77e"]);
        check(
            "pods.patch",
            &[
                "SPEC CHECKSUMS:\n  AccessKit: 4857395e3dc3ebcaaedfcba397aed03fd873e77e",
                "  Alamofire: f36a35757af4587d8e4f4bfa223ad10be2422b8c\n  AccessKit: 4857395e3dc3ebcaaedfcba397aed03fd873e77e",
                "  name: shop\n  AccessKey: ⟦4857395e3dc3ebcaaedfcba397aed03fd873e77e⟧",
            ],
        );
        check(
            "man/tool.1",
            &[
                ".B \\-p \\fIPASSWORD\\fR",
                "\\fB--password=\\fR\\fIpass\\fR",
                "\\-\\-token=\\fITOKEN\\fP",
                "password=⟦\\fI7ball⟧",
            ],
        );
        check(
            "docs/a.md",
            &[
                "mongodb://<username>:<password>@cluster0.host.example/",
                "https://&lt;user&gt;:&lt;password&gt;@git.host.example",
                "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE",
                "curl -H \"Authorization: Bearer ***\" https://api.host.example",
            ],
        );
        check("app.html", &["<p>https://&lt;user&gt;:&lt;password&gt;@host.example</p>"]);
        check(
            "app.env",
            &[
                "GIT_CREDENTIALS=https://<user>:<password>@git.host.example",
                "GIT_CREDENTIALS=⟦https://lea:Feder7ball@git.host.example⟧",
            ],
        );
        check("a.py", &["self.session = Session(user=user, password=password or self.prompt_password())"]);
    }
}
