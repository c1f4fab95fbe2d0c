//! The real `codex` from npm, pinned in `tests/package.json`.

use std::path::{Path, PathBuf};

/// The folder that `codex` is in, to be put on PATH. A missing one fails the test: the set-up installs it.
pub fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../node_modules/.bin");
    let folder = folder.canonicalize().unwrap_or(folder);
    assert!(folder.join("codex").exists(), "codex is not installed in {}: run `make setup`", folder.display());
    folder
}

/// The folder that `opencode` is in. Its own package names programs for systems that registries do not all have, so the program
/// for this one is installed alone.
pub fn opencode_folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../node_modules/opencode-linux-x64/bin");
    let folder = folder.canonicalize().unwrap_or(folder);
    assert!(folder.join("opencode").exists(), "opencode is not installed in {}: run `make setup`", folder.display());
    folder
}

/// A home for one test. Codex refuses to work with one under the system's temporary folder.
pub fn home() -> tempfile::TempDir {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/codex-homes");
    std::fs::create_dir_all(&target).expect("a folder for homes");
    tempfile::tempdir_in(target).expect("a home")
}
