//! Finds the passwords among the arguments of known functions: `setPassword("…")`, `login(user, "…")`. The functions are data
//! (`config/redaction/commands.toml`).

use std::borrow::Cow;

use serde::Deserialize;

use super::arguments::{arguments, last_name, open_list, strings};
use super::code::is_release;
use super::compares;
use super::cursor::line_start;
use super::named_calls;
use super::obvious::is_sequence;
use super::phrase::{is_app_password, is_chosen_name, is_mnemonic, is_unlike_names};
use super::span::Span;
use super::types::RedactionReason;
use super::values::{is_placeholder, is_prose, looks_random};
use super::words::{WORDS, Worth};

pub(super) const RULE: &str = "call-argument";

/// The lengths in bytes of a password that is a word.
const MIN_WORD: usize = 5;
const MAX_WORD: usize = 32;

/// Functions, and the position of their secret.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    names: Vec<String>,
    #[serde(default)]
    secret: i32,
    #[serde(default)]
    compares: bool,
    #[serde(default)]
    certain: bool,
    #[serde(default)]
    least: usize,
    #[serde(default)]
    strict: bool,
    #[serde(default)]
    word: bool,
    #[serde(default)]
    random: bool,
    #[serde(default)]
    separator: String,
    #[serde(default)]
    about: Vec<String>,
    #[serde(default)]
    field: bool,
    #[serde(default)]
    within: bool,
}

/// The words behind a string that becomes an array of characters, in lower case.
pub(super) const CHAR_ARRAY: &str = ".tochararray(";

/// Functions of Java whose array of characters is a password, by their names in lower case.
const PASSWORD_FUNCTIONS: &[&str] = &[
    "init",
    "load",
    "store",
    "getkey",
    "setkeyentry",
    "getentry",
    "pbekeyspec",
    "passwordprotection",
    "passwordauthentication",
    "loadkeymaterial",
    "loadtrustmaterial",
    "usernamepasswordtoken",
    "setpassword",
    "password",
    "zipfile",
    "hash",
    "verify",
];

impl Call {
    /// Returns the keywords of the functions: their names in both notations, with the parenthesis.
    pub(super) fn keywords(&self) -> impl Iterator<Item = String> {
        self.names.iter().flat_map(|name| {
            if self.within {
                return vec![name.clone()];
            }
            let name = name.trim_start_matches('*');
            // Ruby: `provider :github, '…', '…'`.
            if name.ends_with(" :") {
                return vec![name.to_owned()];
            }
            let joined = name.replace('_', "");
            let both = if joined == name { vec![joined] } else { vec![joined, name.to_owned()] };
            // Ruby, Perl and Visual Basic: `basic_auth 'me', '…'`.
            both.into_iter().flat_map(|name| ["(", " '", " \""].map(|open| format!("{name}{open}"))).collect()
        })
    }

    /// Adds the secret of the call whose name and parenthesis, or first quote, are at `start..end`. `read` is the end of the last line that
    /// was searched for a name.
    pub(super) fn find(&self, text: &[u8], start: usize, end: usize, read: &mut usize, spans: &mut Vec<Span>) {
        if self.within {
            named_calls::find(text, (start, end), self.field, read, spans);
            return;
        }
        let inside = start > 0 && (text[start - 1].is_ascii_alphanumeric() || text[start - 1] == b'_');
        let bare = text[end - 1] != b'(';
        let symbol = text[end - 1] == b':';
        let (name, end) = if bare && !symbol { (end - 2, end - 1) } else { (end - 1, end) };
        if inside && !self.may_be_an_end(&text[start..name]) {
            return;
        }
        // The filter of a template: `{{ password | password_hash('sha512') }}`.
        let before = text[..start].trim_ascii_end();
        if before.ends_with(b"|") && !before.ends_with(b"||") {
            return;
        }
        let arguments = arguments(text, end, bare);
        if arguments.len() < self.least.max(1) {
            return;
        }
        if self.compares {
            let found = compares::find(text, start, &arguments, self.certain);
            spans.extend(
                found
                    .into_iter()
                    .map(|(from, to)| Span::new(from, to, RULE.into()).because(RedactionReason::CallArgument)),
            );
            return;
        }
        let index = if self.secret < 0 { self.last(text, &arguments) } else { self.secret as usize - 1 };
        let Some(&(from, to)) = arguments.get(index) else { return };
        let (from, to) = if self.field { of_member(text, from, to) } else { (from, to) };
        if !self.about.is_empty() {
            let before = text[line_start(text, from)..from].to_ascii_lowercase();
            if !self.about.iter().any(|word| memchr::memmem::find(&before, word.as_bytes()).is_some()) {
                return;
            }
        }
        // In a diff, the new argument follows the old one.
        let next = arguments.get(index + 1).filter(|next| self.strict && is_twin(text, arguments[index], **next));
        let replaced = next.map(|&(from, to)| strings(text, from, to)).unwrap_or_default();
        let replaced = replaced.into_iter().filter(|&(from, to)| looks_random(&text[from..to]));
        for (from, to) in strings(text, from, to).into_iter().chain(replaced) {
            let Some(name) = memchr::memmem::find(&text[from..to], self.separator.as_bytes()) else { continue };
            if !self.separator.is_empty() && !is_user(&text[from..from + name]) {
                continue;
            }
            let mut from = from + name + self.separator.len();
            // Spring Security: the password is stored as it is.
            let is_plain = text[from..to].starts_with(b"{noop}");
            from += if is_plain { b"{noop}".len() } else { 0 };
            // Cypress: the name of a key behind the text.
            let to = if text[from..to].ends_with(b"{enter}") { to - b"{enter}".len() } else { to };
            let value = &text[from..to];
            let harmless = value.len() < 3
                || is_placeholder(value)
                || is_prose(value) && !is_app_password(value) && !is_mnemonic(value)
                || is_template(&text[to..])
                || self.strict && !is_plain && !self.is_password(value)
                || self.random && !looks_random(value)
                || self.field && !names_a_field(text, from);
            if !harmless {
                spans.push(Span::new(from, to, RULE.into()).because(RedactionReason::CallArgument));
            }
        }
    }

