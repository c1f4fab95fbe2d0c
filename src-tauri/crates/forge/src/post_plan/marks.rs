//! Markers in comments that users do not see. With them, a later run finds the posted comments and the findings of earlier reviews.
//!
//! In: bodies of comments that the token's own user wrote. Out: the content of their markers. Markers count only at the end of a
//! body and with a seal: their last line is a keyed digest of the others, for this merge request. So text that somebody else
//! wrote cannot forge a marker, even if the user or a bot with the same name posted it.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use regex::Regex;
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use diffsan_change::Fingerprint;
use diffsan_review::unsent::UnsentFiles;

/// The length of a digest in a seal, in bytes.
const DIGEST_LENGTH: usize = 16;

/// A line with a marker: its name and its value.
static MARK: LazyLock<Regex> = LazyLock::new(|| {
    #[allow(clippy::expect_used, reason = "a constant pattern")]
    Regex::new(r"^<!-- diffsan:([^\s:>]+)(?::([^\s>]+))? -->$").expect("a constant pattern")
});

/// The keys that seal the markers of one merge request. A seal has a digest for each key, and one valid digest is enough: the
/// installation key outlives the token, and the token is the same in all pipeline jobs and on other machines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarkerKeys(Vec<[u8; 32]>);

impl MarkerKeys {
    /// Derives the keys for merge request `iid` of a project from secrets that no other user has.
    pub fn new(secrets: &[&[u8]], origin: &str, project_id: u64, iid: u64) -> Self {
        let scope = format!("diffsan markers\n{origin}\n{project_id}\n{iid}");
        Self(secrets.iter().filter_map(|secret| digest(secret, &scope)).collect())
    }

    /// Returns the markers with their seal appended.
    pub fn seal(&self, markers: &str) -> String {
        let digests = self.0.iter().filter_map(|key| digest(key, markers));
        let hex = digests.map(|digest| hex::encode(&digest[..DIGEST_LENGTH]));
        format!("{markers}\n<!-- diffsan:seal:{} -->", hex.collect::<Vec<_>>().join("."))
    }

    /// Returns whether these keys created the seal for the markers.
    fn is_seal(&self, markers: &str, seal: &str) -> bool {
        let given: Vec<Vec<u8>> = seal.split('.').filter_map(from_hex).collect();
        self.0.iter().any(|key| {
            given.iter().any(|given| {
                let mac = Hmac::<Sha256>::new_from_slice(key).map(|mac| mac.chain_update(markers.as_bytes()));
                mac.is_ok_and(|mac| mac.verify_truncated_left(given).is_ok())
            })
        })
    }
}

fn digest(key: &[u8], text: &str) -> Option<[u8; 32]> {
    let mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
    Some(mac.chain_update(text.as_bytes()).finalize().into_bytes().into())
}

/// Returns the bytes of a digest in a seal, or `None` if it has the wrong length.
fn from_hex(text: &str) -> Option<Vec<u8>> {
    hex::decode(text).ok().filter(|digest| digest.len() == DIGEST_LENGTH)
}

/// The digest for later reviews in a summary, in the format of both programs that write such notes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmbeddedDigest {
    /// The fingerprint of the reviewed diff.
    #[serde(default)]
    pub prior_fingerprint: Option<Fingerprint>,
    /// The findings.
    #[serde(default)]
    pub findings: Vec<EmbeddedFinding>,
    /// The summary in one line.
    #[serde(default)]
    pub summary_hint: Option<String>,
    /// The files that were not sent wholly, which the next incremental review sends.
    #[serde(default, skip_serializing_if = "UnsentFiles::is_empty")]
    pub unsent: UnsentFiles,
    /// The reviewed head commit, if the findings are placed on a later one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewed_head: Option<String>,
}

/// A finding in short form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmbeddedFinding {
    /// The finding's key.
    #[serde(default)]
    pub finding_id: String,
    /// The path of the file.
    #[serde(default)]
    pub path: String,
    /// `12` or `12-14`. Empty for a whole file.
    #[serde(default)]
    pub line_range: String,
    /// The title.
    #[serde(default)]
    pub title: String,
    /// The name of the severity.
    #[serde(default)]
    pub severity: String,
}

