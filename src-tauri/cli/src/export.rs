//! `diffsan export`: exports the latest review of a change, or one from a file.

use diffsan_pipeline::blocking;
use std::process::ExitCode;
use std::sync::Arc;

use diffsan_app::SavedReview;
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_posting::{read_review, relocate_review};

use crate::args::{ExportArgs, Format};
use crate::{output, prepare};

/// Exports the review.
pub async fn run(args: ExportArgs) -> Result<ExitCode> {
    let (app, handle) = prepare::open(&args.source).await?;
    let (text, format, file) = blocking(move || {
        let opened = &handle.opened;
        let named = args.output.format()?;
        let saved = match &args.review {
            Some(file) => {
                let text =
                    diffsan_bounded::read_to_string(file, diffsan_bounded::MAX_PATCH_BYTES).map_err(|error| {
                        Error::new(
                            ErrorCode::InvalidInput,
                            format!("The review {} cannot be read: {error}.", file.display()),
                        )
                        .hint("Pass the review.json of a run, or the output of `diffsan review --json`.")
                    })?;
                let review = read_review(opened, &text)?;
                let review = if args.reanchor { relocate_review(opened, &review)? } else { review };
                return finish(&args, named, Arc::clone(&app), opened, Err(review));
            }
            None => app.latest_review(opened)?.ok_or_else(|| {
                Error::new(ErrorCode::NotFound, "This change has no review yet.")
                    .hint("Review it with `diffsan review`, name another change, or pass a review with --review.")
            })?,
        };
        let saved = if args.reanchor { app.reanchor(opened, &saved.id)? } else { saved };
        finish(&args, named, Arc::clone(&app), opened, Ok(saved))
    })
    .await?;
    output::document(&text, format, file.as_deref())?;
    Ok(ExitCode::SUCCESS)
}

type Written = (String, Format, Option<std::path::PathBuf>);

fn finish(
    args: &ExportArgs,
    format: Format,
    app: Arc<diffsan_app::App>,
    opened: &diffsan_pipeline::open::OpenChange,
    review: std::result::Result<SavedReview, diffsan_review::ReviewOutput>,
) -> Result<Written> {
    let text = match (format.exported(), review) {
        (Some(format), Ok(saved)) => app.export(&saved, opened, format)?.text,
        (Some(format), Err(review)) => app.export_output(review, opened, format)?.text,
        (None, Ok(saved)) => output::review_text(&saved),
        (None, Err(_)) => {
            return Err(Error::new(
                ErrorCode::InvalidInput,
                "The format text is not available for a review from a file.",
            )
            .hint("Use --format markdown, html, sarif, code-quality or json."));
        }
    };
    Ok((text, format, args.output.output.clone()))
}
