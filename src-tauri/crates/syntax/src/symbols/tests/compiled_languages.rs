//! One small program in each compiled language.

use expect_test::expect;

use super::super::*;
use super::check;

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
