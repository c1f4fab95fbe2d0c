//! Describes a finding for a second opinion: the claim, the checks without a model, the code and its callers. All of it is masked.

use std::collections::BTreeMap;

use crate::callers::{Caller, Callers};
use diffsan_change::{Hunk, LineKind, RepoPath};
use diffsan_pipeline::open::OpenChange;
use diffsan_redact::Session;
use diffsan_review::finding::{Finding, Side, Verdict};

/// The number of lines that are shown around a finding.
const LINES_AROUND: u32 = 40;
/// The maximum number of lines of code, of lines of a hunk, and of characters of a line.
const MAX_LINES: usize = 160;
const MAX_HUNK_LINES: usize = 120;
const MAX_LINE_CHARS: usize = 400;
/// The maximum number of characters of the text of a finding.
const MAX_CLAIM_CHARS: usize = 8_000;
/// The maximum size in bytes of a file whose lines are shown.
const MAX_FILE_BYTES: usize = 8 * 1024 * 1024;

/// Returns the description of a finding.
pub fn material(finding: &Finding, callers: &Callers, files: &mut MaskedFiles<'_>, session: &mut Session) -> String {
    let mut parts = vec![claim(finding)];
    parts.extend(checks(finding));
    parts.extend(code(finding, files, session));
    parts.extend(hunk(finding, files.opened));
    parts.extend(callers.of(&finding.key).map(|(name, list)| called(name, list, files, session)));
    session.text("finding", &parts.join("\n\n")).into_inner()
}

fn claim(finding: &Finding) -> String {
    let content = &finding.content;
    let anchor = &finding.anchor;
    let side = if anchor.side == Side::Old { "before the change" } else { "after the change" };
    let place = match (anchor.line_start, anchor.line_end) {
        (Some(start), Some(end)) if start != end => format!("{}, lines {start} to {end} {side}", anchor.path),
        (Some(line), _) => format!("{}, line {line} {side}", anchor.path),
        _ => anchor.path.clone(),
    };
    let mut text =
        format!("Place: {place}\nSeverity: {}, category: {}", content.severity.name(), content.category.name());
    if let Some(title) = content.title.as_deref().filter(|title| !title.trim().is_empty()) {
        text += &format!("\nTitle: {}", title.trim());
    }
    let body: String = content.body_markdown.trim().chars().take(MAX_CLAIM_CHARS).collect();
    text + "\n\nThe finding:\n\n" + &body
}

/// Returns the results of the checks without a model.
fn checks(finding: &Finding) -> Option<String> {
    let line = |claim: &diffsan_review::finding::Claim| {
        let verdict = match claim.verdict {
            Verdict::Verified => "verified",
            Verdict::Contradicted => "contradicted",
            Verdict::Unchecked => return None,
        };
        let place = claim.evidence.as_ref().map(|one| format!(" at {}:{}: `{}`", one.path, one.line, one.text.trim()));
        Some(format!("- {}: {verdict}{}", claim.claim, place.unwrap_or_default()))
    };
    let lines: Vec<String> = finding.claims.iter().filter_map(line).collect();
    (!lines.is_empty()).then(|| format!("Checks without a model:\n{}", lines.join("\n")))
}

/// Returns the numbered lines around a finding.
fn code(finding: &Finding, files: &mut MaskedFiles<'_>, session: &mut Session) -> Option<String> {
    let anchor = &finding.anchor;
    let (start, end) = anchor.line_start.zip(anchor.line_end)?;
    let lines = files.lines(&anchor.path, anchor.side, session);
    let first = start.saturating_sub(LINES_AROUND).max(1);
    let shown = (1_u32..).zip(lines).skip(first as usize - 1).take_while(|(number, _)| *number <= end + LINES_AROUND);
    let mut text: Vec<String> =
        shown.take(MAX_LINES).map(|(number, line)| format!("{number:>6}  {}", cut(line))).collect();
    if text.is_empty() {
        return None;
    }
    let side = if anchor.side == Side::Old { "before the change" } else { "after the change" };
    text.insert(0, format!("{} {side}, with line numbers:\n", anchor.path));
    Some(text.join("\n"))
}

