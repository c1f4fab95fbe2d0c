//! Judges a contract's line for which nothing was found: whether the evidence is complete, and whether the change touches the code that the
//! line is about.

use std::collections::BTreeSet;

use super::{Judgment, PolicyFinding, Subject, places};
use crate::additions::Additions;
use crate::code_places::{self, Words};
use crate::contract_line::ContractLine;
use crate::direction::Match;
use crate::not_examined;
use diffsan_contracts::code_names::CodeName;
use diffsan_contracts::contract::Reading;

/// Evaluators of expressions, which can only compute and call the functions that they are given.
const PURE_EVALUATORS: &[&str] = &[
    "github.com/expr-lang/expr.",
    "github.com/antonmedv/expr.",
    "github.com/google/cel-go",
    "github.com/Knetic/govaluate.",
    "github.com/casbin/govaluate.",
];

/// Judges a line about code that the change does not touch. A line for the files of a folder says nothing about others.
pub(super) fn outside(wanted: &ContractLine<'_>, subject: &Subject<'_>) -> Vec<PolicyFinding> {
    let contract = wanted.contract;
    let is_limited = !contract.subjects.is_empty() || !contract.exceptions.is_empty();
    let is_judged = contract.modal.forbids() && contract.reading == Reading::Statement && is_limited;
    if !is_judged || subject.scope.is_about_tests() || subject.scope.is_outside_of_files(subject.findings) {
        return Vec::new();
    }
    let text = contract.text();
    let names: Vec<&str> = contract.subjects.iter().map(|name| name.text.as_str()).collect();
    let gaps = subject.gaps(wanted);
    if !gaps.is_empty() {
        let message = format!("Insufficient evidence for \"{text}\": {}.", gaps.join("; "));
        return vec![wanted.finding(Judgment::Unknown, 0.3, message, Vec::new(), subject.findings)];
    }
    let code = match names.is_empty() {
        true => "that this holds for".to_owned(),
        false => format!("that is \"{}\"", names.join("\" or \"")),
    };
    let message = format!("The change touches no code {code}. The contract says: {text}.");
    vec![wanted.finding(Judgment::NoViolation, 0.9, message, Vec::new(), subject.findings)]
}

/// Replaces "no violation" where the change adds the effect to code that is perhaps what the line is about. Other code of the project has
/// the name in its words, but the code of the change is named alike: "the provider", and `notification-providers/sms.js`.
pub(super) fn without_akin(
    wanted: &ContractLine<'_>,
    subject: &Subject<'_>,
    found: Vec<PolicyFinding>,
) -> Vec<PolicyFinding> {
    let contract = wanted.contract;
    if !contract.modal.forbids() || !matches!(&found[..], [only] if only.judgment == Judgment::NoViolation) {
        return found;
    }
    for (path, reached) in &subject.findings.targets {
        for reach in &reached.effects {
            let is_hit = wanted.hit(reach.effect).is_some() && wanted.matched(reach).is_possible();
            if !is_hit
                || !subject.is_of_change(path, reach)
                || subject.scope.is_own(path)
                || subject.scope.excepts(&reach.chain)
            {
                continue;
            }
            let is_alike = |name: &&CodeName| code_places::is_named_alike(name, path, Words::All);
            let Some(name) = contract.subjects.iter().find(is_alike) else { continue };
            let message = format!(
                "Insufficient evidence: it is not known whether {path} is \"{}\". It can reach `{}`. The contract says: {}.",
                name.text,
                reach.sink,
                contract.text()
            );
            return vec![wanted.finding(Judgment::Unknown, 0.4, message, places(&reach.chain), subject.findings)];
        }
    }
    found
}

/// Judges a contract's line for which nothing was found. The result depends on whether the evidence is complete.
pub(super) fn nothing(wanted: &ContractLine<'_>, subject: &Subject<'_>) -> PolicyFinding {
    let Subject { targets, others, findings, .. } = subject;
    let text = wanted.contract.text();
    let mut gaps = subject.gaps(wanted);
    let counts = not_examined::counts(others);
    // Only the scripts of a manifest are examined.
    let is_manifest = |path: &str| others.iter().any(|other| other.path == path);
    if targets.iter().all(|(path, _)| is_manifest(path)) && gaps.is_empty() {
        let no_code = || counts.is_empty() || findings.deletes_code;
        let reason = not_examined::only_data(others);
        gaps.extend(reason.or_else(|| no_code().then(|| "there is no code to examine".to_owned())));
    }
    let mut is_explained_by_uses = gaps.is_empty() && wanted.is_known();
    let unknown: BTreeSet<&str> = subject.all_open().filter_map(|open| open.module.as_deref()).collect();
    if !unknown.is_empty() {
        let names: Vec<&str> = unknown.iter().copied().take(5).collect();
        gaps.push(format!("the effects of {} are unknown", names.join(", ")));
    }
    let loads = subject.effects().filter(|reach| {
        let effect = wanted.knowledge.vocabulary.effects.get(reach.effect);
        effect.is_some_and(|effect| ["code.execute", "native.load"].contains(&effect.id.as_str()))
            && !PURE_EVALUATORS.iter().any(|evaluator| reach.sink.starts_with(evaluator))
    });
    let count = gaps.len();
    gaps.extend(loads.map(|reach| format!("`{}` runs code that is not known", reach.sink)).take(1));
    let possible = subject.effects().find(|reach| wanted.is_possible(reach.effect));
    gaps.extend(possible.map(|reach| format!("`{}` can {} too", reach.sink, wanted.words())));
    is_explained_by_uses &= gaps.len() == count;
    let around =
        subject.effects().find(|reach| wanted.hit(reach.effect).is_some() && wanted.matched(reach) == Match::Around);
    gaps.extend(around.map(|reach| format!("code around `{}` can {} too", reach.sink, wanted.words())));
    let reasons: BTreeSet<&str> = subject.all_open().filter_map(|open| open.gap.as_deref()).collect();
    gaps.extend(reasons.into_iter().take(5).map(str::to_owned));
    if !wanted.is_known() {
        gaps.push(wanted.unknown_words());
    }
    if gaps.is_empty() {
        let message = match targets.is_empty() {
            true => format!("The change has no code of the program: {counts}. The contract says: {text}."),
            false if wanted.contract.is_about_additions => {
                format!("The change adds no place where code can {}. The contract says: {text}.", wanted.words())
            }
            false => format!("No examined code can {}. The contract says: {text}.", wanted.words()),
        };
        return wanted.finding(Judgment::NoViolation, 0.9, message, Vec::new(), findings);
    }
    let mut message = format!("Insufficient evidence for \"{text}\": {}.", gaps.join("; "));
    let is_of_before = |additions: &Additions| subject.all_open().all(|open| additions.had_open(open));
    if is_explained_by_uses && findings.additions.as_ref().is_some_and(is_of_before) {
        message.push_str(" All of that was there before this change, which adds nothing that is not known.");
    }
    let evidence = subject.all_open().filter(|open| open.module.is_some() || open.gap.is_some()).take(3);
    let evidence = evidence.flat_map(|open| places(&open.chain)).collect();
    wanted.finding(Judgment::Unknown, 0.3, message, evidence, findings)
}
