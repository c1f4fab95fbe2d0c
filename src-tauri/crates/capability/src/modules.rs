//! Resolves a module's name to files of the project by the rules of each language. A module that is not found is foreign.

mod php;

use std::collections::BTreeSet;
use std::rc::Rc;

use serde_json::Value;

pub(crate) use self::php::composer_files;
use self::php::php;
use super::project::{Project, folder, join};
use crate::read::language_of;
use diffsan_syntax::language::Language;

/// The result of resolving a module's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Module {
    /// A file of the project, and the remaining names to look up in it.
    File(String, Vec<String>),
    /// A module outside of the project.
    Foreign,
    /// A module that should be in the project but was not found.
    Missing,
}

/// Resolves `module` as it is used in the file `from`. `name` is the name that is looked up in it.
pub fn find(project: &Project<'_>, language: Language, from: &str, module: &str, name: Option<&str>) -> Module {
    if language.is_script() {
        // All files of a folder name the same file by it.
        return match project.module(folder(from), module, None, || script(project, from, module)) {
            Module::File(file, _) => Module::File(file, names(name)),
            other => other,
        };
    }
    project.module(from, module, name, || search(project, language, from, module, name))
}

fn search(project: &Project<'_>, language: Language, from: &str, module: &str, name: Option<&str>) -> Module {
    match language {
        Language::Python => python(project, from, module, name),
        Language::TypeScript | Language::Tsx | Language::JavaScript => script(project, from, module),
        Language::Go => go(project, from, module, name),
        Language::Rust => rust(project, from, module, name),
        Language::Java => java(project, from, module, name),
        Language::Ruby => ruby(project, from, module, name),
        Language::Php => php(project, from, module, name),
        Language::C | Language::Cpp | Language::CSharp | Language::Kotlin | Language::Swift => Module::Foreign,
    }
}

fn names(name: Option<&str>) -> Vec<String> {
    name.map(str::to_owned).into_iter().collect()
}

/// Returns the folders from a file's own up to the root.
fn upward(path: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut rest = folder(path);
    loop {
        all.push(rest.to_owned());
        if rest.is_empty() {
            return all;
        }
        rest = folder(rest.trim_end_matches('/'));
    }
}

fn python(project: &Project<'_>, from: &str, module: &str, name: Option<&str>) -> Module {
    let dots = module.len() - module.trim_start_matches('.').len();
    let path = module.trim_start_matches('.').replace('.', "/");
    let roots: Vec<String> = if dots > 0 {
        let mut base = folder(from).to_owned();
        for _ in 1..dots {
            base = folder(base.trim_end_matches('/')).to_owned();
        }
        vec![base]
    } else {
        upward(from).into_iter().flat_map(|root| [root.clone(), format!("{root}src/"), format!("{root}lib/")]).collect()
    };
    for root in &roots {
        let base = format!("{root}{path}");
        let base = base.trim_end_matches('/');
        let at = |path: String| project.has(&path).then_some(path);
        let prefix = if base.is_empty() { String::new() } else { format!("{base}/") };
        if let Some(name) = name
            && let Some(file) = at(format!("{prefix}{name}.py")).or_else(|| at(format!("{prefix}{name}/__init__.py")))
        {
            return Module::File(file, Vec::new());
        }
        if let Some(file) = at(format!("{base}.py")).or_else(|| at(format!("{prefix}__init__.py"))) {
            return Module::File(file, names(name));
        }
    }
    if dots > 0 { Module::Missing } else { Module::Foreign }
}

const SCRIPT_ENDINGS: &[&str] = &[".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte"];

fn script_file(project: &Project<'_>, path: &str) -> Option<String> {
    let at = |path: String| (project.has(&path) && language_of(&path).is_some()).then_some(path);
    let stem = [".js", ".jsx", ".mjs", ".cjs"].iter().find_map(|ending| path.strip_suffix(ending));
    at(path.to_owned())
        .or_else(|| SCRIPT_ENDINGS.iter().find_map(|ending| at(format!("{path}{ending}"))))
        .or_else(|| stem.and_then(|stem| SCRIPT_ENDINGS.iter().find_map(|ending| at(format!("{stem}{ending}")))))
        .or_else(|| {
            let prefix = if path.is_empty() { String::new() } else { format!("{path}/") };
            SCRIPT_ENDINGS.iter().find_map(|ending| at(format!("{prefix}index{ending}")))
        })
}

