//! The names of the code and the libraries that a clause forbids to import or to use.
//!
//! In: a clause. Out: names. Empty where the clause is about an effect.

use crate::clauses::Clause;
use crate::code_names::{CodeName, is_like_code, names};
use crate::grammar::{Form, GRAMMAR, Word, text_of};
use crate::statements::MAX_SUBJECT_WORDS;
use crate::vocabulary::Vocabulary;

/// Verbs and nouns of imports.
pub(crate) const IMPORTING: &[&str] = &[
    "import",
    "imports",
    "imported",
    "importing",
    "require",
    "requires",
    "depend",
    "depends",
    "depending",
    "reference",
    "references",
    "referenced",
    "couple",
    "coupled",
    "dependency",
    "dependencies",
    "coupling",
    "know",
];
/// Words between such a verb and the name of a module.
const BEFORE_MODULES: &[&str] =
    &["from", "on", "upon", "to", "with", "directly", "anything", "any", "code", "of", "about", "in"];

/// Returns the names of the modules that a clause says should be imported: `db/` of "must not import from `db/`".
pub(crate) fn imported_names(clause: &Clause, subject: &[Word], vocabulary: &Vocabulary) -> Vec<CodeName> {
    let rest = &clause.after;
    let libraries = used_libraries(clause, vocabulary);
    if !libraries.is_empty() {
        return libraries.iter().flat_map(|library| names(std::slice::from_ref(library))).collect();
    }
    if let Some(used) = used_code(clause, subject, vocabulary) {
        return used;
    }
    let skipped =
        rest.iter().take_while(|word| word.is_in(&GRAMMAR.adverbs) || word.is_one_of(&["be", "direct"])).count();
    // "Importing from `internal/` is not allowed"
    let skipped = if clause.form == Form::Before { 0 } else { skipped };
    let rest = if clause.form == Form::Before { &clause.before } else { rest };
    let Some(first) = rest.get(skipped) else { return Vec::new() };
    let is_import = clause.verb.iter().chain([first]).any(|word| word.lower.starts_with("import"));
    let is_passive = clause.is_passive();
    let words = match clause.form {
        // "Views import no models"
        Form::Noun if clause.verb.as_ref().is_some_and(|verb| verb.is_one_of(IMPORTING)) => &rest[..],
        Form::Verb | Form::Noun if first.is_one_of(IMPORTING) && is_passive => subject,
        Form::Verb | Form::Noun | Form::Before if first.is_one_of(IMPORTING) => &rest[skipped + 1..],
        // "No FastAPI imports"
        Form::Noun if rest.last().is_some_and(|word| word.is_one_of(IMPORTING)) => &rest[..rest.len() - 1],
        _ => return Vec::new(),
    };
    let start = words.iter().take_while(|word| word.is_one_of(BEFORE_MODULES)).count();
    let is_module =
        |word: &Word| word.is_code || word.text.contains(char::is_uppercase) || word.text.contains(['/', '.']);
    let words = &words[start..];
    if let Some(rest) = other_code(words) {
        return vec![rest];
    }
    // "engine must not depend on web"
    let is_bare = subject.len() == 1 && words.len() == 1 && !vocabulary.is_resource(&words[0].lower);
    if is_import
        || is_bare
        || words.iter().any(|word| is_module(word) || word.is_in(&GRAMMAR.roles) || word.is_in(&GRAMMAR.nouns))
    {
        names(words)
    } else {
        Vec::new()
    }
}

/// Returns the name of the code around a subject: "any other package of the project", "other modules of shop".
fn other_code(words: &[Word]) -> Option<CodeName> {
    let other = words.iter().position(|word| word.is("other"))?;
    let noun = words.get(other + 1).filter(|word| word.is_in(&GRAMMAR.nouns) || word.is_in(&GRAMMAR.generic))?;
    let is_open = |word: &Word| word.is_in(&GRAMMAR.determiners);
    let rest: Vec<&Word> = words[other + 2..].iter().filter(|word| !is_open(word)).collect();
    let is_project =
        |word: &Word| word.is_one_of(&["project", "workspace", "repository", "repo", "codebase", "program"]);
    let text = match rest.as_slice() {
        [] => "project",
        [one] if is_project(one) => "project",
        [one] => &one.text,
        _ => return None,
    };
    (other == 0 || words[..other].iter().all(is_open) && !noun.is_code).then(|| CodeName {
        text: text.to_owned(),
        is_written_as_code: false,
        is_other: true,
        found: None,
    })
}

/// Returns the code of the project, or the class of a library, that a clause forbids to use: "controllers must not call mailers", "`JdbcTemplate`
/// may only be used in …".
fn used_code(clause: &Clause, subject: &[Word], vocabulary: &Vocabulary) -> Option<Vec<CodeName>> {
    if clause.form != Form::Verb {
        return None;
    }
    let is_adverb = |word: &&Word| word.is_in(&GRAMMAR.adverbs) || word.is("be");
    let skipped = clause.after.iter().take_while(is_adverb).count();
    let verb = clause.after.get(skipped)?;
    if clause.is_passive() {
        let [name] = subject else { return None };
        let is_class = is_like_code(std::slice::from_ref(name)) || vocabulary.names_module(&name.text);
        let is_used = verb.is("used") && is_class && !vocabulary.names_effect("use", &name.text);
        return is_used.then(|| names(subject));
    }
    let things = &clause.after[skipped + 1..];
    let first = things.split(Word::is_joint).next().and_then(|part| part.iter().rfind(|word| !is_adverb(word)));
    let is_role = first.is_some_and(|last| last.is_in(&GRAMMAR.roles));
    let is_short = things.len() <= MAX_SUBJECT_WORDS;
    let is_used = verb.is_one_of(&["call", "use"]) && !subject.is_empty() && is_role && is_short;
    (is_used && !vocabulary.names_effect(&verb.lower, &text_of(things))).then(|| names(things))
}

/// Returns the libraries that a clause forbids to use: "must not use `sqlx`", "must not use Node's fs module", "never use os or path/filepath". A
/// name that is the one of an effect, too, is a library if it is written as code or has a noun beside it.
fn used_libraries(clause: &Clause, vocabulary: &Vocabulary) -> Vec<Word> {
    let Some((verb, rest)) = clause.after.split_first() else { return Vec::new() };
    if clause.form != Form::Verb || clause.is_passive() || !verb.is_one_of(&["use", "call", "touch"]) {
        return Vec::new();
    }
    let is_noun = |word: &&Word| word.is_one_of(&["module", "package", "library", "crate", "gem", "framework"]);
    let is_open = |word: &&Word| {
        !word.lower.ends_with("'s")
            && !word.is_joint()
            && !word.is_in(&GRAMMAR.determiners)
            && !word.is_in(&GRAMMAR.adverbs)
            && !is_noun(word)
    };
    let has_noun = rest.iter().any(|word| is_noun(&word));
    let own: Vec<&Word> = rest.iter().filter(is_open).collect();
    let is_library = |name: &&Word| GRAMMAR.modules.contains_key(&name.lower) || vocabulary.names_module(&name.text);
    let is_list = own.len() > 1 && rest.iter().any(Word::is_joint);
    let is_meant = |name: &&Word| {
        name.is_code
            || has_noun
            || is_list && name.text.contains('/')
            || !vocabulary.names_effect(&verb.lower, &name.text)
    };
    if own.is_empty() || own.len() > 1 && !is_list || !own.iter().all(is_library) || !own.iter().any(is_meant) {
        return Vec::new();
    }
    own.into_iter().map(|name| Word { is_code: true, ..name.clone() }).collect()
}
