//! Finds the passwords on the command lines of known programs: `mysql -p…`, `curl -u user:…`, `echo … | sudo -S`. The programs are data
//! (`config/redaction/commands.toml`).

mod stdin;

use serde::Deserialize;

use super::code::is_name;
use super::fallback::is_variable;
use super::span::Span;
use super::types::RedactionReason;
use super::values::{is_placeholder, looks_random};
use super::words::{WORDS, Worth};

const RULE: &str = "command-line-password";

/// The maximum length of a command in bytes.
const MAX_COMMAND_BYTES: usize = 2048;

/// A program and the places of the secrets on its command line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Program {
    pub(super) names: Vec<String>,
    #[serde(default)]
    flags: Vec<String>,
    #[serde(default)]
    attached: bool,
    #[serde(default)]
    pairs: Vec<String>,
    #[serde(default)]
    separator: String,
    #[serde(default)]
    words: Vec<i32>,
    #[serde(default)]
    fields: bool,
    #[serde(default)]
    named: usize,
    #[serde(default)]
    about: Vec<String>,
    #[serde(default)]
    when: String,
    #[serde(default)]
    login: String,
    #[serde(default)]
    stdin: String,
}

pub(super) type Range = (usize, usize);

impl Program {
    /// Adds the secrets of the command whose name is at `start..end`.
    pub(super) fn find(&self, text: &[u8], start: usize, end: usize, spans: &mut Vec<Span>) {
        let before = start.checked_sub(1).map(|at| text[at]);
        if before.is_some_and(|byte| !byte.is_ascii_whitespace() && !b"/\\|;&($`\"'@:-!>=~".contains(&byte)) {
            return;
        }
        let rest = &text[end..];
        let suffix = [&b".exe"[..], b".py", b".bat", b".sh"].into_iter().find(|suffix| rest.starts_with(suffix));
        let from = end + suffix.map_or(0, |suffix| suffix.len());
        let quote = before.filter(|byte| b"`\"'".contains(byte));
        let listed = quote.is_some() && text.get(from).copied() == quote && text.get(from + 1) == Some(&b',');
        if !listed && !matches!(text.get(from), Some(b' ' | b'\t')) && self.stdin != "all" {
            return;
        }
        let words = if listed { items(text, from + 1) } else { words(text, from, quote) };
        if !self.is_meant(text, from, &words) || !self.words.is_empty() && is_sentence(text, &words) {
            return;
        }
        let mut add = |(from, to): Range| {
            if let Some((from, to)) = secret(text, from, to) {
                spans.push(Span::new(from, to, RULE.into()).because(RedactionReason::CommandLine));
            }
        };
        let mut places: Vec<Range> = Vec::new();
        let mut skipped = false;
        for (index, &(from, to)) in words.iter().enumerate() {
            let word = &text[from..to];
            if skipped {
                skipped = false;
                continue;
            }
            if let Some((value, next)) = argument(text, &words, index, &self.flags, self.attached) {
                skipped = next;
                add(value);
            } else if let Some(((from, to), next)) = argument(text, &words, index, &self.pairs, true) {
                skipped = next;
                if let Some(at) = separator(&text[from..to], &self.separator) {
                    let password = from + at + self.separator.len();
                    // Some services take their key as the user.
                    let is_key = is_dummy(&text[password..to]) && looks_random(&text[from..from + at]);
                    add(if is_key { (from, from + at) } else { (password, to) });
                }
            } else if !word.starts_with(b"-") && !is_windows_option(word) {
                let field = memchr::memchr(b'=', word).filter(|at| is_field_name(&word[..*at]));
                match field {
                    Some(at) if self.fields && !is_harmless_field(&word[..at]) => add((from + at + 1, to)),
                    // Other fields are judged by their keys: `vault login -method=userpass username=ops`
                    Some(_) => {}
                    None => places.push((from, to)),
                }
                if !self.login.is_empty()
                    && let Some(at) = find_bytes(word, &self.login)
                    && at > 0
                    && !word[at..].starts_with(b"://")
                {
                    let secret = from + at + 1;
                    let stop = text[secret..to].iter().rposition(|byte| *byte == b'@').map_or(to, |at| secret + at);
                    add((secret, stop));
                    break;
                }
            }
        }
        for &number in &self.words {
            let index = if number < 0 {
                places.len().checked_sub(number.unsigned_abs() as usize)
            } else {
                Some(number as usize - 1)
            };
            if let Some(range) = index.and_then(|index| places.get(index)).filter(|_| self.is_named(text, &places)) {
                add(*range);
            }
        }
        let asked = self.stdin == "all"
            || !self.stdin.is_empty()
                && words.iter().any(|&(from, to)| find_bytes(&text[from..to], &self.stdin).is_some());
        if asked {
            for (from, to) in stdin::written(text, start, from) {
                // `my_agent_secret_key` stands for one.
                if WORDS.names_a_secret(&text[from..to]) {
                    continue;
                }
                let at = find_bytes(&text[from..to], &self.separator).filter(|_| !self.separator.is_empty());
                add((at.map_or(from, |at| from + at + 1), to));
            }
        }
    }

