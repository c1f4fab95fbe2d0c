//! Finds what restores an account or a wallet in the lines below its label: the words of a seed, and lists of recovery codes. The labels are
//! data (`config/redaction/prose.toml`).
//!
//! In: a text and the end of a label. Out: spans. The lines must have nothing else, so a sentence about such words or codes has none.

use super::cursor::line_start;
use super::identifiers::in_remark;
use super::span::Span;
use super::types::RedactionReason;
use super::values::Bare;
use super::words::WORDS;

/// The rule's name in reports and markers.
const RULE: &str = "recovery-secret";

/// The kind of the secret below a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The words of a seed.
    Phrase,
    /// Codes, each of which is used once.
    Codes,
}

/// The maximum number of bytes of a label behind its name, and of all lines below it.
const MAX_LABEL: usize = 120;
const MAX_BYTES: usize = 1200;
/// The maximum number of empty lines and fences between a label and the first line, and of lines that are read.
const MAX_GAP: usize = 3;
const MAX_LINES: usize = 24;
/// The numbers of words of a seed, and the lengths of a word in bytes.
const COUNTS: &[usize] = &[12, 15, 18, 21, 24];
const WORD: std::ops::RangeInclusive<usize> = 3..=8;
/// The lengths of a code in bytes, and of its groups.
const CODE: std::ops::RangeInclusive<usize> = 6..=24;
const GROUP: std::ops::RangeInclusive<usize> = 3..=8;

/// The line before and behind a block of Markdown.
const FENCE: &[u8] = b"```";

/// A range of a text.
type Range = (usize, usize);

/// Adds the secrets below the label that ends at `end`.
pub(super) fn find(text: &[u8], (start, end): Range, kind: Kind, bare: Bare, spans: &mut Vec<Span>) {
    if kind == Kind::Phrase
        && (bare == Bare::Text || in_remark(text, start))
        && let Some((from, to)) = seed_on_line(text, end)
    {
        spans.push(Span::new(from, to, RULE.into()).because(RedactionReason::Format));
        return;
    }
    let reach = &text[end..text.len().min(end + MAX_LABEL)];
    let Some(line) = memchr::memchr(b'\n', reach) else { return };
    if bare != Bare::Text && !in_remark(text, start) || !is_label(&text[line_start(text, start)..start], &reach[..line])
    {
        return;
    }
    let lines = block(text, end + line + 1);
    let found = match kind {
        Kind::Phrase => seed(text, &lines),
        Kind::Codes => codes(text, &lines),
    };
    spans.extend(found.into_iter().map(|(from, to)| Span::new(from, to, RULE.into()).because(RedactionReason::Format)));
}

/// Returns the words of a seed that are the rest of the line of their label: `Seed phrase of the wallet: …`. Most of them are no words of a
/// sentence.
fn seed_on_line(text: &[u8], end: usize) -> Option<Range> {
    let line = &text[end..text.len().min(end + MAX_BYTES)];
    let line = &line[..memchr::memchr(b'\n', line).unwrap_or(line.len())];
    let colon = memchr::memchr(b':', &line[..line.len().min(MAX_LABEL)])?;
    let words = content(&line[colon + 1..]);
    let from = end + (words.as_ptr() as usize - line.as_ptr() as usize);
    let found = seed(text, &[(from, from + words.len())]).pop()?;
    let of_sentences = |word: &&[u8]| std::str::from_utf8(word).is_ok_and(|word| WORDS.is_of_sentences(word));
    let told = words.split(|byte| *byte == b' ').filter(of_sentences).count();
    (told * 4 < words.split(|byte| *byte == b' ').count()).then_some(found)
}

/// Returns whether the line around the name of a label has no sentence: it ends without a full stop.
fn is_label(before: &[u8], behind: &[u8]) -> bool {
    let ends = |text: &[u8]| memchr::memmem::find(text, b". ").is_some();
    !ends(before) && !ends(behind) && !behind.trim_ascii_end().ends_with(b".")
}

/// Returns the contents of the lines of the next paragraph or list, without the marks of a list, a quotation or a comment.
fn block(text: &[u8], from: usize) -> Vec<Range> {
    let text = &text[..text.len().min(from + MAX_BYTES)];
    let mut lines = Vec::new();
    let mut at = from;
    let mut gap = 0;
    for line in text[from.min(text.len())..].split(|byte| *byte == b'\n') {
        let content = content(line);
        let start = at + (content.as_ptr() as usize - line.as_ptr() as usize);
        at += line.len() + 1;
        if content.is_empty() || content.starts_with(FENCE) {
            gap += 1;
            if gap > MAX_GAP || !lines.is_empty() {
                break;
            }
            continue;
        }
        if lines.len() == MAX_LINES {
            return Vec::new();
        }
        lines.push((start, start + content.len()));
    }
    lines
}

/// Returns a line without the marks of a list, a quotation or a comment before it, and without the quotes around it.
fn content(line: &[u8]) -> &[u8] {
    let is_mark = |byte: &&u8| byte.is_ascii_whitespace() || b"-*+>#|/[]".contains(byte);
    let marks = line.iter().take_while(is_mark).count();
    let line = line[marks..].trim_ascii_end();
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let numbered = line[digits..].strip_prefix(b". ").or_else(|| line[digits..].strip_prefix(b") "));
    let line = numbered.filter(|_| digits < 3).map_or(line, <[u8]>::trim_ascii_start);
    let quotes = |byte: &u8| b"`\"'".contains(byte);
    match line {
        [first, inner @ .., last] if quotes(first) && first == last && !line.starts_with(FENCE) => inner,
        _ => line,
    }
}

