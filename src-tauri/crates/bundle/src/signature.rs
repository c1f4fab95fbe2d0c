//! Signatures with SSH keys. `ssh-keygen` makes and checks them, so that keys in an agent or on a token work, and private keys are never
//! read.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use diffsan_agent::SearchPath;
use diffsan_pipeline::error::{Error, ErrorCode, Result};

use crate::error::{BundleError, Tampering};

/// The purpose of the signatures: one that was made for another purpose is not valid.
pub const NAMESPACE: &str = "diffsan-bundle";
/// The maximum size in bytes of a signature.
const MAX_SIGNATURE_BYTES: usize = 64 << 10;

/// The program that makes and checks signatures.
pub struct SigningProgram(PathBuf);

/// The signer of a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signer {
    /// The bundle is not signed.
    None,
    /// The signature is valid. Whose key it is was not checked.
    Key(String),
    /// The signature is valid, and the key belongs to this allowed signer.
    Allowed {
        /// The name of the signer in the file of allowed signers.
        name: String,
        /// The kind and fingerprint of the key.
        key: String,
    },
}

impl SigningProgram {
    /// Finds the program. Blocks.
    pub fn find(search: &SearchPath) -> Result<Self> {
        search.find("ssh-keygen").map(Self).ok_or_else(|| {
            Error::new(ErrorCode::NotFound, "ssh-keygen, which makes and checks signatures, is not installed.")
                .hint("Install OpenSSH (on Debian and Ubuntu: apt install openssh-client).")
        })
    }

    /// Signs a text with the private key in a file, or with the key of the SSH agent whose public key is in the file. Blocks.
    pub fn sign(&self, text: &[u8], key: &Path) -> Result<Vec<u8>> {
        let args = ["-Y".as_ref(), "sign".as_ref(), "-n".as_ref(), NAMESPACE.as_ref(), "-f".as_ref(), key.as_os_str()];
        let output = self.run(&args, text)?;
        if !output.status.success() || output.stdout.is_empty() {
            return Err(Error::new(
                ErrorCode::InvalidInput,
                format!("The bundle cannot be signed with {}: {}.", key.display(), message(&output)),
            )
            .hint("Name the file of an SSH key; of a key in the SSH agent, name the public key."));
        }
        Ok(output.stdout)
    }

    /// Checks a signature. With a file of allowed signers, the key must be in it. Blocks.
    pub fn check(&self, text: &[u8], signature: &[u8], allowed: Option<&Path>) -> Result<Signer> {
        let wrong = |reason: String| Error::from(BundleError::from(Tampering::WrongSignature(reason)));
        if signature.len() > MAX_SIGNATURE_BYTES {
            return Err(wrong("it is too large".to_owned()));
        }
        let folder = tempfile::tempdir().map_err(not_run)?;
        let file = folder.path().join("signature");
        std::fs::write(&file, signature).map_err(not_run)?;
        let fixed: [&OsStr; 4] = ["-n".as_ref(), NAMESPACE.as_ref(), "-s".as_ref(), file.as_os_str()];
        let valid = self.run(&[&["-Y".as_ref(), "check-novalidate".as_ref()], &fixed[..]].concat(), text)?;
        if !valid.status.success() {
            return Err(wrong(message(&valid)));
        }
        let key = key_of(&valid);
        let Some(allowed) = allowed else { return Ok(Signer::Key(key)) };
        if !allowed.is_file() {
            let message = format!("The file of allowed signers {} does not exist.", allowed.display());
            return Err(Error::new(ErrorCode::NotFound, message));
        }
        let list: [&OsStr; 2] = ["-f".as_ref(), allowed.as_os_str()];
        let names = self.run(&[&["-Y".as_ref(), "find-principals".as_ref()], &list[..], &fixed[2..]].concat(), b"")?;
        let names = String::from_utf8_lossy(&names.stdout).into_owned();
        for name in names.lines().filter(|name| !name.is_empty()) {
            let identity: [&OsStr; 2] = ["-I".as_ref(), name.as_ref()];
            let args = [&["-Y".as_ref(), "verify".as_ref()], &list[..], &identity[..], &fixed[..]].concat();
            if self.run(&args, text)?.status.success() {
                return Ok(Signer::Allowed { name: name.to_owned(), key });
            }
        }
        Err(BundleError::from(Tampering::UnknownSigner(allowed.display().to_string())).into())
    }

    fn run(&self, args: &[&OsStr], input: &[u8]) -> Result<Output> {
        let mut child = Command::new(&self.0)
            .args(args)
            .env("LC_ALL", "C")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(not_run)?;
        let stdin = child.stdin.take();
        let input = input.to_vec();
        // The program may end without reading its input, so a failure to write it is no error.
        let writer = std::thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(&input)));
        let output = child.wait_with_output().map_err(not_run)?;
        let _ = writer.join();
        Ok(output)
    }
}

fn not_run(error: std::io::Error) -> Error {
    Error::new(ErrorCode::IoFailed, format!("ssh-keygen cannot be run: {error}."))
}

/// Returns the last line that the program printed about an error.
fn message(output: &Output) -> String {
    let text = [output.stderr.as_slice(), &output.stdout].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or("it gave no reason");
    line.trim_end_matches(['.', '\r']).to_owned()
}

/// Returns the kind and fingerprint of the key: `ED25519 SHA256:…`.
fn key_of(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let after = text.rsplit_once("signature with ").map(|(_, rest)| rest.trim()).unwrap_or_default();
    after.replace(" key ", " ")
}
