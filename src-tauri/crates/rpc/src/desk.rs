//! Methods for viewing a change and editing its findings.

use base64::Engine;

use super::pages::{LEAD, shown, shown_file};
use super::registry::{Fault, Table, opened};
use super::wire::{
    ChangeIdParams, ContextParams, ContextView, Done, EditFindingParams, FindingEdit, FindingParams, FixView,
    HighlightView, ImageParams, ImageView, ReviewView, SymbolView, SymbolsView, ViewedParams,
};
use super::{chat::fix_view, view};
use diffsan_app::{ChangeHandle, Edit};
use diffsan_change::FileChange;
use diffsan_pipeline::error::{Error, ErrorCode};
use diffsan_syntax::highlight;

pub(super) fn register(table: &mut Table) {
    looking(table);
    table.method("finding.edit", "Edits a finding of a review", |app, params: EditFindingParams| {
        let handle = opened(app, &params.change_id)?;
        let edit = match params.edit {
            FindingEdit::Rewrite { words } => Edit::Rewrite(words.into()),
            FindingEdit::Restore => Edit::Restore,
            FindingEdit::Remove => Edit::Remove,
        };
        let kept = app.edit_finding(&handle.opened, &params.review_id, &params.finding_key, edit)?;
        Ok::<ReviewView, Fault>(view::review(&kept, Some(&handle.opened)))
    });
    table.method(
        "finding.apply",
        "Applies a finding's suggested patch to the work tree",
        |app, params: FindingParams| {
            let handle = opened(app, &params.change_id)?;
            let allow = params.allow_protected.as_deref();
            let fix = app.apply_suggestion(&handle.opened, &params.review_id, &params.finding_key, allow)?;
            Ok::<FixView, Fault>(fix_view(&fix))
        },
    );
}

fn looking(table: &mut Table) {
    table.method("change.context", "Lines of a file around its hunks", |app, params: ContextParams| {
        let handle = opened(app, &params.change_id)?;
        let file = file(&handle, params.file)?;
        let found = app.context(&handle.opened, file, params.from, params.to, LEAD)?;
        let texts = |lines: &[Vec<u8>]| lines.iter().map(|line| shown(line)).collect::<Vec<_>>();
        let (lead, lines) = (texts(&found.lead), texts(&found.lines));
        let path = file.path().to_text();
        let all = lead.iter().chain(&lines).map(String::as_str);
        let classes = highlight::class_names();
        let colours = highlight::highlight(&path, all).into_iter().skip(lead.len()).collect();
        let colours = HighlightView { lines: colours, classes };
        Ok::<ContextView, Fault>(ContextView { first: found.first, lines, colours, total: found.total })
    });
    table.method("change.image", "A picture of one side of a file", |app, params: ImageParams| {
        let handle = opened(app, &params.change_id)?;
        let image = app.image(&handle.opened, file(&handle, params.file)?, params.side)?;
        let data = image.as_ref().map(|image| {
            format!(
                "data:{};base64,{}",
                image.media_type,
                base64::engine::general_purpose::STANDARD.encode(&image.bytes)
            )
        });
        Ok::<ImageView, Fault>(ImageView { data, bytes: image.map_or(0, |image| image.bytes.len() as u64) })
    });
    table.method("change.symbols", "The definitions that a change touches", |app, params: ChangeIdParams| {
        let handle = opened(app, &params.change_id)?;
        let symbols = app.symbols(&handle.opened).into_iter().map(|(file, symbol)| SymbolView {
            file,
            name: symbol.name,
            kind: symbol.kind,
            line: symbol.line,
            touched: symbol.touched,
        });
        Ok::<SymbolsView, Fault>(SymbolsView { symbols: symbols.collect() })
    });
    table.method("change.viewed", "Keeps what the reviewer has seen", |app, params: ViewedParams| {
        let handle = opened(app, &params.change_id)?;
        let marks = params.marks.iter().map(|mark| Ok((file(&handle, mark.file)?, mark.hunk)));
        let marks = marks.collect::<Result<Vec<_>, Fault>>()?;
        app.set_viewed(&handle.opened, &marks, params.viewed)?;
        Ok::<Done, Fault>(Done {})
    });
}

fn file(handle: &ChangeHandle, index: u32) -> Result<&FileChange, Fault> {
    let missing = || Error::new(ErrorCode::NotFound, "The change has no such file.").hint("Open the change again.");
    Ok(shown_file(&handle.opened, index).ok_or_else(missing)?)
}
