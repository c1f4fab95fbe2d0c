//! Decides whether the effects that were found break a contract. Deterministic; each judgment has its evidence and a confidence.
//!
//! In: the effects of targets, and contracts. Out: findings. Insufficient evidence is a finding too.

mod absent;

use std::collections::HashSet;

use serde::Serialize;

use super::additions::Additions;
use super::code_places::{self, Words};
use super::contract_line::{ContractLine, Scope};
use super::direction::Match;
use super::import_rules;
use super::knowledge::Knowledge;
use super::merge::merged;
use super::naming::Hint;
use super::not_examined::{self, OtherFile};
use super::packages;
use super::reach::{Hop, Open, Reach, Reached};
use absent::{nothing, outside, without_akin};
use diffsan_contracts::code_names::CodeName;
use diffsan_contracts::contract::{ContractEffect, Reading};
use diffsan_contracts::vocabulary::Effect;

/// The judgment about a contract's line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Judgment {
    Violation,
    LikelyViolation,
    Unknown,
    NoViolation,
}

/// The name of an effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EffectName {
    /// The action, for example `send`.
    pub action: String,
    /// The resource, for example `email`.
    pub resource: String,
}

/// A place that supports a judgment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The path of the file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The text of the line.
    pub excerpt: String,
    /// The symbol that is used there.
    pub symbol: String,
}

/// A finding about a contract's line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PolicyFinding {
    /// The reviewer: `capability_reviewer`, or `agentic_reviewer` for the classifier.
    pub source: &'static str,
    /// Always `warning`. The reader of the contract decides about consequences.
    pub severity: &'static str,
    /// The judgment.
    pub judgment: Judgment,
    /// The confidence, from 0 to 1.
    pub confidence: f64,
    /// The modal of the contract's line.
    pub modal: &'static str,
    /// The effect that the contract's line names.
    pub effect: EffectName,
    /// The statement as it is written.
    #[serde(skip)]
    pub statement: String,
    /// The explanation for people.
    pub message: String,
    /// The places from the target to the effect, with at least one place in every file of the chain.
    pub evidence: Vec<Place>,
    /// The evidence of other places in the same file of which the same is true.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Vec<Place>>,
    /// The steps that led to the judgment.
    pub agent_steps: Vec<String>,
    /// The place of the contract's line.
    pub contract: String,
}

impl PolicyFinding {
    /// Returns all places that support the judgment.
    pub fn places(&self) -> impl Iterator<Item = &Place> {
        self.evidence.iter().chain(self.also.iter().flatten())
    }
}

/// The `source` of the deterministic findings.
pub const SOURCE: &str = "capability_reviewer";

/// The effects of all targets.
#[derive(Clone, Debug, Default)]
pub struct Findings<'a> {
    /// The effects by target.
    pub targets: Vec<(&'a str, &'a Reached)>,
    /// The effects that other code, which the contracts are about, reaches through the targets.
    pub callers: Vec<(&'a str, &'a Reached)>,
    /// The reasons why the evidence is incomplete: bounds that were hit, files that could not be read.
    pub gaps: Vec<String>,
    /// The changed files that are not examined. A file that the change deletes is not one of them, unless it holds no code.
    pub others: Vec<OtherFile>,
    /// Whether the change deletes files with code.
    pub deletes_code: bool,
    /// The additions of the change. `None` if it was not compared with its base.
    pub additions: Option<Additions>,
    /// The steps of the analysis.
    pub steps: Vec<String>,
}

/// The files that a contract's line applies to.
pub(crate) struct Subject<'a> {
    pub(crate) scope: Scope,
    pub(crate) targets: Vec<&'a (&'a str, &'a Reached)>,
    others: Vec<&'a OtherFile>,
    pub(crate) findings: &'a Findings<'a>,
    /// The additions of the change, if the line is about that alone.
    additions: Option<&'a Additions>,
    /// Whether the line tells the things that code uses, or what it does to them, so that a place with another line matters.
    tells_things: bool,
    /// Whether a program that is not known can have the line's effect.
    programs_matter: bool,
}

