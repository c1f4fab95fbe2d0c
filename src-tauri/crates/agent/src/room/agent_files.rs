//! The files of a work tree that lead agents or make them run something when one starts there: what a room leaves out.

use std::path::Path;

use ignore::WalkBuilder;

use super::RoomError;
use super::names::Names;

/// Larger ones are told by their size alone, in bytes.
const MAX_FILE_BYTES: u64 = 1_000_000;

/// Those files with their contents, in order; a link is its target's name. Git's own folder is not looked at.
pub fn instruction_files(root: &Path) -> Result<Vec<(String, Vec<u8>)>, RoomError> {
    let names = Names::load()?;
    let walk = WalkBuilder::new(root)
        .standard_filters(false)
        .follow_links(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    let mut found = Vec::new();
    for entry in walk.flatten().take(names.most_files) {
        let Some(path) = entry.path().strip_prefix(root).ok().and_then(Path::to_str) else { continue };
        let kind = entry.file_type();
        if kind.is_none_or(|kind| kind.is_dir()) || !names.configures(path) {
            continue;
        }
        let content = match std::fs::read_link(entry.path()) {
            Ok(target) => format!("link to {}", target.display()).into_bytes(),
            Err(_) if !kind.is_some_and(|kind| kind.is_file()) => b"no file".to_vec(),
            Err(_) => match entry.metadata() {
                Ok(about) if about.len() <= MAX_FILE_BYTES => diffsan_bounded::read(entry.path(), MAX_FILE_BYTES)?,
                Ok(about) => format!("{} bytes", about.len()).into_bytes(),
                Err(error) => format!("unreadable: {error}").into_bytes(),
            },
        };
        found.push((path.replace('\\', "/"), content));
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instruction_files_are_found_at_any_depth() {
        let root = tempfile::tempdir().expect("a folder");
        for path in ["a/.claude/settings.json", "AGENTS.md", "src/main.rs", ".git/hooks/post-checkout", "b/.mcp.json"] {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("made");
            std::fs::write(path, "x").expect("written");
        }
        let found = instruction_files(root.path()).expect("read");
        let names: Vec<&str> = found.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(names, ["AGENTS.md", "a/.claude/settings.json", "b/.mcp.json"]);
    }
}
