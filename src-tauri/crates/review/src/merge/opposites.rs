//! Words with an opposite. They keep findings about different things apart that are alike in all other words.

/// Words of which a finding about the one is not about the other.
const OPPOSITES: &[(&str, &str)] = &[
    ("lower", "upper"),
    ("minimum", "maximum"),
    ("min", "max"),
    ("first", "last"),
    ("start", "end"),
    ("begin", "end"),
    ("left", "right"),
    ("top", "bottom"),
    ("before", "after"),
    ("read", "write"),
    ("reader", "writer"),
    ("input", "output"),
    ("request", "response"),
    ("client", "server"),
    ("source", "destination"),
    ("open", "close"),
    ("lock", "unlock"),
    ("encode", "decode"),
    ("encoder", "decoder"),
    ("overflow", "underflow"),
    ("key", "value"),
    ("width", "height"),
    ("row", "column"),
    ("username", "password"),
];

/// The opposite words that a text contains, one bit for each pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Opposites {
    one: u32,
    other: u32,
}

impl Opposites {
    /// Finds the words of a text.
    pub(crate) fn of(text: &str) -> Self {
        let mut found = Self::default();
        for word in text.split(|char: char| !char.is_alphanumeric()).map(str::to_lowercase) {
            for (at, (one, other)) in OPPOSITES.iter().enumerate() {
                found.one |= u32::from(word == *one) << at;
                found.other |= u32::from(word == *other) << at;
            }
        }
        found
    }

    /// Returns whether one text only has a word whose opposite only the other text has.
    pub(crate) fn exclude(self, with: Self) -> bool {
        let (a, b) =
            ((self.one & !self.other, self.other & !self.one), (with.one & !with.other, with.other & !with.one));
        ((a.0 & b.1) | (a.1 & b.0)) != 0
    }
}
