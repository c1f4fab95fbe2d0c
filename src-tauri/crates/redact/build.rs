//! Checks the formats of secrets in `config/redaction` and writes them as a table of constants.
//!
//! Reading more than a thousand patterns takes longer than most commands run, and a pattern that cannot be read must be known before
//! anything is sent. Both are settled when diffsan is built: a table with an error does not compile.

#[path = "build/run.rs"]
mod run;

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use regex_syntax::ast::Ast;
use regex_syntax::hir::{Class, Hir, HirKind};
use serde::Deserialize;

use run::Run;

/// The tables, in the order in which their formats are tried.
const TABLES: &[&str] = &["rules", "vendors", "gitleaks", "betterleaks", "noseyparker", "kingfisher"];

/// The usual maximum distance in bytes between a keyword and a secret that does not begin with it.
const REACH: usize = 512;

/// The maximum number of first bytes of a format that are known before its pattern is compiled: below the bits of a set of offsets.
const MAX_HEAD: usize = 24;

/// The words of which many patterns need one between the name of a product and the secret, and their notation in these patterns.
const NOUNS: &[&str] = &["secret", "private", "access", "key", "token"];
const NOUN_PATTERN: &str = "(?:SECRET|PRIVATE|ACCESS|KEY|TOKEN)";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    rule: Vec<Rule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    name: String,
    /// Words in lower case. The pattern is tried only where one of them occurs.
    keywords: Vec<String>,
    /// A pattern that begins where a keyword begins.
    token: Option<String>,
    /// A pattern that matches somewhere around a keyword.
    pattern: Option<String>,
    /// A pattern for the whole value of an assignment whose key contains a keyword.
    value: Option<String>,
    /// The minimum entropy of the secret in bits per byte.
    #[serde(default)]
    entropy: f64,
    /// Whether the secret is `user:password` in base64.
    #[serde(default)]
    base64: bool,
    /// The maximum distance in bytes between a keyword and a `pattern` around it, if it is not the usual one.
    reach: Option<usize>,
    /// Whether the secret must not be a word or a name, because the pattern has no other mark of it than the words beside it.
    #[serde(default)]
    random: bool,
}

/// The rules of other scanners that find no secrets.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NotMasked {
    not_masked: Vec<Harmless>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Harmless {
    /// The table of the rules.
    source: String,
    /// The reason why their findings are no secrets.
    reason: String,
    rules: Vec<String>,
}

/// Reads the rules that are not applied, as names of their table and their own.
fn not_masked(folder: &Path) -> Result<HashSet<(String, String)>, Box<dyn Error>> {
    let path = folder.join("not-masked.toml");
    println!("cargo::rerun-if-changed={}", path.display());
    let file: NotMasked = toml::from_str(&std::fs::read_to_string(&path)?)?;
    let mut names = HashSet::new();
    for entry in file.not_masked {
        if entry.reason.is_empty() || !TABLES.contains(&entry.source.as_str()) {
            return Err(format!("{}: {:?} has no reason or no table", path.display(), entry.rules).into());
        }
        names.extend(entry.rules.into_iter().map(|rule| (entry.source.clone(), rule)));
    }
    Ok(names)
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new("../../../config/redaction");
    let not_masked = not_masked(folder)?;
    let mut formats = String::from("pub(super) const FORMATS: &[Format] = &[\n");
    let mut heads = Heads::default();
    for table in TABLES {
        let path = folder.join(format!("{table}.toml"));
        println!("cargo::rerun-if-changed={}", path.display());
        let file: Table = toml::from_str(&std::fs::read_to_string(&path)?)?;
        for rule in file.rule {
            let name = rule.name.clone();
            if not_masked.contains(&((*table).to_owned(), name.clone())) {
                continue;
            }
            write_format(rule, &mut formats, &mut heads)
                .map_err(|error| format!("{}: {name}: {error}", path.display()))?;
        }
    }
    formats += "];\n";
    writeln!(formats, "pub(super) const NOUNS: &[&str] = &{NOUNS:?};")?;
    writeln!(formats, "pub(super) const BYTE_SETS: &[[u64; 4]] = &{:?};", heads.sets)?;
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    std::fs::write(Path::new(&std::env::var("OUT_DIR")?).join("formats.rs"), formats)?;
    Ok(())
}

