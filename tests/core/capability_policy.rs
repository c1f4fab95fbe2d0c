//! The judgments and bounds of the capability reviewer, as its first specification requires them.

use std::collections::{BTreeMap, BTreeSet};

use diffsan_capability::follow::Follow;
use diffsan_capability::judge::{Findings, Judgment, PolicyFinding, judge};
use diffsan_capability::knowledge::Knowledge;
use diffsan_capability::project::{Bounds, Content, Files, Project};
use diffsan_capability::reach::Reached;
use diffsan_contracts::{Contracts, parse};

use crate::capability_corpus::Memory;

const TARGET: &str = "src/refund.ts";
const WRAPPER: &str = "src/clients/notificationClient.ts";
const CONTRACT: &str = r#"[{"modal": "MUST_NOT", "action": "send", "resource": "email"}]"#;

fn files(texts: &[(&str, &str)]) -> Memory {
    Memory::new(texts.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect())
}

/// Returns the findings about a target, and the number of files that were read for it.
fn judged(files: &dyn Files, bounds: Bounds, contract: &str) -> (Vec<PolicyFinding>, usize) {
    judged_target(TARGET, files, bounds, contract)
}

fn judged_target(target: &str, files: &dyn Files, bounds: Bounds, contract: &str) -> (Vec<PolicyFinding>, usize) {
    let knowledge = Knowledge::load(&[]).expect("tables");
    let project = Project::new(files, bounds, &|| false);
    let reached: BTreeMap<String, Reached> = Follow::new(&project, &knowledge)
        .file(target)
        .map(|reached| BTreeMap::from([(target.to_owned(), reached)]))
        .unwrap_or_default();
    let gaps = project.hits().into_iter().map(|(bound, detail)| format!("{bound} was reached: {detail}"));
    let unread = project.unreadable().into_iter().map(|(path, reason)| format!("{path} was not read: {reason}"));
    let findings = Findings {
        targets: reached.iter().map(|(path, reached)| (path.as_str(), reached)).collect(),
        gaps: gaps.chain(unread).collect(),
        steps: project.steps(),
        ..Findings::default()
    };
    let Contracts { effects, warnings, .. } = parse("contract.json", contract, &knowledge.vocabulary);
    assert_eq!(warnings, []);
    (judge(&knowledge, &effects, &findings), project.files_read())
}

fn one(texts: &[(&str, &str)]) -> PolicyFinding {
    let (mut findings, _) = judged(&files(texts), Bounds::default(), CONTRACT);
    assert_eq!(findings.len(), 1, "{findings:?}");
    findings.remove(0)
}

const CALLS: &str = "import { notificationClient } from './clients/notificationClient';\n\nexport async function refund(email: string) {\n  await notificationClient.sendRefundNotice(email);\n}\n";
const SENDS: &str = "import { Resend } from 'resend';\n\nconst resend = new Resend('k');\n\nexport const notificationClient = {\n  async sendRefundNotice(email: string) {\n    return resend.emails.send({ to: email });\n  },\n};\n";

#[test]
fn email_hidden_behind_a_local_client_is_a_warning_with_evidence_from_both_files() {
    let finding = one(&[(TARGET, CALLS), (WRAPPER, SENDS)]);
    assert_eq!((finding.judgment, finding.severity), (Judgment::Violation, "warning"));
    assert_eq!((finding.effect.action.as_str(), finding.effect.resource.as_str()), ("send", "email"));
    assert!(finding.confidence >= 0.9);
    let places: Vec<(&str, u32)> = finding.evidence.iter().map(|place| (place.file.as_str(), place.line)).collect();
    assert_eq!(places, [(TARGET, 4), (WRAPPER, 7)]);
    assert_eq!(finding.evidence[1].excerpt, "return resend.emails.send({ to: email });");
    assert!(finding.agent_steps.iter().any(|step| step.starts_with("followed notificationClient.sendRefundNotice")));
}

