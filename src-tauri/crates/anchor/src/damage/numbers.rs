//! Removes line numbers as editors, `grep`, compilers and agents' tools print them.

use std::sync::LazyLock;

use regex::Regex;

use super::omissions::is_omission;

/// A line with its number: an optional path or mark, the number, a sign, the code.
static NUMBERED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let before = r"\s*(?:[>*+→➜▶]\s*)?(?:[\w./\\@-]*[/.][\w./\\@-]*[:-])?(?:[Ll]ines?\s+|[L#\[(])?";
    let strong = r"\s*[→\t|│┃⇥]|:|[\])]:?(?:\s|$)|\.\s";
    let weak = r"[-+]|\s|$";
    Regex::new(&format!("^{before}(?P<number>[0-9]{{1,8}})(?:(?P<strong>{strong})|(?:{weak}))(?P<code>.*)$")).ok()
});

struct Numbered<'a> {
    number: u32,
    /// Whether a sign follows that numbers in code do not have.
    is_strong: bool,
    code: &'a str,
}

fn numbered(line: &str) -> Option<Numbered<'_>> {
    let found = NUMBERED.as_ref()?.captures(line)?;
    let number = found.name("number")?.as_str().parse().ok().filter(|number| *number > 0)?;
    let code = found.name("code")?.as_str();
    Some(Numbered { number, is_strong: found.name("strong").is_some(), code })
}

/// Returns the text without the line numbers at the beginning of its lines, and the first and last number. Numbers ascend and may have
/// gaps. Either all lines have one, except those that stand for omitted lines, or only the first has one.
pub(crate) fn without_numbers(text: &str) -> Option<(String, (u32, u32))> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let first = numbered(lines.first()?)?;
    let all: Option<Vec<Option<Numbered<'_>>>> = lines
        .iter()
        .map(|line| match numbered(line) {
            Some(numbered) => Some(Some(numbered)),
            None => is_omission(line).then_some(None),
        })
        .collect();
    let Some(all) = all else { return only_first(&first, &lines) };
    let numbers: Vec<u32> = all.iter().flatten().map(|line| line.number).collect();
    if numbers.windows(2).any(|pair| pair[0] >= pair[1]) {
        return None;
    }
    // Numbers without a text are the text.
    if all.iter().flatten().all(|line| line.code.trim().is_empty()) {
        return None;
    }
    let mut text = String::new();
    let mut last: Option<u32> = None;
    for line in &all {
        match line {
            None => (text += "...\n", last = None),
            Some(Numbered { number, code, .. }) => {
                // Lines between two numbers were left out.
                let gap = if last.is_some_and(|last| *number > last.saturating_add(1)) { "...\n" } else { "" };
                (text += &format!("{gap}{code}\n"), last = Some(*number))
            }
        };
    }
    Some((text.trim_end_matches('\n').to_owned(), (*numbers.first()?, *numbers.last()?)))
}

/// Removes the number of the first line, if the other lines have none.
fn only_first(first: &Numbered<'_>, lines: &[&str]) -> Option<(String, (u32, u32))> {
    let others =
        lines.get(1..).filter(|others| first.is_strong && others.iter().all(|line| numbered(line).is_none()))?;
    let last = first.number.saturating_add(u32::try_from(others.len()).ok()?);
    let text = std::iter::once(first.code).chain(others.iter().copied()).collect::<Vec<_>>().join("\n");
    Some((text, (first.number, last)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_numbers_are_those_of_tools() {
        for text in [
            "2485→code",
            "  2485\tcode",
            "2485 code",
            "2485: code",
            "2485 | code",
            "L2485:code",
            "2485⇥code",
            "2485. code",
            "[2485] code",
            "(2485) code",
            "2485) code",
            "2485-code",
            "Line 2485: code",
            "line 2485 code",
            "> 2485 | code",
            "src/a.rs:2485:code",
            "src/a.rs-2485-code",
            "a.go:2485: code",
        ] {
            let (code, numbers) = without_numbers(text).expect(text);
            assert_eq!((code.trim(), numbers), ("code", (2485, 2485)), "{text}");
        }
        assert_eq!(without_numbers("3: a\n9: b"), Some((" a\n...\n b".into(), (3, 9))));
        assert_eq!(without_numbers("3→a\n...\n9→b"), Some(("a\n...\nb".into(), (3, 9))));
        assert_eq!(without_numbers("3→a\nb\nc"), Some(("a\nb\nc".into(), (3, 5))));
        assert_eq!(without_numbers("3 a\nb"), None);
        assert_eq!(without_numbers("9: a\n3: b"), None);
        assert_eq!(without_numbers("code"), None);
    }
}
