//! Converts the result of an examination to findings of a review and to a summary.

use std::collections::BTreeSet;

use crate::Examined;
use diffsan_capability::diff::{NewPackage, NewReach, Novelty, chain_text};
use diffsan_capability::judge::{Judgment, Place, PolicyFinding};
use diffsan_capability::knowledge::Knowledge;
use diffsan_capability::reach::{Hop, Reach};
use diffsan_contracts::vocabulary::{Effect, Risk};
use diffsan_review::finding::{AgentFinding, CAPABILITY_REVIEWER, Category, ChainHop, Severity, Side};

/// The maximum number of places that are listed of one effect in one file.
const PLACES: usize = 6;
/// The maximum number of lines that are listed of one violation in one file.
const LINES: usize = 20;

/// Returns the findings, each with its chain. Their `finding_id` is `capability-1`, and so on.
pub fn findings(knowledge: &Knowledge, examined: &Examined) -> Vec<(AgentFinding, Vec<ChainHop>)> {
    let contracts = examined.findings.iter().filter_map(of_contract);
    // An effect that violates a contract is reported as a violation, and not as a new effect too.
    let covered = |new: &NewReach| {
        let is_there = |reach: &Reach, places: &[Place]| {
            let (end, last) = (reach.chain.last(), places.last());
            end.zip(last).is_some_and(|(end, last)| end.path == last.file && end.line == last.line)
                && places.first().is_some_and(|first| first.file == new.path && first.line == reach.chain[0].line)
        };
        let ends = |reach: &Reach| {
            examined.findings.iter().any(|policy| {
                let mut places = std::iter::once(&policy.evidence).chain(&policy.also);
                places.any(|places| is_there(reach, places)) && of_contract(policy).is_some()
            })
        };
        new.reaches.iter().all(ends)
    };
    // Logging, the clock and randomness are only told in the summary.
    let folded = |new: &NewReach| knowledge.vocabulary.effects.get(new.effect).is_some_and(Effect::is_folded);
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
    let effect = knowledge.vocabulary.effects.get(new.effect)?;
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
        body += &format!("{}.", more_places(more));
    }
    let callers: Vec<String> =
        new.callers.iter().take(PLACES).map(|hop| code(&format!("{}:{}", hop.path, hop.line))).collect();
    if !callers.is_empty() {
        let more = new.callers.len() - callers.len();
        body += &format!("\n\nCalled from {}{}.", callers.join(", "), more_places(more));
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
    let effects: Vec<_> = new.effects.iter().flatten().filter_map(|id| knowledge.vocabulary.effect(id)).collect();
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
    let title = format!("{}: {}", judgment_text(policy.judgment), policy.statement);
    let mut body = policy.message.clone();
    let lines = policy.also.iter().filter_map(|places| places.first()).map(|place| place.line.to_string());
    let lines: Vec<String> = lines.collect();
    if !lines.is_empty() {
        let shown = lines[..lines.len().min(LINES)].join(", ");
        let more = lines.len().saturating_sub(LINES);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        body += &format!("\n\nAlso: {} {shown}{rest}.", if lines.len() == 1 { "line" } else { "lines" });
    }
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
pub fn judgment_text(judgment: Judgment) -> &'static str {
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

/// The maximum number of effects that get a line of their own in the summary.
const OWN_LINES: usize = 3;
/// The maximum number of other effects that the summary lists with a place.
const OTHERS: usize = 8;

/// A new effect, over all files of a change.
struct NewEffect<'a> {
    effect: &'a Effect,
    novelty: Novelty,
    files: usize,
    /// The place with the shortest chain.
    first: &'a Reach,
}

/// Returns the effects that a change adds to files, each once: the newest and most serious first.
fn new_effects<'a>(knowledge: &'a Knowledge, examined: &'a Examined) -> Vec<NewEffect<'a>> {
    let mut all: Vec<NewEffect<'a>> = Vec::new();
    for new in examined.diff.reaches.iter().filter(|new| new.novelty >= Novelty::File) {
        let (Some(effect), Some(first)) = (knowledge.vocabulary.effects.get(new.effect), new.reaches.first()) else {
            continue;
        };
        match all.iter_mut().find(|known| known.effect.id == effect.id) {
            Some(known) => {
                known.files += 1;
                known.novelty = known.novelty.max(new.novelty);
                if first.chain.len() < known.first.chain.len() {
                    known.first = first;
                }
            }
            None => all.push(NewEffect { effect, novelty: new.novelty, files: 1, first }),
        }
    }
    all.sort_by_key(|new| std::cmp::Reverse((new.novelty, new.effect.risk)));
    all
}

fn place(reach: &Reach) -> String {
    code(&format!("{}:{}", reach.chain[0].path, reach.chain[0].line))
}