#[test]
fn a_client_that_is_not_imported_is_found_by_its_name() {
    let calls =
        "export async function refund(email: string) {\n  await notificationClient.sendRefundNotice(email);\n}\n";
    let finding = one(&[(TARGET, calls), (WRAPPER, SENDS)]);
    assert_eq!((finding.judgment, finding.severity), (Judgment::LikelyViolation, "warning"));
    let files: BTreeSet<&str> = finding.evidence.iter().map(|place| place.file.as_str()).collect();
    assert_eq!(files, BTreeSet::from([TARGET, WRAPPER]));
}

#[test]
fn a_name_that_only_reads_does_not_suggest_more() {
    let delete = r#"[{"modal": "MUST_NOT", "action": "delete", "resource": "files"}]"#;
    let judgments = |line: &str| {
        let text = format!("export function show(fileName, fileById, event: KeyboardEvent) {{\n  {line};\n}}\n");
        let (findings, _) = judged(&files(&[(TARGET, &text)]), Bounds::default(), delete);
        findings.into_iter().map(|finding| finding.judgment).collect::<Vec<_>>()
    };
    assert_eq!(judgments("return fileName.toLowerCase()"), [Judgment::NoViolation]);
    assert_eq!(judgments("return fileById.get(event.key)"), [Judgment::NoViolation]);
    assert_eq!(judgments("event.preventDefault()"), [Judgment::NoViolation]);
    assert_eq!(judgments("fileById.uploadFile(event)"), [Judgment::NoViolation]);
    assert_eq!(judgments("new FileReader().readAsText(event.target)"), [Judgment::NoViolation]);
    assert_eq!(judgments("fileById.dropFile(event)"), [Judgment::Unknown]);
    assert_eq!(judgments("fileById.uploadAndRemoveFile(event)"), [Judgment::Unknown]);
    assert_eq!(judgments("fileById.purge()"), [Judgment::Unknown]);
    assert_eq!(judgments("fileById.getaway()"), [Judgment::Unknown]);
}

