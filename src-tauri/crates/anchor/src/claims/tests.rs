use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;
use diffsan_review::finding::{Category, Severity};
use diffsan_syntax::resolve::{Navigator, SymbolIndex};
use diffsan_syntax::symbols;

type Code<'a> = &'a [(&'a str, &'a str)];

fn finding(path: &str, line: u32, body: &str, quote: Option<&str>) -> AgentFinding {
    AgentFinding {
        body_markdown: body.into(),
        quote: quote.map(str::to_owned),
        ..AgentFinding::new(Severity::Low, Category::Correctness, path, (line, line))
    }
}

/// Checks a finding at a line of the first file.
fn check_in(line: u32, body: &str, quote: Option<&str>, code: Code<'_>) -> (Verdict, Vec<Claim>) {
    let path = code[0].0;
    let anchor = Anchor::new(
        if quote.is_some() { AnchorState::Verified } else { AnchorState::Unverified },
        path,
        Some((line, line)),
        true,
    );
    let (mut index, mut all) = (SymbolIndex::new(), BTreeMap::new());
    for (path, text) in code {
        let Some(language) = Language::of(path) else { continue };
        let read = symbols::read(language, text.as_bytes()).expect("symbols");
        index.insert(path, path, &read);
        all.insert((*path).to_owned(), Arc::new(read));
    }
    let load = |path: &str| all.get(path).cloned();
    let text = |path: &str| code.iter().find(|(known, _)| *known == path).map(|(_, text)| Arc::from(*text));
    let files_with = |word: &str| {
        let files = code.iter().filter(|(_, text)| head::has_word(text, word));
        Some(files.map(|(path, _)| (*path).to_owned()).collect())
    };
    let head = Head::new(Navigator::new(&index, &load), &text, &files_with);
    check(&finding(path, line, body, quote), &anchor, Some(&head))
}

/// Returns the verdict on the first claim of a finding, and the place that decided it.
fn decided(line: u32, body: &str, code: Code<'_>) -> (Verdict, Option<(String, u32)>) {
    let (_, claims) = check_in(line, body, None, code);
    let first = claims.into_iter().next();
    first.map_or((Verdict::Unchecked, None), |claim| {
        (claim.verdict, claim.evidence.map(|place| (place.path, place.line)))
    })
}

fn verdict(line: u32, body: &str, code: Code<'_>) -> Verdict {
    decided(line, body, code).0
}

fn at(path: &str, line: u32) -> Option<(String, u32)> {
    Some((path.to_owned(), line))
}

#[test]
fn an_unused_local_is_not_contradicted_by_prose_or_another_function() {
    let code = [
        ("a.rs", "fn a() {\n    let result = run();\n}\nfn b() -> u8 {\n    let result = 1;\n    result\n}\n"),
        ("docs/release.md", "Check the result of the build.\n"),
    ];
    let body = "The local variable `result` is unused.";
    assert_eq!(decided(2, body, &code), (Verdict::Verified, at("a.rs", 2)));
    assert_eq!(decided(5, body, &code), (Verdict::Contradicted, at("a.rs", 6)));
}

#[test]
fn a_format_string_uses_a_variable() {
    let code = [("a.rs", "fn a() {\n    let total = 1;\n    println!(\"sum:\n{total}\");\n}\n")];
    assert_eq!(verdict(2, "`total` is unused.", &code), Verdict::Contradicted);
    let shadowed = [("a.rs", "fn a() {\n    let total = 1;\n    let total = 2;\n    println!(\"{total}\");\n}\n")];
    assert_eq!(verdict(2, "`total` is unused.", &shadowed), Verdict::Unchecked);
}

#[test]
fn an_update_or_a_later_value_is_no_certain_use() {
    let code = [("a.py", "def a():\n    count = 0\n    count += 1\n")];
    assert_eq!(verdict(2, "`count` is never read.", &code), Verdict::Unchecked);
    let replaced = [("a.py", "def a():\n    count = 0\n    count = 1\n    return count\n")];
    assert_eq!(verdict(2, "`count` is never read.", &replaced), Verdict::Unchecked);
    let set = [("a.js", "function a() {\n  let count = 0;\n  count = 1;\n}\n")];
    assert_eq!(verdict(2, "`count` is assigned but never used.", &set), Verdict::Verified);
    let text = [("a.py", "def a():\n    count = 0\n    return eval('count')\n")];
    assert_eq!(verdict(2, "`count` is never read.", &text), Verdict::Unchecked);
}

