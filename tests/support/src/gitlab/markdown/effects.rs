//! The effects of a note, and how the effects of several readings are combined.

use std::collections::BTreeMap;

/// All effects of a note apart from its visible text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoteEffects {
    /// The lines that are executed as quick actions or replaced as substitutions (`/shrug`).
    pub executed: Vec<String>,
    /// The names of users and groups that are notified, without `@`.
    pub mentioned: Vec<String>,
    /// Texts that GitLab turns into links to its own objects. Issues, merge requests, epics and commits also get a note about the
    /// mention.
    pub references: Vec<Reference>,
    /// Keys of an external issue tracker (`ABC-12`, but also `UTF-8`). They have an effect only if a tracker such as Jira is
    /// connected.
    pub external_issues: Vec<String>,
    /// Addresses of images, videos and other embedded objects.
    pub images: Vec<String>,
    /// All raw HTML tags, declarations and comments, as written. Comments that are diffsan's markers are only in `markers`.
    pub html: Vec<String>,
    /// Files and addresses that `::include{file=…}` names outside of code.
    pub includes: Vec<String>,
    /// Code blocks that GitLab offers to apply, if the note is on a line of the head.
    pub suggestions: Vec<Suggestion>,
    /// Other active constructs.
    pub other_active_blocks: Vec<ActiveBlock>,
    /// All texts that look like diffsan's markers, in the order of the note.
    pub markers: Vec<Marker>,
    /// The body as GitLab stores it: without carriage returns, commands and trailing white space.
    pub stored: String,
}

/// A text that becomes a link to an object of GitLab.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reference {
    /// The kind of object.
    pub kind: ReferenceKind,
    /// The text of the reference.
    pub text: String,
}

/// The kinds of objects that a text can refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReferenceKind {
    /// `#12`, `group/project#12`, `GL-12`
    Issue,
    /// `!12`
    MergeRequest,
    /// A SHA of 7 to 40 digits.
    Commit,
    /// Two SHAs with two or three dots between them.
    CommitRange,
    /// `%12`, `%name`, `%"a name"`
    Milestone,
    /// `~12`, `~name`, `~"a name"`
    Label,
    /// `$12`
    Snippet,
    /// `&12`
    Epic,
    /// `*iteration:12`
    Iteration,
    /// `^alert#12`
    Alert,
    /// `group/project>`
    Project,
    /// `[vulnerability:12]`, `[feature_flag:12]`, `[contact:a@b.c]`, `[issue:12]`, `[wiki_page:home]` and the like.
    Named,
    /// `[[a page]]`
    WikiPage,
    /// The full address of an object of this GitLab.
    Address,
    /// A link whose address is itself a reference: `[text](#12)`, `[text](@jane)`.
    LinkAddress,
}

/// A code block that GitLab offers to apply to the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Suggestion {
    /// The number of lines above the note's line that are replaced, at most 100.
    pub above: u32,
    /// The number of lines below the note's line that are replaced, at most 100.
    pub below: u32,
    /// The new text, without the last line end.
    pub content: String,
}

/// An active construct that is not in another list of [`NoteEffects`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ActiveBlock {
    /// A code block that is rendered as a diagram, with its language: `mermaid`, `plantuml`, a language of Kroki.
    Diagram(String),
    /// A formula: `$x$`, `` $`x`$ ``, a `math` block.
    Math(String),
    /// A code block that is rendered as a table (`json:table`).
    JsonTable,
    /// `[TOC]`, `[[_TOC_]]`
    TableOfContents,
    /// `> [!note]`, with the kind of the alert.
    Alert(String),
    /// `>>>`
    MultilineQuote,
    /// `---`, `+++` or `;;;` at the beginning of the note.
    FrontMatter,
    /// A term with `: details`.
    DescriptionList,
    /// `- [ ] task`
    TaskItem,
    /// `[^1]: text`, with the footnote's name.
    Footnote(String),
    /// `%{project_name}`
    Placeholder(String),
    /// `{+ added +}`, `[- removed -]`
    InlineDiff(String),
}

