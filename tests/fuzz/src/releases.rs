//! A release on a local server, and a program's file that it may replace.

use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

use diffsan_app::App;
use diffsan_test_support::file_server::{Answer, FileServer};
use diffsan_update::Replaceable;
use diffsan_updater::Updater;
use jiff::{SignedDuration, Timestamp};
use minisign::KeyPair;
use semver::Version;
use sha2::{Digest as _, Sha256};

const NEW: &[u8] = b"a new program";

/// Serves a release. Returns its server and the public key that signed it.
pub fn serve() -> (FileServer, String) {
    let keys = KeyPair::generate_unencrypted_keypair().expect("a key pair");
    let server = FileServer::start();
    let now = Timestamp::now();
    let text = format!(
        r#"{{"format": 1, "version": "99.0.0", "released": "{now}", "expires": "{}",
        "files": {{"{}": {{"address": "new", "size": {}, "sha256": "{}"}}}}}}"#,
        now + SignedDuration::from_hours(10_000),
        diffsan_manifest::platform(),
        NEW.len(),
        hex::encode(Sha256::digest(NEW))
    );
    let comment = Some("diffsan 99.0.0 update.json");
    let signature = minisign::sign(None, &keys.sk, Cursor::new(&text), comment, Some("signature of update.json"));
    server.set("/update.json", Answer::File(text.into_bytes()));
    server.set("/update.json.minisig", Answer::File(signature.expect("signed").into_string().into_bytes()));
    server.set("/new", Answer::File(NEW.to_vec()));
    (server, keys.pk.to_base64())
}

/// Returns the updates of a program in a folder.
pub fn updater(app: &Arc<App>, folder: &Path, key: &str) -> Arc<Updater> {
    let file = folder.join("diffsan.AppImage");
    fs::write(&file, "the old program").expect("a file");
    let keys = diffsan_manifest::keys(key).expect("a key");
    Updater::new(Arc::clone(app), Ok(Replaceable::new(file)), keys, Version::new(1, 0, 0))
}
