//! Reads contracts from TOML, JSON, `<capabilities>` blocks in Markdown, and plain text.
//!
//! In: a file's name and text. Out: its statements, and a warning for each line that cannot be checked. What a sentence says is
//! `statements`' business.

use serde_json::Value;

use crate::code_names::CodeName;
use crate::contract::{ContractEffect, ContractWarning, Contracts, Modal, Reading};
use crate::sentences::{Sentence, sentences};
use crate::statements::{Lead, statements};
use crate::vocabulary::Vocabulary;
use crate::wording::{SMALL, base_forms};

/// Parses a contract. The file name and the first character of the text decide the format.
pub fn parse(path: &str, text: &str, vocabulary: &Vocabulary) -> Contracts {
    let mut contracts = Contracts::default();
    let mut reader =
        Reader { is_contract: true, mostly_limits: false, path, text, vocabulary, contracts: &mut contracts };
    let first = text.trim_start().chars().next();
    if path.ends_with(".json") || !path.ends_with(".toml") && matches!(first, Some('{')) {
        reader.json();
    } else if path.ends_with(".toml") {
        reader.toml();
    } else if text.contains("<capabilities>") {
        reader.markdown();
    } else {
        reader.is_contract = false;
        reader.lines(1, text, Lead::None);
        // Of a text that mostly limits code, the other statements are limits that are not understood.
        if (1..contracts.effects.len()).contains(&contracts.guidelines) {
            contracts = Contracts::default();
            let mut reader =
                Reader { is_contract: false, mostly_limits: true, path, text, vocabulary, contracts: &mut contracts };
            reader.lines(1, text, Lead::None);
        }
    }
    contracts
}

/// Returns whether a Markdown text contains a `<capabilities>` block.
pub fn has_block(text: &str) -> bool {
    text.contains("<capabilities>")
}

/// The keys of a table whose values are statements.
const STATEMENTS: &[&str] = &["effects", "effect", "contract", "contracts", "capabilities", "contract_effects"];

struct Reader<'a> {
    /// Whether all of the text is a contract.
    is_contract: bool,
    /// Whether most statements of the text are limits on what code may do.
    mostly_limits: bool,
    path: &'a str,
    text: &'a str,
    vocabulary: &'a Vocabulary,
    contracts: &'a mut Contracts,
}

