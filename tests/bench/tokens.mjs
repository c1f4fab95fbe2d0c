// The tokens of the prompts of real changes, with and without the hunks that are folded.
//   node tests/bench/tokens.mjs [PROGRAM]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { row } from './row.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const program = process.argv[2] ?? path.join(root, 'target/release/diffsan');
/** Bundles of public repositories. Each branch is a change. */
const bundles = path.join(root, 'tests/fixtures/findings/public');
const unlimited = ['max_diff_chars', 'max_files', 'max_hunks_per_file'].flatMap((key) => ['--set', `limits.${key}=0`]);
const folder = mkdtempSync(path.join(tmpdir(), 'diffsan-tokens-'));

function run(cwd, command, ...args) {
  const done = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 1 << 30 });
  if (done.status !== 0) throw new Error(`${command} ${args.join(' ')}: ${done.stderr}`);
  return done.stdout;
}

/** Returns the tokens of the prompt of a commit. */
function tokens(repository, commit, folded) {
  const settings = [...unlimited, '--set', `prepare.leave_out_folded=${folded}`];
  return JSON.parse(run(repository, program, 'prompt', '--commit', commit, '--json', ...settings)).tokens;
}

try {
  let [whole, sent, changes] = [0, 0, 0];
  for (const bundle of readdirSync(bundles).filter((name) => name.endsWith('.bundle'))) {
    const repository = path.join(folder, path.basename(bundle, '.bundle'));
    run(folder, 'git', 'clone', '--quiet', '--bare', path.join(bundles, bundle), repository);
    const branches = run(repository, 'git', 'for-each-ref', '--format=%(refname:short)', 'refs/heads').trim().split('\n');
    for (const branch of branches) {
      const [before, after] = [tokens(repository, branch, false), tokens(repository, branch, true)];
      console.log(`${branch.padEnd(30)} ${String(before).padStart(8)} ${String(after).padStart(8)}  ${((1 - after / before) * 100).toFixed(1)} % saved`);
      whole += before;
      sent += after;
      changes += 1;
    }
  }
  row({ what: 'prompt without folded hunks', size: `${changes} real changes`, ours: sent, unit: 'tokens', peer: 'whole', theirs: whole, goal: 1 });
  console.log(`${changes} changes: ${whole} tokens, ${sent} without folded hunks, ${((1 - sent / whole) * 100).toFixed(1)} % saved`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
