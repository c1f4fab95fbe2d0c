//! Claims of findings that a search can check without a model: that a symbol is unused, undefined, never called or not imported, and that
//! the named symbols exist.
//!
//! In: a finding, and the places of its symbols in the head. Out: claims with a verdict and its evidence. A claim is verified or
//! contradicted only where the lines leave no doubt; everything else is unchecked.

mod wording;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use self::wording::{Kind, NAME, Stated, stated};
use crate::finding::{AgentFinding, Anchor, AnchorState, Claim, Evidence, Side, Verdict};
use diffsan_syntax::language::{Language, is_test};

/// The maximum number of symbols of one finding that are searched for.
const MAX_SYMBOLS: usize = 12;
/// The number of places of a symbol from which on the search may have left some out.
const MANY_PLACES: usize = 200;

/// The claim that the quoted code is in the file.
pub(super) const QUOTE_CLAIM: &str = "the quoted code is there";

/// The places of symbols in the head: by symbol, in the order of files and lines.
pub type Occurrences = BTreeMap<String, Vec<Evidence>>;

static NAMED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(NAME).ok());

/// Returns the text of a finding without fenced code.
fn text_of(finding: &AgentFinding) -> String {
    format!("{}\n{}", finding.title.as_deref().unwrap_or_default(), without_blocks(&finding.body_markdown))
}

/// Returns the symbols that a text names.
fn named_symbols(text: &str) -> BTreeSet<String> {
    let names = NAMED.iter().flat_map(|pattern| pattern.captures_iter(text));
    names.filter_map(|captures| symbol(captures.get(1)?.as_str())).take(MAX_SYMBOLS).collect()
}

/// Returns the last name of a path if it looks like a symbol of code and not like a word.
fn symbol(path: &str) -> Option<String> {
    let name = path.trim_end_matches(['.', ':']).rsplit(['.', ':']).next()?;
    let word = name.chars().all(|char| char.is_ascii_lowercase()) && name.len() < 4;
    let number = name.chars().all(|char| char.is_ascii_digit());
    let keyword =
        ["true", "false", "null", "None", "self", "this", "undefined", "return", "await", "async"].contains(&name);
    (!name.is_empty() && !word && !number && !keyword).then(|| name.to_owned())
}

/// Removes fenced code, which usually is a proposal.
pub(super) fn without_blocks(text: &str) -> String {
    let mut inside = false;
    let kept = text.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        !inside && !fence
    });
    kept.collect::<Vec<_>>().join("\n")
}

/// Returns the symbols of all findings, sorted, for the search of the head.
pub fn symbols<'a>(findings: impl Iterator<Item = &'a AgentFinding>) -> Vec<String> {
    let all: BTreeSet<String> = findings.flat_map(|finding| named_symbols(&text_of(finding))).collect();
    all.into_iter().collect()
}

/// Checks the claims of a finding. `searched` says whether the whole head was searched.
pub fn check(finding: &AgentFinding, anchor: &Anchor, places: &Occurrences, searched: bool) -> (Verdict, Vec<Claim>) {
    let text = text_of(finding);
    let quoted = quote_claim(finding, anchor);
    let mut decided: Vec<Claim> = stated(&text)
        .into_iter()
        .map(|one| match one {
            Stated::Plain(kind, path) => judge(&path, kind, anchor, places, searched),
            Stated::Other(sentence) => Claim { claim: sentence, verdict: Verdict::Unchecked, evidence: None },
        })
        .collect();
    decided.dedup_by(|a, b| a.claim == b.claim);
    let any = |verdict| quoted.iter().chain(&decided).any(|claim: &Claim| claim.verdict == verdict);
    // A quote that stands in the file says nothing about the claim, so it counts only for a finding without one.
    let basis = if decided.is_empty() { quoted.as_slice() } else { decided.as_slice() };
    let verdict = if any(Verdict::Contradicted) {
        Verdict::Contradicted
    } else if !basis.is_empty() && basis.iter().all(|claim| claim.verdict == Verdict::Verified) {
        Verdict::Verified
    } else {
        Verdict::Unchecked
    };
    let about: BTreeSet<String> = decided.iter().flat_map(|claim| named_symbols(&claim.claim)).collect();
    let mut claims = quoted;
    claims.extend(decided);
    if searched {
        let others = named_symbols(&text).into_iter().filter(|name| !about.contains(name));
        claims.extend(others.filter_map(|name| existing(&name, places)));
    }
    (verdict, claims)
}

