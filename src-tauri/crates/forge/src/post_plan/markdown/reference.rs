//! Finds the parts of a text that GitLab reads as mentions or references. GitLab searches the rendered text, so neither escapes
//! nor entities hide them; only code does.

use std::sync::LazyLock;

use percent_encoding::percent_decode_str;
use regex::Regex;

/// `@user`, `group/project#12`, `!34`, `%milestone`, `~label`, `&5`, `$6`, `^alert#7`, `*iteration:8`, `group/project>`,
/// `[issue:9]`, `[[page]]`, `%{placeholder}`, tables of contents, inline differences, commits, addresses, and keys of external
/// issues such as `ABC-10`.
static REFERENCE: LazyLock<Regex> = LazyLock::new(|| {
    #[allow(clippy::expect_used, reason = "a constant pattern")]
    Regex::new(
        r#"(?x)
        (?i:[a-z][a-z0-9+.\-]*://[^\s<>]*)
        | (?i:\bwww\.[^\s<>]+)
        | (?i:\bmailto:[^\s<>]*)
        | [\w.\-/]*@[\w.\-/]+
        | [\w.\-/^]*[\#!]\d+[+s]?
        | [\w.\-/]*[%~](?:"[^"\n]*"|[\w:\-?.&<>"'+]+)
        | [\w.\-/]*[&$]\d+
        | [\w.\-/]*\*iteration:(?:"[^"\n]*"|[\w\-]+)
        | [\w.\-]+(?:/[\w.\-]+)+>
        | \[(?:vulnerability|feature_flag|issue|epic|work_item|contact|wiki_page|cadence|iteration|snippet|merge_request|milestone|label|commit|alert)[:|][^\]\n]*\]
        | \[\[[^\n]*?\]\]
        | \[(?i:toc)\]
        | %\{[^}\n]*\}
        | (?i:::include\{[^}\n]*\}?)
        | \{\+[^\n]*?\+\} | \{-[^\n]*?-\} | \[\+[^\n]*?\+\] | \[-[^\n]*?-\]
        | \w*(?i:[0-9a-f]{7})\w*
        | \w*[A-Z][A-Z0-9_]+-\d+\w*
        "#,
    )
    .expect("a constant pattern")
});

/// Names of standards that look like issue keys.
const NOT_AN_ISSUE: &[&str] = &[
    "AES", "ASN", "BASE", "CVE", "CWE", "ES", "EIP", "ECMA", "HTTP", "IEEE", "ISO", "PEP", "RFC", "SHA", "UCS", "UTF",
];

/// Returns the ranges of `text` that GitLab may read as references.
pub(super) fn references(text: &str) -> impl Iterator<Item = std::ops::Range<usize>> {
    REFERENCE.find_iter(text).filter(|found| !is_standard(found.as_str())).map(|found| found.range())
}

/// Returns whether GitLab may read a part of `text` as a reference.
pub(super) fn has_reference(text: &str) -> bool {
    references(text).next().is_some()
}

/// Inserts word joiners, which have no width, between all characters of possible references, and after each character that can
/// start one: in HTML it is followed by an escape, which GitLab reads as part of a name.
pub(super) fn broken_references(text: &str) -> String {
    const JOINER: char = '\u{2060}';
    let mut out = String::with_capacity(text.len());
    let mut add = |part: &str, everywhere: bool| {
        let mut chars = part.chars().peekable();
        while let Some(char) = chars.next() {
            out.push(char);
            if (everywhere || "@#!%~$&^*>[{".contains(char)) && char != JOINER && chars.peek() != Some(&JOINER) {
                out.push(JOINER);
            }
        }
    };
    let mut at = 0;
    for range in references(text) {
        add(&text[at..range.start], false);
        add(&text[range.clone()], true);
        at = range.end;
    }
    add(&text[at..], false);
    out
}

fn is_standard(text: &str) -> bool {
    text.split_once('-').is_some_and(|(name, rest)| {
        NOT_AN_ISSUE.contains(&name) && !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Returns whether an address may be linked: a web page that cannot be an issue, a merge request, a commit or a user of a GitLab
/// server. A link to one of these creates a cross-reference there.
pub(super) fn is_linkable(url: &str) -> bool {
    /// Parts of a path that name a kind of object, also without the `/-/` of newer addresses.
    const OBJECTS: &[&str] = &[
        "-",
        "issues",
        "merge_requests",
        "work_items",
        "epics",
        "milestones",
        "snippets",
        "commit",
        "compare",
        "labels",
        "alert_management",
        "vulnerabilities",
        "designs",
        "iterations",
        "users",
        "wikis",
    ];
    let Ok(parsed) = url::Url::parse(url) else { return false };
    let decoded = |part: &str| percent_decode_str(part).decode_utf8_lossy().to_ascii_lowercase();
    matches!(parsed.scheme(), "http" | "https")
        && parsed.username().is_empty()
        && parsed.password().is_none()
        && parsed.host_str().is_some_and(|host| !host.is_empty())
        && url.bytes().all(|byte| byte.is_ascii_graphic() && !b"<>\"`\\^{}|".contains(&byte))
        && parsed.path_segments().is_none_or(|mut parts| !parts.any(|part| OBJECTS.contains(&decoded(part).as_str())))
}
