//! Claims of findings that are decided without a model: that a symbol is unused, undefined, never called or not imported, and that the
//! named symbols exist.
//!
//! In: a finding, and the symbols and texts of the head. Out: claims with a verdict and its evidence. A claim is contradicted only by a
//! reference, definition or import that can mean nothing else. It is verified only if every place that could matter is understood.
//! Everything else is unchecked.

mod absence;
mod context;
mod head;
mod subject;
mod undefined;
mod usage;
mod wording;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use self::subject::Subject;
use self::usage::{Fact, usage};
use self::wording::{Kind, NAME, Scope, Stated, Statement, stated};
use diffsan_review::finding::{AgentFinding, Anchor, AnchorState, Claim, Evidence, Side, Verdict};
use diffsan_syntax::language::{Language, is_test};

pub use head::{FilesWith, Head, ReadText};

/// The maximum number of symbols of one finding that are looked up.
const MAX_SYMBOLS: usize = 12;

/// The claim that the quoted code is in the file.
pub(super) const QUOTE_CLAIM: &str = "the quoted code is there";

static NAMED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(NAME).ok());

/// Returns the text of a finding without fenced code.
fn text_of(finding: &AgentFinding) -> String {
    format!("{}\n{}", finding.title.as_deref().unwrap_or_default(), without_blocks(&finding.body_markdown))
}

/// Returns the symbols that a text names.
fn named_symbols(text: &str) -> BTreeSet<String> {
    let names = NAMED.iter().flat_map(|pattern| pattern.captures_iter(text));
    names.filter_map(|captures| symbol(captures.get(1)?.as_str())).take(MAX_SYMBOLS).collect()
}

/// Returns the last name of a path if it looks like a symbol of code and not like a word.
fn symbol(path: &str) -> Option<String> {
    let name = path.trim_end_matches(['.', ':']).rsplit(['.', ':']).next()?;
    let word = name.chars().all(|char| char.is_ascii_lowercase()) && name.len() < 4;
    let number = name.chars().all(|char| char.is_ascii_digit());
    let keyword =
        ["true", "false", "null", "None", "self", "this", "undefined", "return", "await", "async"].contains(&name);
    (!name.is_empty() && !word && !number && !keyword).then(|| name.to_owned())
}

/// Removes fenced code, which usually is a proposal.
pub(super) fn without_blocks(text: &str) -> String {
    let mut inside = false;
    let kept = text.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        !inside && !fence
    });
    kept.collect::<Vec<_>>().join("\n")
}

/// Returns the names that the plain claims of findings are about, sorted.
pub fn claimed_names<'a>(findings: impl Iterator<Item = &'a AgentFinding>) -> Vec<String> {
    let statements = findings.flat_map(|finding| stated(&text_of(finding)));
    let names = statements.filter_map(|one| match one {
        Stated::Plain(Statement { path, .. }) => path.rsplit(['.', ':']).next().map(|name| name.replace('$', "")),
        Stated::Other(_) => None,
    });
    names.collect::<BTreeSet<String>>().into_iter().collect()
}

/// Returns whether a finding names a symbol, which only the head can decide.
pub fn names_symbols(finding: &AgentFinding) -> bool {
    !named_symbols(&text_of(finding)).is_empty()
}

/// Checks the claims of a finding against the head, if it is known.
pub fn check(finding: &AgentFinding, anchor: &Anchor, head: Option<&Head<'_>>) -> (Verdict, Vec<Claim>) {
    let text = text_of(finding);
    let quoted = quote_claim(finding, anchor);
    let mut decided: Vec<Claim> = stated(&text)
        .into_iter()
        .map(|one| match one {
            Stated::Plain(statement) => judge(&statement, anchor, head),
            Stated::Other(sentence) => Claim { claim: sentence, verdict: Verdict::Unchecked, evidence: None },
        })
        .collect();
    decided.dedup_by(|a, b| a.claim == b.claim);
    let any = |verdict| quoted.iter().chain(&decided).any(|claim: &Claim| claim.verdict == verdict);
    // A quote that stands in the file says nothing about the claim, so it counts only for a finding without one.
    let basis = if decided.is_empty() { quoted.as_slice() } else { decided.as_slice() };
    let verdict = if any(Verdict::Contradicted) {
        Verdict::Contradicted
    } else if !basis.is_empty() && basis.iter().all(|claim| claim.verdict == Verdict::Verified) {
        Verdict::Verified
    } else {
        Verdict::Unchecked
    };
    let about: BTreeSet<String> = decided.iter().flat_map(|claim| named_symbols(&claim.claim)).collect();
    let mut claims = quoted;
    claims.extend(decided);
    if let Some(head) = head {
        let others = named_symbols(&text).into_iter().filter(|name| !about.contains(name));
        claims.extend(others.filter_map(|name| existing(&name, &anchor.path, head)));
    }
    (verdict, claims)
}

