// Compares whole processes of `diffsan prepare` and `diffsan prompt` with `git diff --no-color`, alternating, at several sizes.
//   node tests/bench/command.mjs [REPOSITORY [RANGE [ROUNDS]]]
// Without a repository: those in the folder that DIFFSAN_BENCH_REPOS names, at about 10 MB and 100 MB of diff where a history has that, or
// generated ones. Also prints the share of redaction in the time of `prepare`, and the times of commands with nearly no input.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { diffOf, histories, rangesOf } from './histories.mjs';
import { median } from './median.mjs';
import { row } from './row.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const [repository, asked, count] = process.argv.slice(2);
/** The number of measurements of each command, and of those with a large diff. */
const ROUNDS = 7;
const LARGE = { bytes: 50e6, rounds: 3 };
const diffsan = path.join(root, 'target/release/diffsan');
const limitless = ['max_diff_chars', 'max_files', 'max_hunks_per_file'].flatMap((key) => ['--set', `limits.${key}=0`]);
const unmasked = ['--set', 'redaction.enabled=false'];
/** The commands that are compared with `git diff`, and the maximum ratio of those that have a goal. */
const ways = {
  'prepare --json': { args: ['prepare', '--json'], goal: 1 },
  prompt: { args: ['prompt'], goal: 1 },
  'prepare --json, nothing masked': { args: ['prepare', '--json', ...unmasked] },
  'prepare, no limits': { args: ['prepare', ...limitless] },
};
/** The maximum share of redaction in the time of `prepare`. */
const REDACTION = 15;
/** The maximum time of commands with nearly no input, in milliseconds. */
const START = 10;

function run(cwd, command, args, input) {
  const from = process.hrtime.bigint();
  const done = spawnSync(command, args, { cwd, input, maxBuffer: 1 << 30 });
  if (done.status !== 0) throw new Error(`${command} ${args.join(' ')}: ${done.stderr}`);
  return { ms: Number(process.hrtime.bigint() - from) / 1e6, bytes: done.stdout.length };
}

function measure({ cwd, range, name }) {
  const plain = () => run(cwd, 'git', diffOf(range));
  const times = { 'git diff': [], ...Object.fromEntries(Object.keys(ways).map((way) => [way, []])) };
  const { bytes } = plain();
  const rounds = Number(count ?? (bytes < LARGE.bytes ? ROUNDS : LARGE.rounds));
  for (let round = 0; round < rounds; round++) {
    times['git diff'].push(plain().ms);
    for (const [way, { args }] of Object.entries(ways)) times[way].push(run(cwd, diffsan, [...args, '--range', range]).ms);
  }
  const theirs = median(times['git diff']);
  const size = `${name}, ${(bytes / 1e6).toFixed(bytes < 1e6 ? 2 : 0)} MB`;
  console.log(`${size} (${range}), median of ${rounds}: git diff ${theirs.toFixed(0)} ms`);
  for (const [way, { goal }] of Object.entries(ways)) {
    const ours = median(times[way]);
    row({ what: `command, ${way}`, size, ours, unit: 'ms', peer: 'git diff', theirs, goal });
    console.log(`  ${way}: ${ours.toFixed(0)} ms, ratio ${(ours / theirs).toFixed(2)}`);
  }
  const [masked, bare] = ['prepare --json', 'prepare --json, nothing masked'].map((way) => median(times[way]));
  const share = Math.max(0, ((masked - bare) / masked) * 100);
  row({ what: 'command, share of redaction in prepare', size, ours: share, unit: '%', goal: REDACTION });
  console.log(`  share of redaction: ${share.toFixed(0)} %`);
}

/** Measures the start of the program. */
function start() {
  for (const [args, input] of [[['--version']], [['redact'], 'ten bytes\n']]) {
    const times = Array.from({ length: 21 }, () => run(root, diffsan, args, input).ms);
    const what = `command, ${args.join(' ')}`;
    row({ what, size: `${input?.length ?? 0} bytes`, ours: median(times), unit: 'ms', goal: START });
    console.log(`${what}: ${median(times).toFixed(1)} ms`);
  }
}

if (repository) {
  const named = { cwd: repository, range: asked, name: path.basename(path.resolve(repository)) };
  (asked ? [named] : rangesOf(repository)).forEach(measure);
} else {
  start();
  histories(process.env.DIFFSAN_BENCH_REPOS).forEach(measure);
}
