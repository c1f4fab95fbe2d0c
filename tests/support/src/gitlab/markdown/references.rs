//! Finds mentions, references, placeholders and inline diffs in a piece of text.
//!
//! A piece is the text of one text node of the rendered page: with entities decoded, and without markup.

use std::sync::LazyLock;

use regex::Regex;

use super::effects::{ActiveBlock, NoteEffects, Reference, ReferenceKind};

const NAME: &str = r"(?:[a-zA-Z0-9_.][a-zA-Z0-9_.\-]*[a-zA-Z0-9_\-]|[a-zA-Z0-9_])";

/// `@name`, `@group/sub`. GitLab's `\w` is ASCII, so `é@jane` is a mention.
static MENTION: LazyLock<Regex> = LazyLock::new(|| expression(&format!("@({NAME}(?:/{NAME})*)")));

/// The pattern of each kind. No pattern requires a boundary before it, because the name of a project may precede it.
static KINDS: LazyLock<Vec<(ReferenceKind, Regex)>> = LazyLock::new(|| {
    [
        (ReferenceKind::Issue, r"#[0-9]+"),
        (ReferenceKind::Issue, r"(?-u:\b)GL-[0-9]+"),
        (ReferenceKind::MergeRequest, "![0-9]+"),
        (ReferenceKind::Milestone, r#"%(?:[0-9A-Za-z_-]+|"[^"\n]+")"#),
        (ReferenceKind::Label, r#"~(?:[A-Za-z0-9_\-?.&]+|"[^"\n]+")"#),
        (ReferenceKind::Snippet, r"\$[0-9]+"),
        (ReferenceKind::Epic, "&[0-9]+"),
        (ReferenceKind::Iteration, r#"\*iteration:(?:[0-9A-Za-z_-]+|"[^"\n]+")"#),
        (ReferenceKind::Alert, r"\^alert#[0-9]+"),
        (
            ReferenceKind::Named,
            r"\[(?:vulnerability|feature_flag|contact|wiki_page|issue|work_item|epic|cadence|incident|task|iteration|merge_request|snippet|alert|milestone|label|design|commit|project|user|group):[^\]\n]+\]",
        ),
        (ReferenceKind::WikiPage, r"\[\[[^\]\n]+\]\]"),
        (ReferenceKind::Project, &format!("{NAME}(?:/{NAME})+>")),
    ]
    .map(|(kind, text)| (kind, expression(text)))
    .into()
});

static COMMIT: LazyLock<Regex> = LazyLock::new(|| expression(r"[0-9a-fA-F]{7,}"));
static EXTERNAL: LazyLock<Regex> = LazyLock::new(|| expression(r"(?-u:\b)[A-Z][A-Z0-9_]+-[0-9]+"));
static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| expression(r"%\{[a-z_0-9]+\}"));
static DIFFERENCE: LazyLock<Regex> = LazyLock::new(|| expression(r"\{\+.*?\+\}|\{-.*?-\}|\[\+.*?\+\]|\[-.*?-\]"));
static ROUTE: LazyLock<Regex> = LazyLock::new(|| {
    expression(concat!(
        r"^/(?:[^\s/?#]+/)*",
        r"(?:issues|work_items|merge_requests|commit|compare|snippets|milestones|epics|iterations|wikis|feature_flags|",
        r"alert_management|vulnerabilities|designs|boards|cadences|contacts)(?:/|\?|$)"
    ))
});

fn expression(text: &str) -> Regex {
    Regex::new(text).expect("a pattern")
}

/// Returns whether a text cannot contain anything that [`scan`] finds.
fn is_plain(text: &str) -> bool {
    !text.bytes().any(|byte| {
        matches!(
            byte,
            b'@' | b'#' | b'!' | b'%' | b'~' | b'$' | b'&' | b'*' | b'^' | b'[' | b'{' | b'>' | b'/' | b'0'
                ..=b'9' | b'-'
        )
    }) && !COMMIT.is_match(text)
}

/// Adds the effects of a piece of text.
pub(super) fn scan(text: &str, base: &str, found: &mut NoteEffects) {
    if is_plain(text) {
        return;
    }
    for mention in MENTION.captures_iter(text) {
        let (Some(whole), Some(name)) = (mention.get(0), mention.get(1)) else { continue };
        if !ends_in_word(&text[..whole.start()]) {
            found.mentioned.push(name.as_str().to_owned());
        }
    }
    for (kind, pattern) in KINDS.iter() {
        for reference in pattern.find_iter(text) {
            if reference.as_str() == "[[_TOC_]]" || reference.as_str() == "[[TOC]]" {
                found.other_active_blocks.push(ActiveBlock::TableOfContents);
                continue;
            }
            found.references.push(Reference { kind: *kind, text: reference.as_str().to_owned() });
        }
    }
    commits(text, found);
    for (at, _) in text.match_indices(base) {
        let address: String = text[at..].chars().take_while(|character| !character.is_whitespace()).collect();
        if is_object(&address, base) {
            found.references.push(Reference { kind: ReferenceKind::Address, text: address });
        }
    }
    found.external_issues.extend(EXTERNAL.find_iter(text).map(|key| key.as_str().to_owned()));
    let blocks = &mut found.other_active_blocks;
    blocks.extend(PLACEHOLDER.find_iter(text).map(|one| ActiveBlock::Placeholder(one.as_str().to_owned())));
    blocks.extend(DIFFERENCE.find_iter(text).map(|one| ActiveBlock::InlineDiff(one.as_str().to_owned())));
}

/// Adds commits: words of 7 to 40 hexadecimal digits. Before GitLab 16 a part of a word counted too; it is included if it has a
/// digit.
fn commits(text: &str, found: &mut NoteEffects) {
    let mut last: Option<(usize, usize)> = None;
    for sha in COMMIT.find_iter(text) {
        let (before, behind) = (&text[..sha.start()], &text[sha.end()..]);
        let word = !ends_in_word(before) && !behind.starts_with(is_word) && sha.len() <= 40;
        if !word && !sha.as_str().bytes().any(|byte| byte.is_ascii_digit()) {
            continue;
        }
        if let Some((start, end)) = last.filter(|(_, end)| matches!(&text[*end..sha.start()], ".." | "...")) {
            let _ = end;
            let range = text[start..sha.end()].to_owned();
            found.references.push(Reference { kind: ReferenceKind::CommitRange, text: range });
        }
        last = Some((sha.start(), sha.end()));
        found.references.push(Reference { kind: ReferenceKind::Commit, text: sha.as_str().to_owned() });
    }
}

/// Adds the effects of a link's address, which may be a reference or the address of an object of this GitLab.
pub(super) fn scan_address(address: &str, base: &str, found: &mut NoteEffects) {
    let decoded = percent_decoded(address);
    if is_object(&decoded, base) {
        found.references.push(Reference { kind: ReferenceKind::Address, text: decoded });
        return;
    }
    if let Some(mention) = MENTION.captures(&decoded).filter(|mention| mention[0].len() == decoded.len()) {
        found.mentioned.push(mention[1].to_owned());
        return;
    }
    let is_whole = |pattern: &Regex| {
        pattern.find(&decoded).is_some_and(|found| found.end() == decoded.len() && is_path(&decoded[..found.start()]))
    };
    let sha = (7..=40).contains(&decoded.len()) && decoded.bytes().all(|byte| byte.is_ascii_hexdigit());
    if sha || KINDS.iter().any(|(_, pattern)| is_whole(pattern)) {
        found.references.push(Reference { kind: ReferenceKind::LinkAddress, text: decoded });
    }
}

fn is_path(text: &str) -> bool {
    text.chars().all(|character| character.is_ascii_alphanumeric() || "_-./".contains(character))
}

/// Returns whether an address is one of an object of this GitLab.
fn is_object(address: &str, base: &str) -> bool {
    address.get(..base.len()).is_some_and(|start| start.eq_ignore_ascii_case(base))
        && ROUTE.is_match(&address[base.len()..])
}

fn ends_in_word(text: &str) -> bool {
    text.ends_with(is_word)
}

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let digits = behind.get(..2).filter(|_| *first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            None => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}
