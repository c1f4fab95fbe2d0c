//! One small program in each language, with its definitions, its imports and the targets of its names.

use expect_test::{Expect, expect};

use super::*;

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
fn python() {
    let text = "\
from .api import Client as C, send
import os.path
LIMIT = 3
class Job(Base):
    def __init__(self, client: C):
        self.client = client
    def run(self, limit=LIMIT):
        result = self.helper(limit)
        for item in result:
            send(item)
        return result
    def helper(self, limit) -> int:
        return other(limit=limit)
def result(): pass
";
    check(
        Language::Python,
        text,
        &expect![[r#"
        3-3 variable LIMIT exported
        4-13 class Job < Base exported
        5-6 method __init__ of Job
        6-6 field client of Job exported
        7-11 method run of Job exported
        12-13 method helper of Job -> int exported
        14-14 function result exported
        import C = .api Client
        import send = .api send
        import os = os *
        import  = os.path *
        1:17 ?.Client Import free
        1:27 C Import import
        1:30 send Import import
        2:7 os Import import
        4:10 Base Read free
        5:17 self Read free
        5:31 C Type import
        6:8 self Read free
        6:22 client Read local 5
        7:12 self Read free
        7:24 LIMIT Read line 3
        8:17 self Read free
        8:22 self.helper Call free
        8:29 limit Read local 7
        9:20 result Read local 8
        10:12 send Call import
        10:17 item Read local 9
        11:15 result Read local 8
        12:15 self Read free
        12:31 int Type free
        13:15 other Call free
        13:27 limit Read local 12
    "#]],
    );
}

#[test]
fn typescript() {
    let text = "\
import def, { send as s } from './api';
export interface Options { limit: number }
export class Job extends Base implements Options {
  limit = 3;
  constructor(private client: Client) { super(); }
  async run({ limit }: Options): Promise<Result> {
    const result = await this.client.get(limit);
    return s(result);
  }
}
export const go = (job: Job) => job.run({ limit: 1 });
function result() { const go = 1; return go; }
";
    check(
        Language::TypeScript,
        text,
        &expect![[r#"
        2-2 interface Options exported
        2-2 field limit of Options -> number
        3-10 class Job < Base, Options exported
        4-4 field limit of Job
        5-5 method constructor of Job
        5-5 field client of Job -> Client
        6-9 method run of Job -> Result
        11-11 function go exported
        12-12 function result
        import def = ./api default
        import s = ./api send
        1:7 def Import import
        1:14 ?.send Import free
        1:22 s Import import
        3:25 Base Read free
        3:41 Options Type line 2
        5:30 Client Type free
        6:23 Options Type line 2
        6:33 Promise Type free
        6:41 Result Type free
        7:30 this.client Read free
        7:37 this.client.get Call free
        7:41 limit Read local 6
        8:11 s Call import
        8:13 result Read local 7
        11:24 Job Type line 3
        11:32 job Read local 11
        11:36 job.run Call free
        12:41 go Read local 12
    "#]],
    );
}

#[test]
fn javascript() {
    let text = "\
const { readFile, write: w } = require('./files');
class A extends B { #x = 1; run() { return w(this.x); } }
module.exports.start = function () { return new A().run(); };
";
    check(
        Language::JavaScript,
        text,
        &expect![[r#"
        2-2 class A < B
        2-2 field #x of A
        2-2 method run of A
        3-3 function start
        import readFile = ./files readFile
        import w = ./files write
        1:8 readFile Import import
        1:18 ?.write Import free
        1:25 w Import import
        2:16 B Read free
        2:43 w Call import
        2:50 this.x Read free
        3:0 module Read free
        3:7 module.exports Read free
        3:48 A Call line 2
        3:52 A.run Call free
    "#]],
    );
}

#[test]
fn tsx() {
    check(
        Language::Tsx,
        "export function Page(props: P) { return <Card title={props.title} />; }\n",
        &expect![[r#"
        1-1 function Page exported
        1:28 P Type free
        1:41 Card Call free
        1:53 props Read local 1
        1:59 props.title Read free
    "#]],
    );
}

#[test]
fn go() {
    let text = "\
package web
import (
	\"net/http\"
	x \"example.org/a/util\"
)
type Server struct {
	Base
	client *http.Client
}
type Runner interface { Run() error }
const Limit = 3
func (s *Server) Run(limit int) error {
	c := NewClient()
	if c := x.Make(); c != nil { c.Do(limit) }
	return s.helper(c)
}
func NewClient() *Client { return nil }
";
    check(
        Language::Go,
        text,
        &expect![[r#"
        6-9 class Server < Base exported
        8-8 field client of Server -> http.Client
        10-10 interface Runner exported
        10-10 method Run of Runner exported
        11-11 constant Limit exported
        12-16 method Run of Server -> error exported
        17-17 function NewClient -> Client exported
        import http = net/http *
        import x = example.org/a/util *
        4:1 x Import import
        7:1 Base Type free
        8:9 http Read import
        8:14 http.Client Type free
        10:30 error Type free
        12:9 Server Type line 6
        12:27 int Type free
        12:32 error Type free
        13:6 NewClient Call line 17
        14:9 x Read import
        14:11 x.Make Call free
        14:19 c Read local 14
        14:30 c Read local 14
        14:32 c.Do Call free
        14:35 limit Read local 12
        15:8 s Read local 12
        15:10 s.helper Call free
        15:17 c Read local 13
        17:18 Client Type free
    "#]],
    );
}

#[test]
fn rust() {
    let text = "\
use crate::api::{self, Client as C};
pub struct Job { client: C }
pub trait Run { fn run(&self) -> u32; }
impl Run for Job {
    fn run(&self) -> u32 {
        let x = self.client.get(LIMIT);
        let x = x + helper::<u8>(1);
        match x { Some(y) => y, None => 0 }
    }
}
impl Job { pub fn new() -> Self { Self { client: C::new() } } }
const LIMIT: u32 = 3;
fn helper<T>(x: T) -> u32 { println!(\"{}\", x); api::send() }
mod tests { use super::*; }
";
    check(
        Language::Rust,
        text,
        &expect![[r#"
        2-2 class Job exported
        2-2 field client of Job -> C
        3-3 interface Run exported
        3-3 method run of Run -> u32
        4-10 extension Job < Run
        5-9 method run of Job -> u32
        11-11 extension Job exported
        11-11 method new of Job -> Self exported
        12-12 constant LIMIT -> u32
        13-13 function helper -> u32
        14-14 module tests
        import api = crate::api *
        import C = crate::api Client
        import  = super * all
        1:23 ?.Client Import free
        1:33 C Import import
        2:25 C Type import
        4:5 Run Type line 3
        6:21 self.client Read free
        6:28 self.client.get Call free
        6:32 LIMIT Read line 12
        7:16 x Read local 6
        7:20 helper Call line 13
        8:14 x Read local 7
        8:18 Some Read free
        8:29 y Read local 8
        8:32 None Read free
        11:27 Self Type free
        11:34 Self Type free
        11:41 ?.client Read free
        11:49 C Read import
        11:52 C.new Call free
        13:16 T Type local 13
        13:28 println Macro free
        13:43 x Read local 13
        13:47 api Read import
        13:52 api.send Call free
    "#]],
    );
}

#[test]
fn java() {
    let text = "\
package a.b;
import a.c.Client;
import static a.c.Util.send;
public class Job extends Base implements Runnable {
  private final Client client = new Client();
  public Job(Client client) { this.client = client; }
  @Override public void run() {
    int send = 1;
    send(client.get(send));
  }
  enum Kind { A, B }
}
";
    check(
        Language::Java,
        text,
        &expect![[r#"
        4-12 class Job < Base, Runnable exported
        5-5 field client of Job -> Client
        6-6 constructor Job of Job exported
        7-10 method run of Job -> void exported
        11-11 class Kind of Job
        11-11 variant A of Kind
        11-11 variant B of Kind
        import Client = a.c Client
        import send = a.c.Util send
        2:11 Client Import import
        3:23 send Import import
        4:25 Base Type free
        4:41 Runnable Type free
        5:16 Client Type import
        5:36 Client Call import
        6:13 Client Type import
        6:35 this.client Read free
        6:44 client Read local 6
        7:3 Override Type free
        9:4 send Call import
        9:9 client Read line 5
        9:16 client.get Call free
        9:20 send Read local 8
    "#]],
    );
}

#[test]
fn ruby() {
    let text = "\
require_relative 'api'
module Work
  class Job < Base
    attr_reader :client
    LIMIT = 3
    def run(limit)
      result = Client.new(limit)
      result.get { |item| helper(item) }
    end
    def helper(x) = x
  end
end
";
    check(
        Language::Ruby,
        text,
        &expect![[r#"
        2-12 module Work exported
        3-11 class Job < Base exported
        4-4 method client of Job exported
        5-5 constant LIMIT of Job exported
        6-9 method run of Job exported
        10-10 method helper of Job exported
        import  = ./api * all
        3:14 Base Type free
        4:4 attr_reader Call free
        7:15 Client Type free
        7:22 Client.new Call free
        7:26 limit Call local 6
        8:6 result Call local 7
        8:13 result.get Call free
        8:26 helper Call line 10
        8:33 item Call local 8
        10:20 x Call local 10
    "#]],
    );
}

#[test]
fn php() {
    let text = "\
<?php
namespace App\\Jobs;
use App\\Api\\Client as C;
class Job extends Base implements Runnable {
  private C $client;
  public function __construct(C $client) { $this->client = $client; }
  public function run(int $limit): int {
    $result = new C($limit);
    return helper($result->get(), $this->client->send(self::LIMIT));
  }
}
function helper($x) { return $x; }
";
    check(
        Language::Php,
        text,
        &expect![[r#"
        4-11 class Job < Base, Runnable exported
        5-5 field client of Job -> C
        6-6 method __construct of Job exported
        7-10 method run of Job -> int exported
        12-12 function helper exported
        import C = App.Api Client
        3:12 ?.Client Import free
        3:22 C Import import
        4:18 Base Type free
        4:34 Runnable Type free
        5:10 C Type import
        6:30 C Type import
        6:44 this Read free
        6:50 $this.client Read free
        6:60 client Read local 6
        8:18 C Call import
        8:21 limit Read local 7
        9:11 helper Call line 12
        9:19 result Read local 8
        9:27 $result.get Call free
        9:35 this Read free
        9:41 $this.client Read free
        9:49 $this.client.send Call free
        9:60 self.LIMIT Read free
        12:30 x Read local 12
    "#]],
    );
}

#[test]
fn c() {
    let text = "\
#include \"api.h\"
#define LIMIT 3
struct job { int limit; struct client *client; };
typedef struct job job_t;
static int helper(int x);
int run(struct job *job, int limit) {
  int result = helper(limit);
  return job->limit + result + LIMIT;
}
static int helper(int x) { return x; }
";
    check(
        Language::C,
        text,
        &expect![[r#"
        2-2 macro LIMIT exported
        3-3 class job exported
        3-3 field limit of job -> int exported
        3-3 field client of job -> client exported
        4-4 type job_t exported
        5-5 function helper
        6-9 function run exported
        10-10 function helper
        import  = api.h * all
        3:31 client Type line 3
        4:15 job Type line 3
        6:15 job Type line 3
        7:15 helper Call line 5
        7:22 limit Read local 6
        8:9 job Read local 6
        8:14 job.limit Read free
        8:22 result Read local 7
        8:31 LIMIT Read line 2
        10:34 x Read local 10
    "#]],
    );
}

#[test]
fn cpp() {
    let text = "\
#include \"job.hpp\"
namespace work {
class Job : public Base {
 public:
  int run(int limit) { return helper(limit); }
  int helper(int x);
 private:
  Client client_;
};
int Job::helper(int x) { auto y = client_.get(x); return y; }
}
";
    check(
        Language::Cpp,
        text,
        &expect![[r#"
        2-11 module work exported
        3-9 class Job < Base exported
        5-5 method run of Job exported
        6-6 method helper of Job exported
        8-8 field client_ of Job -> Client exported
        10-10 method helper of Job exported
        import  = job.hpp * all
        3:19 Base Type free
        5:30 helper Call line 6
        5:37 limit Read local 5
        8:2 Client Type free
        10:4 Job Type line 3
        10:34 client_ Read free
        10:42 client_.get Call free
        10:46 x Read local 10
        10:57 y Read local 10
    "#]],
    );
}

#[test]
fn c_sharp() {
    let text = "\
using A.Api;
namespace A.Jobs {
  public class Job : Base, IRun {
    private readonly Client client = new Client();
    public int Limit { get; set; }
    public Job(Client client) { this.client = client; }
    public int Run(int limit) { var result = Helper(limit); return client.Get(result); }
    int Helper(int x) => x;
  }
}
";
    check(
        Language::CSharp,
        text,
        &expect![[r#"
        3-9 class Job < Base, IRun exported
        4-4 field client of Job -> Client
        5-5 field Limit of Job -> int exported
        6-6 constructor Job of Job exported
        7-7 method Run of Job -> int exported
        8-8 method Helper of Job -> int
        import  = A.Api * all
        3:21 Base Type free
        3:27 IRun Type free
        4:21 Client Type free
        4:41 Client Call free
        6:15 Client Type free
        6:37 this.client Read free
        6:46 client Read local 6
        7:45 Helper Call line 8
        7:52 limit Read local 7
        7:67 client Read line 4
        7:74 client.Get Call free
        7:78 result Read local 7
        8:25 x Read local 8
    "#]],
    );
}

#[test]
fn kotlin() {
    let text = "\
package a.b
import a.c.Client as C
class Job(val client: C) : Base(), Runnable {
  val limit: Int = 3
  override fun run(x: Int): Int {
    val result = helper(x)
    return client.get(result)
  }
  private fun helper(x: Int) = x
}
fun String.shout() = uppercase()
";
    check(
        Language::Kotlin,
        text,
        &expect![[r#"
        3-10 class Job < Base, Runnable exported
        3-3 field client of Job -> C exported
        4-4 field limit of Job -> Int exported
        5-8 method run of Job -> Int exported
        9-9 method helper of Job
        11-11 function shout exported
        import C = a.c Client
        2:11 ?.Client Import free
        2:21 C Import import
        3:22 C Type import
        3:27 Base Type free
        3:35 Runnable Type free
        4:13 Int Type free
        5:22 Int Type free
        5:28 Int Type free
        6:17 helper Call line 9
        6:24 x Read local 5
        7:11 client Read line 3
        7:18 client.get Call free
        7:22 result Read local 6
        9:24 Int Type free
        9:31 x Read local 9
        11:4 String Type free
        11:21 uppercase Call free
    "#]],
    );
}

#[test]
fn swift() {
    let text = "\
import Foundation
class Job: Base {
  let client: Client
  init(client: Client) { self.client = client }
  func run(limit: Int) -> Int {
    let result = helper(limit)
    return client.get(result)
  }
}
extension Job: Runnable { func helper(_ x: Int) -> Int { x } }
enum Kind { case a, b }
";
    check(
        Language::Swift,
        text,
        &expect![[r#"
        2-9 class Job < Base exported
        3-3 field client of Job -> Client exported
        4-4 constructor init of Job exported
        5-8 method run of Job -> Int exported
        10-10 extension Job < Runnable exported
        10-10 method helper of Job -> Int exported
        11-11 class Kind exported
        11-11 variant a of Kind exported
        11-11 variant b of Kind exported
        import  = Foundation * all
        2:11 Base Type free
        3:14 Client Type free
        4:15 Client Type free
        4:30 self.client Read free
        4:39 client Read local 4
        5:18 Int Type free
        5:26 Int Type free
        6:17 helper Call free
        6:24 limit Read local 5
        7:11 client Read line 3
        7:18 client.get Call free
        7:22 result Read local 6
        10:15 Runnable Type free
        10:43 Int Type free
        10:51 Int Type free
        10:57 x Read local 10
    "#]],
    );
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

#[test]
fn every_form_of_an_import_is_read() {
    let forms: &[(Language, &str, &[&str])] = &[
        (Language::Python, "import a", &["a = a *"]),
        (Language::Python, "import a.b.c", &["a = a *", " = a.b.c *"]),
        (Language::Python, "import a.b as c", &["c = a.b *"]),
        (Language::Python, "from .a import b as _, c", &["_ = .a b", "c = .a c"]),
        (Language::Python, "from . a import *", &[" = .a * all"]),
        (Language::JavaScript, "import _ from 'a'", &["_ = a default"]),
        (Language::JavaScript, "import a, * as b from 'c'", &["a = c default", "b = c *"]),
        (Language::JavaScript, "import 'a'; import {} from 'b'", &[" = a *", " = b *"]),
        (
            Language::JavaScript,
            "export * from 'a'; export * as b from 'a'",
            &[" = a * all exported", "b = a * exported"],
        ),
        (Language::JavaScript, "export { a, b as c } from 'd'", &["a = d a exported", "c = d b exported"]),
        (Language::JavaScript, "export { a, b as c }; export default d", &["c =  b exported", "default =  d exported"]),
        (Language::TypeScript, "import a = require('b')", &["a = b *"]),
        (Language::TypeScript, "import { type A, b as c } from 'd'", &["A = d A", "c = d b"]),
        (Language::JavaScript, "const a = require('b'), c = require('d').e", &["a = b *", "c = d e"]),
        (
            Language::JavaScript,
            "const { a, b: c, d = 1, e: [f], ...g } = require('h')",
            &["a = h a", "c = h b", "d = h d"],
        ),
        (Language::JavaScript, "const { a } = require('b').c; const d = load('e')", &[]),
        (
            Language::Go,
            "package a\nimport \"b/v2\"\nimport _ \"c\"\nimport . \"d\"",
            &["b = b/v2 *", " = c *", " = d * all"],
        ),
        (Language::Go, "package a\nimport \"x/stripe-go/v76\"", &["stripe = x/stripe-go/v76 *"]),
        (Language::Go, "package a\nimport \"api/core/v1\"", &["v1 = api/core/v1 *"]),
        (Language::Rust, "use a; use b::c as d; use ::e::f;", &["a = a *", "d = b c", "f = e f"]),
        (
            Language::Rust,
            "pub use a::{self, b::*, c::{self as d}};",
            &["a = a * exported", " = a::b * all exported", "d = a::c * exported"],
        ),
        (
            Language::Rust,
            "use a::B as _; extern crate c as d; extern crate self as e;",
            &[" = a B", "d = c *", "e = crate *"],
        ),
        (Language::Java, "import a.B; import a.*; import static a.B.c;", &["B = a B", " = a * all", "c = a.B c"]),
        (
            Language::Ruby,
            "require 'a/b'\nrequire_relative 'c'\nload 'd.rb'",
            &[" = a/b * all", " = ./c * all", " = d.rb * all"],
        ),
        (Language::Ruby, "params.require 'a'\nrequire \"#{b}/c\"", &[]),
        (
            Language::Php,
            "<?php use \\A\\B as C; use function D\\e; use F\\{G, H\\I as J};",
            &["C = A B", "e = D e", "G = F G", "J = F.H I"],
        ),
    ];
    for (language, text, expected) in forms {
        let file = read(*language, text.as_bytes()).expect("readable");
        let shown = |one: &Import| {
            let name = one.name.map_or("*", |name| file.name(name));
            let marks = format!("{}{}", if one.all { " all" } else { "" }, if one.exported { " exported" } else { "" });
            format!("{} = {} {name}{marks}", file.name(one.local), file.name(one.module))
        };
        assert_eq!(file.imports.iter().map(shown).collect::<Vec<_>>(), *expected, "{language:?}: {text}");
    }
}

#[test]
fn a_package_of_go_can_have_several_names() {
    assert_eq!(go_package_names("github.com/stripe/stripe-go/v76"), ["stripe", "stripe_go", "stripego"]);
    assert_eq!(go_package_names("gopkg.in/yaml.v3"), ["yaml"]);
    assert_eq!(go_package_names("github.com/nats-io/nats.go"), ["nats"]);
    assert_eq!(go_package_names("go-pkg/gomail"), ["gomail", "mail"]);
}

#[test]
fn the_parents_of_a_type_are_read() {
    for (language, text, expected) in [
        (Language::Python, "class A(B, c.D, Generic[T], make(), metaclass=M): pass", "B c.D Generic"),
        (Language::JavaScript, "class A extends b.C {}", "b.C"),
        (Language::JavaScript, "const A = class extends B {}", "B"),
        (Language::TypeScript, "class A extends B<T> implements C, d.E<T> {}", "B C d.E"),
        (Language::TypeScript, "abstract class A implements B {}", "B"),
        (Language::TypeScript, "interface A extends B, C {}", "B C"),
        (Language::Go, "package a\ntype A struct { B; *c.D; e struct { F } }", "B c.D"),
        (Language::Go, "package a\ntype A interface { B; c.D; e(); int | F }", "B c.D"),
        (Language::Rust, "trait A: B + c::D + 'static {}", "B c.D"),
        (Language::Rust, "impl A<T> for B<T> {}", "A"),
        (Language::Java, "class A<T> extends B<T> implements C, D<T> {}", "B C D"),
        (Language::Java, "record A(int b) implements C {}", "C"),
        (Language::Java, "enum A implements B { C }", "B"),
        (Language::Java, "interface A extends B, C {}", "B C"),
        (Language::Ruby, "class A < B::C\nend", "B.C"),
        (
            Language::Php,
            "<?php class A extends B implements C, \\D\\E { use F, G\\H { F::a insteadof H; } }",
            "B C D.E F G.H",
        ),
        (Language::Php, "<?php interface A extends B, C {} ", "B C"),
        (Language::Php, "<?php enum A: string implements B {} ", "B"),
        (Language::Cpp, "class A : public B, private virtual c::D, E<T> {};", "B c.D E"),
        (Language::CSharp, "class A : B, c.D, E<T> {}", "B c.D E"),
        (Language::Kotlin, "class A(b: Int) : B(b, C()), D {}", "B D"),
        (Language::Swift, "class A: B, C {}", "B C"),
    ] {
        let file = read(language, text.as_bytes()).expect("readable");
        let bases: Vec<&str> = file.definitions[0].bases.iter().map(|base| file.name(*base)).collect();
        assert_eq!(bases.join(" "), expected, "{language:?}: {text}");
    }
}
