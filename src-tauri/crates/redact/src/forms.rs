//! The forms in which a secret may be written elsewhere: encoded and escaped.

use base64::Engine as _;

/// Returns the forms in which a secret may be written elsewhere: plain, base64 (alone, and inside a longer run at each of three offsets),
/// hex, and escaped for URLs, HTML and JSON.
pub(super) fn forms(secret: &[u8]) -> Vec<Vec<u8>> {
    use base64::engine::general_purpose::STANDARD_NO_PAD;
    let mut forms = vec![secret.to_vec(), STANDARD_NO_PAD.encode(secret).into_bytes()];
    let mut padded = vec![0; 2];
    padded.extend_from_slice(secret);
    for shift in 0..3usize {
        // Keep only the characters that depend on the secret alone. The outer characters also depend on the surrounding bytes.
        let padded = &padded[2 - shift..];
        let from = [0, 2, 3][shift];
        let encoded = STANDARD_NO_PAD.encode(padded).into_bytes();
        let whole = encoded.len() - usize::from(!padded.len().is_multiple_of(3));
        if whole > from + 10 {
            let form = &encoded[from..whole];
            forms.push(form.to_vec());
            if form.iter().any(|byte| matches!(byte, b'+' | b'/')) {
                let safe = |byte: &u8| match byte {
                    b'+' => b'-',
                    b'/' => b'_',
                    other => *other,
                };
                forms.push(form.iter().map(safe).collect());
            }
        }
    }
    for digits in [b"0123456789ABCDEF", b"0123456789abcdef"] {
        let pair = |byte: &u8| [digits[usize::from(byte >> 4)], digits[usize::from(byte & 15)]];
        forms.push(secret.iter().flat_map(pair).collect());
    }
    // Each function returns the escape of a byte, or `None` where the byte is written as it is.
    let escapes: [&dyn Fn(u8) -> Option<String>; 6] = [
        &|byte| (!is_plain(byte)).then(|| format!("%{byte:02X}")),
        &|byte| (!is_plain(byte)).then(|| format!("%{byte:02x}")),
        &|byte| match byte {
            b'&' => Some("&amp;".to_owned()),
            b'<' => Some("&lt;".to_owned()),
            b'>' => Some("&gt;".to_owned()),
            b'"' => Some("&quot;".to_owned()),
            b'\'' => Some("&#39;".to_owned()),
            _ => None,
        },
        &|byte| matches!(byte, b'"' | b'\\').then(|| format!("\\{}", char::from(byte))),
        &|byte| (byte == b'/').then(|| "\\/".to_owned()),
        &|byte| matches!(byte, b'&' | b'<' | b'>' | b'\'' | b'=' | b'+').then(|| format!("\\u{byte:04x}")),
    ];
    if !secret.iter().all(u8::is_ascii_alphanumeric) {
        for escape in escapes {
            let mut form = Vec::with_capacity(secret.len() + 8);
            for &byte in secret {
                match escape(byte) {
                    Some(escaped) => form.extend_from_slice(escaped.as_bytes()),
                    None => form.push(byte),
                }
            }
            forms.push(form);
        }
    }
    forms
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte)
}

/// Returns the end of a copy with the padding of base64 behind it.
pub(super) fn with_padding(text: &[u8], end: usize) -> usize {
    let padding = text[end..].iter().take(3).take_while(|byte| **byte == b'=').count();
    let ended = text.get(end + padding).is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b' ');
    if padding <= 2 && ended { end + padding } else { end }
}
