//! Reads programs of sed. Most only edit text, but some of their commands run code or write files.
//!
//! In: the words of a command of sed. Out: the commands that its program runs, and the files that it writes.

use smol_str::SmolStr;

use super::step::{UNKNOWN, is_unknown};

/// The names of sed.
pub(super) const SEDS: &[&str] = &["sed", "gsed", "ssed"];
/// Files that stand for streams.
const STREAMS: &[&str] = &["/dev/stdout", "/dev/stderr"];

/// The code and the files that a program of sed names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Program {
    /// The shell commands that it runs.
    pub(super) commands: Vec<String>,
    /// Whether it runs the text that it edits as a command.
    pub(super) runs_text: bool,
    /// The files that it writes.
    pub(super) writes: Vec<String>,
    /// Whether a part of it is not understood, or is in a file.
    pub(super) is_unread: bool,
}

/// Returns the content of the program of a command. `words` begins with the name.
pub(super) fn program(words: &[SmolStr]) -> Program {
    let mut found = Program::default();
    let mut texts: Vec<&str> = Vec::new();
    let mut operands: Vec<&str> = Vec::new();
    let mut is_given = false;
    let mut words = words.iter().skip(1).map(SmolStr::as_str).peekable();
    while let Some(word) = words.next() {
        let long = word.split_once('=').map_or(word, |(name, _)| name);
        match long {
            "--" => operands.extend(words.by_ref()),
            "--version" | "--help" if texts.is_empty() => return found,
            _ if !word.starts_with('-') || word == "-" => operands.push(word),
            "--expression" => {
                is_given = true;
                texts.extend(word.split_once('=').map(|(_, text)| text).or_else(|| words.next()));
            }
            "--file" => (is_given, found.is_unread) = (true, true),
            "--line-length" if !word.contains('=') => _ = words.next(),
            _ if word.starts_with("--") => {}
            _ => {
                // The rest of the word, or the next word, is the value of the first letter that has one. That of `-i` is in the word.
                let letters = &word[1..];
                let Some(at) = letters.find(['e', 'f', 'i', 'I', 'l']) else { continue };
                let rest = &letters[at + 1..];
                match letters.as_bytes()[at] {
                    b'e' => {
                        is_given = true;
                        texts.extend(Some(rest).filter(|rest| !rest.is_empty()).or_else(|| words.next()));
                    }
                    b'f' => (is_given, found.is_unread) = (true, true),
                    b'l' if rest.is_empty() => _ = words.next(),
                    // Sed of BSD has the suffix in the next word: `-i ''`, `-i .bak`.
                    b'i' | b'I' if rest.is_empty() => {
                        words.next_if(|next| next.is_empty() || next.starts_with('.'));
                    }
                    _ => {}
                }
            }
        }
    }
    if !is_given {
        texts.extend(operands.first());
    }
    let text = texts.join("\n");
    let mut reader = Reader { rest: &text, found: &mut found };
    if reader.read().is_none() {
        found.is_unread = true;
    }
    found
}

struct Reader<'t, 'f> {
    rest: &'t str,
    found: &'f mut Program,
}

