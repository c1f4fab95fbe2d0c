// Compares the time of a trivial agent in the sandbox with the time without one, alternating. The time is the one in agent.run.json, from the
// start of the launcher to the end of the last process.
//   node tests/bench/sandbox.mjs [ROUNDS [PROGRAM]]
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from './median.mjs';
import { row } from './row.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const rounds = Number(process.argv[2] ?? 15);
const diffsan = process.argv[3] ?? path.join(root, 'target/release/diffsan');
const folder = mkdtempSync(path.join(tmpdir(), 'diffsan-sandbox-'));
const repository = path.join(folder, 'repository');
const config = path.join(folder, 'config');
mkdirSync(repository);
mkdirSync(config);
const agent = path.join(folder, 'agent');
const answer = JSON.stringify({ summary_markdown: 'ok', findings: [] });
writeFileSync(agent, `#!/bin/sh\ncat > /dev/null\necho '${answer}'\n`, { mode: 0o755 });
writeFileSync(path.join(config, 'config.toml'), `[agents.tool]\ntransport = "oneshot-text"\ncommand = ["${agent}"]\n`);
const git = (...args) => execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: repository });
git('init', '-q');
writeFileSync(path.join(repository, 'a.rs'), 'one\n');
git('add', '.');
git('commit', '-qm', 'base');
writeFileSync(path.join(repository, 'a.rs'), 'two\n');

function run(sandbox) {
  const data = path.join(folder, 'data');
  rmSync(data, { recursive: true, force: true });
  const env = { ...process.env, HOME: folder, DIFFSAN_DATA_DIR: data, DIFFSAN_CONFIG_DIR: config, DIFFSAN_AGENT__SANDBOX: sandbox };
  execFileSync(diffsan, ['review', '--agent', 'tool'], { cwd: repository, env });
  const [id] = readdirSync(path.join(data, 'runs'));
  const [facts] = JSON.parse(readFileSync(path.join(data, 'runs', id, 'agent.run.json'), 'utf8'));
  return facts.milliseconds;
}

const times = { required: [], off: [] };
try {
  for (let round = 0; round < rounds; round++) for (const sandbox of Object.keys(times)) times[sandbox].push(run(sandbox));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const [inside, bare] = [median(times.required), median(times.off)];
row({ what: 'sandbox, more time for the start of an agent', size: 'trivial agent', ours: inside - bare, unit: 'ms', goal: 50 });
console.log(`a trivial agent, median of ${rounds}: ${inside} ms in the sandbox, ${bare} ms without, ${inside - bare} ms more`);
