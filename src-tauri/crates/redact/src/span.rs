//! The span of a secret in a text.

use std::borrow::Cow;

use super::types::RedactionReason;

/// The span of a secret in a text, as byte offsets, with the rule that found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) rule: Cow<'static, str>,
    pub(super) reason: RedactionReason,
    /// The index of the secret in the session, once the session knows it.
    pub(super) known: Option<usize>,
}

impl Span {
    pub(super) fn new(start: usize, end: usize, rule: Cow<'static, str>) -> Self {
        Self { start, end, rule, reason: RedactionReason::Format, known: None }
    }

    pub(super) fn because(self, reason: RedactionReason) -> Self {
        Self { reason, ..self }
    }
}
