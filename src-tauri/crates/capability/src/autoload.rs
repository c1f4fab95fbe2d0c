//! The names that files define by their paths, where a language or framework loads them without an import: constants of Rails, and
//! functions of Composer's autoloaded files.

use super::modules;
use super::project::{Project, folder, simple};

/// Returns the folders between the root of autoloaded constants and a file of Ruby, which are the modules around its constant:
/// `provider/` of `app/models/provider/stripe.rb`. Returns `None` for a file that is in no such root.
fn modules_of(path: &str) -> Option<&str> {
    let inside = match path.rfind("app/").filter(|at| *at == 0 || path[..*at].ends_with('/')) {
        Some(at) => path[at + 4..].split_once('/')?.1,
        None => path.strip_prefix("lib/").or_else(|| Some(path.split_once("/lib/")?.1))?,
    };
    Some(folder(inside.strip_prefix("concerns/").unwrap_or(inside)))
}

/// Returns whether the constant of a file of Ruby can be used in another file by its own name: it is in no module, or in one that is also
/// around the other file.
pub(crate) fn is_visible(path: &str, from: &str) -> bool {
    let Some(around) = modules_of(path) else { return true };
    around.is_empty() || modules_of(from).is_some_and(|own| own.starts_with(around))
}

/// Returns the file that defines a constant of Ruby inside modules, by its path: `family/data_exporter.rb` for
/// `Family::DataExporter`.
pub(crate) fn file_of_constant<'p>(project: &'p Project<'_>, names: &[&str]) -> Option<&'p String> {
    let (last, around) = names.split_last()?;
    let is_it = |path: &&String| {
        let Some(file) = path.strip_suffix(".rb") else { return false };
        let mut parts = file.rsplit('/').skip(1);
        around.iter().rev().all(|name| parts.next().is_some_and(|part| simple(part) == simple(name)))
    };
    project.named(last).into_iter().find(is_it)
}

/// Returns the files that Composer loads at the start of each program, whose functions are visible everywhere.
pub(crate) fn files_of_functions(project: &Project<'_>, from: &str) -> Vec<String> {
    modules::composer_files(project, from).into_iter().filter(|path| project.has(path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_is_visible_in_its_modules() {
        let stripe = "app/models/provider/stripe.rb";
        assert!(is_visible(stripe, "app/models/provider/registry.rb"));
        assert!(!is_visible(stripe, "lib/tasks/stripe.rake"));
        assert!(is_visible("app/models/account.rb", "lib/tasks/stripe.rake"));
        assert!(is_visible("app/models/concerns/syncable.rb", "app/models/account.rb"));
    }
}
