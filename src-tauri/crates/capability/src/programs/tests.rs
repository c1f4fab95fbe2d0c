//! Programs that code starts, in all languages.

use crate::follow::Follow;
use crate::knowledge::Knowledge;
use crate::project::{Bounds, Project};
use crate::testing::Memory;

/// Returns the effects of a file and the reasons why its effects are not known, without those that each start of a program has.
fn found(path: &str, text: &str) -> String {
    let memory = Memory::new(&[(path, text)]);
    let project = Project::new(&memory, Bounds::default(), &|| false);
    let knowledge = Knowledge::load(&[]).expect("tables");
    let reached = Follow::new(&project, &knowledge).file(path).expect("a file");
    let id = |effect: usize| knowledge.vocabulary.effects[effect].id.clone();
    let effects = reached.effects.iter().chain(&reached.others).map(|reach| id(reach.effect));
    let gaps = reached.open.iter().filter_map(|open| open.gap.clone());
    let mut all: Vec<String> = effects.chain(gaps).collect();
    all.retain(|one| !["process.run", "shell.run"].contains(&one.as_str()));
    all.sort();
    all.dedup();
    all.join("; ")
}

/// Tests the effects of lines of code in a frame.
#[track_caller]
fn check(path: &str, frame: &str, cases: &[(&str, &str)]) {
    for (code, wanted) in cases {
        let text = frame.replace("CODE", code);
        assert_eq!(found(path, &text), *wanted, "{code}");
    }
}

#[test]
fn an_overload_has_other_parameters() {
    let text = "class A {\n  static void run(String c) throws Exception { Runtime.getRuntime().exec(c); }\n  static void run(String label, String c) throws Exception { Runtime.getRuntime().exec(\"echo\"); }\n  void f() throws Exception { A.run(\"rm\", \"echo\"); }\n}\n";
    assert_eq!(found("A.java", text), "");
}

/// The reason why a program is not known.
fn chosen(sink: &str) -> String {
    format!("the program that `{sink}` starts is chosen when the code runs")
}

#[test]
fn python() {
    let run = chosen("subprocess.run");
    check(
        "a.py",
        "import subprocess, os, sys, shlex\n\ndef f(name):\n    CODE\n",
        &[
            ("subprocess.run(['rm', name])", "file.delete"),
            ("subprocess.run(('echo', 'x'))", ""),
            ("subprocess.run(['git', *name])", "the arguments of `git` are chosen by the callers of `f`"),
            ("subprocess.run(['git', name.words])", "no table lists the command `git …`"),
            ("subprocess.run(['git', 'status', *name])", "file.read"),
            ("subprocess.run(['git', 'fetch'] + name)", "file.read; file.write; network.use"),
            ("subprocess.run('rm -r x', shell=True)", "file.delete"),
            ("subprocess.run(f'rm {name}', shell=True)", "file.delete"),
            ("subprocess.run('cat %s' % name, shell=True)", "file.read"),
            ("subprocess.run('cat {}'.format(name), shell=True)", "file.read"),
            ("os.system('rm ' + name)", "file.delete"),
            ("os.system(name + ' x')", &chosen("os.system")),
            ("cmd = ['rm']\n    cmd.append(name)\n    subprocess.run(cmd)", "file.delete"),
            ("cmd = ['rm'] if name else ['cat']\n    subprocess.run(cmd)", "file.delete; file.read"),
            ("cmd = ['sudo', 'rm']\n    if name:\n        cmd += ['-r']\n    subprocess.run(cmd)", "file.delete"),
            ("cmd = ['cat']\n    cmd = ['rm']\n    subprocess.run(cmd)", "file.delete"),
            ("subprocess.run(shlex.split('rm x'))", "file.delete"),
            ("subprocess.run(args=['rm', 'x'])", "file.delete"),
            ("os.system(' '.join(['rm', name]))", "file.delete"),
            ("subprocess.run([os.environ['X'], 'x'])", &format!("env.read; {run}")),
            ("os.execv('/bin/rm', ['rm', 'x'])", "file.delete"),
            ("os.execlp('rm', 'rm', 'x')", "file.delete"),
            ("subprocess.run([sys.executable, '-m', 'this'])", "no table lists the command `this`"),
            ("subprocess.Popen(['cat'], stdout=1).communicate()", "file.read"),
            ("os.kill(1, 2)", "process.stop"),
            ("list(map(subprocess.run, name))", &run),
        ],
    );
    check(
        "a.py",
        "import subprocess\nPROGRAM = 'rm'\n\ndef run(*words, cwd=None):\n    subprocess.run(['git', *words])\n\ndef start(cmd, shell=False):\n    return subprocess.run(cmd)\n\nCODE\n",
        &[
            (
                "run('status')",
                "file.read; the program that `subprocess.run` starts is chosen by the callers of `start`",
            ),
            (
                "def f():\n    subprocess.run([PROGRAM, 'x'])",
                "file.delete; the arguments of `git` are chosen by the callers of `run`; the program that `subprocess.run` starts is chosen by the callers of `start`",
            ),
        ],
    );
}