#[test]
fn a_variable_that_others_can_see_is_not_called_unused() {
    for (path, line, text) in [
        ("a.rb", 4, "def a\n  ran = false\n  each do\n    ran = true\n  end\n  ran\nend\n"),
        ("a.ts", 1, "export function a({used, ...rest}: T) { return rest; }\n"),
        ("a.d.ts", 1, "export function a(used: string): void;\n"),
        ("a.py", 1, "def a(used):\n    raise NotImplementedError()\n"),
    ] {
        let name = if path == "a.rb" { "ran" } else { "used" };
        assert_eq!(verdict(line, &format!("`{name}` is never used."), &[(path, text)]), Verdict::Unchecked, "{path}");
    }
}

#[test]
fn an_import_is_used_by_its_own_file_only() {
    let used = "from models import Order\n\ndef a():\n    return Order()\n";
    let unused = "from models import Order\n\ndef a():\n    return 1\n";
    for body in
        ["Unused import `Order`.", "`Order` is imported but never used.", "Remove the unused import of `Order`."]
    {
        assert_eq!(decided(1, body, &[("a.py", unused), ("b.py", used)]), (Verdict::Verified, at("a.py", 1)));
        assert_eq!(decided(1, body, &[("a.py", used), ("b.py", unused)]), (Verdict::Contradicted, at("a.py", 4)));
    }
    for text in ["from models import Order\n__all__ = ['Order']\n", "from models import Order  # noqa\n"] {
        assert_eq!(verdict(1, "Unused import `Order`.", &[("a.py", text)]), Verdict::Unchecked, "{text}");
    }
    let through = [("a.py", unused), ("b.py", "from a import Order\n")];
    assert_eq!(verdict(1, "Unused import `Order`.", &through), Verdict::Unchecked);
    let of_trait = [("a.rs", "use std::io::Read;\nuse std::fs::File;\nfn a() {}\n")];
    assert_eq!(verdict(1, "Unused import `Read`.", &of_trait), Verdict::Unchecked, "a trait is used without its name");
    assert_eq!(verdict(2, "Unused import `File`.", &of_trait), Verdict::Verified);
}

#[test]
fn a_comment_or_an_operator_before_a_name_does_not_make_it_a_member() {
    let script =
        [("a.js", "import first from './b';\nexport function a(list) {\n  // The first one.\n  first.each();\n}\n")];
    assert_eq!(verdict(1, "The import `first` is unused.", &script), Verdict::Contradicted);
    let php = [(
        "a.php",
        "<?php\nuse function implode;\nfunction a($list) {\n    foreach ($list as $one) { echo '(' . implode($one); }\n}\n",
    )];
    assert_eq!(verdict(2, "The import `implode` is unused.", &php), Verdict::Contradicted);
    assert_eq!(verdict(3, "The parameter `$list` is unused.", &php), Verdict::Contradicted);
}

#[test]
fn a_call_is_one_of_the_same_function() {
    let module = ("src/f.rs", "pub fn x() -> u8 {\n    1\n}\n");
    let caller = ("src/main.rs", "mod f;\nfn a() -> u8 {\n    let x = f::x();\n    x\n}\n");
    assert_eq!(decided(1, "`x` is never called.", &[module, caller]), (Verdict::Contradicted, at("src/main.rs", 3)));
    let queue = ("src/queue.rs", "pub struct ReviewQueue;\nimpl ReviewQueue {\n    pub fn push(&mut self) {}\n}\n");
    let other = ("src/b.rs", "fn b(manifest: &mut Manifest) {\n    manifest.push(1);\n}\n");
    assert_eq!(verdict(3, "`ReviewQueue::push` is never called.", &[queue, other]), Verdict::Unchecked);
    let own = ("src/c.rs", "use crate::queue::ReviewQueue;\nfn c(queue: &mut ReviewQueue) {\n    queue.push();\n}\n");
    assert_eq!(verdict(3, "`ReviewQueue::push` is never called.", &[queue, own]), Verdict::Contradicted);
    let method = [("a.js", "const tool = require('tool');\ntool.run();\n")];
    assert_eq!(verdict(1, "`tool` is never called.", &method), Verdict::Unchecked, "its method is called");
}

