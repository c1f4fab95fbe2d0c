//! The words of a file, as numbers: which files mention or define a name can be told without their texts.

/// The words of a file, in order, and the names that it defines, with the keyword before them.
#[derive(Clone, Debug, Default)]
pub struct FileWords(Box<[u32]>);

/// The start and the factor of the 32-bit FNV-1a hash.
const FNV: (u32, u32) = (0x811c_9dc5, 0x0100_0193);

/// The keywords of Rust before the name of a function or a macro.
const DEFINES: &[&[u8]] = &[b"fn", b"macro_rules"];
/// The keywords of Python, Ruby, PHP and scripts before the name of a function, and the one that all of them are found by.
const FUNCTIONS: &[&[u8]] = &[b"def", b"function"];
const FUNCTION: &[u8] = b"def ";

/// The keywords before the name of a class, and the one that all of them are found by.
const CLASSES: &[&[u8]] = &[b"class", b"enum", b"interface", b"record"];
const CLASS: &[u8] = b"class ";

/// Words before the name of a method of a class of a script.
const MODIFIERS: &[&str] = &["async", "get", "override", "private", "protected", "public", "readonly", "set", "static"];
/// Words of statements that look like a method.
const STATEMENTS: &[&str] = &["catch", "for", "if", "return", "super", "switch", "while", "with"];

impl FileWords {
    /// Returns the words of a text, the functions and macros of Rust that it defines, as `fn name` and `macro_rules name`, the
    /// methods of Go, as `func Name`, the functions and methods of Python, Ruby, PHP and scripts, as `def name`, and classes, as `class
    /// Name`.
    pub fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut all: Vec<u32> = Vec::new();
        let mut before: &[u8] = b"";
        for word in bytes.split(|byte| !is_part(*byte)).filter(|word| !word.is_empty()) {
            all.push(number(FNV.0, word));
            if DEFINES.contains(&before) {
                all.push([before, b" ", word].into_iter().fold(FNV.0, number));
            }
            if FUNCTIONS.contains(&before) {
                all.push([FUNCTION, word].into_iter().fold(FNV.0, number));
            }
            if CLASSES.contains(&before) {
                all.push([CLASS, word].into_iter().fold(FNV.0, number));
            }
            before = word;
        }
        let members = text.lines().filter_map(member);
        all.extend(members.map(|name| number(number(FNV.0, FUNCTION), name.as_bytes())));
        let methods = memchr::memmem::find_iter(bytes, b"func (").filter_map(|at| method(&text[at..]));
        all.extend(methods.map(|name| number(number(FNV.0, b"func "), name.as_bytes())));
        all.sort_unstable();
        all.dedup();
        Self(all.into_boxed_slice())
    }

    /// Returns whether the words of a name are among them, or a definition: `fn name`. Seldom true for another one.
    pub fn have(&self, name: &str) -> bool {
        let has = |words: &[u8]| self.0.binary_search(&number(FNV.0, words)).is_ok();
        if name.contains(' ') {
            return has(name.as_bytes());
        }
        name.as_bytes().split(|byte| !is_part(*byte)).filter(|word| !word.is_empty()).all(has)
    }
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// Adds bytes to a hash.
fn number(hash: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(FNV.1))
}

/// Returns the name of the method of Go that a text begins with: `Name` of `func (f *Forge) Name() string {`.
fn method(text: &str) -> Option<&str> {
    let line = text.lines().next()?;
    let (_, rest) = line.strip_prefix("func (")?.split_once(") ")?;
    let end = rest.bytes().position(|byte| !is_part(byte)).unwrap_or(rest.len());
    Some(&rest[..end]).filter(|name| !name.is_empty())
}

/// Returns the name of the method of a script that a line begins: `send` of `async send(to) {` and of `send: (to) => {`.
fn member(line: &str) -> Option<&str> {
    let mut rest = line.trim();
    if !rest.ends_with(['{', '(']) {
        return None;
    }
    loop {
        let end = rest.bytes().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        if MODIFIERS.contains(&name) && after.starts_with(' ') {
            rest = after.trim_start();
            continue;
        }
        let value = after.trim_start_matches([':', '=', ' ']).trim_start_matches("async").trim_start();
        let is_function = after.starts_with('(') || after.len() > value.len() && value.starts_with(['(', '<']);
        let is_name = !name.is_empty() && !STATEMENTS.contains(&name);
        return (is_name && (is_function || value.starts_with("function"))).then_some(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_definitions_are_found() {
        let words = FileWords::of(
            "type Forge struct{}\nfunc (f *Forge) Name() string { return other.URL() }\nfunc Free() {}\n",
        );
        let has = ["Forge", "Name", "func Name", "URL", "func URL", "func Free", "For"].map(|word| words.have(word));
        assert_eq!(has, [true, true, true, true, false, false, false]);
        let words = FileWords::of("macro_rules! send { () => {} }\npub fn run_all() { run(); }\n");
        let has = ["fn run_all", "fn run", "run", "macro_rules send"].map(|word| words.have(word));
        assert_eq!(has, [true, false, true, true]);
        let words = FileWords::of(
            "class A {\n  async send(to) {\n    if (to) {\n      run(to);\n    }\n  }\n  public stop = async () => {\n  };\n}\n\
             const a = {\n  go: function (x) {\n  },\n};\ndef push_out(x):\n",
        );
        let has = ["send", "stop", "go", "push_out", "if", "run"].map(|name| words.have(&format!("def {name}")));
        assert_eq!(has, [true, true, true, true, false, false]);
        assert!(words.have("class A") && !words.have("class a"));
        let words = FileWords::of("def valid?; Admin::User; end");
        assert_eq!(["valid?", "Admin::User", "Admin::Group"].map(|name| words.have(name)), [true, true, false]);
    }
}
