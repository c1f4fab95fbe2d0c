//! UTF-16 text, recognised by its byte order mark or by its zero bytes, and written back in the same form.

/// Encodes text in the encoding that it was read in.
pub(super) type Encode = Box<dyn Fn(&str) -> Vec<u8>>;

/// Decodes UTF-16 bytes. Returns the text and its encoder, or `None` if the bytes are not UTF-16.
pub(super) fn decode(bytes: &[u8]) -> Option<(String, Encode)> {
    let (mark, big) = match bytes {
        [0xff, 0xfe, ..] => (2, false),
        [0xfe, 0xff, ..] => (2, true),
        _ => (0, looks_big_endian(bytes)?),
    };
    let body = &bytes[mark..];
    if !body.len().is_multiple_of(2) {
        return None;
    }
    let unit = move |pair: &[u8]| {
        let pair = [pair[0], pair[1]];
        if big { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
    };
    let text = String::from_utf16(&body.chunks(2).map(unit).collect::<Vec<_>>()).ok()?;
    let head = bytes[..mark].to_vec();
    let encode = move |text: &str| {
        let units = text.encode_utf16().flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() });
        head.iter().copied().chain(units).collect()
    };
    Some((text, Box::new(encode)))
}

/// Returns whether bytes without a mark are big-endian: Latin text in UTF-16 has a zero in every other byte.
fn looks_big_endian(bytes: &[u8]) -> Option<bool> {
    let head = &bytes[..bytes.len().min(512) & !1];
    if head.len() < 8 {
        return None;
    }
    let zeros = |offset: usize| head.iter().skip(offset).step_by(2).filter(|&&byte| byte == 0).count();
    let most = head.len() * 2 / 5;
    match (zeros(0) >= most, zeros(1) >= most) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}
