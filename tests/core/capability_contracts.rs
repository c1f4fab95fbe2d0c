//! The code that sentences of contracts name: which files and definitions a statement holds for.

use std::collections::BTreeMap;

use diffsan_capability::contracts::{callers, locate};
use diffsan_capability::follow::Follow;
use diffsan_capability::judge::{Findings, Judgment, judge};
use diffsan_capability::knowledge::Knowledge;
use diffsan_capability::project::{Bounds, Project};
use diffsan_capability::reach::Reached;
use diffsan_contracts::parse;

use crate::capability_corpus::Memory;

const FILES: &[(&str, &str)] = &[
    ("app/handler.py", "from net.client import load\n\ndef show(url):\n    return load(url)\n"),
    ("app/direct.py", "import requests\n\ndef show(url):\n    return requests.get(url)\n"),
    ("app/plain.py", "def show(url):\n    return url.strip()\n"),
    ("net/client.py", "import requests\n\ndef load(url):\n    return requests.get(url)\n"),
    ("auth/login.py", "import smtplib\n\ndef login(user):\n    smtplib.SMTP('h').sendmail('a', user, 'c')\n"),
    (
        "mail.py",
        "import smtplib\n\nclass Mailer:\n    def send(self, to):\n        smtplib.SMTP('h').sendmail('a', to, 'c')\n\n\ndef remind(to):\n    smtplib.SMTP('h').sendmail('a', to, 'd')\n",
    ),
    ("use.py", "from mail import Mailer\n\ndef go(to):\n    Mailer().send(to)\n"),
    ("net/store.py", "import redis\n\ndef put(key):\n    redis.Redis().set(key, 1)\n"),
    ("app/cached.py", "from net.store import put\n\ndef show(key):\n    put(key)\n"),
    ("src/index.rs", "use crate::view::Page;\n\npub fn show() -> Page {\n    Page {}\n}\n"),
    ("src/view.rs", "pub struct Page {}\n"),
    ("src/View/Page.php", "<?php\nnamespace Acme\\View;\n\nclass Page {}\n"),
    (
        "src/Pay/Total.php",
        "<?php\nnamespace Acme\\Pay;\n\nclass Total {\n  // \\Acme\\Text\\Line is not used.\n  function show() {\n    return new \\Acme\\View\\Page();\n  }\n}\n",
    ),
    ("out/write.py", "def keep(text):\n    open('x', 'w').write(text)\n"),
    ("src/routes.rs", "pub async fn show(weather: Weather) {\n    weather.current().await;\n}\n"),
    (
        "src/weather.rs",
        "pub struct Weather {\n    client: reqwest::Client,\n}\n\nimpl Weather {\n    pub async fn current(&self) {\n        self.client.get(\"u\").send().await;\n    }\n}\n",
    ),
    ("web/hook.js", "export const hook = process.env.HOOK;\n"),
    ("web/id.js", "export const make = ({ create = () => crypto.randomUUID() } = {}) => create();\n"),
    ("accounts/create.py", "import os\n\ndef create_account(name):\n    return os.environ['X'] + name\n"),
    (
        "api/accounts.py",
        "import redis\nfrom accounts.create import create_account\n\ndef post(name):\n    redis.Redis().set(name, 1)\n    create_account(name)\n",
    ),
    ("lib/provider.py", "class Provider:\n    pass\n"),
    ("sms_providers/fast.py", "import requests\n\ndef send(to):\n    requests.post('u', to)\n"),
    ("list.py", "import sqlite3\n\ndef rows(db: sqlite3.Connection):\n    return db.execute('SELECT 1')\n"),
    (
        "keep.py",
        "import sqlite3\n\ndef keep(db: sqlite3.Connection):\n    return db.execute('INSERT INTO a VALUES (1)')\n",
    ),
    ("any.py", "import sqlite3\n\ndef run(db: sqlite3.Connection, text):\n    return db.execute(text)\n"),
    (
        "users/notify.ts",
        "import nodemailer from 'nodemailer';\n\nexport function notify(to: string) {\n  nodemailer.createTransport({}).sendMail({ to });\n}\n\nexport class UsersModule {}\n",
    ),
];

