//! Finds endpoints: addresses at which the program answers HTTP requests. The rules are data: `config/capabilities/endpoints.toml`.
//!
//! In: uses whose names are resolved, and the paths of files. Out: the effect, with the method and the path as its symbol, so that each
//! endpoint is one of its own and a moved one is the same.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::LazyLock;

use serde::Deserialize;
use smol_str::SmolStr;

use diffsan_contracts::http::METHODS;
use diffsan_contracts::vocabulary::ENDPOINT;

use super::built_in::{Pattern, parsed};
use super::facts::{Facts, MODULE, Use, UseKind};
use super::follow::Follow;
use super::found::Below;
use super::reach::{Hop, Reach};
use super::resolve::Resolution;
use super::uses::Site;

/// The argument of a mark that says that it stands on a class.
pub(crate) const ON_CLASS: &str = "on=class";

/// Named arguments that hold the path.
const PATHS: &[&str] = &["path", "value", "url", "rule", "pattern", "to"];

/// The maximum number of groups inside of each other.
const MAX_GROUPS: usize = 4;

const TABLES: &str = include_str!("../../../../config/capabilities/endpoints.toml");

static RULES: LazyLock<Result<Rules, String>> = LazyLock::new(|| parsed(TABLES));

/// The rules by the names of the functions and marks, because each use of a name is compared with them.
static BY_NAME: LazyLock<HashMap<&'static str, Vec<&'static Rule>>> = LazyLock::new(|| {
    let mut by_name: HashMap<&'static str, Vec<&'static Rule>> = HashMap::new();
    for rule in RULES.iter().flat_map(|rules| &rules.rules) {
        for name in &rule.names {
            by_name.entry(name).or_default().push(rule);
        }
    }
    by_name
});

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    rules: Vec<Rule>,
    files: Vec<FileRule>,
}

/// Calls and marks that register endpoints.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Rule {
    languages: BTreeSet<String>,
    library: String,
    files: Option<Pattern>,
    with: String,
    names: BTreeSet<String>,
    of: Vec<String>,
    path: Option<Pattern>,
    min_args: usize,
    prefix: Vec<String>,
    /// Whether the object that an endpoint is registered with has the beginning of the path.
    prefix_of_object: bool,
    /// Whether only marks count, not calls.
    marks: bool,
    /// Whether marks on classes count.
    on_class: bool,
}

/// Exported functions that are endpoints by the path of their file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRule {
    languages: BTreeSet<String>,
    path: Pattern,
    exports: BTreeSet<String>,
}

/// Returns why the rules cannot be parsed.
pub(crate) fn error() -> Option<&'static str> {
    RULES.as_ref().err().map(String::as_str)
}

impl Rule {
    /// Returns whether a use of a resolved name registers an endpoint. The last part of `symbol` is one of the rule's names.
    fn fits(&self, site: &Site<'_>, symbol: &[String], builtin: bool) -> bool {
        let Site { path, facts, one, language, .. } = *site;
        let is_mark = one.kind == UseKind::Mark;
        let Some((_, before)) = symbol.split_last() else { return false };
        if !self.languages.contains(language.name()) || self.marks && !is_mark {
            return false;
        }
        let on_class = one.args.iter().any(|arg| arg == ON_CLASS);
        let is_of = |name: &String| before.contains(name);
        let is_theirs = if self.library.is_empty() {
            let is_open = builtin && (before.is_empty() || !self.of.is_empty());
            let is_there = self.files.as_ref().is_none_or(|files| files.0.is_match(path));
            is_open && is_there && (self.with.is_empty() || uses_library(facts, &self.with))
        } else {
            starts_with(&symbol.join("."), &self.library)
        };
        is_theirs
            && on_class <= self.on_class
            && (self.of.is_empty() || self.of.iter().any(is_of))
            && one.args.len() >= self.min_args
            && self.path.as_ref().is_none_or(|path| path.0.is_match(&path_of(one).unwrap_or_default()))
    }
}

/// Returns whether a resolved name belongs to a library: it begins with the library's name, not only with its letters. Test clients do not.
fn starts_with(symbol: &str, library: &str) -> bool {
    let symbol = symbol.trim_start_matches(MODULE);
    let rest = symbol.strip_prefix(library);
    let is_test = || symbol.to_lowercase().contains("test");
    rest.is_some_and(|rest| rest.starts_with(['.', '/'])) && !is_test()
}

