//! `diffsan redact`: masks the secrets of standard input.

use std::io::{BufWriter, Read, Write};
use std::process::ExitCode;
use std::sync::Arc;

use base64::Engine;
use diffsan_app::AppOptions;
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_redact::types::{RedactedFile, RedactionReport};
use diffsan_redact::{Redactor, StreamFilter};
use serde::{Deserialize, Serialize};

use crate::args::RedactArgs;
use crate::output;

#[derive(Deserialize)]
struct Item {
    id: serde_json::Value,
    #[serde(default)]
    path: String,
    #[serde(default)]
    format: Form,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    bytes_b64: Option<String>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Form {
    #[default]
    Text,
    Diff,
    Bytes,
}

#[derive(Serialize)]
struct Masked {
    id: serde_json::Value,
    text: String,
}

/// Copies standard input to standard output with its secrets masked.
pub fn run(args: &RedactArgs) -> Result<ExitCode> {
    let app = output::start(AppOptions::default())?;
    let redactor = Arc::new(app.redactor()?);
    let report = if args.jsonl { lines(&redactor)? } else { stream(&redactor)? };
    if let Some(path) = &args.report {
        output::result(&output::json(&report)?, Some(path))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn io(error: std::io::Error) -> Error {
    Error::new(ErrorCode::IoFailed, format!("Standard input or output failed: {error}."))
}

fn stream(redactor: &Arc<Redactor>) -> Result<RedactionReport> {
    let mut filter = StreamFilter::new(redactor.session());
    let mut input = std::io::stdin().lock();
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut buffer = vec![0; 256 * 1024];
    loop {
        let count = input.read(&mut buffer).map_err(io)?;
        if count == 0 {
            break;
        }
        out.write_all(&filter.push(&buffer[..count])).map_err(io)?;
    }
    let (rest, session) = filter.finish();
    out.write_all(&rest).and_then(|()| out.flush()).map_err(io)?;
    Ok(session.report())
}

/// Masks many texts in one process. Each text is masked independently: its numbers begin again.
fn lines(redactor: &Arc<Redactor>) -> Result<RedactionReport> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut report = redactor.session().report();
    let mut input = std::io::stdin().lock();
    for number in 0.. {
        let Some(line) = diffsan_bounded::read_line(&mut input, diffsan_bounded::MAX_PATCH_BYTES).map_err(io)? else {
            break;
        };
        if line.trim().is_empty() {
            continue;
        }
        let wrong = |reason: String| {
            Error::new(
                ErrorCode::InvalidInput,
                format!("Line {} of standard input is not valid: {reason}.", number + 1),
            )
            .hint(
                "Each line must be {\"id\", \"path\", \"format\": \"text\"|\"diff\"|\"bytes\", \"text\" or \"bytes_b64\"}.",
            )
        };
        let item: Item = serde_json::from_str(&line).map_err(|error| wrong(error.to_string()))?;
        let bytes = match (&item.text, &item.bytes_b64) {
            (_, Some(encoded)) => base64::engine::general_purpose::STANDARD
                .decode(encoded)
                .map_err(|error| wrong(format!("bytes_b64: {error}")))?,
            (Some(text), None) => text.clone().into_bytes(),
            (None, None) => return Err(wrong("it has neither text nor bytes_b64".to_owned())),
        };
        let mut session = redactor.session();
        let text = match item.format {
            Form::Bytes => String::from_utf8_lossy(session.bytes(&item.path, &bytes).get()).into_owned(),
            Form::Diff => session.diff_text(&item.path, &String::from_utf8_lossy(&bytes)).into_inner(),
            Form::Text => session.text(&item.path, &String::from_utf8_lossy(&bytes)).into_inner(),
        };
        let one = session.report();
        report.found |= one.found;
        report.matches.extend(one.matches);
        report.unlisted += one.unlisted;
        serde_json::to_writer(&mut out, &Masked { id: item.id, text }).map_err(|error| io(error.into()))?;
        // The caller waits for the answer before it sends the next line.
        out.write_all(b"\n").and_then(|()| out.flush()).map_err(io)?;
    }
    report.files = RedactedFile::summarize(&report.matches);
    Ok(report)
}