/// Returns the judgments about files, whose paths are separated by spaces, each with the lines of the first places of its evidence.
fn judged(knowledge: &Knowledge, files: &[(&str, &str)], targets: &str, contract: &str) -> Vec<(Judgment, Vec<u32>)> {
    let files = Memory::new(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect());
    let project = Project::new(&files, Bounds::default(), &|| false);
    let follow = Follow::new(&project, knowledge);
    let found = |path: &str| (path.to_owned(), follow.file(path).expect("a file"));
    let reached: BTreeMap<String, Reached> = targets.split(' ').map(found).collect();
    let mut contracts = parse("CONTRACT.md", contract, &knowledge.vocabulary);
    locate(&mut contracts, &project, knowledge, &reached);
    let callers = callers(&contracts, &project, &follow, &reached);
    let targets = reached.iter().map(|(path, reached)| (path.as_str(), reached)).collect();
    let callers = callers.iter().map(|(path, reached)| (path.as_str(), reached)).collect();
    let findings = judge(knowledge, &contracts.effects, &Findings { targets, callers, ..Findings::default() });
    let lines = |finding: &diffsan_capability::judge::PolicyFinding| {
        let all = std::iter::once(&finding.evidence).chain(&finding.also);
        all.filter_map(|places| places.first()).map(|place| place.line).collect()
    };
    findings.iter().map(|finding| (finding.judgment, lines(finding))).collect()
}

