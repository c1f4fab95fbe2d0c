//! Code whose effects are known although its text does not define them, and code that stays unknown.

use crate::follow::Follow;
use crate::knowledge::Knowledge;
use crate::project::{Bounds, Project};
use crate::testing::Memory;

/// Returns the effects of the first file of a project, the unknown modules and the reasons why its effects are not known, in their order.
fn found(files: &[(&str, &str)]) -> String {
    let memory = Memory::new(files);
    let project = Project::new(&memory, Bounds::default(), &|| false);
    let knowledge = Knowledge::load(&[]).expect("tables");
    let reached = Follow::new(&project, &knowledge).file(files[0].0).expect("a file");
    let effects = reached.effects.iter().map(|reach| knowledge.vocabulary.effects[reach.effect].id.clone());
    let modules = reached.open.iter().filter_map(|open| Some(format!("module {}", open.module.as_ref()?)));
    let gaps = reached.open.iter().filter_map(|open| open.gap.clone());
    let mut all: Vec<String> = effects.chain(modules).chain(gaps).collect();
    all.sort();
    all.dedup();
    all.join("; ")
}

#[test]
fn each_object_of_java_has_methods() {
    let class = |body: &str| format!("class A extends B {{ void run() {{ {body} }} }}");
    let of = |body: &str| found(&[("A.java", &class(body)), ("B.java", "class B {}")]);
    assert_eq!(of("this.getClass().getName(); this.notify();"), "");
    // A class that inherits from this one can have its own.
    assert_eq!(of("this.hashCode();"), "the project does not define A.hashCode");
    assert_eq!(of("this.wait();"), "thread.wait");
    assert_eq!(of("this.other();"), "the project does not define A.other");
}

#[test]
fn a_complete_path_of_java_is_no_member_of_a_parent() {
    let of = |body: &str| {
        let text = format!("import jakarta.servlet.Filter; class A extends Filter {{ {body} }}");
        found(&[
            ("A.java", &text),
            ("org/own/Mail.java", "package org.own; public class Mail { static void end() { System.exit(1); } }"),
        ])
    };
    let field = "okhttp3.OkHttpClient client = new okhttp3.OkHttpClient();";
    assert_eq!(
        of(&format!("{field} void run() throws Exception {{ client.newCall(null).execute(); }}")),
        "http.request"
    );
    assert_eq!(of("void run() { java.nio.file.Files.delete(null); }"), "file.delete");
    assert_eq!(of("void run() { org.own.Mail.end(); }"), "process.exit");
}

#[test]
fn a_class_that_is_loaded_by_a_literal_name_runs_its_static_block() {
    let of = |name: &str| {
        let text = format!("class A {{ void run(String name) {{ Class.forName({name}); }} }}");
        found(&[("a/A.java", &text), ("a/B.java", "package a; class B { static { System.exit(1); } }")])
    };
    // Which of its methods run is not known.
    assert_eq!(of("\"java.lang.Module\""), "code.execute");
    assert_eq!(of("\"a.B\""), "code.execute; process.exit");
    assert_eq!(of("\"org.other.C\""), "code.execute");
    assert_eq!(of("name"), "code.execute");
}

#[test]
fn an_interface_without_an_implementation_is_unknown() {
    let filter = ("Filter.java", "interface Filter { int head(Node node); default int tail() { return 0; } }");
    let walk = "class Walk { void all(Node node, Filter filter) { filter.head(node); } }";
    let with = |call: &str| {
        let user = format!("class User {{ void run(Walk walk, Filter filter) {{ {call} }} }}");
        found(&[("Walk.java", walk), filter, ("User.java", &user)])
    };
    assert_eq!(with("walk.all(node, one -> 1);"), "the project has no implementation of filter.head");
    assert_eq!(with("walk.all(node, filter);"), "the project has no implementation of filter.head");
}

#[test]
fn macros_come_from_the_crates_at_the_root() {
    let user = "use crate::other::*;\nfn run() { error!(\"x\"); }\n";
    let of = |root: &str| found(&[("src/user.rs", user), ("src/main.rs", root), ("src/other.rs", "")]);
    assert_eq!(of("#[macro_use]\nextern crate log;\nmod user;\n"), "log.write");
    assert_eq!(of("extern crate log;\nmod user;\n"), "no file of the project defines error!");
}

#[test]
fn a_method_of_a_literal_in_a_macro_is_no_function() {
    let text =
        "use crate::other::*;\nfn run() { format!(\"{}\", \"a\".bold()); format!(\"{}\", [a, b].join(\"\")); }\n";
    assert_eq!(found(&[("src/main.rs", text), ("src/other.rs", "")]), "");
}

