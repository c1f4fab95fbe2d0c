//! Reads a Dockerfile: the commands of its instructions, the images that it needs, and the files that it downloads or copies.

use std::collections::BTreeMap;
use std::ops::Range;

use smol_str::SmolStr;

use super::shell::{self, Lines};
use super::step::{Step, UNKNOWN};
use super::words::SHELLS;
use super::{Commands, Format, Names};

/// The maximum size in bytes of a word whose variables are replaced.
const MAX_WORD_BYTES: usize = 1000;

/// An instruction: its keyword in upper case, its arguments and its first line. The arguments have the lines of the file.
struct Instruction {
    keyword: String,
    arguments: String,
    line: u32,
}

/// The state behind the instructions that were read.
#[derive(Default)]
struct Reader {
    /// The values of the build arguments.
    arguments: BTreeMap<String, String>,
    given: Names,
    stages: Vec<String>,
    /// Whether instructions run a shell that is not read.
    has_other_shell: bool,
}

/// Adds the steps of a Dockerfile.
pub(super) fn read(found: &mut Commands, text: &str) {
    let mut reader = Reader::default();
    for instruction in instructions(text) {
        reader.read(found, &instruction);
    }
}

/// Returns the instructions of a text. A comment inside of an instruction becomes an empty line of it.
fn instructions(text: &str) -> Vec<Instruction> {
    let lines: Vec<&str> = text.lines().collect();
    let escape = escape(&lines);
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let first = at;
        let line = lines[at].trim();
        at += 1;
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (keyword, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let mut arguments = String::new();
        let mut part = rest;
        loop {
            let Some(part_of_line) = part.trim_end().strip_suffix(escape) else {
                arguments.push_str(part);
                break;
            };
            arguments.push_str(part_of_line);
            // Comments and empty lines do not end an instruction.
            loop {
                arguments.push_str("\\\n");
                part = lines.get(at).copied().unwrap_or_default();
                at += 1;
                if at > lines.len() || !(part.trim().is_empty() || part.trim_start().starts_with('#')) {
                    break;
                }
            }
        }
        let keyword = keyword.to_ascii_uppercase();
        if ["RUN", "COPY", "ADD"].contains(&keyword.as_str()) {
            for mark in marks(&arguments) {
                let rest = lines.get(at..).unwrap_or_default();
                let end = rest.iter().position(|line| line.trim_start_matches('\t') == mark);
                // Without its end, it is no here document, or the file has an error.
                let Some(end) = end.map(|end| at + end + 1) else { continue };
                for line in lines.get(at..end).unwrap_or_default() {
                    arguments.push('\n');
                    arguments.push_str(line);
                }
                at = end;
            }
        }
        found.push(Instruction { keyword, arguments, line: u32::try_from(first + 1).unwrap_or(u32::MAX) });
    }
    found
}

/// Returns the character that continues a line: a directive at the start of the file can set it.
fn escape(lines: &[&str]) -> char {
    let directives =
        lines.iter().map_while(|line| line.trim().strip_prefix('#')).filter_map(|line| line.split_once('='));
    let mut escapes = directives.filter(|(name, _)| name.trim().eq_ignore_ascii_case("escape"));
    if escapes.any(|(_, value)| value.trim() == "`") { '`' } else { '\\' }
}

/// Returns the marks at the ends of the here documents that a line begins.
fn marks(arguments: &str) -> Vec<String> {
    let parts = arguments.split("<<").skip(1).filter(|part| !part.starts_with('<'));
    let mark = |part: &str| {
        let word = part.trim_start_matches('-').trim_start_matches(['"', '\'']);
        let length = word.find(|char: char| !(char.is_alphanumeric() || char == '_')).unwrap_or(word.len());
        let name = &word[..length];
        name.starts_with(|char: char| char.is_alphabetic() || char == '_').then(|| name.to_owned())
    };
    parts.filter_map(mark).collect()
}