/// A handler of events and a callback belong to the code that gives them, and functions of the framework are known.
#[test]
fn callbacks_and_functions_of_frameworks_do_not_leave_a_contract_unanswered() {
    let answered: &[&[(&str, &str)]] = &[
        &[
            (
                "Form.tsx",
                "import type { Props } from './props';\nexport const Form = (p: Props) => <i onClick={() => p.onPick(1)} />;\n",
            ),
            ("props.ts", "export type Props = { onPick: (id: number) => void };\n"),
        ],
        &[
            (
                "find.ts",
                "import type { Test } from './test';\nexport const find = (test: Test, done: Function) => { done(); return test(1); };\n",
            ),
            ("test.ts", "export type Test = (id: number) => boolean;\n"),
        ],
        &[("key.tsx", "export const onKey = (event: React.KeyboardEvent) => event.preventDefault();\n")],
        &[(
            "all.ts",
            "export function all<T>(list: T[], by: (one: T) => string) { return list.map((one: T) => by(one)); }\n",
        )],
        &[("config/routes.rb", "Rails.application.routes.draw do\n  get 'a', to: 'b#c'\n  direct(:b) { 'c' }\nend\n")],
        // `this` in a method of an object is the object.
        &[(
            "plugin.ts",
            "export class P {\n  make() { return build({ show(state: any) { return this.getState(state); } }); }\n}\nconst build = (x: object) => x;\n",
        )],
        // An option is given by the code that uses it, and so is a member of a type that no other file sees.
        &[
            (
                "form.ts",
                "import type { Options } from './options';\nexport const run = (o: Options) => o.check?.(1);\n",
            ),
            ("options.ts", "export interface Options { check?: (id: number) => boolean }\n"),
        ],
        &[("Card.tsx", "type Props = { pick: (id: number) => void };\nexport const Card = (p: Props) => p.pick(1);\n")],
        &[
            ("close.ts", "export const close = (done: Closure) => done();\n"),
            ("types.d.ts", "declare type Closure<T = any> = () => T;\n"),
        ],
        &[
            (
                "types.ts",
                "import { z } from 'zod';\nimport { s } from './s';\nexport const f = (a: z.infer<typeof s>, b: Exclude<X, Y>) => { a.go(); b.go(); };\ntype X = A & { y: 1 };\n",
            ),
            ("s.ts", "export const s = 1;\n"),
        ],
        // What an inner function returns is not a name of the outer one.
        &[(
            "find.ts",
            "const pick = (all: any[]) => {\n  all.find((m) => m.path());\n};\nexport const f = () => pick([]).run();\n",
        )],
        // A class with the trait has the method from its parent.
        &[
            (
                "app/HasSongs.php",
                "<?php\nnamespace App;\ntrait HasSongs { public function songs() { return $this->hasMany(Song::class); } }\n",
            ),
            (
                "app/User.php",
                "<?php\nnamespace App;\nuse Illuminate\\Database\\Eloquent\\Model;\nclass User extends Model { use HasSongs; }\n",
            ),
        ],
        &[(
            "app/each.php",
            "<?php\nfunction f($all) {\n  foreach ($all as $key => $one) { $one->name(); }\n  try { f([]); } catch (Exception $error) { $error->getMessage(); }\n}\n",
        )],
        // Constants of a parent, of the application, and of columns.
        &[
            ("app/models/link.rb", "class Link < Buttonish\n  ALL = VARIANTS.merge(a: 1).freeze\nend\n"),
            ("app/models/buttonish.rb", "class Buttonish\n  VARIANTS = { b: 1 }.freeze\nend\n"),
        ],
        &[
            ("app/models/link.rb", "class Link\n  def show\n    Shop.version(1)\n  end\nend\n"),
            ("config/application.rb", "module Shop\n  def self.version(one)\n    one\n  end\nend\n"),
        ],
        &[
            ("app/models/link.rb", "class Link\n  def show(user)\n    user.unconfirmed_email\n  end\nend\n"),
            ("db/schema.rb", "create_table \"users\" do |t|\n  t.string \"unconfirmed_email\"\nend\n"),
        ],
        // The template of a component has the methods of its class.
        &[
            ("app/components/card.html.erb", "<p><%= title_for(1) %> <%= card_path(1) %></p>\n"),
            ("app/components/card.rb", "class Card\n  def title_for(one)\n    one\n  end\nend\n"),
            ("app/models/card.rb", "class Deck\nend\n"),
        ],
        &[("app/view.php", "<?php\nfunction show($name) { return e(once(fn () => iconv('a', 'b', $name))); }\n")],
    ];
    for texts in answered {
        let (findings, _) = judged_target(texts[0].0, &files(texts), Bounds::default(), CONTRACT);
        let messages: Vec<&str> = findings.iter().map(|finding| finding.message.as_str()).collect();
        assert!(findings.iter().all(|finding| finding.judgment == Judgment::NoViolation), "{messages:?}");
    }
    let unknown: &[&[(&str, &str)]] = &[
        // No handler of events, and nothing implements it.
        &[
            ("a.ts", "import type { Port } from './port';\nexport const run = (port: Port) => port.transfer(1);\n"),
            ("port.ts", "export interface Port { transfer: (id: number) => void }\n"),
        ],
        &[("lib/a.rb", "def run\n  mount 'x', 1\nend\n")],
        // Views have only the methods that a controller shares.
        &[
            ("app/views/a.html.erb", "<%= load_all(1) %>\n"),
            ("app/controllers/concerns/b.rb", "module B\n  def load_all(one)\n    one\n  end\nend\n"),
        ],
        &[(
            "licence.php",
            "<?php //0046b\nif(!extension_loaded('ionCube Loader')){die('loader missing');}\n?>\nHR+cPm4zTx\n",
        )],
    ];
    for texts in unknown {
        let (findings, _) = judged_target(texts[0].0, &files(texts), Bounds::default(), CONTRACT);
        assert!(findings.iter().all(|finding| finding.judgment == Judgment::Unknown), "{texts:?}");
    }
}