/// Returns whether a file imports a library, or has a class that inherits from one of its classes.
fn uses_library(facts: &Facts, library: &str) -> bool {
    let imports = facts.imports.iter().map(|import| import.module.as_str());
    let bases = facts.units.iter().flat_map(|unit| &unit.bases).map(super::facts::Chain::root);
    imports.chain(bases).any(|name| {
        let name = name.to_lowercase();
        name == library || name.strip_prefix(library).is_some_and(|rest| rest.starts_with('/'))
    })
}

/// Returns the argument with the path of an endpoint.
fn path_of(one: &Use) -> Option<SmolStr> {
    let named = |arg: &&SmolStr| PATHS.iter().any(|name| arg.starts_with(&format!("{name}=")));
    let plain = one.args.iter().take(2).find(|arg| !arg.is_empty() && !arg.contains('='));
    let named = || one.args.iter().find(named).and_then(|arg| arg.split_once('=')).map(|(_, path)| path.into());
    plain.cloned().or_else(named).filter(|path| !path.is_empty())
}

/// Returns the methods of an endpoint: those of its arguments, or the one that the function is named after.
fn methods_of(one: &Use, last: &str) -> String {
    let listed = one.args.iter().find_map(|arg| {
        let (name, methods) = arg.split_once('=')?;
        (["methods", "method", "via"].contains(&name) && !methods.is_empty()).then(|| methods.to_uppercase())
    });
    let name = last.to_lowercase();
    let name = name.trim_start_matches("add_").trim_end_matches("mapping").trim_end_matches("func");
    let own = METHODS.contains(&name).then(|| name.to_uppercase());
    let is_group = ["resources", "resource", "apiresource", "mount", "devise_for", "root"].contains(&name);
    listed.or(own).unwrap_or_else(|| if is_group { name.to_owned() } else { String::new() })
}

/// Returns both parts of a path with one slash between them.
fn joined(prefix: &str, path: &str) -> String {
    match (prefix.trim_end_matches('/'), path.trim_start_matches('/')) {
        ("", _) => path.to_owned(),
        (prefix, "") => prefix.to_owned(),
        (prefix, path) => format!("{prefix}/{path}"),
    }
}

/// Returns the path of an endpoint of a file: `/api/photos` of `app/api/photos/route.ts`.
fn path_of_file(path: &str) -> String {
    let path = path.rsplit_once('.').map_or(path, |(path, _)| path);
    let roots = ["app/", "pages/", "routes/", "server/"];
    let start = roots.iter().filter_map(|root| {
        let at = path.find(&format!("/{root}")).map(|at| at + 1).or_else(|| path.starts_with(root).then_some(0))?;
        Some(at + root.len() - 1)
    });
    let path = &path[start.min().unwrap_or(0)..];
    let path = ["/route", "/+server", "/index"].iter().find_map(|end| path.strip_suffix(end)).unwrap_or(path);
    if path.is_empty() { "/".to_owned() } else { path.to_owned() }
}

impl Follow<'_> {
    /// Adds the endpoint that a use registers, if it does.
    pub(super) fn of_endpoint(&self, site: &Site<'_>, resolved: &Resolution, below: &mut Below) {
        let Site { facts, one, .. } = *site;
        let (symbol, builtin) = match resolved {
            Resolution::Foreign { path, builtin, .. } => (path, *builtin),
            // Words of a framework that no file defines.
            Resolution::Unknown(path) => (path, true),
            _ => return,
        };
        let names = || symbol.iter().filter(|name| *name != "default");
        let Some(rules) = names().next_back().and_then(|last| BY_NAME.get(last.as_str())) else { return };
        let symbol: Vec<String> = names().cloned().collect();
        let Some(rule) = rules.iter().find(|rule| rule.fits(site, &symbol, builtin)) else { return };
        let Some(effect) = self.names.knowledge.vocabulary.effect_index(ENDPOINT) else { return };
        let last = symbol.last().map(String::as_str).unwrap_or_default();
        let own = path_of(one);
        let path = joined(&prefix_of(facts, one, rule), own.as_deref().unwrap_or_default());
        let method = methods_of(one, last);
        let only = one.args.iter().find_map(|arg| arg.strip_prefix("only=")).filter(|only| !only.is_empty());
        let limits = only.map_or_else(String::new, |only| format!(" ({only})"));
        let name = match path.is_empty() {
            true => format!("{method} {}", one.chain.text()),
            false => format!("{method} {path}{limits}"),
        };
        let name = name.trim();
        let hop = Hop { symbol: name.to_owned(), ..Hop::clone(&self.hop_of(site)) };
        below.add(effect, name, false, Rc::new(hop));
    }

    /// Returns the endpoints that a file is by its path.
    pub(super) fn endpoints_of_file(&self, path: &str, facts: &Facts) -> Vec<Reach> {
        let (Ok(rules), Some(language), Some(effect)) =
            (RULES.as_ref(), self.names.project.language(path), self.names.knowledge.vocabulary.effect_index(ENDPOINT))
        else {
            return Vec::new();
        };
        let own = |rule: &&FileRule| rule.languages.contains(language.name()) && rule.path.0.is_match(path);
        let Some(rule) = rules.files.iter().find(own) else { return Vec::new() };
        let units = facts.units.iter().filter(|unit| unit.parent == 0).map(|unit| (unit.name.as_str(), unit.line));
        let bindings = facts.bindings.iter().filter(|one| one.unit == 0).map(|one| (one.name.as_str(), one.line));
        let exports = facts.exports.iter().map(|export| (export.name.as_str(), export.line));
        let mut lines: std::collections::BTreeMap<&str, u32> = std::collections::BTreeMap::new();
        for (name, line) in exports.chain(units).chain(bindings).filter(|(name, _)| rule.exports.contains(*name)) {
            lines.entry(name).or_insert(line);
        }
        let reach = |(name, line): (&str, u32)| {
            let method = if name.chars().all(char::is_uppercase) { name } else { "" };
            let sink = format!("{method} {}", path_of_file(path)).trim().to_owned();
            let hop = Hop { path: path.to_owned(), line, symbol: sink.clone(), excerpt: facts.line(line) };
            Reach { effect, sink, unit: String::new(), chain: vec![hop], likely: false, of_program: false }
        };
        lines.into_iter().map(reach).collect()
    }
}

