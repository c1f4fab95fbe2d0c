//! Decides whether the effects that were found break a contract. Deterministic; each judgment has its evidence and a confidence.
//!
//! In: the effects of targets, and contracts. Out: findings. Insufficient evidence is a finding too.

use serde::Serialize;

use super::contracts::{ContractEffect, Reading};
use super::knowledge::{Effect, Knowledge};
use super::library_use::suggests;
use super::merge::merged;
use super::naming::{self, Hint};
use super::not_examined::{self, OtherFile};
use super::phrases::NamedEffects;
use super::reach::{Hop, Open, Reach, Reached};
use crate::read::language_of;

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

/// Evaluators of expressions, which can only compute and call the functions that they are given.
const PURE_EVALUATORS: &[&str] = &[
    "github.com/expr-lang/expr.",
    "github.com/antonmedv/expr.",
    "github.com/google/cel-go",
    "github.com/Knetic/govaluate.",
    "github.com/casbin/govaluate.",
];

/// The `source` of the deterministic findings.
pub const SOURCE: &str = "capability_reviewer";

/// The effects of all targets.
#[derive(Clone, Debug, Default)]
pub struct Findings<'a> {
    /// The effects by target.
    pub targets: Vec<(&'a str, &'a Reached)>,
    /// The reasons why the evidence is incomplete: bounds that were hit, files that could not be read.
    pub gaps: Vec<String>,
    /// The changed files that are not examined. A file that the change deletes is not one of them, unless it holds no code.
    pub others: Vec<OtherFile>,
    /// Whether the change deletes files with code.
    pub deletes_code: bool,
    /// The steps of the analysis.
    pub steps: Vec<String>,
}

/// The files that a contract's line applies to.
struct Subject<'a> {
    targets: Vec<&'a (&'a str, &'a Reached)>,
    others: Vec<&'a OtherFile>,
    findings: &'a Findings<'a>,
}

impl Subject<'_> {
    /// Returns the reasons why the evidence for a contract's line is incomplete, as far as they do not come from single uses.
    fn gaps(&self, wanted: &ContractLine<'_>) -> Vec<String> {
        let mut gaps = self.findings.gaps.clone();
        gaps.extend(not_examined::unread(&self.others, wanted.is_about_database()));
        gaps
    }
}

