//! From what the agents found to findings with their places: checked against the change and the head's files, joined where they
//! say the same, and masked.

use std::ops::RangeInclusive;

use super::capability::Looked;
use crate::open::OpenChange;
use diffsan_change::{Hunk, NumberedLine, RepoPath};
use diffsan_redact::Session;
use diffsan_review::ReviewOutput;
use diffsan_review::anchor::{self, Files, Resolved};
use diffsan_review::finding::CAPABILITY_REVIEWER;
use diffsan_review::finding::{AgentFinding, Finding, Side, Verdict};
use diffsan_review::merge::merge;

/// Whole files larger than this are not read to check a finding's place; its hunks still are.
const FILE_LIMIT: usize = 8 * 1024 * 1024;

/// Places what was found elsewhere, and joins what says the same. Blocking.
pub fn place(opened: &OpenChange, found: Vec<(String, Vec<AgentFinding>)>, session: &mut Session) -> Vec<Finding> {
    place_checked(opened, found, None, session)
}

/// Places what every agent found, checks it against what the code can do where that was looked at, and joins what says the same.
/// Blocking.
pub(super) fn place_checked(
    opened: &OpenChange,
    found: Vec<(String, Vec<AgentFinding>)>,
    looked: Option<&Looked>,
    session: &mut Session,
) -> Vec<Finding> {
    let all: Vec<&AgentFinding> = found.iter().flat_map(|(_, findings)| findings).collect();
    let files = read_files(opened, &all, session);
    let symbols = anchor::symbols(all.into_iter());
    let occurrences = super::search::occurrences(opened, &symbols, session);
    let change = opened.prepared().masked.get();
    let placed = found
        .into_iter()
        .flat_map(|(name, findings)| anchor::place_all(findings, &name, change, &files, occurrences.as_ref()));
    let mut placed: Vec<Finding> = placed.collect();
    if let Some(looked) = looked {
        let chains = looked.chains();
        for finding in
            placed.iter_mut().filter(|finding| finding.sources.iter().all(|source| source == CAPABILITY_REVIEWER))
        {
            let chain = finding.said.finding_id.as_ref().and_then(|id| chains.get(id));
            finding.chain = chain.cloned().unwrap_or_default();
            // Its chain is its proof; that its names are there says nothing more.
            finding.claims.clear();
            finding.verdict = Verdict::Verified;
        }
        looked.check(&mut placed);
    }
    merge(placed)
}

/// Places one finding anew, on what the change is now. Its name, who found it and what was found out about it stay. Blocking.
pub fn place_again(opened: &OpenChange, finding: &Finding, said: AgentFinding, session: &mut Session) -> Finding {
    let files = read_files(opened, &[&said], session);
    let change = opened.prepared().masked.get();
    let placed = anchor::place_all(vec![said], "", change, &files, None).pop();
    match placed {
        Some(placed) => Finding { anchor: placed.anchor, fix: placed.fix, code: placed.code, ..finding.clone() },
        None => finding.clone(),
    }
}

/// Findings of an earlier state of a change, where they are on what it is now; in their order. Blocking.
pub fn place_now(opened: &OpenChange, findings: &[Finding], session: &mut Session) -> Vec<Finding> {
    let said: Vec<&AgentFinding> = findings.iter().map(|finding| &finding.said).collect();
    let files = read_files(opened, &said, session);
    let change = opened.prepared().masked.get();
    let placed = anchor::place_all(said.into_iter().cloned().collect(), "", change, &files, None);
    let now =
        |(known, placed): (&Finding, Finding)| Finding { anchor: placed.anchor, fix: placed.fix, ..known.clone() };
    findings.iter().zip(placed).map(now).collect()
}

/// What stands at lines of a file of the change, as the agents see it: of the whole file, or where that is not at hand, of
/// the hunks. Blocking.
pub fn lines_at(
    opened: &OpenChange,
    path: &str,
    side: Side,
    lines: RangeInclusive<u32>,
    session: &mut Session,
) -> Option<String> {
    let at = opened.change.files.iter().position(|file| file.path().to_text() == path)?;
    let real = &opened.change.files[at];
    let path = if side == Side::Old { real.old_path.as_ref() } else { real.new_path.as_ref() };
    let bytes = path.and_then(|path| opened.file(path, side)).filter(|bytes| bytes.len() <= FILE_LIMIT);
    let found: Vec<String> = match bytes {
        Some(bytes) => {
            let masked = session.bytes(&path?.to_text(), &bytes);
            let text = String::from_utf8_lossy(masked.get());
            (1..)
                .zip(text.lines())
                .filter(|(number, _)| lines.contains(number))
                .map(|(_, line)| line.to_owned())
                .collect()
        }
        None => {
            let shown = opened.prepared().masked.get().files.get(at)?.hunks().iter().flat_map(Hunk::numbered);
            let number = |line: &NumberedLine<'_>| if side == Side::Old { line.old } else { line.new };
            shown
                .filter(|line| number(line).is_some_and(|number| lines.contains(&number)))
                .map(|line| String::from_utf8_lossy(&line.line.text).into_owned())
                .collect()
        }
    };
    (!found.is_empty()).then(|| found.join("\n"))
}

