//! Rules on imports: "`core/` must not import `db/`", "only `client.py` may import `requests`".
//!
//! In: the imports of the changed files, and a line of a contract. Out: findings. An import is visible as it is written, so the judgment does not
//! depend on what the imported code does.

use std::sync::LazyLock;

use regex::Regex;

use super::code_places::Area;
use super::contract_line::ContractLine;
use super::facts::{Facts, MODULE};
use super::judge::{Judgment, PolicyFinding, Subject, gaps_text, places};
use super::modules::{self, Module};
use super::project::{Project, simple};
use super::reach::Hop;
use diffsan_contracts::code_names::modules_of;
use diffsan_syntax::language::Language;

/// A module that a file imports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedModule {
    /// The parts of the module's path, and the imported name: `app`, `db` and `Session`.
    parts: Vec<String>,
    /// The file of the project that it is, if any.
    file: Option<String>,
    /// The place of the import.
    hop: Hop,
}

/// Returns the modules that a file imports, each once for a line.
pub(crate) fn imported(project: &Project<'_>, language: Language, path: &str, facts: &Facts) -> Vec<ImportedModule> {
    let imports = facts.imports.iter().map(|one| (one.module.as_str(), one.name.as_deref(), one.line));
    let exports = facts.exports.iter().filter_map(|one| Some((one.module.as_deref()?, None, one.line)));
    let bound =
        facts.bindings.iter().filter_map(|one| Some((inline_module(one.source.as_ref()?.root())?, None, one.line)));
    let used = facts.uses.iter().filter_map(|one| Some((inline_module(one.chain.root())?, None, one.line)));
    let whole = whole_names(language, &facts.text);
    let written = whole.iter().map(|(name, line)| (name.as_str(), None, *line));
    let mut found: Vec<ImportedModule> = Vec::new();
    for (module, name, line) in imports.chain(exports).chain(bound).chain(used).chain(written) {
        let file = match modules::find(project, language, path, module, name) {
            Module::File(file, _) => Some(file),
            Module::Foreign | Module::Missing => None,
        };
        let parts = module.split([':', '.', '/', '\\']).chain(name).map(simple).filter(|part| !part.is_empty());
        let hop = Hop { path: path.to_owned(), line, symbol: module.to_owned(), excerpt: facts.line(line) };
        let one = ImportedModule { parts: parts.collect(), file, hop };
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

/// Returns the names that are written with their namespace, which need no import: `\Acme\View\Page` of PHP and `crate::view::Page` of Rust. Each
/// has its line.
fn whole_names(language: Language, text: &str) -> Vec<(String, u32)> {
    static PHP: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\\([A-Za-z_]\w*(?:\\\w+)+)").ok());
    static RUST: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\b(crate(?:::\w+)+)").ok());
    let Some(pattern) = (match language {
        Language::Php => PHP.as_ref(),
        Language::Rust => RUST.as_ref(),
        _ => None,
    }) else {
        return Vec::new();
    };
    // Comments name nothing, and imports are read as such.
    let others = ["//", "*", "/*", "#", "use ", "pub use "];
    let is_code = |line: &&str| !others.iter().any(|start| line.trim_start().starts_with(start));
    let lines = (1..).zip(text.lines()).filter(|(_, line)| is_code(line));
    lines
        .flat_map(|(number, line)| pattern.captures_iter(line).map(move |found| (found[1].to_owned(), number)))
        .collect()
}

fn inline_module(root: &str) -> Option<&str> {
    root.strip_prefix(MODULE).filter(|module| !module.is_empty())
}

impl ImportedModule {
    /// Returns whether the module has a name, or is code of an area of the project.
    fn is(&self, name: &str, area: &Area) -> bool {
        if self.file.as_ref().is_some_and(|file| area.has_file(file)) {
            return true;
        }
        let modules = modules_of(name);
        if !modules.is_empty() {
            return modules.iter().any(|module| self.is(module, area));
        }
        let wanted: Vec<String> =
            name.split([':', '.', '/', '\\', '*']).map(simple).filter(|part| !part.is_empty()).collect();
        // A package of Go, Java or PHP has a host or an owner before its name.
        let starts = (0..self.parts.len()).filter(|start| *start == 0 || self.file.is_none() && wanted.len() == 1);
        !wanted.is_empty() && starts.into_iter().any(|start| self.parts[start..].starts_with(&wanted))
    }
}

/// Judges a line that forbids imports.
pub(crate) fn judge(wanted: &ContractLine<'_>, subject: &Subject<'_>) -> Vec<PolicyFinding> {
    let (contract, findings) = (wanted.contract, subject.findings);
    let text = contract.text();
    let names: Vec<(&str, Area)> =
        contract.imports.iter().map(|name| (name.text.as_str(), Area::of_names(std::slice::from_ref(name)))).collect();
    let is_named =
        |import: &ImportedModule| names.iter().find(|(name, area)| import.is(name, area)).map(|(name, _)| *name);
    let doubt = subject.scope.unknown_name();
    let mut found = Vec::new();
    for (path, reached) in &subject.targets {
        let mut told: Vec<&Hop> = Vec::new();
        for import in reached.imports.iter().filter(|import| subject.scope.has_import(path, &import.hop)) {
            let Some(name) = is_named(import) else { continue };
            // A statement that imports several names is one place.
            if told.contains(&&import.hop) {
                continue;
            }
            told.push(&import.hop);
            let message =
                format!("{path} imports `{}`, which is {name}. The contract says: {text}.", import.hop.symbol);
            if !subject.scope.has_whole(path) {
                let message = format!("Insufficient evidence: which definitions use it is not known. {message}");
                found.push(wanted.finding(
                    Judgment::Unknown,
                    0.4,
                    message,
                    places(std::slice::from_ref(&import.hop)),
                    findings,
                ));
                continue;
            }
            let (judgment, sure, message) = match &doubt {
                Some(name) => (
                    Judgment::Unknown,
                    0.4,
                    format!("Insufficient evidence: no file, folder or definition is named \"{name}\". {message}"),
                ),
                None if contract.modal.advises() => (Judgment::LikelyViolation, 0.8, message),
                None => (Judgment::Violation, 0.95, message),
            };
            found.push(wanted.finding(judgment, sure, message, places(std::slice::from_ref(&import.hop)), findings));
        }
    }
    if !found.is_empty() {
        return found;
    }
    let mut gaps = subject.gaps(wanted);
    // Code can know a module without an import, through other code that imports it: a decorated function.
    let is_known_elsewhere =
        || findings.targets.iter().any(|(_, reached)| reached.imports.iter().any(|import| is_named(import).is_some()));
    if contract.action == "know" && is_known_elsewhere() {
        gaps.push("other code of the change imports it".to_owned());
    }
    let unknown = contract.imports.iter().filter(|name| !name.is_certain());
    gaps.extend(unknown.map(|name| format!("no file, folder or definition is named \"{}\"", name.text)));
    if !gaps.is_empty() || subject.targets.is_empty() {
        let message =
            format!("Insufficient evidence for \"{text}\": not all imports could be read.{}", gaps_text(&gaps));
        return vec![wanted.finding(Judgment::Unknown, 0.3, message, Vec::new(), findings)];
    }
    let listed: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
    let message = format!("No examined code imports {}. The contract says: {text}.", listed.join(" or "));
    vec![wanted.finding(Judgment::NoViolation, 0.95, message, Vec::new(), findings)]
}
