//! Reduces expressions and types to names: `this.api?.client()` to `this.api.client`, `Option<&Client>` to `Client`.

/// Generic types whose value behaves as the value inside them, or gives it by waiting, unwrapping or testing.
const WRAPPERS: &[&str] =
    &["Option", "Optional", "Box", "Rc", "Arc", "Result", "Promise", "Awaitable", "Ref", "RefMut"];

/// The maximum length of an expression that is reduced.
const MAX_CHAIN: usize = 160;

/// Returns an expression's names joined by dots, or `None` if it contains more than names, members and calls.
pub fn chain_of(text: &str) -> Option<String> {
    if text.len() > MAX_CHAIN {
        return None;
    }
    let mut text = text.trim();
    loop {
        let before = text;
        for prefix in ["new ", "await ", "&mut ", "mut ", "&", "*"] {
            text = text.strip_prefix(prefix).unwrap_or(text).trim_start();
        }
        // `(await x)`, `(*x)`.
        if let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            text = inner.trim();
        }
        if text == before {
            break;
        }
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let mut joined = true;
    while let Some(char) = rest.next() {
        match char {
            _ if char.is_alphanumeric() || char == '_' || char == '$' || char == '@' => {
                if !joined {
                    return None;
                }
                out.push(char);
                while let Some(next) = rest.next_if(|next| next.is_alphanumeric() || matches!(next, '_' | '$')) {
                    out.push(next);
                }
                joined = false;
            }
            '.' | ':' | '\\' => {
                if !joined {
                    out.push('.');
                }
                joined = true;
            }
            '-' if rest.next_if_eq(&'>').is_some() => {
                out.push('.');
                joined = true;
            }
            '(' if !joined => close(&mut rest, '(', ')')?,
            '<' => close(&mut rest, '<', '>')?,
            '?' | '!' => {}
            _ if char.is_whitespace() => {}
            _ => return None,
        }
    }
    let out = out.trim_end_matches('.');
    let first = out.chars().next()?;
    (!first.is_ascii_digit()).then(|| out.to_owned())
}

/// Skips to the bracket that closes the one before.
fn close(rest: &mut std::iter::Peekable<std::str::Chars<'_>>, open: char, end: char) -> Option<()> {
    let mut depth = 1;
    for char in rest.by_ref() {
        if char == open {
            depth += 1;
        } else if char == end {
            depth -= 1;
            if depth == 0 {
                return Some(());
            }
        }
    }
    None
}

/// Returns the name of the type in a type's text, without references, modifiers and arguments. Lists and functions give `None`.
pub fn type_name(text: &str) -> Option<String> {
    let mut text = text.trim().trim_start_matches(':').trim_start_matches("->").trim();
    loop {
        let before = text;
        for prefix in [
            "&",
            "*",
            "?",
            "\\",
            "mut ",
            "dyn ",
            "impl ",
            "const ",
            "struct ",
            "class ",
            "readonly ",
            "new ",
            "any ",
            "some ",
        ] {
            text = text.strip_prefix(prefix).unwrap_or(text).trim_start();
        }
        if text.starts_with('\'') && text.len() > 1 && !text[1..].contains('\'') {
            text = text[1..].trim_start_matches(|char: char| char.is_alphanumeric() || char == '_').trim_start();
        }
        text = text.trim_matches('"').trim_end_matches(['?', '!', '&', '*', ' ']);
        for suffix in [" | None", " | null", " | undefined", "|null"] {
            text = text.strip_suffix(suffix).unwrap_or(text);
        }
        if text == before {
            break;
        }
    }
    let end = text
        .find(|char: char| !(char.is_alphanumeric() || matches!(char, '_' | '.' | ':' | '\\' | '$')))
        .unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let name = name.trim_end_matches([':', '.']);
    let rest = rest.trim_start();
    let last = name.rsplit(['.', ':', '\\']).next().unwrap_or(name);
    if WRAPPERS.contains(&last) && rest.starts_with(['<', '[']) {
        let inner = rest[1..].split([',', '>', ']']).next()?;
        return type_name(if inner.contains('<') { rest[1..].trim_end_matches(['>', ']']) } else { inner });
    }
    let plain = rest.is_empty() || rest.starts_with('<') || rest.starts_with('{') || rest.starts_with('(');
    (!name.is_empty() && !name.starts_with(|char: char| char.is_ascii_digit()) && (plain || rest.starts_with("[Any]")))
        .then(|| name.replace("::", ".").replace('\\', "."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_reduced_to_names() {
        for (text, expected) in [
            ("self", Some("self")),
            ("this.api?.client(a, (b))", Some("this.api.client")),
            ("Foo::<T>::new()", Some("Foo.new")),
            ("$this->mailer", Some("$this.mailer")),
            ("(await load())", Some("load")),
            ("a + b", None),
            ("items[0]", None),
            ("\"text\"", None),
            ("12", None),
        ] {
            assert_eq!(chain_of(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn types_are_reduced_to_their_name() {
        for (text, expected) in [
            (": Client", Some("Client")),
            ("&'a mut Client", Some("Client")),
            ("Option<Box<Client>>", Some("Client")),
            ("Optional[Client]", Some("Client")),
            ("api.Client", Some("api.Client")),
            ("*http.Request", Some("http.Request")),
            ("Client | None", Some("Client")),
            ("Map<String, Client>", Some("Map")),
            ("[]Client", None),
            ("A | B", None),
        ] {
            assert_eq!(type_name(text).as_deref(), expected, "{text}");
        }
    }
}
