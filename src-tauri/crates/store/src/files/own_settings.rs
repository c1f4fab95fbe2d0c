//! Edits the user's `config.toml`. Only the edited keys change. The file is replaced atomically, and never if another program
//! wrote it in the meantime.
//!
//! Comments, order and layout are preserved.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use sha2::{Digest, Sha256};
use toml_edit::{DocumentMut, Item, Table, TableLike, Value};

/// A change of one key: a new value, or `None` to restore the value of the lower layers.
#[derive(Clone, Debug)]
pub struct Edit {
    /// The parts of the key.
    pub path: Vec<String>,
    /// The new value.
    pub value: Option<toml::Value>,
}

/// The file as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnSettings {
    /// The text. Empty if the file does not exist.
    pub text: String,
    /// The digest of the text.
    pub stamp: String,
    /// Whether the file exists.
    pub exists: bool,
}

/// The reason why the file was not changed.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// Another program wrote the file.
    #[error("the file was changed by another program in the meantime")]
    ChangedMeanwhile,
    /// The file is not valid TOML, so that no key can be located.
    #[error("line {line}: {message}")]
    NotToml {
        /// The line, from 1.
        line: usize,
        /// The message of the parser.
        message: String,
    },
    /// A key has a value where a table is needed.
    #[error("`{0}` is a value in the file, not a table")]
    NoTable(String),
    /// The file cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Reads the file.
pub fn read(file: &Path) -> io::Result<OwnSettings> {
    let (text, exists) = match diffsan_bounded::read_to_string(file, diffsan_bounded::MAX_SETTINGS_BYTES) {
        Ok(text) => (text, true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => (String::new(), false),
        Err(error) => return Err(error),
    };
    Ok(OwnSettings { stamp: stamp(&text), text, exists })
}

fn stamp(text: &str) -> String {
    hex::encode(&Sha256::digest(text)[..12])
}

/// Returns the text with the edits applied.
pub fn edit(text: &str, edits: &[Edit]) -> Result<String, EditError> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| EditError::NotToml {
        line: error.span().map_or(1, |span| {
            text.as_bytes()[..span.start.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
        }),
        message: error.message().to_owned(),
    })?;
    for edit in edits {
        let Some((last, folders)) = edit.path.split_last() else { continue };
        match &edit.value {
            Some(value) => set(document.as_table_mut(), folders, last, value, &edit.path)?,
            None => unset(&mut document, folders, last),
        }
    }
    Ok(document.to_string())
}

fn set(
    root: &mut Table,
    folders: &[String],
    last: &str,
    value: &toml::Value,
    path: &[String],
) -> Result<(), EditError> {
    let mut table: &mut dyn TableLike = root;
    for (index, folder) in folders.iter().enumerate() {
        if !table.contains_key(folder) {
            let mut new = Table::new();
            // A table that only contains tables needs no header.
            new.set_implicit(index + 1 < folders.len());
            table.insert(folder, Item::Table(new));
        }
        let no_table = || EditError::NoTable(path[..=index].join("."));
        table = table.get_mut(folder).and_then(Item::as_table_like_mut).ok_or_else(no_table)?;
    }
    let mut new: Value = value
        .to_string()
        .parse()
        .map_err(|error: toml_edit::TomlError| EditError::NotToml { line: 1, message: error.message().to_owned() })?;
    match table.get_mut(last) {
        Some(Item::Value(old)) => {
            // Keep the comment behind the value.
            *new.decor_mut() = old.decor().clone();
            *old = new;
        }
        // The value replaces a table with a header.
        Some(item) => *item = Item::Value(new),
        None => {
            table.insert(last, Item::Value(new));
        }
    }
    Ok(())
}

