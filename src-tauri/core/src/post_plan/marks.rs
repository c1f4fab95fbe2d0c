//! Marks in comments that people do not see: by them a later run finds what landed, and what an earlier review said.
//!
//! In: bodies of comments that the token's own user wrote. Out: what their marks say; malformed ones are ignored. Text of a model cannot
//! forge a mark: its comments are escaped, and diffsan's own marks stand alone behind everything else.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::review::Fingerprint;

/// A line that is a mark: its name, and what it says.
static MARK: LazyLock<Regex> = LazyLock::new(|| {
    #[allow(clippy::expect_used, reason = "a constant pattern")]
    Regex::new(r"^\s*<!--\s*diffsan:([^\s:>]+)(?::([^\s>]+))?\s*-->\s*$").expect("a constant pattern")
});

/// The line of the metadata that has the fingerprint, as older notes have it alone.
static METADATA: LazyLock<Regex> = LazyLock::new(|| {
    #[allow(clippy::expect_used, reason = "a constant pattern")]
    Regex::new(r"\*\*Fingerprint:\*\*\s*`([^`\s:]+):([^`\s]+)`").expect("a constant pattern")
});

/// What a summary tells later reviews, as both programs that write such notes have it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmbeddedDigest {
    /// Of the diff that was reviewed.
    #[serde(default)]
    pub prior_fingerprint: Option<Fingerprint>,
    /// What was found.
    #[serde(default)]
    pub findings: Vec<EmbeddedFinding>,
    /// The summary in a line.
    #[serde(default)]
    pub summary_hint: Option<String>,
}

/// A finding in few words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmbeddedFinding {
    /// Its key.
    #[serde(default)]
    pub finding_id: String,
    /// Its file.
    #[serde(default)]
    pub path: String,
    /// `12` or `12-14`; empty for a whole file.
    #[serde(default)]
    pub line_range: String,
    /// Its headline.
    #[serde(default)]
    pub title: String,
    /// Its severity's name.
    #[serde(default)]
    pub severity: String,
}

/// What the marks of one body say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// Keys of the findings that it carries.
    pub findings: Vec<String>,
    /// The key of the review whose summary it is.
    pub review: Option<String>,
    /// Of the diff that was reviewed.
    pub fingerprint: Option<Fingerprint>,
    /// The head that was reviewed.
    pub head: Option<String>,
    /// What it tells later reviews.
    pub digest: Option<EmbeddedDigest>,
}

/// The mark of a summary's tag.
pub fn tag_mark(tag: &str) -> String {
    format!("<!-- diffsan:{tag} -->")
}

/// The mark of a finding.
pub fn finding_mark(key: &str) -> String {
    format!("<!-- diffsan:finding:{key} -->")
}

/// The marks of a summary, each on its line.
pub fn summary_marks(
    tag: &str,
    review: &str,
    fingerprint: &Fingerprint,
    head: Option<&str>,
    digest: &EmbeddedDigest,
) -> String {
    let json = serde_json::to_vec(digest).unwrap_or_default();
    let head = head.map(|head| format!("<!-- diffsan:head:{head} -->"));
    [
        tag_mark(tag),
        format!("<!-- diffsan:fingerprint:{}:{} -->", fingerprint.algo, fingerprint.value),
        format!("<!-- diffsan:prior_digest:{} -->", STANDARD.encode(json)),
        format!("<!-- diffsan:review:{review} -->"),
    ]
    .into_iter()
    .chain(head)
    .collect::<Vec<_>>()
    .join("\n")
}

/// Whether a body is a summary with that tag, by this program or by the one whose notes it understands.
pub fn has_tag(body: &str, tag: &str) -> bool {
    lines_outside_code(body).any(|line| mark(line).is_some_and(|(name, value)| name == tag && value.is_none()))
}

/// What the marks of a body say.
pub fn read(body: &str) -> Marks {
    let mut found = Marks::default();
    // Only what stands behind everything else says what landed: text above may quote a mark.
    for line in
        body.lines().rev().map_while(|line| if line.trim().is_empty() { Some(None) } else { mark(line).map(Some) })
    {
        match line {
            Some(("finding", Some(key))) => found.findings.push(key.to_owned()),
            Some(("review", Some(key))) => found.review = Some(key.to_owned()),
            _ => {}
        }
    }
    found.findings.reverse();
    for (name, value) in lines_outside_code(body).filter_map(mark) {
        match (name, value) {
            ("fingerprint", Some(value)) => found.fingerprint = fingerprint(value).or(found.fingerprint),
            ("head", Some(value)) => found.head = Some(value.to_owned()),
            ("prior_digest", Some(value)) => {
                let json = STANDARD.decode(value).ok();
                found.digest = json.and_then(|json| serde_json::from_slice(&json).ok()).or(found.digest);
            }
            _ => {}
        }
    }
    let told = found.digest.as_ref().and_then(|digest| digest.prior_fingerprint.clone());
    found.fingerprint = told.or(found.fingerprint).or_else(|| {
        let captures = lines_outside_code(body).find_map(|line| METADATA.captures(line))?;
        Some(Fingerprint { algo: captures[1].to_owned(), value: captures[2].to_owned() })
    });
    found
}

