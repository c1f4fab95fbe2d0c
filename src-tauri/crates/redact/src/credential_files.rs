//! Finds the secrets of credential files, which are at fixed places of their lines. The form of a file is known by its name (`places.rs`).
//!
//! In: a text and the form of its file. Out: spans.

use super::blocks;
use super::cursor::indent;
use super::places::{Form, Kind};
use super::span::Span;
use super::types::RedactionReason;
use super::values::is_placeholder;

/// The rule's name in reports and markers.
const RULE: &str = "credential-file";

/// The options of OpenWrt's settings of a wireless network that are secrets.
const UCI_KEYS: &[&[u8]] = &[b"option key ", b"option sae_password ", b"option auth_secret ", b"option password "];

/// The length of the shortest line of a key that is read without its first and last lines.
const MIN_KEY_LINE: usize = 40;

/// The words of a file of fetchmail before a password, and the maximum number of words of a line that are read.
const FETCHMAIL_KEYS: &[&[u8]] = &[b"password", b"pass"];
const MAX_WORDS: usize = 40;

/// Returns whether a text has a block of something else than a private key, such as a certificate.
fn has_public_block(text: &[u8]) -> bool {
    memchr::memmem::find_iter(text, b"-----BEGIN ").any(|at| {
        let line = text[at..].split(|byte| *byte == b'\n').next().unwrap_or_default();
        memchr::memmem::find(line, b"PRIVATE KEY").is_none()
    })
}

/// Returns whether a text has two lines of one word each, besides remarks.
fn has_two_words(text: &[u8]) -> bool {
    let is_used = |line: &&[u8]| !line.is_empty() && !line.starts_with(b"#");
    let lines = || text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end).filter(is_used);
    lines().count() == 2 && lines().all(|line| line.iter().all(u8::is_ascii_graphic))
}

/// Returns whether a text has one line of one word, besides remarks, or two of them in a diff.
fn has_only_words(text: &[u8]) -> bool {
    let is_used = |line: &&[u8]| !line.is_empty() && !line.starts_with(b"#");
    let lines = || text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end).filter(is_used);
    lines().count() <= 2 && lines().all(|line| line.iter().all(u8::is_ascii_graphic))
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
            Form::Only => !has_only_words(text),
            Form::Passwd => !has_entries_of_users(text),
            // Another section has no passwords, or names the ones that do (`rules.toml`).
            Form::Voicemail => {
                let mut lines = text.split(|byte| *byte == b'\n');
                let first = lines.find(|line| line.starts_with(b"[") || memchr::memmem::find(line, b"=>").is_some());
                first.is_some_and(|line| line.starts_with(b"[") && line != b"[default]")
            }
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
            Form::Userlist => word(line, 1).filter(|_| line.starts_with(b"\"")).into_iter().collect(),
            Form::Msmtp => {
                let from = indent(line);
                let value = line[from..]
                    .strip_prefix(b"password")
                    .filter(|rest| rest.first().is_some_and(u8::is_ascii_whitespace));
                value.map(|value| unquoted(line, line.len() - value.trim_ascii_start().len())).into_iter().collect()
            }
            Form::Fetchmail => (0..MAX_WORDS)
                .map_while(|index| word(line, index))
                .zip((1..).map_while(|index| word(line, index)))
                .filter(|((from, to), _)| FETCHMAIL_KEYS.contains(&&line[*from..*to]))
                .map(|(_, value)| value)
                .collect(),
            Form::Bare | Form::Only => {
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
                let quoted = open.zip(close).map(|(open, close)| (open + 1, close));
                quoted.map_or_else(|| after_word(line, &[b"PSK", b"EAP", b"XAUTH", b"NTLM"]), |range| vec![range])
            }
            Form::Voicemail => {
                let arrow = memchr::memmem::find(line, b"=>")
                    .filter(|at| line[..*at].trim_ascii().iter().all(u8::is_ascii_digit));
                let from = arrow.map(|at| at + 2 + indent(&line[at + 2..]));
                let pin = |from: usize| from + line[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                from.map(|from| (from, pin(from))).filter(|&(_, to)| line.get(to) == Some(&b',')).into_iter().collect()
            }
            Form::Realm => {
                let sign = line
                    .iter()
                    .position(|byte| b":=".contains(byte))
                    .filter(|at| !line[..*at].trim_ascii().contains(&b' '));
                let from = sign.map(|at| at + 1 + indent(&line[at + 1..]));
                let end = |from: usize| from + line[from..].iter().take_while(|byte| **byte != b',').count();
                from.map(|from| (from, end(from))).into_iter().collect()
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
                is_key.map(|key| unquoted(line, from + key.len())).into_iter().collect()
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

/// Returns the range of the value with which a line ends, without the quotes around it.
fn unquoted(line: &[u8], from: usize) -> (usize, usize) {
    let value = &line[from..];
    let quotes = usize::from(value.len() > 1 && matches!(value[0], b'\'' | b'"') && value.last() == value.first());
    (from + quotes, line.len() - quotes)
}

#[cfg(test)]
mod tests {
    use crate::places::kind;

    #[test]
    fn files_named_after_their_secret_have_nothing_else() {
        let token = "bba11a33431272e6e5f2ffc2c1c4b3cd9c2a19d4";
        for file in ["keys/token-staging.txt", "secrets/db_password.txt"] {
            crate::testing::check(
                file,
                &[
                    &format!("# current token\n⟦{token}⟧\n# rotate monthly\n"),
                    "Hello {{ name }},\n\nwe have reset your password.\n",
                    "kirschgarten\nbirnengarten\napfelgarten\n",
                ],
            );
        }
        crate::testing::check("reset_password.txt", &["password reset\n"]);
        crate::testing::check("commit.txt", &[token]);
    }

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

    #[test]
    fn passwords_of_mail_programs_and_networks_are_at_their_places() {
        crate::testing::check(
            "home/.msmtprc",
            &[
                "account work\nuser eva\npassword ⟦drei Boote am Ufer⟧\n",
                "password \"⟦drei Boote⟧\"\n",
                "passwordeval \"pass show mail\"\n",
            ],
        );
        crate::testing::check(
            ".fetchmailrc",
            &[
                "poll mail.host.example proto imap user \"eva\" password \"⟦drei boote⟧\" ssl\n",
                "poll mail.host.example user eva pass ⟦kirschgarten⟧ ssl keep\n",
                "poll mail.host.example user eva ssl\n",
            ],
        );
        crate::testing::check("etc/pgbouncer/userlist.txt", &["; users\n\"app\" \"⟦fuchs.im.laub⟧\"\n"]);
        crate::testing::check(
            "openvpn/client/office.txt",
            &["eva.berg\n⟦kirschgarten⟧\n# the second line is used\n", "eva berg\nkirschgarten\n"],
        );
        crate::testing::check("docs/office.txt", &["eva.berg\nkirschgarten\n"]);
    }

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
            ("etc/ipsec.secrets", "carol : EAP 0sAAyba6ZvX1HtOIOOMUNMvQ==", "0sAAyba6ZvX1HtOIOOMUNMvQ=="),
            ("asterisk/voicemail.conf", "101 => 1970,Dr. Amsel,amsel@host.example", "1970"),
            ("conf/jetty-realm.properties", "admin: geheim1, admin", "geheim1"),
            ("web/htpasswd-plain.txt", "trainer:geheim1", "geheim1"),
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