/// Returns the claim that the quoted code is in the file, if there is a quote.
fn quote_claim(finding: &AgentFinding, anchor: &Anchor) -> Vec<Claim> {
    let Some(quote) = finding.quote.as_deref().filter(|quote| !quote.trim().is_empty()) else { return Vec::new() };
    let verdict = match anchor.state {
        AnchorState::Verified | AnchorState::Moved => Verdict::Verified,
        AnchorState::Unplaced => Verdict::Unchecked,
        _ if anchor.notes.iter().any(|note| note == super::QUOTE_NOWHERE) => Verdict::Contradicted,
        _ => Verdict::Unchecked,
    };
    let line = quote.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let evidence = (verdict == Verdict::Verified).then_some(()).and(anchor.line_start).map(|number| Evidence {
        path: anchor.path.clone(),
        line: number,
        text: line.to_owned(),
    });
    vec![Claim { claim: QUOTE_CLAIM.to_owned(), verdict, evidence }]
}

/// Returns the claim that a named symbol exists. A name without a place may be a proposed one, so it yields no claim. A place in prose is
/// none.
fn existing(symbol: &str, places: &Occurrences) -> Option<Claim> {
    let mut code =
        places.get(symbol)?.iter().filter(|place| Language::of(&place.path).is_some() && !is_remark(&place.text));
    let first = code.clone().find(|place| is_definition(&place.text, symbol)).or_else(|| code.next())?;
    let claim = format!("`{symbol}` is there");
    Some(Claim { claim, verdict: Verdict::Verified, evidence: Some(first.clone()) })
}

/// Decides a plain claim by the lines that contain the name. Lines show neither scopes nor types, so most claims stay unchecked.
fn judge(path: &str, kind: Kind, anchor: &Anchor, places: &Occurrences, searched: bool) -> Claim {
    let symbol = symbol(path);
    let claim = match kind {
        Kind::NeverCalled => format!("`{path}` is never called"),
        Kind::Unused => format!("`{path}` is unused"),
        Kind::NotImported => format!("`{path}` is not imported"),
        Kind::Undefined => format!("`{path}` is not defined"),
    };
    let unchecked = Claim { claim: claim.clone(), verdict: Verdict::Unchecked, evidence: None };
    // The search is for the head. The path of a member needs the type of its owner.
    let (Some(symbol), Some(language)) = (symbol.filter(|name| name == path), Language::of(&anchor.path)) else {
        return unchecked;
    };
    let all = places.get(&symbol).map_or(&[][..], Vec::as_slice);
    if !searched || anchor.side == Side::Old || all.len() >= MANY_PLACES {
        return unchecked;
    }
    let lines = Lines { symbol: &symbol, language, path: &anchor.path, all };
    let decided = match kind {
        Kind::NeverCalled => lines.call().map(|place| (Verdict::Contradicted, place)),
        Kind::Unused => {
            let against = lines.type_in_signature().map(|place| (Verdict::Contradicted, place));
            against.or_else(|| lines.lone_definition().map(|place| (Verdict::Verified, place)))
        }
        Kind::NotImported => lines.import().map(|place| (Verdict::Contradicted, place)),
        Kind::Undefined => {
            let against = lines.import().or_else(|| lines.top_level()).map(|place| (Verdict::Contradicted, place));
            against.or_else(|| lines.missing().map(|place| (Verdict::Verified, place)))
        }
    };
    match decided {
        Some((verdict, place)) => Claim { claim, verdict, evidence: Some(place.clone()) },
        None => unchecked,
    }
}

