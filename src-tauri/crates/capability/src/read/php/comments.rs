//! Reads the types that comments of PHP declare.

/// The types that are no classes.
const PLAIN: &[&str] = &[
    "array", "bool", "boolean", "callable", "double", "false", "float", "int", "integer", "iterable", "list", "mixed",
    "never", "null", "number", "numeric", "object", "resource", "scalar", "string", "true", "void",
];

/// Returns the names, without their mark, and the classes that a comment declares with some tags: `@property \A\B $name`. The name is empty where
/// the comment gives none, and a type that is not one class is left out.
pub(super) fn declared<'c>(comment: &'c str, tags: &[&str]) -> Vec<(&'c str, &'c str)> {
    let lines = comment.lines().map(|line| line.trim().trim_start_matches(['/', '*']).trim_start());
    let of_line = |line: &'c str| {
        let mut words = line.split_whitespace().filter(|word| *word != "*/");
        words.next().filter(|tag| tags.contains(tag))?;
        let class = class_of(words.next()?)?;
        let name = words.next().and_then(|name| name.strip_prefix('$')).unwrap_or_default();
        Some((name, class))
    };
    lines.filter_map(of_line).collect()
}

/// Returns the only class that a type names, besides `null`.
fn class_of(typed: &str) -> Option<&str> {
    let parts = typed.trim_start_matches('?').split('|').filter(|part| !part.eq_ignore_ascii_case("null"));
    let all: Vec<&str> = parts.collect();
    let [only] = all.as_slice() else { return None };
    let is_of_name = |char: char| char.is_alphanumeric() || char == '_' || char == '\\';
    let is_class = !only.is_empty() && only.chars().all(is_of_name) && !PLAIN.contains(&only.to_lowercase().as_str());
    (is_class || *only == "$this").then_some(*only)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_single_class_is_declared() {
        let comment = "/**\n * Text.\n * @property \\A\\B $one a text\n * @property-read ?C $two\n * @property string $no\n * @property A|B $no\n\
                       * @property D|null $three\n * @property E[] $no\n * @method F $no\n */";
        let found = declared(comment, &["@property", "@property-read"]);
        assert_eq!(found, [("one", "\\A\\B"), ("two", "C"), ("three", "D")]);
        assert_eq!(declared("/** @var \\A\\B */", &["@var"]), [("", "\\A\\B")]);
    }
}
