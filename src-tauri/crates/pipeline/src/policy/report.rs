//! Converts the result of an examination to findings of a review and to a summary.

use crate::policy::Examined;
use diffsan_capability::diff::{NewPackage, NewReach, Novelty, chain_text};
use diffsan_capability::follow::{Hop, Reach};
use diffsan_capability::judge::{Judgment, PolicyFinding};
use diffsan_capability::knowledge::{Effect, Knowledge, Risk};
use diffsan_review::finding::{AgentFinding, CAPABILITY_REVIEWER, Category, ChainHop, Severity, Side};

/// The maximum number of places that are listed of one effect in one file.
const PLACES: usize = 6;

/// Returns the findings, each with its chain. Their `finding_id` is `capability-1`, and so on.
pub fn findings(knowledge: &Knowledge, examined: &Examined) -> Vec<(AgentFinding, Vec<ChainHop>)> {
    let contracts = examined.findings.iter().filter_map(of_contract);
    // An effect that violates a contract is reported as a violation, and not as a new effect too.
    let covered = |new: &NewReach| {
        let ends = |reach: &Reach| {
            let end = reach.chain.last();
            examined.findings.iter().any(|policy| {
                let last = policy.evidence.last();
                let first = policy.evidence.first();
                end.zip(last).is_some_and(|(end, last)| end.path == last.file && end.line == last.line)
                    && first.is_some_and(|first| first.file == new.path && first.line == reach.chain[0].line)
                    && of_contract(policy).is_some()
            })
        };
        new.reaches.iter().all(ends)
    };
    // Logging, the clock and randomness are only told in the summary.
    let folded = |new: &NewReach| knowledge.effects.get(new.effect).is_some_and(Effect::is_folded);
    let new = examined.diff.reaches.iter().filter(|new| !covered(new) && !folded(new));
    let reaches = new.filter_map(|new| of_reach(knowledge, new));
    let packages = examined.diff.packages.iter().filter(|new| !new.package.dev).map(|new| of_package(knowledge, new));
    let all = contracts.chain(reaches).chain(packages);
    (1..)
        .zip(all)
        .map(|(number, (finding, chain)): (u32, _)| {
            (AgentFinding { finding_id: Some(format!("{CAPABILITY_REVIEWER}-{number}")), ..finding }, chain)
        })
        .collect()
}

fn finding(severity: Severity, path: &str, line: u32, title: String, body: String) -> AgentFinding {
    AgentFinding {
        title: Some(title),
        body_markdown: body,
        side: Some(Side::New),
        ..AgentFinding::new(severity, Category::Security, path.to_owned(), (line, line))
    }
}

/// Returns inline code in Markdown, for any text.
fn code(text: &str) -> String {
    let marks = "`".repeat(text.split(|char| char != '`').map(str::len).max().unwrap_or(0) + 1);
    if marks.len() == 1 { format!("`{text}`") } else { format!("{marks} {text} {marks}") }
}

fn chain(hops: &[Hop]) -> Vec<ChainHop> {
    let hop = |hop: &Hop| ChainHop {
        symbol: hop.symbol.clone(),
        path: hop.path.clone(),
        line: hop.line,
        text: hop.excerpt.clone(),
    };
    hops.iter().map(hop).collect()
}

fn of_reach(knowledge: &Knowledge, new: &NewReach) -> Option<(AgentFinding, Vec<ChainHop>)> {
    let effect = knowledge.effects.get(new.effect)?;
    let first = new.reaches.first()?;
    let hop = first.chain.first()?;
    let severity = match (effect.risk, new.novelty) {
        (Risk::High, Novelty::Change | Novelty::File) => Severity::High,
        (Risk::High, _) | (Risk::Medium, Novelty::Change | Novelty::File) => Severity::Medium,
        (Risk::Medium, _) | (Risk::Low, Novelty::Change | Novelty::File) => Severity::Low,
        _ => Severity::Info,
    };
    let who = if first.unit.is_empty() { "This file".to_owned() } else { code(&first.unit) };
    let mut body = format!("{who} can now {}: {}.", effect.title, code(&chain_text(first)));
    body += match new.novelty {
        Novelty::Change => " No code in this change could do this before.",
        Novelty::File => " This file could not do this before.",
        Novelty::Means => " Already possible in this file by other means.",
        Novelty::Place => " Already possible elsewhere in this file.",
    };
    let others: Vec<String> = new.reaches[1..]
        .iter()
        .take(PLACES)
        .map(|reach| format!("line {} ({})", reach.chain[0].line, code(&chain_text(reach))))
        .collect();
    if !others.is_empty() {
        body += &format!("\n\nAlso: {}", others.join(", "));
        let more = new.reaches.len() - 1 - others.len();
        body += &if more > 0 { format!(" and {more} more places.") } else { ".".to_owned() };
    }
    let callers: Vec<String> =
        new.callers.iter().take(PLACES).map(|hop| code(&format!("{}:{}", hop.path, hop.line))).collect();
    if !callers.is_empty() {
        let more = new.callers.len() - callers.len();
        let rest = if more > 0 { format!(" and {more} more places") } else { String::new() };
        body += &format!("\n\nCalled from {}{rest}.", callers.join(", "));
    }
    let mut result = finding(severity, &new.path, hop.line, capital(&format!("can now {}", effect.title)), body);
    result.quote = quote(&hop.excerpt);
    result.confidence = Some(if first.chain.len() == 1 { 0.95 } else { 0.9 });
    Some((result, chain(&first.chain)))
}