/// Returns the hunk of the change that contains a finding, as the agents see it.
fn hunk(finding: &Finding, opened: &OpenChange) -> Option<String> {
    let anchor = &finding.anchor;
    let line = anchor.line_end.filter(|_| anchor.in_change)?;
    let change = opened.prepared().masked.get();
    let file = change.files.iter().find(|file| file.path().to_text() == anchor.path)?;
    let contains = |hunk: &&Hunk| {
        let (start, count) = match anchor.side {
            Side::New => (hunk.new_start, hunk.new_lines),
            Side::Old => (hunk.old_start, hunk.old_lines),
        };
        (start..start.saturating_add(count)).contains(&line)
    };
    let hunk = file.hunks().iter().find(contains)?;
    let sign = |kind: LineKind| match kind {
        LineKind::Added => '+',
        LineKind::Removed => '-',
        LineKind::Context => ' ',
    };
    let lines = hunk.lines.iter().take(MAX_HUNK_LINES);
    let lines: Vec<String> =
        lines.map(|line| format!("{}{}", sign(line.kind), cut(&String::from_utf8_lossy(&line.text)))).collect();
    let more = hunk.lines.len().saturating_sub(MAX_HUNK_LINES);
    let more = if more > 0 { format!("\n… {more} more lines") } else { String::new() };
    Some(format!(
        "The change there:\n\n@@ -{},{} +{},{} @@\n{}{more}",
        hunk.old_start,
        hunk.old_lines,
        hunk.new_start,
        hunk.new_lines,
        lines.join("\n")
    ))
}

fn called(name: &str, callers: &[Caller], files: &mut MaskedFiles<'_>, session: &mut Session) -> String {
    let mut text = format!("Calls of `{name}`:");
    for caller in callers {
        let line = (caller.line as usize).checked_sub(1);
        let lines = files.lines(&caller.path, Side::New, session);
        let line = line.and_then(|at| lines.get(at)).map(|line| cut(line.trim())).unwrap_or_default();
        let within = if caller.within.is_empty() { String::new() } else { format!(" in `{}`", caller.within) };
        let certain = if caller.certain { "" } else { " (possibly)" };
        text += &format!("\n- {}:{}{within}{certain}: {line}", caller.path, caller.line);
    }
    text
}

fn cut(line: &str) -> String {
    let short: String = line.chars().take(MAX_LINE_CHARS).collect();
    if short.len() < line.len() { short + "…" } else { short }
}

/// The lines of whole files, masked. A file is read once.
pub struct MaskedFiles<'a> {
    opened: &'a OpenChange,
    known: BTreeMap<(String, bool), Vec<String>>,
}

impl<'a> MaskedFiles<'a> {
    /// Creates an empty set of files of a change.
    pub fn new(opened: &'a OpenChange) -> Self {
        Self { opened, known: BTreeMap::new() }
    }

    /// Returns the lines of a file; none if it cannot be read.
    fn lines(&mut self, path: &str, side: Side, session: &mut Session) -> &[String] {
        let opened = self.opened;
        self.known.entry((path.to_owned(), side == Side::New)).or_insert_with(|| {
            let bytes = real_path(opened, path, side).and_then(|path| opened.file(&path, side));
            let bytes = bytes.filter(|bytes| bytes.len() <= MAX_FILE_BYTES).unwrap_or_default();
            let masked = session.bytes(path, &bytes).into_inner();
            String::from_utf8_lossy(&masked).lines().map(str::to_owned).collect()
        })
    }
}

/// Returns the real path of a file, whose masked path or name on the other side may differ.
fn real_path(opened: &OpenChange, path: &str, side: Side) -> Option<RepoPath> {
    let masked = &opened.prepared().masked.get().files;
    match masked.iter().position(|file| file.path().to_text() == path) {
        Some(at) => {
            let file = opened.change.files.get(at)?;
            if side == Side::Old { file.old_path.clone() } else { file.new_path.clone() }
        }
        None => Some(RepoPath::from(path)),
    }
}
