//! Converts the answers of agents to findings with places: checked against the change and the head's files, merged where they say the same,
//! and masked.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::capability::CapabilityAnalysis;
use super::head_symbols::HeadSymbols;
use crate::open::{OpenChange, last_placed_head, posted_findings};
use diffsan_anchor::{AddedLines, Files, Head, Relocated, Resolved};
use diffsan_change::{FileChange, Hunk, LineKind, NumberedLine, RepoPath};
use diffsan_git::Repo;
use diffsan_redact::Session;
use diffsan_review::ReviewMeta;
use diffsan_review::finding::{AgentFinding, Anchor, CAPABILITY_REVIEWER, Finding, Side, Verdict};
use diffsan_review::merge::merge;
use diffsan_review::rounds::KnownFinding;
use diffsan_store::files::symbol_cache::SymbolCache;

/// The maximum size in bytes of a file that is read to check the place of a finding. Of larger files only the hunks are used.
const FILE_LIMIT: usize = 8 * 1024 * 1024;

/// The check of claims against the symbols of the head.
#[derive(Clone, Debug, Default)]
pub struct ClaimCheck {
    /// The cache of the symbols of files, if there is one.
    pub cache: Option<SymbolCache>,
}

/// Places the findings of answers and merges those that say the same. Their keys are still empty. Without a check, their claims are
/// unchecked. Blocks.
pub fn place_answers(
    opened: &OpenChange,
    found: Vec<(String, Vec<AgentFinding>)>,
    check: Option<ClaimCheck>,
    session: &mut Session,
) -> Vec<Finding> {
    merge(place_checked(opened, found, check, None, session).0)
}

/// Places the findings of every agent, and checks them against the capability reviewer's result if there is one. Returns them with the whole
/// files that they name. Those that say the same are not merged yet. Blocks.
pub(super) fn place_checked(
    opened: &OpenChange,
    found: Vec<(String, Vec<AgentFinding>)>,
    check: Option<ClaimCheck>,
    analysis: Option<&CapabilityAnalysis>,
    session: &mut Session,
) -> (Vec<Finding>, Files) {
    let paths = found.iter().flat_map(|(_, findings)| findings).map(|finding| finding.path.as_str());
    let files = read_files(opened, paths, session);
    // Chains prove the capability reviewer's findings, so they need no symbols.
    let is_proven = |name: &str| analysis.is_some() && name == CAPABILITY_REVIEWER;
    let claiming = found.iter().filter(|(name, _)| !is_proven(name)).flat_map(|(_, findings)| findings);
    let claiming: Vec<&AgentFinding> = claiming.collect();
    let symbols = check.and_then(|check| HeadSymbols::read(opened, check, &claiming));
    let change = opened.prepared().masked.get();
    let place = |head: Option<&Head<'_>>| -> Vec<Finding> {
        let placed = found
            .into_iter()
            .flat_map(|(name, findings)| diffsan_anchor::place_all(findings, &name, change, &files, head));
        placed.collect()
    };
    let mut placed = match &symbols {
        Some(symbols) => symbols.with_head(|head| place(Some(head))),
        None => place(None),
    };
    mask_evidence(&mut placed, session);
    if let Some(analysis) = analysis {
        let chains = analysis.chains();
        for finding in
            placed.iter_mut().filter(|finding| finding.sources.iter().all(|source| source == CAPABILITY_REVIEWER))
        {
            let chain = finding.content.finding_id.as_ref().and_then(|id| chains.get(id));
            finding.chain = chain.cloned().unwrap_or_default();
            // The chain proves the finding; a claim that its names exist adds nothing.
            finding.claims.clear();
            finding.verdict = Verdict::Verified;
        }
        analysis.check(&mut placed);
    }
    diffsan_anchor::check_coverage(&mut placed, opened.facts().as_deref(), &added_lines(opened));
    (placed, files)
}

/// Masks the lines of the head that decide claims.
fn mask_evidence(placed: &mut [Finding], session: &mut Session) {
    let claims = placed.iter_mut().flat_map(|finding| &mut finding.claims);
    for place in claims.filter_map(|claim| claim.evidence.as_mut()) {
        place.text = session.contract(&place.path, &place.text).into_inner();
    }
}

/// Returns the added lines of the change as the agents see them.
fn added_lines(opened: &OpenChange) -> AddedLines {
    let files = opened.prepared().masked.get().files.iter().filter_map(|file| Some((file.new_path.as_ref()?, file)));
    let lines = |file: &FileChange| {
        let added = file.hunks().iter().flat_map(Hunk::numbered).filter(|line| line.line.kind == LineKind::Added);
        added.filter_map(|line| Some((line.new?, String::from_utf8_lossy(&line.line.text).into_owned()))).collect()
    };
    files.map(|(path, file)| (path.to_text().into_owned(), lines(file))).collect()
}

