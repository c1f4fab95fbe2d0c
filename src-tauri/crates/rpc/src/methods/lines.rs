//! The lines of a change, in pages, and their highlighting. The first lines appear at once, however large the
//! change is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::registry::{Fault, Table, opened};
use diffsan_app::ChangeHandle;
use diffsan_change::{FileChange, Hunk, LineKind};
use diffsan_pipeline::error::{Error, ErrorCode};
use diffsan_pipeline::open::OpenChange;
use diffsan_syntax::highlight;

/// The size in bytes above which code is not highlighted.
const LONGEST_CODE: usize = 200 * 1024;

/// The number of lines that are sent with the change itself.
pub(super) const FIRST_PAGE: u32 = 400;

/// The maximum number of lines in one page, whatever the caller asks for.
const MAX_PAGE_LINES: u32 = 20_000;

/// The number of bytes after which a displayed line is cut.
const LINE_SHOWN: usize = 20_000;

/// The number of lines before the requested ones that are highlighted with them, so that a string or comment that
/// begins there is recognised.
pub(super) const LEAD: usize = 200;

/// Code in a message.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct CodeParams {
    /// The language as the fence names it, or the path of a file.
    pub language: String,
    /// The code.
    pub text: String,
}

/// Asks for lines around the hunks.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ContextParams {
    /// The opened change.
    pub change_id: String,
    /// Index into `ChangeView.files`.
    pub file: u32,
    /// The first requested line of the new side, from 1.
    pub from: u32,
    /// The last requested line. Fewer lines are returned at the end of the file, or if the request is too large.
    pub to: u32,
}

/// Lines around the hunks.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ContextView {
    /// The number of the first line on the new side.
    pub first: u32,
    /// The text of the lines.
    pub lines: Vec<String>,
    /// The highlighting of the lines.
    pub colours: HighlightView,
    /// The number of lines in the file.
    pub total: u32,
}

/// Asks for the next hunks.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct HunksParams {
    /// The opened change.
    pub change_id: String,
    /// The place to continue from.
    pub from: PageCursor,
    /// The approximate number of lines to send. Hunks are cut at this number, so a page may end inside a hunk.
    pub max_lines: u32,
}

/// A place in the flat list of files, hunks and lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PageCursor {
    /// Index into `ChangeView.files`.
    pub file: u32,
    /// Index of the hunk in the file.
    pub hunk: u32,
    /// Index of the line in the hunk.
    pub line: u32,
}

/// Some hunks, in the order of the files.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HunkPage {
    /// The hunks or parts of hunks.
    pub parts: Vec<HunkPart>,
    /// The start of the next page. None at the end.
    pub next: Option<PageCursor>,
}

/// A hunk, or part of one.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HunkPart {
    /// Index into `ChangeView.files`.
    pub file: u32,
    /// Index of the hunk in the file.
    pub hunk: u32,
    /// Index of the part's first line in the hunk; 0 at the hunk's beginning.
    pub first_line: u32,
    /// The hunk's header: `@@ -1,4 +1,6 @@ fn main()`.
    pub header: String,
    /// The line number of the part's first line on the old side.
    pub old_start: u32,
    /// The line number of the part's first line on the new side.
    pub new_start: u32,
    /// One character for each line: ` ` context, `+` added, `-` removed. A `!` follows for each line that ends its file
    /// without a line feed.
    pub kinds: String,
    /// The text of the lines, in order. Bytes that are not UTF-8 are shown as U+FFFD.
    pub lines: Vec<String>,
}

/// Asks for the highlighting of some lines.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct HighlightParams {
    /// The opened change.
    pub change_id: String,
    /// Index into `ChangeView.files`.
    pub file: u32,
    /// Index of the hunk.
    pub hunk: u32,
    /// Index of the first line in the hunk.
    pub first_line: u32,
    /// The number of lines.
    pub count: u32,
}

