//! The macros that `#[macro_use] extern crate` at the root of a crate of Rust makes visible in all its files.

use super::builtins;
use super::modules;
use super::resolve::{Names, Resolution, ValueOf};
use diffsan_syntax::language::Language;

impl Names<'_> {
    /// Resolves a macro, whose name ends in a mark, to the crate that a table lists it for. A macro of the project comes first.
    pub(super) fn macro_of_crate(&self, file: &str, name: &str) -> Option<Resolution> {
        if !name.ends_with('!') || builtins::is_builtin(Language::Rust, name, false) {
            return None;
        }
        let roots = modules::crate_roots(self.project, file);
        let texts = roots.iter().filter_map(|root| self.project.text(root));
        let path = texts.flat_map(|text| crates_with_macros(&text)).find_map(|name_of_crate| {
            let path = vec![name_of_crate, name.to_owned()];
            self.knowledge.has_below(Language::Rust, &path, true).then_some(path)
        })?;
        let is_of_project = !self.macros(file, name).is_empty();
        (!is_of_project).then_some(Resolution::Foreign { path, builtin: false, value: ValueOf::Symbol })
    }
}

/// Returns the crates whose macros a text makes visible.
fn crates_with_macros(text: &str) -> Vec<String> {
    let after = text.split("#[macro_use").skip(1);
    let declared = after.filter_map(|rest| rest.split_once(']')?.1.trim_start().strip_prefix("extern crate "));
    let is_of_name = |char: char| char.is_alphanumeric() || char == '_';
    declared.map(|rest| rest.trim_start().chars().take_while(|char| is_of_name(*char)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crates_of_macros_are_read_from_their_attributes() {
        let text = "#[macro_use]\nextern crate log;\n#[macro_use(a, b)] extern crate slog as s;\nextern crate other;\n#[macro_use]\nmod m;\n";
        assert_eq!(crates_with_macros(text), ["log", "slog"]);
    }
}
