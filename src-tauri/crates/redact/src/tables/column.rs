//! Judges a column of a table as a whole: its cells are secrets, or they describe one.
//!
//! In: the name of a column and its cells. Out: whether each cell is a secret.

use super::{Content, File};
use crate::code::{is_call, is_name, is_reference, is_release};
use crate::fallback::is_variable;
use crate::key_words::split;
use crate::phrase::{is_label, is_passphrase, is_pin};
use crate::prose::Prose;
use crate::shapes::{Shape, shape};
use crate::values::{Bare, is_placeholder, is_prose, is_uuid, looks_random};
use crate::words::{WORDS, Worth};

/// The length of the shortest secret in bytes.
const MIN_SECRET: usize = 4;
/// The length of the shortest key in a file of rows, in bytes.
const MIN_KEY: usize = 8;
/// The number of changes between digits and other signs in such a key.
const MIN_CHANGES: usize = 4;
/// The maximum number of letters of the extension of a file.
const MAX_EXTENSION: usize = 4;

/// The last words of the names of secrets that programs make.
const MADE: &[&str] = &["otp", "totp", "mnemonic", "apikey", "webhook", "sas", "jwt", "bearer", "passkey", "hash"];
/// The last words of the names of columns with questions, and with the answers to them.
const QUESTIONS: &[&str] = &["question", "frage", "pregunta", "pergunta", "domanda", "vraag"];
const ANSWERS: &[&str] = &["answer", "antwort", "réponse", "reponse", "respuesta", "resposta", "risposta", "antwoord"];

/// The secrets in a column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Passwords, which can be any words.
    Passwords,
    /// Keys and tokens, which are made up.
    Keys,
    /// Random values only: the name of the column also names other things.
    Random,
}

/// The kind of a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cell {
    /// Nothing, a placeholder, or the name of a secret elsewhere.
    Empty,
    /// A type, a state, or a sentence about a secret.
    Description,
    /// A word, which can be a password.
    Word,
    /// No word, so a secret.
    MadeUp,
}

/// The kinds of things that the other columns of a table name.
#[derive(Clone, Copy)]
pub(super) struct Others {
    pub(super) user: bool,
    /// A question whose answer proves who a user is.
    pub(super) question: bool,
}

/// Returns the kind of the secrets in a column with a name, or `None` if the name is not the one of a secret.
pub(super) fn kind(name: &[u8], others: Others) -> Option<Kind> {
    let text = std::str::from_utf8(name).ok()?;
    let text = text.trim_matches(['*', ':']).split(" (").next().unwrap_or(text);
    if text.is_empty() || !text.chars().all(|char| char.is_alphanumeric() || "_-. ".contains(char)) {
        return None;
    }
    match WORDS.worth(text.as_bytes()) {
        Worth::Secret if WORDS.names_a_password(text.as_bytes()) || text.eq_ignore_ascii_case("pin") => {
            Some(Kind::Passwords)
        }
        // The secret of a user is a password.
        Worth::Secret if others.user && is_chosen(text) => Some(Kind::Passwords),
        Worth::Secret => Some(Kind::Keys),
        // The answer of a user to the question that proves who they are.
        _ if others.user && others.question && is_answer(text.as_bytes()) => Some(Kind::Passwords),
        Worth::Weak if split(text.as_bytes()).len() > 1 => Some(Kind::Random),
        _ => None,
    }
}

/// Returns whether people choose the secret with a name: it is no key or token.
fn is_chosen(name: &str) -> bool {
    let words = split(name.as_bytes());
    let is_made = |last: &str| last != "secret" && WORDS.is_object(last) || MADE.contains(&last);
    words.last().is_some_and(|last| !is_made(last))
}

fn is_answer(name: &[u8]) -> bool {
    split(name).last().is_some_and(|last| ANSWERS.contains(&last))
}

/// Returns whether the name of a column is the one of questions.
pub(super) fn is_question(name: &[u8]) -> bool {
    split(name).last().is_some_and(|last| QUESTIONS.contains(&last))
}

/// Returns for each cell of a column whether it is a secret.
pub(super) fn secrets<'a>(
    name: &[u8],
    kind: Kind,
    cells: impl Iterator<Item = &'a [u8]>,
    content: Content,
    has_user: bool,
    prose: &Prose,
) -> Vec<bool> {
    let cells: Vec<Cell> = cells.map(|cell| judge(name, kind, cell, content, prose)).collect();
    let count = |kind: Cell| cells.iter().filter(|cell| **cell == kind).count();
    let (words, made_up, descriptions) = (count(Cell::Word), count(Cell::MadeUp), count(Cell::Description));
    let is_data = content == Content::Data || has_user;
    let has_made_up = is_data || made_up >= descriptions;
    let has_words = kind == Kind::Passwords && (is_data || made_up > 0) && descriptions <= words + made_up;
    cells.iter().map(|cell| *cell == Cell::MadeUp && has_made_up || *cell == Cell::Word && has_words).collect()
}

