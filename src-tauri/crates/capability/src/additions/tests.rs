use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::follow::Follow;
use crate::judge::{Findings, Judgment, PolicyFinding, judge};
use crate::project::{Bounds, Project};
use crate::testing::Memory;
use diffsan_contracts::parse;

mod objects;

type Texts<'t> = &'t [(&'t str, &'t str)];

/// Returns the worst judgment about a change of files. `others` are files that stay as they are.
fn judged(contract: &str, before: Texts<'_>, now: Texts<'_>, others: Texts<'_>) -> Judgment {
    let knowledge = Knowledge::load(&[]).expect("tables");
    let contracts = parse("contract.txt", contract, &knowledge.vocabulary).effects;
    assert!(contracts[0].is_about_additions, "{contract}");
    let found = findings(contract, before, now, others);
    found.into_iter().map(|finding| finding.judgment).min_by_key(|judgment| *judgment as usize).expect("a judgment")
}

fn findings(contract: &str, before: Texts<'_>, now: Texts<'_>, others: Texts<'_>) -> Vec<PolicyFinding> {
    let knowledge = Knowledge::load(&[]).expect("tables");
    let contracts = parse("contract.txt", contract, &knowledge.vocabulary).effects;
    assert_eq!(contracts.len(), 1, "{contract}");
    let bounds = Bounds { max_files: 0, max_follow_depth: 8, max_search_results: 50, max_runtime_seconds: 0 };
    let reached = |changed: Texts<'_>| -> BTreeMap<String, Reached> {
        let files = Memory::new(changed.iter().chain(others));
        let project = Project::new(&files, bounds, &|| false);
        let paths: Vec<String> = changed.iter().map(|(path, _)| (*path).to_owned()).collect();
        let follow = Follow::new(&project, &knowledge).with_changed(&paths).for_contracts(&contracts);
        paths.iter().filter_map(|path| Some((path.clone(), follow.file(path)?))).collect()
    };
    let (before, now) = (reached(before), reached(now));
    let paths: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let sides = paths.into_iter().map(|path| Sides {
        path: path.clone(),
        before: before.get(path).cloned(),
        now: now.get(path).cloned().unwrap_or_default(),
    });
    let sides: Vec<Sides> = sides.collect();
    let additions = Additions::of(&knowledge, &sides, &CapabilityDiff::default(), Vec::new());
    let findings = Findings {
        targets: now.iter().map(|(path, reached)| (path.as_str(), reached)).collect(),
        additions: Some(additions),
        ..Findings::default()
    };
    judge(&knowledge, &contracts, &findings)
}

#[test]
fn a_finding_says_what_was_there_before_the_change() {
    let of = |contract: &str, before: &str, now: &str| {
        let found = findings(contract, &[("a.py", before)], &[("a.py", now)], &[]);
        found.into_iter().map(|finding| finding.message).collect::<Vec<_>>().join("\n")
    };
    let (old, new) = ("import requests\ndef a():\n    requests.get('u')\n", "def b():\n    return 1\n");
    let told = "It could before this change.";
    assert!(of("Code must not make HTTP requests.\n", old, &format!("{old}{new}")).ends_with(told));
    assert!(!of("Code must not make HTTP requests.\n", new, &format!("{old}{new}")).ends_with(told));
    let unknown = "import odd\ndef a():\n    odd.run()\n";
    let told = "All of that was there before this change, which adds nothing that is not known.";
    assert!(of("Code must not send email.\n", unknown, &format!("{unknown}{new}")).ends_with(told));
    assert!(!of("Code must not send email.\n", new, &format!("{unknown}{new}")).ends_with(told));
}

/// Checks the judgments about changes of `a.py`: from the text that `text` makes of `before` to those that it makes of the cases.
fn check(
    contract: &str,
    (text, before): (&dyn Fn(&str) -> String, &str),
    cases: &[(&str, Judgment)],
    others: Texts<'_>,
) {
    let before = text(before);
    for (case, expected) in cases {
        let now = text(case);
        assert_eq!(judged(contract, &[("a.py", &before)], &[("a.py", &now)], others), *expected, "{case}");
    }
}

const NETWORK: &str = "The change must not make network requests.\n";
const DATABASE: &str = "The change must not access the database.\n";

