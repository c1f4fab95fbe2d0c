//! Highlights code with the queries of tree-sitter, for the languages that have a grammar. This is faster than regular
//! expressions and needs less memory.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};

use tree_sitter::{Query, QueryCursor, StreamingIterator};

use super::{LINE_LIMIT, add, unless_plain};
use crate::language::Language;

/// Capture names and their classes. The longest name that is a prefix of the capture is used; the empty class is a class as well.
const CAPTURES: &[(&str, &str)] = &[
    ("keyword", "keyword"),
    ("string", "string"),
    ("character", "string"),
    ("comment", "comment"),
    ("escape", "escape"),
    ("string.escape", "escape"),
    ("number", "number"),
    ("float", "number"),
    ("boolean", "constant"),
    ("constant", "constant"),
    ("variable.builtin", "constant"),
    ("variable", ""),
    ("property", ""),
    ("embedded", ""),
    ("function", "function"),
    ("constructor", "type"),
    ("type", "type"),
    ("attribute", "attribute"),
    ("tag", "tag"),
    ("label", "constant"),
    ("operator", "operator"),
    ("punctuation", "punctuation"),
    ("delimiter", "punctuation"),
];

struct Colours {
    query: Query,
    /// The class and weight of each capture; a class with a lower weight gives way. `None` has no effect.
    classes: Vec<Option<(u32, u8)>>,
}

/// Returns the spans of each line, or `None` if there is no grammar for the file.
pub(super) fn paint(path: &str, lines: &[&str]) -> Option<Vec<Vec<u32>>> {
    let language = Language::of(path)?;
    let colours = colours(language)?;
    let mut text = String::new();
    let ranges: Vec<Range<usize>> = lines
        .iter()
        .map(|line| {
            let from = text.len();
            if line.len() <= LINE_LIMIT {
                text.push_str(line.trim_end_matches('\n'));
            }
            text.push('\n');
            from..text.len() - 1
        })
        .collect();
    // A part of a file without the opening tag is code as well.
    let tag = if language == Language::Php && !text.contains("<?") { "<?php\n" } else { "" };
    text.insert_str(0, tag);
    let tree = language.parse(&text)?;

    let mut found: Vec<(Range<usize>, u8, usize, u32)> = Vec::new();
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(&colours.query, tree.root_node(), text.as_bytes());
    while let Some(one) = matches.next() {
        // It is unknown here whether a name is local.
        if !colours.query.property_predicates(one.pattern_index).is_empty() {
            continue;
        }
        for capture in one.captures() {
            if let Some((class, weight)) = colours.classes[capture.index as usize] {
                found.push((capture.node.byte_range(), weight, one.pattern_index, class));
            }
        }
    }
    // Inner captures override outer ones; for equal ranges the higher weight wins, then the later pattern.
    found.sort_by_key(|(range, weight, pattern, _)| (range.start, usize::MAX - range.end, *weight, *pattern));
    let mut bytes = vec![0_u32; text.len()];
    for (range, .., class) in found {
        bytes[range].fill(class);
    }
    let (text, bytes) = (&text[tag.len()..], &bytes[tag.len()..]);
    Some(ranges.into_iter().map(|range| spans(&text[range.clone()], &bytes[range])).collect())
}

fn spans(line: &str, classes: &[u32]) -> Vec<u32> {
    let mut spans: Vec<u32> = Vec::new();
    for (at, char) in line.char_indices() {
        add(&mut spans, u32::try_from(char.len_utf16()).unwrap_or(1), classes[at]);
    }
    unless_plain(spans)
}

fn colours(language: Language) -> Option<&'static Colours> {
    static ALL: OnceLock<Mutex<HashMap<Language, Option<&'static Colours>>>> = OnceLock::new();
    let all = ALL.get_or_init(Mutex::default);
    // A query takes time and memory, so it is created once, when its language is first used, and never freed.
    let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
    *all.entry(language).or_insert_with(|| Some(Box::leak(Box::new(make(language)?))))
}

fn make(language: Language) -> Option<Colours> {
    let query = Query::new(&language.grammar(), &source(language)?).ok()?;
    let classes = query.capture_names().iter().map(|name| class_of(name)).collect();
    Some(Colours { query, classes })
}

fn class_of(capture: &str) -> Option<(u32, u8)> {
    let fits = |(name, _): &&(&str, &str)| {
        capture.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let (name, class) = CAPTURES.iter().filter(fits).max_by_key(|(name, _)| name.len())?;
    let weight = match *name {
        "variable" | "property" => 0,
        // The capture of any name that starts with a capital letter.
        "constructor" => 1,
        _ => 2,
    };
    Some((super::class(class)?, weight))
}

/// Returns the query of a language. The others have better rules in the bundled syntaxes.
fn source(language: Language) -> Option<String> {
    let (script, jsx) =
        (diffsan_grammars::javascript::HIGHLIGHT_QUERY, diffsan_grammars::javascript::JSX_HIGHLIGHT_QUERY);
    let typed = diffsan_grammars::typescript::HIGHLIGHTS_QUERY;
    Some(match language {
        Language::Python => diffsan_grammars::python::HIGHLIGHTS_QUERY.to_owned(),
        Language::TypeScript => format!("{script}\n{typed}"),
        Language::Tsx => format!("{script}\n{jsx}\n{typed}"),
        Language::JavaScript => format!("{script}\n{jsx}"),
        Language::Go => diffsan_grammars::go::HIGHLIGHTS_QUERY.to_owned(),
        Language::Rust => diffsan_grammars::rust::HIGHLIGHTS_QUERY.to_owned(),
        Language::Java => diffsan_grammars::java::HIGHLIGHTS_QUERY.to_owned(),
        Language::Ruby => diffsan_grammars::ruby::HIGHLIGHTS_QUERY.to_owned(),
        Language::Php => diffsan_grammars::php::HIGHLIGHTS_QUERY.to_owned(),
        Language::C | Language::Cpp | Language::CSharp | Language::Kotlin | Language::Swift => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_its_query() {
        for language in Language::ALL {
            let Some(source) = source(language) else { continue };
            let error = Query::new(&language.grammar(), &source).err();
            assert!(colours(language).is_some(), "{language:?}: {error:?}");
        }
    }
}