fn script(project: &Project<'_>, from: &str, module: &str) -> Module {
    let (found, otherwise) = if module.starts_with('.') {
        (join(folder(from), module).and_then(|path| script_file(project, &path)), Module::Missing)
    } else if module.starts_with("node:") {
        (None, Module::Foreign)
    } else {
        let found = alias(project, from, module)
            .or_else(|| workspace(project, from, module))
            .or_else(|| usual_alias(project, from, module));
        (found, Module::Foreign)
    };
    found.map_or(otherwise, |file| Module::File(file, Vec::new()))
}

/// Resolves the usual alias of the root or of `src/`, which a framework or a bundler sets: `@/lib/data`. It is no name of a package.
fn usual_alias(project: &Project<'_>, from: &str, module: &str) -> Option<String> {
    let path = module.strip_prefix("@/").or_else(|| module.strip_prefix("~/"))?;
    let roots = upward(from).into_iter().flat_map(|root| [format!("{root}src/"), root]);
    roots.filter_map(|root| join(&root, path)).find_map(|path| script_file(project, &path))
}

/// Resolves a path alias of the nearest `tsconfig.json` or `jsconfig.json`.
fn alias(project: &Project<'_>, from: &str, module: &str) -> Option<String> {
    for root in upward(from) {
        let Some(place) = ["tsconfig.json", "jsconfig.json"]
            .iter()
            .map(|name| format!("{root}{name}"))
            .find(|path| project.has(path))
        else {
            continue;
        };
        let mut config = json(project, &place)?;
        let mut at = root.clone();
        // A configuration without paths inherits them from the file that it extends.
        if config.pointer("/compilerOptions/paths").is_none()
            && let Some(base) = config.get("extends").and_then(Value::as_str).filter(|base| base.starts_with('.'))
            && let Some(path) = join(&root, base)
        {
            let path = if project.has(&path) { path } else { format!("{path}.json") };
            at = folder(&path).to_owned();
            config = json(project, &path)?;
        }
        let base = config.pointer("/compilerOptions/baseUrl").and_then(Value::as_str);
        let base_folder = join(&at, base.unwrap_or("."))?;
        let paths = config.pointer("/compilerOptions/paths").and_then(Value::as_object);
        for (pattern, targets) in paths.into_iter().flatten() {
            let Some(matched) = fits(pattern, module) else { continue };
            for target in targets.as_array().into_iter().flatten().filter_map(Value::as_str) {
                let path = join(&base_folder, &target.replace('*', matched));
                if let Some(file) = path.and_then(|path| script_file(project, &path)) {
                    return Some(file);
                }
            }
        }
        if base.is_some()
            && let Some(file) = join(&base_folder, module).and_then(|path| script_file(project, &path))
        {
            return Some(file);
        }
        return None;
    }
    None
}

/// Returns the part of the module's name that `*` matches. Empty for a pattern without `*`.
fn fits<'m>(pattern: &str, module: &'m str) -> Option<&'m str> {
    match pattern.split_once('*') {
        Some((before, after)) => module.strip_prefix(before)?.strip_suffix(after),
        None => (pattern == module).then_some(""),
    }
}