#[test]
fn a_program_that_callers_choose_is_looked_up_in_their_arguments() {
    let files = |call: &str| {
        let memory = Memory::new(&[
            ("a.py", &*format!("from b import start, git, Tool\n\ndef f(name):\n    {call}\n")),
            (
                "b.py",
                "import subprocess\n\ndef start(cmd, check=True):\n    return inner(cmd)\n\ndef inner(words):\n    subprocess.run(words)\n\ndef git(*words):\n    subprocess.run(['git', *words])\n\nclass Tool:\n    def __init__(self, name):\n        self.name = name\n\n    def run(self, program='cat', *rest):\n        subprocess.run([program, *rest])\n",
            ),
        ]);
        let project = Project::new(&memory, Bounds::default(), &|| false);
        let knowledge = Knowledge::load(&[]).expect("tables");
        let reached = Follow::new(&project, &knowledge).file("a.py").expect("a file");
        let effects = reached.effects.iter().chain(&reached.others);
        let effects = effects.map(|reach| knowledge.vocabulary.effects[reach.effect].id.clone());
        let gaps = reached.open.iter().filter_map(|open| open.gap.clone());
        let mut all: Vec<String> = effects.chain(gaps).filter(|one| one != "process.run").collect();
        all.sort();
        all.dedup();
        all.join("; ")
    };
    let chosen = chosen("subprocess.run");
    assert_eq!(files("start(['rm', name])"), "file.delete");
    assert_eq!(files("start(cmd=['rm', name])"), "file.delete");
    assert_eq!(files("start(name)"), "the program that `subprocess.run` starts is chosen by the callers of `f`");
    assert_eq!(files("start(name.words)"), chosen);
    assert_eq!(files("start(*name)"), chosen);
    assert_eq!(files("git('status')"), "file.read");
    assert_eq!(files("git('push', name)"), "artifact.publish; file.read; network.use");
    assert_eq!(files("Tool('x').run('rm', name)"), "file.delete");
    assert_eq!(files("Tool('x').run()"), "file.read");
    assert_eq!(files("start(['unheard-of'])"), "no table lists the command `unheard-of`");
}