impl<'a> Subject<'a> {
    /// Returns the uses of a file that could not be followed.
    fn open<'s>(&'s self, reached: &'a Reached) -> impl Iterator<Item = &'a Open> + use<'a, 's> {
        let is_added = |open: &&Open| self.additions.is_none_or(|additions| !additions.had_open(open));
        let is_possible = |open: &&Open| self.programs_matter || !open.is_program;
        let mut seen = HashSet::new();
        let is_first = move |open: &&'a Open| seen.insert((&open.symbol, &open.gap));
        let own = reached.open.iter().filter(|open| self.scope.has_open(open));
        own.filter(is_possible).filter(is_added).filter(is_first)
    }

    /// Returns the uses of all files that could not be followed.
    pub(crate) fn all_open(&self) -> impl Iterator<Item = &'a Open> {
        self.targets.iter().flat_map(|(_, reached)| self.open(reached))
    }

    /// Returns the effects of all files.
    fn effects(&self) -> impl Iterator<Item = &'a Reach> {
        let all =
            self.targets.iter().flat_map(|(path, reached)| reached.effects.iter().map(move |reach| (*path, reach)));
        all.filter(|(path, reach)| self.scope.has(&reach.chain) && self.is_added(path, reach)).map(|(_, reach)| reach)
    }

    /// Returns whether the line is about a place: about all, or about those that the change adds.
    fn is_added(&self, path: &str, reach: &Reach) -> bool {
        self.additions.is_none_or(|additions| additions.has(path, reach)) || self.is_rewritten(path, reach)
    }

    /// Returns whether the line is about what a place does, and the change rewrites it: another file, or another statement of SQL.
    fn is_rewritten(&self, path: &str, reach: &Reach) -> bool {
        self.tells_things && self.additions.is_some_and(|additions| additions.rewrites(path, reach))
    }

    /// Returns whether the change adds a place, or a call of code that had its effect before.
    fn is_of_change(&self, path: &str, reach: &Reach) -> bool {
        let additions = self.findings.additions.as_ref();
        additions.is_none_or(|additions| additions.has(path, reach) || additions.has_call(path, reach))
    }

    /// Returns whether a place that the change adds is perhaps in the code that the line is about, by the name of its file.
    fn may_mean(&self, wanted: &ContractLine<'_>, path: &str, reach: &Reach, effect: &Effect) -> bool {
        let is_alike = |name: &CodeName| code_places::is_named_alike(name, path, Words::OneThing);
        self.is_of_change(path, reach)
            && self.scope.is_told_except_subject(effect)
            && !self.scope.is_own(path)
            && wanted.contract.subjects.iter().any(is_alike)
    }

    /// Returns the calls in a file that the change adds, of code that had an effect before.
    fn added_calls(&self, path: &str, reached: &'a Reached) -> impl Iterator<Item = &'a Reach> {
        let is_new = |reach: &&Reach| {
            self.additions.is_some_and(|additions| additions.has_call(path, reach) && !additions.has(path, reach))
        };
        reached.effects.iter().filter(|reach| self.scope.has(&reach.chain)).filter(is_new)
    }

    /// Returns the reasons why the evidence for a contract's line is incomplete, as far as they do not come from single uses.
    pub(crate) fn gaps(&self, wanted: &ContractLine<'_>) -> Vec<String> {
        let mut gaps = self.findings.gaps.clone();
        gaps.extend(not_examined::unread(&self.others, wanted.is_about_database()));
        gaps
    }
}

/// Selects the effects of a file to report. A call of one of the file's functions adds nothing to the lines of that function.
pub fn reportable<'r>(effects: impl IntoIterator<Item = &'r Reach>) -> Vec<&'r Reach> {
    let effects: Vec<&Reach> = effects.into_iter().collect();
    let direct = |reach: &Reach| {
        let end = reach.chain.last();
        effects.iter().any(|other| {
            other.chain.len() == 1
                && other.effect == reach.effect
                && end.is_some_and(|end| end.path == other.chain[0].path && end.line == other.chain[0].line)
        })
    };
    let elsewhere = |reach: &Reach| {
        // Also skips a chain that continues with a shorter chain of another line of the same file.
        effects.iter().any(|other| {
            other.effect == reach.effect && other.chain.len() < reach.chain.len() && reach.chain.ends_with(&other.chain)
        })
    };
    let is_own = |reach: &&&Reach| reach.chain.len() == 1 || !direct(reach) && !elsewhere(reach);
    effects.iter().filter(is_own).copied().collect()
}

