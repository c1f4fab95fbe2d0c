//! Finds the default of an option on a command line whose name is the one of a secret: `add_argument("--password", …, default="…")`,
//! `#[arg(long, default_value = "…")] password: String`. The names of the functions are data (`config/redaction/words.toml`).
//!
//! In: a text and the place of the name of an option. Out: the range of its default.

use super::arguments::{arguments, last_name, open_list, strings};
use super::cursor::{Place, Values, line_start};
use super::words::WORDS;

/// The maximum number of bytes between the parenthesis of a call and the name of its option.
const MAX_BEFORE: usize = 160;
/// The maximum number of methods behind a call.
const MAX_METHODS: usize = 8;
/// The maximum number of lines with attributes before a member.
const MAX_ATTRIBUTES: usize = 4;
/// The position of the default behind a flag and its description: `option("--password <pw>", "the password", "…")`.
const BEHIND_DESCRIPTION: usize = 2;

/// Adds the default of the option whose name is at `start..end`, with its quote. Returns whether there is one.
pub(super) fn declared(text: &[u8], start: usize, end: usize, quoted: bool, values: &mut Values) -> bool {
    // `option("--password <pw>", …)`
    let has_parameter = text[start] == b'-' && matches!(text[end..], [b' ', b'<' | b'[', ..]);
    // The key of an object has a colon behind it.
    let ends = matches!(text.get(end), Some(b',' | b')')) || text[..end].ends_with(b")");
    let is_argument = quoted && ends;
    let found = if is_argument || has_parameter {
        in_call(text, start)
    } else if quoted {
        None
    } else {
        of_member(text, start, end)
    };
    let place = Place { quoted: true, ..Place::default() };
    values.extend(found.map(|(from, to)| (from, to, place)));
    found.is_some()
}

/// Returns the default among the arguments of the call around the name of an option, or of a method behind the call.
fn in_call(text: &[u8], start: usize) -> Option<(usize, usize)> {
    let from = start.saturating_sub(MAX_BEFORE);
    let open = from + open_list(&text[from..start], b"")?;
    let name = String::from_utf8_lossy(last_name(&text[from..open])).to_lowercase();
    if !WORDS.declares_option(&name) {
        return None;
    }
    let list = arguments(text, open + 1, false);
    let own = list.iter().position(|(from, to)| (*from..*to).contains(&start))?;
    list.iter()
        .find_map(|&(from, to)| of_argument(text, from, to))
        .or_else(|| by_position(text, &list, own, &name))
        .or_else(|| of_method(text, list.last()?.1))
}

/// Returns the string of an argument with the name of a default, or of a member of an object.
fn of_argument(text: &[u8], from: usize, to: usize) -> Option<(usize, usize)> {
    let argument = &text[from..to];
    if argument.trim_ascii_start().starts_with(b"{") {
        let open = from + memchr::memchr(b'{', argument)?;
        let close = memchr::memrchr(b'}', argument).map_or(to, |close| from + close);
        return members(text, open + 1, close).find_map(|(from, to)| named(text, from, to));
    }
    named(text, from, to)
}

/// Returns the ranges between the commas of an object.
fn members(text: &[u8], from: usize, to: usize) -> impl Iterator<Item = (usize, usize)> {
    let start = text.as_ptr() as usize;
    text[from..to].split(|byte| *byte == b',').map(move |member| {
        let from = member.as_ptr() as usize - start;
        (from, from + member.len())
    })
}

/// Returns the string that is assigned to the name of a default.
fn named(text: &[u8], from: usize, to: usize) -> Option<(usize, usize)> {
    let argument = &text[from..to];
    let sign = memchr::memchr2(b'=', b':', argument)?;
    let name = String::from_utf8_lossy(argument[..sign].trim_ascii()).to_lowercase();
    string(text, from + sign + 1, to).filter(|_| WORDS.is_default(name.trim_matches(['"', '\''])))
}

/// Returns the first string of an expression that begins with one.
fn string(text: &[u8], from: usize, to: usize) -> Option<(usize, usize)> {
    strings(text, from, to).first().copied().filter(|(from, to)| from < to)
}

