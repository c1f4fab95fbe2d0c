//! Findings that say the same, as one: by place, code and meaning, whether they come from one agent, from parts of a change or
//! from several agents.
//!
//! In: placed findings. Out: fewer of them, each naming everybody who found it. Two are one only where they speak of the same
//! lines, code and names, and those of one agent only where they repeat each other: what it told apart is not the same. Words,
//! place and patch of what is joined come from one of them, the severity from the worst.

mod compare;

use std::collections::HashSet;

use crate::finding::{AnchorState, Finding, Side};

pub use compare::{Became, Compared, Round, compare, pairs};

/// Words that say nothing about what a remark means.
const EMPTY_WORDS: &[&str] = &[
    "the", "a", "an", "is", "are", "be", "to", "of", "in", "on", "and", "or", "not", "it", "its", "this", "that",
    "with", "for", "when", "if", "so", "will", "would", "should", "could", "can", "may", "might", "must", "here",
    "there", "which", "where", "has", "have", "was", "were", "by", "as", "at", "from", "but", "code", "line", "lines",
    "change", "instead", "use", "using",
];
/// How alike two remarks by one agent must be, of 1: it repeats itself.
const REPEATED: f64 = 0.8;
/// How alike those of two agents must be.
const SAME_WORDS: f64 = 0.5;
/// How alike they must be where their quoted code is the same.
const SAME_CODE: f64 = 0.2;
/// How far apart the lines of one remark may be said to be.
const NEAR: u32 = 2;

/// Joins what says the same. The findings come worst first, and are named `f1`, `f2`, … anew.
pub fn merge(findings: Vec<Finding>) -> Vec<Finding> {
    let mut merged: Vec<(Finding, Said)> = Vec::new();
    let mut sorted = findings;
    sorted.sort_by_key(|finding| std::cmp::Reverse(finding.said.severity));
    for finding in sorted {
        let said = Said::of(&finding);
        // Of several that it could repeat, the one that it is most like.
        let same = merged.iter_mut().filter(|(known, of_known)| is_same((known, of_known), (&finding, &said)));
        match same.max_by(|a, b| overlap(&a.1.words, &said.words).total_cmp(&overlap(&b.1.words, &said.words))) {
            Some((known, of_known)) => {
                if join(known, finding) {
                    *of_known = said;
                }
            }
            None => merged.push((finding, said)),
        }
    }
    (1..).zip(merged).map(|(number, (finding, _))| Finding { id: format!("f{number}"), ..finding }).collect()
}

/// Joins two: the one whose place is known better is kept whole, the worse one where that is equal. Whether it is the other.
fn join(known: &mut Finding, other: Finding) -> bool {
    let (severity, mut other) = (known.said.severity, other);
    let swapped = rank(other.anchor.state) < rank(known.anchor.state);
    let mut sources = known.sources.clone();
    sources.extend(other.sources.iter().filter(|source| !known.sources.contains(source)).cloned());
    if swapped {
        std::mem::swap(known, &mut other);
    }
    known.sources = sources;
    known.said.severity = severity;
    // A patch is for the lines that it was made for.
    if known.said.suggested_patch.is_none() && other.fix.is_some() && range(known) == range(&other) {
        (known.fix, known.said.suggested_patch) = (other.fix, other.said.suggested_patch);
    }
    if known.chain.is_empty() {
        known.chain = other.chain;
    }
    for claim in other.claims {
        if !known.claims.iter().any(|own| own.claim == claim.claim) {
            known.claims.push(claim);
        }
    }
    swapped
}

/// How well a place is known, the best first.
fn rank(state: AnchorState) -> u8 {
    match state {
        AnchorState::Verified => 0,
        AnchorState::Moved => 1,
        AnchorState::Unverified => 2,
        AnchorState::File => 3,
        AnchorState::Unplaced => 4,
    }
}

/// What a finding is told apart by, made once.
struct Said {
    words: HashSet<String>,
    /// The headline's words, each of them: "argument a" is not "argument b".
    title: Vec<String>,
    /// What is named in it, in backticks or quotes: in the headline, and anywhere.
    names: [HashSet<String>; 2],
    /// The code that was found where it says, without blanks.
    code: Option<String>,
}

impl Said {
    fn of(finding: &Finding) -> Self {
        let title = finding.said.title.as_deref().unwrap_or_default();
        let in_title = names(title);
        let mut anywhere = names(&finding.said.body_markdown);
        anywhere.extend(in_title.iter().cloned());
        let found = matches!(finding.anchor.state, AnchorState::Verified | AnchorState::Moved);
        Self {
            words: words(finding),
            title: tokens(title).collect(),
            names: [in_title, anywhere],
            code: quoted(finding).filter(|_| found),
        }
    }
}

