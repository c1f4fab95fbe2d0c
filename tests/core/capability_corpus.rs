//! The capability reviewer on small projects with known effects: precision and recall for each language.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use diffsan_capability::follow::Follow;
use diffsan_capability::judge::reportable;
use diffsan_capability::knowledge::Knowledge;
use diffsan_capability::project::{Bounds, Content, Files, Project};

/// Files in memory.
pub struct Memory {
    paths: BTreeSet<String>,
    texts: BTreeMap<String, String>,
}

impl Memory {
    pub fn new(texts: BTreeMap<String, String>) -> Self {
        Self { paths: texts.keys().cloned().collect(), texts }
    }
}

impl Files for Memory {
    fn paths(&self) -> &BTreeSet<String> {
        &self.paths
    }

    fn read(&self, path: &str) -> Content {
        self.texts.get(path).cloned().map_or(Content::Unreadable("not there"), Content::Text)
    }
}

/// A project of the corpus.
struct Case {
    name: String,
    bounds: Bounds,
    hit: Option<String>,
    target: String,
    files: Memory,
    /// The expected effects in the target: line and effect.
    expected: BTreeSet<(u32, String)>,
    /// The expected ends of chains, by effect.
    ends: BTreeMap<String, BTreeSet<(String, u32)>>,
}

fn cases(language: &str) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/capabilities").join(language);
    let text = std::fs::read_to_string(path.with_extension("txt")).expect("a corpus");
    let mut all = Vec::new();
    for part in format!("\n{text}").split("\n=== ").skip(1) {
        let (head, body) = part.split_once('\n').expect("a project");
        let mut words = head.split_whitespace();
        let mut case = Case {
            name: words.next().expect("a name").to_owned(),
            bounds: Bounds::default(),
            hit: None,
            target: String::new(),
            files: Memory::new(BTreeMap::new()),
            expected: BTreeSet::new(),
            ends: BTreeMap::new(),
        };
        for word in words {
            match word.split_once('=').expect("key=value") {
                ("depth", depth) => case.bounds.max_follow_depth = depth.parse().expect("a number"),
                ("hit", bound) => case.hit = Some(bound.to_owned()),
                other => panic!("{other:?}"),
            }
        }
        let mut texts = BTreeMap::new();
        for file in format!("\n{body}").split("\n--- ").skip(1) {
            let (path, text) = file.split_once('\n').unwrap_or((file, ""));
            // The first file may be a manifest. The target is the first file of code.
            let code = diffsan_syntax::language::Language::of(path).is_some();
            if case.target.is_empty() && code {
                case.target = path.to_owned();
            }
            let mut clean = String::new();
            for (number, line) in (1u32..).zip(text.lines()) {
                let mut line = line;
                if let Some((code, mark)) = line.split_once(" «") {
                    for effect in mark.trim_end_matches('»').split_whitespace() {
                        if let Some(effect) = effect.strip_prefix('@') {
                            case.ends.entry(effect.to_owned()).or_default().insert((path.to_owned(), number));
                        } else {
                            assert_eq!(path, case.target, "{}: marks stand in the target", case.name);
                            case.expected.insert((number, effect.to_owned()));
                        }
                    }
                    line = code;
                }
                clean.push_str(line);
                clean.push('\n');
            }
            texts.insert(path.to_owned(), clean);
        }
        case.files = Memory::new(texts);
        all.push(case);
    }
    all
}

struct Score {
    right: usize,
    found: usize,
    expected: usize,
    wrong: Vec<String>,
}

fn score(language: &str) -> Score {
    let knowledge = Knowledge::load(&[]).expect("tables");
    let mut score = Score { right: 0, found: 0, expected: 0, wrong: Vec::new() };
    for case in cases(language) {
        let project = Project::new(&case.files, case.bounds, &|| false);
        let follow = Follow::new(&project, &knowledge);
        let reached = follow.file(&case.target).expect("a target");
        let mut found = BTreeSet::new();
        for reach in reportable(&reached.effects) {
            let effect = knowledge.vocabulary.effects[reach.effect].id.clone();
            let end = reach.chain.last().expect("a chain");
            let ends = case.ends.get(&effect).filter(|_| reach.chain.len() > 1);
            if ends.is_some_and(|ends| !ends.contains(&(end.path.clone(), end.line))) {
                score.wrong.push(format!("{}: {effect} ends at {}:{}", case.name, end.path, end.line));
            }
            found.insert((reach.chain[0].line, effect));
        }
        score.right += found.intersection(&case.expected).count();
        score.found += found.len();
        score.expected += case.expected.len();
        let place = |what: &str, (line, effect): &(u32, String)| {
            format!("{language}/{}: {what} {effect} at {}:{line}", case.name, case.target)
        };
        score.wrong.extend(case.expected.difference(&found).map(|one| place("missed", one)));
        score.wrong.extend(found.difference(&case.expected).map(|one| place("wrongly found", one)));
        let hits: Vec<&str> = project.hits().into_keys().collect();
        if case.hit.iter().map(String::as_str).collect::<Vec<_>>() != hits {
            score.wrong.push(format!("{language}/{}: bounds that were hit: {hits:?}", case.name));
        }
    }
    score
}

