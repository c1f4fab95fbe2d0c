//! Finds the values of Kubernetes `Secret` documents in YAML and JSON: every value under `data` and `stringData`, whatever its key.
//!
//! In: the text of a file or of the hunks of one. Out: spans. A document whose `kind` is not in the text is not read.

use super::code::{is_reference, is_wordy};
use super::span::Span;
use super::values::is_placeholder;

/// The rule's name in reports and markers.
const RULE: &str = "kubernetes-secret-data";

/// `-----BEGIN CERTIFICATE` in base64.
const CERTIFICATE: &[u8] = b"LS0tLS1CRUdJTiBDRVJUSUZJQ0FU";

/// A line of a document, with the offset of its first byte.
type Line<'a> = (usize, &'a [u8]);

/// The maximum length in bytes of a document in JSON.
const MAX_JSON_BYTES: usize = 64 * 1024;

/// Adds the values of all `Secret` documents of a text. Returns whether the text has a `SealedSecret`.
pub(super) fn find(text: &[u8], spans: &mut Vec<Span>) -> bool {
    let (mut json, mut yaml, mut sealed) = (false, false, false);
    for at in memchr::memmem::find_iter(text, b"kind") {
        let rest = &text[at + 4..];
        json |= rest.starts_with(b"\"");
        sealed |= rest.starts_with(b": SealedSecret");
        yaml |= rest.starts_with(b": Secret") || rest.starts_with(b": \"Secret\"");
    }
    if json {
        in_json(text, spans);
    }
    if !yaml {
        return sealed;
    }
    let mut at = 0;
    let mut document: Vec<Line<'_>> = Vec::new();
    for line in text.split(|byte| *byte == b'\n') {
        if line.starts_with(b"---") {
            read(&document, spans);
            document.clear();
        }
        document.push((at, line.trim_ascii_end()));
        at += line.len() + 1;
    }
    read(&document, spans);
    sealed
}

/// Adds the values of the documents in JSON: every string of the objects `data` and `stringData` whose nearest `kind` is `Secret`.
fn in_json(text: &[u8], spans: &mut Vec<Span>) {
    let kinds: Vec<(usize, bool)> = memchr::memmem::find_iter(text, b"\"kind\"")
        .filter_map(|at| {
            let value = text[at + 6..].trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
            Some((at, value.starts_with(b"\"Secret\"")))
        })
        .collect();
    if !kinds.iter().any(|(_, secret)| *secret) {
        return;
    }
    for name in [&b"\"data\""[..], b"\"stringData\""] {
        for at in memchr::memmem::find_iter(text, name) {
            let nearest = kinds.iter().min_by_key(|(kind, _)| kind.abs_diff(at));
            if nearest.is_some_and(|(kind, secret)| *secret && kind.abs_diff(at) < MAX_JSON_BYTES) {
                values(text, at + name.len(), spans);
            }
        }
    }
}

/// Adds the strings behind the colons of the object that begins at a place.
fn values(text: &[u8], from: usize, spans: &mut Vec<Span>) {
    let stop = text.len().min(from + MAX_JSON_BYTES);
    let (mut open, mut value) = (None, false);
    let mut at = from;
    while at < stop {
        match (open, text[at]) {
            (Some(_), b'\\') => at += 1,
            (Some(start), b'"') => {
                let public = text[start..at].starts_with(CERTIFICATE);
                if value && start < at && !public && !is_placeholder(&text[start..at]) {
                    spans.push(Span::new(start, at, RULE.into()));
                }
                (open, value) = (None, false);
            }
            (Some(_), _) => {}
            (None, b'"') => open = Some(at + 1),
            (None, b':') => value = true,
            (None, b'{') => value = false,
            (None, b'}' | b'[') => return,
            (None, _) => {}
        }
        at += 1;
    }
}