fn unset(document: &mut DocumentMut, folders: &[String], last: &str) {
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for folder in folders {
        match table.get_mut(folder).and_then(Item::as_table_like_mut) {
            Some(inner) => table = inner,
            None => return,
        }
    }
    let names: Vec<String> = table.iter().map(|(key, _)| key.to_owned()).collect();
    let next = names.iter().skip_while(|name| *name != last).nth(1).cloned();
    let above = table.key(last).and_then(|key| key.leaf_decor().prefix()?.as_str().map(str::to_owned));
    let comment = above.filter(|above| above.contains('#'));
    table.remove(last);
    // Keep the user's comment above the removed key.
    if let Some(comment) = comment {
        match next.as_deref().and_then(|next| table.key_mut(next)) {
            Some(mut key) => {
                let own = key.leaf_decor().prefix().and_then(|own| own.as_str()).unwrap_or_default().to_owned();
                key.leaf_decor_mut().set_prefix(comment + &own);
            }
            None => {
                let end = document.trailing().as_str().unwrap_or_default().to_owned();
                document.set_trailing(format!("{end}{comment}"));
            }
        }
    }
    prune(document.as_table_mut(), folders);
}

/// Removes tables that became empty, unless they have a comment.
fn prune(root: &mut Table, folders: &[String]) {
    let Some((first, rest)) = folders.split_first() else { return };
    let Some(inner) = root.get_mut(first).and_then(Item::as_table_mut) else { return };
    prune(inner, rest);
    let decor = inner.decor();
    let spoken = [decor.prefix(), decor.suffix()]
        .into_iter()
        .flatten()
        .any(|text| text.as_str().is_some_and(|text| text.contains('#')));
    if inner.is_empty() && !spoken {
        root.remove(first);
    }
}

/// Writes the file, unless it changed since it was read. `lock` is a file that excludes other diffsan processes.
pub fn write(file: &Path, lock: &Path, before: &OwnSettings, text: &str) -> Result<OwnSettings, EditError> {
    let guard = File::create(lock)?;
    guard.lock()?;
    if read(file)?.stamp != before.stamp {
        return Err(EditError::ChangedMeanwhile);
    }
    // If the file is a link (a folder of dotfiles), the real file is written.
    let real = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let folder = real.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    new.write_all(text.as_bytes())?;
    if let Ok(about) = fs::metadata(&real) {
        new.as_file().set_permissions(about.permissions())?;
    }
    new.as_file().sync_all()?;
    new.persist(&real).map_err(|error| error.error)?;
    Ok(OwnSettings { stamp: stamp(text), text: text.to_owned(), exists: true })
}

#[cfg(test)]
mod tests {
    use super::*;
    use diffsan_config::key_path;

    fn changed(text: &str, edits: &[(&str, Option<&str>)]) -> String {
        let edits: Vec<Edit> = edits
            .iter()
            .map(|(key, value)| Edit {
                path: key_path(key).expect("a key"),
                value: value.map(|value| format!("v = {value}").parse::<toml::Table>().expect("TOML")["v"].clone()),
            })
            .collect();
        edit(text, &edits).expect("edited")
    }

    const MINE: &str = "# my settings\n\n[limits] # the budget\n# not too many\nmax_files = 10 # ten\nmax_diff_chars = 5\n\n[agents.mine]\nurl = \"http://a\"\n# the end\n";

    #[test]
    fn comments_order_and_layout_are_preserved() {
        assert_eq!(changed(MINE, &[("limits.max_files", Some("20"))]), MINE.replace("= 10 #", "= 20 #"));
        let added = changed(
            MINE,
            &[
                ("limits.context_lines", Some("7")),
                ("prompt.verbosity", Some("'low'")),
                ("agents.mine.args", Some("['-x', 'a\\b']")),
            ],
        );
        assert!(added.contains("max_diff_chars = 5\ncontext_lines = 7\n\n[agents.mine]"), "{added}");
        assert!(added.contains("[prompt]\nverbosity = \"low\"\n"), "{added}");
        assert!(
            added.contains("url = \"http://a\"\nargs = [\"-x\", 'a\\b']\n") && added.contains("# the end"),
            "{added}"
        );
        let parsed: toml::Table = added.parse().expect("TOML");
        assert_eq!(parsed["limits"]["max_files"].as_integer(), Some(10));
    }

