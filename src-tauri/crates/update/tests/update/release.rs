//! A release on a local server, and a program's file that it replaces.

use std::collections::BTreeMap;
use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use diffsan_manifest::{Installed, Manifest, Offer, TrustedKey};
use diffsan_test_support::file_server::{Answer, FileServer};
use diffsan_update::{Address, Limits, Replaceable, Source, UpdateError};
use minisign::KeyPair;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

pub const OLD: &[u8] = b"the old program";

/// The path of the new file on the server.
pub const FILE: &str = "/diffsan-1.3.0-x86_64.AppImage";

/// Limits that a test can wait for.
pub const LIMITS: Limits =
    Limits { silence: Duration::from_millis(400), manifest: Duration::from_millis(800), min_speed: 1 << 20 };

/// Returns bytes of a new program. They repeat nothing, so that each of them matters.
pub fn program(size: usize) -> Vec<u8> {
    (0..).flat_map(|count: u32| count.to_le_bytes()).take(size).collect()
}

pub struct Release {
    pub server: FileServer,
    pub new: Vec<u8>,
    pub folder: TempDir,
    pub target: Replaceable,
    pub keys: KeyPair,
}

impl Release {
    /// Serves a release with a program of this size.
    pub fn new(size: usize) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let target = Replaceable::new(folder.path().join("diffsan.AppImage"));
        fs::write(target.path(), OLD).expect("a file");
        let keys = KeyPair::generate_unencrypted_keypair().expect("a key pair");
        let release = Self { server: FileServer::start(), new: program(size), folder, target, keys };
        release.serve(&release.manifest());
        release.server.set(FILE, Answer::File(release.new.clone()));
        release
    }

    pub fn manifest(&self) -> String {
        let sum = hex::encode(Sha256::digest(&self.new));
        format!(
            r#"{{"format": 1, "version": "1.3.0", "released": "2026-11-20T10:00:00Z", "expires": "2027-05-19T10:00:00Z",
            "files": {{"x86_64-linux": {{"address": "diffsan-1.3.0-x86_64.AppImage", "size": {}, "sha256": "{sum}"}}}}}}"#,
            self.new.len()
        )
    }

    pub fn serve(&self, manifest: &str) {
        self.server.set("/update.json", Answer::File(manifest.as_bytes().to_vec()));
        self.server.set("/update.json.minisig", Answer::File(self.sign(manifest).into_bytes()));
    }

    pub fn sign(&self, manifest: &str) -> String {
        let signature = minisign::sign(
            None,
            &self.keys.sk,
            Cursor::new(manifest),
            Some("diffsan 1.3.0 update.json"),
            Some("signature of update.json"),
        );
        signature.expect("a signature").into_string()
    }

    pub fn trusted(&self) -> Vec<TrustedKey> {
        diffsan_manifest::keys(&self.keys.pk.to_base64()).expect("a key")
    }

    pub fn source(&self, limits: Limits) -> Source {
        let address = Address::parse(&format!("{}/update.json", self.server.address)).expect("an address");
        Source::new(address, limits).expect("a client")
    }

    pub async fn read_manifest(&self) -> Result<Manifest, UpdateError> {
        Ok(self.source(LIMITS).manifest(&self.trusted()).await?.manifest)
    }

    /// Reads the manifest, and downloads the file that it offers.
    pub async fn download(&self) -> Result<(), UpdateError> {
        let manifest = self.read_manifest().await?;
        let offer = offer_of(&manifest)?;
        let (done, cancel) = (Arc::new(AtomicU64::new(0)), CancellationToken::new());
        self.source(LIMITS).download(&offer, &self.target, &done, &cancel).await.map(drop)
    }

    /// Returns the files in the program's folder.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        files(self.folder.path())
    }

    /// Asserts that the folder is as it was before.
    #[track_caller]
    pub fn assert_unchanged(&self, context: &str) {
        assert_eq!(self.files(), BTreeMap::from([("diffsan.AppImage".to_owned(), OLD.to_vec())]), "{context}");
    }
}

pub fn offer_of(manifest: &Manifest) -> Result<Offer, UpdateError> {
    let installed = Installed {
        version: "1.2.0".parse().expect("a version"),
        newest_seen: None,
        platform: "x86_64-linux".to_owned(),
        now: "2026-11-26T10:00:00Z".parse().expect("a time"),
    };
    Ok(manifest.offer(&installed)?.expect("a newer version"))
}

pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, fs::read(path).expect("a file"))
        })
        .collect()
}
