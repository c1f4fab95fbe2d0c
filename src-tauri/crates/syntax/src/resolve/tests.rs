//! Small projects: `¦` marks the name that is asked for, `«name»` the line of its definition.

use std::collections::HashMap;

use super::*;
use crate::language::Language;
use crate::symbols::{FileNames, read, read_manifest};

struct Project {
    index: SymbolIndex,
    /// Indexes of files whose symbols are not read: by the words of their texts, and by their names.
    unread: [SymbolIndex; 2],
    files: HashMap<String, Arc<FileSymbols>>,
    asked: Option<(String, u32, u32)>,
    wanted: Vec<(String, u32)>,
}

/// Splits `== path` sections and removes the marks.
fn project(text: &str) -> Project {
    let mut project = Project {
        index: SymbolIndex::new(),
        unread: Default::default(),
        files: HashMap::new(),
        asked: None,
        wanted: Vec::new(),
    };
    for section in text.split("== ").skip(1) {
        let (path, body) = section.split_once('\n').expect("a path");
        let mut clean = String::new();
        for (number, line) in (1..).zip(body.lines()) {
            let mut line = line.to_owned();
            if line.contains("«") {
                project.wanted.push((path.to_owned(), number));
                line = line.replace(['«', '»'], "");
            }
            if let Some(at) = line.find('¦') {
                project.asked = Some((path.to_owned(), number, u32::try_from(at).expect("short")));
                line = line.replace('¦', "");
            }
            clean += &line;
            clean.push('\n');
        }
        let symbols =
            read_manifest(path, &clean).or_else(|| read(Language::of(path)?, clean.as_bytes())).expect("readable");
        project.index.insert(path, &clean, &symbols);
        match Language::of(path) {
            Some(language) => {
                let names = [FileNames::of_text(language, clean.as_bytes()), FileNames::of_symbols(&symbols)];
                for (index, names) in project.unread.iter_mut().zip(names) {
                    index.insert_unread(path, &clean, language, names);
                }
            }
            None => project.unread.iter_mut().for_each(|index| index.insert(path, &clean, &symbols)),
        }
        project.files.insert(path.to_owned(), Arc::new(symbols));
    }
    project
}

fn answer(text: &str) -> (Project, Resolution) {
    let project = project(text);
    let load = |path: &str| project.files.get(path).cloned();
    let (path, line, column) = project.asked.clone().expect("a mark");
    let found = Navigator::new(&project.index, &load).definition(&path, line, column);
    for index in &project.unread {
        let unread = Navigator::new(index, &load);
        assert_eq!(unread.definition(&path, line, column), found, "files that are read only when they are needed");
    }
    let Resolution::One(place) = &found else { return (project, found) };
    let references = |index| {
        let found = Navigator::new(index, &load).references(&place.path, place.line, place.column);
        found.expect("a definition").usages
    };
    for index in &project.unread {
        assert_eq!(references(index), references(&project.index), "the references of {place:?}");
    }
    (project, found)
}

#[track_caller]
fn one(text: &str) {
    let (project, found) = answer(text);
    let Resolution::One(place) = &found else { panic!("{found:?}") };
    assert_eq!(project.wanted, [(place.path.clone(), place.line)], "{place:?}");
}

#[track_caller]
fn several(text: &str, count: usize) {
    let (project, found) = answer(text);
    let Resolution::Several(places) = &found else { panic!("{found:?}") };
    assert_eq!(places.len(), count, "{places:?}");
    for wanted in &project.wanted {
        assert!(places.iter().any(|place| (&place.path, place.line) == (&wanted.0, wanted.1)), "{places:?}");
    }
}

#[track_caller]
fn none(text: &str) {
    let (_, found) = answer(text);
    assert!(matches!(found, Resolution::None(_)), "{found:?}");
}

#[test]
fn python_names_are_followed_through_imports() {
    one("== a/b.py\ndef «run»(): pass\n== a/c.py\nfrom .b import run as go\n¦go()\n");
    one("== a/b.py\ndef «run»(): pass\n== a/__init__.py\nfrom .b import run\n== main.py\nimport a\na.¦run()\n");
    one("== a/b.py\ndef «run»(): pass\n== main.py\nfrom a import b\nb.¦run()\n");
    one("== a/b.py\ndef «run»(): pass\n== main.py\nimport a.b as x\nx.¦run()\n");
    one("== a/b.py\nclass «A»: pass\n== a/__init__.py\nfrom .b import *\n== src/main.py\nfrom a import A\n¦A()\n");
    none("== a.py\nimport requests\nrequests.¦get()\n");
    none("== a.py\n¦print()\n== b.py\ndef print(): pass\n");
}

