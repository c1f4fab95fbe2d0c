// Compares `diffsan prepare` with `git diff --no-color` on one range of one repository, alternating.
//   node tests/bench/command.mjs [REPOSITORY [RANGE [ROUNDS]]]; without a repository: this one, from its first commit on.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from './median.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const repository = process.argv[2] ?? root;
const first = () => spawnSync('git', ['rev-list', '--max-parents=0', 'HEAD'], { cwd: repository }).stdout.toString().trim();
const range = process.argv[3] ?? `${first()}..HEAD`;
const rounds = Number(process.argv[4] ?? 9);

const run = (command, args) => {
  const from = process.hrtime.bigint();
  const done = spawnSync(command, args, { cwd: repository, maxBuffer: 1 << 30 });
  if (done.status !== 0) throw new Error(`${command}: ${done.stderr}`);
  return { ms: Number(process.hrtime.bigint() - from) / 1e6, bytes: done.stdout.length };
};
const diffsan = path.join(root, 'target/release/diffsan');
const limitless = ['max_diff_chars', 'max_files', 'max_hunks_per_file'].flatMap((key) => ['--set', `limits.${key}=0`]);
const ways = {
  'git diff': () => run('git', ['diff', '--no-color', '--no-ext-diff', '--no-textconv', range]),
  'prepare, usual limits': () => run(diffsan, ['prepare', '--range', range]),
  'prepare, no limits': () => run(diffsan, ['prepare', '--range', range, ...limitless]),
  'prepare, no limits, nothing masked': () =>
    run(diffsan, ['prepare', '--range', range, ...limitless, '--set', 'redaction.enabled=false']),
};
const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
const sizes = {};
for (let round = 0; round < rounds; round++)
  for (const [name, way] of Object.entries(ways)) {
    const { ms, bytes } = way();
    times[name].push(ms);
    sizes[name] = bytes;
  }
const git = median(times['git diff']);
console.log(`${path.basename(repository)} ${range}, median of ${rounds}`);
for (const [name, all] of Object.entries(times)) {
  const ms = median(all);
  console.log(`  ${name}: ${ms.toFixed(0)} ms, ratio ${(ms / git).toFixed(2)}, ${(sizes[name] / 1e6).toFixed(2)} MB out`);
}
