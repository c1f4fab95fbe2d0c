//! What GitLab takes for a mention or a reference. It searches rendered text, so neither escapes nor entities hide one; only code does.

use std::sync::LazyLock;

use percent_encoding::percent_decode_str;
use regex::Regex;

/// `@user`, `group/project#12`, `!34`, `%milestone`, `~label`, `&5`, `$6`, `^alert#7`, `*iteration:8`, `group/project>`, `[issue:9]`,
/// `[[page]]`, `%{placeholder}`, tables of contents, commits, addresses, and keys of external issues such as `ABC-10`.
static REFERENCE: LazyLock<Regex> = LazyLock::new(|| {
    #[allow(clippy::expect_used, reason = "a constant pattern")]
    Regex::new(
        r#"(?x)
        (?i:[a-z][a-z0-9+.\-]*://[^\s<>]*)
        | (?i:\bwww\.[^\s<>]+)
        | (?i:\bmailto:[^\s<>]*)
        | [\w.\-/]*@[\w.\-/]+
        | [\w.\-/^]*[\#!]\d+[+s]?
        | [\w.\-/]*[%~](?:"[^"\n]*"|[\w:\-]+)
        | [\w.\-/]*[&$]\d+
        | [\w.\-/]*\*iteration:(?:"[^"\n]*"|[\w\-]+)
        | [\w.\-]+(?:/[\w.\-]+)+>
        | \[(?:vulnerability|feature_flag|issue|epic|work_item|contact|wiki_page|cadence|iteration|snippet|merge_request|milestone|label|commit|alert)[:|][^\]\n]*\]
        | \[\[[^\n]*?\]\]
        | \[(?i:toc)\]
        | %\{[^}\n]*\}
        | \b[0-9a-f]{7,40}\b(?:\.\.\.?[0-9a-f]{7,40}\b)?
        | \b[A-Z][A-Z0-9_]+-\d+\b
        "#,
    )
    .expect("a constant pattern")
});

/// Names of standards that look like keys of issues.
const NOT_AN_ISSUE: &[&str] = &[
    "AES", "ASN", "BASE", "CVE", "CWE", "ES", "EIP", "ECMA", "HTTP", "IEEE", "ISO", "PEP", "RFC", "SHA", "UCS", "UTF",
];

/// Returns the ranges of `text` that GitLab may take for references.
pub(super) fn references(text: &str) -> impl Iterator<Item = std::ops::Range<usize>> {
    REFERENCE.find_iter(text).filter(|found| !is_standard(found.as_str())).map(|found| found.range())
}

/// Whether GitLab may take a part of `text` for a reference.
pub(super) fn has_reference(text: &str) -> bool {
    references(text).next().is_some()
}

/// The text with a word joiner, which has no width, in each part that GitLab may take for a reference.
pub(super) fn broken_references(text: &str) -> String {
    let mut out = text.to_owned();
    // Breaking one may make its rest another one.
    loop {
        let Some(range) = references(&out).next() else { return out };
        let found = &out[range.clone()];
        let sigil = found.char_indices().find(|(_, char)| "@#!%~&$*>:[.-^".contains(*char));
        let (at, char) = sigil.or_else(|| found.char_indices().nth(3)).unwrap_or((0, ' '));
        out.insert(range.start + at + char.len_utf8(), '\u{2060}');
    }
}

fn is_standard(text: &str) -> bool {
    text.split_once('-').is_some_and(|(name, rest)| {
        NOT_AN_ISSUE.contains(&name) && !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Whether an address may be linked: a web page that cannot be an issue, a merge request, a commit or a person of a GitLab. Linking
/// one of these creates a cross-reference there.
pub(super) fn is_linkable(url: &str) -> bool {
    /// Parts of a path that name a kind of object, also without the `/-/` that newer addresses have.
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