impl Reader {
    fn read(&mut self, found: &mut Commands, instruction: &Instruction) {
        let Instruction { keyword, arguments, line } = instruction;
        match keyword.as_str() {
            "FROM" => self.from(found, arguments, *line),
            "RUN" | "CMD" | "ENTRYPOINT" => self.run(found, instruction, 0..arguments.len()),
            "HEALTHCHECK" => {
                if let Some(at) = arguments.find("CMD") {
                    self.run(found, instruction, at + "CMD".len()..arguments.len());
                }
            }
            "ONBUILD" => {
                let (keyword, rest) = arguments.trim().split_once(char::is_whitespace).unwrap_or((arguments, ""));
                let keyword = keyword.to_ascii_uppercase();
                if keyword != "ONBUILD" {
                    self.read(found, &Instruction { keyword, arguments: rest.to_owned(), line: *line });
                }
            }
            "SHELL" => {
                let words = exec_form(arguments).unwrap_or_default();
                let program = words.first().map(|word| word.rsplit('/').next().unwrap_or(word));
                self.has_other_shell = !program.is_some_and(|program| SHELLS.contains(&program));
            }
            "ADD" | "COPY" => self.copy(found, arguments, *line),
            "ARG" => self.set(arguments),
            "ENV" => {
                self.set(arguments);
                let (name, value) = arguments.trim().split_once(char::is_whitespace).unwrap_or((arguments, ""));
                if name.contains('=') {
                    // Assignments without a command only show settings.
                    let text = shell::Text::new(arguments.as_str(), Lines::From(*line));
                    shell::read(found, &shell::Text { given: &self.given, ..text });
                } else {
                    found.setting((name, value.trim()), 0, *line);
                }
            }
            "WORKDIR" | "EXPOSE" | "USER" | "LABEL" | "VOLUME" | "STOPSIGNAL" | "MAINTAINER" => {}
            _ => found.hides_code = true,
        }
    }

    /// Adds the image that a stage begins with.
    fn from(&mut self, found: &mut Commands, arguments: &str, line: u32) {
        let arguments = arguments.replace("\\\n", " ");
        let mut words = arguments.split_whitespace().filter(|word| !word.starts_with("--"));
        let Some(image) = words.next() else { return };
        self.has_other_shell = false;
        let image = self.expanded(image);
        if image != "scratch" && !self.stages.contains(&image.to_lowercase()) {
            found.add(Step::Image(image_name(&image)), line);
        }
        if words.next().is_some_and(|word| word.eq_ignore_ascii_case("as")) {
            self.stages.extend(words.next().map(str::to_lowercase));
        }
    }

    /// Returns a word with the values of build arguments.
    fn expanded(&self, word: &str) -> String {
        let mut word = word.trim_matches('"').to_owned();
        for (name, value) in &self.arguments {
            if !word.contains('$') || word.len() > MAX_WORD_BYTES {
                break;
            }
            for written in [format!("${{{name}}}"), format!("${name}")] {
                word = word.replace(&written, value);
            }
        }
        word
    }

    /// Records the variables that an instruction sets.
    fn set(&mut self, arguments: &str) {
        let arguments = arguments.replace("\\\n", " ");
        if !arguments.contains('=') {
            self.given.extend(arguments.split_whitespace().next().map(str::to_owned));
            return;
        }
        for word in arguments.split_whitespace() {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            self.given.insert(name.to_owned());
            if !value.is_empty() && self.arguments.len() < 100 && value.len() < 200 {
                let value = self.expanded(value);
                self.arguments.insert(name.to_owned(), value.chars().take(200).collect());
            }
        }
    }