/// Returns the beginning of the path of an endpoint: `@RequestMapping("/orders")` of the class around a mark, or what the object has that a
/// call registers it with, `router = APIRouter(prefix="/orders")` and `api := r.Group("/orders")`.
fn prefix_of(facts: &Facts, one: &Use, rule: &Rule) -> String {
    let is_prefix = |name: &str| rule.prefix.iter().any(|prefix| prefix == name);
    let is_named = |other: &&Use| other.chain.segs.last().is_some_and(|last| is_prefix(&last.name));
    if one.kind == UseKind::Mark || !rule.prefix_of_object {
        let is_class = |other: &&Use| other.kind != UseKind::Mark || other.args.iter().any(|arg| arg == ON_CLASS);
        let before = facts.uses.iter().filter(|other| other.line < one.line);
        let mark = before.filter(is_named).filter(is_class).max_by_key(|other| other.line);
        return mark.and_then(path_of).unwrap_or_default().into();
    }
    let mut path = String::new();
    let mut object = one.chain.root();
    for _ in 0..MAX_GROUPS {
        let bound =
            facts.bindings_named(object).into_iter().rfind(|bound| bound.line <= one.line && bound.source.is_some());
        let Some(bound) = bound else { break };
        let made =
            facts.uses.iter().filter(|other| other.line == bound.line && other.kind == UseKind::Call).find(is_named);
        let Some(made) = made else { break };
        path = joined(&group_of(made), &path);
        object = made.chain.root();
    }
    path
}

/// Returns the path that a group of endpoints is made with.
fn group_of(made: &Use) -> SmolStr {
    let named =
        |arg: &SmolStr| arg.strip_prefix("prefix=").or_else(|| arg.strip_prefix("url_prefix=")).map(SmolStr::from);
    let plain = || made.args.first().filter(|arg| arg.starts_with('/')).cloned();
    made.args.iter().find_map(named).or_else(plain).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_can_be_parsed() {
        assert_eq!(error(), None);
    }

    #[test]
    fn a_path_has_a_prefix_and_a_file_has_a_path() {
        assert_eq!(joined("/orders", "/{id}"), "/orders/{id}");
        assert_eq!(joined("cats", ""), "cats");
        assert_eq!(joined("", "/a"), "/a");
        assert_eq!(path_of_file("src/app/api/photos/route.ts"), "/api/photos");
        assert_eq!(path_of_file("pages/api/hello.ts"), "/api/hello");
        assert_eq!(path_of_file("app/route.ts"), "/");
    }

    #[test]
    fn a_library_is_not_another_one_with_the_same_letters() {
        assert!(starts_with("express.Router.get", "express"));
        assert!(starts_with("github.com/go-chi/chi/v5.NewRouter.Get", "github.com/go-chi/chi"));
        assert!(!starts_with("express-session.get", "express"));
        assert!(!starts_with("fastapi.testclient.TestClient.get", "fastapi"));
    }
}