/// The lines of the head that contain a name, seen from a file.
struct Lines<'a> {
    symbol: &'a str,
    language: Language,
    path: &'a str,
    all: &'a [Evidence],
}

impl<'a> Lines<'a> {
    /// Returns the lines of files whose code can refer to the file's symbols, without comments.
    fn code(&self) -> impl Iterator<Item = &'a Evidence> {
        let language = self.language;
        let all = self.all.iter();
        all.filter(move |place| Language::of(&place.path).is_some_and(|other| other.speaks_with(language)))
            .filter(|place| !is_remark(&place.text))
    }

    /// Returns a call in another file that imports the name from the only file that defines it, or that names that file in a path. Calls in
    /// tests do not count. Lines do not show macros and attributes, so the absence of a call proves nothing.
    fn call(&self) -> Option<&'a Evidence> {
        let mut definitions = self.code().filter(|place| is_function(&place.text, self.symbol));
        let definition = definitions.next().filter(|place| !place.text.starts_with(char::is_whitespace))?;
        if definitions.next().is_some() {
            return None;
        }
        let name = definition.path.rsplit('/').next().unwrap_or_default();
        let module = name.split('.').next().unwrap_or_default();
        let path_call = format!("{module}::{}(", self.symbol);
        let other = |place: &&Evidence| place.path != definition.path && !is_test(&place.path);
        let imports = |path: &str| {
            let mut here = self.code().filter(|place| place.path == path);
            let bound = here.any(|place| {
                binds_import(&place.text, self.symbol, self.language) && words(&place.text).any(|word| word == module)
            });
            let hidden = self.code().any(|place| place.path == path && is_variable(&place.text, self.symbol));
            bound && !hidden
        };
        self.code().filter(other).find(|place| {
            is_call(&place.text, self.symbol) && (place.text.contains(&path_call) || imports(&place.path))
        })
    }

    /// Returns the line of a local variable or an import if the name is nowhere else in the head, except in prose.
    fn lone_definition(&self) -> Option<&'a Evidence> {
        let mut places = self.all.iter().filter(|place| !is_prose(&place.path));
        let (place, other) = (places.next()?, places.next());
        let text = place.text.trim_start();
        let local = place.text.starts_with(char::is_whitespace) && is_variable(text, self.symbol);
        // A trait is used without its name, and so are React and the imports of a package's main file.
        let named = self.language != Language::Rust && self.symbol != "React" && !is_entry(&place.path);
        let import = named && binds_import(text, self.symbol, self.language) && !text.contains("__future__");
        let once = words(text).filter(|word| *word == self.symbol).count() == 1;
        (other.is_none() && once && place.path == self.path && (local || import)).then_some(place)
    }

    /// Returns a line at the top level of the file, such as a signature, that names the type which the file defines.
    fn type_in_signature(&self) -> Option<&'a Evidence> {
        const TYPES: &[&str] = &["class", "interface", "struct", "enum", "type", "trait"];
        let top = |place: &&Evidence| !place.text.starts_with(char::is_whitespace);
        let here = || self.code().filter(|place| place.path == self.path).filter(top);
        let defines = |place: &Evidence| {
            let names: Vec<&str> = words(&place.text).collect();
            names.windows(2).any(|pair| TYPES.contains(&pair[0]) && pair[1] == self.symbol)
        };
        here().find(|place| defines(place))?;
        here().filter(|place| !defines(place) && !place.text.starts_with("impl")).find(|place| {
            place.text.match_indices(self.symbol).any(|(at, _)| {
                let (before, after) = (&place.text[..at], &place.text[at + self.symbol.len()..]);
                let whole = !after.starts_with(|char: char| char.is_alphanumeric() || char == '_');
                let before = before.trim_end();
                whole && !before.contains(['"', '\'', '`']) && before.ends_with(['<', ':', '&', '|', '>'])
            })
        })
    }

    /// Returns the import of the name in the file.
    fn import(&self) -> Option<&'a Evidence> {
        let mut here = self.code().filter(|place| place.path == self.path);
        // The imports of Go stand in a block.
        let top = |text: &str| self.language == Language::Go || !text.starts_with(char::is_whitespace);
        here.find(|place| top(&place.text) && binds_import(&place.text, self.symbol, self.language))
    }

    /// Returns the definition at the top level of the file.
    fn top_level(&self) -> Option<&'a Evidence> {
        let mut here = self.code().filter(|place| place.path == self.path);
        // In these languages "undefined" is more often a value than a missing definition.
        let value = self.language.is_script() || self.language == Language::Php || self.language == Language::Ruby;
        here.find(|place| {
            !value && !place.text.starts_with(char::is_whitespace) && is_definition(&place.text, self.symbol)
        })
    }

    /// Returns a call in the file of a function that the whole head only calls. Other languages have built-in functions that need no import.
    fn missing(&self) -> Option<&'a Evidence> {
        const PRELUDE: &[&str] = &["drop", "size_of", "size_of_val", "align_of", "align_of_val"];
        if self.language != Language::Rust || PRELUDE.contains(&self.symbol) {
            return None;
        }
        let mut code = self.all.iter().filter(|place| !is_prose(&place.path) && !is_remark(&place.text));
        let only_calls = code.clone().all(|place| {
            let (path, text) = (&place.path, &place.text);
            let binds = is_definition(text, self.symbol) || is_function(text, self.symbol);
            Language::of(path) == Some(Language::Rust) && is_call(text, self.symbol) && !binds
        });
        code.find(|place| only_calls && place.path == self.path && !place.text.contains("::"))
    }
}