    #[test]
    fn unsetting_a_key_preserves_the_comments_above() {
        let less = changed(MINE, &[("limits.max_files", None)]);
        assert!(less.contains("[limits] # the budget\n# not too many\nmax_diff_chars = 5\n"), "{less}");
        assert_eq!(changed(MINE, &[("limits.context", None), ("skip.x", None)]), MINE);
        let none =
            changed(MINE, &[("agents.mine.url", None), ("limits.max_files", None), ("limits.max_diff_chars", None)]);
        assert!(
            !none.contains("agents") && none.contains("[limits] # the budget") && none.contains("# not too many"),
            "{none}"
        );
        assert!(none.parse::<toml::Table>().is_ok(), "{none}");
    }

    #[test]
    fn inline_tables_and_dotted_keys_are_changed_where_they_are() {
        assert_eq!(
            changed("limits = { max_files = 1 }\n", &[("limits.max_files", Some("2"))]),
            "limits = { max_files = 2 }\n"
        );
        assert_eq!(
            changed("limits.max_files = 1 # x\n", &[("limits.max_files", Some("2"))]),
            "limits.max_files = 2 # x\n"
        );
        assert_eq!(changed("", &[("agents.\"my.model\".url", Some("'u'"))]), "[agents.\"my.model\"]\nurl = \"u\"\n");
        let text = "[[redaction.extra_patterns]]\nname = 'a'\npattern = 'b'\n";
        let set = changed(text, &[("redaction.extra_patterns", Some("[{ name = 'c', pattern = 'd' }]"))]);
        assert_eq!(
            set.parse::<toml::Table>().expect("TOML")["redaction"]["extra_patterns"][0]["name"].as_str(),
            Some("c")
        );
    }

    #[test]
    fn a_value_in_place_of_a_table_and_a_broken_file_are_reported() {
        let one = |text: &str| {
            edit(text, &[Edit { path: vec!["limits".into(), "max_files".into()], value: Some(1.into()) }])
                .expect_err("refused")
                .to_string()
        };
        assert_eq!(one("limits = 3\n"), "`limits` is a value in the file, not a table");
        assert!(one("[limits]\nmax_files =\n").starts_with("line 2: "));
    }

    #[test]
    fn a_change_by_another_program_is_not_overwritten() {
        let folder = tempfile::tempdir().expect("folder");
        let (file, lock) = (folder.path().join("in/config.toml"), folder.path().join("lock"));
        let before = read(&file).expect("read");
        assert!(!before.exists);
        let mine = write(&file, &lock, &before, "a = 1\n").expect("written");
        assert_eq!(read(&file).expect("read"), mine);
        fs::write(&file, "b = 2\n").expect("written");
        assert!(matches!(write(&file, &lock, &mine, "a = 2\n"), Err(EditError::ChangedMeanwhile)));
        assert_eq!(fs::read_to_string(&file).expect("read"), "b = 2\n");
    }

    #[cfg(unix)]
    #[test]
    fn a_linked_file_stays_a_link_and_keeps_its_rights() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("folder");
        let (real, file, lock) =
            (folder.path().join("real.toml"), folder.path().join("config.toml"), folder.path().join("lock"));
        fs::write(&real, "a = 1\n").expect("written");
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("set");
        std::os::unix::fs::symlink(&real, &file).expect("linked");
        let before = read(&file).expect("read");
        write(&file, &lock, &before, "a = 2\n").expect("written");
        assert!(fs::symlink_metadata(&file).expect("there").is_symlink());
        assert_eq!(
            (
                fs::read_to_string(&real).expect("read").as_str(),
                fs::metadata(&real).expect("there").permissions().mode() & 0o777
            ),
            ("a = 2\n", 0o640)
        );
    }
}
