//! Finds the lines of files that a stack trace names.

use std::sync::LazyLock;

use regex::Regex;

/// The maximum number of lines of one trace.
const MAX_FRAMES: usize = 40;
/// Folders of code that is not the project's own.
const FOREIGN: &[&str] = &["node_modules", "site-packages", "dist-packages", "rustc", ".cargo", ".rustup", "vendor"];

/// A line of a file as a trace names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) path: String,
    pub(crate) line: u32,
}

/// The forms of a frame. The groups are the path and the line, or the class, the file and the line.
static FORMS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        // Python: File "a/b.py", line 12
        r#"File "([^"]+)", line (\d+)"#,
        // Java, Kotlin, Scala: at com.acme.CartTest.adds(CartTest.java:12)
        r"\bat (?:[\w.@/-]*/)?((?:[a-z_]\w*\.)*)[\w$.<>]+\(([\w$]+\.(?:java|kt|scala|groovy)):(\d+)\)",
        // .NET: in /a/b.cs:line 12
        r"\bin ([^\n]+?):line (\d+)",
        // Everything else: a/b.rs:12:5, (file:///a/b.js:12:5), a/b.go:12: message
        r#"(?:^|[\s("'<@=\[])((?:file://)?(?:[A-Za-z]:[\\/])?[^\s:()"'<>|*?,]+\.[A-Za-z]\w{0,9}):(\d{1,7})\b"#,
    ]
    .iter()
    .filter_map(|pattern| Regex::new(pattern).ok())
    .collect()
});

/// Returns the frames of a text, in its order.
pub(crate) fn frames(text: &str) -> Vec<Frame> {
    let mut found: Vec<Frame> = Vec::new();
    for line in text.lines() {
        if found.len() >= MAX_FRAMES {
            break;
        }
        let Some(frame) = FORMS.iter().find_map(|form| frame_of(form, line)) else { continue };
        let foreign =
            frame.path.starts_with("node:") || frame.path.split(['/', '\\']).any(|part| FOREIGN.contains(&part));
        if !foreign && frame.line > 0 && !found.contains(&frame) {
            found.push(frame);
        }
    }
    found
}

fn frame_of(form: &Regex, line: &str) -> Option<Frame> {
    let captures = form.captures(line)?;
    let text = |index: usize| captures.get(index).map(|group| group.as_str());
    let (path, number) = match text(3) {
        Some(number) => (format!("{}{}", text(1)?.replace('.', "/"), text(2)?), number),
        None => (text(1)?.to_owned(), text(2)?),
    };
    Some(Frame { path, line: number.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_in_the_forms_of_many_languages() {
        let found = |text: &str| {
            frames(text).iter().map(|frame| format!("{}#{}", frame.path, frame.line)).collect::<Vec<_>>().join(" ")
        };
        for (text, expected) in [
            ("tests/test_cart.py:10: AssertionError", "tests/test_cart.py#10"),
            ("  File \"/b/a/tests/test_cart.py\", line 36, in test_add", "/b/a/tests/test_cart.py#36"),
            ("thread 'a' (1) panicked at src/lib.rs:16:9:", "src/lib.rs#16"),
            ("             at ./src/lib.rs:16:9", "./src/lib.rs#16"),
            ("             at /rustc/5980/library/std/src/panicking.rs:689:5", ""),
            ("    at Object.toBe (/b/s/web/test/price.test.js:8:29)", "/b/s/web/test/price.test.js#8"),
            ("    at x (/b/s/node_modules/jest-circus/build/a.js:8:29)", ""),
            ("      at async file:///b/s/web/n.test.mjs:2:54", "file:///b/s/web/n.test.mjs#2"),
            ("    at node:internal/test_runner/test:796:25", ""),
            (" ❯ vt/sum.test.mjs:7:23", "vt/sum.test.mjs#7"),
            ("    cart_test.go:12: got 3, want 4", "cart_test.go#12"),
            ("\tat com.acme.shop.CartTest.adds(CartTest.java:12)", "com/acme/shop/CartTest.java#12"),
            ("\tat app//com.acme.CartTest$Inner.lambda$adds$0(CartTest.java:7)", "com/acme/CartTest.java#7"),
            ("   at Shop.CartTests.Adds() in /src/Shop/CartTests.cs:line 21", "/src/Shop/CartTests.cs#21"),
            ("C:\\work\\shop\\cart.py:4: Error", "C:\\work\\shop\\cart.py#4"),
            ("Failure/Error: ./spec/cart_spec.rb:9:in `block'", "./spec/cart_spec.rb#9"),
            ("at 12:34:56 the server answered 127.0.0.1:8080 and 1.5:2", ""),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }
}
