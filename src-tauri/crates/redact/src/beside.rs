//! Finds the passwords that stand behind a user in a list of arguments: `bind("cn=reader,dc=example", "…")`, `MailAccount("me@example.org", "…")`,
//! `Sql.newInstance(url, 'app', '…')`. The less the neighbours and the name of the function say, the more must the value look like a password.
//!
//! In: a text. Out: spans. Strings that are not behind a comma are not read.

use super::arguments::{last_name, open_list};
use super::calls::is_chosen_word;
use super::cursor::line_start;
use super::key_words::split;
use super::phrase::is_unlike_names;
use super::prose::Prose;
use super::shapes::{Shape, shape};
use super::span::Span;
use super::types::RedactionReason;
use super::values::{is_placeholder, looks_random};
use super::words::{WORDS, Worth};

/// The rule's name in reports and markers.
const RULE: &str = "password-beside-user";

/// The maximum number of blanks between a comma and a string, with those of the next line.
const MAX_BLANKS: usize = 80;
/// The maximum length of a password with its quotes.
const MAX_STRING: usize = 34;
/// The length of the shortest password without the form of one.
const MIN_WORD: usize = 6;
/// The lengths of a key with its quotes.
const MIN_KEY: usize = 20;
const MAX_KEY: usize = 200;
/// The maximum length of an argument before a password, and of all that are read.
const MAX_ARGUMENT: usize = 120;
const MAX_ARGUMENTS: usize = 240;

/// Words in the names of functions and types that take a user and a password.
const FUNCTIONS: &[&str] = &[
    "auth",
    "login",
    "signin",
    "logon",
    "bind",
    "credential",
    "connect",
    "connection",
    "database",
    "account",
    "unlock",
    "register",
    "signup",
    "authenticate",
    "authentication",
    "authenticator",
    "authenticated",
    "datasource",
    "credentials",
    "connector",
    "session",
];
/// Words in the names of functions and types that take the address of a server and a key.
const CLIENTS: &[&str] = &[
    "client",
    "gateway",
    "api",
    "service",
    "sdk",
    "provider",
    "connect",
    "connection",
    "session",
    "login",
    "authenticate",
    "repository",
    "adapter",
    "connector",
    "backend",
    "proxy",
    "server",
    "hub",
];

/// Words in the names of functions and types that certainly take a user and a password, if they take a user.
const LOGINS: &[&str] = &[
    "auth",
    "login",
    "signin",
    "logon",
    "authenticate",
    "authentication",
    "authenticator",
    "connect",
    "client",
    "connection",
    "credentials",
    "credential",
];
/// Words in the names of objects that log in to a server.
const RECEIVERS: &[&str] = &[
    "client",
    "mqtt",
    "broker",
    "ftp",
    "sftp",
    "ssh",
    "smtp",
    "imap",
    "pop",
    "ldap",
    "telnet",
    "irc",
    "db",
    "redis",
    "amqp",
    "wifi",
    "modem",
    "conn",
    "connection",
    "session",
];
/// The names of the methods of login with a user and a password.
const METHODS: &[&[u8]] = &[b"basic", b"digest", b"plain", b"Basic", b"PLAIN", b"ntlm"];
/// The last words of the names of arguments with the place of a server.
const PLACES: &[&str] = &["host", "hostname", "port", "server", "address", "addr", "url", "dsn", "uri"];

/// The hint that the argument before a string gives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Neighbour {
    /// A string that can be the name of a user.
    Name,
    /// Certainly a user or a field for a password.
    User,
}

/// Adds the passwords behind users.
pub(super) fn find(text: &[u8], prose: &Prose, spans: &mut Vec<Span>) {
    for comma in memchr::memchr_iter(b',', text) {
        let rest = &text[comma + 1..];
        let blanks = rest.iter().take(MAX_BLANKS).take_while(|byte| byte.is_ascii_whitespace()).count();
        let Some(quote @ (b'"' | b'\'')) = rest.get(blanks) else { continue };
        let from = comma + 1 + blanks + 1;
        let inside = &text[from..text.len().min(from + MAX_STRING)];
        let length = memchr::memchr2(*quote, b' ', inside).unwrap_or(inside.len());
        let value = &inside[..length];
        let ended = inside.get(length) == Some(quote);
        let to = from + length;
        let Some(shape) = ended.then(|| shape(value)).flatten() else {
            // The checks of the place are cheaper than those of the words.
            if ended
                && value.len() >= MIN_WORD
                && ends(&text[to + 1..])
                && is_behind_login(text, comma)
                && could_be_a_password(value, prose)
            {
                spans.push(Span::new(from, to, RULE.into()).because(RedactionReason::CallArgument));
            } else if length >= MIN_KEY {
                spans.extend(behind_address(text, comma, from, *quote));
            }
            continue;
        };
        let Some((neighbour, at)) = neighbour(text, comma) else { continue };
        let is_named = names_a_password(&text[line_start(text, at)..at]);
        if !(ends(&text[to + 1..]) || is_named && ends_line(&text[to + 1..])) {
            continue;
        }
        let is_secret = match (shape, neighbour) {
            (Shape::Mixed, _) | (Shape::Numbered, Neighbour::User) => true,
            _ => is_named || takes_user(text, at),
        };
        if is_secret {
            spans.push(Span::new(from, to, RULE.into()).because(RedactionReason::CallArgument));
        }
    }
}

