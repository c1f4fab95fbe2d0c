//! Checks code that agents quote as evidence.

use super::placing::read_files;
use crate::open::OpenChange;
use diffsan_anchor::QuoteCheck;
use diffsan_redact::Session;
use diffsan_review::quotes::{CheckedQuote, CodeQuote};

/// Returns, for each list of quotes, those whose code is there, and the number of the others. Blocks.
pub fn check_quotes(
    opened: &OpenChange,
    quotes: Vec<Vec<CodeQuote>>,
    session: &mut Session,
) -> Vec<(Vec<CheckedQuote>, u32)> {
    let files = read_files(opened, quotes.iter().flatten().map(|quote| quote.path.as_str()), session);
    let check = QuoteCheck::new(opened.prepared().masked.get(), &files);
    quotes.into_iter().map(|list| check.check(list)).collect()
}
