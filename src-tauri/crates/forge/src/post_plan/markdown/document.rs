//! A document that is only displayed: its types cannot express HTML, an image or anything that GitLab acts on.

/// A block of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Block {
    Paragraph(Vec<Inline>),
    /// A heading and its level, 1 to 6.
    Heading(u8, Vec<Inline>),
    Code {
        language: String,
        /// The lines, each with its line feed.
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
    /// A collapsible section. The summary is plain text.
    Details {
        summary: String,
        blocks: Vec<Block>,
    },
}

/// The alignment of a table column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alignment {
    None,
    Left,
    Center,
    Right,
}

/// An inline element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Inline {
    /// Text that GitLab does not read as a reference.
    Text(String),
    Code(String),
    Emphasis(Vec<Inline>),
    Strong(Vec<Inline>),
    Strikethrough(Vec<Inline>),
    /// A link to a page that is not an object of a GitLab server.
    Link {
        url: String,
        content: Vec<Inline>,
    },
    LineBreak,
    SoftBreak,
}
