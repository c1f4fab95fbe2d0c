//! Rules on imports: "`core/` must not import `db/`", "only `client.py` may import `requests`".
//!
//! In: the imports of the changed files, and a line of a contract. Out: findings. An import is visible as it is written, so the judgment does not
//! depend on what the imported code does.

use super::autoload;
use super::code_places::Area;
use super::contract_line::{ContractLine, Scope};
use super::facts::{Facts, MODULE};
use super::judge::{Judgment, PolicyFinding, Subject, gaps_text, places};
use super::modules::{self, Module};
use super::project::{Project, folder, simple};
use super::reach::Hop;
use diffsan_contracts::code_names::{CodeName, modules_of};
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
    let written = facts.written.iter().map(|one| (one.name.as_str(), None, one.line));
    let visible = visible_files(project, language, path, facts);
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
    for (name, line, file) in visible {
        let hop = Hop { path: path.to_owned(), line, symbol: name.clone(), excerpt: facts.line(line) };
        if !found.iter().any(|one| one.file.as_ref() == Some(&file)) {
            found.push(ImportedModule { parts: vec![simple(&name)], file: Some(file), hop });
        }
    }
    found
}

/// Returns the classes of other files that code uses without an import: those of the same package, and those that Ruby loads by their names. Each
/// has its line and its file.
fn visible_files(project: &Project<'_>, language: Language, path: &str, facts: &Facts) -> Vec<(String, u32, String)> {
    let end = match language {
        Language::Go => return visible_in_package(project, path, facts),
        Language::Java => ".java",
        Language::Php => ".php",
        Language::Ruby => ".rb",
        _ => return Vec::new(),
    };
    let bound = facts.bindings.iter().filter_map(|one| Some((one.source.as_ref()?, one.line)));
    let used = facts.uses.iter().map(|one| (&one.chain, one.line));
    let parents =
        facts.units.iter().flat_map(|unit| unit.bases.iter().chain(&unit.interfaces).map(|base| (base, unit.line)));
    let is_class = |name: &str| name.starts_with(char::is_uppercase);
    let mut found: Vec<(String, u32, String)> = Vec::new();
    for (chain, line) in bound.chain(used).chain(parents) {
        let classes: Vec<&str> =
            chain.segs.iter().map(|seg| seg.name.as_str()).take_while(|name| is_class(name)).collect();
        let Some(name) = classes.last().filter(|_| !facts.imports.iter().any(|import| import.local == classes[0]))
        else {
            continue;
        };
        let near = format!("{}{name}{end}", folder(path));
        let file = match language {
            Language::Ruby if classes.len() > 1 => autoload::file_of_constant(project, &classes).cloned(),
            Language::Ruby => project.named(name).into_iter().find(|file| file.ends_with(end)).cloned(),
            _ => project.has(&near).then_some(near),
        };
        found.extend(file.filter(|file| file != path).map(|file| ((*name).to_owned(), line, file)));
    }
    found
}

/// Returns the names of other files of a Go package that code uses.
fn visible_in_package(project: &Project<'_>, path: &str, facts: &Facts) -> Vec<(String, u32, String)> {
    let bound = facts.bindings.iter().filter_map(|one| Some((one.source.as_ref()?, one.line)));
    let roots: Vec<(&str, u32)> = bound
        .chain(facts.uses.iter().map(|one| (&one.chain, one.line)))
        .map(|(chain, line)| (chain.root(), line))
        .collect();
    let files = modules::go_package(project, folder(path));
    let others = files.iter().filter(|file| *file != path).take(project.bounds.max_search_results);
    let used = others.filter_map(|file| {
        let other = project.facts(file)?;
        let is_defined =
            |name: &str| other.units.iter().any(|unit| !name.is_empty() && unit.class.is_none() && unit.name == name);
        let (name, line) = roots.iter().find(|(name, _)| is_defined(name))?;
        Some(((*name).to_owned(), *line, file.clone()))
    });
    used.collect()
}

fn inline_module(root: &str) -> Option<&str> {
    root.strip_prefix(MODULE).filter(|module| !module.is_empty())
}

impl ImportedModule {
    /// Returns whether the module has a name of a contract, or is code of its area in the project.
    fn is(&self, name: &CodeName, area: &Area, subject: &Scope) -> bool {
        let in_area = self.file.as_ref().filter(|file| area.has_file(file));
        if name.is_other {
            return in_area.is_some_and(|file| !subject.is_own(file));
        }
        let bare = name.without_nouns();
        let modules = modules_of(&bare);
        let text = if name.found.is_some() { &name.text } else { &bare };
        in_area.is_some()
            || modules.iter().any(|module| self.is_named(module))
            || modules.is_empty() && self.is_named(text)
    }

    fn is_named(&self, name: &str) -> bool {
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
    let names: Vec<(&CodeName, Area)> =
        contract.imports.iter().map(|name| (name, Area::of_names(std::slice::from_ref(name)))).collect();
    let is_named = |import: &ImportedModule| {
        let found = names.iter().find(|(name, area)| import.is(name, area, &subject.scope));
        found.map(|(name, _)| name.text.as_str())
    };
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
    gaps.extend(subject.all_open().filter(|open| open.is_unread).find_map(|open| open.gap.clone()));
    // Code can know a module without an import, through other code that imports it: a decorated function.
    let is_known_elsewhere =
        || findings.targets.iter().any(|(_, reached)| reached.imports.iter().any(|import| is_named(import).is_some()));
    if contract.action == "know" && is_known_elsewhere() {
        gaps.push("other code of the change imports it".to_owned());
    }
    let vocabulary = &wanted.knowledge.vocabulary;
    let is_certain = |name: &CodeName| name.is_certain() || vocabulary.names_module(&name.without_nouns());
    let unknown = contract.imports.iter().filter(|name| !is_certain(name));
    gaps.extend(unknown.map(|name| format!("no file, folder or definition is named \"{}\"", name.text)));
    if !gaps.is_empty() || subject.targets.is_empty() {
        let message =
            format!("Insufficient evidence for \"{text}\": not all imports could be read.{}", gaps_text(&gaps));
        return vec![wanted.finding(Judgment::Unknown, 0.3, message, Vec::new(), findings)];
    }
    let listed: Vec<&str> = names.iter().map(|(name, _)| name.text.as_str()).collect();
    let message = format!("No examined code imports {}. The contract says: {text}.", listed.join(" or "));
    vec![wanted.finding(Judgment::NoViolation, 0.95, message, Vec::new(), findings)]
}