#[test]
fn another_name_of_a_type_of_the_file_is_the_type() {
    let text = "enum ParseError { Bad }\nfn run() -> ParseError { use ParseError as E; E::Bad(1) }\n";
    assert_eq!(found(&[("src/main.rs", text)]), "");
}

#[test]
fn the_comment_of_a_class_of_php_declares_properties() {
    let base = "<?php\nnamespace App;\n/**\n * @property \\App\\Request $request\n * @property \\PDO $db\n */\nclass Base {}\n";
    let request = "<?php\nnamespace App;\nclass Request { public function drop() { unlink('a'); } public function read() { return 1; } }\n";
    let composer = r#"{"autoload": {"psr-4": {"App\\": "app/"}}}"#;
    let of = |body: &str| {
        let page = format!("<?php\nnamespace App;\nclass Page extends Base {{ function run() {{ {body} }} }}\n");
        found(&[
            ("app/Page.php", &page),
            ("app/Base.php", base),
            ("app/Request.php", request),
            ("composer.json", composer),
        ])
    };
    assert_eq!(of("$this->request->read();"), "");
    assert_eq!(of("$this->request->drop();"), "file.delete");
    assert_eq!(of("$this->db->query($text);"), "sql.execute");
    assert_eq!(of("$this->other->read();"), "the project does not define Page.other.read");
}

#[test]
fn functions_of_bundled_extensions_of_php_are_known() {
    let of = |body: &str| found(&[("a.php", &format!("<?php\nfunction run() {{ {body} }}\n"))]);
    assert_eq!(of("ldap_set_option(null, 1, 2); ldap_escape($a); posix_getuid(); mysqli_fetch_assoc($r);"), "");
    assert_eq!(of("ldap_start_tls($a);"), "network.use");
    assert_eq!(of("odbc_exec($a, $b);"), "sql.execute");
    assert_eq!(of("ldap_unheard_of();"), "no file of the project defines ldap_unheard_of");
}

#[test]
fn the_members_of_a_component_of_vue_are_in_its_parts() {
    let of = |call: &str| {
        let text = format!(
            "<script>\nexport default {{\n  created() {{ {call} }},\n  methods: {{\n    sort() {{ localStorage.clear(); }},\n  }},\n}};\n</script>\n"
        );
        found(&[("src/A.vue", &text)])
    };
    assert!(of("this.sort();").contains("browser.store") && !of("this.sort();").contains("does not define"));
    assert!(of("this.other();").contains("the project does not define default.other"));
}

#[test]
fn a_field_can_have_a_value_of_its_own_beside_one_that_is_given() {
    let of = |call: &str| {
        let text = format!(
            "import dns from 'dns';\nclass A {{\n  onExceed = null;\n  constructor(options = {{}}) {{\n    this.lookup = options.lookup || dns.lookup;\n    this.key = options.key || (() => process.exit(1));\n  }}\n  run() {{ {call} }}\n}}\n"
        );
        found(&[("a.js", &text)])
    };
    assert!(of("this.lookup('a');").contains("dns.resolve"));
    assert!(of("if (this.onExceed) { this.onExceed(); }").contains("the project does not define A.onExceed"));
    assert!(of("this.absent();").contains("the project does not define A.absent"));
}

#[test]
fn this_of_an_arrow_function_in_an_object_is_the_one_around_it() {
    let text = "class A {\n  run() {\n    const options = {\n      check: (one) => this.codes(one),\n    };\n    options.check(1);\n  }\n  codes(one) { process.exit(one); }\n}\n";
    assert_eq!(found(&[("a.js", text)]), "process.exit");
}

#[test]
fn a_constant_of_a_gem_without_a_table_is_an_unknown_module() {
    let of = |gemfile: &str| found(&[("app/a.rb", "def run\n  UnheardOf.parse(1)\nend\n"), ("Gemfile", gemfile)]);
    assert_eq!(of("gem 'unheard_of'\n"), "module UnheardOf");
    assert_eq!(of("gem \"unheard_of-rails\", '~> 1'\n"), "module UnheardOf");
    assert_eq!(of("gem 'other'\n"), "no file of the project defines UnheardOf");
}

#[test]
fn installing_a_package_runs_a_program_and_doubtful_libraries_are_not_harmless() {
    let nypm =
        "import { installDependencies, detectPackageManager } from 'nypm';\nawait installDependencies({ cwd });\n";
    assert_eq!(found(&[("src/a.ts", nypm)]), "package.install; process.run");
    let langid = "import langid\nlangid.classify(text)\n";
    assert_eq!(found(&[("a.py", langid)]), "module langid");
    let patsy = "from patsy import dmatrices\ndmatrices(formula, data)\n";
    assert_eq!(found(&[("a.py", patsy)]), "module patsy");
    let der = "use pkcs8::SecretDocument;\nfn run() { SecretDocument::read_pem_file(path); }\n";
    assert_eq!(found(&[("src/main.rs", der)]), "file.read");
}

