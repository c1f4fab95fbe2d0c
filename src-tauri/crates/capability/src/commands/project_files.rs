//! The files of the project that a command names: scripts, programs and modules.

use std::collections::BTreeSet;
use std::sync::Arc;

use smol_str::SmolStr;

use super::effects::Spot;
use super::step::{OWN_FOLDER, ROOT, Step, is_unknown, shown};
use super::words::STREAM_OF_COMMAND;
use super::{Format, folders};
use crate::facts::{Facts, UnitKind};
use crate::follow::Follow;
use crate::found::Below;
use crate::project::{folder, join};

/// The maximum number of scripts that a script loads, one from the other.
const MAX_LOADED: usize = 64;

impl Follow<'_> {
    /// Returns the file of a module of Python in the folder.
    pub(super) fn module_file(&self, spot: &Spot<'_>, module: &str) -> Option<String> {
        let path = module.replace('.', "/");
        let files = [format!("{path}.py"), format!("{path}/__main__.py")];
        files.into_iter().find_map(|file| self.files(spot, &file)?.into_iter().next())
    }

    /// Adds the effects of a file that a script names.
    pub(super) fn run_file(&self, spot: &Spot<'_>, word: &str, below: &mut Below) {
        if word.starts_with(STREAM_OF_COMMAND) {
            return self.effect(spot, "code.execute", &spot.one.chain.text(), below);
        }
        let files = self.files(spot, word);
        let name = shown(word);
        match files {
            None => self.open(spot, &name, format!("the file `{name}` is chosen when the script runs"), below),
            Some(files) if files.is_empty() => {
                self.open(spot, &name, format!("no file of the project is `{name}`"), below);
            }
            Some(files) => {
                files.iter().for_each(|file| self.follow_file(spot, file, below));
                if is_unknown(spot.folder) && !folders::is_fixed(word) {
                    let gap = format!("the folder of `{name}` is known only when the script runs");
                    self.open(spot, &name, gap, below);
                }
            }
        }
    }

    /// Returns the files of the project that a word can name, or `None` if it is known only when the script runs.
    pub(super) fn files(&self, spot: &Spot<'_>, word: &str) -> Option<BTreeSet<String>> {
        let project = self.names.project;
        let own = folder(spot.path);
        // In an unknown folder, the file can still be the one of this name.
        let known = Some(spot.folder).filter(|folder| !is_unknown(folder)).unwrap_or_default();
        let word = &if is_unknown(word) { SmolStr::new(word) } else { folders::in_folder(known, word) };
        let (folders, rest): (Vec<&str>, &str) = match word.chars().next() {
            Some(OWN_FOLDER) => (vec![own], &word[OWN_FOLDER.len_utf8()..]),
            Some(ROOT) => (vec![""], &word[ROOT.len_utf8()..]),
            _ => (vec![own, ""], word),
        };
        if is_unknown(rest) {
            return None;
        }
        let is_image = Format::of_path(spot.path) == Some(Format::Dockerfile);
        if word.starts_with('/') && !is_image || word.starts_with('~') {
            return Some(BTreeSet::new());
        }
        let joined = |folder: &&str| join(folder, rest.trim_start_matches('/'));
        let mut found: BTreeSet<String> = folders.iter().filter_map(joined).filter(|path| project.has(path)).collect();
        // The script changes into a folder before. Only the root is above all folders.
        if found.is_empty() && rest.starts_with("../") {
            let path = rest.trim_start_matches("../");
            found.extend(Some(path.to_owned()).filter(|path| project.has(path)));
        }
        if found.is_empty() && is_image {
            let search =
                || self.copied(spot, rest).into_iter().filter(|path| project.has(path)).map(|path| (path, 0)).collect();
            let copied = self.searched("copied files", spot.path, rest, search);
            found = copied.iter().map(|(path, _)| path.clone()).collect();
        }
        Some(found)
    }

    /// Returns the files with a name in the folder of a command: a makefile, a manifest. An image has only those that are copied into it.
    pub(super) fn own_files(&self, spot: &Spot<'_>, name: &str) -> Vec<String> {
        let found = self.files(spot, name).unwrap_or_default();
        match Format::of_path(spot.path) {
            Some(Format::Dockerfile) => {
                let copied = self.copied(spot, name);
                found.into_iter().filter(|file| !spot.folder.starts_with('/') && copied.contains(file)).collect()
            }
            // Make runs in the folder of the makefile, and a script in that of its package.
            Some(Format::Makefile | Format::Package) => {
                let own = folder(spot.path);
                let is_own = |file: &&String| file.starts_with(own);
                let own: Vec<String> = found.iter().filter(is_own).take(1).cloned().collect();
                if own.is_empty() { found.into_iter().collect() } else { own }
            }
            _ => found.into_iter().collect(),
        }
    }

    /// Returns the files that a Dockerfile copies to a path.
    fn copied(&self, spot: &Spot<'_>, path: &str) -> Vec<String> {
        let name_of = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        let name = name_of(path);
        let mut found = Vec::new();
        for one in &spot.facts.uses {
            let Some(Step::Copy(from, to)) = Step::of(one) else { continue };
            let sources = match () {
                () if name_of(&to) == name || name_of(&from) == name => vec![from.to_string()],
                // A folder is copied with its files.
                () => vec![format!("{from}/{name}"), format!("{from}/{}", path.trim_start_matches('/'))],
            };
            let folders = [folder(spot.path), ""];
            found.extend(sources.iter().flat_map(|source| folders.iter().filter_map(|folder| join(folder, source))));
        }
        found
    }

    /// Returns the functions with a name in the scripts that a script loads.
    pub(super) fn loaded_functions(&self, spot: &Spot<'_>, name: &str) -> crate::follow::Methods {
        let loaded = self.searched("loaded scripts", spot.path, "", || {
            self.loaded(spot.path, spot.facts).into_iter().map(|path| (path, 0)).collect()
        });
        if loaded.is_empty() || spot.path.is_empty() {
            return crate::follow::Methods::default();
        }
        self.searched("functions", spot.path, name, || {
            let of_file = |path: &String| -> Vec<(String, usize)> {
                let Some(facts) = self.names.project.facts(path) else { return Vec::new() };
                let named = facts.units.iter().enumerate().skip(1);
                let named = named.filter(|(_, unit)| unit.kind == UnitKind::Function && unit.name == name);
                named.map(|(at, _)| (path.clone(), at)).collect()
            };
            loaded.iter().flat_map(|(path, _)| of_file(path)).collect()
        })
    }

    /// Returns the scripts that a script loads, directly or through others.
    fn loaded(&self, path: &str, facts: &Arc<Facts>) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut left = vec![(path.to_owned(), Arc::clone(facts))];
        while let Some((path, facts)) = left.pop() {
            for one in &facts.uses {
                let Some(Step::Command { words, folder, .. }) = Step::of(one) else { continue };
                if !matches!(words.first().map(SmolStr::as_str), Some("." | "source")) {
                    continue;
                }
                let spot = Spot { path: &path, facts: &facts, one, depth: 0, folder: &folder };
                let files = words.get(1).and_then(|word| self.files(&spot, word)).unwrap_or_default();
                for file in files {
                    let is_new = !found.contains(&file) && found.len() < MAX_LOADED;
                    if let Some(facts) = self.names.project.facts(&file).filter(|_| is_new) {
                        found.push(file.clone());
                        left.push((file, facts));
                    }
                }
            }
        }
        found
    }
}