    /// Returns the index of the last argument. Options may follow the text that is typed into a field: `type("…", { delay: 50 })`.
    fn last(&self, text: &[u8], arguments: &[(usize, usize)]) -> usize {
        let last = arguments.len() - 1;
        let is_options = |&(from, to): &(usize, usize)| {
            let argument = text[from..to].trim_ascii();
            argument.starts_with(b"{") && of_member(text, from, to) == (from, to)
        };
        if self.field && last > 0 && is_options(&arguments[last]) { last - 1 } else { last }
    }

    /// Returns whether the argument of a call that has other uses is a password.
    fn is_password(&self, value: &[u8]) -> bool {
        let first = value.first().copied().unwrap_or_default();
        // A text that is typed into a field may be any word.
        if self.field && first.is_ascii_uppercase() && value[1..].iter().all(u8::is_ascii_lowercase) {
            return is_chosen_word(&value.to_ascii_lowercase());
        }
        looks_like_password(value) || is_capitalized(value) || is_mnemonic(value) || self.word && is_chosen_word(value)
    }

    /// Returns whether a name may be the end of a longer one.
    fn may_be_an_end(&self, name: &[u8]) -> bool {
        let name = String::from_utf8_lossy(name).to_lowercase().replace('_', "");
        self.names.iter().any(|known| {
            known.strip_prefix('*').is_some_and(|known| known.replace('_', "") == name) || known.starts_with(['.', '-'])
        })
    }
}

/// Returns whether two arguments are strings that stand on lines of their own with the same indent.
fn is_twin(text: &[u8], one: (usize, usize), other: (usize, usize)) -> bool {
    let indent = |(from, to): (usize, usize)| {
        let line = text[from..to].strip_prefix(b"\n")?;
        let blanks = line.iter().take_while(|byte| b" \t".contains(byte)).count();
        line.get(blanks).is_some_and(|byte| b"\"'".contains(byte)).then_some(blanks)
    };
    indent(one).is_some() && indent(one) == indent(other)
}

/// Returns whether the line before a place has a name of a password: `#password`, `passwordInput`, but not `#password-hint`.
fn names_a_field(text: &[u8], at: usize) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte) || !byte.is_ascii();
    text[line_start(text, at)..at]
        .split(|byte| !is_part(byte))
        .any(|name| WORDS.names_a_password(name) && WORDS.worth(name) != Worth::None || WORDS.names_a_field(name))
}

/// Returns the range of the text that an event has in an object: `{ target: { value: "…" } }`, or the whole argument.
fn of_member(text: &[u8], from: usize, to: usize) -> (usize, usize) {
    const MEMBER: &[u8] = b"value:";
    let argument = &text[from..to];
    let is_object = argument.trim_ascii_start().starts_with(b"{");
    match memchr::memmem::find(argument, MEMBER).filter(|_| is_object) {
        Some(at) => (from + at + MEMBER.len(), to),
        None => (from, to),
    }
}