#[test]
fn a_collection_of_records_is_counted_without_the_database() {
    let contract = r#"[{"modal": "MUST_NOT", "action": "use", "resource": "database"}]"#;
    let judgment = |call: &str| {
        let text = format!(
            "<?php\nuse Illuminate\\Database\\Eloquent\\Collection;\nfunction f(Collection $songs) {{ return $songs->{call}; }}\n"
        );
        judged_target("app/f.php", &files(&[("app/f.php", &text)]), Bounds::default(), contract).0[0].judgment
    };
    assert_eq!(judgment("count()"), Judgment::NoViolation);
    assert_eq!(judgment("load('album')"), Judgment::LikelyViolation);
}

/// Of many files, only those that mention the method can implement an interface.
#[test]
fn an_implementation_in_one_of_many_files_is_found() {
    let mut texts = vec![
        ("go.mod".to_owned(), "module m\n".to_owned()),
        (
            "app/run.go".to_owned(),
            "package app\n\nimport \"m/port\"\n\nfunc Run(p port.Port) { p.Deliver(1) }\n".to_owned(),
        ),
        ("port/port.go".to_owned(), "package port\n\ntype Port interface {\n\tDeliver(id int)\n}\n".to_owned()),
    ];
    for at in 0..30 {
        texts.push((format!("other{at}/other.go"), format!("package other{at}\n\nfunc (o *Other) Other() {{}}\n")));
    }
    let mail = "package zz\n\nimport \"net/smtp\"\n\ntype Mail struct{}\n\nfunc (m *Mail) Deliver(id int) { smtp.SendMail(\"\", nil, \"\", nil, nil) }\n";
    texts.push(("zz/mail.go".to_owned(), mail.to_owned()));
    let files = Memory::new(texts.into_iter().collect());
    let bounds = Bounds { max_search_results: 3, ..Bounds::default() };
    let (findings, _) = judged_target("app/run.go", &files, bounds, CONTRACT);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].judgment, Judgment::Violation, "{}", findings[0].message);
    assert!(findings[0].evidence.iter().any(|place| place.file == "zz/mail.go"));
}

#[test]
fn an_unknown_dependency_that_could_do_it_is_a_possible_violation() {
    let calls = "import { deliver } from 'acme-mailer';\n\nexport const refund = (email: string) => deliver(email);\n";
    let finding = one(&[(TARGET, calls)]);
    assert_eq!(finding.judgment, Judgment::LikelyViolation);
    assert!((0.5..0.9).contains(&finding.confidence), "{finding:?}");
    assert!(finding.message.contains("acme-mailer"), "{finding:?}");
}

#[test]
fn code_that_is_not_understood_is_never_no_violation() {
    for (text, judgment) in [
        (
            "import { x } from './gone';\nexport class Refund extends Widget {\n  run() { return 1; }\n}\n",
            Judgment::Unknown,
        ),
        ("import { Base } from 'ui-kit';\nexport class Refund extends Base {}\n", Judgment::Unknown),
        ("export function refund(x) {\n  send_email(x);\n}\n", Judgment::Unknown),
        ("export function refund(x) {\n  window.App.sendEmail(x);\n}\n", Judgment::Unknown),
        ("import nodemailer from 'nodemailer';\nnodemailer.flushEverything();\n", Judgment::LikelyViolation),
        ("export const f = (x) => total(x);\n", Judgment::Unknown),
        ("import { go } from './gone';\nexport const f = (x) => go(x);\n", Judgment::Unknown),
        ("export const f = (name) => require(name);\n", Judgment::Unknown),
        (
            "interface Sink { put(x: string): void }\nexport const f = (sink: Sink) => sink.put('x');\n",
            Judgment::Unknown,
        ),
        // Parents of the language, and names that have nothing to do with the contract.
        (
            "export class Refused extends Error {}\nexport const f = (x) => parseInt(x) + Math.max(x, 1);\n",
            Judgment::NoViolation,
        ),
    ] {
        assert_eq!(one(&[(TARGET, text)]).judgment, judgment, "{text}");
    }
}