#[test]
fn scripts() {
    let frame = "import { exec, execSync, spawn, fork } from 'child_process';\nimport cp from 'node:child_process';\nimport { execa, $ } from 'execa';\nexport async function f(name, words) {\n  CODE\n}\n";
    check(
        "a.ts",
        frame,
        &[
            ("exec(`rm ${name}`, () => {});", "file.delete"),
            ("const out = execSync('git fetch', { cwd: name });", "file.read; file.write; network.use; thread.wait"),
            ("spawn('rm', ['-r', name], { stdio: 'inherit' });", "file.delete"),
            ("const { status } = cp.spawnSync('echo', ['x']);", "thread.wait"),
            ("spawn('echo', { cwd: name });", ""),
            ("await execa('cat', [name]);", "file.read"),
            ("await $`rm ${name}`;", "file.delete"),
            ("const args = ['push']; args.push(name); spawn('git', args);", "artifact.publish; file.read; network.use"),
            ("const npm = process.platform === 'win32' ? 'rm.cmd' : 'rm'; spawn(npm, [name]);", "file.delete"),
            (
                "spawn(process.env.EDITOR || 'cat', [name]);",
                &format!("env.read; file.read; {}", chosen("child_process.spawn")),
            ),
            ("fork('./missing.js');", &chosen("child_process.fork")),
            ("process.kill(1);", "process.stop"),
            ("spawn(name, words);", "the program that `child_process.spawn` starts is chosen by the callers of `f`"),
            (
                "return new Promise((done) => { spawn(name, words).on('close', done); });",
                "the program that `child_process.spawn` starts is chosen by the callers of `f`",
            ),
            ("const child = spawn('cat', [name]); child.stdout.on('data', (x) => x);", "file.read"),
        ],
    );
    check(
        "a.js",
        "CODE",
        &[
            ("const { execFile } = require('child_process');\nexecFile('rm', ['x']);", "file.delete"),
            (
                "const run = (cmd) => require('child_process').execSync(cmd);\nmodule.exports.f = () => run('rm x');",
                "file.delete; thread.wait",
            ),
            ("new Deno.Command('rm', { args: ['x'] }).output();", "file.delete"),
        ],
    );
}

#[test]
fn go() {
    let frame = "package a\n\nimport (\n\t\"context\"\n\t\"fmt\"\n\t\"os/exec\"\n)\n\nconst tool = \"rm\"\n\nfunc f(ctx context.Context, name string, words ...string) error {\n\tCODE\n\treturn nil\n}\n";
    check(
        "a.go",
        frame,
        &[
            ("exec.Command(\"rm\", name).Run()", "file.delete"),
            ("cmd := exec.CommandContext(ctx, \"rm\", \"-r\", name)\n\tcmd.Dir = name\n\tcmd.Run()", "file.delete"),
            (
                "args := []string{\"fetch\"}\n\targs = append(args, name)\n\texec.Command(\"git\", args...).Output()",
                "file.read; file.write; network.use",
            ),
            ("exec.Command(tool, name).Run()", "file.delete"),
            ("path, _ := exec.LookPath(\"rm\")\n\texec.Command(path, name).Run()", "file.delete"),
            ("exec.Command(\"sh\", \"-c\", fmt.Sprintf(\"rm %s\", name)).Run()", "file.delete"),
            (
                "exec.Command(name, words...).Run()",
                "the program that `os/exec.Command` starts is chosen by the callers of `f`",
            ),
            ("exec.Command(ctx.Value(1).(string)).Run()", &chosen("os/exec.Command")),
        ],
    );
    let made = "package a\n\nimport \"os/exec\"\n\nfunc f(cmd *exec.Cmd) error {\n\treturn cmd.Run()\n}\n";
    assert_eq!(found("a.go", made), chosen("os/exec.Cmd.Run"));
}

#[test]
fn rust() {
    let frame = "use std::process::Command;\nconst TOOL: &str = \"rm\";\n\npub fn f(name: &str, words: &[String]) {\n    CODE\n}\n";
    check(
        "src/main.rs",
        frame,
        &[
            ("Command::new(\"rm\").arg(name).status();", "file.delete"),
            ("Command::new(\"git\").arg(\"fetch\").args([\"-q\"]).output();", "file.read; file.write; network.use"),
            (
                "let mut cmd = Command::new(\"git\");\n    cmd.arg(\"push\").arg(name);\n    cmd.status();",
                "artifact.publish; file.read; network.use",
            ),
            ("Command::new(\"echo\").args(&[\"x\"]).output();", ""),
            ("Command::new(\"git\").args(vec![\"push\", name]).output();", "artifact.publish; file.read; network.use"),
            ("Command::new(TOOL).arg(name).status();", "file.delete"),
            (
                "Command::new(name).args(words).status();",
                "the program that `std.process.Command.new` starts is chosen by the callers of `f`",
            ),
            ("Command::new(std::env::current_exe().unwrap()).status();", &chosen("std.process.Command.new")),
            ("Command::new(\"sh\").arg(\"-c\").arg(format!(\"rm {name}\")).status();", "file.delete"),
        ],
    );
}

