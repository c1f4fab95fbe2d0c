//! Finds secrets inside base64 and hexadecimal. A run that decodes to text is scanned like any other text, and masked as a whole if it
//! contains a secret.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::Redactor;
use super::engine::scan;
use super::obvious::is_sequence;
use super::runs::runs;
use super::span::Span;
use super::types::RedactionReason;

/// The minimum length of a run in characters: a multiple of four, so that the beginning decodes by itself.
const SHORTEST: usize = 32;

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);

const fn kinds() -> [bool; 256] {
    let mut kinds = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let char = byte as u8;
        kinds[byte] = char.is_ascii_alphanumeric() || matches!(char, b'+' | b'/' | b'-' | b'_');
        byte += 1;
    }
    kinds
}
const IN_BASE64: [bool; 256] = kinds();

/// Adds the runs that contain a secret.
pub(super) fn find(text: &[u8], redactor: &Redactor, spans: &mut Vec<Span>) {
    for (start, end) in runs(text, SHORTEST, |byte| IN_BASE64[usize::from(byte)]) {
        if let Some(rule) = held(&text[start..end], redactor) {
            let padding = text[end..].iter().take(2).take_while(|byte| **byte == b'=').count();
            spans.push(Span::new(start, end + padding, rule).because(RedactionReason::Encoded));
        }
    }
}

/// Returns the rule of the first secret in a run that decodes to text.
fn held(run: &[u8], redactor: &Redactor) -> Option<std::borrow::Cow<'static, str>> {
    // The first bytes distinguish text from binary data. Most runs are binary.
    let engine = if memchr::memchr2(b'-', b'_', run).is_some() { URL_SAFE } else { STANDARD };
    // Most runs of hexadecimal digits are hashes, and the pattern of digits says so before they are decoded.
    if is_text_in_hex(run)
        && let Some(text) = hex::decode(run).ok().filter(|text| is_text(text))
    {
        return scanned(&text, redactor);
    }
    let head = engine.decode(&run[..SHORTEST]).ok()?;
    if !is_text(&head) {
        return None;
    }
    let whole = run.len() - usize::from(run.len() % 4 == 1);
    let decoded = engine.decode(&run[..whole]).ok()?;
    if !is_text(&decoded) {
        return None;
    }
    scanned(&decoded, redactor)
}

/// Returns whether the first bytes of a run are hexadecimal digits that stand for text.
fn is_text_in_hex(run: &[u8]) -> bool {
    run.iter().all(u8::is_ascii_hexdigit) && {
        // The digits of bytes that are not ASCII begin with 8 to f, those of control characters with 0 or 1.
        let odd = run.iter().step_by(2).filter(|digit| !matches!(**digit, b'0'..=b'7')).count();
        run.len().is_multiple_of(2) && odd * 8 <= run.len() / 2
    }
}

/// Returns the rule of the first secret in a decoded text.
fn scanned(decoded: &[u8], redactor: &Redactor) -> Option<std::borrow::Cow<'static, str>> {
    let mut found = Vec::new();
    scan(decoded, super::values::Bare::Text, redactor, &mut found);
    found.into_iter().find(|span| !super::values::is_placeholder(&decoded[span.start..span.end])).map(|span| span.rule)
}

/// Returns whether a run decodes to `user:password`, with a password that can be a secret.
pub(super) fn is_user_and_password(run: &[u8]) -> bool {
    let Ok(decoded) = STANDARD.decode(run.trim_ascii_end()) else { return false };
    let Some(colon) = memchr::memchr(b':', &decoded) else { return false };
    let (user, password) = (&decoded[..colon], &decoded[colon + 1..]);
    let is_harmless = super::values::is_placeholder(password) || is_sequence(password) || user == password;
    is_text(&decoded) && !is_harmless
}

/// Returns whether a run decodes to `user:` without a password.
pub(super) fn is_pair_without_password(run: &[u8]) -> bool {
    let decoded = STANDARD.decode(run.trim_ascii_end());
    decoded.is_ok_and(|decoded| {
        is_text(&decoded) && decoded.ends_with(b":") && memchr::memchr_iter(b':', &decoded).count() == 1
    })
}

/// Returns whether bytes are a text. One that is not in UTF-8 may have few bytes that are not ASCII.
fn is_text(bytes: &[u8]) -> bool {
    let odd_in = |text: &str| text.chars().filter(|char| char.is_control() && !char.is_whitespace()).count();
    if let Ok(text) = std::str::from_utf8(bytes) {
        let letters = text.chars().filter(|char| !char.is_ascii()).count();
        return odd_in(text) * 20 <= bytes.len() && letters * 4 <= bytes.len();
    }
    let odd =
        bytes.iter().filter(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace() || !byte.is_ascii()).count();
    odd * 20 <= bytes.len()
}
