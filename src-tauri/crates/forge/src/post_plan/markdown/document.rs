//! A document that can only be displayed: none of its values can hold HTML, an image or anything that GitLab acts on.

/// A block of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Block {
    Paragraph(Vec<Inline>),
    /// A heading and its level, 1 to 6.
    Heading(u8, Vec<Inline>),
    Code {
        language: String,
        /// Lines, each with its line feed.
        text: String,
    },
    Quote(Vec<Block>),
    List {
        /// The first number of an ordered list.
        start: Option<usize>,
        items: Vec<Vec<Block>>,
    },
    /// Rows of cells; the first row is the header.
    Table {
        alignments: Vec<Alignment>,
        rows: Vec<Vec<Vec<Inline>>>,
    },
    Rule,
    /// A folded part. The summary is plain text.
    Details {
        summary: String,
        blocks: Vec<Block>,
    },
}

/// How a column of a table is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alignment {
    None,
    Left,
    Center,
    Right,
}

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Inline {
    /// Text without anything that GitLab would take for a reference.
    Text(String),
    Code(String),
    Emphasis(Vec<Inline>),
    Strong(Vec<Inline>),
    Strikethrough(Vec<Inline>),
    /// A link to a page that is no object of a GitLab.
    Link {
        url: String,
        content: Vec<Inline>,
    },
    LineBreak,
    SoftBreak,
}