#[test]
fn java() {
    let frame = "import java.util.*;\nclass A {\n  private static final String TOOL = \"rm\";\n  void f(String name, List<String> words) throws Exception {\n    CODE\n  }\n}\n";
    check(
        "A.java",
        frame,
        &[
            ("new ProcessBuilder(\"rm\", name).start();", "file.delete"),
            ("new ProcessBuilder(List.of(\"rm\", name)).start();", "file.delete"),
            (
                "List<String> cmd = new ArrayList<>();\n    cmd.add(\"rm\");\n    cmd.add(name);\n    new ProcessBuilder(cmd).start();",
                "file.delete",
            ),
            ("Runtime.getRuntime().exec(\"rm -r \" + name);", "file.delete"),
            ("Runtime.getRuntime().exec(new String[] {\"rm\", name});", "file.delete"),
            ("String[] cmd = {\"echo\", \"x\"};\n    Runtime.getRuntime().exec(cmd);", ""),
            ("new ProcessBuilder(TOOL, name).start();", "file.delete"),
            (
                "new ProcessBuilder(words).start();",
                "the program that `ProcessBuilder` starts is chosen by the callers of `A.f`",
            ),
        ],
    );
}

#[test]
fn ruby() {
    check(
        "a.rb",
        "require 'open3'\nTOOL = 'rm'\n\ndef f(name, *words)\n  CODE\nend\n",
        &[
            ("system('rm', name)", "file.delete"),
            ("system(\"rm #{name}\")", "file.delete"),
            ("`rm #{name}`", "file.delete"),
            ("%x(cat x)", "file.read"),
            ("Open3.capture3('git', 'fetch')", "file.read; file.write; network.use"),
            ("IO.popen(['rm', name]) { |io| io.read }", "file.delete"),
            ("system({ 'A' => 'b' }, 'rm', name)", "file.delete"),
            ("system(TOOL, name)", "file.delete"),
            ("command = ['rm']\n  command << name\n  `#{command.join(' ')}`", "file.delete"),
            ("system(*words)", "the program that `system` starts is chosen by the callers of `f`"),
            ("cmd = ['git']\n  cmd << 'push'\n  system(*cmd)", "artifact.publish; file.read; network.use"),
            ("Process.kill(:TERM, 1)", "process.stop"),
        ],
    );
}

#[test]
fn php() {
    check(
        "a.php",
        "<?php\nuse Symfony\\Component\\Process\\Process;\nconst TOOL = 'rm';\nfunction f($name, array $words) {\n  CODE\n}\n",
        &[
            ("exec('rm ' . escapeshellarg($name));", "file.delete"),
            ("shell_exec(\"rm $name\");", "file.delete"),
            ("`rm $name`;", "file.delete"),
            ("$process = new Process(['rm', $name]);\n  $process->run();", "file.delete"),
            ("$process = Process::fromShellCommandline('rm x');\n  $process->mustRun();", "file.delete"),
            (
                "$cmd = ['git'];\n  $cmd[] = 'push';\n  $p = new Process($cmd);\n  $p->run();",
                "artifact.publish; file.read; network.use",
            ),
            ("exec(sprintf('cat %s', $name));", "file.read"),
            ("proc_open(['rm', $name], [], $pipes);", "file.delete"),
            ("exec($name);", "the program that `exec` starts is chosen by the callers of `f`"),
            (
                "$process = new Process($words);\n  $process->run();",
                "the program that `Symfony.Component.Process.Process` starts is chosen by the callers of `f`",
            ),
        ],
    );
}

