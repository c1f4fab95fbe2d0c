//! Updates of a running program from a local server, without its restart.

use std::fs;
use std::io::Cursor;
use std::path::Path;

use diffsan_app::AppOptions;
use diffsan_test_support::file_server::{Answer, FileServer};
use minisign::KeyPair;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use super::*;

struct Program {
    folder: TempDir,
    server: FileServer,
    keys: KeyPair,
    new: Vec<u8>,
}

impl Program {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(folder.path().join("config")).expect("a folder");
        fs::write(folder.path().join("diffsan.AppImage"), "old").expect("a file");
        let keys = KeyPair::generate_unencrypted_keypair().expect("a key pair");
        let program = Self { folder, server: FileServer::start(), keys, new: b"the new program".to_vec() };
        program.set_url(&format!("{}/update.json", program.server.address));
        program.server.set("/new", Answer::File(program.new.clone()));
        program
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn set_url(&self, url: &str) {
        fs::write(self.path().join("config/config.toml"), format!("[update]\nurl = {url:?}\n")).expect("a file");
    }

    fn serve(&self, version: &str) {
        let now = Timestamp::now();
        let sum = sha256(&self.new);
        let text = format!(
            r#"{{"format": 1, "version": "{version}", "released": "{}", "expires": "{}",
            "files": {{"{}": {{"address": "new", "size": {}, "sha256": "{sum}"}}}}}}"#,
            now - SignedDuration::from_hours(1),
            now + SignedDuration::from_hours(1),
            diffsan_manifest::platform(),
            self.new.len()
        );
        let comment = format!("diffsan {version} update.json");
        let signature =
            minisign::sign(None, &self.keys.sk, Cursor::new(&text), Some(&comment), Some("signature of update.json"));
        self.server.set("/update.json", Answer::File(text.into_bytes()));
        self.server.set("/update.json.minisig", Answer::File(signature.expect("signed").into_string().into_bytes()));
    }

    /// Starts the program, with the state of earlier starts.
    fn start(&self) -> Arc<Updater> {
        let options = AppOptions {
            data_dir: Some(self.path().join("data")),
            config_dir: Some(self.path().join("config")),
            ..AppOptions::default()
        };
        let app = App::start(options).expect("started");
        let keys = diffsan_manifest::keys(&self.keys.pk.to_base64()).expect("a key");
        let target = Replaceable::new(self.path().join("diffsan.AppImage"));
        Updater::new(app, Ok(target), keys, Version::new(0, 1, 0))
    }
}

fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

fn available(view: &UpdateView) -> Option<&str> {
    view.available.as_ref().map(|available| available.version.as_str())
}

#[tokio::test]
async fn a_version_is_found_downloaded_and_prepared_for_the_restart() {
    let program = Program::new();
    program.serve("0.2.0");
    let updater = program.start();
    assert_eq!(available(&updater.view().expect("a view")), None);
    let view = updater.check(false).await.expect("checked");
    assert_eq!(available(&view), Some("0.2.0"));
    assert!(updater.install().expect_err("not downloaded").message.contains("No version is downloaded"));
    let view = updater.download(&CancellationToken::new()).await.expect("downloaded");
    assert_eq!((view.phase, view.received), (UpdatePhase::Ready, 15));
    updater.install().expect("prepared");
    assert!(updater.is_restarting());
    updater.restart_requested().await;
    let record = updater.folder().read().expect("a record");
    assert_eq!((record.to.as_str(), record.exchanged), ("0.2.0", false));
    assert_eq!(fs::read_to_string(program.path().join("diffsan.AppImage")).expect("a file"), "old");
}

#[tokio::test]
async fn automatic_checks_happen_once_a_day_and_only_with_an_address() {
    let program = Program::new();
    program.set_url("");
    let updater = program.start();
    assert_eq!(updater.check(true).await.expect("nothing to do").checked_at, None);
    assert!(updater.check(false).await.expect_err("no address").message.contains("no address"));

    program.set_url(&format!("{}/update.json", program.server.address));
    program.serve("0.2.0");
    assert_eq!(available(&updater.check(true).await.expect("checked")), Some("0.2.0"));
    program.serve("0.3.0");
    assert_eq!(available(&updater.check(true).await.expect("not due")), Some("0.2.0"));
    // A start within a day finds the version again, also without the server.
    program.server.set("/update.json", Answer::Status(500));
    let again = program.start();
    assert_eq!(available(&again.check(true).await.expect("not due")), Some("0.2.0"));

    program.serve("0.3.0");
    let yesterday = Timestamp::now() - SignedDuration::from_hours(25);
    again.app.set_page_state(CHECKED, Some(&yesterday.to_string())).expect("saved");
    assert_eq!(available(&again.check(true).await.expect("due")), Some("0.3.0"));
}

#[tokio::test]
async fn a_server_cannot_go_back_to_an_older_release() {
    let program = Program::new();
    program.serve("0.3.0");
    program.start().check(false).await.expect("checked");
    program.serve("0.2.0");
    let updater = program.start();
    let error = updater.check(false).await.expect_err("refused");
    assert!(error.message.contains("the server had 0.3.0 before"), "{error:?}");
    assert_eq!(available(&updater.view().expect("a view")), None);
    assert!(updater.download(&CancellationToken::new()).await.is_err());
}

#[tokio::test]
async fn a_running_version_is_up_to_date_and_never_replaced_by_an_older_one() {
    let program = Program::new();
    program.serve("0.1.0");
    let updater = program.start();
    let view = updater.check(false).await.expect("checked");
    assert!(view.available.is_none() && view.checked_at.is_some());
    program.serve("0.0.9");
    assert!(updater.check(false).await.expect_err("refused").message.contains("which is newer"));
}

#[tokio::test]
async fn a_page_in_a_browser_gets_no_updates() {
    let program = Program::new();
    program.serve("0.2.0");
    let updater = Updater::of_browser(Arc::clone(&program.start().app));
    let view = updater.check(true).await.expect("a view");
    assert!(view.not_offered.is_some_and(|reason| reason.contains("not a page in a browser")));
    assert!(updater.check(false).await.is_err() && updater.install().is_err());
    assert!(updater.download(&CancellationToken::new()).await.is_err());
}

#[tokio::test]
async fn a_build_without_a_key_gets_no_updates() {
    let program = Program::new();
    let target = Replaceable::new(program.path().join("diffsan.AppImage"));
    let updater = Updater::new(Arc::clone(&program.start().app), Ok(target), Vec::new(), Version::new(0, 1, 0));
    assert!(updater.view().expect("a view").not_offered.is_some_and(|reason| reason.contains("public key")));
}

#[tokio::test]
async fn an_address_without_encryption_is_refused() {
    let program = Program::new();
    program.set_url("http://example.com/update.json");
    let error = program.start().check(false).await.expect_err("refused");
    assert_eq!(error.code, ErrorCode::ConfigParseError);
    assert!(error.message.contains("must begin with https"), "{error:?}");
}
