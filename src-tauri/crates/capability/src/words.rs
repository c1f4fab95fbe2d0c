//! The words of a file, as numbers: which files mention a name can be told without their texts.

/// The words of a file, in order.
#[derive(Default)]
pub(crate) struct FileWords(Box<[u32]>);

/// The start and the factor of the 32-bit FNV-1a hash.
const FNV: (u32, u32) = (0x811c_9dc5, 0x0100_0193);

impl FileWords {
    /// Returns the words of a text, and the methods of Go that it defines, as `func Name`.
    pub(crate) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let words = bytes.split(|byte| !is_part(*byte)).filter(|word| !word.is_empty());
        let mut all: Vec<u32> = words.map(number).collect();
        let methods = memchr::memmem::find_iter(bytes, b"func (").filter_map(|at| method(&text[at..]));
        all.extend(methods.map(|name| number(format!("func {name}").as_bytes())));
        all.sort_unstable();
        all.dedup();
        Self(all.into_boxed_slice())
    }

    /// Returns whether a word is among them. Seldom true for another word.
    pub(crate) fn have(&self, word: &str) -> bool {
        self.0.binary_search(&number(word.as_bytes())).is_ok()
    }
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn number(word: &[u8]) -> u32 {
    word.iter().fold(FNV.0, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(FNV.1))
}

/// Returns the name of the method of Go that a text begins with: `Name` of `func (f *Forge) Name() string {`.
fn method(text: &str) -> Option<&str> {
    let line = text.lines().next()?;
    let (_, rest) = line.strip_prefix("func (")?.split_once(") ")?;
    let end = rest.bytes().position(|byte| !is_part(byte)).unwrap_or(rest.len());
    Some(&rest[..end]).filter(|name| !name.is_empty())
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