/// Returns what a cell of a column is.
fn judge(name: &[u8], kind: Kind, cell: &[u8], content: Content, prose: &Prose) -> Cell {
    let Ok(text) = std::str::from_utf8(cell) else { return Cell::Word };
    if is_pin(name, cell, WORDS.worth(name)) {
        return Cell::MadeUp;
    }
    if cell.len() < MIN_SECRET || is_elsewhere(cell, text, content) {
        return Cell::Empty;
    }
    match kind {
        Kind::Random if looks_random(cell) && !is_uuid(cell) => Cell::MadeUp,
        Kind::Random => Cell::Description,
        Kind::Keys => judge_key(cell, content),
        Kind::Passwords => judge_password(cell, text, content, prose),
    }
}

/// Returns whether a cell is a placeholder, or says where a secret is.
fn is_elsewhere(cell: &[u8], text: &str, content: Content) -> bool {
    let is_markup = text.contains(['<', '>']) && content == Content::Mixed;
    is_placeholder(cell)
        || text.contains("://")
        || text.starts_with(['/', '$', '(']) && content == Content::Mixed
        || text.starts_with("./")
        || ["see-", "see_", "siehe-"].iter().any(|start| text.starts_with(start))
        || cell.contains(&b'_') && is_variable(cell)
        || is_call(cell)
        || is_markup
}

fn judge_key(cell: &[u8], content: Content) -> Cell {
    let is_plain = cell.iter().all(u8::is_ascii_graphic) && !cell.iter().any(|byte| b"()[]<>{}`".contains(byte));
    let is_own = is_plain && !is_reference(cell) && !is_release(cell) && !is_name(cell) && !is_uuid(cell);
    let changes = cell.windows(2).filter(|two| two[0].is_ascii_digit() != two[1].is_ascii_digit()).count();
    let is_mingled = content == Content::Data && cell.len() >= MIN_KEY && changes >= MIN_CHANGES;
    let has_form = || shape(cell).is_some_and(|shape| shape > Shape::Words);
    if looks_random(cell) || is_own && (is_mingled || has_form() && changes > 0) {
        Cell::MadeUp
    } else {
        Cell::Description
    }
}

fn judge_password(cell: &[u8], text: &str, content: Content, prose: &Prose) -> Cell {
    let is_letter = |char: char| char.is_alphabetic();
    let letters = text.chars().filter(|char| is_letter(*char)).count();
    let digits = cell.iter().filter(|byte| byte.is_ascii_digit()).count();
    let has_sign = text.contains(|char: char| "!#$%&*+?~^=@".contains(char));
    let is_made_up = letters > 1 && (digits > 0 || has_sign) && !text.contains(' ') && !is_file(text);
    if letters == 0 {
        // A number can be a limit, a date or a version.
        return if digits >= MIN_SECRET && content == Content::Data && digits == cell.len() {
            Cell::Word
        } else {
            Cell::Empty
        };
    }
    let is_sentence = is_prose(cell) && !is_passphrase(b"password", cell, Bare::Plain) || is_label(cell);
    let is_named = || !prose.is_own(text) || WORDS.is_technique(cell) || is_release(cell);
    if is_sentence
        || is_file(text)
        || !is_made_up && is_named()
        || text.contains(['(', '{', '`']) && content == Content::Mixed
    {
        return Cell::Description;
    }
    // The names of code have signs that no word has: `user.password`, `max_length`.
    if is_made_up && !(content == Content::Mixed && (is_named() || WORDS.names_a_secret(cell))) {
        return Cell::MadeUp;
    }
    if is_made_up { Cell::Description } else { Cell::Word }
}

/// Returns whether a text ends like the name of a file: `auth.js`. A password has such an end by chance if it has no other form of a name.
fn is_file(text: &str) -> bool {
    text.rsplit_once('.').is_some_and(|(stem, end)| {
        (2..=MAX_EXTENSION).contains(&end.len())
            && end.bytes().all(|byte| byte.is_ascii_lowercase())
            && stem.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte))
            && end.len() < MAX_EXTENSION
    })
}

/// Returns whether a cell beside the name of a user can be a password: it is not a description of one.
pub(in crate::tables) fn is_secret_beside(name: &[u8], cell: &[u8], file: File<'_>, prose: &Prose) -> bool {
    if kind(name, Others { user: true, question: false }).is_none() || !WORDS.names_a_password(name) {
        return false;
    }
    let is_word = cell.iter().all(u8::is_ascii_alphabetic);
    if file.has_steps() {
        !cell.contains(&b' ') && is_password(cell, prose)
    } else {
        !is_word && is_password(cell, prose)
    }
}

/// Returns whether a value where a password stands is one, and not a description.
pub(crate) fn is_password(value: &[u8], prose: &Prose) -> bool {
    let cell = judge(b"password", Kind::Passwords, value, Content::Mixed, prose);
    let letters = String::from_utf8_lossy(value).chars().filter(|char| char.is_alphabetic()).count();
    matches!(cell, Cell::Word | Cell::MadeUp) && letters > 3
}