#[test]
fn code_that_an_import_runs_counts_for_a_contract() {
    let sends =
        "import { Resend } from 'resend';\nexport const started = true;\nnew Resend('k').emails.send({ to: 'x' });\n";
    for import in ["import { started } from './setup';\nexport const f = () => started;\n", "import './setup';\n"] {
        let finding = one(&[(TARGET, import), ("src/setup.ts", sends)]);
        assert_eq!(finding.judgment, Judgment::Violation, "{import}");
        assert_eq!(finding.evidence.len(), 2, "{finding:?}");
    }
}

#[test]
fn undecidable_code_is_unknown_with_low_confidence() {
    let ambiguous = "export function refund(mailer: any, email: string) {\n  mailer.go(email);\n}\n";
    let plain = "import { run } from 'acme-core';\n\nexport const refund = (email: string) => run(email);\n";
    let missing = "import { go } from './gone';\n\nexport const refund = (x: string) => go.sendEmail(x);\n";
    for text in [ambiguous, plain, missing] {
        let finding = one(&[(TARGET, text)]);
        assert_eq!(finding.judgment, Judgment::Unknown, "{text}");
        assert!(finding.confidence < 0.5 && finding.message.starts_with("Insufficient evidence"), "{finding:?}");
    }
    let (findings, _) = judged(&files(&[("README.md", "nothing")]), Bounds::default(), CONTRACT);
    assert_eq!(findings[0].judgment, Judgment::Unknown);
}

#[test]
fn code_without_the_effect_is_no_violation() {
    let finding = one(&[(TARGET, "export const refund = (x: number) => x * 2;\n")]);
    assert_eq!(finding.judgment, Judgment::NoViolation);
    assert!(finding.confidence > 0.8);
}

fn chain(depth: usize) -> Vec<(String, String)> {
    let mut texts = vec![(
        TARGET.to_owned(),
        "import { w1 } from './w1';\nexport const refund = (x: string) => w1(x);\n".to_owned(),
    )];
    for at in 1..depth {
        let next = at + 1;
        let text = format!("import {{ w{next} }} from './w{next}';\nexport const w{at} = (x: string) => w{next}(x);\n");
        texts.push((format!("src/w{at}.ts"), text));
    }
    let last = format!(
        "import {{ Resend }} from 'resend';\nexport const w{depth} = (x: string) => new Resend('k').emails.send({{ to: x }});\n"
    );
    texts.push((format!("src/w{depth}.ts"), last));
    texts
}

#[test]
fn following_stops_at_its_depth() {
    for (depth, found) in [(1, true), (2, true), (3, false), (4, false)] {
        let texts = chain(depth);
        let texts: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let (findings, read) = judged(&files(&texts), Bounds::default(), CONTRACT);
        let judgment = if found { Judgment::Violation } else { Judgment::Unknown };
        assert_eq!(findings[0].judgment, judgment, "depth {depth}");
        // Deeper files are not read: only the target, two files, and the file that contains the next name.
        assert!(read <= 4, "{read} files for depth {depth}");
        if !found {
            assert!(findings[0].message.contains("max_follow_depth"), "{findings:?}");
        }
    }
}

#[test]
fn the_number_of_read_files_is_bounded() {
    let texts = chain(2);
    let texts: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    for max_files in 1..4 {
        let bounds = Bounds { max_files, ..Bounds::default() };
        let (findings, read) = judged(&files(&texts), bounds, CONTRACT);
        assert!(read <= max_files, "{read} of {max_files}");
        let whole = max_files == 3;
        assert_eq!(findings[0].judgment == Judgment::Violation, whole, "{findings:?}");
        assert_eq!(findings[0].message.contains("max_files"), !whole, "{findings:?}");
    }
}

