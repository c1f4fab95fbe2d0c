//! Any bytes are refused as an update manifest or as its signature. Signed bytes are refused, or are a manifest within its limits, whatever
//! they contain; comparing it with the running version does not panic.
#![no_main]

use std::io::Cursor;
use std::sync::LazyLock;

use diffsan_manifest::{Installed, MAX_FILE_BYTES, TrustedKey, signed_comment, verify};
use libfuzzer_sys::fuzz_target;
use minisign::KeyPair;

static KEYS: LazyLock<(KeyPair, Vec<TrustedKey>)> = LazyLock::new(|| {
    let pair = KeyPair::generate_unencrypted_keypair().expect("a key pair");
    let trusted = diffsan_manifest::keys(&pair.pk.to_base64()).expect("a key");
    (pair, trusted)
});

fuzz_target!(|data: &[u8]| {
    let (pair, trusted) = &*KEYS;
    let at = data.iter().position(|byte| *byte == 0).unwrap_or(data.len());
    let (text, signature) = data.split_at(at);
    assert!(verify(text, signature, trusted).is_err(), "nobody signed this");

    // The version in the comment is the one that the text names, so that the text is read.
    let named: Option<serde_json::Value> = serde_json::from_slice(text).ok();
    let version = named.as_ref().and_then(|named| named["version"].as_str()).unwrap_or("1.0.0");
    if version.contains(['\n', '\r']) {
        return;
    }
    let comment = signed_comment(version);
    let signed = minisign::sign(None, &pair.sk, Cursor::new(text), Some(&comment), Some("signature of update.json"));
    let signature = signed.expect("a signature").into_string();
    let Ok(manifest) = verify(text, signature.as_bytes(), trusted) else { return };
    assert_eq!(manifest.version.to_string(), version);
    assert!(manifest.released < manifest.expires);
    for (platform, file) in &manifest.files {
        assert!((1..=MAX_FILE_BYTES).contains(&file.size) && file.sha256.len() == 64);
        let installed = Installed {
            version: semver::Version::new(1, 0, 0),
            newest_seen: None,
            platform: platform.clone(),
            now: manifest.released,
        };
        if let Ok(Some(offer)) = manifest.offer(&installed) {
            assert!(offer.version.cmp_precedence(&installed.version).is_gt());
        }
    }
});
