//! Checks of tables of texts.

use std::sync::Arc;

use super::{Redactor, Session};

/// Returns a session with the settings of a new installation.
pub(super) fn session() -> Session {
    let settings = diffsan_config::resolve(Vec::new(), false).expect("defaults").config.redaction;
    Arc::new(Redactor::new(&settings, [7; 32]).expect("engine")).session()
}

/// Checks that exactly the parts between `⟦` and `⟧` are masked in each text of a file.
pub(super) fn check(place: &str, texts: &[&str]) {
    let mark = regex::Regex::new(r"\[REDACTED:[^\]]*\]").expect("a pattern");
    let part = regex::Regex::new("⟦[^⟧]*⟧").expect("a pattern");
    let mut wrong = Vec::new();
    for text in texts {
        let bare = text.replace(['⟦', '⟧'], "");
        let masked = session().text(place, &bare).into_inner();
        let (masked, expected) = (mark.replace_all(&masked, "*"), part.replace_all(text, "*"));
        if masked != expected {
            wrong.push(format!("{bare}\n  expected {expected}\n  found    {masked}"));
        }
    }
    assert!(wrong.is_empty(), "{place}:\n{}", wrong.join("\n"));
}