fn files(number: usize) -> String {
    if number == 1 { "1 file".to_owned() } else { format!("{number} files") }
}

/// Returns ` and 2 more places`, or nothing for none.
fn more_places(number: usize) -> String {
    match number {
        0 => String::new(),
        1 => " and 1 more place".to_owned(),
        _ => format!(" and {number} more places"),
    }
}

fn more_files(number: usize) -> String {
    if number == 1 { "1 more file".to_owned() } else { format!("{number} more files") }
}

/// Returns the lines about new effects: at most [`OWN_LINES`] and three more.
fn new_lines(knowledge: &Knowledge, examined: &Examined) -> Vec<String> {
    let (folded, new): (Vec<NewEffect<'_>>, Vec<NewEffect<'_>>) =
        new_effects(knowledge, examined).into_iter().partition(|new| new.effect.is_folded());
    let (first, wider): (Vec<NewEffect<'_>>, Vec<NewEffect<'_>>) =
        new.into_iter().partition(|new| new.novelty == Novelty::Change);
    let mut lines: Vec<String> = Vec::new();
    for new in first.iter().take(OWN_LINES) {
        let more = if new.files > 1 { format!(", and in {}", more_files(new.files - 1)) } else { String::new() };
        let chain = code(&chain_text(new.first));
        lines.push(format!("- The code can now **{}**: {chain} at {}{more}.", new.effect.title, place(new.first)));
    }
    if first.len() > OWN_LINES {
        lines.push(format!("- It can also {}.", with_places(&first[OWN_LINES..])));
    }
    if !wider.is_empty() {
        lines.push(format!("- More files than before can {}.", with_places(&wider)));
    }
    if !folded.is_empty() {
        let titles: Vec<String> =
            folded.iter().map(|new| format!("{} ({})", new.effect.title, files(new.files))).collect();
        let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
        lines.push(format!("- Routine effects, new in some files: {}.", list(&titles)));
    }
    lines
}

