//! Changes that use objects of libraries and of the project: which code their methods run.

use super::*;

/// Checks the judgments about adding files. `others` are files that stay as they are.
fn added(contract: &str, cases: &[(&str, &str, Judgment)], others: Texts<'_>) {
    for (path, text, expected) in cases {
        assert_eq!(judged(contract, &[], &[(path, text)], others), *expected, "{text}");
    }
}

#[test]
fn passing_an_object_of_a_library_is_no_call_of_the_library() {
    let cases = [
        (
            "a.go",
            "package a\n\nimport \"golang.org/x/oauth2\"\n\nfunc name(t *oauth2.Token) string { return \"\" }\n\n\
             func a(token *oauth2.Token) string { return name(token) }\n\nfunc b() string { return name(&oauth2.Token{}) }\n",
            Judgment::NoViolation,
        ),
        (
            "a.ts",
            "import { AxiosResponse } from 'axios';\n\ninterface Result { response: AxiosResponse }\n\n\
             function show(r: AxiosResponse) {}\n\nexport function a(r: AxiosResponse, result: Result) {\n  show(r);\n  \
             const { response } = result;\n  show(response);\n}\n",
            Judgment::NoViolation,
        ),
        (
            "b.ts",
            "import axios from 'axios';\n\nexport function a(run: (get: unknown) => void) {\n  const get = axios.get;\n  run(get);\n}\n",
            Judgment::Violation,
        ),
        ("a.py", "import requests\n\ndef a(urls):\n    return map(requests.get, urls)\n", Judgment::Violation),
    ];
    added(NETWORK, &cases, &[]);
}

#[test]
fn a_client_in_a_field_has_the_effects_of_its_library() {
    let class = |field: &str, made: &str| {
        format!(
            "import {{ createClient, RedisClientType }} from 'redis';\n\nexport class Store {{\n  {field}\n  constructor(url: string) {{\n    \
             {made}\n  }}\n  keep(key: string) {{\n    return this.client.set(key, 1);\n  }}\n}}\n"
        )
    };
    let made = [
        ("", "this.client = createClient({ url });"),
        ("client: RedisClientType;", "const c = createClient({ url }); this.client = c;"),
        ("client: RedisClientType;", "const c = createClient({ url }); this.client = c as RedisClientType;"),
        ("", "const c = createClient({ url }); this.client = c;"),
        ("", "this.client = createClient({ url }).on('error', log);"),
        ("client;", "const c = createClient({ url }).on('error', log); this.client = c as RedisClientType;"),
        ("client: RedisClientType;", "this.client = open();"),
    ];
    for (field, made) in made {
        let text = class(field, made);
        assert_eq!(judged(DATABASE, &[], &[("a.ts", &text)], &[]), Judgment::Violation, "{text}");
    }
    let typed = "import { RedisClientType } from 'redis';\n\nexport function keep(client: RedisClientType, key: string) {\n  return \
                 client.set(key, 1);\n}\n";
    assert_eq!(judged(DATABASE, &[], &[("a.ts", typed)], &[]), Judgment::Violation);
    let settings = typed.replace("RedisClientType", "RedisClientOptions");
    assert_eq!(judged(DATABASE, &[], &[("a.ts", &settings)], &[]), Judgment::NoViolation);
}

#[test]
fn a_type_of_go_implements_an_interface_by_the_methods_of_its_whole_package() {
    let store = "package store\n\ntype Driver interface {\n\tClose() error\n\tListMemos(name string) error\n}\n\n\
                 type Store struct {\n\tdriver Driver\n}\n";
    let file = "package sqlite\n\nimport \"database/sql\"\n\ntype DB struct {\n\tbase\n\tdb *sql.DB\n}\n\n\
                type base struct{}\n\nfunc (b *base) Close() error { return nil }\n";
    let memos = |line: &str| {
        format!("package sqlite\n\nfunc (d *DB) ListMemos(name string) error {{\n\t{line}\n\treturn nil\n}}\n")
    };
    let (memo, plain) = (memos("d.db.Exec(name)"), memos("println(name)"));
    let call = "package store\n\nfunc (s *Store) List(name string) error {\n\treturn s.driver.ListMemos(name)\n}\n";
    let of = |memo: &str, contract: &str| {
        let others = [
            ("go.mod", "module m\n"),
            ("store/driver.go", store),
            ("store/sqlite/db.go", file),
            ("store/sqlite/memo.go", memo),
        ];
        judged(contract, &[], &[("store/memo.go", call)], &others)
    };
    assert_eq!(of(&memo, DATABASE), Judgment::Violation);
    assert_eq!(of(&memo, NETWORK), Judgment::NoViolation);
    assert_eq!(of(&plain, DATABASE), Judgment::NoViolation);
    assert_eq!(of("package sqlite\n", DATABASE), Judgment::Unknown);
}