/// A text of the form `<!-- diffsan:… -->`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    /// The whole comment, or the rest of the line if it is not closed.
    pub text: String,
    /// The offset in bytes in the body without carriage returns.
    pub offset: usize,
    /// Whether the text is an HTML comment in any reading. Otherwise it is text, for instance in a code block.
    pub comment: bool,
    /// Whether the marker is alone on its line, and only such lines and white space follow.
    pub at_end: bool,
}

impl NoteEffects {
    /// Returns whether the note has no effect: no command, mention, reference, object, HTML or active block. Ignores external
    /// issues and markers.
    pub fn is_inert(&self) -> bool {
        self.executed.is_empty()
            && self.mentioned.is_empty()
            && self.references.is_empty()
            && self.images.is_empty()
            && self.html.is_empty()
            && self.includes.is_empty()
            && self.suggestions.is_empty()
            && self.other_active_blocks.is_empty()
    }

    /// Returns the raw HTML that is not in `allowed`.
    pub fn html_except<'a>(&'a self, allowed: &'a [&str]) -> impl Iterator<Item = &'a str> {
        self.html.iter().map(String::as_str).filter(move |tag| !allowed.contains(tag))
    }

    /// Adds the effects of another reading. Effects that both readings have count once.
    pub(super) fn add(&mut self, other: Self) {
        let Self {
            executed,
            mentioned,
            references,
            external_issues,
            images,
            html,
            includes,
            suggestions,
            other_active_blocks,
            markers: _,
            stored: _,
        } = other;
        join(&mut self.executed, executed);
        join(&mut self.mentioned, mentioned);
        join(&mut self.references, references);
        join(&mut self.external_issues, external_issues);
        join(&mut self.images, images);
        join(&mut self.html, html);
        join(&mut self.includes, includes);
        join(&mut self.suggestions, suggestions);
        join(&mut self.other_active_blocks, other_active_blocks);
    }
}

/// Adds the values that occur in `more` more often than in `all`.
fn join<T: Ord + Clone>(all: &mut Vec<T>, more: Vec<T>) {
    if more.is_empty() {
        return;
    }
    let mut known: BTreeMap<T, usize> = BTreeMap::new();
    for one in all.iter() {
        *known.entry(one.clone()).or_default() += 1;
    }
    for one in more {
        match known.get_mut(&one) {
            Some(count) if *count > 0 => *count -= 1,
            _ => all.push(one),
        }
    }
}

/// Returns whether a comment has the form of diffsan's markers.
pub(super) fn is_marker(tag: &str) -> bool {
    tag.strip_prefix("<!--").is_some_and(|rest| rest.trim_start().to_ascii_lowercase().starts_with("diffsan"))
}

/// Returns the markers of a body. `html` is the raw HTML of the readings.
pub(super) fn markers(text: &str, html: &[String]) -> Vec<Marker> {
    let mut found = Vec::new();
    for (offset, _) in text.match_indices("<!--") {
        let rest = &text[offset..];
        if !is_marker(rest) {
            continue;
        }
        let end = match (rest.find("-->"), rest.find('\n')) {
            (Some(end), _) => end + 3,
            (None, Some(line)) => line,
            (None, None) => rest.len(),
        };
        let marker = &rest[..end];
        let before = text[..offset].rsplit('\n').next().unwrap_or_default();
        let alone = before.is_empty();
        let comment = html.iter().any(|tag| tag.contains(marker));
        found.push(Marker { text: marker.to_owned(), offset, comment, at_end: alone && only_comments(&rest[end..]) });
    }
    found
}

/// Returns whether only comments follow, each alone on a line.
fn only_comments(rest: &str) -> bool {
    rest.lines().all(|line| {
        let line = line.trim();
        line.is_empty() || is_marker(line) && line.find("-->") == line.len().checked_sub(3)
    })
}