/// Judges every line of the contracts.
pub fn judge(knowledge: &Knowledge, contracts: &[ContractEffect], findings: &Findings<'_>) -> Vec<PolicyFinding> {
    contracts.iter().flat_map(|contract| merged(one(knowledge, contract, contracts, findings))).collect()
}

fn one(
    knowledge: &Knowledge,
    contract: &ContractEffect,
    all: &[ContractEffect],
    findings: &Findings<'_>,
) -> Vec<PolicyFinding> {
    let scope = Scope::new(contract);
    let callers = findings.callers.iter().filter(|_| !contract.subjects.is_empty() && contract.imports.is_empty());
    let wanted = ContractLine::new(knowledge, contract);
    let subject = Subject {
        tells_things: contract.compares_things || wanted.tells_direction(),
        programs_matter: wanted.is_of_programs(),
        targets: findings.targets.iter().chain(callers).filter(|(path, _)| scope.holds(path)).collect(),
        others: findings.others.iter().filter(|file| scope.holds(&file.path)).collect(),
        scope,
        findings,
        additions: findings.additions.as_ref().filter(|_| contract.is_about_additions),
    };
    let is_effect = contract.reading == Reading::Statement && contract.imports.is_empty();
    if contract.modal.forbids() && is_effect && wanted.is_about_packages().1 {
        return packages::judged(&wanted, findings);
    }
    let has_code = !subject.targets.is_empty() || !not_examined::unread(&subject.others, true).is_empty();
    let is_outside = subject.others.is_empty() && !findings.others.is_empty() || !findings.targets.is_empty();
    if !has_code && is_outside {
        return without_akin(&wanted, &subject, outside(&wanted, &subject));
    }
    if contract.reading == Reading::NotUnderstood {
        let message = format!(
            "Insufficient evidence: the line \"{}\" is not understood{}. Write it with a modal, an action and a resource: MUST NOT \
             send email.",
            contract.text(),
            wanted.meant(&contract.action, &contract.resource)
        );
        return vec![wanted.finding(Judgment::Unknown, 0.3, message, Vec::new(), findings)];
    }
    if subject.scope.is_about_tests() {
        let message = format!("Insufficient evidence for \"{}\": tests are not examined.", contract.text());
        return vec![wanted.finding(Judgment::Unknown, 0.3, message, Vec::new(), findings)];
    }
    if !contract.imports.is_empty() {
        return import_rules::judge(&wanted, &subject);
    }
    if contract.modal.forbids() {
        return without_akin(&wanted, &subject, forbidden(&wanted, all, &subject));
    }
    if contract.modal.demands() {
        return vec![demanded(&wanted, &subject)];
    }
    Vec::new()
}