#[test]
fn an_interface_of_go_can_be_one_that_a_library_implements() {
    let text = |method: &str| {
        format!(
            "package a\n\nimport (\n\t\"context\"\n\t\"database/sql\"\n)\n\ntype executor interface {{\n\tExecContext(ctx context.Context, \
             q string) (sql.Result, error)\n{method}}}\n\nfunc run(ctx context.Context, e executor) {{\n\te.ExecContext(ctx, \"q\")\n}}\n"
        )
    };
    let (whole, other) = (text(""), text("\tPrune(ctx context.Context) error\n"));
    assert_eq!(judged(DATABASE, &[], &[("a.go", &whole)], &[]), Judgment::LikelyViolation);
    assert_eq!(judged(NETWORK, &[], &[("a.go", &whole)], &[]), Judgment::NoViolation);
    assert_eq!(judged(NETWORK, &[], &[("a.go", &other)], &[]), Judgment::Unknown);
}

#[test]
fn a_method_with_a_distinctive_name_is_followed_for_an_object_without_a_type() {
    let python = |url: &str| {
        format!(
            "import requests\n\nclass Sync:\n    def push_invoice_out(self, id):\n        {url}\n\n    def update(self, id):\n        {url}\n"
        )
    };
    let (sends, plain) = (python("requests.get(id)"), python("return id"));
    let script = "import axios from 'axios';\n\nexport class Sync {\n  async pushInvoiceOut(id) {\n    return axios.get(id);\n  }\n}\n";
    let ruby = "require 'net/http'\n\nclass Sync\n  def push_invoice_out(id)\n    Net::HTTP.get(id)\n  end\nend\n";
    let php = "<?php\nclass Sync {\n  function pushInvoiceOut($id) {\n    return file_get_contents('https://example.org/' . $id);\n  }\n}\n";
    let use_py = "def f(svc):\n    return svc.push_invoice_out(1)\n";
    let cases = [
        ("a.py", use_py, "sync.py", sends.as_str(), Judgment::LikelyViolation),
        ("a.py", use_py, "sync.py", plain.as_str(), Judgment::NoViolation),
        ("a.py", "def f(svc):\n    return svc.update(1)\n", "sync.py", sends.as_str(), Judgment::NoViolation),
        (
            "a.js",
            "export function f(svc) {\n  return svc.pushInvoiceOut(1);\n}\n",
            "sync.js",
            script,
            Judgment::LikelyViolation,
        ),
        ("a.rb", "def f(svc)\n  svc.push_invoice_out(1)\nend\n", "sync.rb", ruby, Judgment::LikelyViolation),
        (
            "a.php",
            "<?php\nfunction f($svc) {\n  return $svc->pushInvoiceOut(1);\n}\n",
            "sync.php",
            php,
            Judgment::LikelyViolation,
        ),
    ];
    for (path, text, other, definition, expected) in cases {
        assert_eq!(judged(NETWORK, &[], &[(path, text)], &[(other, definition)]), expected, "{text}{definition}");
    }
    let many: Vec<String> = (0..4).map(|at| format!("sync_{at}.py")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|path| (path.as_str(), sends.as_str())).collect();
    assert_eq!(judged(NETWORK, &[], &[("a.py", use_py)], &many), Judgment::NoViolation);
}

#[test]
fn constants_of_an_enum_and_second_classes_of_a_file_are_known_in_java() {
    let enums = "package a;\n\npublic enum Plugin {\n  WEB(\"web\"), SQL(\"sql\");\n  private final String label;\n  Plugin(String label) { \
                 this.label = label; }\n  public String getLabel() { return label; }\n}\n\nclass IntegerKey {\n  IntegerKey(int a) { }\n}\n";
    let java = "package a;\n\nclass Use {\n  String a() { return Plugin.WEB.getLabel(); }\n  Object b() { return new IntegerKey(1); }\n}\n";
    added(NETWORK, &[("a/Use.java", java, Judgment::NoViolation)], &[("a/Plugin.java", enums)]);
    let sends = enums.replace("{ return label; }", "{ new java.net.URL(label).openStream(); return label; }");
    added(NETWORK, &[("a/Use.java", java, Judgment::Violation)], &[("a/Plugin.java", &sends)]);
}

#[test]
fn members_that_rust_and_php_make_are_known() {
    let rust = "use std::sync::Mutex;\n\n#[derive(Clone)]\npub struct Sync(Mutex<Inner>, u8);\n\npub struct Inner;\n\nimpl Inner {\n    \
                pub fn resize(&self) {}\n}\n\nimpl Sync {\n    pub fn go(&self) -> Self {\n        self.0.lock().resize();\n        self.1.count_ones();\n        \
                let other = self.clone();\n        other\n    }\n}\n";
    let php = "<?php\nnamespace App;\n\nuse Exception;\n\nclass InviteException extends Exception {\n  public function __construct(string $a) {\n    \
               parent::__construct($a);\n  }\n}\n\nclass OtherException extends \\RuntimeException {\n}\n\nenum Kind: string {\n  case A = 'a';\n  \
               public static function of(string $a): ?self {\n    return static::tryFrom($a) ?? self::from($a);\n  }\n}\n";
    added(NETWORK, &[("a.rs", rust, Judgment::NoViolation), ("app/a.php", php, Judgment::NoViolation)], &[]);
}