/// Adds the values of a document if it is a `Secret`.
fn read(document: &[Line<'_>], spans: &mut Vec<Span>) {
    let kinds: &[&[u8]] = &[b"kind: Secret", b"kind: \"Secret\""];
    if !document.iter().any(|(_, line)| kinds.contains(&line.trim_ascii_start())) {
        return;
    }
    // The indentation of `data:`, while its values are read, and that of a key whose value is a block of lines.
    let (mut data, mut block) = (None, None);
    for &(at, line) in document {
        let indent = line.iter().take_while(|byte| **byte == b' ').count();
        let content = &line[indent..];
        if content.is_empty() || content.starts_with(b"#") && block.is_none() {
            continue;
        }
        if matches!(content, b"data:" | b"stringData:") && data.is_none_or(|data| indent <= data) {
            (data, block) = (Some(indent), None);
            continue;
        }
        if data.is_some_and(|data| indent <= data) {
            (data, block) = (None, None);
        }
        if data.is_none() {
            continue;
        }
        if block.is_some_and(|block| indent > block) {
            spans.push(Span::new(at + indent, at + line.len(), RULE.into()));
            continue;
        }
        block = None;
        let Some(colon) = memchr::memmem::find(content, b": ") else { continue };
        let value = content[colon + 2..].trim_ascii_start();
        if matches!(value.first(), Some(b'|' | b'>')) {
            block = Some(indent);
            continue;
        }
        // A certificate is public.
        if content[..colon].ends_with(b".crt") || value.starts_with(CERTIFICATE) {
            continue;
        }
        let (from, to) = unquoted(value);
        let start = at + line.len() - value.len();
        let bare = &value[from..to];
        if !bare.is_empty() && !is_filled_in(bare) && !is_placeholder(bare) && !is_reference(bare) {
            spans.push(Span::new(start + from, start + to, RULE.into()));
        }
    }
}

/// Returns whether a template fills in what is secret in a value: `postgres://{{ .user }}:{{ .password }}@host/app`.
fn is_filled_in(value: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return false };
    text.starts_with("{{")
        || text.contains("{{") && text.split("{{").all(|part| is_wordy(part.rsplit("}}").next().unwrap_or_default()))
}

/// The length of the shortest value of a sealed secret in bytes.
const SHORTEST_SEALED: usize = 100;

/// The length of the shortest value with the session key of a sealed secret in base64, and the beginnings of such values: the length of
/// the session key. No other value has them, so a hunk with a part of the document needs no `kind`.
const SHORTEST_WITH_KEY: usize = 700;
const STARTS_WITH_KEY: &[&[u8]] = &[b"AgA", b"AgB", b"AgC", b"AgD"];

/// Returns whether a value of a `SealedSecret` document is encrypted. Only a cluster can read it, so it is made to be public.
pub(super) fn is_sealed(value: &[u8], has_document: bool) -> bool {
    (has_document && value.len() >= SHORTEST_SEALED && value.starts_with(b"Ag")
        || value.len() >= SHORTEST_WITH_KEY && STARTS_WITH_KEY.iter().any(|start| value.starts_with(start)))
        && value.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte))
}

/// Returns the range of a value without its quotes, or without the comment behind it.
fn unquoted(value: &[u8]) -> (usize, usize) {
    if let Some(quote @ (b'"' | b'\'')) = value.first()
        && let Some(end) = value[1..].iter().rposition(|byte| byte == quote)
    {
        return (1, 1 + end);
    }
    (0, memchr::memmem::find(value, b" #").unwrap_or(value.len()))
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn sealed_values_are_public() {
        let value = "AgBMceFpt0Nr8W17jfckRYnpvAwVOmcrRob9oT".repeat(8);
        let sealed = |kind: &str| format!("kind: {kind}\nspec:\n  encryptedData:\n    password: {value}\n");
        check("a.yaml", &[&sealed("SealedSecret"), &sealed("Other").replace(&value, &format!("⟦{value}⟧"))]);
        let with_key = value.repeat(3);
        let other = with_key.replace("AgBM", "CgBM");
        check("a.yaml", &[&format!("    password: {with_key}\n"), &format!("    password: ⟦{other}⟧\n")]);
    }

    #[test]
    fn every_value_of_a_secret_is_masked() {
        check(
            "a.yaml",
            &[
                "apiVersion: v1\nkind: Secret\nmetadata:\n  name: shop\ndata:\n  user: ⟦YWRtaW4=⟧\n  # a note\n  url: ⟦aHR0cDovL3gvP2E9Yg==⟧\n\
                 type: Opaque\n---\nkind: ConfigMap\ndata:\n  colour: blue\n",
                "stringData:\n  user: ⟦admin⟧ # the first\n  file: |\n    ⟦a = 1⟧\n    ⟦b = 2⟧\n  host: \"⟦db.local⟧\"\nkind: Secret\n",
                "kind: Secret\nmetadata:\n  data: x\nstringData:\n  user: ${USER}\n  name: {{ .Values.name }}\n",
                "kind: SecretStore\ndata:\n  user: admin\n",
                "kind: Secret\nstringData:\n  dsn: \"postgres://{{ .Values.user }}:{{ .Values.password }}@{{ .Values.host }}/app\"\n",
            ],
        );
        check(
            "a.json",
            &[
                "{\"kind\":\"Secret\",\"metadata\":{\"name\":\"x\"},\"data\":{\"a\":\"⟦YWRtaW4=⟧\",\"b\": \"⟦YWRtaW5Y⟧\"},\"x\":\"y\"}",
                "{\"kind\":\"Secret\",\"data\":{\"ca\":\"LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==\"}}",
                "[{\"data\":{\"mode\":\"blue\"},\"kind\":\"ConfigMap\"}, {\"kind\":\"Secret\",\"stringData\":{\"u\":\"⟦admin⟧\"}}]",
            ],
        );
    }
}
