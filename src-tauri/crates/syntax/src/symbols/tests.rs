//! Definitions, imports and the targets of names, as they are read from texts.

mod compiled_languages;
mod imports_and_parents;
mod scripting_languages;

use expect_test::Expect;

use super::*;

/// Returns the symbols of a text: its definitions, its imports and the targets of its names.
fn table(language: Language, text: &str) -> String {
    let file = read(language, text.as_bytes()).expect("readable");
    let mut out = String::new();
    for one in &file.definitions {
        let owner = one.owner.map(|owner| format!(" of {}", file.name(owner))).unwrap_or_default();
        let bases: Vec<&str> = one.bases.iter().map(|base| file.name(*base)).collect();
        let bases = if bases.is_empty() { String::new() } else { format!(" < {}", bases.join(", ")) };
        let result = one.result.map(|result| format!(" -> {}", file.name(result))).unwrap_or_default();
        let marks = format!("{}{}", if one.exported { " exported" } else { "" }, if one.local { " local" } else { "" });
        out += &format!(
            "{}-{} {} {}{owner}{bases}{result}{marks}\n",
            one.at.line,
            one.last_line,
            one.kind.name(),
            file.name(one.name)
        );
    }
    for one in &file.imports {
        let name = one.name.map_or("*", |name| file.name(name));
        out += &format!(
            "import {} = {} {}{}\n",
            file.name(one.local),
            file.name(one.module),
            name,
            if one.all { " all" } else { "" }
        );
    }
    for one in &file.references {
        let receiver = match one.receiver {
            Receiver::None => String::new(),
            Receiver::Chain(chain) => format!("{}.", file.name(chain)),
            Receiver::Other => "?.".to_owned(),
        };
        let target = match one.binding {
            Binding::Free => "free".to_owned(),
            Binding::Local(at) => format!("local {}", file.locals[at as usize].at.line),
            Binding::Definition(at) => format!("line {}", file.definitions[at as usize].at.line),
            Binding::Import(_) => "import".to_owned(),
        };
        out +=
            &format!("{}:{} {receiver}{} {:?} {target}\n", one.at.line, one.at.column, file.name(one.name), one.kind);
    }
    out
}

fn check(language: Language, text: &str, expected: &Expect) {
    expected.assert_eq(&table(language, text));
}

#[test]
fn a_text_with_errors_gives_the_readable_part() {
    let file = read(Language::Python, b"def a():\n    return 1\n\ndef b(:\n\ndef c():\n    a()\n").expect("readable");
    assert!(file.partial);
    let names: Vec<&str> = file.definitions.iter().map(|one| file.name(one.name)).collect();
    assert!(names.contains(&"a") && names.contains(&"c"), "{names:?}");
}

#[test]
fn large_and_binary_files_are_not_read() {
    assert!(read(Language::Python, &vec![b'\n'; MAX_FILE_BYTES + 1]).is_none());
    assert!(read(Language::Python, b"a\0b").is_none());
}

#[test]
fn assignments_and_updates_are_told_from_reads() {
    for (language, text) in [
        (Language::JavaScript, "function a() { let n = 0; n = 1; n += 2; n++; use(n); }"),
        (Language::Go, "package a\nfunc a() { n := 0; n = 1; n += 2; n++; use(n) }"),
        (Language::Java, "class A { void a() { int n = 0; n = 1; n += 2; n++; use(n); } }"),
        (Language::Php, "<?php function a() { $n = 0; $n = 1; $n += 2; $n++; use_it($n); }"),
        (Language::Python, "def a():\n    n = 0\n    n = 1\n    n += 2\n    n += 3\n    use(n)\n"),
        (Language::Rust, "fn a() { let mut n = 0; n = 1; n += 2; n += 3; use_it(n); }"),
    ] {
        let file = read(language, text.as_bytes()).expect("readable");
        let uses: Vec<Use> =
            file.references.iter().filter(|one| file.name(one.name) == "n").map(|one| one.kind).collect();
        assert_eq!(uses, [Use::Write, Use::Update, Use::Update, Use::Read], "{language:?}");
    }
}

#[test]
fn the_list_of_a_loop_in_php_is_no_variable_of_the_loop() {
    let file =
        read(Language::Php, b"<?php function a($list) { foreach ($list as $key => $one) { echo '.' . b($one); } }");
    let file = file.expect("readable");
    let locals: Vec<&str> = file.locals.iter().map(|one| file.name(one.name)).collect();
    assert_eq!(locals, ["list", "key", "one"]);
    let called = file.references.iter().find(|one| file.name(one.name) == "b").expect("a call");
    assert_eq!(called.receiver, Receiver::None);
}
