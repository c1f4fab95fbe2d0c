//! Finds the passwords on the command lines of known programs: `mysql -p…`, `curl -u user:…`, `echo … | sudo -S`. The programs are data
//! (`config/redaction/commands.toml`).

use serde::Deserialize;

use super::literal::line_start;
use super::span::Span;
use super::types::RedactionReason;
use super::values::is_placeholder;

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
    words: Vec<usize>,
    #[serde(default)]
    login: String,
    #[serde(default)]
    stdin: String,
}

type Range = (usize, usize);

impl Program {
    /// Adds the secrets of the command whose name is at `start..end`.
    pub(super) fn find(&self, text: &[u8], start: usize, end: usize, spans: &mut Vec<Span>) {
        let before = start.checked_sub(1).map(|at| text[at]);
        if before.is_some_and(|byte| !byte.is_ascii_whitespace() && !b"/\\|;&($`\"'@:-".contains(&byte)) {
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
        let mut add = |(from, to): Range| {
            if let Some((from, to)) = secret(text, from, to) {
                spans.push(Span::new(from, to, RULE.into()).because(RedactionReason::CommandLine));
            }
        };
        let mut place = 0;
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
                if let Some(at) = find_bytes(&text[from..to], &self.separator) {
                    add((from + at + self.separator.len(), to));
                }
            } else if !word.starts_with(b"-") && !is_windows_option(word) {
                place += 1;
                if self.words.contains(&place) {
                    add((from, to));
                }
                if !self.login.is_empty()
                    && let Some(at) = find_bytes(word, &self.login)
                    && at > 0
                {
                    let secret = from + at + 1;
                    let stop = text[secret..to].iter().rposition(|byte| *byte == b'@').map_or(to, |at| secret + at);
                    add((secret, stop));
                    break;
                }
            }
        }
        let asked = self.stdin == "all"
            || !self.stdin.is_empty()
                && words.iter().any(|&(from, to)| find_bytes(&text[from..to], &self.stdin).is_some());
        if asked && let Some((from, to)) = piped(text, start) {
            let at = find_bytes(&text[from..to], &self.separator).filter(|_| !self.separator.is_empty());
            add((at.map_or(from, |at| from + at + 1), to));
        }
    }
}

/// `/user:NAME`
fn is_windows_option(word: &[u8]) -> bool {
    let name = word.iter().skip(1).take_while(|byte| byte.is_ascii_alphabetic()).count();
    word.first() == Some(&b'/') && name > 0 && word.get(name + 1) == Some(&b':')
}

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
            Some(_) if attached && !flag.starts_with("--") => Some(((at, to), false)),
            Some(b'\'' | b'"') => Some(((at, to), false)),
            Some(_) => None,
        }
    })
}

/// Returns the words of a command, without the quotes around whole words. `quote` is the quote around the command.
fn words(text: &[u8], from: usize, quote: Option<u8>) -> Vec<Range> {
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
                let mut open = None;
                while at < stop {
                    let byte = text[at];
                    match open {
                        Some(_) if byte == b'\n' => break,
                        Some(quote) if byte == quote => open = None,
                        Some(_) => {}
                        None if Some(byte) == quote => break,
                        None if byte == b'"' || byte == b'\'' => open = Some(byte),
                        None if byte.is_ascii_whitespace() || b";|".contains(&byte) => break,
                        None => {}
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

fn bare(text: &[u8], from: usize, to: usize) -> Range {
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
        || matches!(value, b"stdin" | b"prompt")
        || value.len() < 6 && value.iter().all(u8::is_ascii_digit)
        || is_placeholder(value);
    (!harmless).then_some((from, to))
}

/// Returns the text that `echo` or `printf` writes into the program at `start`.
fn piped(text: &[u8], start: usize) -> Option<Range> {
    let line = line_start(text, start);
    let before = text[line..start].trim_ascii_end();
    let before = before.strip_suffix(b"sudo").unwrap_or(before).trim_ascii_end();
    let before = before.strip_suffix(b"|")?.trim_ascii_end();
    let (name, at) = [&b"echo "[..], b"printf "]
        .into_iter()
        .filter_map(|name| memchr::memmem::rfind(before, name).map(|at| (name, at)))
        .max_by_key(|(_, at)| *at)?;
    let (from, mut to) = words(&text[..line + before.len()], line + at + name.len(), None)
        .into_iter()
        .rfind(|&(from, _)| text[from] != b'-')?;
    if text[from..to].ends_with(b"\\n") {
        to -= 2;
    }
    Some((from, to))
}

fn find_bytes(text: &[u8], what: &str) -> Option<usize> {
    memchr::memmem::find(text, what.as_bytes())
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

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
                "psexec \\\\host -u admin -p ⟦einfach⟧ cmd",
                "psexec.exe \\\\10.0.0.1 -u dom\\admin -p '⟦Ganz einfach!⟧' cmd.exe",
                "mysql -uroot -p⟦einfach⟧ db",
                "mysqladmin -u root password ⟦einfach⟧",
                "sshpass -p'⟦ganz einfach⟧' ssh me@host",
                "curl -sS -u admin:⟦einfach⟧ https://x",
                "curl --user 'admin:⟦ganz! einfach⟧' https://x",
                "rpcclient -U \"me%⟦einfach⟧\" host",
                "sqlplus scott/⟦einfach⟧@orcl",
                "impacket-psexec admin:⟦einfach⟧@10.0.0.1",
                "net user bob ⟦einfach⟧ /add",
                "vault operator unseal ⟦einfach⟧",
                "echo ⟦einfach⟧ | sudo -S ls",
                "echo '⟦einfach⟧' | docker login -u me --password-stdin",
                "echo \"root:⟦einfach⟧\" | chpasswd",
                "printf '⟦einfach⟧\\n' | passwd --stdin root",
                "openssl enc -aes-256-cbc -k ⟦einfach⟧ -in a",
                "kubectl create secret generic x --from-literal=foo=⟦einfach⟧",
                "docker login \\\n  -u me \\\n  -p ⟦einfach⟧",
                "sh -c \"mysql -p⟦einfach⟧\" && echo done",
                "curl -u \"$USER:$PASS\" https://x && mysql -p \"$DB\"",
                "mysql -u root \u{c} -p⟦einfach⟧ db",
                "mysql -p -u root db",
                "sudo apt install curl && docker run -p 8080:80 x",
                "Use curl -u for the user, and 7z for archives.",
            ],
        );
    }
}