fn forbidden(wanted: &ContractLine<'_>, all: &[ContractEffect], subject: &Subject<'_>) -> Vec<PolicyFinding> {
    let Subject { targets, findings, .. } = subject;
    let contract = wanted.contract;
    let text = contract.text();
    let mut found = Vec::new();
    for (path, reached) in targets {
        // Code that the line is about can call code that it is not about.
        let own = reportable(reached.effects.iter().filter(|reach| subject.scope.has(&reach.chain)));
        let imported = reached.imported.iter().filter(|reach| subject.scope.has(&reach.chain));
        let of_file = own.into_iter().chain(imported).filter(|reach| subject.is_added(path, reach));
        for reach in of_file.chain(subject.added_calls(path, reached)) {
            let Some(effect) = wanted.hit(reach.effect) else { continue };
            let matched = wanted.matched(reach);
            if !matched.is_possible() || wanted.is_excepted(all, reach) {
                continue;
            }
            let hops = reach.chain.len() - 1;
            let way = match hops {
                0 => format!("`{}`", reach.chain[0].symbol),
                _ => format!("`{}` through {}", reach.sink, symbols(&reach.chain)),
            };
            let restricted = wanted.restriction(reach.effect);
            let mut doubt =
                restricted.map_or_else(String::new, |words| format!(" Whether \"{words}\" applies is not known."));
            if matched == Match::Unclear {
                doubt.push_str(" Its name does not tell whether it reads or writes.");
            }
            let is_rewritten = subject.is_rewritten(path, reach);
            if is_rewritten {
                doubt.push_str(" The change rewrites this line.");
            } else if !subject.is_of_change(path, reach) && contract.subjects.is_empty() {
                doubt.push_str(" It could before this change.");
            }
            let message = format!("{path} can {}: {way}. The contract says: {text}.{doubt}", effect.title);
            let unlisted = match reach.likely {
                true => format!(" No table lists `{}`, but its library seems to exist for that.", reach.sink),
                false => String::new(),
            };
            let message = format!("{message}{unlisted}");
            let doubt = subject.scope.doubt(effect, &reach.chain);
            let message =
                doubt.iter().fold(message, |message, doubt| format!("Insufficient evidence: {doubt}. {message}"));
            let is_likely = restricted.is_some() || reach.likely || matched == Match::Unclear || is_rewritten;
            let (judgment, sure) = match (is_likely, contract.modal.advises(), hops) {
                // The statement is probably about the code that the change adds.
                _ if doubt.is_some() && subject.may_mean(wanted, path, reach, effect) => {
                    (Judgment::LikelyViolation, 0.5)
                }
                _ if doubt.is_some() => (Judgment::Unknown, 0.4),
                (true, ..) => (Judgment::LikelyViolation, 0.6),
                (_, true, _) => (Judgment::LikelyViolation, 0.8),
                (_, _, 0) => (Judgment::Violation, 0.95),
                _ => (Judgment::Violation, 0.9),
            };
            found.push(wanted.finding(judgment, sure, message, places(&reach.chain), findings));
        }
    }
    for (path, reached) in targets {
        let is_told = |open: &&Open| reached.effects.iter().any(|reach| reach.likely && reach.chain == open.chain);
        for open in subject.open(reached).filter(|open| !is_told(open)) {
            let told =
                possible(wanted, path, open, subject).map(|finding| match subject.scope.unknown_code(&open.chain) {
                    Some(_) => PolicyFinding {
                        judgment: Judgment::Unknown,
                        confidence: finding.confidence.min(0.4),
                        ..finding
                    },
                    None => finding,
                });
            found.extend(told);
        }
    }
    if wanted.is_about_packages().0 {
        let of_packages = packages::judged(wanted, findings);
        found.extend(of_packages.into_iter().filter(|finding| finding.judgment != Judgment::NoViolation));
    }
    if !found.is_empty() {
        return found;
    }
    vec![nothing(wanted, subject)]
}