/// Returns the titles of effects, each with a place and the number of files.
fn with_places(effects: &[NewEffect<'_>]) -> String {
    let one = |new: &NewEffect<'_>| {
        let more = if new.files > 1 { format!(" and {}", more_files(new.files - 1)) } else { String::new() };
        format!("{} ({}{more})", new.effect.title, place(new.first))
    };
    let mut texts: Vec<String> = effects.iter().take(OTHERS).map(one).collect();
    if effects.len() > OTHERS {
        texts.push(format!("{} other things", effects.len() - OTHERS));
    }
    list(&texts.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Returns the effects that no changed file has any more, as a sentence.
fn removed(knowledge: &Knowledge, examined: &Examined) -> Option<String> {
    let reached = examined.reached.values().flat_map(|reached| &reached.effects);
    let still: BTreeSet<usize> = reached.map(|reach| reach.effect).collect();
    let gone: BTreeSet<usize> =
        examined.diff.gone.values().flatten().copied().filter(|effect| !still.contains(effect)).collect();
    let effects = gone.iter().filter_map(|effect| knowledge.vocabulary.effects.get(*effect));
    let titles: Vec<&str> = effects.filter(|one| !one.is_folded()).map(|one| one.title.as_str()).collect();
    (!titles.is_empty()).then(|| format!("The changed files can no longer {}.", list(&titles)))
}

/// Returns a summary in Markdown: at most seven lines without contracts, the most serious effect first, and the limits of the
/// examination last.
pub fn summary(knowledge: &Knowledge, examined: &Examined) -> String {
    let lines = new_lines(knowledge, examined);
    let mut out = match lines.as_slice() {
        [] if examined.code_files() == 0 => "The change has no code in a supported language.".to_owned(),
        [] if !examined.compared => String::new(),
        [] if !examined.unknown_modules.is_empty() => "No new capabilities found in code that is known.".to_owned(),
        [] => "No new capabilities found.".to_owned(),
        lines => lines.join("\n"),
    };
    for policy in &examined.findings {
        let rest = if policy.judgment == Judgment::Unknown || policy.judgment == Judgment::NoViolation {
            format!(" {}", policy.message)
        } else {
            String::new()
        };
        let place =
            policy.evidence.first().map(|place| format!(" at {}", code(&format!("{}:{}", place.file, place.line))));
        let place = place.filter(|_| rest.is_empty()).unwrap_or_default();
        out += &format!("\n\n{}{place} ({}).{rest}", judgment_text(policy.judgment), policy.statement);
    }
    for warning in &examined.contracts.warnings {
        out += &format!("\n\n{}: {}.", code(&format!("{}:{}", warning.path, warning.line)), warning.message);
    }
    if examined.contracts.guidelines > 0 {
        let sentences = if examined.contracts.guidelines == 1 { "sentence is" } else { "sentences are" };
        out += &format!("\n\n{} {sentences} no limit on what code may do.", examined.contracts.guidelines);
    }
    let removed = removed(knowledge, examined).map(|text| text + " ").unwrap_or_default();
    let unknown = unknown_modules(examined).map(|text| text + " ").unwrap_or_default();
    out += &format!(
        "\n\n{unknown}{removed}Examined {} of {} code files of the change, and read {} files in total. Nothing was run or sent.",
        examined.reached.len(),
        examined.code_files(),
        examined.files_read
    );
    for (bound, detail) in &examined.hits {
        out += &format!(" Stopped by `{bound}`: {detail}.");
    }
    for (path, reason) in examined.unreadable.iter().take(PLACES) {
        out += &format!(" {} was not read: {reason}.", code(path));
    }
    if examined.unreadable.len() > PLACES {
        out += &format!(" Not read either: {}.", more_files(examined.unreadable.len() - PLACES));
    }
    if !examined.left_out.is_empty() {
        out += &format!(" Skipped: {} (tests, generated or ignored).", files(examined.left_out.len()));
    }
    out.trim_start().to_owned()
}

/// Returns the modules with unknown effects that the change newly calls, as a sentence.
fn unknown_modules(examined: &Examined) -> Option<String> {
    let all = &examined.unknown_modules;
    let mut texts: Vec<String> =
        all.iter().take(OWN_LINES).map(|(module, place)| format!("{} ({})", code(module), code(place))).collect();
    if all.len() > OWN_LINES {
        texts.push(format!("{} more", all.len() - OWN_LINES));
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    (!texts.is_empty()).then(|| format!("The change newly calls {}, whose effects are unknown.", list(&texts)))
}

fn list(items: &[&str]) -> String {
    match items {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use diffsan_capability::diff::CapabilityDiff;
    use diffsan_capability::reach::Reached;

    fn examined(knowledge: &Knowledge, files: usize) -> Examined {
        let mut diff = CapabilityDiff::default();
        let mut examined = Examined { compared: true, ..Examined::default() };
        for file in 0..files {
            let path = format!("src/f{file}.py");
            for (effect, about) in knowledge.vocabulary.effects.iter().enumerate() {
                let hop = Hop { path: path.clone(), line: 3, symbol: about.id.clone(), excerpt: "x()".into() };
                let sink = about.id.clone();
                let reach =
                    Reach { effect, sink, unit: "run".into(), chain: vec![hop], likely: false, of_program: false };
                let novelty = if effect % 3 == 0 { Novelty::File } else { Novelty::Change };
                diff.reaches.push(NewReach {
                    path: path.clone(),
                    effect,
                    novelty,
                    reaches: vec![reach],
                    callers: Vec::new(),
                });
            }
            examined.targets.push(path.clone());
            examined.reached.insert(path, Reached::default());
        }
        Examined { diff, ..examined }
    }

    #[test]
    fn the_summary_of_a_large_change_has_seven_lines_and_the_worst_first() {
        let knowledge = Knowledge::load(&[]).expect("tables");
        let text = summary(&knowledge, &examined(&knowledge, 40));
        let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        assert!(lines.len() <= 7, "{text}");
        let risk = |line: &str| {
            let title = line.split("**").nth(1)?;
            knowledge.vocabulary.effects.iter().find(|effect| effect.title == title).map(|effect| effect.risk)
        };
        assert_eq!(lines.iter().filter_map(|line| risk(line)).collect::<Vec<_>>(), [Risk::High; OWN_LINES]);
        let usual = lines.iter().filter(|line| line.contains("write logs")).collect::<Vec<_>>();
        assert_eq!(usual.len(), 1, "{text}");
        assert!(usual[0].contains("read the clock") && usual[0].contains("use randomness"), "{text}");
    }

    #[test]
    fn the_summary_without_new_effects_says_so() {
        let knowledge = Knowledge::load(&[]).expect("tables");
        let nothing = Examined { diff: CapabilityDiff::default(), ..examined(&knowledge, 1) };
        assert!(summary(&knowledge, &nothing).starts_with("No new capabilities found.\n"));
        let place = ("acme".to_owned(), "a.py:1".to_owned());
        let unknown = Examined { unknown_modules: [place].into(), ..nothing.clone() };
        let text = summary(&knowledge, &unknown);
        assert!(text.starts_with("No new capabilities found in code that is known.\n"), "{text}");
        assert!(text.contains("newly calls `acme` (`a.py:1`), whose effects are unknown"), "{text}");
        let only_judged = Examined { compared: false, ..nothing };
        assert!(summary(&knowledge, &only_judged).starts_with("Examined 1 of 1 code files"));
    }
}