#[test]
fn a_local_variable_is_not_another_functions() {
    one("== a.py\ndef f():\n    «result» = 1\n    return ¦result\ndef result(): pass\ndef g():\n    result = 2\n");
    one("== a.ts\nfunction f() { const «x» = 1;\n return ¦x; }\nfunction g() { const x = 2; return x; }\n");
    one("== a.rs\nfn f() {\n    let x = 1;\n    let «x» = x + 1;\n    g(¦x);\n}\n");
}

#[test]
fn python_members_are_found_by_their_receiver() {
    one(
        "== a.py\nclass A:\n    def «run»(self): pass\n    def go(self): self.¦run()\nclass B:\n    def run(self): pass\n",
    );
    one(
        "== a.py\nclass Base:\n    def «run»(self): pass\n== b.py\nfrom a import Base\nclass B(Base):\n    def go(self):\n        self.¦run()\n",
    );
    one(
        "== a.py\nclass A:\n    def «run»(self): pass\nclass B:\n    def run(self): pass\ndef f():\n    a = A()\n    a.¦run()\n",
    );
    one("== a.py\nclass A:\n    def «run»(self): pass\n== b.py\nfrom a import A\ndef f(x: A):\n    x.¦run()\n");
    one(
        "== a.py\nclass A:\n    def «run»(self): pass\nclass B:\n    def __init__(self, a: A):\n        self.a: A = a\n    def go(self):\n        self.a.¦run()\n",
    );
    several(
        "== a.py\nclass A:\n    def «run»(self): pass\nclass B:\n    def run(self): pass\ndef f(x):\n    x.¦run()\n",
        2,
    );
    several("== a.py\nclass A:\n    def «run»(self): pass\ndef f(x):\n    x.¦run()\n", 1);
}

#[test]
fn script_names_are_followed_through_imports() {
    one("== src/api.ts\nexport function «send»() {}\n== src/a.ts\nimport { send as s } from './api';\n¦s();\n");
    one(
        "== src/api/index.ts\nexport * from './send';\n== src/api/send.ts\nexport const «send» = () => 1;\n== src/a.ts\nimport { send } from './api';\n¦send();\n",
    );
    one("== src/api.ts\nexport function «send»() {}\n== src/a.ts\nimport * as api from './api.js';\napi.¦send();\n");
    one(
        "== a.js\nfunction «send»() {}\nmodule.exports = { send };\n== b.js\nconst { send } = require('./a');\n¦send();\n",
    );
    one("== api.ts\nclass «A» {}\nexport default A;\n== b.ts\nimport X from './api';\nnew ¦X();\n");
    one("== api.ts\nexport default function «run»() {}\n== b.ts\nimport X from './api';\n¦X();\n");
    one("== api.ts\nfunction «run»() {}\nexport { run as go };\n== b.ts\nimport { go } from './api';\n¦go();\n");
    one("== a.ts\nclass A { «run»() {} }\nclass B { run() {} }\nfunction f(x: A) {\n x.¦run(); }\n");
    one(
        "== a.ts\nclass A {\n constructor(private b: B) {}\n go() { this.b.¦run(); }\n}\nclass B {\n «run»() {} }\nclass C { run() {} }\n",
    );
    none("== a.ts\nimport { x } from 'react';\n¦x();\n");
    none("== a.ts\n¦fetch();\n== b.ts\nexport function fetch() {}\n");
}

