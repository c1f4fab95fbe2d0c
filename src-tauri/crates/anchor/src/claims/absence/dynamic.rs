//! Finds code that looks up names at run time, and the names that it can reach.

use std::sync::LazyLock;

use regex::Regex;

use diffsan_syntax::language::Language;

struct Patterns {
    /// Code that can read every name, such as `eval`.
    all: Option<Regex>,
    /// Code that reads the variables of a function by name.
    locals: Option<Regex>,
    /// Code that reads a member by a computed name. The first group is the expression.
    members: Option<Regex>,
}

fn patterns(all: &str, locals: &str, members: &str) -> Patterns {
    let compiled = |text: &str| (!text.is_empty()).then(|| Regex::new(text).ok()).flatten();
    Patterns { all: compiled(all), locals: compiled(locals), members: compiled(members) }
}

static PYTHON: LazyLock<Patterns> = LazyLock::new(|| {
    patterns(
        r"\b(?:globals|vars|eval|exec|__import__|import_module)\s*\(|\b__dict__\b",
        r"\b(?:locals|vars|eval|exec)\s*\(",
        r"\b(?:getattr|hasattr|attrgetter|methodcaller)\s*\(([^\n]*)",
    )
});
static SCRIPT: LazyLock<Patterns> = LazyLock::new(|| {
    patterns(
        r"\beval\s*\(|\bnew\s+Function\s*\(",
        r"\beval\s*\(|\bwith\s*\(",
        r"(?:\bthis\[([^\]\n]*)\]|\w\[([^\]\n]*)\]\s*\(|\bReflect\.get\s*\(([^\n]*))",
    )
});
static RUBY: LazyLock<Patterns> = LazyLock::new(|| {
    patterns(
        r"\b(?:eval|instance_eval|class_eval|module_eval|method_missing)\b",
        r"\b(?:eval|binding|instance_eval|class_eval)\b",
        r"\b(?:send|public_send|__send__|instance_method|method|try)[ (]+([^\n]*)",
    )
});
static PHP: LazyLock<Patterns> = LazyLock::new(|| {
    patterns(
        r"\beval\s*\(|\b__call(?:Static)?\b",
        r"\b(?:eval|compact|extract|get_defined_vars|include|require|include_once|require_once)\b|\$\$",
        r"(?:(?:->|::)\{?(\$\w+)\}?\s*\(|(?:->|::)\{([^}\n]*)\}|(?:^|[^\w>:$])(\$\w+)\s*\(|\bcall_user_func(?:_array)?\s*\(([^\n]*))",
    )
});
static JAVA: LazyLock<Patterns> = LazyLock::new(|| {
    patterns(
        r"\b(?:getMethod|getDeclaredMethod|getMethods|getDeclaredMethods|getDeclaredField|getDeclaredFields)\s*\(",
        "",
        "",
    )
});
static NONE: LazyLock<Patterns> = LazyLock::new(|| patterns("", "", ""));

fn of(language: Language) -> &'static Patterns {
    match language {
        Language::Python => &PYTHON,
        Language::JavaScript | Language::TypeScript | Language::Tsx => &SCRIPT,
        Language::Ruby => &RUBY,
        Language::Php => &PHP,
        Language::Java => &JAVA,
        _ => &NONE,
    }
}

/// Returns whether code of a language can look up names at run time.
pub(super) fn is_possible(language: Language) -> bool {
    of(language).all.is_some()
}

/// Returns whether a text reads local variables by name, or runs text as code.
pub(super) fn runs_text(language: Language, text: &str) -> bool {
    of(language).locals.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// Returns whether code in a text can reach a name by looking it up.
pub(super) fn reaches(language: Language, text: &str, name: &str, member: bool) -> bool {
    let patterns = of(language);
    if patterns.all.as_ref().is_some_and(|pattern| pattern.is_match(text)) {
        return true;
    }
    // A function of a script that is no member cannot be looked up.
    if !member && language.is_script() {
        return false;
    }
    let mut lookups = patterns.members.iter().flat_map(|pattern| pattern.captures_iter(text));
    lookups.any(|captures| {
        let expression = captures.iter().skip(1).flatten().next().map_or("", |group| group.as_str());
        fits(text, expression, name, 0)
    })
}

/// Returns whether the value of an expression can be a name.
fn fits(text: &str, expression: &str, name: &str, depth: u8) -> bool {
    let literals: Vec<&str> = literals(expression);
    // A variable has the values that are assigned to it in the same file.
    let variable = expression.trim().trim_end_matches([')', ';']);
    let is_variable = variable.chars().all(|char| char.is_alphanumeric() || matches!(char, '_' | '$'));
    if literals.is_empty() && is_variable && !variable.is_empty() && depth == 0 {
        let mut found = false;
        for line in text.lines() {
            let Some((left, right)) = line.split_once('=') else { continue };
            if left.split_whitespace().next_back() == Some(variable) && !right.starts_with(['=', '>']) {
                found = true;
                if fits(text, right, name, 1) {
                    return true;
                }
            }
        }
        return !found;
    }
    if literals.is_empty() {
        return true;
    }
    // The parts of a computed name are in it, in any order.
    literals.into_iter().any(|part| part.is_empty() || name.contains(part))
}

/// Returns the parts of the string literals and symbols in an expression that look like names, without what is inserted.
fn literals(expression: &str) -> Vec<&str> {
    static LITERAL: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#"["'`]([^"'`]*)["'`]|:([A-Za-z_]\w*[?!]?)"#).ok());
    let found = LITERAL.iter().flat_map(|pattern| pattern.captures_iter(expression));
    let texts = found.filter_map(|captures| Some(captures.get(1).or_else(|| captures.get(2))?.as_str()));
    texts
        .flat_map(|text| {
            let end = text.find(['{', '$', '#', '%']).unwrap_or(text.len());
            let start = text.rfind('}').map_or(text.len(), |at| at + 1);
            [&text[..end], text.get(start..).unwrap_or_default()]
        })
        .filter(|part| !part.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_computed_name_is_known_by_its_parts() {
        for (language, text, name, expected) in [
            (Language::Python, "getattr(self, \"on_\" + event)", "on_take", true),
            (Language::Python, "getattr(self, \"on_\" + event)", "_trim", false),
            (Language::Python, "getattr(self, event)", "_trim", true),
            (Language::Python, "getattr(self, f\"on_{event}\")", "_trim", false),
            (Language::JavaScript, "this[\"on\" + name](event)", "onopen", true),
            (Language::JavaScript, "this[\"on\" + name](event)", "#forget", false),
            (Language::JavaScript, "handlers[name](event)", "forget", true),
            (Language::Ruby, "send(\"refresh_#{kind}\")", "refresh_full", true),
            (Language::Ruby, "send(\"refresh_#{kind}\")", "merge", false),
            (Language::Php, "$method = 'do' . $name;\n$this->$method();", "doReset", true),
            (Language::Php, "$method = 'do' . $name;\n$this->$method();", "clear", false),
            (Language::Php, "function f($method) { $this->$method(); }", "clear", true),
            (Language::Go, "x", "clear", false),
        ] {
            assert_eq!(reaches(language, text, name, true), expected, "{text}: {name}");
        }
    }
}
