//! The real `codex` from npm, pinned in `tests/package.json`.

use std::path::{Path, PathBuf};

/// Returns the folder of `codex`, for PATH. Panics if it is not installed, because the set-up installs it.
pub fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../node_modules/.bin");
    let folder = folder.canonicalize().unwrap_or(folder);
    assert!(folder.join("codex").exists(), "codex is not installed in {}: run `make setup`", folder.display());
    folder
}

/// Returns the folder of `opencode`. Its own package depends on programs for systems that not all registries have, so only the
/// program for this system is installed.
pub fn opencode_folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../node_modules/opencode-linux-x64/bin");
    let folder = folder.canonicalize().unwrap_or(folder);
    assert!(folder.join("opencode").exists(), "opencode is not installed in {}: run `make setup`", folder.display());
    folder
}

/// Creates a home folder for one test. Codex refuses a home below the system's temporary folder.
pub fn home() -> tempfile::TempDir {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/codex-homes");
    std::fs::create_dir_all(&target).expect("a folder for homes");
    tempfile::tempdir_in(target).expect("a home")
}