#[test]
fn types_of_java_are_known_in_packages_that_are_imported_as_a_whole() {
    let imports =
        "import static org.apache.commons.lang3.BooleanUtils.*;\nimport java.util.*;\nimport app.content.*;\n";
    let of = |package: &str, body: &str| {
        let text = format!("package app;\n{package}class A {{ void run(Object a) {{ {body} }} }}");
        found(&[
            ("src/main/java/app/A.java", &text),
            ("src/main/java/app/content/Post.java", "package app.content; class Post {}"),
        ])
    };
    assert_eq!(of(imports, "new LinkedHashSet<String>().add(a); Objects.requireNonNull(a); Map.of();"), "");
    assert_eq!(
        of("import app.content.*;\n", "new LinkedHashSet<String>();"),
        "no file of the project defines LinkedHashSet"
    );
    assert_eq!(of("import java.io.*;\nimport app.content.*;\n", "new FileWriter(a);"), "file.write");
}

#[test]
fn functions_of_php_are_known_under_the_namespace_of_safe() {
    let of = |text: &str| found(&[("src/a.php", &format!("<?php\n{text}"))]);
    assert_eq!(of("use function Safe\\json_decode;\nfunction run($a) { return strval(json_decode($a)); }"), "");
    assert_eq!(
        of("use function Safe\\file_put_contents;\nfunction run($a) { file_put_contents($a, 1); }"),
        "file.write"
    );
    assert_eq!(of("function run($a) { return new ReflectionObject($a); }"), "");
}