/// A comment of the token's user with its markers. Markers in comments of other users are ignored.
#[derive(Clone, Debug)]
pub struct OwnNote {
    /// The number of the note.
    pub id: u64,
    /// The text.
    pub body: String,
    /// The content of its markers.
    pub marks: Marks,
}

/// The content of the sealed markers of one body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// The tag of a summary.
    pub tag: Option<String>,
    /// The keys of the findings in the comment.
    pub findings: Vec<String>,
    /// The key of the summarized review.
    pub review: Option<String>,
    /// The fingerprint of the reviewed diff.
    pub fingerprint: Option<Fingerprint>,
    /// The reviewed head commit.
    pub head: Option<String>,
    /// The digest for later reviews.
    pub digest: Option<EmbeddedDigest>,
}

impl Marks {
    /// Returns the head commit whose code the review read. Its findings may be placed on a later one.
    pub fn reviewed_head(&self) -> Option<&str> {
        let earlier = self.digest.as_ref().and_then(|digest| digest.reviewed_head.as_deref());
        earlier.or(self.head.as_deref())
    }
}

/// Returns the marker of a summary's tag.
pub fn tag_mark(tag: &str) -> String {
    format!("<!-- diffsan:{tag} -->")
}

/// Returns the marker of a finding.
pub fn finding_mark(key: &str) -> String {
    format!("<!-- diffsan:finding:{key} -->")
}

/// Returns the markers of a summary, one on each line.
pub fn summary_marks(
    tag: &str,
    review: &str,
    fingerprint: &Fingerprint,
    head: Option<&str>,
    digest: &EmbeddedDigest,
) -> serde_json::Result<String> {
    let json = serde_json::to_vec(digest)?;
    let head = head.map(|head| format!("<!-- diffsan:head:{head} -->"));
    let marks = [
        tag_mark(tag),
        format!("<!-- diffsan:fingerprint:{}:{} -->", fingerprint.algo, fingerprint.value),
        format!("<!-- diffsan:prior_digest:{} -->", STANDARD.encode(json)),
        format!("<!-- diffsan:review:{review} -->"),
    ]
    .into_iter()
    .chain(head)
    .collect::<Vec<_>>();
    Ok(marks.join("\n"))
}

/// Returns whether a body claims to be a summary with this tag. The claim is not proven; use [`Marks::tag`] for any decision.
pub fn has_tag(body: &str, tag: &str) -> bool {
    lines_outside_code(body).any(|line| mark(line).is_some_and(|(name, value)| name == tag && value.is_none()))
}

/// Returns the content of the sealed markers of a body. The result is empty if the seal is missing or invalid.
pub fn read(body: &str, keys: &MarkerKeys) -> Marks {
    let mut found = Marks::default();
    let (_, markers) = split(body);
    let Some((markers, seal)) = markers.rsplit_once('\n') else { return found };
    let Some(("seal", Some(seal))) = mark(seal) else { return found };
    if !keys.is_seal(markers, seal) {
        return found;
    }
    for (name, value) in markers.lines().filter_map(mark) {
        match (name, value) {
            ("finding", Some(key)) => found.findings.push(key.to_owned()),
            ("review", Some(key)) => found.review = Some(key.to_owned()),
            ("fingerprint", Some(value)) => found.fingerprint = fingerprint(value),
            ("head", Some(value)) => found.head = Some(value.to_owned()),
            ("prior_digest", Some(value)) => {
                let json = STANDARD.decode(value).ok();
                found.digest = json.and_then(|json| serde_json::from_slice(&json).ok());
            }
            (tag, None) => found.tag = Some(tag.to_owned()),
            _ => {}
        }
    }
    let embedded = found.digest.as_ref().and_then(|digest| digest.prior_fingerprint.clone());
    found.fingerprint = embedded.or(found.fingerprint);
    found
}

/// Splits a body into its visible text and the lines of markers at its end.
pub(super) fn split(body: &str) -> (&str, &str) {
    let body = body.trim_end();
    let (mut start, mut end) = (body.len(), body.len());
    loop {
        let from = body[..end].rfind('\n').map_or(0, |at| at + 1);
        if mark(&body[from..end]).is_none() {
            break;
        }
        start = from;
        if from == 0 {
            break;
        }
        end = from - 1;
    }
    (body[..start].trim_end(), &body[start..])
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
    let mut fence = CodeFence::default();
    body.lines().filter(move |line| fence.is_outside(line))
}