/// Returns the lines of a seed: all words together are as many as a seed has. A number may stand before each word.
fn seed(text: &[u8], lines: &[Range]) -> Vec<Range> {
    let is_number = |word: &[u8]| {
        let digits = word.strip_suffix(b".").or_else(|| word.strip_suffix(b")")).unwrap_or(word);
        !digits.is_empty() && digits.len() < 3 && digits.iter().all(u8::is_ascii_digit)
    };
    let is_word = |word: &[u8]| WORD.contains(&word.len()) && word.iter().all(u8::is_ascii_lowercase);
    let mut count = 0;
    for &(from, to) in lines {
        for word in text[from..to].split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()) {
            let word = word.strip_suffix(b",").unwrap_or(word);
            if !is_word(word) && !is_number(word) {
                return Vec::new();
            }
            count += usize::from(is_word(word));
        }
    }
    if COUNTS.contains(&count) { lines.to_vec() } else { Vec::new() }
}

/// Returns the lines of a list of codes, which have the same form. One code alone can be anything.
fn codes(text: &[u8], lines: &[Range]) -> Vec<Range> {
    let forms: Vec<Vec<usize>> = lines.iter().map(|&(from, to)| form(&text[from..to])).collect();
    let is_list = lines.len() > 1 && forms.iter().all(|form| !form.is_empty() && *form == forms[0]);
    let digits = |&(from, to): &Range| text[from..to].iter().any(u8::is_ascii_digit);
    let with_digits = lines.iter().filter(|line| digits(line)).count();
    if is_list && with_digits * 2 > lines.len() { lines.to_vec() } else { Vec::new() }
}

/// Returns the lengths of the groups of letters and digits of a line that has codes only, or nothing.
fn form(line: &[u8]) -> Vec<usize> {
    let is_code = CODE.contains(&line.len())
        && line.iter().all(|byte| byte.is_ascii_alphanumeric() || b"- ".contains(byte))
        // Only groups of digits have blanks between them. Anything else with a blank can be a sentence.
        && (!line.contains(&b' ') || line.iter().all(|byte| byte.is_ascii_digit() || *byte == b' '));
    let groups: Vec<usize> = line.split(|byte| b"- ".contains(byte)).map(<[u8]>::len).collect();
    let are_even = groups.len() == 1 || groups.iter().all(|group| GROUP.contains(group) && *group == groups[0]);
    if is_code && are_even { groups } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn the_words_of_a_seed_below_a_label_are_masked() {
        let words = "kiosk river maple ocean drift lemon chair paper storm tiger velvet zebra";
        let numbered: String =
            words.split(' ').zip(1..).map(|(word, number)| format!("{number}. ⟦{word}⟧\n")).collect();
        check(
            "notes.md",
            &[
                &format!("## Recovery phrase of the treasury wallet (do not share)\n\n⟦{words}⟧\n"),
                &format!("Mnemonic of the wallet that the tests use:\n\n    ⟦{words}⟧\n"),
                &format!("# Seed\n\n```\n⟦{words}⟧\n```\n"),
                &format!("mnemonic\n\n⟦{}⟧\n⟦{}⟧\n", &words[..35], &words[36..]),
                &format!("Seed phrase\n{numbered}"),
                &format!("Seed phrase of the treasury wallet: ⟦{words}⟧\n"),
                "Recovery words of the wallet: write them down and then keep every word safe from your peers\n",
                "Seed phrase: see kiosk river maple\n",
                "## Seed phrase\n\nThe seed phrase is twelve words. Keep it offline, never in a file.\n",
                "The seed phrase is never stored. See below.\nkiosk river maple ocean drift lemon chair paper storm tiger velvet zebra\n",
                &format!("## Names of rooms\n\n{words}\n"),
            ],
        );
        check("a.py", &[&format!("# mnemonic:\n# ⟦{words}⟧\n")]);
    }

    #[test]
    fn recovery_codes_below_a_label_are_masked() {
        check(
            "notes.md",
            &[
                "## Recovery codes\n\n⟦4f7k-92hd⟧\n⟦8s2m-11qp⟧\n⟦x93k-7rrt⟧\n",
                "Backup codes for the deploy account:\n\n- ⟦4f7k-92hd⟧\n- ⟦8s2m-11qp⟧\n",
                "GitHub recovery codes\n1. ⟦4f7k9-2hd83⟧\n2. ⟦8s2m1-1qp22⟧\n",
                "Códigos de recuperación\n\n* `⟦4f7k92hd⟧`\n* `⟦8s2m11qp⟧`\n",
                "Recovery codes for mail\n\n⟦4839 2210⟧\n⟦9921 3384⟧\n",
                "## Recovery codes\n\n- Download them once\n- Print them\n",
                "## Recovery codes\n\n- download\n- printing\n",
                "The list of recovery codes is short. It has these:\ne404-aa11\ne405-bb22\n",
                "## Error codes\n\n- e404-aa11\n- e405-bb22\n",
            ],
        );
    }
}
