//! The folders of an installation: the data folder (state, run folders) and the configuration folder (files that the user edits).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The folders of an installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The folder of the state file and the run folders.
    pub data: PathBuf,
    /// The folder of `config.toml` and the user's prompt files.
    pub config: PathBuf,
}

impl Places {
    /// Returns the given folders, or else `DIFFSAN_DATA_DIR` and `DIFFSAN_CONFIG_DIR`, or else the system's standard folders.
    pub fn find(data: Option<PathBuf>, config: Option<PathBuf>) -> Option<Self> {
        let from_variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let usual = directories::ProjectDirs::from("", "", "diffsan");
        let data = data
            .or_else(|| from_variable("DIFFSAN_DATA_DIR"))
            .or_else(|| usual.as_ref().map(|dirs| dirs.data_dir().to_owned()))?;
        let config = config
            .or_else(|| from_variable("DIFFSAN_CONFIG_DIR"))
            .or_else(|| usual.as_ref().map(|dirs| dirs.config_dir().to_owned()))?;
        Some(Self { data, config })
    }

    /// Returns the path of the state file.
    pub fn store(&self) -> PathBuf {
        self.data.join("diffsan.sqlite3")
    }

    /// Returns the folder of the run folders.
    pub fn runs(&self) -> PathBuf {
        self.data.join("runs")
    }

    /// Returns the folder of the agents' rooms.
    pub fn rooms(&self) -> PathBuf {
        self.data.join("rooms")
    }

    /// Returns the folder of the agents' private folders, which exist for one request.
    pub fn private(&self) -> PathBuf {
        self.data.join("private")
    }

    /// Returns the folder of the symbols of files, by the ids of their contents.
    pub fn symbols(&self) -> PathBuf {
        self.data.join("symbols")
    }

    /// Returns the folder of the facts about the code of files, by the ids of their contents.
    pub fn code_facts(&self) -> PathBuf {
        self.data.join("code-facts")
    }

    /// Returns the folder of patches that came without a file.
    pub fn patches(&self) -> PathBuf {
        self.data.join("patches")
    }

    /// Returns the folder of the bundled sample.
    pub fn sample(&self) -> PathBuf {
        self.data.join("sample")
    }

    /// Returns the path of the user's settings file.
    pub fn settings(&self) -> PathBuf {
        self.config.join("config.toml")
    }
}

/// Creates a folder that only its owner can access. An existing folder that its owner made read-only stays read-only.
pub fn make_private_folder(path: &Path) -> io::Result<()> {
    let known = path.is_dir();
    fs::create_dir_all(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = if known { fs::metadata(path)?.permissions().mode() & 0o700 } else { 0o700 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
    }
    #[cfg(not(unix))]
    let _ = known;
    Ok(())
}

/// Writes a file that only its owner can read, atomically.
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    io::Write::write_all(&mut file, bytes)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Returns the installation key, a random key that is created at first use. It keys the digests of masked secrets, so that nobody
/// can guess a short secret from its digest.
pub fn installation_key(data: &Path) -> io::Result<[u8; 32]> {
    let path = data.join("installation.key");
    if let Ok(bytes) = fs::read(&path)
        && let Ok(key) = <[u8; 32]>::try_from(bytes)
    {
        return Ok(key);
    }
    make_private_folder(data)?;
    let key = random_key()?;
    let mut file = tempfile::NamedTempFile::new_in(data)?;
    io::Write::write_all(&mut file, &key)?;
    match file.persist_noclobber(&path) {
        Ok(_) => Ok(key),
        // Another process created the file first, or the file is damaged.
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => match fs::read(&path)?.try_into() {
            Ok(key) => Ok(key),
            Err(_) => {
                write_private(&path, &key)?;
                Ok(key)
            }
        },
        Err(error) => Err(error.error),
    }
}

/// Returns random bytes from the system.
pub fn random_key() -> io::Result<[u8; 32]> {
    let mut key = [0; 32];
    getrandom::fill(&mut key).map_err(io::Error::other)?;
    Ok(key)
}

/// Returns a random word of hexadecimal digits, two for each byte.
pub fn random_word(bytes: usize) -> io::Result<String> {
    Ok(hex::encode(&random_key()?[..bytes]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_created_once() {
        let data = tempfile::tempdir().expect("folder");
        let key = installation_key(data.path()).expect("key");
        assert_eq!(installation_key(data.path()).expect("key"), key);
        assert_ne!(key, [0; 32]);
    }

    #[test]
    fn a_damaged_key_is_replaced() {
        let data = tempfile::tempdir().expect("folder");
        fs::write(data.path().join("installation.key"), b"short").expect("written");
        let key = installation_key(data.path()).expect("key");
        assert_eq!(installation_key(data.path()).expect("key"), key);
    }
}