/// Places a finding that the reviewer edited. Its key, sources and claims do not change. Blocks.
pub fn place_edit(opened: &OpenChange, finding: &Finding, content: AgentFinding, session: &mut Session) -> Finding {
    let files = read_files(opened, std::iter::once(content.path.as_str()), session);
    let change = opened.prepared().masked.get();
    let placed = diffsan_anchor::place_all(vec![content], "", change, &files, None).pop();
    match placed {
        Some(placed) => {
            // Of other lines, it is not known whether they are new.
            let is_there =
                (placed.anchor.line_start, placed.anchor.side) == (finding.anchor.line_start, finding.anchor.side);
            let unedited_since = finding.unedited_since.clone().filter(|_| is_there);
            Finding { anchor: placed.anchor, fix: placed.fix, code: placed.code, unedited_since, ..finding.clone() }
        }
        None => finding.clone(),
    }
}

/// Places findings of an earlier state of a change on its current state. `reviewed` names the commits of the earlier review, if all
/// findings have the same. Blocks.
pub fn relocate(
    opened: &OpenChange,
    reviewed: Option<&ReviewMeta>,
    findings: &[Finding],
    session: &mut Session,
) -> Vec<Relocated> {
    let commits = reviewed.map(|meta| (meta.head_sha.as_deref(), meta.base_sha.as_deref())).unwrap_or_default();
    relocate_from(opened, commits, findings, session)
}

/// Returns the findings of the latest posted summary, at the current places of their code as far as the posted version is available.
/// Blocks.
pub fn known_posted_findings(opened: &OpenChange) -> Vec<KnownFinding> {
    let posted = posted_findings(opened);
    if posted.is_empty() {
        return Vec::new();
    }
    let head = last_placed_head(opened);
    let mut session = opened.prepared().session();
    let now = relocate_from(opened, (head.as_deref(), None), &posted, &mut session);
    posted.into_iter().zip(now).map(|(posted, now)| now.known(posted)).collect()
}

/// Places findings on the current state of a change. `commits` are the head and the base at which they were found.
fn relocate_from(
    opened: &OpenChange,
    commits: (Option<&str>, Option<&str>),
    findings: &[Finding],
    session: &mut Session,
) -> Vec<Relocated> {
    // A file that is gone may be one that is new.
    let change = opened.prepared().masked.get();
    let new_paths: Vec<String> = change
        .files
        .iter()
        .filter(|file| file.old_path != file.new_path)
        .filter_map(|file| file.new_path.as_ref())
        .map(|path| path.to_text().into_owned())
        .collect();
    let is_gone =
        |path: &str| !change.files.iter().any(|file| file.new_path.as_ref().is_some_and(|new| new.to_text() == path));
    let may_be_renamed = findings.iter().any(|finding| is_gone(&finding.anchor.path));
    let paths = findings.iter().map(|finding| finding.anchor.path.as_str());
    let files =
        read_files(opened, paths.chain(new_paths.iter().filter(|_| may_be_renamed).map(String::as_str)), session);
    let mut known: HashMap<(String, Side), Option<Arc<str>>> = HashMap::new();
    let mut before = |finding: &Finding| {
        let Anchor { path, side, .. } = &finding.anchor;
        let read = || {
            let commit = if *side == Side::New { commits.0 } else { commits.1 }?;
            let bytes = Repo::open(opened.root.as_ref()?).ok()?.read_at(commit, path).ok().flatten()?;
            Some(Arc::from(String::from_utf8_lossy(session.bytes(path, &bytes).get())))
        };
        known.entry((path.clone(), *side)).or_insert_with(read).clone()
    };
    diffsan_anchor::relocate(findings, &mut before, change, &files)
}

/// Checks the lines and the suggested patches of placed findings again. Blocks.
pub fn recheck(opened: &OpenChange, findings: &mut [Finding], session: &mut Session) {
    let files = read_files(opened, findings.iter().map(|finding| finding.anchor.path.as_str()), session);
    findings.iter_mut().for_each(|finding| diffsan_anchor::recheck(finding, &files));
}

/// Returns lines of a file of the change as the agents see them: from the whole file, or from the hunks if the file is not available.
/// Blocks.
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

/// Returns the whole files at the paths that findings name, masked as the agent saw them.
pub(super) fn read_files<'a>(
    opened: &OpenChange,
    found: impl Iterator<Item = &'a str>,
    session: &mut Session,
) -> Files {
    let mut files = Files::default();
    let change = opened.prepared().masked.get();
    let mut done = std::collections::HashSet::new();
    let mut paths = std::collections::HashSet::new();
    for path in found.filter(|path| paths.insert(*path)) {
        let exists = |path: &str| opened.file(&RepoPath::from(path), Side::New).is_some();
        // The masked change contains the same files in the same order. The repository only knows the real paths.
        let wanted: Vec<(String, Side, RepoPath)> = match diffsan_anchor::resolve_path(path, change, exists) {
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