#[test]
fn a_template_has_its_scripts_and_the_names_in_its_expressions() {
    let page = ("a.twig", "<p class=\"a\">{{ user.name }}</p>{{ shop.items() }}");
    for (text, expected) in [
        ("<p class=\"b\">{{ user.name }}</p>", Judgment::NoViolation),
        ("<p>{% if user.is_admin %}{{ user.name|upper }}{% endif %}</p>", Judgment::NoViolation),
        ("<script>fetch('/api')</script>", Judgment::Violation),
        ("<script src=\"https://example.org/a.js\"></script>", Judgment::Unknown),
        ("<p>{{ http.fetch('https://example.org') }}</p>", Judgment::Unknown),
    ] {
        assert_eq!(judged(NETWORK, &[page], &[("a.twig", text)], &[]), expected, "{text}");
    }
    let program = [("deploy.sh.j2", "curl {{ url }}")];
    assert_eq!(judged(NETWORK, &[], &program, &[]), Judgment::Unknown);
}

#[test]
fn code_that_is_not_read_matters_where_the_change_adds_some() {
    let view = |text: &'static str| [("resources/views/a.blade.php", text)];
    let script = "<p>one</p><script>send()</script>";
    for (text, expected) in [
        ("<p>two</p><script>send()</script>", Judgment::NoViolation),
        ("<p>one</p><script>send(fetch('/'))</script>", Judgment::Unknown),
        ("<p>one</p>", Judgment::NoViolation),
    ] {
        assert_eq!(judged(NETWORK, &view(script), &view(text), &[]), expected, "{text}");
    }
}

#[test]
fn a_use_that_was_open_before_matters_at_further_places() {
    let text = |body: &str| format!("import strange_client\n\n{body}");
    let before = "def a(x):\n    strange_client.push(x)\n";
    let cases = [
        ("def b(y):\n    print(y)\n    strange_client.push(y)\n", Judgment::NoViolation),
        ("def c(x):\n    strange_client.push(x)\n\n\ndef a(x):\n    c(x)\n", Judgment::NoViolation),
        ("def a(x):\n    strange_client.push(x)\n    strange_client.push(1)\n", Judgment::Unknown),
    ];
    check(NETWORK, (&text, before), &cases, &[]);
}

#[test]
fn a_library_can_call_the_methods_of_a_class_that_inherits_from_it() {
    let loader = "from promise.dataloader import DataLoader\nfrom django.db import models\n\n\nclass Row(models.Model):\n    pass\n\n\nclass RowLoader(DataLoader):\n    def batch_load_fn(self, keys):\n        return Row.objects.filter(pk__in=keys)\n";
    let before = "from loader import RowLoader\n\n\ndef show(id):\n    return id\n";
    let now = "from loader import RowLoader\n\n\ndef show(id):\n    return RowLoader().load(id)\n";
    let of = |contract| judged(contract, &[("view.py", before)], &[("view.py", now)], &[("loader.py", loader)]);
    assert_eq!(of(DATABASE), Judgment::Unknown);
    assert_eq!(of("The change must not start processes.\n"), Judgment::NoViolation);
}

#[test]
fn two_uses_on_one_line_are_two_places() {
    let text = |line: &str| {
        format!(
            "from django.db import models\n\n\nclass Row(models.Model):\n    pass\n\n\nclass Tag(models.Model):\n    pass\n\n\ndef a(use):\n    {line}\n"
        )
    };
    let cases = [
        ("use(Row.objects.get(pk=1), Tag.objects.all())", Judgment::Violation),
        ("use(1, Tag.objects.all())", Judgment::NoViolation),
        ("use(Tag.objects.all().order_by('name'))", Judgment::NoViolation),
    ];
    check(DATABASE, (&text, "use(Tag.objects.all())"), &cases, &[]);
}

#[test]
fn a_query_is_no_replacement_for_a_method_of_the_project() {
    let models = "from django.db import models\n\n\nclass Tag(models.Model):\n    pass\n\n\nclass Row(models.Model):\n    def label(self):\n        Tag.objects.create(row=self)\n";
    let text = |line: &str| format!("from models import Row\n\n\ndef a(row: Row):\n    {line}\n");
    let cases = [
        ("Row.objects.get(pk=row.pk).label()", Judgment::Violation),
        ("fresh = Row.objects.get(pk=row.pk); fresh.label()", Judgment::Violation),
        ("return row.label()", Judgment::NoViolation),
    ];
    check(DATABASE, (&text, "row.label()"), &cases, &[("models.py", models)]);
}

#[test]
fn a_class_of_the_same_package_can_be_in_another_module() {
    let before = "package org.acme.core;\n\nclass A {\n    void run() {\n    }\n}\n";
    let now = "package org.acme.core;\n\nclass A {\n    void run() {\n        new Names().list();\n    }\n}\n";
    let names = "package org.acme.core;\n\nclass Names {\n    void list() {\n    }\n}\n";
    let path = "app/src/main/java/org/acme/core/A.java";
    let of = |others: Texts<'_>| judged(NETWORK, &[(path, before)], &[(path, now)], others);
    assert_eq!(of(&[("api/src/main/java/org/acme/core/Names.java", names)]), Judgment::NoViolation);
    assert_eq!(of(&[("api/src/main/java/org/acme/other/Names.java", names)]), Judgment::Unknown);
}