/// Returns whether a file contains prose for people, in which a name is no use of it.
fn is_prose(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let end = name.rsplit_once('.').map_or("", |(_, end)| end);
    ["md", "markdown", "txt", "rst", "adoc"].contains(&end)
        || ["LICENSE", "README", "CHANGELOG", "AUTHORS"].contains(&name)
}

/// Returns whether a file is the main file of a package, whose imports are exports.
fn is_entry(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    ["__init__.", "index.", "mod.", "lib."].iter().any(|start| name.starts_with(start))
}

/// Iterates over the names in a line.
fn words(line: &str) -> impl DoubleEndedIterator<Item = &str> {
    line.split(|char: char| !char.is_alphanumeric() && char != '_' && char != '$').filter(|word| !word.is_empty())
}

/// Returns whether a line declares the name as a variable.
fn is_variable(line: &str, symbol: &str) -> bool {
    let mut names = words(line);
    let declares = names.next().is_some_and(|word| ["let", "const", "var"].contains(&word));
    declares && names.find(|word| *word != "mut") == Some(symbol)
}

/// Returns whether a line is an import that binds the name.
fn binds_import(line: &str, symbol: &str, language: Language) -> bool {
    let line = line.trim().trim_end_matches(';');
    let last = words(line).next_back() == Some(symbol);
    match language {
        Language::Python if line.starts_with("import ") => line["import ".len()..]
            .split(',')
            .any(|part| part.trim() == symbol || part.trim().ends_with(&format!(" as {symbol}"))),
        Language::Python => {
            line.starts_with("from ")
                && line.split_once(" import ").is_some_and(|(_, names)| {
                    let mut names =
                        names.split(['#']).next().unwrap_or_default().trim_matches(['(', ')', ' ']).split(',');
                    names.any(|name| name.trim() == symbol || name.trim().ends_with(&format!(" as {symbol}")))
                })
        }
        Language::Go => line == format!("\"{symbol}\"") || line == format!("import \"{symbol}\""),
        Language::Rust => {
            (line.starts_with("use ") || line.starts_with("pub use ")) && last && !line.contains(['{', '*'])
        }
        Language::Java => line.starts_with("import ") && last,
        Language::TypeScript | Language::Tsx | Language::JavaScript => {
            line.starts_with("import ")
                && line.split_once(" from ").is_some_and(|(names, _)| {
                    let names = names["import ".len()..].trim_start_matches("type ").split([',', '{', '}']);
                    let mut names = names.map(|name| name.trim().trim_start_matches("type "));
                    names.any(|name| name == symbol || name.ends_with(&format!(" as {symbol}")))
                })
        }
        Language::Ruby
        | Language::Php
        | Language::C
        | Language::Cpp
        | Language::CSharp
        | Language::Kotlin
        | Language::Swift => false,
    }
}