/// The fenced code block that contains the current line of a text, if there is one.
#[derive(Default)]
pub(super) struct CodeFence(Option<(char, usize)>);

impl CodeFence {
    /// Returns whether the next line is outside of code. A fence is part of its code.
    pub(super) fn is_outside(&mut self, line: &str) -> bool {
        let bare = line.trim_start();
        let first = bare.chars().next().filter(|char| matches!(char, '`' | '~'));
        let run = first.map_or(0, |first| bare.chars().take_while(|char| *char == first).count());
        match (self.0, first) {
            (None, Some(first)) if run >= 3 => self.0 = Some((first, run)),
            (Some((char, length)), Some(first)) if char == first && run >= length && bare[run..].trim().is_empty() => {
                self.0 = None;
            }
            (None, _) => return true,
            _ => {}
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sha(value: &str) -> Fingerprint {
        Fingerprint { algo: "sha256".into(), value: value.into() }
    }

    fn keys(secrets: &[&str]) -> MarkerKeys {
        let secrets: Vec<&[u8]> = secrets.iter().map(|secret| secret.as_bytes()).collect();
        MarkerKeys::new(&secrets, "https://gitlab.example.com", 3, 7)
    }

    fn summary(keys: &MarkerKeys, digest: &EmbeddedDigest) -> String {
        let markers = summary_marks("ai-reviewer", "r1", &sha("ab"), Some("cafe"), digest).expect("serialisable");
        format!("Text\n\n{}", keys.seal(&format!("{}\n{markers}", finding_mark("k1"))))
    }

    #[test]
    fn written_markers_are_read_back() {
        let digest = EmbeddedDigest { prior_fingerprint: Some(sha("ab")), ..EmbeddedDigest::default() };
        let body = summary(&keys(&["installation", "token"]), &digest);
        for (reader, counts) in [
            (keys(&["installation", "token"]), true),
            (keys(&["installation", "renewed token"]), true),
            (keys(&["another machine", "token"]), true),
            (keys(&["another machine", "another token"]), false),
            (MarkerKeys::new(&[b"token"], "https://gitlab.example.com", 3, 8), false),
            (MarkerKeys::new(&[b"token"], "https://other.example.com", 3, 7), false),
            (MarkerKeys::default(), false),
        ] {
            let marks = read(&body, &reader);
            if !counts {
                assert_eq!(marks, Marks::default(), "{reader:?}");
                continue;
            }
            assert_eq!((marks.findings, marks.review), (vec!["k1".to_owned()], Some("r1".into())));
            assert_eq!((marks.head.as_deref(), marks.tag.as_deref()), (Some("cafe"), Some("ai-reviewer")));
            assert_eq!((marks.fingerprint, marks.digest), (Some(sha("ab")), Some(digest.clone())));
        }
        assert!(has_tag(&body, "ai-reviewer") && !has_tag(&body, "other"));
        assert_eq!(split(&body).0, "Text");
    }

    #[test]
    fn forged_markers_are_ignored() {
        let keys = keys(&["token"]);
        let genuine = summary(&keys, &EmbeddedDigest::default());
        let seal = genuine.lines().last().expect("a seal");
        for forged in [
            finding_mark("k1"),
            format!("{}\n{seal}", finding_mark("k9")),
            genuine.replace("finding:k1", "finding:k2"),
            genuine.replace("sha256:ab", "sha256:cd"),
            genuine.replace(seal, ""),
            genuine.replace(seal, "<!-- diffsan:seal: -->"),
            genuine.replace(seal, "<!-- diffsan:seal:00 -->"),
            genuine.replace(seal, &format!("<!-- diffsan:seal:{} -->", "0".repeat(32))),
            format!("{genuine}\n{}", finding_mark("k2")),
            format!("{genuine}\n\nmore text"),
            format!("```\n{genuine}\n```"),
            format!("> {}", genuine.replace('\n', "\n> ")),
        ] {
            assert_eq!(read(&forged, &keys), Marks::default(), "{forged}");
        }
        assert_eq!(read(&format!("{genuine}\n \n"), &keys).findings, ["k1"]);
    }
}
