//! Finds the password on the lines below its name: the answer to a question in a conversation, and the line below a label.
//!
//! In: a line of a document with the name of a password. Out: a value.

use super::Prose;
use super::line::Line;
use super::look::Look;
use super::nearby::without_marks;
use super::sentence::PIN_DIGITS;
use super::value::{Apart, Value, ends_line, value};

/// The maximum number of lines below a line that are read, with empty ones.
const LINES: usize = 4;
/// The maximum number of words of the name of a speaker.
const MAX_NAME_WORDS: usize = 2;
/// The maximum number of words before the name of a password in a question that has no other words.
const MAX_WORDS_OF_QUESTION: usize = 2;
/// The line before and behind a block of Markdown.
const FENCE: &str = "```";

/// Returns the first line with a text below a line.
fn next_line<'a>(line: &Line<'a>) -> Option<&'a str> {
    let mut below = line.below().take(LINES).map(str::trim);
    below.find(|line| !line.is_empty() && !line.starts_with(FENCE) && !is_heading(line))
}

/// Returns whether a line has the name of a speaker and a time only: `Anna  10:43 AM`.
fn is_heading(line: &str) -> bool {
    let name = line.trim_end_matches("AM").trim_end_matches("PM").trim_end();
    let time = name.rsplit(' ').next().unwrap_or_default();
    time != name && time.split_once(':').is_some_and(|(hour, minute)| is_time(hour, minute))
}

/// Returns whether two numbers are an hour and the minutes behind it, also with seconds.
fn is_time(hour: &str, minute: &str) -> bool {
    (1..3).contains(&hour.len())
        && minute.len() > 1
        && (hour.chars().chain(minute.chars())).all(|char| char.is_ascii_digit() || char == ':')
}

/// Returns what a speaker says, without a time and the name: `[10:03] anna: …`, `**anna**: …`, `<anna> …`.
pub(super) fn speech(line: &str) -> Option<&str> {
    let time = |char: char| char.is_ascii_digit() || "[]:., -()".contains(char);
    let line = line.trim_start_matches(time);
    if let Some((name, rest)) = line.strip_prefix('<').and_then(|line| line.split_once("> ")) {
        return is_speaker(name).then_some(rest.trim());
    }
    let (name, rest) = without_marks(line).split_once(':')?;
    // `**anna** 14:03: …`
    let (name, rest) = match (name.rsplit_once(' '), rest.split_once(": ")) {
        (Some((speaker, hour)), Some((minute, said))) if is_time(hour, minute) => (speaker, said),
        _ => (name, rest),
    };
    let name = name.split(" (").next().unwrap_or(name);
    is_speaker(name.trim_matches(['*', '_', ' '])).then(|| rest.trim_start_matches(['*', '_', ' ']).trim())
}

fn is_speaker(name: &str) -> bool {
    !name.is_empty()
        && name.split(' ').count() <= MAX_NAME_WORDS
        && name.chars().all(|char| char.is_alphanumeric() || " _-.@".contains(char))
}

impl Prose {
    /// Returns the password below its name.
    pub(super) fn below<'a>(&self, line: &Line<'a>) -> Option<Value<'a>> {
        if !line.is_document {
            return None;
        }
        match line.rest.trim_end_matches(['*', '_', ' ']) {
            // `## Password`
            "" if line.before.starts_with('#') && line.before.trim_matches(['#', ' ']).is_empty() => {
                self.below_label(line, "")
            }
            rest if rest.ends_with(':') => self.below_label(line, rest.trim_end_matches(':')),
            rest if self.ends_name(rest) => self.reply(line, rest.ends_with('?')),
            _ => None,
        }
    }

    /// Returns the password on the line below a label: `The password for staging:`.
    fn below_label<'a>(&self, line: &Line<'a>, words: &str) -> Option<Value<'a>> {
        // `The passphrase is the line below, without the blank:`
        let mut each = words.split(|char: char| !char.is_alphanumeric()).map(str::to_lowercase);
        let points_below = each.any(|word| self.pointers.contains(&word));
        let mut words = words.split_whitespace().map(str::to_lowercase);
        let first = words.next();
        let last = words.next_back().or_else(|| first.clone());
        let is_label = first.is_none_or(|first| self.links.contains(&first))
            || points_below
            || last.is_some_and(|last| self.verbs.contains(&last));
        let below = next_line(line).filter(|_| is_label)?;
        let found = value(below, 0).filter(|found| ends_line(below, *found))?;
        let look = if found.apart == Apart::Quoted { Look::Beside } else { Look::MadeUp };
        self.is_secret(found, look, line).then_some(found)
    }

    /// Returns the number with which a speaker answers a question: `anna: the code of the safe?` above `ben: 27-4-61`.
    pub(super) fn number_below<'a>(&self, line: &Line<'a>) -> Option<Value<'a>> {
        let is_question = line.is_document && line.rest.trim_end().ends_with('?') && speech(line.before).is_some();
        let is_number = |said: &&str| {
            PIN_DIGITS.contains(&said.bytes().filter(u8::is_ascii_digit).count())
                && said.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
        };
        let text = line.below().take(LINES).filter_map(speech).find(is_number).filter(|_| is_question)?;
        Some(Value { text, end: 0, apart: Apart::Not })
    }

    /// Returns the password with which the next speaker answers. The question asks for a value if it has one of the words for that, or no
    /// other words.
    fn reply<'a>(&self, line: &Line<'a>, is_question: bool) -> Option<Value<'a>> {
        let below = next_line(line)?;
        let said = speech(below);
        if said.is_none() && !is_question {
            return None;
        }
        let asked = speech(line.before).unwrap_or(line.before).trim();
        // `anna: and the password?`
        let is_short = line.rest.trim_start().starts_with('?')
            && speech(line.before).is_some()
            && asked.split_whitespace().count() <= MAX_WORDS_OF_QUESTION;
        let asks = is_short
            || asked.is_empty() && is_question
            || asked.split(|char: char| !char.is_alphabetic()).any(|word| self.asks.contains(&word.to_lowercase()));
        if !asks && !is_question {
            return None;
        }
        // An answer below the quotation of a mail, or the quotation of one.
        let reply = said.unwrap_or(below).trim_start_matches(['>', ' ']);
        let mut rest = reply;
        while let Some((_, next)) = rest
            .split_once(' ')
            .filter(|(word, _)| self.replies.contains(&word.trim_end_matches([',', ':']).to_lowercase()))
        {
            rest = next.trim_start();
        }
        let found = value(rest, 0).filter(|found| ends_line(rest, *found))?;
        let look = if asks && said.is_some() { Look::NoAdjective } else { Look::MadeUp };
        // A list of passwords has questions of one word, too.
        let is_spoken = said.is_some() || !asked.is_empty();
        (is_spoken && self.is_secret(found, look, line)).then_some(found)
    }
}