/// Returns whether a text is the name of a user, and not the one of a type: `Product:12`.
fn is_user(name: &[u8]) -> bool {
    name.first().is_some_and(|first| !first.is_ascii_uppercase())
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-.@".contains(byte))
}

/// Returns whether values are put into the string that ends at the start of a text: `QString("{REF:%1}").arg(id)`.
fn is_template(rest: &[u8]) -> bool {
    let rest = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'")).unwrap_or(rest);
    let rest = rest.strip_prefix(b")").unwrap_or(rest);
    [&b".arg("[..], b".format(", b".formatted("].iter().any(|call| rest.starts_with(call))
}

/// Adds the string that becomes an array of characters at `start`, if it is an argument: `kmf.init(keys, "…".toCharArray())`. Passwords are
/// passed as such arrays.
pub(super) fn find_char_array(text: &[u8], start: usize, spans: &mut Vec<Span>) {
    let line = line_start(text, start);
    if start == line || text[start - 1] != b'"' {
        return;
    }
    let Some(open) = memchr::memrchr(b'"', &text[line..start - 1]).map(|at| line + at) else { return };
    let value = &text[open + 1..start - 1];
    let before = text[line..open].trim_ascii_end();
    let Some(function) = function(before) else { return };
    let known = PASSWORD_FUNCTIONS.contains(&function.to_lowercase().as_str());
    let harmless = value.len() < 3
        || is_placeholder(value)
        || is_prose(value)
        || is_sequence(value)
        || !known && (!looks_like_password(value) || function.starts_with("assert"));
    if !harmless {
        spans.push(Span::new(open + 1, start - 1, RULE.into()).because(RedactionReason::CallArgument));
    }
}

/// Returns the name of the function whose argument begins behind a text.
fn function(before: &[u8]) -> Option<Cow<'_, str>> {
    if !matches!(before.last(), Some(b'(' | b',')) {
        return None;
    }
    Some(String::from_utf8_lossy(last_name(&before[..open_list(before, b"")?])))
}

/// Returns whether a string is a password of several words of which one begins with a capital: `Tief-See`.
fn is_capitalized(value: &[u8]) -> bool {
    let separated = value.iter().any(|byte| b"-_".contains(byte)) && !value.contains(&b'.');
    separated && value.iter().any(u8::is_ascii_uppercase) && is_chosen_name(b"password", value)
}

/// Returns whether a string is one or two words that are none of the names in code, nor of an algorithm: `dragonfire`, `blue whale`.
pub(super) fn is_chosen_word(value: &[u8]) -> bool {
    (MIN_WORD..=MAX_WORD).contains(&value.len())
        && value.first().is_some_and(u8::is_ascii_alphabetic)
        && value.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_ ".contains(byte))
        && is_unlike_names(value)
        && !WORDS.is_technique(value)
        && !value
            .split(|byte| b"-_ ".contains(byte))
            .any(|word| std::str::from_utf8(word).is_ok_and(|word| WORDS.is_of_sentences(word)))
}

