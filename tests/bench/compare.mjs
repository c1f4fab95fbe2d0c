// Compares `diffsan compare` with `git range-diff` on a change of 2,000 files after a rebase, alternating: time and largest memory.
//   node tests/bench/compare.mjs [PROGRAM [ROUNDS]]
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from './median.mjs';
import { row } from './row.mjs';

const FILES = 2000;
const COMMITS = 20;
const LINES = 150;
/** How often the memory of a running program is read, in milliseconds. */
const POLL = 5;

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const program = process.argv[2] ?? path.join(root, 'target/release/diffsan');
const rounds = Number(process.argv[3] ?? 5);
const repository = mkdtempSync(path.join(tmpdir(), 'diffsan-compare-'));
const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'gc.auto=0'];
const git = (...args) => {
  const done = spawnSync('git', [...identity, ...args], { cwd: repository, encoding: 'utf8', maxBuffer: 1 << 30 });
  if (done.status !== 0) throw new Error(`git ${args.join(' ')}: ${done.stderr}`);
  return done.stdout.trim();
};
const name = (file) => `src/part${file % 40}/file${file}.txt`;
const write = (file, edits) => {
  const lines = Array.from({ length: LINES }, (_, line) => edits[line] ?? `line ${line} of file ${file}`);
  writeFileSync(path.join(repository, name(file)), `${lines.join('\n')}\n`);
};

/** Builds the histories: 20 commits that change 2,000 files, a rebase over changes of the same files, and edits of 20 files. */
function build() {
  git('init', '-q', '-b', 'main');
  for (let part = 0; part < 40; part++) mkdirSync(path.join(repository, `src/part${part}`), { recursive: true });
  for (let file = 0; file < FILES; file++) write(file, {});
  git('add', '-A');
  git('commit', '-q', '-m', 'base');
  git('checkout', '-q', '-b', 'topic');
  for (let commit = 0; commit < COMMITS; commit++) {
    for (let file = commit; file < FILES; file += COMMITS) write(file, { 20: `author ${file}`, 21: 'author', 90: 'author 90' });
    git('commit', '-q', '-a', '-m', `commit ${commit}`);
  }
  git('tag', 'old');
  git('checkout', '-q', 'main');
  for (let file = 0; file < FILES; file++) write(file, { 5: `upstream ${file}`, 120: 'upstream' });
  git('commit', '-q', '-a', '-m', 'upstream');
  git('checkout', '-q', 'topic');
  git('rebase', '-q', 'main');
  for (let file = 0; file < 20; file++)
    write(file, { 5: `upstream ${file}`, 20: `author ${file}`, 21: 'later', 90: 'author 90', 120: 'upstream' });
  git('commit', '-q', '-a', '--amend', '--no-edit');
}

/** Runs a program, and returns its time in milliseconds, its largest memory in MB and its output. */
function run(command, args) {
  return new Promise((done, failed) => {
    const from = process.hrtime.bigint();
    const child = spawn(command, args, { cwd: repository, stdio: ['ignore', 'pipe', 'inherit'] });
    let [memory, output] = [0, ''];
    const poll = setInterval(() => {
      try {
        memory = Math.max(memory, Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0));
      } catch {
        // The program has ended.
      }
    }, POLL);
    child.stdout.on('data', (data) => (output += data));
    child.on('close', (code) => {
      clearInterval(poll);
      if (code !== 0) failed(new Error(`${command} ended with ${code}`));
      else done({ ms: Number(process.hrtime.bigint() - from) / 1e6, memory: memory / 1024, output });
    });
  });
}

try {
  build();
  const ways = {
    'git range-diff': ['git', ['range-diff', '--no-color', 'main..old', 'main..topic']],
    'diffsan compare': [program, ['compare', '--json', 'main..old', 'main..topic']],
    'diffsan compare --commits': [program, ['compare', '--json', '--commits', 'main..old', 'main..topic']],
  };
  const found = Object.fromEntries(Object.keys(ways).map((key) => [key, []]));
  for (let round = 0; round < rounds; round++)
    for (const [key, [command, args]] of Object.entries(ways)) found[key].push(await run(command, args));
  const shown = JSON.parse(found['diffsan compare'].at(-1).output);
  if (shown.files.length !== 20) throw new Error(`${shown.files.length} files are shown, not 20`);
  const times = (key) => found[key].map(({ ms }) => ms);
  console.log(`${FILES} files, ${COMMITS} commits after a rebase, median of ${rounds}`);
  for (const [key, all] of Object.entries(found)) {
    const ratio = median(times(key)) / median(times('git range-diff'));
    const memory = Math.max(...all.map((one) => one.memory));
    if (key !== 'git range-diff') {
      const theirs = median(times('git range-diff'));
      row({ what: key, size: `${FILES} files`, ours: median(times(key)), unit: 'ms', peer: 'git range-diff', theirs, goal: 2 });
      row({ what: `${key}, largest memory`, size: `${FILES} files`, ours: memory, unit: 'MB' });
    }
    console.log(`  ${key}: ${median(times(key)).toFixed(0)} ms, ratio ${ratio.toFixed(2)}, at most ${memory.toFixed(0)} MB`);
  }
} finally {
  rmSync(repository, { recursive: true, force: true });
}
