//! What a value plainly is not a secret: placeholders, references, code.

/// A value that stands for one, or is empty, or is taken from elsewhere.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let text = String::from_utf8_lossy(value);
    let text = text.trim();
    let lower = text.to_lowercase();
    if text.len() < 3 || lower.starts_with("[redacted") {
        return true;
    }
    let wrapped = [
        ("<", ">"),
        ("${", "}"),
        ("{{", "}}"),
        ("%(", ")s"),
        ("$(", ")"),
        ("#{", "}"),
        ("%", "%"),
        ("{", "}"),
        ("__", "__"),
        ("((", "))"),
    ];
    if wrapped.iter().any(|(open, close)| text.starts_with(open) && text.ends_with(close))
        || text.starts_with('$') && is_name(&text[1..])
    {
        return true;
    }
    let first = lower.chars().next();
    if lower.chars().all(|char| Some(char) == first || "xX*.-_#•".contains(char)) {
        return true;
    }
    const EXACT: &[&str] = &[
        "null",
        "none",
        "nil",
        "undefined",
        "true",
        "false",
        "string",
        "str",
        "text",
        "bytes",
        "int",
        "number",
        "bool",
        "boolean",
        "any",
        "object",
        "optional",
        "required",
        "changeme",
        "change-me",
        "change_me",
        "changeit",
        "placeholder",
        "example",
        "todo",
        "tbd",
        "dummy",
        "redacted",
        "hidden",
        "masked",
        "removed",
        "empty",
        "n/a",
        "unset",
        "default",
        "password",
        "passwd",
        "secret",
        "token",
        "api_key",
        "apikey",
        "username",
        "user",
        "value",
        "password123!example",
        "bearer",
        "basic",
        "oauth",
        "oauth2",
        "jwt",
        "file",
        "env",
        "vault",
        "yes",
        "no",
        "on",
        "off",
        "enabled",
        "disabled",
    ];
    if EXACT.contains(&lower.as_str()) {
        return true;
    }
    const PARTS: &[&str] = &[
        "your-",
        "your_",
        "yourpassword",
        "yoursecret",
        "yourtoken",
        "yourapikey",
        "<your",
        "insert-",
        "insert_",
        "replace-",
        "replace_",
        "replaceme",
        "my-secret-here",
        "example.com",
        "placeholder",
        "changeme",
        "change-me",
        "-here",
        "_here",
        "dummy-",
        "process.env",
        "os.environ",
        "getenv",
        "env::var",
        "env.get",
        "system.getenv",
        "secrets.",
        "vault:",
        "ssm:",
        "arn:aws:secretsmanager",
        "keyvault",
        "var.",
        "local.",
        "data.",
        "module.",
        "op://",
        "sops:",
        "enc[",
        "!ref",
        "!sub",
        "!getatt",
        "fn::",
    ];
    PARTS.iter().any(|part| lower.contains(part))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|char| char.is_alphanumeric() || char == '_')
}

/// An unquoted value that is code: a name, a member, a call, a type, a number. Where values are plain (a `.env`, a command
/// line) a name is a value.
pub(super) fn is_code(value: &[u8], plain_values: bool) -> bool {
    let text = String::from_utf8_lossy(value);
    let text = text.trim_end_matches([';', ',']);
    if text.contains(['(', '[', '{', '$']) || text.starts_with(['&', '*', '!', '@', '|', '>', '/', '.', '-']) {
        return true;
    }
    if text.chars().all(|char| char.is_ascii_digit() || char == '.') && text.len() < 6 {
        return true;
    }
    if plain_values {
        return false;
    }
    // Names have letters and separators; digits inside one are at its end (`token2`), or it is a constant.
    text.split(['.', ':', '-', '?']).filter(|part| !part.is_empty()).all(|part| {
        let stem = part.trim_end_matches(|char: char| char.is_ascii_digit());
        part.chars().all(|char| char.is_alphanumeric() || char == '_' || char == '<' || char == '>')
            && !stem.chars().any(|char| char.is_ascii_digit())
    })
}