#[test]
fn a_search_is_bounded() {
    let calls = "export const refund = (email: string) => notificationClient.sendRefundNotice(email);\n";
    let mut texts = vec![(TARGET.to_owned(), calls.to_owned())];
    for at in 0..30 {
        texts.push((format!("src/p{at:02}/notificationClient.ts"), "export const other = () => 1;\n".to_owned()));
    }
    let texts: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let bounds = Bounds { max_search_results: 5, max_files: 0, ..Bounds::default() };
    let (findings, read) = judged(&files(&texts), bounds, CONTRACT);
    assert!(read <= 6, "{read}");
    assert!(findings[0].message.contains("max_search_results"), "{findings:?}");
}

#[test]
fn no_file_is_read_after_the_time_limit() {
    let knowledge = Knowledge::load(&[]).expect("tables");
    let files = files(&[(TARGET, CALLS), (WRAPPER, SENDS)]);
    let project = Project::new(&files, Bounds::default(), &|| true);
    assert!(Follow::new(&project, &knowledge).file(TARGET).is_none());
    assert_eq!(project.files_read(), 0);
    assert!(project.hits().contains_key("max_runtime_seconds"));
}

/// Files of which one cannot be read.
struct Unreadable(Memory);

impl Files for Unreadable {
    fn paths(&self) -> &BTreeSet<String> {
        self.0.paths()
    }

    fn read(&self, path: &str) -> Content {
        if path == WRAPPER { Content::Unreadable("it is larger than a megabyte") } else { self.0.read(path) }
    }
}

#[test]
fn an_unreadable_file_is_reported_and_not_guessed() {
    let files = Unreadable(files(&[(TARGET, CALLS), (WRAPPER, SENDS)]));
    let (findings, _) = judged(&files, Bounds::default(), CONTRACT);
    assert_eq!(findings[0].judgment, Judgment::Unknown, "{findings:?}");
    assert!(findings.iter().any(|finding| finding.confidence < 0.5));
}

#[test]
fn words_of_contracts_have_their_usual_meaning() {
    for (contract, broken) in [
        ("MUST NOT notify customer emails", true),
        ("MUST NOT deliver mail", true),
        ("SHALL NOT use network", true),
        ("MAY NOT send notifications", true),
        ("MUST NOT access the internet", true),
        ("MUST NOT delete files", false),
        ("MUST NOT use network\nMAY send email", false),
        ("SHOULD NOT send emails", true),
    ] {
        let text = format!("<capabilities>\n{contract}\n</capabilities>");
        let knowledge = Knowledge::load(&[]).expect("tables");
        let files = files(&[(TARGET, CALLS), (WRAPPER, SENDS)]);
        let project = Project::new(&files, Bounds::default(), &|| false);
        let reached = Follow::new(&project, &knowledge).file(TARGET).expect("read");
        let findings = Findings { targets: vec![(TARGET, &reached)], ..Findings::default() };
        let found = judge(&knowledge, &parse("README.md", &text, &knowledge.vocabulary).effects, &findings);
        let says = found.iter().any(|one| matches!(one.judgment, Judgment::Violation | Judgment::LikelyViolation));
        assert_eq!(says, broken, "{contract}: {found:?}");
    }
}

#[test]
fn a_required_effect_is_searched_for() {
    let demand = r#"[{"modal": "MUST", "action": "send", "resource": "email"}]"#;
    let (findings, _) = judged(&files(&[(TARGET, CALLS), (WRAPPER, SENDS)]), Bounds::default(), demand);
    assert_eq!(findings[0].judgment, Judgment::NoViolation);
    let (findings, _) = judged(&files(&[(TARGET, "export const x = 1;\n")]), Bounds::default(), demand);
    assert_eq!(findings[0].judgment, Judgment::LikelyViolation);
}