/// Returns the long random string at `from` among the arguments of a client that has the address of its server among them:
/// `new Gateway("https://…", "m-20931", "…")`. The checksum of a file has hexadecimal digits only, unless it has a prefix.
fn behind_address(text: &[u8], comma: usize, from: usize, quote: u8) -> Option<Span> {
    let before = &text[comma.saturating_sub(MAX_ARGUMENTS)..comma];
    memchr::memmem::find(before, b"://")?;
    let inside = &text[from..text.len().min(from + MAX_KEY)];
    let value = &inside[..memchr::memchr(quote, inside)?];
    if value.iter().all(u8::is_ascii_hexdigit) || value.starts_with(b"sha") || !looks_random(value) {
        return None;
    }
    let open = open_list(before, b"")?;
    let has_address = memchr::memmem::find(&before[open + 1..], b"://").is_some();
    let is_client = split(last_name(&before[..open])).iter().any(|word| CLIENTS.contains(&word));
    let to = from + value.len();
    (has_address && is_client && ends(&text[to + 1..]))
        .then(|| Span::new(from, to, RULE.into()).because(RedactionReason::CallArgument))
}

/// Returns whether a string without the form of a password can be one: a word that is none of a label, a role or a name in code, or a text
/// with a sign of assignment that assigns nothing.
fn could_be_a_password(value: &[u8], prose: &Prose) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return false };
    let name = text.split('=').next().unwrap_or(text);
    // `metrics`, `charset=utf8`: the name of another argument.
    if WORDS.worth(format!("password_{name}").as_bytes()) != Worth::Secret || !is_unlike_names(value) {
        return false;
    }
    if name.len() == text.len() {
        let is_word = value.iter().all(u8::is_ascii_lowercase);
        return is_chosen_word(value) && prose.is_own(text) && (!is_word || prose.is_plain_password(text));
    }
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.!=".contains(byte);
    value.iter().all(is_part) && value[0].is_ascii_alphabetic() && !is_placeholder(value)
}

/// Returns whether the argument before a comma certainly is the user of a function that takes a user and a password: by its name, behind a
/// host or a port, or behind the name of the method of login.
fn is_behind_login(text: &[u8], comma: usize) -> bool {
    // Most lists have no name, or another one.
    let list = &text[comma.saturating_sub(MAX_ARGUMENTS)..comma];
    let takes_login = |open: usize| split(last_name(&list[..open])).iter().any(|word| LOGINS.contains(&word));
    if !open_list(list, b"").is_some_and(takes_login) {
        return false;
    }
    let Some((neighbour, at)) = neighbour(text, comma) else { return false };
    let before = &text[at.saturating_sub(MAX_ARGUMENTS)..at];
    let Some(open) = open_list(before, b"") else { return false };
    let mut arguments = before[open + 1..].split(|byte| *byte == b',').rev().map(<[u8]>::trim_ascii);
    // The argument of the user itself begins behind the last comma.
    let last = arguments.nth(1).unwrap_or_default();
    neighbour == Neighbour::User && !names_a_field(&text[at..comma])
        || is_method(last)
        || is_place(last)
        // `mqtt.connect("gateway-7", "sensor", "…")`
        || inside(last).is_some_and(|name| !name.contains(&b' ')) && has_receiver(&before[..open])
}

/// Returns whether a text ends with the call of a client that logs in to a server: `mqtt_client->connect`.
fn has_receiver(call: &[u8]) -> bool {
    let name = last_name(call);
    let receiver = &call[..call.len() - name.len()];
    let receiver = receiver.strip_suffix(b".").or_else(|| receiver.strip_suffix(b"->")).unwrap_or_default();
    split(last_name(receiver)).iter().any(|word| RECEIVERS.contains(&word))
}

/// Returns whether an argument is the name of the method of login with a password.
fn is_method(argument: &[u8]) -> bool {
    argument.strip_prefix(b":").or(inside(argument)).is_some_and(|name| METHODS.contains(&name))
}

/// Returns whether an argument is a port, or the address or the name of a host.
fn is_place(argument: &[u8]) -> bool {
    let Some(host) = inside(argument) else {
        let is_port = (2..=5).contains(&argument.len()) && argument.iter().all(u8::is_ascii_digit);
        return is_port || split(argument).last().is_some_and(|last| PLACES.contains(&last));
    };
    host.contains(&b'.')
        && host.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-:".contains(byte))
}