impl Reader<'_> {
    fn warn(&mut self, line: u32, message: impl Into<String>) {
        let warning = ContractWarning { path: self.path.to_owned(), line, message: message.into() };
        self.contracts.warnings.push(warning);
    }

    /// Records that the file cannot be read as a contract.
    fn fail(&mut self, line: u32, message: impl Into<String>) {
        self.warn(line, message);
        self.contracts.unreadable.extend(self.contracts.warnings.last().cloned());
    }

    fn markdown(&mut self) {
        let text = self.text;
        let mut rest = 0;
        let mut fenced = false;
        let mut at = 0;
        // A block inside a code fence is an example.
        let mut fences = Vec::new();
        for line in text.split_inclusive('\n') {
            fenced ^= line.trim_start().starts_with("```");
            fences.push((at, fenced));
            at += line.len();
        }
        let inside = |at: usize| fences.iter().rev().find(|(start, _)| *start <= at).is_some_and(|(_, fenced)| *fenced);
        while let Some(open) = text[rest..].find("<capabilities>").map(|found| rest + found) {
            let body = open + "<capabilities>".len();
            let close = text[body..].find("</capabilities>").map_or(text.len(), |found| body + found);
            if !inside(open) {
                let before = text[..body].matches('\n').count();
                if close == text.len() {
                    self.warn(number(before), "the block is not closed with </capabilities>");
                }
                self.lines(number(before), &text[body..close], Lead::Contract);
            }
            rest = close;
            if rest >= text.len() {
                break;
            }
        }
    }

    fn lines(&mut self, first: u32, text: &str, lead: Lead) {
        let mut last = 0;
        for Sentence { line, text, lead } in sentences(first, text, lead) {
            // A remark after a statement on its line is none.
            let lead = if lead == Lead::Contract && line == last { Lead::Rules } else { lead };
            last = line;
            self.sentence(line, &text, lead, &[]);
        }
    }

    fn sentence(&mut self, line: u32, text: &str, lead: Lead, scope: &[String]) {
        let before = self.contracts.effects.len();
        for statement in statements(text, lead, self.vocabulary) {
            let is_small = |word: &&String| SMALL.contains(&word.to_lowercase().as_str());
            let (action, rest) = statement.words.split_first().map_or((String::new(), Vec::new()), |(action, rest)| {
                (action.clone(), rest.iter().skip_while(is_small).cloned().collect())
            });
            let resource = rest.join(" ").replace(" ,", ",");
            let is_known = self.vocabulary.names_effect(&action, &resource);
            let is_import = base_forms(&action.to_lowercase()).iter().any(|form| form == "import");
            let is_module = |name: &CodeName| name.is_module() || is_import || !is_known;
            let is_about_imports =
                statement.modal.forbids() && !statement.imports.is_empty() && statement.imports.iter().all(is_module);
            let is_known = is_known || is_about_imports;
            let is_unclear = action.is_empty() || statement.is_unclear || statement.is_weak && !is_known;
            let is_alone =
                || self.contracts.effects.len() == before && text.ends_with('.') && !text.contains([':', ';']);
            let is_prohibition =
                self.mostly_limits && statement.is_about_code && !statement.is_mild && !statement.is_weak && is_alone();
            let is_prohibition = is_prohibition && statement.modal.forbids();
            let is_told = lead == Lead::Contract || self.is_contract || is_prohibition;
            let is_limit = is_about_imports || statement.is_limit(self.vocabulary, &action, &resource);
            if !is_told && !is_limit {
                self.contracts.guidelines += 1;
                continue;
            }
            let resource = if action.is_empty() { statement.text.clone() } else { resource };
            self.effect(line, statement.modal, (&action, &resource), scope);
            if let Some(effect) = self.contracts.effects.last_mut() {
                effect.sentence = statement.text;
                effect.subjects = statement.subjects;
                effect.exceptions = statement.exceptions;
                effect.is_direct = statement.is_direct;
                effect.is_about_additions = statement.is_about_additions;
                effect.compares_things = statement.compares_things;
                effect.is_about_other_methods = statement.is_about_other_methods;
                effect.imports = if is_about_imports { statement.imports } else { Vec::new() };
                effect.reading = if is_unclear { Reading::NotUnderstood } else { Reading::Statement };
            }
        }
    }

    fn effect(&mut self, line: u32, modal: Modal, (action, resource): (&str, &str), scope: &[String]) {
        self.contracts.effects.push(ContractEffect {
            modal,
            action: action.to_lowercase(),
            resource: resource.to_lowercase(),
            path: self.path.to_owned(),
            line,
            scope: scope.to_vec(),
            subjects: Vec::new(),
            exceptions: Vec::new(),
            imports: Vec::new(),
            sentence: String::new(),
            is_direct: false,
            is_about_additions: false,
            compares_things: false,
            is_about_other_methods: false,
            reading: Reading::Statement,
        });
    }

    fn toml(&mut self) {
        match self.text.parse::<toml::Table>() {
            Ok(table) => match serde_json::to_value(table) {
                Ok(value) => self.value(&value, &[]),
                Err(error) => self.fail(0, format!("the file cannot be read: {error}")),
            },
            Err(error) => {
                let at = error.span().map_or(0, |span| span.start.min(self.text.len()));
                let line = number(self.text[..at].matches('\n').count());
                self.fail(line, format!("the file cannot be read: {}", error.message()));
            }
        }
    }

    fn json(&mut self) {
        match serde_json::from_str::<Value>(self.text) {
            Ok(value) => self.value(&value, &[]),
            Err(error) => {
                self.fail(u32::try_from(error.line()).unwrap_or(1), format!("the file cannot be read: {error}"))
            }
        }
    }

    fn value(&mut self, value: &Value, scope: &[String]) {
        match value {
            Value::Array(all) => all.iter().for_each(|one| self.value(one, scope)),
            Value::String(text) => {
                let line = self.line_of(text);
                let mut lead = Lead::Contract;
                for one in sentences(line, text, Lead::Contract) {
                    self.sentence(line, &one.text, lead, scope);
                    lead = Lead::Rules;
                }
            }
            Value::Object(table) => {
                let text = |key: &str| table.get(key).and_then(Value::as_str);
                let own: Vec<String> = ["paths", "path", "files"]
                    .iter()
                    .filter_map(|key| table.get(*key))
                    .flat_map(|value| match value {
                        Value::Array(all) => all.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
                        one => one.as_str().map(str::to_owned).into_iter().collect::<Vec<_>>(),
                    })
                    .collect();
                let scope = if own.is_empty() { scope } else { &own };
                if let (Some(action), Some(resource)) = (text("action"), text("resource")) {
                    let line = self.line_of_pair(action, resource);
                    match text("modal").and_then(Modal::parse) {
                        Some(modal) => self.effect(line, modal, (action, resource), scope),
                        None => {
                            self.effect(line, Modal::Must, (action, resource), scope);
                            if let Some(effect) = self.contracts.effects.last_mut() {
                                effect.sentence = format!("{action} {resource}");
                                effect.reading = Reading::NotUnderstood;
                            }
                        }
                    }
                    return;
                }
                let mut has_key = false;
                for key in STATEMENTS {
                    if let Some(inner) = table.get(*key) {
                        has_key = true;
                        self.value(inner, scope);
                    }
                }
                if !has_key && let Some(other) = table.keys().next() {
                    let line = self.line_of(other);
                    self.fail(line, format!("`{other}` is not a key of a contract; statements are in `effects`"));
                }
            }
            _ => {}
        }
    }

    fn line_of(&self, text: &str) -> u32 {
        self.text.lines().position(|line| line.contains(text)).map_or(1, number)
    }

    fn line_of_pair(&self, action: &str, resource: &str) -> u32 {
        // Finds the table that contains both words: its lines are at most three lines apart.
        let lines: Vec<&str> = self.text.lines().collect();
        let near =
            |at: usize| lines[at.saturating_sub(3)..lines.len().min(at + 4)].iter().any(|line| line.contains(action));
        let taken: Vec<u32> = self.contracts.effects.iter().map(|effect| effect.line).collect();
        let found =
            (0..lines.len()).find(|&at| lines[at].contains(resource) && near(at) && !taken.contains(&number(at)));
        found.map_or(1, number)
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}