#[test]
fn go_packages_are_folders() {
    one("== a/x.go\npackage a\nfunc «Run»() {}\n== a/y.go\npackage a\nfunc f() { ¦Run() }\n");
    one(
        "== go.mod\nmodule example.org/m\n== a/x.go\npackage a\nfunc «Run»() {}\n== b/y.go\npackage b\nimport \"example.org/m/a\"\nfunc f() { a.¦Run() }\n== c/z.go\npackage c\nfunc Run() {}\n",
    );
    one(
        "== a/x.go\npackage a\ntype S struct{}\ntype T struct{}\nfunc (t *T) Run() {}\n== a/y.go\npackage a\nfunc (s *S) «Run»() {}\nfunc (s *S) go1() { s.¦Run() }\n",
    );
    one(
        "== a/x.go\npackage a\ntype S struct { t *T }\ntype T struct{}\nfunc (t *T) «Run»() {}\nfunc (s *S) Run() {}\nfunc (s *S) go1() { s.t.¦Run() }\n",
    );
    one(
        "== a/x.go\npackage a\ntype S struct { T }\ntype T struct{}\nfunc (t *T) «Run»() {}\nfunc NewS() *S { return nil }\nfunc f() { s := NewS(); s.¦Run() }\n== b/z.go\npackage b\nfunc (t *X) Run() {}\n",
    );
    none(
        "== a/x.go\npackage a\nimport \"fmt\"\nfunc f() { fmt.¦Println() }\n== b/y.go\npackage b\nfunc Println() {}\n",
    );
}

#[test]
fn rust_paths_are_followed() {
    one(
        "== src/lib.rs\nmod a;\nmod b;\n== src/a.rs\npub fn «run»() {}\n== src/b.rs\nuse crate::a::run;\nfn f() { ¦run() }\n",
    );
    one(
        "== src/a.rs\npub struct A;\nimpl A { pub fn «new»() -> Self { A } }\npub struct B;\nimpl B { pub fn new() -> Self { B } }\n== src/b.rs\nuse crate::a::A;\nfn f() { A::¦new() }\n",
    );
    one(
        "== src/a.rs\npub struct A;\nimpl A { pub fn new() -> Self { A }\n fn «run»(&self) {} }\nstruct B;\nimpl B { fn run(&self) {} }\nfn f() { let a = A::new(); a.¦run(); }\n",
    );
    one("== src/a.rs\npub fn «run»() {}\n== src/main.rs\nmod a;\n\nfn main() {\n    let all = a::¦run();\n}\n");
    one("== src/a.rs\nfn «run»() {}\nmod tests {\n use super::*;\n fn t() { ¦run() }\n}\n");
    one(
        "== src/a/mod.rs\npub use b::run;\nmod b;\n== src/a/b.rs\npub fn «run»() {}\n== src/c.rs\nuse super::a;\nfn f() { a::¦run() }\n",
    );
    one(
        "== x/Cargo.toml\n[package]\nname = \"my-x\"\n== x/src/lib.rs\npub fn «run»() {}\n== y/Cargo.toml\n[package]\nname = \"y\"\n== y/src/lib.rs\nfn f() { my_x::¦run() }\n",
    );
    several(
        "== src/a.rs\nstruct A;\nimpl A { fn «run»(&self) {} }\nstruct B;\nimpl B { fn run(&self) {} }\nfn f(x: impl T) { g().¦run(); }\n",
        2,
    );
}

#[test]
fn java_and_kotlin_find_types_by_package() {
    one(
        "== a/B.java\npackage a;\nclass B { void «run»() {} }\n== a/C.java\npackage a;\nclass C { void f() { B b = new B(); b.¦run(); } }\n== x/B.java\npackage x;\nclass B { void run() {} }\n",
    );
    one(
        "== a/B.java\npackage a;\nclass B { void «run»() {} }\n== c/C.java\npackage c;\nimport a.B;\nclass C extends B { void f() { ¦run(); } }\n",
    );
    one(
        "== a/B.java\npackage a;\nclass B { static void «run»() {} }\n== c/C.java\npackage c;\nimport static a.B.run;\nclass C { void f() { ¦run(); } }\n",
    );
    one("== a/B.kt\npackage a\nfun «run»() {}\n== b/C.kt\npackage b\nimport a.*\nfun f() { ¦run() }\n");
    several(
        "== a/B.java\npackage a;\nclass B {\n void «run»() {}\n void run(int x) {} }\nclass C { void f(B b) { b.¦run(); } }\n",
        2,
    );
}