/// Returns the inside of a string.
fn inside(argument: &[u8]) -> Option<&[u8]> {
    let quote = argument.first().filter(|byte| b"\"'".contains(byte))?;
    argument[1..].strip_suffix(std::slice::from_ref(quote))
}

/// Returns whether an argument ends before a text: a string is neither a key nor a part of an expression.
fn ends(rest: &[u8]) -> bool {
    matches!(rest.trim_ascii_start().first(), Some(b',' | b')' | b']' | b'}'))
}

/// Returns whether a statement ends before a text.
fn ends_line(rest: &[u8]) -> bool {
    rest.iter().find(|byte| !b" \t\r".contains(byte)).is_none_or(|byte| b"\n;#".contains(byte))
}

/// Returns the hint of the argument before a comma, and the start of the argument.
fn neighbour(text: &[u8], comma: usize) -> Option<(Neighbour, usize)> {
    let start = line_start(text, comma).max(comma.saturating_sub(MAX_ARGUMENT));
    let before = text[start..comma].trim_ascii_end();
    if let Some((quote @ (b'"' | b'\''), inside)) = before.split_last() {
        let open = memchr::memrchr(*quote, inside)?;
        let value = &inside[open + 1..];
        return string(value).map(|neighbour| (neighbour, start + open));
    }
    let open = open_list(before, b",{[")?;
    let argument = before[open + 1..].trim_ascii();
    let words = split(argument.strip_suffix(b"()").unwrap_or(argument));
    let is_user = words.last().is_some_and(|last| WORDS.names_a_user(last) || WORDS.is_account(last));
    (is_user || names_a_field(argument)).then_some((Neighbour::User, start + open + 1))
}

/// Returns whether an expression names a field for a password: `find.byKey(const Key('password'))`, `passwordInput`.
fn names_a_field(argument: &[u8]) -> bool {
    argument
        .split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_' && *byte != b'-')
        .any(|word| word.len() > 3 && WORDS.names_a_password(word))
}

/// Returns whether the line before a user has the name of a password: `user, password = "tom", "…"`.
fn names_a_password(before: &[u8]) -> bool {
    split(before).iter().any(|word| WORDS.names_a_password(word.as_bytes()))
}

/// Returns the hint that a string gives about the next one.
fn string(value: &[u8]) -> Option<Neighbour> {
    let name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.\\".contains(byte);
    let (local, host) =
        value.iter().position(|byte| *byte == b'@').map_or((value, None), |at| (&value[..at], Some(&value[at + 1..])));
    if let Some(host) = host {
        let is_address = !local.is_empty() && host.contains(&b'.') && host.iter().all(name) && !local.contains(&b'/');
        // `left-pad@1.3.0`
        return (is_address && host.last().is_some_and(u8::is_ascii_alphabetic)).then_some(Neighbour::User);
    }
    let lower = value.to_ascii_lowercase();
    if [&b"cn="[..], b"uid=", b"ou="].iter().any(|start| lower.starts_with(start)) && lower.contains(&b',') {
        return Some(Neighbour::User);
    }
    if WORDS.names_a_password(value) && value.len() > 3
        || value.starts_with(b"#") && WORDS.names_a_password(&value[1..])
    {
        return Some(Neighbour::User);
    }
    let is_name = (2..=24).contains(&value.len()) && value[0].is_ascii_lowercase() && value.iter().all(name);
    if std::str::from_utf8(value).is_ok_and(|name| WORDS.is_account(name)) {
        return Some(Neighbour::User);
    }
    is_name.then_some(Neighbour::Name)
}