/// Returns whether a line defines the name as a function.
fn is_function(line: &str, symbol: &str) -> bool {
    ["fn", "def", "func", "function"].iter().any(|word| {
        line.match_indices(symbol).any(|(at, _)| {
            line[..at].trim_end().ends_with(word) && line[at + symbol.len()..].trim_start().starts_with(['(', '<', '['])
        })
    })
}

/// Returns whether a line calls the name itself or as the end of a path (`f::x()`), where code stands before the name.
fn is_call(line: &str, symbol: &str) -> bool {
    const KEYWORDS: &[&str] =
        &["return", "await", "yield", "if", "not", "and", "or", "in", "while", "match", "go", "defer", "else"];
    line.match_indices(symbol).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + symbol.len()..]);
        let inside =
            before.contains("//") || before.contains(['#', '"', '\'', '`']) || line.trim_start().starts_with(">>>");
        let code = before.trim().is_empty()
            || before.ends_with("::")
            || before.trim_end().ends_with(['=', '(', '[', '{', ',', ';', '!', '&', '|', '+', '-', '*', '<'])
            || before.ends_with(' ') && words(before).next_back().is_some_and(|word| KEYWORDS.contains(&word));
        code && !inside && after.starts_with('(')
    })
}

fn is_remark(line: &str) -> bool {
    let line = line.trim_start();
    ["//", "#", "*", "/*", "--", "<!--", "\"\"\""].iter().any(|mark| line.starts_with(mark))
        && !line.starts_with("#[")
        && !line.starts_with("#include")
}

/// Returns whether a line defines the symbol: behind a keyword of declarations, or before an assignment.
fn is_definition(line: &str, symbol: &str) -> bool {
    const DECLARES: &[&str] = &[
        "fn",
        "def",
        "func",
        "function",
        "class",
        "struct",
        "enum",
        "trait",
        "interface",
        "type",
        "let",
        "const",
        "var",
        "static",
        "mod",
        "module",
        "record",
        "object",
        "val",
        "mut",
        "namespace",
        "macro_rules!",
        "function*",
        "ref",
    ];
    line.match_indices(symbol).any(|(at, _)| {
        let (before, after) = (line[..at].trim_end(), line[at + symbol.len()..].trim_start());
        let whole = !line[..at].ends_with(|char: char| char.is_alphanumeric() || "_$.".contains(char))
            && !line[at + symbol.len()..].starts_with(|char: char| char.is_alphanumeric() || char == '_');
        let declared = before
            .rsplit(|char: char| char.is_whitespace() || "(,{".contains(char))
            .next()
            .is_some_and(|word| DECLARES.contains(&word));
        // The name of a Go method follows its receiver. In other languages the type may come before the name.
        let method = before.ends_with(')') && before.trim_start().starts_with("func");
        let assigned = (after.starts_with(":=")
            || after.starts_with('=') && !after.starts_with("==") && !after.starts_with("=>"))
            && before.chars().all(|char| char.is_whitespace() || char.is_alphanumeric() || "_<>[]*&:".contains(char));
        whole && (declared || method || assigned)
    })
}

#[cfg(test)]
mod tests;
