//! The manifest and the download: one good way, and every refusal. A refusal changes nothing on the disk.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use diffsan_test_support::file_server::Answer;
use diffsan_update::UpdateError;
use tokio_util::sync::CancellationToken;

use crate::release::{FILE, LIMITS, OLD, Release, offer_of};

#[tokio::test]
async fn a_good_release_replaces_the_file_and_saves_the_old_one() {
    let release = Release::new(300_000);
    fs::set_permissions(release.target.path(), fs::Permissions::from_mode(0o750)).expect("a mode");
    release.download().await.expect("downloaded");
    assert_eq!(fs::read(release.target.path()).expect("a file"), OLD, "nothing is replaced yet");
    release.target.exchange().expect("exchanged");
    assert_eq!(fs::read(release.target.path()).expect("a file"), release.new);
    assert_eq!(release.target.path().metadata().expect("a file").permissions().mode() & 0o777, 0o750);
    assert_eq!(fs::read(release.target.previous()).expect("a file"), OLD);
    release.target.restore().expect("restored");
    release.assert_unchanged("restored");
}

#[tokio::test]
async fn a_second_exchange_saves_the_version_that_it_replaces() {
    let release = Release::new(1000);
    fs::write(release.target.previous(), "an even older program").expect("a file");
    release.download().await.expect("downloaded");
    release.target.exchange().expect("exchanged");
    assert_eq!(fs::read(release.target.previous()).expect("a file"), OLD);
    release.target.remove_previous();
    assert_eq!(release.files().into_keys().collect::<Vec<_>>(), ["diffsan.AppImage"]);
}

#[tokio::test]
async fn a_tampered_manifest_or_signature_is_refused_at_each_byte() {
    let release = Release::new(1000);
    let (source, keys) = (release.source(LIMITS), release.trusted());
    let (text, signature) = (release.manifest().into_bytes(), release.sign(&release.manifest()).into_bytes());
    for (path, bytes) in [("/update.json", &text), ("/update.json.minisig", &signature)] {
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            release.server.set(path, Answer::File(changed));
            let error = source.manifest(&keys).await.expect_err("refused");
            assert!(matches!(error, UpdateError::Manifest(_)), "byte {at} of {path}: {error}");
        }
        release.server.set(path, Answer::File(bytes.clone()));
    }
    release.assert_unchanged("tampered");
    release.download().await.expect("the untampered release is good");
}

#[tokio::test]
async fn a_tampered_download_is_refused_in_each_range() {
    let release = Release::new(200_000);
    let size = release.new.len();
    let step = size / 40;
    for start in (0..size).step_by(step).chain([1, size - 1]) {
        for length in [1, step] {
            let mut bytes = release.new.clone();
            bytes[start..(start + length).min(size)].iter_mut().for_each(|byte| *byte = !*byte);
            release.server.set(FILE, Answer::File(bytes));
            let error = release.download().await.expect_err("refused");
            assert!(matches!(error, UpdateError::Sum(_)), "{start} and {length} bytes: {error}");
            release.assert_unchanged("tampered");
        }
    }
    let mut swapped = release.new.clone();
    swapped.swap(0, size / 2 + 1);
    release.server.set(FILE, Answer::Unannounced(swapped));
    assert!(matches!(release.download().await, Err(UpdateError::Sum(_))));
}

/// Expects an error for an answer instead of a file of the server, and an unchanged folder.
async fn refused(path: &str, answer: Answer, text: &str) {
    let release = Release::new(100_000);
    release.server.set(path, answer.clone());
    let error = release.download().await.expect_err(text).to_string();
    assert!(error.contains(text), "{path} {text}: {error}");
    release.assert_unchanged(text);
}

#[tokio::test]
async fn a_truncated_or_longer_download_is_refused() {
    let whole = Release::new(100_000).new;
    for cut in [0, 1, 50_000, 99_999] {
        refused(FILE, Answer::Unannounced(whole[..cut].to_vec()), &format!("ended after {cut} of 100000 bytes")).await;
        let error = if cut == 0 { "0 of 100000" } else { " of 100000 bytes" };
        refused(FILE, Answer::Announced(100_000, whole[..cut].to_vec()), error).await;
    }
    let longer: Vec<u8> = whole.iter().copied().chain([0]).collect();
    refused(FILE, Answer::Unannounced(longer), "is larger than 100000 bytes").await;
    refused(FILE, Answer::Endless, "is larger than 100000 bytes").await;
}

#[tokio::test]
async fn a_server_that_lies_about_the_length_is_refused_before_the_download() {
    let whole = Release::new(100_000).new;
    for length in [0, 99_999, 100_001, u64::MAX / 2] {
        refused(FILE, Answer::Announced(length, whole.clone()), "but the update manifest says 100000").await;
    }
}

#[tokio::test]
async fn an_oversized_manifest_or_signature_is_refused() {
    refused("/update.json", Answer::Endless, "is larger than 65536 bytes").await;
    refused("/update.json.minisig", Answer::Endless, "is larger than 4096 bytes").await;
    refused("/update.json", Answer::File(vec![b' '; 70_000]), "is larger than 65536 bytes").await;
}

#[tokio::test]
async fn a_server_that_hangs_is_left() {
    for path in ["/update.json", "/update.json.minisig", FILE] {
        refused(path, Answer::Silent, "did not send the whole file").await;
    }
    refused(FILE, Answer::Hangs(100_000, vec![0; 50_000]), "did not send the whole file").await;
    refused("/update.json", Answer::Hangs(500, vec![b'{'; 10]), "could not be read").await;
}