    /// Returns whether the command has the flag and one of the words on which its secrets depend.
    fn is_meant(&self, text: &[u8], from: usize, words: &[Range]) -> bool {
        let has_letter = |&(from, to): &Range| {
            let word = &text[from..to];
            word.starts_with(b"-") && !word.starts_with(b"--") && find_bytes(word, &self.when).is_some()
        };
        if !self.when.is_empty() && !words.iter().any(has_letter) {
            return false;
        }
        if self.about.is_empty() {
            return true;
        }
        let end = words.last().map_or(from, |(_, to)| *to);
        let command = text[from..end].to_ascii_lowercase();
        self.about.iter().any(|word| find_bytes(&command, word).is_some())
    }

    /// Returns whether the word that must name a secret does: `consul kv put app/db/password …`.
    fn is_named(&self, text: &[u8], places: &[Range]) -> bool {
        let Some(index) = self.named.checked_sub(1) else { return true };
        let names = |&(from, to): &Range| WORDS.worth(last_name(&text[from..to])) == Worth::Secret;
        places.get(index).is_some_and(names)
    }
}

/// Returns whether a password is none, but stands where a service that knows its users by a key ignores one: `x`, or nothing.
fn is_dummy(password: &[u8]) -> bool {
    let text = password.trim_ascii();
    text.len() < 2 || [&b"api"[..], b"api_token", b"X-OAuth-Basic", b"xxx", b"none", b"unused"].contains(&text)
}

/// The number of words of a sentence that the words behind the name of a program must have to be one.
const MIN_SENTENCE_WORDS: usize = 2;

/// Returns whether the words behind the name of a program are those of a sentence: "See `rootpw` for more information."
fn is_sentence(text: &[u8], words: &[Range]) -> bool {
    let plain: Option<Vec<&str>> = words
        .iter()
        .map(|&(from, to)| {
            let word = std::str::from_utf8(&text[from..to]).ok()?;
            // A quote ends the string that the sentence is in.
            let word = word.split('"').next().unwrap_or(word).trim_end_matches(['.', ',', '\'', '`', ':']);
            (!word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase())).then_some(word)
        })
        .collect();
    plain.is_some_and(|words| {
        words.len() > MIN_SENTENCE_WORDS
            && words.iter().filter(|word| WORDS.is_of_messages(word)).count() >= MIN_SENTENCE_WORDS
    })
}

/// Returns the last part of a path of names.
fn last_name(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| b"/:".contains(byte)).next().unwrap_or(path)
}

/// The names of fields beside a secret that are none. Those of users are known, too.
const HARMLESS_FIELDS: &[&[u8]] = &[
    b"host",
    b"hostname",
    b"port",
    b"server",
    b"database",
    b"dbname",
    b"db",
    b"name",
    b"region",
    b"endpoint",
    b"bucket",
    b"type",
    b"title",
    b"url",
    b"policies",
    b"ttl",
    b"display_name",
    b"path",
    b"environment",
    b"env",
    b"ca.crt",
    b"kind",
    b"role",
    b"method",
    b"description",
    b"ssid",
    b"mode",
    b"keyusage",
    b"interface",
    b"profile",
    b"profiletype",
    b"authentication",
    b"encryption",
    b"hostednetwork",
    b"alg",
    b"algorithm",
];