/// Returns the claim that the quoted code is in the file, if there is a quote.
fn quote_claim(finding: &AgentFinding, anchor: &Anchor) -> Vec<Claim> {
    let Some(quote) = finding.quote.as_deref().filter(|quote| !quote.trim().is_empty()) else { return Vec::new() };
    let verdict = match anchor.state {
        AnchorState::Verified | AnchorState::Moved => Verdict::Verified,
        AnchorState::Unplaced => Verdict::Unchecked,
        _ if anchor.notes.iter().any(|note| note == crate::place::QUOTE_NOWHERE) => Verdict::Contradicted,
        _ => Verdict::Unchecked,
    };
    let line = quote.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let evidence = (verdict == Verdict::Verified).then_some(()).and(anchor.line_start).map(|number| Evidence {
        path: anchor.path.clone(),
        line: number,
        text: line.to_owned(),
    });
    vec![Claim { claim: QUOTE_CLAIM.to_owned(), verdict, evidence }]
}

/// Returns the claim that a named symbol exists. A name without a place may be a proposed one, so it yields no claim.
fn existing(symbol: &str, path: &str, head: &Head<'_>) -> Option<Claim> {
    let navigator = head.navigator;
    let near = |file: &str| (file != path, is_test(file), file.to_owned());
    let all = navigator.definitions(symbol);
    let definitions = all.iter().filter_map(|(file, at)| {
        let line = navigator.outline(*file)?.definitions.get(*at as usize)?.at.line;
        Some((navigator.path(*file)?, line))
    });
    let (file, line) =
        definitions.min_by_key(|(file, line)| (near(file), *line)).or_else(|| used(symbol, path, head))?;
    let claim = format!("`{symbol}` is there");
    Some(Claim { claim, verdict: Verdict::Verified, evidence: Some(head.evidence(file, line)?) })
}

/// Returns the first place that uses a symbol which the head does not define, or defines as a local variable.
fn used<'p>(symbol: &str, path: &'p str, head: &Head<'p>) -> Option<(&'p str, u32)> {
    let local = head.symbols(path).and_then(|symbols| {
        let mut lines = symbols.locals.iter().filter(|one| symbols.name(one.name) == symbol).map(|one| one.at.line);
        lines.next()
    });
    if let Some(line) = local {
        return Some((path, line));
    }
    let navigator = head.navigator;
    let mut files: Vec<&str> = navigator.mentions(symbol).iter().filter_map(|file| navigator.path(*file)).collect();
    files.sort_by_key(|file| (*file != path, is_test(file), *file));
    files.into_iter().find_map(|file| {
        let symbols = head.symbols(file)?;
        let references =
            symbols.references.iter().filter(|one| symbols.name(one.name) == symbol).map(|one| one.at.line);
        let imports = symbols.imports.iter().filter(|one| symbols.name(one.local) == symbol).map(|one| one.at.line);
        Some((file, references.chain(imports).min()?))
    })
}

/// Decides a plain statement by the symbols of the head.
fn judge(statement: &Statement, anchor: &Anchor, head: Option<&Head<'_>>) -> Claim {
    let claim = statement.claim();
    let decided = head.filter(|_| anchor.side == Side::New && Language::of(&anchor.path).is_some());
    match decided.and_then(|head| decide(statement, anchor, head)) {
        Some((verdict, place)) => Claim { claim, verdict, evidence: Some(place) },
        None => Claim { claim, verdict: Verdict::Unchecked, evidence: None },
    }
}

fn decide(statement: &Statement, anchor: &Anchor, head: &Head<'_>) -> Option<(Verdict, Evidence)> {
    if matches!(statement.kind, Kind::NotImported | Kind::Undefined) {
        return (statement.scope == Scope::Head).then(|| undefined::decide(head, anchor, statement)).flatten();
    }
    let subject = Subject::find(head, anchor, statement)?;
    if statement.scope == Scope::File && subject.path != anchor.path {
        return None;
    }
    let (used, place) = match usage(head, &subject, statement) {
        Fact::Used(place) => (true, place),
        Fact::Unused(place) => (false, place),
        Fact::Unknown => return None,
    };
    let verdict = if used == statement.negated { Verdict::Verified } else { Verdict::Contradicted };
    Some((verdict, place))
}

#[cfg(test)]
mod tests;