/// Resolves a package of the same repository by its name, `exports`, `main` and `imports`.
fn workspace(project: &Project<'_>, from: &str, module: &str) -> Option<String> {
    if module.starts_with('#') {
        let place =
            upward(from).into_iter().map(|root| format!("{root}package.json")).find(|path| project.has(path))?;
        let imports = json(project, &place)?;
        let table = imports.get("imports")?.as_object()?;
        let (target, matched) =
            table.iter().find_map(|(key, value)| Some((entry_point(value)?, fits(key, module)?)))?;
        return script_file(project, &join(folder(&place), &target.replace('*', matched))?);
    }
    let parts = if module.starts_with('@') { 2 } else { 1 };
    let package: Vec<&str> = module.splitn(parts + 1, '/').collect();
    let package_name = package.iter().take(parts).copied().collect::<Vec<_>>().join("/");
    let below = package.get(parts).copied().unwrap_or_default();
    let short = package_name.rsplit('/').next()?.to_owned();
    let own = upward(from).into_iter().map(|root| format!("{root}package.json"));
    let manifests: Vec<String> = project
        .named("package")
        .into_iter()
        .filter(|path| path.ends_with(&format!("/{short}/package.json")) && !path.contains("node_modules/"))
        .cloned()
        .chain(own.filter(|path| project.has(path)))
        .collect();
    for place in manifests {
        let Some(manifest) = json(project, &place) else { continue };
        if manifest.get("name").and_then(Value::as_str) != Some(package_name.as_str()) {
            continue;
        }
        let root = folder(&place);
        let key = if below.is_empty() { ".".to_owned() } else { format!("./{below}") };
        let exports = manifest.get("exports");
        let exported = exports.and_then(|exports| match exports {
            Value::Object(table) if table.keys().any(|name| name.starts_with('.')) => {
                table.iter().find_map(|(pattern, value)| Some(entry_point(value)?.replace('*', fits(pattern, &key)?)))
            }
            value if below.is_empty() => entry_point(value),
            _ => None,
        });
        let main =
            ["source", "module", "main"].iter().find_map(|field| manifest.get(*field)?.as_str().map(str::to_owned));
        let main = main.filter(|_| below.is_empty());
        let usual = if below.is_empty() { "src/index".to_owned() } else { below.to_owned() };
        for path in exported.into_iter().chain(main).chain([usual, format!("src/{below}"), ".".to_owned()]) {
            if let Some(file) = join(root, &path).and_then(|path| script_file(project, &path)) {
                return Some(file);
            }
        }
    }
    None
}

fn entry_point(value: &Value) -> Option<String> {
    match value {
        Value::String(path) => Some(path.clone()),
        Value::Object(table) => {
            ["import", "node", "default", "require"].iter().find_map(|key| entry_point(table.get(*key)?))
        }
        _ => None,
    }
}

/// Returns a configuration file in JSON.
fn json(project: &Project<'_>, path: &str) -> Option<Rc<Value>> {
    project.document(path, lenient_json)
}

/// Parses JSON as it occurs in configuration files: with comments and trailing commas.
fn lenient_json(text: &str) -> Option<Value> {
    if let Ok(value) = serde_json::from_str(text) {
        return Some(value);
    }
    let mut out = String::with_capacity(text.len());
    let (mut quoted, mut escaped) = (false, false);
    let mut rest = text.chars().peekable();
    while let Some(char) = rest.next() {
        match char {
            _ if quoted => {
                out.push(char);
                quoted = escaped || char != '"';
                escaped = char == '\\' && !escaped;
            }
            '"' => {
                quoted = true;
                out.push(char);
            }
            '/' if rest.peek() == Some(&'/') => {
                rest.by_ref().find(|char| *char == '\n');
                out.push('\n');
            }
            '/' if rest.peek() == Some(&'*') => {
                let mut last = ' ';
                rest.by_ref().find(|char| std::mem::replace(&mut last, *char) == '*' && *char == '/');
            }
            ']' | '}' => {
                let kept = out.trim_end().trim_end_matches(',').len();
                out.truncate(kept);
                out.push(char);
            }
            char => out.push(char),
        }
    }
    serde_json::from_str(&out).ok()
}