/// Whether the code that a finding sits on still stands in its file, as far as that can be seen. Blocking.
pub fn code_stands(opened: &OpenChange, finding: &Finding, session: &mut Session) -> bool {
    let Some(mark) = &finding.code else { return true };
    let anchor = &finding.anchor;
    if let Some(bytes) = opened.file(&RepoPath::from(anchor.path.as_str()), anchor.side) {
        let masked = session.bytes(&anchor.path, &bytes);
        return anchor::stands(mark, &String::from_utf8_lossy(masked.get()));
    }
    let change = opened.prepared().masked.get();
    let file = change.files.iter().find(|file| file.path().to_text() == anchor.path);
    let shown = |file: &diffsan_change::FileChange| {
        let lines = file
            .hunks()
            .iter()
            .flat_map(|hunk| hunk.numbered())
            .filter(|line| if anchor.side == Side::New { line.new.is_some() } else { line.old.is_some() });
        let text: Vec<String> = lines.map(|line| String::from_utf8_lossy(&line.line.text).into_owned()).collect();
        anchor::stands(mark, &text.join("\n"))
    };
    file.is_some_and(shown)
}

/// What an agent writes may hold a secret that it read elsewhere: every text of the result is masked once more.
pub fn masked_output(mut output: ReviewOutput, session: &mut Session) -> ReviewOutput {
    let mut mask = |text: &mut String| {
        *text = session.contract("agent output", text).into_inner();
    };
    mask(&mut output.summary_markdown);
    for agent in &mut output.meta.agents {
        agent.error.iter_mut().for_each(&mut mask);
    }
    for Finding { said, anchor, claims, chain, fix, .. } in &mut output.findings {
        claims.iter_mut().for_each(|claim| mask(&mut claim.claim));
        claims.iter_mut().filter_map(|claim| claim.evidence.as_mut()).for_each(|place| mask(&mut place.text));
        chain
            .iter_mut()
            .for_each(|hop| [&mut hop.symbol, &mut hop.path, &mut hop.text].into_iter().for_each(&mut mask));
        fix.iter_mut().flat_map(|fix| &mut fix.edits).for_each(|edit| mask(&mut edit.text));
        mask(&mut said.body_markdown);
        mask(&mut said.path);
        mask(&mut anchor.path);
        anchor.notes.iter_mut().for_each(&mut mask);
        [&mut said.title, &mut said.quote, &mut said.finding_id].into_iter().flatten().for_each(&mut mask);
        if let Some(patch) = &mut said.suggested_patch {
            mask(&mut patch.content);
        }
    }
    output
}

/// The whole files that findings speak of, masked as the agent saw them.
fn read_files(opened: &OpenChange, found: &[&AgentFinding], session: &mut Session) -> Files {
    let mut files = Files::default();
    let change = opened.prepared().masked.get();
    let mut done = std::collections::HashSet::new();
    let mut paths = std::collections::HashSet::new();
    for finding in found.iter().filter(|finding| paths.insert(finding.path.as_str())) {
        let exists = |path: &str| opened.file(&RepoPath::from(path), Side::New).is_some();
        // The masked change has the same files at the same places; the real paths are what a repository knows.
        let wanted: Vec<(String, Side, RepoPath)> = match anchor::resolve_path(&finding.path, change, exists) {
            Some(Resolved::Changed(index)) => {
                let (real, shown) = (&opened.change.files[index], &change.files[index]);
                let one = |real: &Option<RepoPath>, shown: &Option<RepoPath>, side| {
                    Some((shown.as_ref()?.to_text().into_owned(), side, real.clone()?))
                };
                [one(&real.new_path, &shown.new_path, Side::New), one(&real.old_path, &shown.old_path, Side::Old)]
                    .into_iter()
                    .flatten()
                    .collect()
            }
            Some(Resolved::Other(path)) => vec![(path.clone(), Side::New, RepoPath::from(path.as_str()))],
            None => Vec::new(),
        };
        for (name, side, path) in wanted {
            if !done.insert((name.clone(), side)) {
                continue;
            }
            let Some(bytes) = opened.file(&path, side).filter(|bytes| bytes.len() <= FILE_LIMIT) else { continue };
            let masked = session.bytes(&name, &bytes);
            files.insert(&name, side, &String::from_utf8_lossy(masked.get()));
        }
    }
    files
}