#[test]
fn a_function_is_called_unused_only_if_nothing_can_reach_it() {
    let private = "package a\n\nfunc help() {}\n";
    assert_eq!(verdict(3, "`help` is never called.", &[("a.go", private)]), Verdict::Verified);
    assert_eq!(verdict(3, "`help` is dead code.", &[("a.go", private)]), Verdict::Verified);
    for other in [
        ("b.go", "package a\n\nfunc Run() { help() }\n"),
        ("b.go", "package a\n\nvar name = \"help\"\n"),
        ("config.yaml", "run: help\n"),
    ] {
        let found = verdict(3, "`help` is dead code.", &[("a.go", private), other]);
        assert_ne!(found, Verdict::Verified, "{other:?}");
    }
    assert_eq!(verdict(3, "`Help` is never called.", &[("a.go", "package a\n\nfunc Help() {}\n")]), Verdict::Unchecked);
    for (path, line, text) in [
        ("a.rs", 2, "#[no_mangle]\nfn help() {}\n"),
        ("a.py", 2, "@app.route('/')\ndef _help():\n    pass\n"),
        ("a.js", 3, "import x from 'x';\nx.y = 1;\nx.help = () => 1;\n"),
        ("a.py", 2, "class A(Base):\n    def _help(self):\n        return 1\n"),
        ("a.rs", 2, "fn other() {\nfn help( {}\n"),
    ] {
        let name = if path == "a.py" { "_help" } else { "help" };
        assert_eq!(verdict(line, &format!("`{name}` is never called."), &[(path, text)]), Verdict::Unchecked, "{text}");
    }
}

#[test]
fn a_test_alone_does_not_contradict_dead_code() {
    let code = [("a.go", "package a\n\nfunc help() {}\n"), ("a_test.go", "package a\n\nfunc TestHelp() { help() }\n")];
    assert_eq!(verdict(3, "`help` is dead code.", &code), Verdict::Unchecked);
    assert_eq!(decided(3, "`help` is never called.", &code), (Verdict::Contradicted, at("a_test.go", 3)));
    assert_eq!(decided(3, "`help` is never called by the tests.", &code), (Verdict::Contradicted, at("a_test.go", 3)));
    assert_eq!(verdict(3, "`help` is never called in this file.", &code), Verdict::Verified);
}

#[test]
fn a_variant_in_a_pattern_is_not_made() {
    let code = [(
        "a.rs",
        "enum A {\n    B,\n    C,\n}\nfn a(one: A) -> A {\n    match one {\n        A::B => A::C,\n        A::C => A::C,\n    }\n}\n",
    )];
    assert_eq!(verdict(2, "`B` is dead code.", &code), Verdict::Unchecked);
}

#[test]
fn an_import_block_proves_only_the_import_of_the_name() {
    let with = "package a\n\nimport (\n\t\"bytes\"\n)\n\nfunc a() { bytes.NewBuffer(nil) }\n";
    let without = "package a\n\nimport (\n\t\"example.com/bytes/other\"\n)\n\nfunc a() { bytes.NewBuffer(nil) }\n";
    assert_eq!(decided(7, "`bytes` is not imported.", &[("a.go", with)]), (Verdict::Contradicted, at("a.go", 4)));
    assert_eq!(decided(7, "`bytes` is not imported.", &[("a.go", without)]), (Verdict::Verified, at("a.go", 7)));
    let field = "package a\n\nfunc a() T { return T{bytes: 1} }\n";
    assert_eq!(verdict(3, "`bytes` is undefined.", &[("a.go", field)]), Verdict::Unchecked);
}