#[test]
fn ziggy_gives_the_routes_of_laravel_to_scripts() {
    let script = ("resources/js/a.js", "export function run() { return route('login'); }\n");
    let composer = |text| ("composer.json", text);
    assert_eq!(found(&[script, composer(r#"{"require": {"tightenco/ziggy": "2.5"}}"#)]), "");
    assert_eq!(found(&[script, composer("{}")]), "no file of the project defines route");
}

#[test]
fn libraries_of_real_commits_have_their_effects() {
    let mapper = |call: &str| {
        let text = format!(
            "import java.io.File;\nimport tools.jackson.databind.ObjectMapper;\nclass A {{ void run(ObjectMapper mapper) {{ {call} }} }}"
        );
        found(&[("A.java", &text)])
    };
    assert_eq!(mapper("mapper.writeValueAsString(a);"), "");
    assert_eq!(mapper("mapper.writeValue(new File(a), b);"), "file.write");
    let commander = |call: &str| {
        let text = format!("import {{ program, Option }} from '@commander-js/extra-typings';\n{call}\n");
        found(&[("src/a.ts", &text)])
    };
    assert_eq!(commander("program.command('run').description('x');"), "");
    assert_eq!(commander("program.command('run', { isDefault: true });"), "");
    let started = "the program that `@commander-js/extra-typings.program.command` starts is chosen when the code runs";
    assert_eq!(commander("program.command('run', 'runs run.js');"), format!("process.run; {started}"));
    assert_eq!(commander("new Option('-k').env('KEY');"), "env.read");
}

#[test]
fn delegated_methods_of_ruby_are_those_of_the_other_object() {
    let utils = (
        "lib/utils.rb",
        "module Utils\n  extend self\n  def wipe(a)\n    File.delete(a)\n  end\n  def plain(a)\n    a\n  end\nend\n",
    );
    let of = |head: &str, body: &str| {
        let text = format!("class Task\n  {head}\n  def run(a)\n    {body}\n  end\nend\n");
        found(&[("lib/task.rb", &text), utils])
    };
    assert_eq!(of("delegate :plain, :wipe, to: Utils", "plain(a)"), "file.delete");
    assert_eq!(of("delegate :plain, to: Utils", "plain(a)"), "");
    assert_eq!(of("delegate :plain, to: Utils, prefix: :of", "of_plain(a)"), "");
    assert_eq!(
        of("delegate :plain", "plain(a)"),
        "no file of the project defines delegate; no file of the project defines plain"
    );
    assert_eq!(of("def_delegators :utils, :wipe\n  def utils\n    Utils\n  end", "wipe(a)"), "file.delete");
}

#[test]
fn a_type_of_a_library_with_a_trait_of_the_project_has_its_own_methods_too() {
    let of = |call: &str| {
        let text = format!(
            "use std::process::Command;\npub trait Ext {{ fn checked(&mut self); }}\nimpl Ext for Command {{ fn checked(&mut self) {{ {call} }} }}\n"
        );
        found(&[("src/main.rs", &text)])
    };
    let made = "the program that `std.process.Command.status` starts is chosen when the code runs";
    assert_eq!(of("self.status();"), format!("process.run; {made}"));
    assert_eq!(of("self.get_program();"), "");
    let own = "fn name(cmd: &Command) { cmd.get_args(); cmd.status(); }\n";
    let text =
        format!("use std::process::Command;\npub trait Ext {{ fn a(&self) {{}} }}\nimpl Ext for Command {{}}\n{own}");
    assert_eq!(found(&[("src/main.rs", &text)]), format!("process.run; {made}"));
    let inner = "use std::process::Command;\nmod inner { pub struct Command; impl Command { fn run(&self) { self.status(); } } }\n";
    assert_eq!(found(&[("src/main.rs", inner)]), "the project does not define Command.status");
}

#[test]
fn a_field_with_the_type_of_a_parameter_can_have_any_type() {
    let text = "struct Record<Data> { data: Data }\nfn run(record: &Record<u8>) { record.data.measure(0); }\n";
    assert_eq!(found(&[("src/main.rs", text)]), "");
    let text = "struct Record { data: Data }\nfn run(record: &Record) { record.data.measure(0); }\n";
    assert_eq!(found(&[("src/main.rs", text)]), "no file of the project defines Data");
}

#[test]
fn members_of_a_parent_that_is_required_are_known() {
    let base = "const GitBase = require('../GitBase');\nclass Git extends GitBase {\n  run() { this.debug('x'); this.other('x'); this.init(); }\n}\nmodule.exports = Git;\n";
    let found = found(&[
        ("lib/plugin/git/Git.js", base),
        (
            "lib/plugin/GitBase.js",
            "const Plugin = require('./Plugin');\nclass GitBase extends Plugin {\n  constructor(...args) { super(...args); }\n}\nmodule.exports = GitBase;\n",
        ),
        (
            "lib/plugin/Plugin.js",
            "const debug = require('debug');\nclass Plugin {\n  constructor(name) { this.name = name; this.debug = debug(name); }\n  init() { process.exit(1); }\n}\nmodule.exports = Plugin;\n",
        ),
    ]);
    assert_eq!(found, "log.write; process.exit; the project does not define Git.other");
}

#[test]
fn functions_of_php_are_found_without_an_import() {
    let of = |files: &[(&str, &str)]| {
        let own = "<?php\nnamespace App\\Http;\nclass Urls { function run() { tidy('x'); file_exists('x'); } }\n";
        found(&[&[("src/Http/Urls.php", own)], files].concat())
    };
    let tidy = "<?php\nfunction tidy($x) { unlink($x); }\n";
    assert_eq!(of(&[("src/Utils.php", tidy)]), "file.delete");
    assert_eq!(of(&[("src/Utils.php", tidy), ("src/Other.php", tidy)]), "no file of the project defines tidy");
    let other = "<?php\nnamespace App\\Other;\nfunction tidy($x) {}\n";
    assert_eq!(of(&[("src/Other.php", other)]), "no file of the project defines tidy");
}

#[test]
fn an_accessor_of_ruby_is_no_missing_method() {
    let of = |name: &str| {
        let text = format!(
            "class Mailer\n  attr_accessor :settings, :limit\n  def run\n    self.{name}.merge(1)\n  end\nend\n"
        );
        found(&[("lib/mailer.rb", &text)])
    };
    assert_eq!(of("settings"), "");
    assert_eq!(of("limit"), "");
    assert_eq!(of("other"), "the project does not define Mailer.other");
}

#[test]
fn packages_of_go_are_found_without_a_manifest() {
    let of = |import: &str| {
        let text = format!(
            "package router\n\nimport (\n\t\"example.org/me/app/store\"\n\t\"{import}\"\n)\n\nfunc Run() {{\n\tstore.Clear()\n\tmode.Get()\n}}\n"
        );
        found(&[
            ("router/router.go", &text),
            ("store/store.go", "package store\n\nimport \"os\"\n\nfunc Clear() {\n\tos.Remove(\"x\")\n}\n"),
            ("mode/mode.go", "package mode\n\nfunc Get() {}\n"),
        ])
    };
    assert_eq!(of("example.org/me/app/mode"), "file.delete");
    // One folder with the same name is no evidence.
    assert_eq!(of("example.org/other/mode"), "module example.org/me/app/store; module example.org/other/mode");
}