#[test]
fn a_pattern_hides_other_variables_with_its_names() {
    let text = |body: &str| {
        format!(
            "pub trait Selector {{}}\n\npub struct Editor;\n\nimpl Editor {{\n    pub fn find(&self, a: u8) -> (u8, u8) {{ (a, a) }}\n}}\n\npub fn a(editor: Editor, commit: impl Selector) {{\n{body}}}\n"
        )
    };
    let (before, now) = (text(""), text("    let (_, mut commit) = editor.find(1);\n    commit.message.edit();\n"));
    assert_eq!(judged(NETWORK, &[("a.rs", &before)], &[("a.rs", &now)], &[]), Judgment::NoViolation);
}

#[test]
fn a_new_call_of_code_in_a_changed_file_is_an_addition() {
    let text = |body: &str| format!("import requests\n\n\ndef send(url):\n    return requests.get(url)\n\n{body}");
    let before = "def a():\n    return b()\n\n\ndef b():\n    return 1\n\n\ndef c():\n    return send('/c')\n";
    let cases = [
        (
            "def a():\n    return b()\n\n\ndef b():\n    return 2\n\n\ndef c():\n    return send('/c')\n",
            Judgment::NoViolation,
        ),
        (
            "def a():\n    return b()\n\n\ndef b():\n    return send('/b')\n\n\ndef c():\n    return send('/c')\n",
            Judgment::Violation,
        ),
        (
            "send('/')\n\n\ndef a():\n    return b()\n\n\ndef b():\n    return 1\n\n\ndef c():\n    return send('/c')\n",
            Judgment::Violation,
        ),
        // Renamed, moved, and extracted.
        (
            "def a():\n    return b()\n\n\ndef b():\n    return 1\n\n\ndef d():\n    return send('/c')\n",
            Judgment::NoViolation,
        ),
        (
            "def a():\n    return b()\n\n\ndef b():\n    return 1\n\n\ndef c():\n    return d()\n\n\ndef d():\n    return send('/c')\n",
            Judgment::NoViolation,
        ),
    ];
    check(NETWORK, (&text, before), &cases, &[]);
    let before = "def c():\n    return requests.get('/c')\n";
    let cases = [("def c():\n    return d()\n\n\ndef d():\n    return requests.get('/c')\n", Judgment::NoViolation)];
    check(NETWORK, (&|body| format!("import requests\n\n\n{body}"), before), &cases, &[]);
}

#[test]
fn a_migration_uses_the_database() {
    for (path, text) in [
        (
            "db/migrate/1_a.rb",
            "class A < ActiveRecord::Migration[7.0]\n  def change\n    add_foreign_key :a, :b\n  end\nend\n",
        ),
        (
            "db/migrate/1_a.rb",
            "class A < ActiveRecord::Migration[7.0]\n  def up\n    change_column_null :a, :b, false\n  end\nend\n",
        ),
        (
            "shop/migrations/0002_a.py",
            "from django.db import migrations, models\n\n\nclass Migration(migrations.Migration):\n    operations = [migrations.AddField('a', 'b', models.TextField())]\n",
        ),
        (
            "versions/a.py",
            "from alembic import op\n\n\ndef upgrade():\n    op.create_foreign_key('a', 'b', 'c', ['d'], ['e'])\n",
        ),
        (
            "database/migrations/a.php",
            "<?php\nuse Illuminate\\Support\\Facades\\Schema;\nreturn new class extends Migration {\n  public function up() { Schema::dropColumns('a', ['b']); }\n};\n",
        ),
    ] {
        assert_eq!(judged(DATABASE, &[], &[(path, text)], &[]), Judgment::Violation, "{text}");
    }
}

#[test]
fn a_result_that_is_passed_on_is_no_call() {
    let text = |body: &str| {
        format!(
            "import requests\n\n\ndef load(url):\n    page = requests.get(url)\n    return [page]\n\n\ndef show(page):\n    return 1\n\n\ndef a():\n{body}"
        )
    };
    let cases = [
        ("    page = load('/')\n    show(page)\n    return show(page)\n", Judgment::NoViolation),
        ("    page = load('/')\n    show(page)\n    return load('/b')\n", Judgment::Violation),
    ];
    check(NETWORK, (&text, "    page = load('/')\n    return page\n"), &cases, &[]);
}