#[test]
fn undefined_is_decided_by_the_scopes() {
    let code = [("a.py", "import json\n\ndef a(self):\n    return json.dumps(shutil, self, len)\n")];
    assert_eq!(decided(4, "`json` is undefined.", &code), (Verdict::Contradicted, at("a.py", 1)));
    for body in [
        "`shutil` is undefined.",
        "Missing import of `shutil`.",
        "There is no definition of `shutil`: this fails when it runs.",
    ] {
        assert_eq!(decided(4, body, &code), (Verdict::Verified, at("a.py", 4)), "{body}");
    }
    let future = [("a.py", "from __future__ import annotations\n")];
    assert_eq!(verdict(1, "`annotations` is undefined.", &future), Verdict::Unchecked);
    for name in ["self", "len"] {
        assert_eq!(verdict(4, &format!("`{name}` is not defined."), &code), Verdict::Unchecked, "{name}");
    }
    let checked = [("a.py", "if TYPE_CHECKING:\n    import json\n\ndef a():\n    return json.dumps(1)\n")];
    assert_eq!(verdict(5, "`json` is not imported.", &checked), Verdict::Unchecked);
    let all = [("a.py", "from tools import *\n\ndef a():\n    return shutil.copy(1)\n")];
    assert_eq!(verdict(4, "`shutil` is undefined.", &all), Verdict::Unchecked);
    let value = [("a.ts", "const total = read();\nuse(total);\n")];
    assert_eq!(verdict(2, "`total` is undefined.", &value), Verdict::Unchecked, "a value, not a definition");
}

#[test]
fn claims_with_a_scope_or_condition_are_left_alone() {
    let code = [("a.rs", "fn refund() {}\nfn main() {\n    refund();\n}\n")];
    for body in [
        "`refund` is never called if the item is empty.",
        "Make sure that `refund` is not called twice.",
        "`refund` could be unused.",
        "Is `refund` unused after this change?",
        "`refund` seems to be unused.",
        "In the error path `refund` is never called.",
        "On Windows, `refund` is not defined.",
        "`refund` is never called anywhere else.",
        "`refund` is never called, except by the scheduler.",
        "`refund` is unused: it is only read when the flag is set.",
    ] {
        let (verdict, claims) = check_in(1, body, Some("fn refund"), &code);
        assert_eq!(verdict, Verdict::Unchecked, "{body}");
        let others = claims.iter().filter(|claim| claim.claim != QUOTE_CLAIM && !claim.claim.ends_with("is there"));
        assert!(others.clone().all(|claim| claim.verdict == Verdict::Unchecked), "{body}: {claims:?}");
    }
    assert_eq!(verdict(1, "`refund` is not unused.", &code), Verdict::Verified);
    assert_eq!(verdict(1, "`refund` is unused in this file.", &code), Verdict::Contradicted);
}

#[test]
fn the_badge_is_that_of_the_claims() {
    let code = [("a.rs", "fn refund() {}\nfn main() {\n    hook(refund);\n}\n")];
    let verdict = |body| check_in(1, body, Some("fn refund() {}"), &code).0;
    assert_eq!(verdict("`refund` is unused."), Verdict::Contradicted);
    assert_eq!(verdict("The import is never used, see `refund`."), Verdict::Unchecked);
    assert_eq!(verdict("`refund` has a missing return."), Verdict::Unchecked);
    assert_eq!(verdict("`refund` divides by zero."), Verdict::Verified);
    assert_eq!(check_in(1, "`refund` divides by zero.", None, &code).0, Verdict::Unchecked);
}

#[test]
fn existing_names_are_listed_and_others_are_not() {
    let code = [("b.ts", "let x = 1;\n\n\nclass Mailer {}\n")];
    let (_, claims) = check_in(1, "Use `Mailer` and `makeMailer` here.\n```\n`Other`\n```", None, &code);
    let claims: Vec<_> = claims.into_iter().map(|one| (one.claim, one.verdict)).collect();
    assert_eq!(claims, [("`Mailer` is there".to_owned(), Verdict::Verified)]);
}