/// Returns the default that follows the name, and its short form, in a list of arguments; or the name and a description.
fn by_position(text: &[u8], list: &[(usize, usize)], own: usize, name: &str) -> Option<(usize, usize)> {
    if WORDS.declares_by_position(name) {
        let mut behind = list[own + 1..].iter().map(|&(from, to)| string(text, from, to));
        let next = behind.next()??;
        return if next.1 - next.0 > 1 { Some(next) } else { behind.next()? };
    }
    // `option("-p, --password <pw>", "the password", "…")`
    let (from, to) = list[own];
    let has_parameter = text[from..to].contains(&b'<') && memchr::memmem::find(&text[from..to], b"--").is_some();
    let &(from, to) = list.get(own + BEHIND_DESCRIPTION).filter(|_| has_parameter)?;
    string(text, from, to)
}

/// Returns the default in the methods behind the arguments of a call: `Arg::new("password").default_value("…")`.
fn of_method(text: &[u8], mut end: usize) -> Option<(usize, usize)> {
    for _ in 0..MAX_METHODS {
        let rest = &text[end..];
        let behind = rest.strip_prefix(b")")?.trim_ascii_start().strip_prefix(b".")?;
        let length = behind.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        let name = String::from_utf8_lossy(&behind[..length]).to_lowercase();
        let open = text.len() - behind.len() + length;
        let list = arguments(text, open.checked_add(1).filter(|_| text.get(open) == Some(&b'('))?, false);
        let first = list.first()?;
        if WORDS.is_default(&name) {
            return string(text, first.0, first.1);
        }
        end = list.last()?.1;
    }
    None
}

/// Returns the default in an attribute on the lines above a member of a structure: `#[arg(long, default_value = "…")]`.
fn of_member(text: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    if !text[end..].starts_with(b": ") {
        return None;
    }
    let mut line = line_start(text, start);
    let before = text[line..start].trim_ascii();
    if !(before.is_empty() || before.starts_with(b"pub")) {
        return None;
    }
    for _ in 0..MAX_ATTRIBUTES {
        let above = line_start(text, line.checked_sub(1)?);
        let attribute = text[above..line].trim_ascii();
        if let Some(open) = memchr::memchr(b'(', attribute).filter(|_| attribute.starts_with(b"#[")) {
            let open = above + memchr::memmem::find(&text[above..line], attribute)? + open;
            let name = String::from_utf8_lossy(last_name(&text[above..open])).to_lowercase();
            let list = arguments(text, open + 1, false);
            let found = list.iter().find_map(|&(from, to)| of_argument(text, from, to));
            if found.is_some() && WORDS.declares_option(&name) {
                return found;
            }
        } else if !attribute.starts_with(b"///") {
            return None;
        }
        line = above;
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn defaults_of_options_are_masked() {
        check(
            "cli.py",
            &[
                "parser.add_argument(\"--password\",\n    help=\"the password\",\n    default=\"⟦kirschgarten⟧\")",
                "parser.add_argument('-p', '--password', type=str, default='⟦kirschgarten⟧')",
                "@click.option(\n    \"--api-key\",\n    envvar=\"X\",\n    default=\"⟦kirschgarten77⟧\",\n)",
                "parser.add_argument(\"--password\", default=None, help=\"kirschgarten\")\nadd(default=\"kirschgarten\")",
                "parser.add_argument(\"--password-file\", default=\"kirschgarten\")",
                "parser.add_argument(\"--password\", default=\"\")",
            ],
        );
        check(
            "cli.ts",
            &[
                "program.option('-p, --password <pw>', 'the password', '⟦kirschgarten⟧')",
                "yargs.option('password', { type: 'string', default: '⟦kirschgarten⟧' })",
                "program.option('-n, --name <x>', 'the name', 'kirschgarten')",
            ],
        );
        check(
            "cli.go",
            &[
                "flag.StringVar(&password, \"password\", \"⟦kirschgarten⟧\", \"the password\")",
                "cmd.Flags().StringVarP(&pw, \"password\", \"p\", \"⟦kirschgarten⟧\", \"the password\")",
                "cmd.Flags().StringVarP(&pw, \"password\", \"p\", \"\", \"the password\")",
            ],
        );
        check(
            "args.rs",
            &[
                "    #[arg(long = \"password\", default_value = \"⟦kirschgarten⟧\")]\n    word: String,",
                "    /// Login\n    #[arg(long, default_value = \"⟦kirschgarten⟧\")]\n    password: String,",
                "    Arg::new(\"password\")\n        .long(\"password\")\n        .default_value(\"⟦kirschgarten⟧\")",
                "    #[arg(long, default_value = \"kirschgarten\")]\n    name: String,\n    password: String,",
            ],
        );
    }
}
