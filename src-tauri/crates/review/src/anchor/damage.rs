//! Removes what agents and tools add to quoted code: fences, line numbers, citation marks, escapes.
//!
//! In: a quote as the agent wrote it. Out: readings of it, the least changed first. A reading that is found as it is has priority, because
//! undamaged code may look damaged. Knows nothing of files.

/// One way to read a quote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    /// The text.
    pub text: String,
    /// The removed additions, as a part of a note.
    pub removed: Vec<&'static str>,
    /// The first and last line number that the quote itself contained.
    pub numbers: Option<(u32, u32)>,
}

/// Removes an addition. Returns `None` if there is none.
type Remove = fn(&str) -> Option<String>;

/// The names of additions, and how each is removed.
const REMOVALS: &[(&str, Remove)] = &[
    ("a code fence", unfenced),
    ("backticks", without_backticks),
    ("citation marks", uncited),
    ("escaped line feeds", unescaped),
    ("HTML entities", without_entities),
];

/// The maximum number of removals from one quote.
const MAX_REMOVALS: usize = 4;

/// Returns the readings of a quote, the quote itself first.
pub(super) fn readings(quote: &str) -> Vec<Reading> {
    let mut all = vec![Reading { text: quote.to_owned(), removed: Vec::new(), numbers: None }];
    while let Some(last) = all.last().filter(|last| last.removed.len() < MAX_REMOVALS) {
        let mut next = last.clone();
        if let Some((name, text)) = REMOVALS.iter().find_map(|(name, remove)| Some((*name, remove(&last.text)?))) {
            next.text = text;
            next.removed.push(name);
        } else if let Some((text, numbers)) = without_numbers(&last.text) {
            next.text = text;
            next.numbers = Some(numbers);
            next.removed.push("line numbers");
        } else {
            break;
        }
        all.push(next);
    }
    let last = all[all.len() - 1].clone();
    for text in sides_of_hunk(&last.text) {
        let mut removed = last.removed.clone();
        removed.push("diff markers");
        all.push(Reading { text, removed, numbers: last.numbers });
    }
    all
}

/// Returns the content of a text that is one fenced block.
pub(super) fn unfenced(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.trim().lines().collect();
    let (first, rest) = lines.split_first()?;
    let (last, middle) = rest.split_last()?;
    let mark = ["```", "~~~"].into_iter().find(|mark| first.trim_start().starts_with(mark))?;
    let closes = last.trim().len() >= 3 && last.trim().chars().all(|char| mark.starts_with(char));
    (closes && !middle.is_empty()).then(|| middle.join("\n"))
}

fn without_backticks(text: &str) -> Option<String> {
    let bare = |text: &str| {
        let inner = text.trim().strip_prefix('`')?.strip_suffix('`')?;
        (!inner.is_empty() && !inner.contains('`')).then(|| inner.to_owned())
    };
    let each = |text: &str| text.lines().filter(|line| !line.trim().is_empty()).map(bare).collect::<Option<Vec<_>>>();
    bare(text).or_else(|| each(text).filter(|lines| !lines.is_empty()).map(|lines| lines.join("\n")))
}

fn uncited(text: &str) -> Option<String> {
    let cited =
        |line: &str| line.trim_start().strip_prefix('>').map(|rest| rest.strip_prefix(' ').unwrap_or(rest).to_owned());
    let lines: Vec<String> = text.lines().map(cited).collect::<Option<_>>()?;
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn unescaped(text: &str) -> Option<String> {
    let one_line = !text.trim().contains('\n');
    let escaped = text.contains("\\n") || text.contains("\\t") || text.contains("\\\"");
    (one_line && escaped).then(|| text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\""))
}

fn without_entities(text: &str) -> Option<String> {
    const ENTITIES: &[(&str, &str)] =
        &[("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&")];
    let plain = ENTITIES.iter().fold(text.to_owned(), |text, (entity, char)| text.replace(entity, char));
    (plain != text).then_some(plain)
}

/// Returns the text without the line numbers at the beginning of all its lines, and the first and last number. Numbers ascend and may have
/// gaps.
pub(super) fn without_numbers(text: &str) -> Option<(String, (u32, u32))> {
    let mut numbers: Vec<u32> = Vec::new();
    let mut lines: Vec<&str> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let (number, rest) = numbered(line)?;
        if numbers.last().is_some_and(|last| *last >= number) {
            return None;
        }
        numbers.push(number);
        lines.push(rest);
    }
    // Numbers without a text are the text.
    if lines.iter().all(|line| line.trim().is_empty()) {
        return None;
    }
    let ends = numbers.first().copied().zip(numbers.last().copied())?;
    // Lines between two numbers were left out.
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        if at > 0 {
            text.push('\n');
            if numbers[at] > numbers[at - 1].saturating_add(1) {
                text.push_str("...\n");
            }
        }
        text.push_str(line);
    }
    Some((text, ends))
}

