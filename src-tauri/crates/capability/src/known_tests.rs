//! Code whose effects are known although its text does not define them, and code that stays unknown.

use crate::follow::Follow;
use crate::knowledge::Knowledge;
use crate::project::{Bounds, Project};
use crate::testing::Memory;

/// Returns the effects of the first file of a project, the unknown modules and the reasons why its effects are not known, in their order.
fn found(files: &[(&str, &str)]) -> String {
    let memory = Memory::new(files);
    let project = Project::new(&memory, Bounds::default(), &|| false);
    let knowledge = Knowledge::load(&[]).expect("tables");
    let reached = Follow::new(&project, &knowledge).file(files[0].0).expect("a file");
    let effects = reached.effects.iter().map(|reach| knowledge.vocabulary.effects[reach.effect].id.clone());
    let modules = reached.open.iter().filter_map(|open| Some(format!("module {}", open.module.as_ref()?)));
    let gaps = reached.open.iter().filter_map(|open| open.gap.clone());
    let mut all: Vec<String> = effects.chain(modules).chain(gaps).collect();
    all.sort();
    all.dedup();
    all.join("; ")
}

#[test]
fn a_package_does_not_replace_a_module_of_the_standard_library() {
    let main = ("app/main.py", "import inspect\ninspect.signature(run)\n");
    assert_eq!(found(&[main, ("app/__init__.py", ""), ("app/inspect.py", "")]), "");
    // A script imports from its own folder.
    let own = ("app/inspect.py", "import os\ndef signature(f):\n    os.remove(f)\n");
    assert_eq!(found(&[main, own]), "file.delete");
}