#[test]
fn other_languages() {
    one("== a.rb\nclass A\n  def «run»\n  end\n  def go\n    ¦run\n  end\nend\nclass B\n  def run\n  end\nend\n");
    one(
        "== a.php\n<?php\nnamespace A;\nclass B { function «run»() {} function go() { $this->¦run(); } }\nclass C { function run() {} }\n",
    );
    one("== a.php\n<?php\nnamespace A;\nclass «B» {}\n== b.php\n<?php\nnamespace C;\nuse A\\B;\n$x = new ¦B();\n");
    one(
        "== a.c\nint «run»(int x) { return x; }\n== a.h\nint run(int x);\n== b.c\n#include \"a.h\"\nint f(void) { return ¦run(1); }\n",
    );
    one(
        "== a.cpp\nint A::«run»() { return 1; }\n== a.hpp\nclass A { int run(); };\n== b.cpp\n#include \"a.hpp\"\nint f(A a) { return a.¦run(); }\n",
    );
    one(
        "== a.cs\nnamespace N { class A { public void «Run»() {} } class B { void F(A a) { a.¦Run(); } void Run() {} } }\n",
    );
    one("== a.swift\nclass A { func «run»() {} }\n== b.swift\nclass B { func run() {}\n func f(a: A) { a.¦run() } }\n");
}

#[test]
fn references_tell_equal_names_apart() {
    let project = project(
        "== a.py\nclass A:\n    def ¦run(self): pass\n    def go(self): self.run()\nclass B:\n    def run(self): pass\n    def go(self): self.run()\n== b.py\nfrom a import A as X\ndef f(x: X, y):\n    x.run()\n    y.run()\n",
    );
    let load = |path: &str| project.files.get(path).cloned();
    let found = Navigator::new(&project.index, &load).references("a.py", 2, 8).expect("found");
    let lines: Vec<String> =
        found.usages.iter().map(|one| format!("{}:{} {} {}", one.path, one.line, one.within, one.certain)).collect();
    assert_eq!(lines, ["a.py:3 A.go true", "b.py:3 f true", "b.py:4 f false"]);
    assert!(found.candidates.is_empty() && !found.stopped);
}

#[test]
fn references_of_an_uncertain_name_are_those_of_all_candidates() {
    let project = project(
        "== a.py\nclass A:\n    def run(self): pass\n    def go(self): self.run()\n== b.py\nclass B:\n    def run(self): pass\n    def go(self): self.run()\n== c.py\ndef f(x):\n    x.¦run()\n",
    );
    let load = |path: &str| project.files.get(path).cloned();
    let found = Navigator::new(&project.index, &load).references("c.py", 2, 6).expect("found");
    let candidates: Vec<&str> = found.candidates.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(candidates, ["A.run", "B.run"]);
    let lines: Vec<String> =
        found.usages.iter().map(|one| format!("{}:{} {}", one.path, one.line, one.certain)).collect();
    assert_eq!(lines, ["a.py:3 false", "b.py:3 false", "c.py:2 false"]);
}

#[test]
fn a_search_that_stops_says_so() {
    let calls = "    run()\n".repeat(2_001);
    let project = project(&format!("== a.py\ndef ¦run(): pass\ndef go():\n{calls}== b.py\nfrom a import run\nrun()\n"));
    let load = |path: &str| project.files.get(path).cloned();
    let found = Navigator::new(&project.index, &load).references("a.py", 1, 4).expect("found");
    assert!(found.stopped);
    assert_eq!(found.usages.len(), 2_001);
}

#[test]
fn a_search_for_calls_reads_only_files_that_can_have_them() {
    let project = project(
        "== a.py\ndef ¦run(): pass\n== b.py\nfrom a import run\nrun()\n== c.py\ndef walk(): pass\n\
         == d.py\nfrom a import run as go\ngo()\n== e.js\nrun()\n== f.py\nx.run\n",
    );
    let loaded = std::sync::Mutex::new(Vec::new());
    let load = |path: &str| {
        loaded.lock().expect("free").push(path.to_owned());
        project.files.get(path).cloned()
    };
    let lines = |index| {
        let found = Navigator::new(index, &load).callers("a.py", 1, 4).expect("found");
        found.usages.iter().map(|one| format!("{}:{}", one.path, one.line)).collect::<Vec<_>>()
    };
    assert_eq!(lines(&project.index), ["b.py:2", "d.py:2"]);
    for (index, unused) in project.unread.iter().zip([&["c.py", "e.js"][..], &["c.py", "e.js", "f.py"]]) {
        loaded.lock().expect("free").clear();
        assert_eq!(lines(index), ["b.py:2", "d.py:2"]);
        let loaded = loaded.lock().expect("free");
        assert!(unused.iter().all(|path| !loaded.iter().any(|one| one == path)), "{loaded:?}");
    }
}

