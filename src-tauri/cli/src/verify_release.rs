//! `diffsan verify-release`: checks a folder with a release, offline.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use diffsan_manifest::SignatureError;
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_release::{MAINTAINERS_KEYS, Release, ReleaseError, keys, verify};

use crate::output;

/// The largest file of keys.
const MAX_KEY_BYTES: u64 = 64 << 10;

/// The arguments of `diffsan verify-release`.
#[derive(Debug, Args)]
pub struct VerifyReleaseArgs {
    /// The folder with all files of the release
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// A file with public keys of minisign to trust instead of those of diffsan's maintainers
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Verifies a release and prints the checks.
pub fn run(args: &VerifyReleaseArgs) -> Result<ExitCode> {
    let text = match &args.key {
        None => MAINTAINERS_KEYS.to_owned(),
        Some(path) => diffsan_bounded::read_to_string(path, MAX_KEY_BYTES)
            .map_err(|error| refused(&ReleaseError::Unreadable { path: path.clone(), error }))?,
    };
    let release = keys(&text)
        .map_err(ReleaseError::Keys)
        .and_then(|keys| verify(&args.folder, &keys))
        .map_err(|error| refused(&error))?;
    if args.json {
        output::result(&output::json(&release)?, None)?;
    } else {
        output::text(&summary(&release), None)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn refused(error: &ReleaseError) -> Error {
    let code = match error {
        ReleaseError::Unreadable { .. } => ErrorCode::IoFailed,
        _ => ErrorCode::InvalidInput,
    };
    let hint = match error {
        ReleaseError::Keys(SignatureError::NoKey) => "Name a file with the maintainers' public key with --key.",
        _ => "Do not install these files. Download the release again, from its original place.",
    };
    Error::new(code, format!("The release is not verified: {error}.")).hint(hint)
}

fn summary(release: &Release) -> String {
    let mut text = format!("diffsan {}: signed by {}\n", release.version, release.key);
    for (name, count) in &release.components {
        text += &format!("{name}: {count} components, each with a licence\n");
    }
    for name in &release.files {
        text += &format!("{name}: ok\n");
    }
    if let Some(expires) = &release.update_expires {
        text += &format!("Windows can update themselves to this release until {expires}\n");
    }
    text
}