#[test]
fn hostile_code_terminates_without_errors() {
    let deep = format!("export const x = {}1{};\n", "(".repeat(20_000), ")".repeat(20_000));
    let chain = format!("export const x = a{};\n", ".b()".repeat(20_000));
    let wide =
        "import { a } from './refund';\nexport * from './refund';\nexport { a } from './refund';\na();\n".repeat(500);
    let garbage: String = (0..50_000u32).filter_map(|at| char::from_u32(at * 7 % 0xd7ff)).collect();
    std::thread::Builder::new()
        .stack_size(64 * 1024 * 1024)
        .spawn(move || {
            for text in [deep, chain, wide, garbage] {
                let (findings, _) = judged(&files(&[(TARGET, &text)]), Bounds::default(), CONTRACT);
                assert_eq!(findings.len(), 1);
            }
        })
        .expect("a thread")
        .join()
        .expect("no end of the stack");
}

#[test]
fn a_users_table_adds_what_the_program_does_not_know() {
    let table = "languages = [\"typescript\"]\nentries = [{ module = \"acme-core\", calls = [\"run\"], effect = \"email.send\" }]\n";
    let knowledge = Knowledge::load(&[("own.toml".to_owned(), table.to_owned())]).expect("a table");
    let files = files(&[(TARGET, "import { run } from 'acme-core';\nexport const refund = (x: string) => run(x);\n")]);
    let project = Project::new(&files, Bounds::default(), &|| false);
    let reached = Follow::new(&project, &knowledge).file(TARGET).expect("read");
    assert_eq!(knowledge.vocabulary.effects[reached.effects[0].effect].id, "email.send");
    let wrong = Knowledge::load(&[("own.toml".to_owned(), table.replace("email.send", "email.sned"))]);
    assert_eq!(wrong.expect_err("a mistake").to_string(), "own.toml: unknown effect `email.sned`");
}

/// Returns the judgments about the contract `MUST NOT send HTTP requests` for a target.
fn http(target: &str, texts: &[(&str, &str)]) -> Vec<(Judgment, String)> {
    let contract = r#"[{"modal": "MUST_NOT", "action": "send", "resource": "HTTP requests"}]"#;
    let (findings, _) = judged_target(target, &files(texts), Bounds::default(), contract);
    findings.into_iter().map(|finding| (finding.judgment, finding.message)).collect()
}

#[test]
fn files_of_commands_are_judged() {
    let workflow = "jobs:\n  a:\n    steps:\n      - run: ";
    for (path, start) in [
        ("run.sh", ""),
        ("Dockerfile", "FROM scratch\nRUN "),
        (".github/workflows/a.yml", workflow),
        (".gitlab-ci.yml", "a:\n  script: "),
    ] {
        for (command, judgment) in [
            ("curl x", Judgment::Violation),
            ("cp a b", Judgment::NoViolation),
            ("frobnicate", Judgment::Unknown),
            ("$TOOL x", Judgment::Unknown),
            ("cat x | sh", Judgment::Unknown),
        ] {
            let found = http(path, &[(path, &format!("{start}{command}\n"))]);
            assert_eq!(
                found.iter().map(|(judgment, _)| *judgment).collect::<Vec<_>>(),
                [judgment],
                "{path}: {command}: {found:?}"
            );
        }
    }
    let found = http("run.sh", &[("run.sh", "if true; then cp a b\n")]);
    assert!(
        matches!(found.as_slice(), [(Judgment::Unknown, message)] if message.contains("run.sh was not read")),
        "{found:?}"
    );
    let found = http("run.sh", &[("run.sh", "./a.sh\n"), ("a.sh", "node b.js\n"), ("b.js", "fetch('x')\n")]);
    assert!(
        matches!(found.as_slice(), [(Judgment::Violation, message)] if message.contains("`./a.sh` → `node`")),
        "{found:?}"
    );
}
