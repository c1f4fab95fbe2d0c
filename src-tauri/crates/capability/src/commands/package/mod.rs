//! Reads the scripts of a `package.json`. Each is a task, and a text of a shell that runs in the folder of the package.

mod command;

use super::shell;
use super::{Commands, yaml};
use crate::facts::UnitKind;

/// Adds the scripts of a package.
pub(super) fn read(found: &mut Commands, text: &str) {
    // JSON has tabs only between its values, where YAML does not allow them.
    let document = yaml::parse(&text.replace('\t', " ")).filter(|documents| documents.len() == 1);
    let Some(root) = document.and_then(|documents| documents.into_iter().next()) else {
        found.hides_code = true;
        return;
    };
    for (name, script) in root.get("scripts").map(|scripts| scripts.pairs()).unwrap_or_default() {
        let Some(code) = script.text() else { continue };
        let unit = found.define(name, UnitKind::Task, (script.line, script.line), 0);
        found.script(shell::Text { unit, ..shell::Text::new(code, shell::Lines::At(script.line)) });
    }
}