/// Returns whether the list with the argument at a place is the one of a function that takes a user, or has the address of a database.
fn takes_user(text: &[u8], at: usize) -> bool {
    let start = at.saturating_sub(MAX_ARGUMENTS);
    let before = &text[start..at];
    let Some(open) = open_list(before, b"") else { return false };
    let arguments = &before[open + 1..];
    let has_address = [&b"jdbc:"[..], b"://", b"host=", b"mysql:", b"pgsql:", b"cn=", b"dc="]
        .iter()
        .any(|part| memchr::memmem::find(arguments, part).is_some());
    let words = split(last_name(&before[..open]));
    has_address || words.iter().any(|word| FUNCTIONS.contains(&word))
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn words_behind_the_user_of_a_login_are_masked() {
        check(
            "a.py",
            &[
                "client = InfluxDBClient(\"tsdb.host.example\", 8086, \"writer\", \"⟦windlicht⟧\", \"metrics\")",
                "client = InfluxDBClient(host, port, user, \"⟦windlicht⟧\")",
                "client = InfluxDBClient(host, port, \"writer\", \"⟦wind=licht⟧\", db)",
                "conn = psycopg2.connect(host, \"shop\", user, \"⟦windlicht⟧\")",
                "s.login(\"me@host.example\", \"⟦wind=licht⟧\")",
                "ConnectHandler(\"ios\", \"10.0.0.7\", \"netops\", \"⟦windlicht⟧\")",
                "client = Client(host, port, user, \"metrics\")",
                "client.connect(hostname, 22, username, \"utf-8\")",
                "client.connect(user, \"sslmode=disable\")",
                "client.connect(user, \"charset=utf8mb4\")",
                "authenticate(user, \"kerberos\")",
                "client.send(user, \"windlicht\")",
                "client.login(\"writer\", \"reader\")",
                "graph.connect(\"input\", \"merge\", \"windlicht9\")",
            ],
        );
        check(
            "a.cpp",
            &[
                "client_.connect(\"gateway-7\", \"sensor\", \"⟦windlicht9⟧\");",
                "mqttClient->connect(\"gateway-7\", \"sensor\", \"⟦windlicht⟧\", \"plant/lwt\", 0);",
                "client_.connect(\"gateway-7\", \"sensor\", topic);",
                "client_.publish(\"gateway-7\", \"sensor\", \"windlicht9\");",
            ],
        );
        check(
            "client.js",
            &[
                "axios.setAuth(\"basic\", \"robot\", \"⟦windlicht⟧\");",
                "client.authenticate('basic', user, '⟦wind=licht⟧');",
                "router.use(\"basic\", user, \"windlicht\");",
                "client.connect(\"basic\", \"windlicht\");",
            ],
        );
        check(
            "client.rb",
            &[
                "f.request :authorization, :basic, \"svc-mail\", \"⟦windlicht⟧\"",
                "conn.request :basic_auth, 'svc-mail', '⟦wind=licht⟧'",
                "conn.request :authorization, :basic, ENV[\"U\"], ENV[\"P\"]",
                "conn.request :authorization, 'Bearer', -> { token }",
                "conn.response :logger, \"app\", \"plain\"",
            ],
        );
    }

    #[test]
    fn passwords_behind_users_are_masked() {
        check("a.go", &["require.NoError(t, l.Bind(\"cn=ro,ou=x,dc=y,dc=example\", \"⟦Herbst2022⟧\"))"]);
        check("a.scala", &["val a = MailAccount(\"noreply@firma.example\", \"⟦Herbst2022⟧\", port = 465)"]);
        check("a.groovy", &["Sql.newInstance('jdbc:x://srv/CRM', 'crm', '⟦crm_App2018⟧',\n  'x.y.Driver')"]);
        check("a.m", &["conn = database('lab', 'me', '⟦0scill0graph⟧', ...);"]);
        check(
            "a.cs",
            &[
                "await manager.CreateAsync(admin, \"⟦SchachMatt64!⟧\");",
                "await manager.CreateAsync(order, \"Herbst2022\");",
            ],
        );
        check("a.dart", &["await t.enterText(find.byKey(const Key('password')), '⟦Herbst2022⟧');"]);
        check(
            "a.py",
            &[
                "s.login('me@x.example',\n        '⟦Herbst2022⟧')",
                "auth = ('ops', '⟦Tango@4711⟧')",
                "connect('db1', 'app', '⟦Apfel_der_Zeit⟧')",
            ],
        );
        check("a.scala", &["b.withCredentials(\"cass\", \"⟦Apfel_der_Zeit⟧\").build()"]);
        check("a.log", &["#0 db.php(12): PDO->__construct('mysql:host=loca...', 'web', '⟦KirschBaum_5⟧', Array)"]);
        check(
            "a.ts",
            &[
                "const c = new PayClient('https://api.pay.example', 'm-20931', '⟦q8Zk02mLq9Zt4Rb7x8Kd02mLx1Gv5TqY9⟧');",
                "download('https://dl.x.example/a.zip', 'q8Zk02mLq9Zt4Rb7x8Kd02mLx1Gv5TqY9')",
                "new Client('https://x.example/a', '9f86d081884c7d659a2feaa0c55ad0159f86d081884c7d659a2feaa0c55ad015')",
            ],
        );
        check(
            "a.js",
            &[
                "t('title', 'Heading2')",
                "install('react', 'left-pad@18')",
                "send('me@x.example', 'your order has shipped')",
                "send('me@x.example', 'subject')",
                "const names = ['alpha', 'Beta2', 'Gamma3']",
                "x = { 'a': 1, 'Item2': 3 }",
                "emit('click', 'Button2')",
                "expect('user', 'getUser2')",
                "connect('db', 'localhost')",
                "connect('db', 'select1')",
                "draw(user, 'Avatar')",
            ],
        );
    }
}