fn is_same((a, of_a): (&Finding, &Said), (b, of_b): (&Finding, &Said)) -> bool {
    if a.anchor.path != b.anchor.path || !is_near(a, b) || name_others(of_a, of_b) || sit_apart(of_a, of_b) {
        return false;
    }
    if a.sources.iter().any(|source| b.sources.contains(source)) {
        // What the built-in reviewer tells apart is not the same, however alike its sentences are.
        return !a.sources.iter().any(|source| source == crate::capability::NAME)
            && range(a) == range(b)
            && of_a.title == of_b.title
            && overlap(&of_a.words, &of_b.words) >= REPEATED;
    }
    let alike = likeness(&of_a.words, &of_b.words);
    let same_code = quoted(a).is_some_and(|code| quoted(b) == Some(code));
    alike >= SAME_WORDS || same_code && a.said.category == b.said.category && alike >= SAME_CODE
}

/// Whether they name other things: in their headlines, or, where one of those names nothing, anywhere. One may name more.
fn name_others(a: &Said, b: &Said) -> bool {
    let pairs = a.names.iter().zip(&b.names);
    let both = pairs.into_iter().find(|(a, b)| !a.is_empty() && !b.is_empty());
    both.is_some_and(|(a, b)| !a.is_subset(b) && !b.is_subset(a))
}

/// Whether they quote other code that is there. One may quote more of it.
fn sit_apart(a: &Said, b: &Said) -> bool {
    let both = a.code.as_ref().zip(b.code.as_ref());
    both.is_some_and(|(a, b)| !a.contains(b.as_str()) && !b.contains(a.as_str()))
}

type Range = (Side, Option<u32>, Option<u32>);

fn range(finding: &Finding) -> Range {
    let anchor = &finding.anchor;
    (anchor.side, anchor.line_start, anchor.line_end)
}

fn quoted(finding: &Finding) -> Option<String> {
    finding.said.quote.as_deref().map(letters).filter(|code| code.len() >= 4)
}

fn is_near(a: &Finding, b: &Finding) -> bool {
    match (a.anchor.line_start.zip(a.anchor.line_end), b.anchor.line_start.zip(b.anchor.line_end)) {
        (Some((a_start, a_end)), Some((b_start, b_end))) => {
            a.anchor.side == b.anchor.side && a_start <= b_end + NEAR && b_start <= a_end + NEAR
        }
        (None, None) => true,
        _ => false,
    }
}

/// The share of the shorter remark's words that the other has, too.
fn likeness(a: &HashSet<String>, b: &HashSet<String>) -> f64 {
    let common = a.intersection(b).count() as f64;
    let fewer = a.len().min(b.len());
    if fewer == 0 { 0.0 } else { common / fewer as f64 }
}

/// The share of all words of both that both have.
fn overlap(a: &HashSet<String>, b: &HashSet<String>) -> f64 {
    let all = a.union(b).count();
    if all == 0 { 1.0 } else { a.intersection(b).count() as f64 / all as f64 }
}

fn letters(text: &str) -> String {
    text.chars().filter(|char| !char.is_whitespace()).collect()
}

/// The words of a remark's headline and its first sentences that say something, cut to their stems.
fn words(finding: &Finding) -> HashSet<String> {
    let title = finding.said.title.as_deref().unwrap_or_default();
    let body: String = finding.said.body_markdown.chars().take(400).collect();
    tokens(&format!("{title} {body}"))
        .filter(|word| word.len() > 1 && !EMPTY_WORDS.contains(&word.as_str()))
        .map(|word| stem(&word))
        .collect()
}

fn tokens(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|char: char| !char.is_alphanumeric() && char != '_');
    words.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// The words that stand in backticks, or in quotes where they are one name.
fn names(text: &str) -> HashSet<String> {
    let between = |mark: char| text.split(mark).skip(1).step_by(2);
    let is_name =
        |text: &&str| !text.is_empty() && text.chars().all(|char| char.is_alphanumeric() || "_.".contains(char));
    between('`').chain(between('"').filter(is_name)).flat_map(tokens).collect()
}