/// Returns whether a string is random, or more than a word and neither a path, a selector nor a template.
pub(super) fn looks_like_password(value: &[u8]) -> bool {
    let made_up = value.iter().any(|byte| byte.is_ascii_digit() || b"!@#$%^&*?+~".contains(byte));
    if is_app_password(value) {
        return true;
    }
    let odd = value.iter().any(|byte| byte.is_ascii_whitespace() || b"/<>(){}[]\\=,;:".contains(byte));
    let marked = matches!(value.first(), Some(b'#' | b'.' | b'@' | b'%' | b'$' | b'*' | b'?' | b'&' | b'-'));
    value.len() >= 6 && made_up && !odd && !marked && !is_release(value)
        || value.len() >= 24 && !marked && looks_random(value)
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn credentials_and_known_hashes_have_literal_arguments() {
        check(
            "a.rs",
            &[
                "let creds = Credentials::new(\n    \"minio\",\n    \"⟦1U4LvHbUaZzFXwnshCMIVpYhc0eunZ9NurbRaqJ⟧\",\n    None,\n);",
                "let creds = Credentials::new(\n    \"minio\",\n    \"⟦minio-dev⟧\",\n    \"⟦1U4LvHbUaZzFXwnshCMIVpYhc0eunZ9NurbRaqJ⟧\",\n    None,\n);",
                "let creds = Credentials::new(\"minio\", secret, None);",
            ],
        );
        check(
            "a.rb",
            &[
                "DEFAULT_HASH = Digest::MD5.hexdigest('⟦Bl4uesKraut⟧')",
                "ADMIN_HASH = Digest::SHA256.hexdigest(\"⟦Bl4uesKraut⟧\")",
                "cache = Digest::MD5.hexdigest('Bl4uesKraut')",
                "DEFAULT_HASH = Digest::MD5.hexdigest(password)",
                "Aws::Credentials.new('AKIA', '⟦Distel-7-Feld⟧')",
            ],
        );
        check(
            "a.py",
            &[
                "default_hash = hashlib.sha256(b\"⟦Bl4uesKraut⟧\").hexdigest()",
                "file_hash = hashlib.sha256(b\"Bl4uesKraut\")",
            ],
        );
    }

    #[test]
    fn strings_between_brackets_are_arguments() {
        check(
            "a.rb",
            &[
                "JWT.encode(payload, %q(⟦hqXxQVAu29nJuHXfmxPV7lRbpnJU8NgldP8NkNrV⟧), \"HS512\")",
                "JWT.encode(payload, %q{⟦hqXxQVAu29nJuHXfmxPV7lRbpnJU8NgldP8NkNrV⟧})",
                "JWT.encode(payload, rsa % q, \"RS512\")",
                "JWT.encode(payload, key, %w[HS512])",
            ],
        );
    }

    #[test]
    fn passwords_among_arguments_are_masked() {
        check(
            "a.java",
            &[
                "user.setPassword(\"⟦einfach⟧\");",
                "builder.withPassword(\"⟦einfach⟧\").build();",
                "DriverManager.getConnection(\"jdbc:mysql://h/db\", \"root\", \"⟦einfach⟧\");",
                "login('me@x.org', '⟦geheim77⟧'+'⟦lion88⟧')",
                "client.login(\"me@example.org\", \"⟦geheim77⟧\")",
                "requests.get(url, auth=HTTPBasicAuth('me', '⟦einfach⟧'))",
                "mysqli_connect('localhost', 'root', '⟦einfach⟧', 'db');",
                "new PDO('mysql:host=x;dbname=y', 'root', '⟦einfach⟧');",
                "new NetworkCredential(\"me\", \"⟦einfach⟧\")",
                "new PasswordAuthentication(\"me\", \"⟦einfach⟧\".toCharArray())",
                "crypto.createHmac('sha256', '⟦geheim77⟧')",
                "jwt.sign({ id: user.id }, '⟦geheim77⟧', { expiresIn: '1h' })",
                "User.objects.create_user('bob', 'bob@x.org', '⟦geheim77⟧')",
                "await page.fill('#password', '⟦geheim77⟧')",
                "await page.fill('#name', 'version77')",
                "login(user, form.password)",
                "router.login('user', '/account/2')",
                "user.setPassword(\"${password}\"); user.setPassword(null); setPassword(encode(x))",
                "connect(\"host\", \"port1\")",
                "input.type(\"text1234\")",
                "client.get(url).basic_auth(\"ops\", Some(\"⟦geheim77⟧\"))",
            ],
        );
        check(
            "a.rb",
            &[
                "User.create_user 'bob', '⟦geheim77⟧'",
                "login 'bob', 'the form'",
                "config.omniauth :github, 'Iv1.8a61f9b3a7aba766', '⟦fadaa0527c9ba81623187d30abb64e765a0ad851⟧', scope: 'user:email'",
                "provider :github, ENV['GITHUB_ID'], ENV['GITHUB_SECRET']",
            ],
        );
        check(
            "B.java",
            &[
                "new UsernamePasswordToken(\"u\", \"⟦Tief-See⟧\")",
                ".password(\"{noop}⟦Tief-See-4⟧\")",
                ".password(\"{noop}⟦Chefsache⟧\")",
                "login(\"u\", \"Account-Page\")",
            ],
        );
        check("a.sql", &["EXEC sp_addlogin 'legacy', '⟦alteSchule⟧';"]);
        check("b.py", &["s.login(\"alerts@mail.example\", \"⟦vjqp xnte wkld rbzo⟧\")"]);
    }

    #[test]
    fn passwords_of_well_known_libraries_are_masked() {
        check(
            "a.ino",
            &["WiFi.begin(\"net\", \"⟦einfach⟧\");", "WiFi.begin(ssid, password);", "Serial.begin(115200);"],
        );
        check(
            "a.pl",
            &[
                "DBI->connect(\"dbi:Pg:dbname=x\", \"me\", \"⟦einfach⟧\",\n  { RaiseError => 1 })",
                "DBI->connect($dsn, $user, $password)",
            ],
        );
        check(
            "A.java",
            &[
                ".auth().preemptive().basic(\"me\", \"⟦geheim77⟧\")",
                "kmf.init(keys, \"⟦einfach⟧\".toCharArray());",
                "open(file, \"⟦geheim-77⟧\".toCharArray());",
                "write(\"some text\".toCharArray()); char[] hex = \"0123456789abcdef\".toCharArray();",
                "for (char c : \"geheim77\".toCharArray()) {",
                "assertEquals(\"geheim77\".toCharArray(), x); digits(\"0123456789\".toCharArray());",
                "Keys.hmacShaKeyFor(\"⟦this-is-a-long-phrase-77⟧\".getBytes(UTF_8))",
                "Algorithm.HMAC256(\"⟦geheim77⟧\")",
            ],
        );
        check(
            "a.cs",
            &[
                "new SymmetricSecurityKey(Encoding.UTF8.GetBytes(\"⟦geheim77⟧\"))",
                "new SymmetricSecurityKey(Encoding.UTF8.GetBytes(config.Key))",
                "new PSCredential(\"me\", ToSecure(\"⟦geheim.Zoo.3⟧\"))",
                "new PSCredential(\"me\", GetSecret(\"name77\"))",
                "new X509Certificate2(\"a.pfx\", \"⟦einfach⟧\")",
            ],
        );
        check(
            "a.go",
            &[
                "client.SetToken(\"⟦Tk4fYwultebi7Z75funUZaHQCHskbC5O⟧\")",
                "client.SetToken(\"test-token\")",
                "sessions.NewCookieStore([]byte(\"⟦geheim77⟧\"))",
            ],
        );
        check(
            "a.sql",
            &[
                "SELECT pgp_sym_decrypt(x, '⟦ein&zwei#7⟧') AS y",
                "SELECT pgp_sym_encrypt(x, current_setting('app.key'))",
            ],
        );
        check(
            "a.py",
            &[
                "b64encode(b'me:⟦geheim77⟧'); b64encode(b'data:text'); b64encode(b'AppProblem:a7f47ac1-058c')",
                "wlan.connect(\"net\", \"⟦einfach⟧\")",
                "smtplib.SMTP(h).login(\"me\", \"⟦geheim77⟧\")",
                "server.login(\"me@x.org\", \"⟦Einfach⟧\")",
                "server.login(user, os.getenv(\"SMTP_LOGIN\"))",
            ],
        );
        check(
            "a.php",
            &[
                "hash_hmac('sha256', $data, '⟦geheim77⟧')",
                "hash_hmac('sha256', $data, $key)",
                "{{ x | password_hash('sha512') }}",
            ],
        );
        check(
            "a.cpp",
            &["entry->setPassword(QString(\"{REF:P@I:%1}\").arg(id)); entry->setPassword(QString(\"⟦einfach⟧\"));"],
        );
        check(
            "a.ts",
            &[
                "return jwt.sign({ sub: user.id }, '⟦dragonfire⟧', { expiresIn: 1 });",
                "jwt.verify(token, '⟦blue whale⟧', cb)",
                "app.use(cookieParser('⟦dragon-fire⟧'))",
                "jwt.sign(payload, 'HS256'); jwt.sign(payload, 'secret'); jwt.sign(payload, 'user-key')",
                "cy.get('#password').type('⟦dragonfire⟧{enter}')",
                "cy.get('#name').type('dragonfire')",
                "Keypair.fromSecretKey(bs58.decode(\"⟦gFPVMcaKx82xTF7p3qMY68zGC9MtaiekRVVDCSpZkvEVc3x8M2Hv⟧\"))",
                "Wallet.fromPhrase(\"⟦test walk nut penalty hip pave soap entry language right filter choice⟧\")",
            ],
        );
        check("a.java", &["user.password(\"⟦dragonfire⟧\")", "user.password(\"field\"); user.password(\"Enter it\")"]);
        check(
            "B.java",
            &[
                "new DriverManagerDataSource(\"jdbc:postgresql://db1/shop\", \"shop\", \"⟦QyJ+BYi4Jsv⟧\");",
                "new DriverManagerDataSource(\"jdbc:postgresql://db1/shop\", \"shop\", password);",
            ],
        );
        check("a.rs", &["EncodingKey::from_secret(\"⟦geheim77⟧\".as_ref())", "set_credentials(\"me\", \"⟦einfach⟧\")"]);
    }
}
