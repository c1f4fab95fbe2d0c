//! Finds the files of a module by its name in an import.

use super::index::{FileId, SymbolIndex};
use crate::language::Language;

/// The files of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Module {
    /// Files of the tree.
    Files(Vec<FileId>),
    /// The files that declare a package.
    Package(String),
    /// The module is not part of the tree.
    External,
}

/// Returns the files of `module` as it is named in the file `from`. The files of a declared package are not searched here.
pub(super) fn find(index: &SymbolIndex, from: FileId, module: &str) -> Module {
    let (Some(path), Some(language)) = (index.path(from), index.language(from)) else { return Module::External };
    let files = match language {
        Language::Python => python(index, path, module),
        Language::TypeScript | Language::Tsx | Language::JavaScript => script(index, path, module),
        Language::Go => go(index, path, module),
        Language::Rust => rust(index, path, module),
        Language::Ruby => ruby(index, path, module),
        Language::C | Language::Cpp => included(index, path, module),
        Language::Java | Language::Kotlin | Language::CSharp | Language::Php | Language::Swift => Vec::new(),
    };
    if files.is_empty() { Module::External } else { Module::Files(files) }
}

/// Returns the folder of a path, with `/` at its end, or an empty text.
pub(super) fn folder(path: &str) -> &str {
    path.rfind('/').map_or("", |at| &path[..=at])
}

/// Returns the folders from a file's own up to the root.
fn upward(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder(path)), |one| (!one.is_empty()).then(|| folder(one.trim_end_matches('/'))))
}

/// Joins a folder and a relative path. Returns `None` if it leads outside.
fn join(base: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = base.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn first(index: &SymbolIndex, paths: impl IntoIterator<Item = String>) -> Vec<FileId> {
    paths.into_iter().find_map(|path| index.file(&path)).into_iter().collect()
}

fn python(index: &SymbolIndex, from: &str, module: &str) -> Vec<FileId> {
    let dots = module.len() - module.trim_start_matches('.').len();
    let path = module.trim_start_matches('.').replace('.', "/");
    let at = |root: &str| {
        let base = format!("{root}{path}");
        let base = base.trim_end_matches('/');
        let inside = if base.is_empty() { String::new() } else { format!("{base}/") };
        [format!("{inside}__init__.py"), format!("{base}.py"), format!("{inside}__init__.pyi"), format!("{base}.pyi")]
    };
    if dots > 0 {
        let Some(root) = upward(from).nth(dots - 1) else { return Vec::new() };
        return first(index, at(root));
    }
    let roots = upward(from).flat_map(|root| [root.to_owned(), format!("{root}src/"), format!("{root}lib/")]);
    first(index, roots.flat_map(|root| at(&root)))
}

const SCRIPT_ENDINGS: &[&str] = &[".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts"];

fn script(index: &SymbolIndex, from: &str, module: &str) -> Vec<FileId> {
    if module.starts_with('.') {
        return join(folder(from), module).map_or_else(Vec::new, |path| script_file(index, &path));
    }
    // A package of the same repository: its folder has a manifest with this name.
    let parts = if module.starts_with('@') { 2 } else { 1 };
    let end = module.match_indices('/').nth(parts - 1).map_or(module.len(), |(at, _)| at);
    let (package, below) = module.split_at(end);
    let below = below.trim_start_matches('/');
    for manifest in index.in_package(package) {
        let Some(root) = index.path(*manifest).filter(|path| path.ends_with("package.json")).map(folder) else {
            continue;
        };
        let inner = if below.is_empty() { "index" } else { below };
        for base in [format!("{root}src/{inner}"), format!("{root}{inner}"), format!("{root}lib/{inner}")] {
            let found = script_file(index, &base);
            if !found.is_empty() {
                return found;
            }
        }
    }
    // An alias such as `@/api` or `~/api`, or a path from the source folder.
    let path = module.strip_prefix("@/").or_else(|| module.strip_prefix("~/")).or_else(|| module.strip_prefix("$lib/"));
    for root in path.map(|_| upward(from)).into_iter().flatten() {
        for source in ["src/", "", "src/lib/", "app/"] {
            let found = script_file(index, &format!("{root}{source}{}", path.unwrap_or_default()));
            if !found.is_empty() {
                return found;
            }
        }
    }
    Vec::new()
}

fn script_file(index: &SymbolIndex, path: &str) -> Vec<FileId> {
    let stem = [".js", ".jsx", ".mjs", ".cjs"].iter().find_map(|ending| path.strip_suffix(ending));
    let with = |stem: &str| SCRIPT_ENDINGS.iter().map(|ending| format!("{stem}{ending}")).collect::<Vec<_>>();
    let mut paths = vec![path.to_owned()];
    paths.extend(with(path));
    paths.extend(stem.map(with).into_iter().flatten());
    paths.extend(with(format!("{path}/index").trim_start_matches('/')));
    first(index, paths)
}

fn go(index: &SymbolIndex, from: &str, module: &str) -> Vec<FileId> {
    let manifests = upward(from).filter_map(|root| Some((root, index.file(&format!("{root}go.mod"))?)));
    let others = index.with_file_name("go.mod").iter().filter_map(|file| Some((folder(index.path(*file)?), *file)));
    for (root, manifest) in manifests.chain(others) {
        let Some(outline) = index.read_outline(manifest) else { continue };
        let name = outline.package.map_or("", |package| outline.name(package));
        let below = match module.strip_prefix(name) {
            Some("") => String::new(),
            Some(rest) if rest.starts_with('/') && !name.is_empty() => format!("{}/", &rest[1..]),
            _ => continue,
        };
        return folder_files(index, &format!("{root}{below}"), |path| {
            path.ends_with(".go") && !path.ends_with("_test.go")
        });
    }
    Vec::new()
}

/// Returns the files directly in a folder.
pub(super) fn folder_files(index: &SymbolIndex, wanted: &str, fits: impl Fn(&str) -> bool) -> Vec<FileId> {
    index.in_folder(wanted).iter().copied().filter(|file| index.path(*file).is_some_and(&fits)).collect()
}

/// Returns the source folder of a Rust file's crate, and the module path of the file in it.
fn crate_of<'p>(index: &SymbolIndex, from: &'p str) -> (String, Vec<&'p str>) {
    let root = upward(from).find(|root| index.file(&format!("{root}Cargo.toml")).is_some());
    let sources = match root {
        Some(root) if from.starts_with(&format!("{root}src/")) => format!("{root}src/"),
        Some(root) => root.to_owned(),
        None if from.starts_with("src/") => "src/".to_owned(),
        None => upward(from).find(|root| root.ends_with("src/")).unwrap_or(folder(from)).to_owned(),
    };
    let inside = from.strip_prefix(&sources).unwrap_or(from).trim_end_matches(".rs");
    let mut parts: Vec<&str> = inside.split('/').collect();
    if parts.last().is_some_and(|last| ["mod", "lib", "main"].contains(last)) {
        parts.pop();
    }
    (sources, parts)
}