fn stem(word: &str) -> String {
    let cut = ["ations", "ation", "ings", "ing", "ies", "ied", "ed", "es", "s", "ly"]
        .iter()
        .find_map(|end| word.strip_suffix(end).filter(|stem| stem.chars().count() >= 3));
    cut.unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{AgentFinding, Anchor, Category, Edit, Fix, PatchFormat, Severity, SuggestedPatch, Verdict};

    fn finding(source: &str, line: u32, title: &str, quote: &str, severity: Severity) -> Finding {
        Finding {
            id: String::new(),
            said: AgentFinding {
                finding_id: None,
                severity,
                category: Category::Correctness,
                path: "a.rs".into(),
                line_start: line,
                line_end: line,
                title: Some(title.into()),
                body_markdown: String::new(),
                side: None,
                quote: Some(quote.into()),
                confidence: None,
                suggested_patch: None,
            },
            anchor: Anchor {
                state: AnchorState::Verified,
                path: "a.rs".into(),
                side: Side::New,
                line_start: Some(line),
                line_end: Some(line),
                in_change: true,
                notes: Vec::new(),
            },
            sources: vec![source.into()],
            verdict: Verdict::Unchecked,
            claims: Vec::new(),
            chain: Vec::new(),
            fix: None,
            code: None,
            original: None,
        }
    }

    fn merged(findings: Vec<Finding>) -> Vec<(String, Vec<String>)> {
        merge(findings).into_iter().map(|one| (one.said.title.unwrap_or_default(), one.sources)).collect()
    }

    #[test]
    fn two_agents_that_say_the_same_agree() {
        let one = finding("codex", 4, "Off-by-one error in the loop bound", "0..n - 1", Severity::Medium);
        let two = finding("claude", 5, "Loop bound misses the last element (off by one)", "0..n - 1", Severity::High);
        let all = merged(vec![one, two]);
        assert_eq!(all.len(), 1, "{all:?}");
        assert_eq!(all[0].0, "Loop bound misses the last element (off by one)", "the worst is kept");
        assert_eq!(all[0].1, ["claude", "codex"]);
    }

    #[test]
    fn other_remarks_about_the_same_line_stay() {
        let one = finding("codex", 4, "Off-by-one error in the loop bound", "0..n - 1", Severity::High);
        let two = finding("codex", 4, "The password is written to the log", "0..n - 1", Severity::High);
        assert_eq!(merged(vec![one, two]).len(), 2);
    }

    #[test]
    fn the_same_remark_about_another_place_stays() {
        let one = finding("codex", 4, "Missing error check", "open()", Severity::High);
        let two = finding("codex", 40, "Missing error check", "open()", Severity::High);
        assert_eq!(merged(vec![one, two]).len(), 2);
    }

    #[test]
    fn what_one_agent_tells_apart_stays_apart() {
        let says = |line, title, quote| finding("codex", line, title, quote, Severity::High);
        let told = vec![
            says(30, "Missing check of the argument a", "int(a)"),
            says(32, "Missing check of the argument b", "int(b)"),
            // On one line, in words that are all but the same.
            says(51, "SQL injection: `name` goes unescaped into the query", "query(name, mail)"),
            says(51, "SQL injection: `mail` goes unescaped into the query", "query(name, mail)"),
            says(54, "SQL injection: `city` goes unescaped into the query", "query(city)"),
            says(60, "Missing check of the argument a", "call(a, b)"),
            says(60, "Missing check of the argument b", "call(a, b)"),
        ];
        assert_eq!(merged(told.clone()).len(), told.len());
        let twice: Vec<Finding> = told.iter().chain(&told).cloned().collect();
        assert_eq!(merged(twice).len(), told.len(), "what it says twice, in two parts, is one");
    }

    #[test]
    fn agents_that_name_or_quote_other_code_do_not_agree() {
        let says = |source, title, quote| finding(source, 51, title, quote, Severity::High);
        let named = |one, other| {
            merged(vec![says("codex", one, "query(name, mail)"), says("claude", other, "query(name, mail)")]).len()
        };
        assert_eq!(named("Unescaped `name` in the query", "Unescaped `mail` in the query"), 2);
        assert_eq!(named("Unescaped \"name\" in the query", "Unescaped \"mail\" in the query"), 2);
        assert_eq!(named("Unescaped `name` in the query", "Unescaped `query(name)`: the query is open"), 1);
        let quoted = |one, other| {
            let title = "Unescaped value in the query";
            merged(vec![says("codex", title, one), says("claude", title, other)]).len()
        };
        assert_eq!(quoted("query(name)", "query(mail)"), 2);
        assert_eq!(quoted("query(name)", "db.query(name);"), 1, "one quotes more of it");
    }

    #[test]
    fn what_is_joined_has_words_place_and_patch_of_one() {
        let patch = |text: &str| SuggestedPatch { format: PatchFormat::Replacement, content: text.into() };
        let fix =
            |line| Fix { path: "a.rs".into(), edits: vec![Edit { line_start: line, lines: 1, text: "x\n".into() }] };
        let mut lost = finding("codex", 53, "Unescaped value in the query", "nowhere()", Severity::Critical);
        lost.anchor.state = AnchorState::Unverified;
        let mut found = finding("claude", 51, "The query has an unescaped value", "query(mail)", Severity::Medium);
        (found.said.suggested_patch, found.fix) = (Some(patch("x")), Some(fix(51)));
        let all = merge(vec![lost.clone(), found.clone()]);
        let kept = Finding {
            id: "f1".into(),
            sources: vec!["codex".into(), "claude".into()],
            said: AgentFinding { severity: Severity::Critical, ..found.said.clone() },
            ..found.clone()
        };
        assert_eq!(all, [kept], "the one that is found, as bad as the worst says");

        // Of two that are known as well the worse one stays; a patch for other lines is not its patch.
        lost.anchor.state = AnchorState::Verified;
        lost.said.quote = None;
        let all = merge(vec![lost.clone(), found.clone()]);
        assert_eq!((all.len(), &all[0].anchor, &all[0].fix), (1, &lost.anchor, &None));
        assert_eq!(all[0].said, lost.said);
        found.anchor = lost.anchor.clone();
        let all = merge(vec![lost, found.clone()]);
        assert_eq!((&all[0].fix, &all[0].said.suggested_patch), (&found.fix, &found.said.suggested_patch));
    }
}