#[test]
fn a_removed_file_leaves_no_names() {
    let mut project = project("== a.py\ndef run(): pass\n== b.py\nfrom a import ¦run\nrun()\n");
    project.index.remove("a.py");
    assert!(project.index.definitions("run").is_empty());
    assert_eq!(project.index.mentions("run").len(), 1);
    assert_eq!(project.index.len(), 1);
    for index in &mut project.unread {
        index.remove("a.py");
        assert_eq!((index.len(), index.unread().len()), (1, 1));
    }
}

#[test]
fn names_with_containers_are_found() {
    let project = project("== src/web/a.py\nclass A:\n    def run(self): pass\nclass B:\n    def run(self): pass\n");
    let load = |path: &str| project.files.get(path).cloned();
    let navigator = Navigator::new(&project.index, &load);
    assert!(matches!(navigator.named("A.run"), Resolution::One(_)));
    assert!(matches!(navigator.named("web.a.B.run()"), Resolution::One(_)));
    assert!(matches!(navigator.named("run"), Resolution::Several(places) if places.len() == 2));
    assert!(matches!(navigator.named("C.run"), Resolution::None(_)));
}

#[test]
fn signatures_are_compared_by_tokens() {
    let changes = |path: &str, before: &str, after: &str| {
        let language = Language::of(path).expect("known");
        let (old, new) =
            (read(language, before.as_bytes()).expect("read"), read(language, after.as_bytes()).expect("read"));
        let base = Version { path, text: before.as_bytes(), symbols: &old };
        let head = Version { path, text: after.as_bytes(), symbols: &new };
        let all = changed_signatures(base, Some(head));
        all.into_iter().map(|one| format!("{} -> {}", one.before, one.after.unwrap_or_default())).collect::<Vec<_>>()
    };
    let nothing: Vec<String> = Vec::new();
    assert_eq!(changes("a.rs", "fn a(x: u8) {}\n", "fn a(\n    x: u8, // why\n) { 1; }\n"), nothing);
    assert_eq!(changes("a.rs", "fn a(x: u8) {}\n", "fn a(\n    x: u8,\n) {}\n"), nothing);
    assert_eq!(changes("a.rs", "fn ab(x: u8) {}\n", "fn ab(x: u 8) {}\n").len(), 1);
    assert_eq!(changes("a.py", "def a(x=\"a b\"): pass\n", "def a(x=\"ab\"): pass\n").len(), 1);
    assert_eq!(changes("a.py", "def a(x=\"a b\"): pass\n", "def a( x=\"a b\" ): pass\n"), nothing);
    assert_eq!(changes("a.rs", "fn a(x: u8) {}\n", "fn a(x: u16) {}\n"), ["fn a(x: u8) -> fn a(x: u16)"]);
    assert_eq!(
        changes("a.py", "class A:\n    def a(self): pass\n", "class A:\n    def a(self, b): pass\n"),
        ["def a(self) -> def a(self, b)"]
    );
    assert_eq!(changes("a.py", "def a(): pass\n", "x = 1\n"), ["def a() -> "]);
    assert_eq!(
        changes("a.ts", "const a = (x: string) => x;\n", "const a = (x: number) => x;\n"),
        ["const a = (x: string) => -> const a = (x: number) =>"]
    );
    assert_eq!(
        changes("a.java", "class A { void a(int x) { b(); } }\n", "class A { void a(int x) { c(); } }\n"),
        nothing
    );
}

#[test]
fn a_star_export_gives_the_exported_name_and_not_an_assigned_member() {
    one("== src/index.ts\nexport * from \"./schemas\";\nexport * from \"./parse\";\n\
         == src/schemas.ts\nexport const make = (inst: any) => {\n  inst.run.parse = () => 1;\n};\n\
         == src/parse.ts\nexport const «parse» = (text: string) => text;\n\
         == src/use.ts\nimport * as z from \"./index\";\nz.¦parse(\"a\");\n");
}

#[test]
fn the_constraint_of_an_inferred_type_is_a_reference() {
    one("== a.ts\ntype «Part» = string;\ntype Last<P> = P extends [infer L extends ¦Part] ? L : never;\n");
}