impl<'t> Reader<'t, '_> {
    /// Reads all commands. Returns `None` if one of them is not understood.
    fn read(&mut self) -> Option<()> {
        loop {
            self.rest = self.rest.trim_start_matches(|char: char| char.is_whitespace() || char == ';');
            if self.rest.is_empty() {
                return Some(());
            }
            if self.address()? && self.rest.trim_start().starts_with(',') {
                self.skip_blanks();
                self.next()?;
                self.skip_blanks();
                self.rest = self.rest.trim_start_matches(['+', '~']);
                self.address()?.then_some(())?;
            }
            self.rest = self.rest.trim_start_matches(|char: char| char == '!' || char.is_whitespace());
            self.command()?;
        }
    }

    fn next(&mut self) -> Option<char> {
        let char = self.rest.chars().next()?;
        self.rest = &self.rest[char.len_utf8()..];
        Some(char)
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    /// Skips an address, and returns whether there is one. A number can be known only when the script runs.
    fn address(&mut self) -> Option<bool> {
        let is_number = |char: char| char.is_ascii_digit() || char == '~' || char == UNKNOWN;
        match self.rest.chars().next() {
            Some('$') => _ = self.next(),
            Some('/') => {
                self.next();
                self.part('/')?;
                self.rest = self.rest.trim_start_matches(['I', 'M']);
            }
            Some('\\') => {
                self.next();
                let end = self.next()?;
                self.part(end)?;
                self.rest = self.rest.trim_start_matches(['I', 'M']);
            }
            Some(first) if is_number(first) => self.rest = self.rest.trim_start_matches(is_number),
            _ => return Some(false),
        }
        Some(true)
    }

    /// Returns the text up to a character that ends a part, which a backslash protects.
    fn part(&mut self, end: char) -> Option<&'t str> {
        let text = self.rest;
        loop {
            let at = text.len() - self.rest.len();
            match self.next()? {
                '\\' => _ = self.next()?,
                char if char == end => return Some(&text[..at]),
                _ => {}
            }
        }
    }

    /// Returns the rest of the line.
    fn line(&mut self) -> &'t str {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        line.trim()
    }

    fn command(&mut self) -> Option<()> {
        match self.next()? {
            '{' => Some(()),
            '}' | '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' => self.end(),
            'q' | 'Q' | 'l' | 'L' => {
                self.skip_blanks();
                self.rest = self.rest.trim_start_matches(|char: char| char.is_ascii_digit() || char == UNKNOWN);
                self.end()
            }
            ':' | 'b' | 't' | 'T' | 'v' => {
                let end = self.rest.find([';', '\n', '}']).unwrap_or(self.rest.len());
                self.rest = &self.rest[end..];
                Some(())
            }
            '#' | 'r' | 'R' => {
                self.line();
                Some(())
            }
            'a' | 'i' | 'c' => {
                while self.line().ends_with('\\') && !self.rest.is_empty() {}
                Some(())
            }
            'w' | 'W' => {
                let file = self.line().to_owned();
                self.write(file);
                Some(())
            }
            'e' => {
                match self.line() {
                    "" => self.found.runs_text = true,
                    command => self.found.commands.push(command.to_owned()),
                }
                Some(())
            }
            'y' => {
                let end = self.next()?;
                self.part(end)?;
                self.part(end)?;
                self.end()
            }
            's' => {
                let end = self.next().filter(|end| !is_unknown(&end.to_string()) && !end.is_whitespace())?;
                self.part(end)?;
                self.part(end)?;
                self.flags()
            }
            _ => None,
        }
    }

    /// Reads what stands behind a replacement.
    fn flags(&mut self) -> Option<()> {
        while let Some(flag) = self.rest.chars().next() {
            match flag {
                'g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9' => {}
                'e' => self.found.runs_text = true,
                'w' => {
                    self.next();
                    let file = self.line().to_owned();
                    self.write(file);
                    return Some(());
                }
                _ => break,
            }
            self.next();
        }
        self.end()
    }

    fn write(&mut self, file: String) {
        if !STREAMS.contains(&file.as_str()) {
            self.found.writes.push(file);
        }
    }

    /// Checks that a command ends here.
    fn end(&mut self) -> Option<()> {
        self.skip_blanks();
        (self.rest.is_empty() || self.rest.starts_with([';', '\n', '}', '#', '{'])).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &[&str], expected: &Program) {
        let words: Vec<SmolStr> = std::iter::once("sed").chain(words.iter().copied()).map(SmolStr::new).collect();
        assert_eq!(program(&words), *expected, "{words:?}");
    }

    #[test]
    fn programs_that_only_edit_text_run_nothing() {
        for words in [
            &["s/a/b/", "f"][..],
            &["-i", "s|a/e|b\\|c|g; /x/d", "f"],
            &["-i", "", "s/a/b/", "f"],
            &["-i.bak", "-e", "s/e/w/", "-e", "$d"],
            &["-n", "/^a/,/^b/{p;q}"],
            &["-ne", "1,10p"],
            &["2~3!{s/x/y/;ta};:a"],
            &["y/abc/xyz/"],
            &["/x/a\\\ne rm y\\\nw z"],
            &["/x/i e rm y"],
            &["s/\0/\0/"],
            &["\0,\0p"],
            &["-E", "s#(a|b)#\\1#gI"],
            &["r e", "f"],
            &["s/x/y/w /dev/stdout"],
            &["--version"],
        ] {
            check(words, &Program::default());
        }
    }

    #[test]
    fn programs_that_run_code_or_write_files_are_found() {
        let runs = |command: &str| Program { commands: vec![command.to_owned()], ..Program::default() };
        check(&["1e rm x", "f"], &runs("rm x"));
        check(&["-n", "/x/{\ne rm x\n}"], &runs("rm x"));
        check(&["--expression=1 e curl x"], &runs("curl x"));
        check(&["-ne", "p;$!e rm x"], &runs("rm x"));
        let text = || Program { runs_text: true, ..Program::default() };
        check(&["s/x/rm y/e"], &text());
        check(&["-E", "s/x/rm y/ge;p"], &text());
        check(&["e"], &text());
        let writes = |file: &str| Program { writes: vec![file.to_owned()], ..Program::default() };
        check(&["-n", "w out"], &writes("out"));
        check(&["s/a/b/gw out"], &writes("out"));
    }

    #[test]
    fn a_program_that_is_not_understood_is_unread() {
        let unread = Program { is_unread: true, ..Program::default() };
        for words in
            [&["\0"][..], &["-f", "x.sed"], &["--file=x.sed"], &["-nf", "x"], &["s/a/b/\0"], &["s/a/b"], &["k"]]
        {
            check(words, &unread);
        }
    }
}