pub(super) fn is_harmless_field(name: &[u8]) -> bool {
    let last = name.rsplit(|byte| b"_-.".contains(byte)).next().unwrap_or(name);
    let is_user = |name: &[u8]| std::str::from_utf8(name).is_ok_and(|name| WORDS.names_a_user(&name.to_lowercase()));
    // `keyname`
    let names = |name: &[u8]| name.len() > 4 && name[name.len() - 4..].eq_ignore_ascii_case(b"name");
    let is_known = |name: &[u8]| names(name) || HARMLESS_FIELDS.iter().any(|known| name.eq_ignore_ascii_case(known));
    [name, last].iter().any(|name| is_known(name) || is_user(name))
}

fn is_field_name(name: &[u8]) -> bool {
    !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-.[]/@".contains(byte))
}

/// Returns the place of the separator in `name=value` or `user:password`. The name of a field that is no secret has none.
fn separator(word: &[u8], separator: &str) -> Option<usize> {
    let at = find_bytes(word, separator)?;
    (separator != "=" || !is_harmless_field(&word[..at])).then_some(at)
}

/// `/user:NAME`, `/add`
fn is_windows_option(word: &[u8]) -> bool {
    let name = word.iter().skip(1).take_while(|byte| byte.is_ascii_alphabetic()).count();
    word.first() == Some(&b'/') && name > 0 && matches!(word.get(name + 1), None | Some(b':'))
}

/// The rests of flags that begin like a flag with an attached argument.
const LONGER: &[&[u8]] = &[
    b"assword", b"asswd", b"ass", b"ort", b"ath", b"roxy", b"rofile", b"rompt", b"rint", b"retty", b"ipe", b"rogress",
];

/// Returns the argument of a flag, and whether it is the next word.
fn argument(text: &[u8], words: &[Range], index: usize, flags: &[String], attached: bool) -> Option<(Range, bool)> {
    let (from, to) = words[index];
    let word = &text[from..to];
    flags.iter().find_map(|flag| {
        let rest = word.strip_prefix(flag.as_bytes())?;
        let at = from + flag.len();
        match rest.first() {
            // `mysql -p` alone asks for the password.
            None if attached && flag == "-p" => None,
            None => words.get(index + 1).map(|next| (*next, true)),
            Some(b'=') => Some(((at + 1, to), false)),
            // `Invoke-Sqlcmd -Password …`: a longer flag.
            Some(_) if attached && LONGER.contains(&rest) => None,
            Some(_) if attached && !flag.starts_with("--") => Some(((at, to), false)),
            Some(b'\'' | b'"') => Some(((at, to), false)),
            Some(_) => None,
        }
    })
}

/// Returns the words of a command, without the quotes around whole words. `quote` is the quote around the command.
pub(super) fn words(text: &[u8], from: usize, quote: Option<u8>) -> Vec<Range> {
    let stop = text.len().min(from + MAX_COMMAND_BYTES);
    let mut words = Vec::new();
    let mut at = from;
    while at < stop {
        match text[at] {
            b'\\' if matches!(text.get(at + 1), Some(b'\n' | b'\r')) => at += 2,
            b'\n' | b'\r' | b';' | b'|' | b')' => break,
            b'&' if text.get(at + 1) == Some(&b'&') => break,
            byte if Some(byte) == quote => break,
            byte if byte.is_ascii_whitespace() => at += 1,
            _ => {
                let begun = at;
                let (mut open, mut depth) = (None, 0);
                while at < stop {
                    let byte = text[at];
                    match open {
                        Some(_) if byte == b'\n' => break,
                        Some(quote) if byte == quote => open = None,
                        Some(_) => {}
                        None if Some(byte) == quote => break,
                        None if byte == b'"' || byte == b'\'' => open = Some(byte),
                        None if byte.is_ascii_whitespace() || b";|".contains(&byte) => break,
                        // The end of `$(…)` around the command.
                        None if byte == b')' && depth == 0 => break,
                        None => depth += i32::from(byte == b'(') - i32::from(byte == b')'),
                    }
                    at += 1;
                }
                words.push(bare(text, begun, at));
            }
        }
    }
    words
}

/// Returns the insides of the strings of a list of arguments: `["mysql", "-p…"]`. Another expression counts as an empty word.
fn items(text: &[u8], from: usize) -> Vec<Range> {
    let stop = text.len().min(from + MAX_COMMAND_BYTES);
    let mut words = Vec::new();
    let mut at = from;
    while at < stop {
        match text[at] {
            quote @ (b'"' | b'\'') => {
                let Some(length) = text[at + 1..stop].iter().position(|byte| *byte == quote) else { break };
                words.push((at + 1, at + 1 + length));
                at += length + 2;
            }
            b']' | b')' | b';' | b'}' => break,
            byte if byte == b',' || byte.is_ascii_whitespace() => at += 1,
            _ => {
                words.push((at, at));
                at += text[at..stop].iter().take_while(|byte| !b",]);".contains(byte)).count().max(1);
            }
        }
    }
    words
}