fn go(project: &Project<'_>, from: &str, module: &str, name: Option<&str>) -> Module {
    for root in upward(from) {
        let place = format!("{root}go.mod");
        if !project.has(&place) {
            continue;
        }
        let Some(text) = project.text(&place) else { return Module::Foreign };
        let own = text.lines().find_map(|line| line.trim().strip_prefix("module ")).map(str::trim).unwrap_or_default();
        let below = match module.strip_prefix(own) {
            Some("") => Some(String::new()),
            Some(rest) => rest.strip_prefix('/').map(str::to_owned),
            None => None,
        };
        let Some(below) = below.filter(|_| !own.is_empty()) else { return Module::Foreign };
        let package = if below.is_empty() { root } else { format!("{root}{below}/") };
        return match go_package(project, &package).first() {
            Some(file) => Module::File(file.clone(), names(name)),
            None => Module::Missing,
        };
    }
    go_without_manifest(project, from, module).map_or(Module::Foreign, |file| Module::File(file, names(name)))
}

/// Returns the first file of a package of Go in a project without `go.mod`, whose path is that of its repository: `github.com/a/b/store` is the
/// folder `store/`, if all imports of the package below `github.com/a/b` are folders of the project, and there are several.
fn go_without_manifest(project: &Project<'_>, from: &str, module: &str) -> Option<String> {
    let mut parts = module.splitn(4, '/');
    let host = parts.next().filter(|host| host.contains('.'))?;
    let repository = format!("{host}/{}/{}/", parts.next()?, parts.next()?);
    let package = |below: &str| go_package(project, &format!("{below}/")).first().cloned();
    let own = package(module.strip_prefix(&repository)?)?;
    let mut imported = BTreeSet::new();
    for file in go_package(project, folder(from)).iter() {
        let facts = project.facts(file)?;
        let below = facts.imports.iter().filter_map(|import| import.module.strip_prefix(&repository));
        imported.extend(below.map(str::to_owned));
    }
    (imported.len() > 1 && imported.iter().all(|below| package(below).is_some())).then_some(own)
}

/// Returns the Go files of a folder, without tests.
pub(crate) fn go_package(project: &Project<'_>, folder: &str) -> Rc<Vec<String>> {
    project.package(folder, |path| path.ends_with(".go") && !path.ends_with("_test.go"))
}

/// Returns the source folder of a file's crate, and the file's module path in it.
fn crate_of(project: &Project<'_>, from: &str) -> (String, Vec<String>) {
    let up = upward(from);
    let root = up.iter().find(|root| project.has(&format!("{root}Cargo.toml")));
    let sources = match root {
        Some(root) if from.starts_with(&format!("{root}src/")) => format!("{root}src/"),
        Some(root) => root.clone(),
        None if from.starts_with("src/") => "src/".to_owned(),
        None => String::new(),
    };
    let inside = from.strip_prefix(&sources).unwrap_or(from).trim_end_matches(".rs");
    let mut parts: Vec<String> = inside.split('/').map(str::to_owned).collect();
    if parts.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        parts.pop();
    }
    (sources, parts)
}

/// Returns the files in which the crate of a file begins: its library and its program.
pub(crate) fn crate_roots(project: &Project<'_>, from: &str) -> Vec<String> {
    let (sources, _) = crate_of(project, from);
    ["lib.rs", "main.rs"].iter().map(|name| format!("{sources}{name}")).filter(|path| project.has(path)).collect()
}