#[tokio::test]
async fn a_server_that_is_slow_for_ever_is_left() {
    refused("/update.json", Answer::Slow(60_000), "did not send the whole file").await;
    refused(FILE, Answer::Slow(100_000), "did not send the whole file").await;
}

#[tokio::test]
async fn a_redirect_to_another_server_is_not_followed() {
    let other = Release::new(100_000);
    let to = |path: &str| format!("{}{path}", other.server.address);
    for path in ["/update.json", "/update.json.minisig", FILE] {
        refused(path, Answer::Redirect(to(path)), "redirects to another server").await;
        refused(path, Answer::Redirect(format!("http://example.com{path}")), "redirects to another server").await;
        refused(path, Answer::Redirect("file:///etc/passwd".to_owned()), "redirects to another server").await;
        refused(path, Answer::Redirect(path.to_owned()), "redirects more than 3 times").await;
        refused(path, Answer::Status(404), "answered with status 404").await;
        refused(path, Answer::Status(204), "answered with status 204").await;
    }
}

#[tokio::test]
async fn a_redirect_on_the_same_server_is_followed() {
    let release = Release::new(1000);
    release.server.set("/files/new", Answer::File(release.new.clone()));
    release.server.set(FILE, Answer::Redirect("/files/new".to_owned()));
    release.download().await.expect("downloaded");
}

#[tokio::test]
async fn a_manifest_cannot_name_another_server() {
    let release = Release::new(1000);
    for address in ["http://example.com/x", "https://127.0.0.1/x", "//127.0.0.2/x", "file:///etc/passwd"] {
        release.serve(&release.manifest().replace("diffsan-1.3.0-x86_64.AppImage", address));
        let error = release.download().await.expect_err(address).to_string();
        assert!(error.contains("redirects to another server"), "{address}: {error}");
        release.assert_unchanged(address);
    }
}

#[tokio::test]
async fn a_release_of_another_key_is_refused() {
    let (release, other) = (Release::new(1000), Release::new(1000));
    let manifest = release.manifest();
    release.server.set("/update.json.minisig", Answer::File(other.sign(&manifest).into_bytes()));
    let error = release.download().await.expect_err("refused").to_string();
    assert!(error.contains("by any of the 1 trusted keys"), "{error}");
    release.assert_unchanged("another key");
}

#[tokio::test]
async fn a_cancelled_download_leaves_nothing() {
    let release = Release::new(100_000);
    let offer = offer_of(&release.read_manifest().await.expect("a manifest")).expect("an offer");
    release.server.set(FILE, Answer::Hangs(100_000, release.new[..60_000].to_vec()));
    let (done, cancel) = (Arc::new(AtomicU64::new(0)), CancellationToken::new());
    let limits = diffsan_update::Limits::default();
    let source = release.source(limits);
    let download = source.download(&offer, &release.target, &done, &cancel);
    let cancelling = async {
        while done.load(Ordering::Relaxed) < 60_000 {
            tokio::task::yield_now().await;
        }
        assert!(release.files().contains_key(".diffsan.AppImage.partial"));
        let second = source.download(&offer, &release.target, &done, &cancel).await;
        assert!(matches!(second, Err(UpdateError::Busy)), "{second:?}");
        cancel.cancel();
    };
    let (result, ()) = futures::join!(download, cancelling);
    assert!(matches!(result, Err(UpdateError::Cancelled)), "{result:?}");
    release.assert_unchanged("cancelled");
}

#[tokio::test]
async fn a_verified_file_that_changed_since_is_refused() {
    let release = Release::new(1000);
    release.download().await.expect("downloaded");
    let offer = offer_of(&release.read_manifest().await.expect("a manifest")).expect("an offer");
    release.target.check_verified(offer.file.size, &offer.file.sha256).expect("unchanged");
    let mut bytes = release.new.clone();
    bytes[999] ^= 1;
    for changed in [bytes, release.new[..999].to_vec(), Vec::new()] {
        fs::write(release.target.verified(), changed).expect("a file");
        let result = release.target.check_verified(offer.file.size, &offer.file.sha256);
        assert!(matches!(result, Err(UpdateError::Sum(_))), "{result:?}");
    }
}

#[tokio::test]
async fn a_start_of_the_program_leaves_the_verified_file_of_another_one() {
    let release = Release::new(1000);
    let offer = offer_of(&release.read_manifest().await.expect("a manifest")).expect("an offer");
    let (done, cancel) = (Arc::new(AtomicU64::new(0)), CancellationToken::new());
    let verified = release.source(LIMITS).download(&offer, &release.target, &done, &cancel).await.expect("downloaded");
    release.target.remove_downloads();
    release.target.check_verified(offer.file.size, &offer.file.sha256).expect("it is still there");
    drop(verified);
    release.target.remove_downloads();
    release.assert_unchanged("after the other one has ended");
}

#[test]
fn a_link_in_place_of_the_partial_file_is_not_followed() {
    let release = Release::new(1000);
    let victim = release.folder.path().join("victim");
    fs::write(&victim, "precious").expect("a file");
    std::os::unix::fs::symlink(&victim, release.folder.path().join(".diffsan.AppImage.partial")).expect("a link");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    assert!(matches!(runtime.block_on(release.download()), Err(UpdateError::File { .. })));
    assert_eq!(fs::read(&victim).expect("a file"), b"precious");
}
