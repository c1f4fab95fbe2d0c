//! The words of a file, as numbers: which files mention or define a name can be told without their texts.

/// The words of a file, in order, and the names that it defines, with the keyword before them.
#[derive(Clone, Debug, Default)]
pub struct FileWords(Box<[u32]>);

/// The start and the factor of the 32-bit FNV-1a hash.
const FNV: (u32, u32) = (0x811c_9dc5, 0x0100_0193);

/// The keywords before the name of a function, a macro or a class, and the beginning that the definition is found by. Those of Rust are
/// functions and macros, the others functions of Python, Ruby, PHP and scripts, and classes.
const DEFINES: [(u32, u32); 8] = [
    (hash(b"fn"), hash(b"fn ")),
    (hash(b"macro_rules"), hash(b"macro_rules ")),
    (hash(b"def"), FUNCTION),
    (hash(b"function"), FUNCTION),
    (hash(b"class"), CLASS),
    (hash(b"enum"), CLASS),
    (hash(b"interface"), CLASS),
    (hash(b"record"), CLASS),
];
const FUNCTION: u32 = hash(b"def ");
const CLASS: u32 = hash(b"class ");
const METHOD_OF_GO: u32 = hash(b"func ");

/// The bytes of words.
const PARTS: [bool; 256] = {
    let mut parts = [false; 256];
    let mut at = 0;
    while at < 256 {
        let byte = at as u8;
        parts[at] = byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80;
        at += 1;
    }
    parts
};

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
        let mut all = Hashes::default();
        let (mut start, mut word, mut defines) = (0, FNV.0, None);
        // The last word ends before a byte that is no part of it.
        for (at, byte) in bytes.iter().chain(b"\n").enumerate() {
            if PARTS[usize::from(*byte)] {
                word = step(word, *byte);
                continue;
            }
            if start < at {
                all.add(word);
                if let Some(beginning) = defines {
                    all.add(number(beginning, &bytes[start..at]));
                }
                defines = DEFINES.iter().find(|(keyword, _)| *keyword == word).map(|(_, beginning)| *beginning);
            }
            (start, word) = (at + 1, FNV.0);
        }
        for name in text.lines().filter_map(member) {
            all.add(number(FUNCTION, name.as_bytes()));
        }
        for name in memchr::memmem::find_iter(bytes, b"func (").filter_map(|at| method(&text[at..])) {
            all.add(number(METHOD_OF_GO, name.as_bytes()));
        }
        Self(all.sorted())
    }

    /// Returns whether the words of a name are among them, or a definition: `fn name`. Seldom true for another one.
    pub fn have(&self, name: &str) -> bool {
        let has = |words: &[u8]| self.0.binary_search(&hash(words)).is_ok();
        if name.contains(' ') {
            return has(name.as_bytes());
        }
        name.as_bytes().split(|byte| !is_part(*byte)).filter(|word| !word.is_empty()).all(has)
    }
}

/// Collects hashes. Most words of a text occur again soon, so the last ones are known.
struct Hashes {
    all: Vec<u32>,
    last: [u32; Self::LAST],
}

impl Default for Hashes {
    fn default() -> Self {
        // No hash may seem to be known: the place of a hash is its remainder, so zero belongs to the first place and one to the second.
        let mut last = [1; Self::LAST];
        last[1] = 0;
        Self { all: Vec::new(), last }
    }
}

impl Hashes {
    const LAST: usize = 1024;

    fn add(&mut self, hash: u32) {
        let last = &mut self.last[hash as usize % Self::LAST];
        if *last != hash {
            *last = hash;
            self.all.push(hash);
        }
    }

    fn sorted(mut self) -> Box<[u32]> {
        self.all.sort_unstable();
        self.all.dedup();
        self.all.into_boxed_slice()
    }
}

fn is_part(byte: u8) -> bool {
    PARTS[usize::from(byte)]
}

const fn step(hash: u32, byte: u8) -> u32 {
    (hash ^ byte as u32).wrapping_mul(FNV.1)
}

/// Adds bytes to a hash.
const fn number(hash: u32, mut bytes: &[u8]) -> u32 {
    let mut hash = hash;
    while let [first, rest @ ..] = bytes {
        hash = step(hash, *first);
        bytes = rest;
    }
    hash
}

const fn hash(bytes: &[u8]) -> u32 {
    number(FNV.0, bytes)
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
    let line = line.trim_end();
    if !line.ends_with(['{', '(']) {
        return None;
    }
    let mut rest = line.trim_start();
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
