//! `diffsan bundle` and `diffsan replay`: seals a run, and makes the review of a sealed run again.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use diffsan_app::{App, AppOptions, SavedReview};
use diffsan_bundle::{
    Comparison, MAX_BUNDLE_BYTES, Opened, Signer, ask_other, find_run, read_bundle, seal as seal_run,
};
use diffsan_export::{Exported, export};
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_redact::types::Redacted;
use diffsan_review::ReviewOutput;
use diffsan_review::finding::Finding;
use serde_json::json;

use crate::args::{Format, OutputArgs};
use crate::{output, stop};

/// The arguments of `diffsan bundle`.
#[derive(Debug, Clone, Args)]
pub struct BundleArgs {
    /// The run: its identifier, `last`, or its folder
    #[arg(value_name = "RUN")]
    pub run: String,
    /// The bundle to write
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
    /// Sign the bundle with this SSH key: the file of a private key, or of the public key of one in the SSH agent
    #[arg(long, value_name = "KEY")]
    pub sign: Option<PathBuf>,
    /// Print the manifest as JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `diffsan replay`.
#[derive(Debug, Clone, Args)]
pub struct ReplayArgs {
    /// The bundle
    #[arg(value_name = "FILE")]
    pub bundle: PathBuf,
    /// Accept only bundles that one of these signers signed (a file in the format of ssh-keygen)
    #[arg(long, value_name = "FILE")]
    pub allowed_signers: Option<PathBuf>,
    /// Ask this agent the same prompts, and compare its findings
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// The model of that agent
    #[arg(long, value_name = "MODEL", requires = "agent")]
    pub model: Option<String>,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Seals a run.
pub async fn seal(args: BundleArgs) -> Result<ExitCode> {
    blocking(move || {
        let app = output::start(AppOptions::default())?;
        let run = find_run(app.places(), &args.run)?;
        let sealed = seal_run(&run, args.sign.as_deref(), &app.search_path())?;
        std::fs::write(&args.output, &sealed.bytes).map_err(|error| {
            Error::new(ErrorCode::IoFailed, format!("{} cannot be written: {error}.", args.output.display()))
        })?;
        if args.json {
            let signed = args.sign.is_some();
            let value = json!({ "manifest": sealed.manifest, "sha256": sealed.digest, "signed": signed });
            output::result(&output::json(&value)?, None)?;
        }
        let files = sealed.manifest.files.len();
        output::say(&format!("sealed {files} files of run {} in {}", sealed.manifest.run_id, args.output.display()));
        output::say(&format!("manifest sha256:{}", sealed.digest));
        Ok(ExitCode::SUCCESS)
    })
    .await
}

/// Checks a bundle, and makes its review again.
pub async fn replay(args: ReplayArgs) -> Result<ExitCode> {
    let (app, bundle, args) = blocking(move || {
        let app = output::start(AppOptions::default())?;
        let bundle = open(&app, &args)?;
        Ok((app, bundle, args))
    })
    .await?;
    let format = args.output.format()?;
    let text = match &args.agent {
        Some(agent) => compare(&app, &bundle, agent, &args, format).await?,
        None => {
            let opened = bundle.clone();
            let (review, recorded) = blocking(move || Ok(opened.replay()?)).await?;
            if format.is_json() { recorded } else { review_text(review, &bundle, &args.bundle, format)? }
        }
    };
    output::document(&text, format, args.output.output.as_deref())?;
    Ok(ExitCode::SUCCESS)
}

/// Reads and checks the bundle, and says who signed it.
fn open(app: &App, args: &ReplayArgs) -> Result<Opened> {
    let bytes = diffsan_bounded::read(&args.bundle, MAX_BUNDLE_BYTES).map_err(|error| {
        Error::new(ErrorCode::InvalidInput, format!("The bundle {} cannot be read: {error}.", args.bundle.display()))
            .hint("Name a file that `diffsan bundle` wrote.")
    })?;
    let at = |error: Error| error.with("bundle", args.bundle.display().to_string());
    let bundle = read_bundle(&bytes).map_err(|error| at(error.into()))?;
    let signer = bundle.check_signature(args.allowed_signers.as_deref(), &app.search_path()).map_err(at)?;
    output::say(&match signer {
        Signer::None => "not signed".to_owned(),
        Signer::Key(key) => format!("signed with the key {key}; --allowed-signers checks whose key it is"),
        Signer::Allowed { name, key } => format!("signed by {name} with the key {key}"),
    });
    output::say(&format!("run {}, manifest sha256:{}", bundle.manifest.run_id, bundle.digest));
    Ok(bundle)
}

fn review_text(review: ReviewOutput, bundle: &Opened, file: &Path, format: Format) -> Result<String> {
    let created_at = finished(bundle);
    match format.exported() {
        Some(format) => {
            let title = Redacted::fixed("A sealed run");
            let exported = Exported {
                title: &title,
                created_at: &created_at,
                output: &review,
                decisions: &[],
                masked: 0,
                looked: None,
            };
            Ok(export(format, &exported)?)
        }
        None => Ok(output::review_text(&SavedReview {
            id: bundle.manifest.run_id.clone(),
            created_at,
            earlier: false,
            fingerprint: review.meta.fingerprint.value.clone(),
            run_dir: file.display().to_string(),
            output: review,
            masked: 0,
            cut_files: 0,
            decisions: Vec::new(),
            applied: Vec::new(),
        })),
    }
}

/// Returns the time when the run ended.
fn finished(bundle: &Opened) -> String {
    let record: Option<serde_json::Value> = bundle.text("run.json").and_then(|text| serde_json::from_str(&text).ok());
    record.and_then(|record| Some(record["finished_at"].as_str()?.to_owned())).unwrap_or_default()
}

async fn compare(app: &Arc<App>, bundle: &Opened, agent: &str, args: &ReplayArgs, format: Format) -> Result<String> {
    if format.exported().is_some() && !format.is_json() {
        return Err(Error::new(ErrorCode::InvalidInput, "A comparison is only available as text and as JSON.")
            .hint("Use --format text or --format json."));
    }
    let starting = Arc::clone(app);
    let (config, session, search) = blocking(move || {
        let session = Arc::new(starting.redactor()?).session();
        Ok((starting.user_config()?, session, starting.search_path()))
    })
    .await?;
    let cancel = app.cancellation();
    stop::cancels(&cancel);
    output::progress(&format!("Asking {agent} the same prompts"));
    let asked = (&config, agent, args.model.as_deref());
    let comparison = ask_other(app.places(), bundle, asked, session, (&search, &cancel)).await?;
    if format.is_json() { output::json(&comparison) } else { Ok(comparison_text(&comparison)) }
}

fn comparison_text(comparison: &Comparison) -> String {
    let Comparison { sealed_agent, other_agent, other_model: _, same, only_sealed, only_other, unreadable } =
        comparison;
    let mut out = String::new();
    let mut list = |title: String, findings: &mut dyn Iterator<Item = &Finding>| {
        let lines: Vec<String> = findings.map(line).collect();
        out += &format!("{title}: {}\n{}", lines.len(), lines.concat());
    };
    list("both".to_owned(), &mut same.iter().map(|one| &one.sealed));
    list(format!("only the sealed review ({sealed_agent})"), &mut only_sealed.iter());
    list(format!("only the new answer ({other_agent})"), &mut only_other.iter());
    if *unreadable > 0 {
        out += &format!("findings of {other_agent} that cannot be read: {unreadable}\n");
    }
    out
}

fn line(finding: &Finding) -> String {
    let title = finding.content.title.as_deref().unwrap_or(&finding.content.body_markdown);
    let title = title.lines().next().unwrap_or_default();
    format!("  {} {} {title}\n", finding.content.severity.name().to_uppercase(), output::place(finding))
}