fn of_package(knowledge: &Knowledge, new: &NewPackage) -> (AgentFinding, Vec<ChainHop>) {
    let name = code(&new.package.name);
    let hop = ChainHop {
        symbol: new.package.name.clone(),
        path: new.path.clone(),
        line: new.package.line,
        text: new.excerpt.clone(),
    };
    let effects: Vec<_> = new.effects.iter().flatten().filter_map(|id| knowledge.effect(id)).collect();
    let (severity, body) = match &new.effects {
        None => (Severity::Low, format!("{name} is new here, and its effects are unknown.")),
        Some(_) if effects.is_empty() => (Severity::Info, format!("{name} is new here; it has no known effects.")),
        Some(_) => {
            let titles: Vec<&str> = effects.iter().map(|effect| effect.title.as_str()).collect();
            (Severity::Low, format!("{name} is new here. It can {}.", titles.join(", ")))
        }
    };
    let mut result = finding(severity, &new.path, new.package.line, format!("New dependency {name}"), body);
    result.quote = quote(&new.excerpt);
    (result, vec![hop])
}

fn of_contract(policy: &PolicyFinding) -> Option<(AgentFinding, Vec<ChainHop>)> {
    let severity = match policy.judgment {
        Judgment::Violation => Severity::High,
        Judgment::LikelyViolation => Severity::Medium,
        Judgment::Unknown if !policy.evidence.is_empty() => Severity::Info,
        _ => return None,
    };
    let first = policy.evidence.first()?;
    let title = format!(
        "{}: {} {} {}",
        judgment_text(policy.judgment),
        policy.modal,
        policy.effect.action,
        policy.effect.resource
    );
    let mut body = policy.message.clone();
    body += &format!("\n\nThe contract is at {}.", code(&policy.contract));
    let mut result = finding(severity, &first.file, first.line, title, body);
    result.quote = quote(&first.excerpt);
    result.confidence = Some(policy.confidence);
    let hops = policy.evidence.iter().map(|place| ChainHop {
        symbol: place.symbol.clone(),
        path: place.file.clone(),
        line: place.line,
        text: place.excerpt.clone(),
    });
    Some((result, hops.collect()))
}

/// Returns a judgment as text.
pub(super) fn judgment_text(judgment: Judgment) -> &'static str {
    match judgment {
        Judgment::Violation => "Violates the contract",
        Judgment::LikelyViolation => "May violate the contract",
        Judgment::Unknown => "Not determined",
        Judgment::NoViolation => "Complies with the contract",
    }
}

fn quote(excerpt: &str) -> Option<String> {
    Some(excerpt.to_owned()).filter(|text| !text.is_empty() && !text.ends_with('…'))
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect()
}

/// Returns a summary of a few lines in Markdown: new effects, removed effects, and the limits of the examination.
pub fn summary(knowledge: &Knowledge, examined: &Examined) -> String {
    let mut out = String::new();
    let (mut titles, mut folded): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for new in &examined.diff.reaches {
        if let Some(effect) = knowledge.effects.get(new.effect).filter(|_| new.novelty >= Novelty::File) {
            let list = if effect.is_folded() { &mut folded } else { &mut titles };
            if !list.contains(&effect.title.as_str()) {
                list.push(&effect.title);
            }
        }
    }
    match titles.as_slice() {
        [] if examined.targets.is_empty() => out += "The change has no code in a supported language.",
        [] => out += "No new capabilities found.",
        _ => out += &format!("With this change, the code can now {}.", list(&titles)),
    }
    if !folded.is_empty() {
        out += &format!(" It can also {}.", list(&folded));
    }
    let gone: Vec<String> = examined
        .diff
        .gone
        .iter()
        .map(|(path, effects)| {
            let titles: Vec<&str> = effects
                .iter()
                .filter_map(|effect| knowledge.effects.get(*effect))
                .map(|effect| effect.title.as_str())
                .collect();
            format!("{} can no longer {}", code(path), list(&titles))
        })
        .collect();
    if !gone.is_empty() {
        let more = gone.len().saturating_sub(PLACES);
        let rest = if more > 0 { format!("; and {more} more files") } else { String::new() };
        out += &format!("\n\nRemoved: {}{rest}.", gone[..gone.len() - more].join("; "));
    }
    for policy in &examined.findings {
        let rest = if policy.judgment == Judgment::Unknown || policy.judgment == Judgment::NoViolation {
            format!(" {}", policy.message)
        } else {
            String::new()
        };
        out += &format!(
            "\n\n{} ({} {} {}).{rest}",
            judgment_text(policy.judgment),
            policy.modal,
            policy.effect.action,
            policy.effect.resource
        );
    }
    for warning in &examined.contracts.warnings {
        out += &format!("\n\n{}: {}.", code(&format!("{}:{}", warning.path, warning.line)), warning.message);
    }
    out += &format!(
        "\n\nExamined {} files of the change and read {} files in total. Nothing was run or sent.",
        examined.reached.len(),
        examined.files_read
    );
    for (bound, detail) in &examined.hits {
        out += &format!(" Stopped by `{bound}`: {detail}.");
    }
    for (path, reason) in examined.unreadable.iter().take(PLACES) {
        out += &format!(" {} was not read: {reason}.", code(path));
    }
    if !examined.left_out.is_empty() {
        out += &format!(" {} test, generated or ignored files were skipped.", examined.left_out.len());
    }
    out
}

fn list(items: &[&str]) -> String {
    match items {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}
