//! The words of a file, as numbers: which files mention a name can be told without their texts.

use std::hash::{DefaultHasher, Hash, Hasher};

/// The words of a file, in order.
#[derive(Default)]
pub(crate) struct FileWords(Box<[u32]>);

impl FileWords {
    /// Returns the words of a text, and the methods of Go that it defines, as `func Name`.
    pub(crate) fn of(text: &str) -> Self {
        let words = text.split(|char: char| !is_part(char)).filter(|word| !word.is_empty());
        let mut all: Vec<u32> = words.map(number).collect();
        all.extend(text.lines().filter_map(method).map(|name| number(&format!("func {name}"))));
        all.sort_unstable();
        all.dedup();
        Self(all.into_boxed_slice())
    }

    /// Returns whether a word is among them. Seldom true for another word.
    pub(crate) fn have(&self, word: &str) -> bool {
        self.0.binary_search(&number(word)).is_ok()
    }
}

fn is_part(char: char) -> bool {
    char.is_alphanumeric() || char == '_' || char == '$'
}

fn number(word: &str) -> u32 {
    let mut hasher = DefaultHasher::new();
    word.hash(&mut hasher);
    let [a, b, c, d, ..] = hasher.finish().to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

/// Returns the name of the method of Go that a line defines: `Name` of `func (f *Forge) Name() string {`.
fn method(line: &str) -> Option<&str> {
    let (_, rest) = line.strip_prefix("func (")?.split_once(") ")?;
    rest.split(|char: char| !is_part(char)).next().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_methods_of_go_are_found() {
        let words = FileWords::of(
            "type Forge struct{}\nfunc (f *Forge) Name() string { return other.URL() }\nfunc Free() {}\n",
        );
        let has = ["Forge", "Name", "func Name", "URL", "func URL", "func Free", "For"].map(|word| words.have(word));
        assert_eq!(has, [true, true, true, true, false, false, false]);
    }
}
