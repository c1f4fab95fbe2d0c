use std::io::Cursor;

use minisign::KeyPair;

use super::*;

const SUM: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

fn manifest(version: &str) -> String {
    format!(
        r#"{{"format": 1, "version": "{version}", "released": "2026-11-20T10:00:00Z", "expires": "2027-05-19T10:00:00Z",
        "files": {{"x86_64-linux": {{"address": "diffsan-{version}-x86_64.AppImage", "size": 1000, "sha256": "{SUM}"}}}}}}"#
    )
}

struct Signer(KeyPair);

impl Signer {
    fn new() -> Self {
        Self(KeyPair::generate_unencrypted_keypair().expect("a key pair"))
    }

    fn keys(&self) -> Vec<TrustedKey> {
        keys(&self.0.pk.to_base64()).expect("a key")
    }

    fn sign(&self, text: &str, comment: &str) -> String {
        let signature =
            minisign::sign(None, &self.0.sk, Cursor::new(text), Some(comment), Some("signature of update.json"));
        signature.expect("a signature").into_string()
    }
}

fn check(text: &str, signature: &str, signer: &Signer) -> Result<Manifest, ManifestError> {
    verify(text.as_bytes(), signature.as_bytes(), &signer.keys())
}

fn installed(version: &str, seen: Option<&str>, now: &str) -> Installed {
    Installed {
        version: version.parse().expect("a version"),
        newest_seen: seen.map(|seen| seen.parse().expect("a version")),
        platform: "x86_64-linux".to_owned(),
        now: now.parse().expect("a time"),
    }
}

const NOW: &str = "2026-11-26T10:00:00Z";

#[test]
fn a_signed_manifest_is_read() {
    let signer = Signer::new();
    let text = manifest("1.3.0-rc.1");
    let manifest = check(&text, &signer.sign(&text, "diffsan 1.3.0-rc.1 update.json"), &signer).expect("accepted");
    let offer = manifest.offer(&installed("1.2.0", None, NOW)).expect("accepted").expect("newer");
    assert_eq!(offer.version.to_string(), "1.3.0-rc.1");
    assert_eq!(offer.file.size, 1000);
}

#[test]
fn every_changed_byte_of_manifest_and_signature_is_refused() {
    let signer = Signer::new();
    let text = manifest("1.3.0");
    let signature = signer.sign(&text, "diffsan 1.3.0 update.json");
    check(&text, &signature, &signer).expect("accepted");
    for (of_signature, length) in [(false, text.len()), (true, signature.len())] {
        for at in 0..length {
            for mask in [0x01, 0x02, 0x20, 0x80, 0xff] {
                let mut bytes = [text.clone().into_bytes(), signature.clone().into_bytes()];
                bytes[usize::from(of_signature)][at] ^= mask;
                let result = verify(&bytes[0], &bytes[1], &signer.keys());
                assert!(
                    matches!(result, Err(ManifestError::Signature(_))),
                    "byte {at} of the signature: {of_signature}, {mask:#x}: {result:?}"
                );
            }
        }
        for cut in 0..length {
            let (text, signature) =
                if of_signature { (&*text, &signature[..cut]) } else { (&text[..cut], &*signature) };
            assert!(check(text, signature, &signer).is_err(), "cut at {cut}");
        }
    }
    for added in ["\n", " ", "\r", "\0"] {
        assert!(check(&format!("{text}{added}"), &signature, &signer).is_err());
        assert!(check(&text, &format!("{signature}{added}"), &signer).is_err(), "{added:?}");
    }
    assert!(check(&text, &signature.replace('\n', "\r\n"), &signer).is_err());
}

#[test]
fn a_signature_of_another_key_file_or_version_is_refused() {
    let signer = Signer::new();
    let text = manifest("1.3.0");
    let other = Signer::new().sign(&text, "diffsan 1.3.0 update.json");
    assert_eq!(check(&text, &other, &signer), Err(ManifestError::Signature(SignatureError::Untrusted(1))));
    let own = signer.sign(&text, "diffsan 1.3.0 update.json");
    let nobody = verify(text.as_bytes(), own.as_bytes(), &[]);
    assert_eq!(nobody, Err(ManifestError::Signature(SignatureError::NoKey)));
    for comment in ["diffsan 1.3.0", "diffsan 1.2.9 update.json", "diffsan 1.3.0 SHA256SUMS", "", "update.json"] {
        let result = check(&text, &signer.sign(&text, comment), &signer);
        assert!(
            matches!(result, Err(ManifestError::Comment(_) | ManifestError::Signature(_))),
            "{comment}: {result:?}"
        );
    }
}

#[test]
fn signed_text_that_is_not_a_manifest_is_refused() {
    let signer = Signer::new();
    let valid = manifest("1.3.0");
    for (from, to, reason) in [
        (r#""format": 1"#, r#""format": 2"#, "format 2"),
        ("1.3.0\", \"released", "1.3\", \"released", "not valid"),
        ("2026-11-20T10:00:00Z", "yesterday", "not valid"),
        ("2027-05-19T10:00:00Z", "2026-11-20T10:00:00Z", "expires before its release"),
        ("1000", "0", "the size of the file for x86_64-linux"),
        ("1000", "1073741825", "the size of the file for x86_64-linux"),
        ("1000", "-1", "not valid"),
        (SUM, "e3b0", "not a SHA-256 sum"),
        (SUM, &SUM.to_uppercase(), "not a SHA-256 sum"),
        ("{", "[", "not valid"),
    ] {
        let text = valid.replace(from, to);
        assert_ne!(text, valid, "{from}");
        let error = check(&text, &signer.sign(&text, "diffsan 1.3.0 update.json"), &signer).expect_err(to);
        assert!(error.to_string().contains(reason), "{to}: {error}");
    }
    let large = format!("{valid}{}", " ".repeat(MAX_MANIFEST_BYTES));
    let result = check(&large, &signer.sign(&large, "diffsan 1.3.0 update.json"), &signer);
    assert_eq!(result, Err(ManifestError::TooLarge));
}

#[test]
fn old_expired_and_future_manifests_are_refused() {
    let manifest = parse(manifest("1.3.0").as_bytes()).expect("a manifest");
    let refusal = |version: &str, seen: Option<&str>, now: &str| {
        manifest.offer(&installed(version, seen, now)).expect_err(version).to_string()
    };
    let offered = |version: &str, seen: Option<&str>, now: &str| {
        manifest.offer(&installed(version, seen, now)).expect(version).is_some()
    };
    assert!(offered("1.2.9", None, NOW));
    assert!(offered("1.3.0-rc.9", Some("1.3.0"), NOW));
    assert!(!offered("1.3.0", None, NOW));
    assert!(!offered("1.3.0+local", None, NOW));
    assert!(refusal("1.3.1", None, NOW).contains("which is newer"));
    assert!(refusal("1.10.0", None, NOW).contains("which is newer"));
    assert!(refusal("1.2.0", Some("1.4.0"), NOW).contains("the server had 1.4.0 before"));
    assert!(refusal("1.2.0", None, "2027-05-19T10:00:00Z").contains("expired at"));
    assert!(offered("1.2.0", None, "2027-05-19T09:59:59Z"));
    assert!(offered("1.2.0", None, "2026-11-19T10:00:00Z"));
    assert!(refusal("1.2.0", None, "2026-11-19T09:59:59Z").contains("in the future"));
    let elsewhere = Installed { platform: "aarch64-linux".to_owned(), ..installed("1.2.0", None, NOW) };
    assert!(matches!(manifest.offer(&elsewhere), Err(Refusal::Platform(..))));
}
