//! One small program in each scripting language.

use expect_test::expect;

use super::super::*;
use super::check;

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