fn rust(index: &SymbolIndex, from: &str, module: &str) -> Vec<FileId> {
    let (sources, own) = crate_of(index, from);
    let segments: Vec<&str> =
        module.split("::").flat_map(|part| part.split('.')).filter(|part| !part.is_empty()).collect();
    let Some((head, rest)) = segments.split_first() else { return Vec::new() };
    match *head {
        "crate" => rust_file(index, &sources, rest),
        "self" => rust_file(index, &sources, &[&own, rest].concat()),
        "super" => {
            let ups = 1 + rest.iter().take_while(|part| **part == "super").count();
            let base = &own[..own.len().saturating_sub(ups)];
            rust_file(index, &sources, &[base, &rest[ups - 1..]].concat())
        }
        head => {
            // A child module, or a crate of the repository.
            let below = rust_file(index, &sources, &[own.as_slice(), segments.as_slice()].concat());
            if !below.is_empty() && !own.is_empty() || rust_child(index, &sources, &own, head) {
                return below;
            }
            for manifest in index.in_package(head) {
                let Some(root) = index.path(*manifest).filter(|path| path.ends_with("Cargo.toml")).map(folder) else {
                    continue;
                };
                let found = rust_file(index, &format!("{root}src/"), rest);
                if !found.is_empty() {
                    return found;
                }
            }
            below
        }
    }
}

fn rust_child(index: &SymbolIndex, sources: &str, own: &[&str], name: &str) -> bool {
    !rust_file(index, sources, &[own, &[name]].concat()).is_empty()
}

fn rust_file(index: &SymbolIndex, sources: &str, path: &[&str]) -> Vec<FileId> {
    let joined = path.join("/");
    if joined.is_empty() {
        return first(index, [format!("{sources}lib.rs"), format!("{sources}main.rs"), format!("{sources}mod.rs")]);
    }
    first(index, [format!("{sources}{joined}.rs"), format!("{sources}{joined}/mod.rs")])
}

fn ruby(index: &SymbolIndex, from: &str, module: &str) -> Vec<FileId> {
    let file = |path: &str| if path.ends_with(".rb") { path.to_owned() } else { format!("{path}.rb") };
    if module.starts_with('.') {
        return join(folder(from), module).map_or_else(Vec::new, |path| first(index, [file(&path)]));
    }
    let roots =
        upward(from).flat_map(|root| ["", "lib/", "app/"].map(|below| format!("{root}{below}{}", file(module))));
    first(index, roots.collect::<Vec<_>>())
}

fn included(index: &SymbolIndex, from: &str, module: &str) -> Vec<FileId> {
    let near = join(folder(from), module).and_then(|path| index.file(&path));
    if let Some(near) = near {
        return vec![near];
    }
    let name = module.rsplit('/').next().unwrap_or(module);
    let ending = format!("/{module}");
    let fits = |file: &&FileId| index.path(**file).is_some_and(|path| path == module || path.ends_with(&ending));
    index.with_file_name(name).iter().filter(fits).copied().collect()
}
