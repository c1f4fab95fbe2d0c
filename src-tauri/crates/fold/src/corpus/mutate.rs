//! Changes one token on top of a transformation.

use super::lexical::{Class, ClassedLine, classes, lines};
use super::random::Random;
use super::transform::{Case, is_name, words};

/// The kind of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mutation {
    Operator,
    Sign,
    Constant,
    Variable,
    Arguments,
    Negation,
    Removal,
    Swap,
}

impl Mutation {
    pub(super) const ALL: [Self; 8] = [
        Self::Operator,
        Self::Sign,
        Self::Constant,
        Self::Variable,
        Self::Arguments,
        Self::Negation,
        Self::Removal,
        Self::Swap,
    ];
}

/// A case with one edit. At least one of the lines must be visible; each is a file, a text and its line from 0.
pub(super) struct Mutant {
    pub case: Case,
    pub mutation: Mutation,
    /// Edited lines of the head, from 0.
    pub edited: Vec<usize>,
    /// The text of a line that is missing in the head. Every removed line with this text counts.
    pub removed: Option<String>,
}

const OPERATORS: &[(&str, &str)] = &[
    (" == ", " != "),
    (" != ", " == "),
    (" === ", " !== "),
    (" !== ", " === "),
    (" <= ", " < "),
    (" >= ", " > "),
    (" + ", " - "),
    (" - ", " + "),
    (" && ", " || "),
    (" || ", " && "),
    (" and ", " or "),
    (" or ", " and "),
    (" += ", " -= "),
    (" not in ", " in "),
    (" is not ", " is "),
    (" ? ", " ?? "),
];

/// Makes a mutant of a case, if the mutation applies to a line of its region.
pub(super) fn mutant(case: &Case, mutation: Mutation, random: &mut Random) -> Option<Mutant> {
    let (file, region) = &case.region;
    let text = &case.head[*file].1;
    let classes = classes(text, case.language);
    let all = lines(text, &classes);
    let candidates: Vec<usize> = region.clone().filter(|at| all.get(*at).is_some_and(ClassedLine::is_code)).collect();
    let start = random.below(candidates.len());
    let rotated = candidates.iter().cycle().skip(start).take(candidates.len());
    for &at in rotated {
        let mut out: Vec<String> = all.iter().map(|line| line.text.to_owned()).collect();
        let (mut edited, mut removed) = (vec![at], None);
        match mutation {
            Mutation::Removal => {
                if !is_statement(all[at].text, case.language) {
                    continue;
                }
                removed = Some(out.remove(at).trim().to_owned());
                edited.clear();
            }
            Mutation::Swap => {
                let next = at + 1;
                let pair = candidates.contains(&next)
                    && is_statement(all[at].text, case.language)
                    && is_statement(all[next].text, case.language);
                if !pair || all[at].text.trim() == all[next].text.trim() {
                    continue;
                }
                out.swap(at, next);
                edited.push(next);
            }
            _ => match edit(&all[at], mutation, &all[region.start..region.end.min(all.len())], random) {
                Some(line) => out[at] = line,
                None => continue,
            },
        }
        let mut case = case.clone();
        case.head[*file].1 = out.join("\n") + "\n";
        // An edit that restores the base is none.
        let restored = case.base.iter().any(|(path, text)| *path == case.head[*file].0 && *text == case.head[*file].1);
        if restored {
            continue;
        }
        case.name = format!("{} {mutation:?} line {}", case.name, at + 1);
        return Some(Mutant { case, mutation, edited, removed });
    }
    None
}

fn is_statement(line: &str, language: &str) -> bool {
    let text = line.trim();
    let complete = |open: char, close: char| text.matches(open).count() == text.matches(close).count();
    let balanced = complete('(', ')') && complete('{', '}') && complete('[', ']');
    let ended = match language {
        "python" | "go" => text.len() > 4 && !text.ends_with([':', ',', '{', '\\', '(', '|', '&', '.']),
        _ => text.ends_with(';') && !text.starts_with(['.', '&', '|', '?', ':', '+']),
    };
    let word = text.split([' ', '(']).next().unwrap_or_default();
    balanced && ended && !["def", "func", "class", "import", "from", "use", "@Override", "package"].contains(&word)
}