/// The highlighting of some lines.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HighlightView {
    /// For each line a flat list `[length, class, length, class, …]` in UTF-16 units that covers the line from its
    /// start. A class is an index into `HighlightView.classes`. The list is empty for a line without colours.
    pub lines: Vec<Vec<u32>>,
    /// The CSS class names: ``, `keyword`, `string`, `comment`, `number`, `function`, `type`, `constant`, `variable`,
    /// `operator`, `punctuation`, `tag`, `attribute`, `heading`, `escape`.
    pub classes: Vec<String>,
}

pub(super) fn register(table: &mut Table) {
    table.query("change.hunks", "Returns the next hunks of an opened change", |app, params: HunksParams| {
        let handle = opened(app, &params.change_id)?;
        Ok(page(&handle.opened, params.from, params.max_lines))
    });
    table.query("change.highlight", "Highlights lines of a hunk", |app, params: HighlightParams| {
        let handle = opened(app, &params.change_id)?;
        Ok(colours(&handle.opened, &params))
    });
    table.query("code.highlight", "Highlights code in a message", |_, params: CodeParams| {
        let classes = highlight::class_names();
        let path = file_name(&params.language);
        let lines = match params.text.len() <= LONGEST_CODE && highlight::is_known(&path) {
            true => highlight::highlight(&path, params.text.lines()),
            false => Vec::new(),
        };
        Ok(HighlightView { lines, classes })
    });
    table.query("change.context", "Returns lines of a file around its hunks", |app, params: ContextParams| {
        let handle = opened(app, &params.change_id)?;
        let file = file_at(&handle, params.file)?;
        let found = app.context(&handle.opened, file, params.from, params.to, LEAD)?;
        let texts = |lines: &[Vec<u8>]| lines.iter().map(|line| shown(line)).collect::<Vec<_>>();
        let (lead, lines) = (texts(&found.lead), texts(&found.lines));
        let path = file.path().to_text();
        let all = lead.iter().chain(&lines).map(String::as_str);
        let classes = highlight::class_names();
        let colours = highlight::highlight(&path, all).into_iter().skip(lead.len()).collect();
        let colours = HighlightView { lines: colours, classes };
        Ok(ContextView { first: found.first, lines, colours, total: found.total })
    });
}

/// Returns a file name with the usual extension of a language.
fn file_name(language: &str) -> String {
    let name = language.split([' ', ',', '{']).next().unwrap_or_default().to_lowercase();
    let ending = match name.as_str() {
        "rust" => "rs",
        "python" => "py",
        "typescript" => "ts",
        "javascript" | "node" => "js",
        "shell" | "bash" | "console" | "zsh" => "sh",
        "golang" => "go",
        "ruby" => "rb",
        "csharp" | "c#" => "cs",
        "c++" => "cpp",
        "markdown" => "md",
        "kotlin" => "kt",
        "yml" => "yaml",
        _ if name.contains('.') || name.contains('/') => return language.to_owned(),
        other => other,
    };
    format!("code.{ending}")
}

/// Returns the file at `index` in display order.
pub(super) fn shown_file(opened: &OpenChange, index: u32) -> Option<&FileChange> {
    opened.change.files.get(*opened.plan.order().get(index as usize)?)
}

/// Returns a page of hunks that begins at `from` and has at most `max_lines` lines.
pub(super) fn page(opened: &OpenChange, from: PageCursor, max_lines: u32) -> HunkPage {
    let mut left = max_lines.clamp(1, MAX_PAGE_LINES) as usize;
    let mut parts = Vec::new();
    let mut cursor = from;
    while let Some(file) = shown_file(opened, cursor.file) {
        let Some(hunk) = file.hunks().get(cursor.hunk as usize) else {
            cursor = PageCursor { file: cursor.file + 1, hunk: 0, line: 0 };
            continue;
        };
        if left == 0 {
            return HunkPage { parts, next: Some(cursor) };
        }
        let part = part(hunk, cursor, left);
        left -= part.lines.len().min(left);
        let end = part.first_line as usize + part.lines.len();
        cursor = if end >= hunk.lines.len() {
            PageCursor { file: cursor.file, hunk: cursor.hunk + 1, line: 0 }
        } else {
            PageCursor { line: u32::try_from(end).unwrap_or(u32::MAX), ..cursor }
        };
        parts.push(part);
    }
    HunkPage { parts, next: None }
}

