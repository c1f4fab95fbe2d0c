//! Resolves the names of PHP by Composer's autoload.

use serde_json::Value;

use super::{Module, json, names, upward};
use crate::project::{Project, folder, join};

/// Resolves a path that is included, or a class by its namespace.
pub(super) fn php(project: &Project<'_>, from: &str, module: &str, name: Option<&str>) -> Module {
    if module.starts_with('.') {
        let near = join(folder(from), module).filter(|path| project.has(path));
        let found = near.or_else(|| join("", module).filter(|path| project.has(path)));
        return match found {
            Some(file) => Module::File(file, names(name)),
            None => Module::Missing,
        };
    }
    let Some(class) = name else { return Module::Foreign };
    // Composer's autoload comes first, then the longest suffix of the namespace that is a path.
    for root in upward(from) {
        let place = format!("{root}composer.json");
        let Some(manifest) = project.has(&place).then(|| json(project, &place)).flatten() else { continue };
        for section in ["/autoload/psr-4", "/autoload-dev/psr-4"] {
            for (prefix, folders) in manifest.pointer(section).and_then(Value::as_object).into_iter().flatten() {
                let whole = format!("{module}.{class}");
                let Some(rest) = whole.strip_prefix(&prefix.replace('\\', ".")) else { continue };
                let folders = match folders {
                    Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
                    one => one.as_str().into_iter().collect::<Vec<_>>(),
                };
                for below in folders {
                    let path = join(&format!("{root}{below}"), &format!("{}.php", rest.replace('.', "/")));
                    if let Some(path) = path.filter(|path| project.has(path)) {
                        return Module::File(path, vec![class.to_owned()]);
                    }
                }
            }
        }
        break;
    }
    let parts: Vec<&str> = module.split('.').filter(|part| !part.is_empty()).collect();
    for skipped in 0..parts.len() {
        let ending = parts[skipped..].iter().chain([&class]).copied().collect::<Vec<_>>().join("/") + ".php";
        let found =
            project.named(class).into_iter().find(|path| **path == ending || path.ends_with(&format!("/{ending}")));
        if let Some(file) = found {
            return Module::File(file.clone(), vec![class.to_owned()]);
        }
    }
    Module::Foreign
}

/// Returns the paths in the list of files that the nearest `composer.json` loads at the start.
pub(crate) fn composer_files(project: &Project<'_>, from: &str) -> Vec<String> {
    let Some(root) = upward(from).into_iter().find(|root| project.has(&format!("{root}composer.json"))) else {
        return Vec::new();
    };
    let Some(manifest) = json(project, &format!("{root}composer.json")) else { return Vec::new() };
    let files = manifest.pointer("/autoload/files").and_then(Value::as_array);
    files.into_iter().flatten().filter_map(|file| join(&root, file.as_str()?)).collect()
}