fn write_format(rule: Rule, formats: &mut String, heads: &mut Heads) -> Result<(), Box<dyn Error>> {
    let (shape, pattern) = match (rule.token, rule.pattern, rule.value) {
        (Some(pattern), None, None) => ("Token", pattern),
        (None, Some(pattern), None) => ("Near", pattern),
        (None, None, Some(pattern)) => ("Value", format!("(?:{pattern})$")),
        _ => return Err("a format has one of `token`, `pattern` and `value`".into()),
    };
    if rule.keywords.is_empty() {
        return Err("a format has keywords".into());
    }
    if let Some(word) = rule.keywords.iter().find(|word| word.len() < 2 || **word != word.to_lowercase()) {
        return Err(format!("the keyword `{word}` is not two or more bytes in lower case").into());
    }
    // The same reading as in `rules.rs`: patterns match bytes.
    let parse = |pattern: &str| regex_syntax::ParserBuilder::new().unicode(false).utf8(false).build().parse(pattern);
    let hir = parse(&pattern)?;
    // The word is needed only if it is not in one of several choices. In a group, the part before it cannot be read alone.
    let has_choice = matches!(regex_syntax::ast::parse::Parser::new().parse(&pattern)?, Ast::Alternation(_));
    let before_noun =
        pattern.split_once(NOUN_PATTERN).filter(|_| !has_choice).and_then(|(before, _)| parse(before).ok());
    let noun_within = before_noun.and_then(|before| before.properties().maximum_len()).map_or(0, |length| length + 1);
    let head: Vec<u16> = Head::of(&hir).into_iter().map(|set| heads.index(set)).collect::<Result<_, _>>()?;
    let run = Run::of(&hir);
    let boundary = pattern.starts_with(r"\b") || pattern.starts_with(r"(?i:\b");
    writeln!(
        formats,
        "Format {{ name: {:?}, keywords: &{:?}, shape: Shape::{shape}, pattern: {pattern:?}, head: &{head:?}, \
         run: Run {{ least: {}, within: {}, has_data: {} }}, noun_within: {noun_within}, boundary: {boundary}, reach: {}, entropy: {:?}, base64: {}, random: {} }},",
        rule.name,
        rule.keywords,
        run.least,
        run.within.unwrap_or(usize::MAX),
        run.has_data,
        rule.reach.unwrap_or(REACH),
        rule.entropy,
        rule.base64,
        rule.random
    )?;
    Ok(())
}

/// A set of bytes, one bit for each.
type ByteSet = [u64; 4];

/// The distinct sets of bytes.
#[derive(Default)]
struct Heads {
    sets: Vec<ByteSet>,
    places: HashMap<ByteSet, u16>,
}

impl Heads {
    fn index(&mut self, set: ByteSet) -> Result<u16, std::num::TryFromIntError> {
        if let Some(place) = self.places.get(&set) {
            return Ok(*place);
        }
        let place = u16::try_from(self.sets.len())?;
        self.sets.push(set);
        self.places.insert(set, place);
        Ok(place)
    }
}

/// The sets of bytes that a match begins with, while a pattern is read. A set of offsets has a bit for each.
struct Head {
    sets: [ByteSet; MAX_HEAD],
}

impl Head {
    /// Returns the sets of the first bytes that every match of a pattern has.
    fn of(hir: &Hir) -> Vec<ByteSet> {
        let mut head = Self { sets: Default::default() };
        let ends = head.read(hir, 1);
        head.sets[..MAX_HEAD.min(ends.trailing_zeros() as usize)].to_vec()
    }

    /// Adds the bytes of a part that begins at some offsets. Returns the offsets at which it ends, without those behind the
    /// head.
    fn read(&mut self, hir: &Hir, starts: u32) -> u32 {
        if starts.trailing_zeros() as usize >= MAX_HEAD {
            return 0;
        }
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => starts,
            HirKind::Literal(literal) => literal.0.iter().fold(starts, |at, &byte| self.add(at, byte..=byte)),
            HirKind::Class(Class::Bytes(class)) => {
                class.iter().fold(starts << 1, |ends, range| ends | self.add(starts, range.start()..=range.end()))
            }
            // Patterns match bytes.
            HirKind::Class(Class::Unicode(_)) => self.add(starts, 0..=u8::MAX),
            HirKind::Capture(capture) => self.read(&capture.sub, starts),
            HirKind::Concat(parts) => parts.iter().fold(starts, |at, part| self.read(part, at)),
            HirKind::Alternation(choices) => choices.iter().fold(0, |ends, choice| ends | self.read(choice, starts)),
            HirKind::Repetition(repetition) => {
                // Offsets behind the head do not matter, so a few repetitions reach all that do.
                let least = repetition.min.min(MAX_HEAD as u32);
                let mut at = (0..least).fold(starts, |at, _| self.read(&repetition.sub, at));
                let mut ends = at;
                for _ in least..repetition.max.unwrap_or(u32::MAX).min(least + MAX_HEAD as u32) {
                    at = self.read(&repetition.sub, at);
                    ends |= at;
                }
                ends
            }
        }
    }

    /// Adds bytes at some offsets. Returns the offsets behind them.
    fn add(&mut self, at: u32, bytes: std::ops::RangeInclusive<u8>) -> u32 {
        for (offset, set) in self.sets.iter_mut().enumerate() {
            if at >> offset & 1 != 0 {
                bytes.clone().for_each(|byte| set[usize::from(byte >> 6)] |= 1 << (byte & 63));
            }
        }
        at << 1
    }
}