pub(super) fn bare(text: &[u8], from: usize, to: usize) -> Range {
    let quoted = to - from >= 2 && b"\"'".contains(&text[from]) && text[to - 1] == text[from];
    if quoted { (from + 1, to - 1) } else { (from, to) }
}

/// Returns the secret in an argument, or `None` if it stands for one.
fn secret(text: &[u8], from: usize, to: usize) -> Option<Range> {
    let (mut from, mut to) = bare(text, from, to);
    for prefix in [&b"pass:"[..], b"\"", b"'"] {
        if text[from..to].starts_with(prefix) {
            from += prefix.len();
        }
    }
    while from < to && b"\"'`,)".contains(&text[to - 1]) {
        to -= 1;
    }
    let value = &text[from..to];
    let reference = [&b"$"[..], b"-", b"<", b"%", b"`", b"env:", b"file:", b"fd:", b"@", b"{"];
    let harmless = value.len() < 3
        || reference.iter().any(|start| value.starts_with(start)) && !value.starts_with(b"$1$")
        || matches!(value, b"stdin" | b"prompt" | b"md5" | b"bcrypt" | b"yescrypt")
        || value.starts_with(b"sha-")
        || value.len() < 6 && value.iter().all(u8::is_ascii_digit)
        || value.contains(&b'_') && (is_variable(value) || is_name(value)) && WORDS.names_a_secret(value)
        || is_placeholder(value);
    (!harmless).then_some((from, to))
}