/// Selects the effects of a file to report. A call of one of the file's functions adds nothing to the lines of that function.
pub fn reportable(effects: &[Reach]) -> Vec<&Reach> {
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
    effects.iter().filter(|reach| reach.chain.len() == 1 || !direct(reach) && !elsewhere(reach)).collect()
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
    let subject = Subject {
        targets: findings.targets.iter().filter(|(path, _)| scope.holds(path)).collect(),
        others: findings.others.iter().filter(|file| scope.holds(&file.path)).collect(),
        findings,
    };
    let wanted = ContractLine::new(knowledge, contract);
    let has_code = !subject.targets.is_empty() || !not_examined::unread(&subject.others, true).is_empty();
    let is_outside = subject.others.is_empty() && !findings.others.is_empty() || !findings.targets.is_empty();
    if !has_code && is_outside {
        return Vec::new();
    }
    if contract.reading == Reading::NotUnderstood {
        let message = format!(
            "Insufficient evidence: the line \"{}\" is not understood. Write it with a modal, an action and a resource: MUST NOT \
             send email.",
            contract.text()
        );
        return vec![wanted.finding(Judgment::Unknown, 0.3, message, Vec::new(), findings)];
    }
    if contract.modal.forbids() {
        return forbidden(&wanted, all, &subject);
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
        for reach in reportable(&reached.effects).into_iter().chain(&reached.imported) {
            let Some(effect) = wanted.hit(reach.effect) else { continue };
            if wanted.is_excepted(all, reach.effect) {
                continue;
            }
            let hops = reach.chain.len() - 1;
            let way = match hops {
                0 => format!("`{}`", reach.chain[0].symbol),
                _ => format!("`{}` through {}", reach.sink, symbols(&reach.chain)),
            };
            let restricted = wanted.restriction(reach.effect);
            let doubt =
                restricted.map_or_else(String::new, |words| format!(" Whether \"{words}\" applies is not known."));
            let message = format!("{path} can {}: {way}. The contract says: {text}.{doubt}", effect.title);
            let unlisted = match reach.likely {
                true => format!(" No table lists `{}`, but its library seems to exist for that.", reach.sink),
                false => String::new(),
            };
            let message = format!("{message}{unlisted}");
            let (judgment, sure) = match (restricted.is_some() || reach.likely, contract.modal.advises(), hops) {
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
        for open in reached.open.iter().filter(|open| !is_told(open)) {
            found.extend(possible(wanted, path, open, subject));
        }
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
    let alike: Vec<&Reach> = open.alike.iter().filter(|reach| wanted.hit(reach.effect).is_some()).collect();
    if let Some(reach) = alike.first() {
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
    if let Some(effect) = open.library.and_then(|effect| wanted.hit(effect)) {
        let message = format!(
            "{path} uses `{}`, which no table lists; its library seems to exist to {}. The contract says: {text}.",
            open.symbol, effect.title
        );
        return Some(wanted.finding(Judgment::LikelyViolation, 0.55, message, places(&open.chain), findings));
    }
    if open.library.is_some() {
        return None;
    }
    let hint = wanted.hint(open);
    if hint == Hint::None {
        return None;
    }
    if open.is_unlisted || hint == Hint::Strong && open.module.is_none() {
        let message = format!(
            "{path} uses `{}`, which no table lists; by its name it could {}. The contract says: {text}.",
            open.symbol,
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
                "Insufficient evidence: {path} calls `{}`, whose definition is unknown; by its name it could {}. \
                 The contract says: {text}.{}",
                open.symbol,
                wanted.words(),
                gaps_text(&subject.gaps(wanted))
            );
            wanted.finding(Judgment::Unknown, 0.4, message, places(&open.chain), findings)
        }
    })
}

fn gaps_text(gaps: &[String]) -> String {
    if gaps.is_empty() { String::new() } else { format!(" ({}.)", gaps.join("; ")) }
}

/// Judges a contract's line for which nothing was found. The result depends on whether the evidence is complete.
fn nothing(wanted: &ContractLine<'_>, subject: &Subject<'_>) -> PolicyFinding {
    let Subject { targets, others, findings } = subject;
    let text = wanted.contract.text();
    let mut gaps = subject.gaps(wanted);
    let counts = not_examined::counts(others);
    if targets.is_empty() && gaps.is_empty() {
        let no_code = || counts.is_empty() || findings.deletes_code;
        let reason = not_examined::only_data(others);
        gaps.extend(reason.or_else(|| no_code().then(|| "there is no code to examine".to_owned())));
    }
    let unknown: std::collections::BTreeSet<&str> =
        targets.iter().flat_map(|(_, reached)| &reached.open).filter_map(|open| open.module.as_deref()).collect();
    if !unknown.is_empty() {
        let names: Vec<&str> = unknown.iter().copied().take(5).collect();
        gaps.push(format!("the effects of {} are unknown", names.join(", ")));
    }
    let loads = targets.iter().flat_map(|(_, reached)| &reached.effects).filter(|reach| {
        let effect = wanted.knowledge.effects.get(reach.effect);
        effect.is_some_and(|effect| ["code.execute", "native.load"].contains(&effect.id.as_str()))
            && !PURE_EVALUATORS.iter().any(|evaluator| reach.sink.starts_with(evaluator))
    });
    gaps.extend(loads.map(|reach| format!("`{}` runs code that is not known", reach.sink)).take(1));
    let reasons: std::collections::BTreeSet<&str> =
        targets.iter().flat_map(|(_, reached)| &reached.open).filter_map(|open| open.gap.as_deref()).collect();
    gaps.extend(reasons.into_iter().take(5).map(str::to_owned));
    if !wanted.is_known() {
        gaps.push(wanted.unknown_words());
    }
    if gaps.is_empty() {
        let message = match targets.is_empty() {
            true => format!("The change has no code of the program: {counts}. The contract says: {text}."),
            false => format!("No examined code can {}. The contract says: {text}.", wanted.words()),
        };
        return wanted.finding(Judgment::NoViolation, 0.9, message, Vec::new(), findings);
    }
    let message = format!("Insufficient evidence for \"{text}\": {}.", gaps.join("; "));
    let evidence = targets
        .iter()
        .flat_map(|(_, reached)| &reached.open)
        .filter(|open| open.module.is_some() || open.gap.is_some())
        .take(3);
    let evidence = evidence.flat_map(|open| places(&open.chain)).collect();
    wanted.finding(Judgment::Unknown, 0.3, message, evidence, findings)
}

fn demanded(wanted: &ContractLine<'_>, subject: &Subject<'_>) -> PolicyFinding {
    let Subject { targets, findings, .. } = subject;
    let contract = wanted.contract;
    let text = contract.text();
    let reach =
        targets.iter().flat_map(|(_, reached)| &reached.effects).find(|reach| wanted.hit(reach.effect).is_some());
    if let Some(reach) = reach {
        let message = format!("`{}` does what the contract demands: {text}.", reach.sink);
        return wanted.finding(Judgment::NoViolation, 0.9, message, places(&reach.chain), findings);
    }
    let whole = subject.gaps(wanted).is_empty() && targets.iter().all(|(_, reached)| reached.open.is_empty());
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

fn places(chain: &[Hop]) -> Vec<Place> {
    let place = |hop: &Hop| Place {
        file: hop.path.clone(),
        line: hop.line,
        excerpt: hop.excerpt.clone(),
        symbol: hop.symbol.clone(),
    };
    chain.iter().map(place).collect()
}

/// The files that a contract's line applies to. `None` means all.
struct Scope(Option<globset::GlobSet>);

impl Scope {
    fn new(contract: &ContractEffect) -> Self {
        if contract.scope.is_empty() {
            return Self(None);
        }
        let mut set = globset::GlobSetBuilder::new();
        for glob in contract.scope.iter().filter_map(|glob| globset::Glob::new(glob).ok()) {
            set.add(glob);
        }
        Self(set.build().ok())
    }

    fn holds(&self, path: &str) -> bool {
        self.0.as_ref().is_none_or(|set| set.is_match(path))
    }
}

/// A contract's line, with the tables that interpret its words.
struct ContractLine<'a> {
    knowledge: &'a Knowledge,
    contract: &'a ContractEffect,
    named: NamedEffects,
}

impl<'a> ContractLine<'a> {
    fn new(knowledge: &'a Knowledge, contract: &'a ContractEffect) -> Self {
        Self { knowledge, contract, named: knowledge.named_effects(&contract.action, &contract.resource) }
    }

    /// Returns the words of the effect: `send email`, or its title where the words are not a phrase in this order.
    fn words(&self) -> String {
        let ContractEffect { action, resource, .. } = self.contract;
        let words = format!("{action} {resource}");
        let mut named = self.named.effects.keys().filter_map(|id| self.knowledge.effect(id));
        match (named.next(), named.next()) {
            (Some(effect), None) if self.contract.sentence.to_lowercase().find(&words).is_none() => {
                effect.title.clone()
            }
            _ => words,
        }
    }

    fn names_effect(&self, effect: &Effect) -> bool {
        self.named.effects.contains_key(&effect.id)
    }

    /// Returns the effect if the line names it or one of its wider effects.
    fn hit(&self, effect: usize) -> Option<&Effect> {
        let wider = self.knowledge.with_wider(effect);
        let named = wider.iter().any(|effect| self.names_effect(effect));
        named.then(|| self.knowledge.effects.get(effect)).flatten()
    }

    /// Returns the words of the line that restrict the effect, if it is not named without a restriction too.
    fn restriction(&self, effect: usize) -> Option<&String> {
        let wider = self.knowledge.with_wider(effect);
        let mut named = wider.iter().filter_map(|effect| self.named.effects.get(&effect.id));
        let first = named.next()?.as_ref()?;
        named.all(Option::is_some).then_some(first)
    }

    /// Returns whether another line allows exactly this effect, and this line forbids only a wider one.
    fn is_excepted(&self, all: &[ContractEffect], effect: usize) -> bool {
        let Some(exact) = self.knowledge.effects.get(effect) else { return false };
        let allowed = all.iter().filter(|other| other.modal == super::contracts::Modal::May || other.modal.demands());
        !self.names_effect(exact)
            && allowed.clone().any(|other| {
                self.knowledge.named_effects(&other.action, &other.resource).effects.contains_key(&exact.id)
            })
    }

    fn is_known(&self) -> bool {
        !self.named.effects.is_empty() && self.named.unknown.is_empty()
    }

    /// Returns whether the line can be about a database.
    fn is_about_database(&self) -> bool {
        let knowledge = self.knowledge;
        let database = knowledge.effects.iter().position(|effect| effect.id == "sql.execute");
        !self.is_known() || database.is_some_and(|effect| self.hit(effect).is_some())
    }

    /// Returns a description of words that name no effect, with those that were probably meant.
    fn unknown_words(&self) -> String {
        let ContractEffect { action, resource, .. } = self.contract;
        let whole = format!("{action} {resource}");
        let part = self.named.unknown.first().unwrap_or(&whole);
        let (action, resource) = part.split_once(' ').unwrap_or((part, ""));
        let meant: Vec<String> =
            self.knowledge.suggestions(action, resource).iter().map(|title| format!("\"{title}\"")).collect();
        let question =
            if meant.is_empty() { String::new() } else { format!(" (did you mean {}?)", meant.join(" or ")) };
        format!("no table contains \"{part}\"{question}")
    }

    /// Returns whether a name suggests the line's effect.
    fn is_suggested(&self, symbol: &str) -> bool {
        let by_hint = self
            .knowledge
            .effects
            .iter()
            .enumerate()
            .any(|(at, effect)| self.hit(at).is_some() && suggests(symbol, &effect.hints));
        by_hint || !self.only_reads(symbol) && !self.does_other(symbol) && has_words(symbol, &self.contract.resource)
    }

    /// Returns what the name of a use that could not be followed says about the line's effect.
    fn hint(&self, open: &Open) -> Hint {
        // Of a listed library, only the member's own name and its type's tell.
        let names: Vec<&str> = open.symbol.rsplitn(3, '.').take(2).collect();
        let own = names.iter().rev().copied().collect::<Vec<_>>().join(".");
        if open.is_unlisted && self.is_suggested(&own) && self.has_verb(&own) {
            return Hint::Strong;
        }
        if !open.is_unlisted && self.is_suggested(&open.symbol) {
            return Hint::Possible;
        }
        let language = open.chain.last().and_then(|hop| language_of(&hop.path));
        let Some(language) = language.filter(|_| open.module.is_none()) else { return Hint::None };
        // A name without an object is a function of the language or of a framework.
        if !open.symbol.contains('.') {
            return Hint::None;
        }
        let by_method = naming::hint(self.knowledge, language, &open.symbol, |effect| self.hit(effect).is_some());
        if open.is_unlisted && by_method != Hint::Strong { Hint::None } else { by_method }
    }

    /// Returns whether a method's name has the verb of the line's action, or names the whole effect.
    fn has_verb(&self, symbol: &str) -> bool {
        let name = symbol.rsplit('.').next().unwrap_or(symbol);
        let own = self.knowledge.action(&self.contract.action);
        let is_verb = |word: &String| self.knowledge.action_of(word) == Some(own.as_str());
        let by_hint = self.knowledge.effects.iter().enumerate();
        words_of(name).iter().any(is_verb)
            || by_hint.into_iter().any(|(at, effect)| self.hit(at).is_some() && suggests(name, &effect.hints))
    }

    /// Returns whether a name has the verb of another action than the line's, and not the line's: `uploadFile`, where the line is about deleting.
    fn does_other(&self, symbol: &str) -> bool {
        let own = self.knowledge.action(&self.contract.action);
        if !self.is_known() || !DISTINCT_ACTIONS.contains(&own.as_str()) {
            return false;
        }
        let name = symbol.rsplit('.').next().unwrap_or(symbol);
        let known = |word: &String| -> Option<bool> {
            let action = self.knowledge.action_of(word);
            let others = self.knowledge.alternatives.get(word);
            (action.is_some() || others.is_some())
                .then(|| action == Some(own.as_str()) || others.is_some_and(|others| others.contains(&own)))
        };
        let verbs: Vec<bool> = words_of(name).iter().filter_map(known).collect();
        !verbs.is_empty() && !verbs.contains(&true)
    }

    /// Returns whether a call only returns something by its name, `fileById.get(id)`, and the line is about more than that.
    fn only_reads(&self, symbol: &str) -> bool {
        let reads = ["access", "fetch", "get", "load", "query", "read", "use"].contains(&self.contract.action.as_str());
        let name = symbol.rsplit('.').next().unwrap_or(symbol);
        let returns = |start: &str| name.strip_prefix(start).is_some_and(|rest| !rest.starts_with(char::is_lowercase));
        self.is_known() && !reads && ["at", "get", "has", "is", "to"].into_iter().any(returns)
    }

    fn finding(
        &self,
        judgment: Judgment,
        confidence: f64,
        message: String,
        evidence: Vec<Place>,
        findings: &Findings<'_>,
    ) -> PolicyFinding {
        PolicyFinding {
            source: SOURCE,
            severity: "warning",
            judgment,
            confidence,
            modal: self.contract.modal.name(),
            effect: EffectName { action: self.contract.action.clone(), resource: self.contract.resource.clone() },
            statement: self.contract.text(),
            message,
            evidence,
            also: Vec::new(),
            agent_steps: findings.steps.clone(),
            contract: format!("{}:{}", self.contract.path, self.contract.line),
        }
    }
}

/// Actions of which a function that is named after one does not do another.
const DISTINCT_ACTIONS: &[&str] = &["delete", "read", "send", "write"];

/// Returns the words of a name in lower case and singular: `send`, `user` and `data` of `sendUsersData`.
fn words_of(name: &str) -> Vec<String> {
    let single = |word: String| word.strip_suffix('s').map(str::to_owned).unwrap_or(word);
    naming::words_of(name).into_iter().map(single).collect()
}

/// Returns whether a name contains the words of a resource, one after the other, in any case and number: `sendUserData` contains `user data`.
fn has_words(symbol: &str, resource: &str) -> bool {
    let (symbol, resource) = (words_of(symbol), words_of(resource));
    resource.iter().map(String::len).sum::<usize>() > 2
        && symbol.windows(resource.len().max(1)).any(|part| part == resource)
}
