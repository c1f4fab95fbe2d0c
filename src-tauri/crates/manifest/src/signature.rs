//! Signatures of minisign: trusted keys, and the check of a text against them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minisign_verify::{PublicKey, Signature};

/// The keys that diffsan's maintainers sign with: one key in a line, as `minisign -G` writes it. Lines that begin with
/// `untrusted comment:` or `#` are ignored.
pub const MAINTAINERS_KEYS: &str = include_str!("../../../../config/release/keys.pub");

/// A public key of minisign that is trusted.
#[derive(Clone, Debug)]
pub struct TrustedKey {
    /// The key as text, as `minisign` prints it.
    pub text: String,
    key: PublicKey,
}

/// A reason not to trust a signature.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages are the documentation")]
pub enum SignatureError {
    #[error("this is not a public key of minisign: {0}")]
    Key(String),
    #[error("there is no public key to check the signature with")]
    NoKey,
    #[error("the format is not that of minisign: {0}")]
    Format(String),
    #[error("it was not made for this text by any of the {0} trusted keys")]
    Untrusted(usize),
}

/// Reads public keys, one for each line that is not a comment.
pub fn keys(text: &str) -> Result<Vec<TrustedKey>, SignatureError> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#') && !line.starts_with("untrusted comment:"))
        .map(|line| {
            let key = PublicKey::from_base64(line).map_err(|error| SignatureError::Key(error.to_string()))?;
            Ok(TrustedKey { text: line.to_owned(), key })
        })
        .collect()
}

/// A signature by a trusted key.
#[derive(Debug, PartialEq, Eq)]
pub struct Signed {
    /// The key that signed, as text.
    pub key: String,
    /// The signed comment.
    pub comment: String,
}

/// Checks the signature of a text. The first line of a signature is not signed and is not checked here.
pub fn verify_signature(text: &[u8], signature: &str, keys: &[TrustedKey]) -> Result<Signed, SignatureError> {
    if keys.is_empty() {
        return Err(SignatureError::NoKey);
    }
    let signature = Signature::decode(signature).map_err(|error| SignatureError::Format(error.to_string()))?;
    let trusted = keys.iter().find(|trusted| trusted.key.verify(text, &signature, false).is_ok());
    let trusted = trusted.ok_or(SignatureError::Untrusted(keys.len()))?;
    Ok(Signed { key: trusted.text.clone(), comment: signature.trusted_comment().to_owned() })
}

/// Checks that a signature has only one notation: the given first line, and no other line, space or form of base64. So a changed byte of
/// the file is refused even where it does not change the signature.
pub(crate) fn check_notation(signature: &str, first_line: &str) -> Result<(), SignatureError> {
    let fault = |reason: &str| Err(SignatureError::Format(reason.to_owned()));
    let lines: Vec<&str> = signature.split('\n').collect();
    let [first, own, comment, global, ""] = lines[..] else { return fault("it does not have four lines") };
    if first != first_line {
        return fault("its first line is another");
    }
    if !comment.starts_with("trusted comment: ") {
        return fault("its comment is missing");
    }
    match (STANDARD.decode(own), STANDARD.decode(global)) {
        (Ok(_), Ok(_)) => Ok(()),
        _ => fault("a line is not in base64"),
    }
}