/// Judges a use that could not be followed. Returns `None` where it does not suggest the contract's effect.
fn possible(wanted: &ContractLine<'_>, path: &str, open: &Open, subject: &Subject<'_>) -> Option<PolicyFinding> {
    let findings = subject.findings;
    let text = wanted.contract.text();
    let alike: Vec<&Reach> = open
        .alike
        .iter()
        .filter(|reach| wanted.hit(reach.effect).is_some() && wanted.matched(reach).is_possible())
        .filter(|reach| subject.scope.has(&reach.chain))
        .collect();
    if let Some(reach) = alike.first() {
        if open.is_hook {
            let message = format!(
                "Insufficient evidence: {path} calls `{}` of a library, which can call methods of the project that reach `{}`. \
                 The contract says: {text}.",
                open.symbol, reach.sink
            );
            return Some(wanted.finding(Judgment::Unknown, 0.45, message, places(&reach.chain), findings));
        }
        let files: std::collections::BTreeSet<&str> =
            open.alike.iter().filter_map(|reach| reach.chain.get(1)).map(|hop| hop.path.as_str()).collect();
        let message = format!(
            "{path} calls `{}`, which is not imported here; {} defines this name, and that code reaches `{}`. The \
             contract says: {text}.",
            open.symbol,
            files.iter().copied().collect::<Vec<_>>().join(", "),
            reach.sink
        );
        let (judgment, sure) =
            if files.len() == 1 { (Judgment::LikelyViolation, 0.6) } else { (Judgment::Unknown, 0.45) };
        return Some(wanted.finding(judgment, sure, message, places(&reach.chain), findings));
    }
    if let Some(effect) = open.library.filter(|effect| wanted.names_sink(*effect, &open.symbol))
        && let Some(effect) = wanted.hit(effect)
    {
        let message = format!(
            "{path} uses `{}`, which no table lists; its library seems to exist to {}. The contract says: {text}.",
            open.symbol, effect.title
        );
        return Some(wanted.finding(Judgment::LikelyViolation, 0.55, message, places(&open.chain), findings));
    }
    if open.library.is_some() || open.is_hook {
        return None;
    }
    let hint = wanted.hint(open);
    if hint == Hint::None {
        return None;
    }
    let or_gap = |usual: &str| match &open.gap {
        Some(gap) => format!("which was not followed ({gap})"),
        None => usual.to_owned(),
    };
    if open.is_unlisted || hint == Hint::Strong && open.module.is_none() {
        let message = format!(
            "{path} uses `{}`, {}; by its name it could {}. The contract says: {text}.",
            open.symbol,
            or_gap("which no table lists"),
            wanted.words()
        );
        return Some(wanted.finding(Judgment::LikelyViolation, 0.55, message, places(&open.chain), findings));
    }
    Some(match &open.module {
        Some(module) => {
            let message = format!(
                "{path} uses `{}` of `{module}`, whose effects are unknown; by its name it could {}. The contract says: {text}.",
                open.symbol,
                wanted.words()
            );
            wanted.finding(Judgment::LikelyViolation, 0.55, message, places(&open.chain), findings)
        }
        None => {
            let message = format!(
                "Insufficient evidence: {path} calls `{}`, {}; by its name it could {}. The contract says: {text}.{}",
                open.symbol,
                or_gap("whose definition is unknown"),
                wanted.words(),
                gaps_text(&subject.gaps(wanted))
            );
            wanted.finding(Judgment::Unknown, 0.4, message, places(&open.chain), findings)
        }
    })
}

pub(crate) fn gaps_text(gaps: &[String]) -> String {
    if gaps.is_empty() { String::new() } else { format!(" ({}.)", gaps.join("; ")) }
}

fn demanded(wanted: &ContractLine<'_>, subject: &Subject<'_>) -> PolicyFinding {
    let Subject { targets, findings, .. } = subject;
    let contract = wanted.contract;
    let text = contract.text();
    let is_wanted = |reach: &&Reach| wanted.hit(reach.effect).is_some() && wanted.matched(reach).is_possible();
    let reach = subject.effects().find(is_wanted);
    if let Some(reach) = reach {
        let message = format!("`{}` does what the contract demands: {text}.", reach.sink);
        return wanted.finding(Judgment::NoViolation, 0.9, message, places(&reach.chain), findings);
    }
    let whole = subject.gaps(wanted).is_empty() && subject.all_open().next().is_none();
    if whole && wanted.is_known() && !targets.is_empty() && !contract.modal.advises() {
        let message = format!("No examined code can {}. The contract says: {text}.", wanted.words());
        return wanted.finding(Judgment::LikelyViolation, 0.6, message, Vec::new(), findings);
    }
    let message = format!(
        "Insufficient evidence for \"{text}\": no code was found that does it, but not all code could be examined."
    );
    wanted.finding(Judgment::Unknown, 0.3, message, Vec::new(), findings)
}

/// Returns the names of a chain: `a → b → c`.
pub fn symbols(chain: &[Hop]) -> String {
    chain.iter().map(|hop| format!("`{}`", hop.symbol)).collect::<Vec<_>>().join(" → ")
}

pub(crate) fn places(chain: &[Hop]) -> Vec<Place> {
    let place = |hop: &Hop| Place {
        file: hop.path.clone(),
        line: hop.line,
        excerpt: hop.excerpt.clone(),
        symbol: hop.symbol.clone(),
    };
    chain.iter().map(place).collect()
}
