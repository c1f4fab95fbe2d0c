//! Templates of engines whose expressions only read values and call helpers: Handlebars, Mustache, Go's templates, Jinja, Nunjucks, Twig and
//! Liquid. Their scripts are code, and the names in their expressions are known, but not what they stand for.

use std::ops::Range;

use super::{Embedded, Format, find, markup};

/// The extensions of templates with `{{ }}` alone.
const BRACES: &[&str] = &["hbs", "handlebars", "mustache", "tmpl", "gotmpl", "gohtml", "gotext"];
/// The extensions of templates that have `{% %}` and `{# #}`, too.
const TAGS: &[&str] = &["twig", "jinja", "jinja2", "j2", "njk", "nunjucks", "liquid"];
/// The extensions of files that a template can make and that hold no code besides scripts of pages.
const TEXTS: &[&str] = &[
    "html", "htm", "xhtml", "xml", "txt", "text", "md", "json", "yaml", "yml", "toml", "ini", "conf", "cfg", "css",
    "scss", "svg", "mjml", "rss", "atom", "csv", "eml", "subject", "body",
];

/// Words of the engines that are no names of the program.
const WORDS: &[&str] = &[
    "and", "as", "block", "by", "case", "define", "each", "else", "elseif", "elsif", "empty", "end", "endblock",
    "endfor", "endif", "eq", "extends", "false", "for", "ge", "gt", "if", "in", "include", "is", "le", "len", "lt",
    "ne", "nil", "none", "not", "null", "or", "partial", "range", "set", "template", "then", "this", "true", "unless",
    "when", "with",
];

/// Returns whether an extension is one of these templates.
pub(super) fn has(extension: &str) -> bool {
    BRACES.contains(&extension) || TAGS.contains(&extension)
}

/// Returns the scripts of a template, and the names in its expressions.
pub(super) fn code(path: &str, text: &str) -> Embedded {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let mut extensions = name.rsplit('.');
    let has_tags = extensions.next().is_some_and(|extension| TAGS.contains(&extension));
    let inner = extensions.next().filter(|_| name.matches('.').count() > 1);
    let is_program = inner.is_some_and(|inner| !TEXTS.contains(&inner));
    let (plain, expressions) = without_expressions(text, has_tags);
    let Embedded { language, text: script, mut other_code, .. } = markup::code(Format::Engine, &plain);
    if is_program || text.starts_with("#!") {
        other_code.push(text.to_owned());
    }
    let (mut line, mut counted) = (1, 0);
    let names = expressions.into_iter().flat_map(|range| {
        let lines = memchr::memchr_iter(b'\n', &text.as_bytes()[counted..range.start]).count();
        line += u32::try_from(lines).unwrap_or(u32::MAX);
        counted = range.start;
        let here = line;
        names(&text[range]).into_iter().map(move |name| (name, here))
    });
    Embedded { language, text: script, other_code, names: names.collect() }
}

/// Returns the text with a zero, or nothing if it is a statement, in place of each expression, and the places of the expressions.
fn without_expressions(text: &str, has_tags: bool) -> (String, Vec<Range<usize>>) {
    let mut out = text.as_bytes().to_vec();
    let mut found = Vec::new();
    let mut unclosed = Vec::new();
    let mut at = 0;
    while let Some(start) = find(text, at, "{") {
        at = start + 1;
        let rest = &text[start..];
        let (open, close) = match rest.as_bytes().get(1) {
            Some(b'{') if rest.starts_with("{{!--") => ("{{!--", "--}}"),
            Some(b'{') if rest.starts_with("{{{") => ("{{{", "}}}"),
            Some(b'{') => ("{{", "}}"),
            Some(b'%') if has_tags => ("{%", "%}"),
            Some(b'#') if has_tags => ("{#", "#}"),
            _ => continue,
        };
        // If one has no end, no later one has.
        if unclosed.contains(&open) {
            continue;
        }
        let Some(end) = find(text, start + open.len(), close) else {
            unclosed.push(open);
            continue;
        };
        let inside = start + open.len()..end;
        let content = text[inside.clone()].trim_start_matches(['-', '~', ' ']);
        let is_comment = ["{#", "{{!--"].contains(&open) || content.starts_with('!') || content.starts_with("/*");
        at = end + close.len();
        for byte in out[start..at].iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')) {
            *byte = b' ';
        }
        if is_value(content) && open.starts_with("{{") && !is_comment {
            out[start] = b'0';
        }
        if !is_comment {
            found.push(inside);
        }
    }
    (String::from_utf8(out).unwrap_or_default(), found)
}

/// Returns whether the content of braces is a value, not the begin or the end of a block.
fn is_value(content: &str) -> bool {
    let first = content.split(|char: char| !char.is_alphanumeric()).next().unwrap_or_default();
    !content.starts_with(['#', '/', '^', '>', '!', '&']) && !WORDS.contains(&first)
}

/// Returns the names in an expression: `repo.owner` of `{{ repo.owner | upper }}`. A single name gets the name `template` before it.
fn names(expression: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = expression;
    while let Some(char) = rest.chars().next() {
        let length = match char {
            '"' | '\'' | '`' => rest[1..].find(char).map_or(rest.len(), |end| end + 2),
            _ if is_part(char) => rest.find(|char| !is_part(char) && char != '.').unwrap_or(rest.len()),
            _ => char.len_utf8(),
        };
        let name = rest[..length].trim_matches('.');
        let is_name = is_part(char) && name.starts_with(|char: char| char.is_alphabetic() || char == '_');
        if is_name && !WORDS.contains(&name) {
            found.push(if name.contains('.') { name.to_owned() } else { format!("template.{name}") });
        }
        rest = &rest[length..];
    }
    found
}

fn is_part(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}
