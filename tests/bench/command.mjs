// Compares whole processes of `diffsan prepare` and `diffsan prompt` with `git diff --no-color` on real histories, alternating.
//   node tests/bench/command.mjs [REPOSITORY [RANGE [ROUNDS]]]
// Without a repository: those in the folder that DIFFSAN_BENCH_REPOS names, over two ranges each, or this one where it names none.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from './median.mjs';
import { row } from './row.mjs';

/** The ranges of a history that are measured, in commits from the newest one back. */
const COMMITS = [30, 300];

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const [repository, asked, count] = process.argv.slice(2);
const rounds = Number(count ?? 9);
const diffsan = path.join(root, 'target/release/diffsan');
const limitless = ['max_diff_chars', 'max_files', 'max_hunks_per_file'].flatMap((key) => ['--set', `limits.${key}=0`]);
const whole = ['--set', 'prepare.leave_out_folded=false'];
const ways = {
  'prepare, usual limits': ['prepare'],
  'prepare, no limits': ['prepare', ...limitless],
  'prepare, no limits, nothing folded': ['prepare', ...limitless, ...whole],
  'prepare, no limits, nothing folded or masked': ['prepare', ...limitless, ...whole, '--set', 'redaction.enabled=false'],
  prompt: ['prompt', ...limitless],
};

const git = (cwd, ...args) => spawnSync('git', args, { cwd, maxBuffer: 1 << 30 }).stdout.toString().trim();

function run(cwd, command, args) {
  const from = process.hrtime.bigint();
  const done = spawnSync(command, args, { cwd, maxBuffer: 1 << 30 });
  if (done.status !== 0) throw new Error(`${command} ${args.join(' ')}: ${done.stderr}`);
  return { ms: Number(process.hrtime.bigint() - from) / 1e6, bytes: done.stdout.length };
}

function measure(cwd, range) {
  const plain = () => run(cwd, 'git', ['diff', '--no-color', '--no-ext-diff', '--no-textconv', range]);
  const times = { 'git diff': [], ...Object.fromEntries(Object.keys(ways).map((name) => [name, []])) };
  const { bytes } = plain();
  for (let round = 0; round < rounds; round++) {
    times['git diff'].push(plain().ms);
    for (const [name, [command, ...args]] of Object.entries(ways))
      times[name].push(run(cwd, diffsan, [command, '--range', range, ...args]).ms);
  }
  const theirs = median(times['git diff']);
  const size = `${path.basename(cwd)}, ${(bytes / 1e6).toFixed(2)} MB`;
  console.log(`${size} (${range}), median of ${rounds}: git diff ${theirs.toFixed(0)} ms`);
  for (const name of Object.keys(ways)) {
    const ours = median(times[name]);
    row({ what: `command, ${name}`, size, ours, unit: 'ms', peer: 'git diff', theirs, goal: 1 });
    console.log(`  ${name}: ${ours.toFixed(0)} ms, ratio ${(ours / theirs).toFixed(2)}`);
  }
}

/** Returns the ranges of a repository that its history is long enough for. */
function ranges(cwd) {
  const commits = Number(git(cwd, 'rev-list', '--count', '--first-parent', 'HEAD'));
  return COMMITS.filter((back) => back < commits).map((back) => `HEAD~${back}..HEAD`);
}

const folder = process.env.DIFFSAN_BENCH_REPOS;
if (repository) measure(repository, asked ?? `${git(repository, 'rev-list', '--max-parents=0', 'HEAD').split('\n')[0]}..HEAD`);
else
  for (const cwd of folder ? readdirSync(folder).map((name) => path.join(folder, name)) : [root])
    if (existsSync(path.join(cwd, '.git')) || existsSync(path.join(cwd, 'HEAD'))) ranges(cwd).forEach((range) => measure(cwd, range));