fn numbered(line: &str) -> Option<(u32, &str)> {
    let line = line.trim_start();
    let digits = line.strip_prefix('L').unwrap_or(line);
    let count = digits.bytes().take_while(u8::is_ascii_digit).count();
    let number = digits[..count].parse().ok().filter(|number| *number > 0)?;
    let rest = &digits[count..];
    let sign = rest.trim_start_matches(' ').chars().next().filter(|char| "→\t|│:".contains(*char));
    let rest = match sign {
        Some(sign) => rest.trim_start_matches(' ').strip_prefix(sign)?,
        None if rest.is_empty() => rest,
        None => rest.strip_prefix(' ')?,
    };
    Some((number, rest))
}

/// Returns the new and the old side of a text with diff signs. A side on which no line has a sign is a part of the other one.
fn sides_of_hunk(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("@@") && !line.starts_with('\\')).collect();
    if !lines.iter().all(|line| line.is_empty() || line.starts_with(['+', '-', ' '])) {
        return Vec::new();
    }
    let side = |own: char, other: char| {
        lines.iter().any(|line| line.starts_with(own)).then(|| {
            let kept = lines.iter().filter(|line| !line.starts_with(other));
            kept.map(|line| line.get(1..).unwrap_or_default()).collect::<Vec<_>>().join("\n")
        })
    };
    [side('+', '-'), side('-', '+')].into_iter().flatten().collect()
}

/// Returns whether a line stands for lines that were left out: dots alone or before words, behind a comment sign or in brackets.
pub(super) fn leaves_lines_out(line: &str) -> bool {
    let bare = line.trim().trim_end_matches("*/").trim_end_matches("-->");
    let bare = bare.trim_start_matches("<!--").trim_start_matches(['/', '#', '*', '-', ' ']);
    let is_remark = bare.len() < line.trim().len();
    let bare = bare.trim_matches(['[', ']', '(', ')', '{', '}', ' ']);
    let Some(rest) = bare.strip_prefix("...").or_else(|| bare.strip_prefix('…')) else { return false };
    is_remark && (rest.is_empty() || rest.starts_with(' ')) || bare == "…"
}

/// Splits a text where lines were left out: at lines of dots, and at dots where a line begins or ends.
pub(super) fn parts(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for line in text.lines() {
        let bare = line.trim().trim_start_matches(['/', '#', '*', '-', ' ']).trim_matches(['[', ']', '(', ')', ' ']);
        if matches!(bare, "..." | "…") {
            parts.push(String::new());
            continue;
        }
        let trimmed = line.trim();
        let begins = trimmed.strip_prefix("...").or_else(|| trimmed.strip_prefix('…'));
        let inner = begins.unwrap_or(line);
        let ends = inner.trim_end().strip_suffix("...").or_else(|| inner.trim_end().strip_suffix('…'));
        if begins.is_some() {
            parts.push(String::new());
        }
        if let Some(last) = parts.last_mut() {
            last.push_str(ends.unwrap_or(inner));
            last.push('\n');
        }
        if ends.is_some() {
            parts.push(String::new());
        }
    }
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// Returns the text with typographic quotes, dashes and spaces replaced by those of ASCII.
pub(super) fn folded(text: &str) -> String {
    let fold = |char: char| match char {
        '\u{2018}' | '\u{2019}' | '\u{201a}' => '\'',
        '\u{201c}' | '\u{201d}' | '\u{201e}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{a0}' | '\u{2007}' | '\u{202f}' => ' ',
        char => char,
    };
    text.chars().map(fold).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(quote: &str) -> (String, Vec<&'static str>) {
        let last = readings(quote).pop().expect("at least the quote itself");
        (last.text, last.removed)
    }

    #[test]
    fn additions_are_removed_one_after_the_other() {
        assert_eq!(last("let a = 1;"), ("let a = 1;".into(), vec![]));
        assert_eq!(last("```rust\nlet a = 1;\n```"), ("let a = 1;".into(), vec!["a code fence"]));
        assert_eq!(last("`let a = 1;`"), ("let a = 1;".into(), vec!["backticks"]));
        assert_eq!(last("> a\n> b"), ("a\nb".into(), vec!["citation marks"]));
        assert_eq!(
            last("if a &lt; b {\\n    c();"),
            ("if a < b {\n    c();".into(), vec!["escaped line feeds", "HTML entities"])
        );
        assert_eq!(last("```\n7→a\n8→b\n```"), ("a\nb".into(), vec!["a code fence", "line numbers"]));
        assert_eq!(last("@@ -1 +1 @@\n-old\n+new").0, "old");
    }

    #[test]
    fn line_numbers_are_those_of_tools() {
        for text in ["2485→code", "  2485\tcode", "2485 code", "2485: code", "2485 | code", "L2485:code"] {
            let (text, numbers) = without_numbers(text).expect(text);
            assert_eq!((text.trim(), numbers), ("code", (2485, 2485)));
        }
        assert_eq!(without_numbers("3: a\n9: b"), Some((" a\n...\n b".into(), (3, 9))));
        assert_eq!(without_numbers("9: a\n3: b"), None);
        assert_eq!(without_numbers("code"), None);
    }

    #[test]
    fn texts_are_split_where_lines_were_left_out() {
        assert_eq!(parts("a\n// ...\nb"), ["a\n", "b\n"]);
        assert_eq!(parts("call(a, ...\n}"), ["call(a, \n", "}\n"]);
        assert_eq!(parts("a\nb"), ["a\nb\n"]);
    }
}