fn check(language: &str, least: usize) {
    assert!(cases(language).len() >= least, "{language} has {} projects", cases(language).len());
    let score = score(language);
    let share = |part: usize, whole: usize| if whole == 0 { 1.0 } else { part as f64 / whole as f64 };
    let (precision, recall) = (share(score.right, score.found), share(score.right, score.expected));
    println!(
        "{language}: {} projects, {} effects, precision {precision:.3}, recall {recall:.3}",
        cases(language).len(),
        score.expected
    );
    for wrong in &score.wrong {
        println!("  {wrong}");
    }
    assert!(score.wrong.iter().all(|wrong| !wrong.contains("bounds that")), "bounds are told wrongly");
    assert!(precision >= 0.95 && recall >= 0.95, "{language}: precision {precision:.3}, recall {recall:.3}");
}

#[test]
fn python_projects() {
    check("python", 25);
}

#[test]
fn typescript_projects() {
    check("typescript", 25);
}

#[test]
fn javascript_projects() {
    check("javascript", 25);
}

#[test]
fn go_projects() {
    check("go", 25);
}

#[test]
fn rust_projects() {
    check("rust", 10);
}

#[test]
fn java_projects() {
    check("java", 10);
}

#[test]
fn ruby_projects() {
    check("ruby", 10);
}

#[test]
fn php_projects() {
    check("php", 10);
}

#[test]
fn the_tables_are_clean() {
    let knowledge = Knowledge::load(&[]).expect("tables");
    let wrong = knowledge.lint();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    println!("{} entries", knowledge.entries);
    assert!(knowledge.entries >= 1500, "{} entries", knowledge.entries);
}

/// Functions that return what others return. Resolved once for each way from one to another, they would take days.
#[test]
fn functions_that_return_what_each_other_returns_are_resolved() {
    let without_end: String = (0..8)
        .map(|at| {
            let returns: String = (1..8).map(|step| format!("  if (ready) return f{}();\n", (at + step) % 8)).collect();
            format!("function f{at}() {{\n{returns}}}\n")
        })
        .collect();
    let text = format!(
        "class Command {{\n  start() {{\n    fetch('https://example.com');\n  }}\n}}\n{without_end}\
        function a(again) {{\n  if (again) return b();\n  return new Command();\n}}\nfunction b() {{\n  return a(false);\n}}\n\
        function use() {{\n  f0().start();\n  b().start();\n  a().start();\n}}\n"
    );
    let files = Memory::new(BTreeMap::from([("command.js".to_owned(), text.clone())]));
    let knowledge = Knowledge::load(&[]).expect("tables");
    let project = Project::new(&files, Bounds::default(), &|| false);
    let reached = Follow::new(&project, &knowledge).file("command.js").expect("a target");
    let lines: BTreeSet<usize> = reached.effects.iter().map(|reach| reach.chain[0].line as usize).collect();
    let line_of = |part: &str| text.lines().position(|line| line.contains(part)).expect("a line") + 1;
    assert_eq!(lines, BTreeSet::from([line_of("fetch"), line_of("b().start"), line_of("a().start")]));
}

#[test]
fn without_a_contract_only_modules_with_unknown_effects_are_recorded() {
    let text = "import acme\n\n\ndef run(client, user):\n    client.send(user)\n    acme.start(user)\n    acme.stop(user)\n    open('x', 'w').write(user)\n";
    let files = Memory::new(BTreeMap::from([("run.py".to_owned(), text.to_owned())]));
    let knowledge = Knowledge::load(&[]).expect("tables");
    let project = Project::new(&files, Bounds::default(), &|| false);
    let all = Follow::new(&project, &knowledge).file("run.py").expect("a target");
    let few = Follow::new(&project, &knowledge).only_modules().file("run.py").expect("a target");
    let symbols = |reached: &diffsan_capability::reach::Reached| -> Vec<String> {
        reached.open.iter().map(|open| open.symbol.clone()).collect()
    };
    assert_eq!(symbols(&all), ["client.send", "acme.start", "acme.stop"]);
    assert_eq!(symbols(&few), ["acme.start"]);
    assert_eq!(few.effects, all.effects);
    assert!(!few.effects.is_empty());
}