#[test]
fn a_value_that_can_be_another_one_is_not_vouched_for() {
    let system = chosen("os.system");
    let run = chosen("subprocess.run");
    check(
        "a.py",
        "import subprocess, os, sys\n\nCODE\n",
        &[
            ("cmd = 'rm -rf x'; os.system(cmd)\ncmd = 'cat'; os.system(cmd)", "file.delete; file.read"),
            (
                "CMD = 'cat'\ndef set(c):\n    global CMD\n    CMD = c\ndef go():\n    os.system(CMD)",
                &format!("file.read; state.change; {system}"),
            ),
            (
                "class A:\n    name = 'rm'\n    def go(self):\n        subprocess.run([self.name, 'x'])\nclass B:\n    name = 'cat'",
                "file.delete",
            ),
            ("def go(xs):\n    for name, cmd in xs:\n        os.system(cmd)\ncmd = 'cat'", &system),
            (
                "def go(xs):\n    cmd = 'cat'\n    for x in xs:\n        os.system(cmd)\n        cmd = 'rm x'",
                "file.delete; file.read",
            ),
            ("def go():\n    cmd = ['cat']\n    cmd[0] = 'rm'\n    subprocess.run(cmd)", &format!("file.read; {run}")),
            ("def go(c):\n    os.system(f'echo {c} | sh')", "code.execute"),
            ("def go():\n    subprocess.run('cd x && rm -r y', shell=sys.platform == 'win32')", "file.delete"),
            ("def go(c):\n    subprocess.run(['cat'], executable=c)", &run),
            (
                "def pip(*words):\n    subprocess.run([sys.executable, '-m', 'pip', *words])\ndef go():\n    pip('list')",
                "file.read",
            ),
        ],
    );
    check(
        "a.js",
        "const { execSync } = require('child_process');\nconst cmd = 'cat';\nCODE\n",
        &[
            (
                "module.exports.go = ({ cwd, cmd }) => execSync(cmd, { cwd });",
                &format!("{}; thread.wait", chosen("child_process.execSync")),
            ),
            (
                "module.exports.go = (own) => execSync(own.list());",
                &format!("{}; thread.wait", chosen("child_process.execSync")),
            ),
        ],
    );
    check(
        "src/main.rs",
        "use std::process::Command;\nfn go(x: bool) {\n    CODE\n}\n",
        &[(
            "let mut c = Command::new(\"git\");\n    if x { c.arg(\"status\"); } else { c.args([\"clean\", \"-fdx\"]); }\n    c.status();",
            "file.delete; file.read; file.write; no table lists the command `git`",
        )],
    );
}

#[test]
fn a_value_that_is_made_from_itself_is_not_followed_for_ever() {
    let run = chosen("subprocess.run");
    check(
        "a.py",
        "import subprocess, os\nclass A:\n    def go(self):\n        CODE\n",
        &[
            ("self.cmd = f'{self.cmd} x'; os.system(self.cmd)", &chosen("os.system")),
            ("self.cmd = self.cmd + ['x']; subprocess.run(self.cmd)", &run),
            (
                "cmd = 'a'\n        while x:\n            cmd = f'{cmd} {cmd}'; subprocess.run([cmd])",
                &format!("no table lists the command `a`; {run}"),
            ),
        ],
    );
}

#[test]
fn a_file_with_many_calls_is_read_in_time() {
    let words = vec!["'a'"; 20_000].join(", ");
    let text = format!("import subprocess\nsubprocess.run(['echo', {words}])\n");
    assert_eq!(found("a.py", &text), "");
    let lines = "os.system('cat ' + x)\n".repeat(5_000);
    let found = found("a.py", &format!("import os\n{lines}"));
    assert!(found.contains("file.read") || found == chosen("os.system"), "{found}");
}