fn part(hunk: &Hunk, at: PageCursor, most: usize) -> HunkPart {
    let first = (at.line as usize).min(hunk.lines.len());
    let last = (first + most).min(hunk.lines.len());
    let mut kinds = String::with_capacity(last - first);
    let (mut old_start, mut new_start) = (hunk.old_start, hunk.new_start);
    for line in &hunk.lines[..first] {
        old_start += u32::from(line.kind != LineKind::Added);
        new_start += u32::from(line.kind != LineKind::Removed);
    }
    for line in &hunk.lines[first..last] {
        kinds.push(match line.kind {
            LineKind::Context => ' ',
            LineKind::Added => '+',
            LineKind::Removed => '-',
        });
        if !line.newline {
            kinds.push('!');
        }
    }
    HunkPart {
        file: at.file,
        hunk: at.hunk,
        first_line: at.line,
        header: header(hunk),
        old_start,
        new_start,
        kinds,
        lines: hunk.lines[first..last].iter().map(|line| shown(&line.text)).collect(),
    }
}

fn header(hunk: &Hunk) -> String {
    let range = |start: u32, lines: u32| if lines == 1 { start.to_string() } else { format!("{start},{lines}") };
    let section = String::from_utf8_lossy(&hunk.section);
    format!("@@ -{} +{} @@ {section}", range(hunk.old_start, hunk.old_lines), range(hunk.new_start, hunk.new_lines))
        .trim_end()
        .to_owned()
}

/// Converts a line to text for display, cut after [`LINE_SHOWN`] bytes.
pub(super) fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(LINE_SHOWN)]);
    if bytes.len() > LINE_SHOWN { format!("{text}… ({} bytes)", bytes.len()) } else { text.into_owned() }
}

/// Highlights some lines of a hunk. The old and the new side are parsed separately, because a removed line may open a
/// string or comment that the added lines do not open.
pub(super) fn colours(opened: &OpenChange, params: &HighlightParams) -> HighlightView {
    let classes = highlight::class_names();
    let file = shown_file(opened, params.file);
    let hunk = file.and_then(|file| file.hunks().get(params.hunk as usize));
    let (Some(file), Some(hunk)) = (file, hunk) else { return HighlightView { lines: Vec::new(), classes } };
    let first = (params.first_line as usize).min(hunk.lines.len());
    let last = (first + params.count as usize).min(hunk.lines.len());
    let lead = first.saturating_sub(LEAD);
    let path = file.path().to_text();
    let mut lines = vec![Vec::new(); last - first];
    for (skipped, wanted) in [(LineKind::Added, LineKind::Removed), (LineKind::Removed, LineKind::Added)] {
        let side: Vec<usize> = (lead..last).filter(|&index| hunk.lines[index].kind != skipped).collect();
        let texts: Vec<String> = side.iter().map(|&index| shown(&hunk.lines[index].text)).collect();
        // The new side also colours the context lines, so the old side is needed only where there are removed lines.
        if wanted == LineKind::Removed && !(first..last).any(|index| hunk.lines[index].kind == wanted) {
            continue;
        }
        let spans = highlight::highlight(&path, texts.iter().map(String::as_str));
        for (index, spans) in side.into_iter().zip(spans) {
            if index >= first && hunk.lines[index].kind != skipped {
                lines[index - first] = spans;
            }
        }
    }
    HighlightView { lines, classes }
}

/// Returns the first page of a change.
pub(super) fn first_page(opened: &OpenChange) -> HunkPage {
    page(opened, PageCursor { file: 0, hunk: 0, line: 0 }, FIRST_PAGE)
}

/// Returns the file at `index` in display order. Fails if there is none.
pub(super) fn file_at(handle: &ChangeHandle, index: u32) -> Result<&FileChange, Fault> {
    let missing = || Error::new(ErrorCode::NotFound, "The change has no such file.").hint("Open the change again.");
    Ok(shown_file(&handle.opened, index).ok_or_else(missing)?)
}