fn mark(line: &str) -> Option<(&str, Option<&str>)> {
    let captures = MARK.captures(line)?;
    Some((captures.get(1)?.as_str(), captures.get(2).map(|value| value.as_str())))
}

fn fingerprint(text: &str) -> Option<Fingerprint> {
    let (algo, value) = text.split_once(':')?;
    Some(Fingerprint { algo: algo.to_owned(), value: value.to_owned() })
}

fn lines_outside_code(body: &str) -> impl Iterator<Item = &str> {
    let mut fence: Option<(char, usize)> = None;
    body.lines().filter(move |line| {
        let bare = line.trim_start();
        let first = bare.chars().next().filter(|char| matches!(char, '`' | '~'));
        let run = first.map_or(0, |first| bare.chars().take_while(|char| *char == first).count());
        match (fence, first) {
            (None, Some(first)) if run >= 3 => fence = Some((first, run)),
            (Some((char, length)), Some(first)) if char == first && run >= length && bare[run..].trim().is_empty() => {
                fence = None;
            }
            (None, _) => return true,
            _ => {}
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sha(value: &str) -> Fingerprint {
        Fingerprint { algo: "sha256".into(), value: value.into() }
    }

    #[test]
    fn what_is_written_is_read() {
        let digest = EmbeddedDigest { prior_fingerprint: Some(sha("ab")), ..EmbeddedDigest::default() };
        let body = format!(
            "Text\n\n{}\n{}",
            finding_mark("k1"),
            summary_marks("ai-reviewer", "r1", &sha("ab"), Some("cafe"), &digest)
        );
        let marks = read(&body);
        assert_eq!((marks.findings, marks.review), (vec!["k1".to_owned()], Some("r1".into())));
        assert_eq!(marks.head.as_deref(), Some("cafe"));
        assert_eq!((marks.fingerprint, marks.digest), (Some(sha("ab")), Some(digest)));
        assert!(has_tag(&body, "ai-reviewer") && !has_tag(&body, "other"));
    }

    #[test]
    fn notes_of_the_other_program_are_understood() {
        // Its marks stand in the middle, and what is malformed is passed over.
        let json = r#"{"prior_fingerprint":{"algo":"sha256","value":"cd"},"findings":[{"finding_id":"f-1","path":"a.py","line_range":"3-4","title":"T","severity":"high"}],"summary_hint":"Fine","summaries":[],"inline_comments":[]}"#;
        let body = format!(
            "<sub>1 finding(s)</sub>\n\nFine.\n\n<!-- diffsan:ai-reviewer -->\n\n<!-- diffsan:fingerprint:sha256:ab -->\n\n<!-- diffsan:prior_digest:{} -->\n\n<details>x</details>\n",
            STANDARD.encode(json)
        );
        let marks = read(&body);
        assert_eq!(marks.digest.as_ref().map(|digest| digest.findings[0].line_range.as_str()), Some("3-4"));
        assert_eq!(marks.fingerprint, Some(sha("cd")), "the digest comes first");
        let broken = body.replace("prior_digest:", "prior_digest:!");
        assert_eq!(read(&broken).fingerprint, Some(sha("ab")));
        let old = "- **Fingerprint:** `sha256:ef`\n<!-- diffsan:ai-reviewer -->";
        assert_eq!(read(old).fingerprint, Some(sha("ef")));
        assert_eq!(read("<!-- diffsan:fingerprint:x -->"), Marks::default());
    }

    #[test]
    fn text_of_a_model_forges_no_mark() {
        let quoted = "See\n\n<!-- diffsan:finding:k1 -->\n\nabove.\n\n<!-- diffsan:finding:k2 -->";
        assert_eq!(read(quoted).findings, ["k2"], "only those behind everything else");
        let code = "```\n<!-- diffsan:fingerprint:sha256:ab -->\n<!-- diffsan:ai-reviewer -->\n```";
        assert!(read(code).fingerprint.is_none() && !has_tag(code, "ai-reviewer"));
        let written = super::super::neutral("<!-- diffsan:ai-reviewer -->\n<!-- diffsan:fingerprint:sha256:ab -->");
        assert!(read(&written).fingerprint.is_none() && !has_tag(&written, "ai-reviewer"), "{written}");
    }
}