fn rust(project: &Project<'_>, from: &str, module: &str, name: Option<&str>) -> Module {
    let (sources, own) = crate_of(project, from);
    let mut path: Vec<String> = module.split("::").map(str::to_owned).collect();
    path.extend(name.map(str::to_owned));
    let (first, rest) = (path[0].clone(), path[1..].to_vec());
    let starts: Vec<(String, Vec<String>, bool)> = match first.as_str() {
        "crate" => vec![(sources.clone(), rest, true)],
        "self" => vec![(sources.clone(), own.iter().cloned().chain(rest).collect(), true)],
        "super" => {
            let mut base = own.clone();
            base.pop();
            let mut rest = rest;
            while rest.first().is_some_and(|part| part == "super") {
                base.pop();
                rest.remove(0);
            }
            vec![(sources.clone(), base.into_iter().chain(rest).collect(), true)]
        }
        _ => {
            // A module below this one, or another crate of the repository.
            let below: Vec<String> = own.iter().cloned().chain(path.iter().cloned()).collect();
            let mut starts = vec![(sources.clone(), below, false)];
            for (root, folder_name) in project.crates() {
                // A crate of a workspace is often in a folder without the common prefix of the names: `app-store` in `store`.
                let prefixed = || {
                    first.strip_suffix(folder_name).is_some_and(|prefix| prefix.ends_with('_'))
                        && first_package(project, &format!("{root}src/")).is_some_and(|name| name == first)
                };
                if *folder_name == first || prefixed() {
                    starts.push((format!("{root}src/"), rest.clone(), true));
                }
            }
            // A program imports its own library by the package's name.
            if first_package(project, &sources).is_some_and(|own| own == first) {
                starts.push((sources.clone(), rest.clone(), true));
            }
            starts
        }
    };
    for (sources, path, whole) in starts {
        for length in (0..=path.len()).rev() {
            if length == 0 && !whole {
                continue;
            }
            let inside = path[..length].join("/");
            let candidates = if length == 0 {
                vec![format!("{sources}lib.rs"), format!("{sources}main.rs")]
            } else {
                vec![format!("{sources}{inside}.rs"), format!("{sources}{inside}/mod.rs")]
            };
            // The module of the file itself does not count as a file below it.
            if let Some(file) = candidates.into_iter().find(|file| project.has(file) && (whole || length > own.len())) {
                return Module::File(file, path[length..].to_vec());
            }
        }
        if whole && ["self", "super", "crate"].contains(&first.as_str()) {
            // A module inside the file itself: `mod inner { … }`.
            return Module::File(from.to_owned(), path.last().cloned().into_iter().collect());
        }
    }
    Module::Foreign
}

fn first_package(project: &Project<'_>, sources: &str) -> Option<String> {
    let place = format!("{}Cargo.toml", sources.strip_suffix("src/")?);
    if !project.has(&format!("{sources}lib.rs")) {
        return None;
    }
    let manifest = project.document(&place, |text| toml::from_str(text).ok())?;
    Some(manifest.pointer("/package/name")?.as_str()?.replace('-', "_"))
}

fn java(project: &Project<'_>, from: &str, module: &str, name: Option<&str>) -> Module {
    let Some(name) = name else { return Module::Foreign };
    let at = |package: &str, class: &str| {
        let ending = format!("{}/{class}.java", package.replace('.', "/"));
        let found =
            project.named(class).into_iter().filter(|path| **path == ending || path.ends_with(&format!("/{ending}")));
        // Takes the file that is nearest to the importing file.
        found.max_by_key(|path| path.bytes().zip(from.bytes()).take_while(|(a, b)| a == b).count()).cloned()
    };
    if let Some(file) = at(module, name) {
        return Module::File(file, vec![name.to_owned()]);
    }
    // `import static com.x.Mail.send`, or a class inside a class.
    if let Some((package, class)) = module.rsplit_once('.')
        && let Some(file) = at(package, class)
    {
        return Module::File(file, vec![class.to_owned(), name.to_owned()]);
    }
    Module::Foreign
}

fn ruby(project: &Project<'_>, from: &str, module: &str, name: Option<&str>) -> Module {
    if module.starts_with('.') {
        let path = join(folder(from), module);
        let found = path.map(|path| if path.ends_with(".rb") { path } else { format!("{path}.rb") });
        return match found.filter(|path| project.has(path)) {
            Some(file) => Module::File(file, names(name)),
            None => Module::Missing,
        };
    }
    let ending = format!("{}.rb", module.trim_end_matches(".rb"));
    let roots = upward(from);
    let found = roots
        .iter()
        .flat_map(|root| ["", "lib/", "app/", "src/"].map(|below| format!("{root}{below}{ending}")))
        .find(|path| project.has(path));
    found.map_or(Module::Foreign, |file| Module::File(file, names(name)))
}

/// Splits a module's name into its parts, in languages where it has parts.
pub fn parts_of(language: Language, module: &str) -> Vec<String> {
    match language {
        _ if language.module_is_one_name() => vec![module.to_owned()],
        Language::Rust => module.split("::").map(str::to_owned).collect(),
        _ => module.split('.').filter(|part| !part.is_empty()).map(str::to_owned).collect(),
    }
}