    /// Adds the commands of an instruction, in the form of a shell or of a list.
    fn run(&self, found: &mut Commands, instruction: &Instruction, range: Range<usize>) {
        let Instruction { keyword, arguments, line } = instruction;
        let before = arguments.get(..range.start).unwrap_or_default();
        let line = line.saturating_add(u32::try_from(before.matches('\n').count()).unwrap_or(0));
        let code = without_flags(arguments.get(range).unwrap_or_default());
        let start = code.replace("\\\n", " ");
        if start.trim_start().starts_with('[')
            && let Some(words) = exec_form(&code)
        {
            let words: Vec<SmolStr> = words.into_iter().map(|word| word.replace("${", "\0{").into()).collect();
            if !words.is_empty() {
                found.add(Step::command(words), line);
            }
            return;
        }
        if self.has_other_shell {
            found.unread(keyword, &code, "its shell is not read", line);
            return;
        }
        // The text of a here document alone is a script.
        let (code, line) = match code.trim_start().starts_with("<<").then(|| code.split_once('\n')).flatten() {
            Some((_, body)) => (body.rsplit_once('\n').map_or("", |(body, _)| body).to_owned(), line.saturating_add(1)),
            None => (code, line),
        };
        if code.starts_with("#!") && Format::of_first_line("", &code).is_none() {
            found.unread(keyword, &code, "its script has a language that is not read", line);
            return;
        }
        let text = shell::Text { given: &self.given, ..shell::Text::new(code, Lines::From(line)) };
        shell::read(found, &text);
    }

    /// Adds the files that an instruction copies or downloads.
    fn copy(&self, found: &mut Commands, arguments: &str, line: u32) {
        let first = arguments.replace("\\\n", " ");
        let first = first.lines().next().unwrap_or_default();
        let flags = first.split_whitespace().filter(|word| word.starts_with("--"));
        let mut is_of_image = false;
        for from in flags.filter_map(|flag| flag.strip_prefix("--from=")) {
            is_of_image = true;
            let image = self.expanded(from);
            if !self.stages.contains(&image.to_lowercase()) && image.parse::<usize>().is_err() {
                found.add(Step::Image(image_name(&image)), line);
            }
        }
        let words: Vec<String> = exec_form(first).unwrap_or_else(|| {
            first.split_whitespace().filter(|word| !word.starts_with("--")).map(str::to_owned).collect()
        });
        let Some((to, sources)) = words.split_last() else { return };
        for source in sources.iter().filter(|_| !is_of_image) {
            let source = self.expanded(source);
            if source.contains("://") || source.starts_with("git@") {
                found.add(Step::Download(source.into()), line);
            } else if !source.starts_with("<<") {
                found.add(Step::Copy(source.into(), to.as_str().into()), line);
            }
        }
    }
}

/// Returns the name of an image without its version.
pub(super) fn image_name(image: &str) -> SmolStr {
    let image = image.split('@').next().unwrap_or(image);
    let folder = image.rfind('/').map_or(0, |at| at + 1);
    let end = image[folder..].find(':').map_or(image.len(), |at| folder + at);
    SmolStr::new(image[..end].replace(super::words::EXPRESSION, &UNKNOWN.to_string()))
}

/// Returns the words of an instruction in the form of a list: `["sh", "-c", "make"]`.
fn exec_form(arguments: &str) -> Option<Vec<String>> {
    let list = arguments.replace("\\\n", " ");
    let start = list.find('[')?;
    list.trim_end().ends_with(']').then(|| serde_json::from_str(&list[start..]).ok()).flatten()
}

/// Returns the arguments of an instruction without the flags at their start. All other text stays at its place.
fn without_flags(arguments: &str) -> String {
    let mut rest = arguments;
    let mut blank = String::new();
    loop {
        let start = rest.trim_start_matches([' ', '\t', '\\', '\n']);
        blank.push_str(&rest[..rest.len() - start.len()].replace(['\\', '\t'], " "));
        rest = start;
        if !rest.starts_with("--") {
            return blank + rest;
        }
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        blank.extend(std::iter::repeat_n(' ', rest[..end].chars().count()));
        rest = &rest[end..];
    }
}