#[test]
fn a_statement_holds_for_the_code_that_it_names() {
    let knowledge = Knowledge::load(&[]).expect("tables");
    let (violation, likely, unknown, none) =
        (Judgment::Violation, Judgment::LikelyViolation, Judgment::Unknown, Judgment::NoViolation);
    let mut wrong = Vec::new();
    for (contract, target, judgment) in [
        // A chain through the code that may do it is no violation.
        ("Only `client.py` may make HTTP requests.", "app/handler.py", Some(none)),
        ("Only `client.py` may make HTTP requests.", "app/direct.py", Some(violation)),
        ("Only `client.py` may make HTTP requests.", "app/plain.py", Some(none)),
        ("All HTTP goes through the client.", "app/direct.py", Some(violation)),
        ("All HTTP goes through the client.", "app/handler.py", Some(none)),
        ("Nothing outside `net/` may make HTTP requests.", "app/direct.py", Some(violation)),
        ("No HTTP requests, except in the net package.", "app/handler.py", Some(none)),
        ("Only the gateway may make HTTP requests.", "app/direct.py", Some(unknown)),
        ("Only the gateway may make HTTP requests.", "app/plain.py", Some(none)),
        ("Only `net/gone.py` may make HTTP requests.", "app/direct.py", Some(violation)),
        // A class and a function.
        ("Only the `Mailer` class may send email.", "use.py", Some(none)),
        ("Only the `Mailer` class may send email.", "mail.py", Some(violation)),
        ("`remind` must not send email.", "mail.py", Some(violation)),
        ("`remind` must not send email.", "use.py", Some(none)),
        // Code that is named like the subject, which is perhaps not the subject.
        ("Creating an account must not use Redis.", "api/accounts.py", Some(likely)),
        ("The provider must not make HTTP requests.", "sms_providers/fast.py", Some(unknown)),
        ("The provider must not make HTTP requests.", "app/direct.py", Some(none)),
        // Reads of a database are no writes.
        ("Code must not write to the database.", "list.py", Some(none)),
        ("Code must not write to the database.", "keep.py", Some(violation)),
        ("Code must not write to the database.", "any.py", Some(likely)),
        ("Code must not read from the database.", "list.py", Some(violation)),
        ("Code must not use the database.", "any.py", Some(violation)),
        // A package.
        ("The auth package must not send email.", "auth/login.py", Some(violation)),
        ("The auth package must not send email.", "use.py", Some(none)),
        ("The billing package must not send email.", "use.py", Some(unknown)),
        ("The billing package must not send email.", "app/plain.py", Some(none)),
        ("Logins must not send email.", "auth/login.py", Some(violation)),
        ("This service must not send email.", "use.py", Some(violation)),
        // A module is a folder too, not only the class with its name.
        ("The users module must not send email.", "users/notify.ts", Some(violation)),
        // Code that a name alone leads to may have the effect.
        ("Code must not make HTTP requests.", "src/routes.rs", Some(likely)),
        ("Only `src/weather.rs` may make HTTP requests.", "src/routes.rs", Some(unknown)),
        // The members of a symbol, and the default values of parameters.
        ("Code must not read `process.env`.", "web/hook.js", Some(violation)),
        ("Code must not use randomness.", "web/id.js", Some(violation)),
        // "Keep X out of Y" forbids, although it has the form of a demand.
        ("The application must keep texts out of the file system.", "out/write.py", Some(violation)),
        // The files that are written, or the code that writes them.
        ("Do not write files outside `out/`.", "out/write.py", Some(none)),
        ("Do not write files outside `data/`.", "out/write.py", Some(unknown)),
        ("Do not write temporary files.", "out/write.py", Some(likely)),
        // An effect of other code is not direct.
        ("Code in `app/` must not make HTTP requests directly.", "app/handler.py", Some(none)),
        ("Code in `app/` must not make HTTP requests directly.", "app/direct.py", Some(violation)),
        ("Code in `app/` must not make HTTP requests; it calls the client.", "app/handler.py", Some(none)),
        ("Code in `app/` must not make HTTP requests; it calls the client.", "app/direct.py", Some(violation)),
        ("No HTTP requests in `app/`, they go through the client.", "app/handler.py", Some(none)),
        ("Code in `app/` must not make HTTP requests; it is slow.", "app/handler.py", Some(violation)),
        // A permission lifts a prohibition only for the code that it names.
        ("MUST NOT use the network. The client may make HTTP requests.", "app/handler.py", Some(none)),
        ("MUST NOT use the network. The client may make HTTP requests.", "app/direct.py", Some(violation)),
        ("Code in `app/` must not make HTTP requests, directly or indirectly.", "app/handler.py", Some(violation)),
        // A noun that is a verb elsewhere, and a path with the name of an effect.
        ("Classes in the output package make HTTP requests through `net/` only.", "app/direct.py", Some(unknown)),
        ("Email is sent in `email/smtp.py` only.", "mail.py", Some(violation)),
        ("Tests must not send email.", "use.py", None),
    ] {
        let found = judged(&knowledge, FILES, target, contract);
        if found.first().map(|(judgment, _)| *judgment) != judgment {
            wrong.push(format!("{contract} {target}: {found:?}, not {judgment:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Of a file with the class, only the other code breaks the statement.
    assert_eq!(judged(&knowledge, FILES, "mail.py", "Only the `Mailer` class may send email."), [(violation, vec![9])]);
}

const ROLES: &[(&str, &str)] = &[
    (
        "shop.py",
        "import os\n\nfrom flask import Flask\n\napp = Flask(__name__)\nos.makedirs('data')\n\n\ndef keep(text):\n    open('x', 'w').write(text)\n\n\n@app.route('/create')\ndef create():\n    keep('a')\n",
    ),
    ("tool.py", "def keep(text):\n    open('x', 'w').write(text)\n"),
    (
        "server.js",
        "const express = require('express');\nconst fs = require('fs');\nconst app = express();\nfunction audit(req, res, next) {\n  fs.appendFileSync('log', 'a');\n  next();\n}\napp.use(audit);\napp.get('/a', (req, res) => {\n  res.send(fs.readFileSync('a'));\n});\n",
    ),
    (
        "order.py",
        "from net import post\n\n\ndef place_order(order):\n    post(order)\n\n\ndef ping():\n    post('a')\n",
    ),
    ("net.py", "import requests\n\n\ndef post(what):\n    requests.post('u', what)\n"),
    ("app/models/user.rb", "class User < ApplicationRecord\n  def load\n    File.read('a')\n  end\nend\n"),
    (
        "retry.py",
        "import time\n\n\ndef retrying(times):\n    def decorate(func):\n        def wrapper(*args):\n            time.sleep(1)\n            return func(*args)\n\n        return wrapper\n\n    return decorate\n",
    ),
    (
        "rows.py",
        "from retry import retrying\n\n\nclass Repository:\n    @retrying(3)\n    def get(self, key):\n        return key\n",
    ),
    ("cmd/a/tool.go", "package main\n\nfunc Run() {\n\tgo func() {}()\n}\n"),
    ("par/par.go", "package par\n\nfunc Map() {\n\tgo func() {}()\n}\n"),
    (
        "Disk.java",
        "import java.nio.file.Files;\n\nclass Disk extends Store {\n  Disk() {}\n  void keep() throws Exception {\n    Files.delete(null);\n  }\n}\n",
    ),
    (
        "src/Pay/Rates.php",
        "<?php\nnamespace Acme\\Pay;\n\nclass Rates {\n  function load() {\n    return file_get_contents(getenv('A'));\n  }\n  static function secret() {\n    return getenv('B');\n  }\n}\n",
    ),
    (
        "Temporary.java",
        "import java.nio.file.Files;\n\nclass Temporary {\n  Temporary() throws Exception {\n    clean();\n  }\n  void clean() throws Exception {\n    Files.delete(null);\n  }\n}\n",
    ),
    (
        "web/rows.js",
        "const express = require('express');\nconst app = express();\nfunction remove(req, res) {\n  res.end();\n}\napp.delete('/a', remove);\n",
    ),
    (
        "web/disk.js",
        "const fs = require('fs');\nexports.remove = function remove(path) {\n  fs.unlinkSync(path);\n};\n",
    ),
    ("store/cache.py", "def keep(text):\n    open('x', 'w').write(text)\n"),
    ("views/show.py", "from store.cache import keep\n\n\ndef show(text):\n    keep(text)\n"),
];

#[test]
fn a_role_is_known_by_frameworks_and_paths() {
    let knowledge = Knowledge::load(&[]).expect("tables");
    let (violation, unknown, none) = (Judgment::Violation, Judgment::Unknown, Judgment::NoViolation);
    let mut wrong = Vec::new();
    for (contract, target, wanted) in [
        // The handler calls code that is none.
        ("Request handlers must not write files.", "shop.py", vec![(violation, vec![15])]),
        ("Request handlers must not write files.", "tool.py", vec![(none, vec![])]),
        ("Request handlers must not read files.", "server.js", vec![(violation, vec![10])]),
        ("Middleware must not write files.", "server.js", vec![(violation, vec![5])]),
        ("Middleware must not read files.", "server.js", vec![(none, vec![])]),
        ("Models must not read files.", "app/models/user.rb", vec![(violation, vec![3])]),
        ("Migrations must not write files.", "tool.py", vec![(none, vec![])]),
        ("Library code must not write files.", "tool.py", vec![(violation, vec![2])]),
        // Any code can be of the domain.
        ("Domain code must not write files.", "tool.py", vec![(unknown, vec![2])]),
        ("Domain code must not send email.", "tool.py", vec![(none, vec![])]),
        // Definitions are named like the activity that is the subject.
        ("Placing an order must not use the network.", "order.py", vec![(violation, vec![5]), (unknown, vec![9])]),
        // A decorator runs in the place of the function.
        ("Repositories must not sleep.", "rows.py", vec![(violation, vec![5])]),
        // Packages, namespaces and parents that files declare.
        ("Only package main may start goroutines.", "cmd/a/tool.go", vec![(none, vec![])]),
        ("Only package main may start goroutines.", "par/par.go", vec![(violation, vec![4])]),
        ("Subclasses of Store must not delete files.", "Disk.java", vec![(violation, vec![6])]),
        ("The constructor must not delete files.", "Disk.java", vec![(none, vec![])]),
        ("Constructors must not delete files.", "Temporary.java", vec![(violation, vec![5])]),
        // The function of the same name in another file is not the one that is registered.
        ("Request handlers must not delete files.", "web/disk.js", vec![(none, vec![])]),
        // A member of a class is named with it.
        ("getenv() must not be used, except in Rates::secret.", "src/Pay/Rates.php", vec![(violation, vec![6])]),
        ("Acme\\Pay must not read files.", "src/Pay/Rates.php", vec![(violation, vec![6])]),
        // A namespace that no file has can be misread.
        ("Acme\\Bank must not read files.", "src/Pay/Rates.php", vec![(unknown, vec![6])]),
        // The time of a request is a place.
        ("Files must not be written while a user waits.", "shop.py", vec![(violation, vec![15])]),
        ("Files must not be written while handling a request; a job does it.", "tool.py", vec![(none, vec![])]),
        // Code that did not change can do something through code that did.
        ("Views must not write files.", "store/cache.py", vec![(violation, vec![5])]),
        ("Views must not send email.", "store/cache.py", vec![(none, vec![])]),
    ] {
        let found = judged(&knowledge, ROLES, target, contract);
        if found != wanted {
            wrong.push(format!("{target}: {contract}\n  wanted: {wanted:?}\n  found:  {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn imports_are_judged_as_they_are_written() {
    let knowledge = Knowledge::load(&[]).expect("tables");
    let (violation, unknown, none) = (Judgment::Violation, Judgment::Unknown, Judgment::NoViolation);
    let mut wrong = Vec::new();
    for (target, contract, wanted) in [
        ("app/direct.py", "Only `net/` may import `requests`.", vec![(violation, vec![1])]),
        ("net/client.py", "`requests` must not be imported outside `net/`.", vec![(none, vec![])]),
        ("app/direct.py", "`requests` must not be imported outside `net/`.", vec![(violation, vec![1])]),
        ("app/handler.py", "`app/` must not import from `net/`.", vec![(violation, vec![1])]),
        ("app/handler.py", "`app/` must not depend on `net.client`.", vec![(violation, vec![1])]),
        ("app/plain.py", "`app/` must not import from `net/`.", vec![(none, vec![])]),
        ("net/client.py", "`app/` must not import from `net/`.", vec![(none, vec![])]),
        ("app/handler.py", "Do not import `requests`.", vec![(none, vec![])]),
        ("app/handler.py", "The app package must not import the net package.", vec![(violation, vec![1])]),
        ("app/handler.py", "The app package must not import the billing package.", vec![(unknown, vec![])]),
        ("app/direct.py", "No `requests` imports in `billing/`.", vec![(none, vec![])]),
        // An import is no use through other code.
        ("app/cached.py", "The app package must not import Redis.", vec![(none, vec![])]),
        ("net/store.py", "The net package must not import Redis.", vec![(violation, vec![1])]),
        ("src/Pay/Total.php", "Acme\\Pay must not depend on Grand Total types.", vec![(unknown, vec![])]),
        // The subject of the part before.
        ("app/direct.py", "`app/` holds pages; it must not import `requests`.", vec![(violation, vec![1])]),
        ("net/client.py", "`app/` holds pages; it must not import `requests`.", vec![(none, vec![])]),
        ("net/client.py", "Views show pages; they must not import `requests`.", vec![(none, vec![])]),
        // A module that other code imports can be known without an import.
        ("app/handler.py", "`app/` must not know about `requests`.", vec![(none, vec![])]),
        ("app/handler.py net/client.py", "`app/` must not know about `requests`.", vec![(unknown, vec![])]),
        ("src/index.rs", "`src/index.rs` must not import `view`.", vec![(violation, vec![1])]),
        // The path of a subject in words.
        ("app/direct.py", "Pages in app/ must not import `requests`.", vec![(violation, vec![1])]),
        // A name with its namespace needs no import.
        ("src/Pay/Total.php", "Acme\\Pay must not know the view.", vec![(violation, vec![7])]),
        ("src/Pay/Total.php", "Acme\\Pay must not depend on `Acme\\Text`.", vec![(none, vec![])]),
    ] {
        let found = judged(&knowledge, FILES, target, contract);
        if found != wanted {
            wrong.push(format!("{target}: {contract}\n  wanted: {wanted:?}\n  found:  {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const USES: &[(&str, &str)] = &[
    (
        "shop/web/CartController.java",
        "package shop.web;\n\nclass CartController {\n  CartRepository carts;\n  int count() { return carts.count(); }\n}\n",
    ),
    ("shop/web/CartRepository.java", "package shop.web;\n\ninterface CartRepository {\n  int count();\n}\n"),
    (
        "shop/web/TextController.java",
        "package shop.web;\n\nclass TextController {\n  String show() { return \"a\"; }\n}\n",
    ),
    ("shop/web/Counter.java", "package shop.web;\n\ninterface Counter {\n  int count();\n}\n"),
    (
        "shop/web/SumController.java",
        "package shop.web;\n\nclass SumController {\n  Counter carts;\n  int count() { return carts.count(); }\n}\n",
    ),
    (
        "shop/rates/Rates.java",
        "package shop.rates;\n\nimport org.springframework.web.client.RestTemplate;\n\nclass Rates {\n  private RestTemplate client;\n}\n",
    ),
    (
        "app/controllers/carts_controller.rb",
        "class CartsController\n  def create\n    CartMailer.created.deliver_later\n  end\nend\n",
    ),
    ("app/controllers/texts_controller.rb", "class TextsController\n  def show\n    'a'\n  end\nend\n"),
    ("app/mailers/cart_mailer.rb", "class CartMailer\n  def created\n  end\nend\n"),
    ("web/cart_handler.go", "package web\n\nfunc Show() int {\n\treturn NewCartRepository().Count()\n}\n"),
    (
        "web/cart_repository.go",
        "package web\n\ntype CartRepository struct{}\n\nfunc NewCartRepository() *CartRepository { return nil }\n\nfunc (c *CartRepository) Count() int { return 1 }\n",
    ),
    ("web/text_handler.go", "package web\n\nfunc Text() int {\n\treturn 1\n}\n"),
    ("engine/run.py", "from web.page import show\n\ndef run():\n    return show()\n"),
    ("engine/plan.py", "import json\nfrom engine.run import run\n\ndef plan():\n    return json.dumps(run)\n"),
    ("web/page.py", "def show():\n    return 1\n"),
    ("src/bus.ts", "import { Kafka } from 'kafkajs';\n\nexport const bus = new Kafka({});\n"),
    ("src/page.ts", "import { Kafka } from 'kafkajs';\n\nexport const page = new Kafka({});\n"),
    ("tools/watch.rb", "class Watch\n  def start\n    Thread.new { loop { tick } }\n  end\n\n  def tick\n  end\nend\n"),
    ("tools/logins.py", "import netrc\n\n\ndef logins(path):\n    return netrc.netrc(path)\n"),
    (
        "tools/names.rb",
        "class Names\n  def find(name)\n    name\n  end\n  alias open find\n  alias_method :sh, :system\n\n  def one\n    open('a')\n  end\n\n  def two\n    sh('ls')\n  end\nend\n",
    ),
    ("src/Plan/exec.php", "<?php\nnamespace Acme\\Plan;\n\nfunction exec($one) {\n  return $one;\n}\n"),
    (
        "src/Plan/Plan.php",
        "<?php\nnamespace Acme\\Plan;\n\nclass Plan {\n  function run() {\n    return exec('a');\n  }\n}\n",
    ),
    (
        "src/Other/Plan.php",
        "<?php\nnamespace Acme\\Other;\n\nclass Plan {\n  function run() {\n    return exec('a');\n  }\n}\n",
    ),
    ("src/commands/add.rs", "use crate::disk;\n\npub fn add() {\n    disk::save();\n}\n"),
    ("src/commands/list.rs", "pub fn list() {\n    std::fs::read_to_string(\"a\");\n}\n"),
    (
        "src/commands/show.rs",
        "pub fn show() {\n    super::super::disk::save();\n    println!(\"crate::other {}\", crate::text::line());\n}\n",
    ),
    ("src/commands/mod.rs", "pub mod add;\npub mod list;\npub mod show;\n"),
    ("src/lib.rs", "pub mod commands;\npub mod disk;\npub mod other;\npub mod text;\n"),
    ("src/disk.rs", "use std::fs;\n\npub fn save() {\n    fs::write(\"a\", \"b\");\n}\n"),
    ("src/other.rs", "pub fn other() {}\n"),
    (
        "cmd/serve.go",
        "package main\n\nimport \"gopkg.in/macaron.v1\"\n\nfunc serve() {\n\tm := macaron.New()\n\tm.Get(\"/health\", health)\n}\n\nfunc health() {}\n",
    ),
    (
        "src/post.rs",
        "use lettre::AsyncSendmailTransport;\n\npub fn transport() {\n    AsyncSendmailTransport::new();\n}\n",
    ),
    ("lib/load.rb", "def load_file(app, path)\n  app.class_eval(File.read(path))\nend\n"),
    ("lib/mix.rb", "def mix(app)\n  app.class_eval { attr_reader :a }\nend\n"),
    ("src/text.rs", "pub fn line() -> u8 {\n    1\n}\n"),
];

#[test]
fn code_is_used_with_and_without_imports() {
    let knowledge = Knowledge::load(&[]).expect("tables");
    let (violation, unknown, none) = (Judgment::Violation, Judgment::Unknown, Judgment::NoViolation);
    let mut wrong = Vec::new();
    for (target, contract, wanted) in [
        // Classes of the same package, and those that Ruby loads by their names.
        ("shop/web/CartController.java", "Controllers must not use repositories.", violation),
        ("shop/web/TextController.java", "Controllers must not use repositories.", none),
        ("app/controllers/carts_controller.rb", "Controllers must not call mailers themselves.", violation),
        ("app/controllers/texts_controller.rb", "Controllers must not call mailers themselves.", none),
        ("web/cart_handler.go", "Handlers must not use repositories directly.", violation),
        ("web/text_handler.go", "Handlers must not use repositories directly.", none),
        // The contract wants repositories to use the database.
        ("shop/web/CartController.java", "Controllers reach the database only through repositories.", none),
        ("shop/web/SumController.java", "Controllers reach the database only through repositories.", unknown),
        // Folders without a noun, and all code but the own one.
        ("engine/run.py", "engine must not depend on web.", violation),
        ("engine/plan.py", "engine must not depend on web.", none),
        ("engine/run.py", "engine must not import any other package of the project.", violation),
        ("engine/plan.py", "engine must not import any other package of the project.", none),
        ("engine/run.py", "Code in `engine/` must not depend on other modules of this repository.", violation),
        ("engine/run.py", "engine must not import web.page.", violation),
        ("engine/plan.py", "engine must not import web.page.", none),
        // Libraries and their classes.
        ("src/page.ts", "kafkajs may only be imported in src/bus.ts.", violation),
        ("src/bus.ts", "kafkajs may only be imported in src/bus.ts.", none),
        ("shop/rates/Rates.java", "RestTemplate may only be used in shop/client/.", violation),
        ("shop/web/CartController.java", "RestTemplate is used in the rates package only.", none),
        ("shop/rates/Rates.java", "Rates must not depend on Spring types.", violation),
        // A constructor by its name, and a module that reads a file with passwords.
        ("tools/watch.rb", "Thread.new must not be used.", violation),
        ("tools/names.rb", "Thread.new must not be used.", none),
        ("tools/logins.py", "Code must not read files.", violation),
        // Another name of a method, and a function with the name of a built-in one.
        ("tools/names.rb", "Code must not read files.", none),
        ("tools/names.rb", "Code must not run shell commands.", violation),
        ("src/Plan/Plan.php", "Code must not run shell commands.", none),
        ("src/Other/Plan.php", "Code must not run shell commands.", violation),
        // A named module is used by the code itself.
        ("src/commands/add.rs", "Commands must not use std::fs.", none),
        ("src/commands/list.rs", "Commands must not use std::fs.", violation),
        ("src/commands/add.rs", "Commands must not write files.", violation),
        ("src/commands/add.rs", "Commands must be thin: no file system access in commands.", none),
        ("src/commands/add.rs", "Commands must not write files, directly or through other code.", violation),
        // Mail that another program sends, and routers.
        ("src/post.rs", "Code must not start other programs.", violation),
        ("cmd/serve.go", "Code must not add endpoints.", violation),
        // A text that is run, but not a block.
        ("lib/load.rb", "Code must not use eval.", violation),
        ("lib/mix.rb", "Code must not use eval.", unknown),
        // Paths in code, but not in texts.
        ("src/commands/show.rs", "Commands must not depend on `src/disk.rs`.", violation),
        ("src/commands/show.rs", "Commands must not depend on `src/text.rs`.", violation),
        ("src/commands/show.rs", "Commands must not depend on `src/other.rs`.", none),
    ] {
        let found = judged(&knowledge, USES, target, contract);
        if found.first().map(|(judgment, _)| *judgment) != Some(wanted) {
            wrong.push(format!("{target}: {contract}\n  {found:?}, not {wanted:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
