//! Cookies: which of them have a value that can be a secret.

use super::values::is_placeholder;

/// The name of the rule for cookies.
pub(super) const RULE: &str = "cookie";

/// The shortest value of a cookie that can be a secret, in bytes.
pub(super) const SHORTEST: usize = 6;

/// Returns whether a header of cookies has a value that can be a secret: `a=b; Path=/` and `session=${id}` have none.
pub(super) fn has_cookie(header: &[u8]) -> bool {
    header.split(|byte| *byte == b';').any(|cookie| match memchr::memchr(b'=', cookie) {
        Some(sign) => is_cookie(&cookie[..sign], &cookie[sign + 1..]),
        None => cookie.trim_ascii().len() >= SHORTEST && !is_cookie_attribute(cookie),
    })
}

/// Returns whether a part of a header of cookies is an attribute without a value.
pub(super) fn is_cookie_attribute(part: &[u8]) -> bool {
    [&b"secure"[..], b"httponly", b"partitioned"].iter().any(|name| part.trim_ascii().eq_ignore_ascii_case(name))
}

/// Returns whether the value of a cookie can be a secret.
pub(super) fn is_cookie(name: &[u8], value: &[u8]) -> bool {
    const OTHERS: &[&str] = &[
        "path", "domain", "expires", "max-age", "samesite", "version", "priority", "lang", "locale", "language",
        "theme", "timezone", "tz", "currency",
    ];
    let value = value.trim_ascii();
    let name = String::from_utf8_lossy(name).trim().to_lowercase();
    // A cookie that is removed has such a value.
    !value.eq_ignore_ascii_case(b"deleted")
        && !OTHERS.contains(&name.as_str())
        && value.len() >= SHORTEST
        && !is_placeholder(value)
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn a_cookie_without_a_value_of_its_own_is_harmless() {
        check(
            "a.ts",
            &[
                "Cookie: `session=${sessionId}`,",
                "h.Set(\"Set-Cookie\", \"session=abc; Path=/\")",
                "Cookie: \"session=⟦9f8a7c6d5e4f⟧; Path=/\"",
                "params={\"Set-Cookie\": \"foo=deleted; expires=Thu, 01-Jan-1970 00:00:01 GMT\"}",
            ],
        );
    }
}