fn find_bytes(text: &[u8], what: &str) -> Option<usize> {
    memchr::memmem::find(text, what.as_bytes())
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn names_of_keys_and_sentences_about_a_program_stay_readable() {
        check(
            "deploy.sh",
            &[
                "kubectl create secret generic dns --from-literal=tsig-keyname='outer-dns-key' --from-literal=pw='⟦Distel-7⟧'",
                "kubectl create secret generic dns --from-literal=tsig-alg=hmac-sha256 --from-literal=realname=outer-dns",
            ],
        );
        check(
            "a.ps1",
            &[
                "$m = [regex]::Escape(\"Use a SecureString. See ConvertTo-SecureString for more information.\")",
                "# ConvertTo-SecureString turns this text into a secure string.",
                "ConvertTo-SecureString ⟦geheim7⟧ -AsPlainText -Force",
                "ConvertTo-SecureString ⟦sonnenblume⟧",
            ],
        );
    }

    #[test]
    fn passwords_in_lists_of_arguments_are_masked() {
        check(
            "a.py",
            &[
                "subprocess.run([\"mysql\", \"-u\", \"root\", \"-p⟦einfach77⟧\", \"shop\"])",
                "run([\"curl\", \"-u\", \"ops:⟦einfach77⟧\", url])",
                "run([\"mysql\", \"-u\", user, name])",
            ],
        );
    }

    #[test]
    fn passwords_of_programs_are_masked() {
        check(
            "a.sh",
            &[
                "curl -u \"⟦35ee86a54525047d6695d5423eb9ca8e99b30b09⟧:x\" https://hr.host.example/v1",
                "curl -u ⟦zJtGgGjiEZHWtgYH0TX5⟧: https://hr.host.example/v1",
                "curl -u editor:x https://hr.host.example/v1",
                "npx cypress run --record --key ⟦129f1909-cc55-46e7-81c0-12effba91947⟧",
                "npx cypress run --record --key $CYPRESS_RECORD_KEY",
                "psexec \\\\host -u admin -p ⟦einfach⟧ cmd",
                "psexec.exe \\\\10.0.0.1 -u dom\\admin -p '⟦Ganz einfach!⟧' cmd.exe",
                "mysql -uroot -p⟦einfach⟧ db",
                "mysqladmin -u root password ⟦einfach⟧",
                "\"!mysql -u root -p⟦einfach⟧ shop\\n\",",
                "sshpass -p'⟦ganz einfach⟧' ssh me@host",
                "sshpass -p⟦einfach⟧ scp a.tgz me@host:",
                "ldapsearch -x -D cn=a -w⟦einfach⟧ -b dc=x",
                "sqlcmd -S s -U sa -P⟦einfach⟧ -Q x",
                "Invoke-Sqlcmd -Username u -Password '⟦einfach⟧'",
                "RUN useradd -p $(openssl passwd -1 ⟦einfach⟧) ops",
                "curl -sS -u admin:⟦einfach⟧ https://x",
                "curl --user 'admin:⟦ganz! einfach⟧' https://x",
                "rpcclient -U \"me%⟦einfach⟧\" host",
                "sqlplus scott/⟦einfach⟧@orcl",
                "impacket-psexec admin:⟦einfach⟧@10.0.0.1",
                "net user bob ⟦einfach⟧ /add",
                "net user bob /add",
                "vault operator unseal ⟦einfach⟧",
                "echo ⟦einfach⟧ | sudo -S ls",
                "echo '⟦einfach⟧' | docker login -u me --password-stdin",
                "echo \"root:⟦einfach⟧\" | chpasswd",
                "printf '⟦einfach⟧\\n' | passwd --stdin root",
                "echo -n \"⟦Sonnen-Schein4⟧\" | gcloud secrets create db-pass --data-file=-",
                "echo -e \"⟦smb-Freigabe⟧\\n⟦smb-Freigabe⟧\" | smbpasswd -a -s scan",
                "(echo ⟦einfach⟧; echo ⟦einfach⟧) | passwd root",
                "chpasswd <<< \"root:⟦einfach⟧\"",
                "docker login -u x --password-stdin <<< ⟦einfach⟧",
                "docker login -u x --password-stdin registry.gitlab.com < file",
                "chpasswd <<EOF\nroot:⟦einfach⟧\nops:⟦zweifach⟧\nEOF\n",
                "$sec = \"⟦Eck-Stein⟧\" | ConvertTo-SecureString -AsPlainText -Force",
                "gpg --batch --passphrase-fd 0 -c f <<< \"⟦Eck-Stein⟧\"",
                "restic --password-command 'echo ⟦Eck-Stein⟧' backup",
                "ansible-playbook --vault-password-file <(echo ⟦Eck-Stein⟧) x.yml",
                "curl -b \"session=⟦8f7d9a6b5c4e3f2a⟧\" http://x",
                "echo \"my_agent_secret_key\" | docker secret create agent-secret -",
                "make curl url=http://x secret=producer_with_roles_secret",
                "echo done | tee log",
                "openssl enc -aes-256-cbc -k ⟦einfach⟧ -in a",
                "kubectl create secret generic x --from-literal=foo=⟦einfach⟧",
                "docker login \\\n  -u me \\\n  -p ⟦einfach⟧",
                "sh -c \"mysql -p⟦einfach⟧\" && echo done",
                "curl -u \"$USER:$PASS\" https://x && mysql -p \"$DB\"",
                "mysql -u root \u{c} -p⟦einfach⟧ db",
                "mysql -p -u root db",
                "aws ssm put-parameter --name /app/db --type SecureString --value \"⟦Eck-Stein-8⟧\"",
                "aws ssm put-parameter --name /app/size --type String --value \"Eck-Stein-8\"",
                "az sql server create -n srv -g rg -u sqladmin -p ⟦Wolken.Bruch9⟧",
                "mc alias set s3 https://minio.example minioops ⟦einfach⟧",
                "signtool sign /f cert.pfx /p ⟦Siegel-Lack⟧ app.exe",
                "vault kv put secret/app username=ops api=⟦einfach⟧",
                "vault login -method=userpass username=ops password=⟦einfach⟧",
                "consul kv put app/db/password ⟦einfach⟧",
                "consul kv put app/db/size 4000000",
                "htpasswd -cb .htpasswd ops ⟦einfach⟧",
                "htpasswd .htpasswd ops",
                "kubectl create secret generic x --from-literal=username=app --from-literal=pw=⟦einfach⟧",
                "7z x -p⟦einfach⟧ a.7z",
                "curl --cert client.pem:⟦einfach⟧ https://x",
                "bundle config set gems.example.com reader:⟦einfach⟧",
                "bundle config set mirror.x https://gems.example.com",
                "sudo apt install curl && docker run -p 8080:80 x",
                "Use curl -u for the user, and 7z for archives.",
            ],
        );
    }
}