fn edit(line: &ClassedLine<'_>, mutation: Mutation, others: &[ClassedLine<'_>], random: &mut Random) -> Option<String> {
    let text = line.text;
    match mutation {
        Mutation::Operator => {
            let (from, to) = OPERATORS.iter().find(|(from, _)| text.contains(from))?;
            Some(text.replacen(from, to, 1))
        }
        Mutation::Sign => {
            let (at, number) =
                words(text).into_iter().find(|(_, word)| word.bytes().all(|byte| byte.is_ascii_digit()))?;
            match text[..at].strip_suffix('-').filter(|before| !before.ends_with([' ', '-'])) {
                Some(before) => Some(format!("{before}{}", &text[at..])),
                None => Some(format!("{}-{number}{}", &text[..at], &text[at + number.len()..])),
            }
        }
        Mutation::Constant => {
            let found = words(text).into_iter().find_map(|(at, word)| {
                let fresh = match word {
                    "true" => "false".to_owned(),
                    "false" => "true".to_owned(),
                    "True" => "False".to_owned(),
                    "False" => "True".to_owned(),
                    "None" => "0".to_owned(),
                    "null" | "nil" => "undefined".to_owned(),
                    _ => (word.parse::<u64>().ok()? + 1).to_string(),
                };
                Some((at, word.len(), fresh))
            });
            let (at, length, fresh) = found?;
            Some(format!("{}{fresh}{}", &text[..at], &text[at + length..]))
        }
        Mutation::Variable => {
            let names: Vec<&str> = others
                .iter()
                .filter(|line| line.is_code())
                .flat_map(|line| words(line.text))
                .filter(|(_, word)| is_name(word))
                .map(|(_, word)| word)
                .collect();
            let here: Vec<(usize, &str)> = words(text).into_iter().filter(|(_, word)| is_name(word)).collect();
            let (at, word) = *here.get(random.below(here.len()))?;
            let other =
                names.iter().cycle().skip(random.below(names.len())).take(names.len()).find(|name| **name != word)?;
            Some(format!("{}{other}{}", &text[..at], &text[at + word.len()..]))
        }
        Mutation::Arguments => {
            let open = text.find('(')?;
            let inner = &text[open + 1..];
            let arguments = &inner[..inner.find(')')?];
            let parts: Vec<&str> = arguments.split(", ").collect();
            let fits = parts.len() > 1 && parts[0] != parts[1] && !arguments.contains(['(', '[', '{', '<', '|']);
            let swapped = fits.then(|| {
                let mut parts = parts.clone();
                parts.swap(0, 1);
                parts.join(", ")
            })?;
            Some(format!("{}{swapped}{}", &text[..=open], &inner[arguments.len()..]))
        }
        Mutation::Negation => {
            for (word, open) in [("if ", "!"), ("while ", "!")] {
                let Some(at) = text.find(word).map(|at| at + word.len()) else { continue };
                let rest = &text[at..];
                if rest.starts_with("let ") || rest.starts_with("err :=") {
                    return None;
                }
                if let Some(inner) = rest.strip_prefix('(') {
                    return Some(format!("{}(!{inner}", &text[..at]));
                }
                let not = if text.trim_end().ends_with(':') { "not " } else { open };
                return Some(format!("{}{not}{rest}", &text[..at]));
            }
            None
        }
        Mutation::Removal | Mutation::Swap => None,
    }
}

/// Returns whether a line of a text has code.
pub(super) fn has_code(line: &ClassedLine<'_>) -> bool {
    line.text.bytes().zip(line.classes).any(|(byte, class)| *class != Class::Comment && !byte.is_ascii_whitespace())
}
