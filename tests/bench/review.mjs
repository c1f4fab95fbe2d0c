// The time that diffsan adds to a review with a prompt of 200 KB: from the start until the agent's standard input is closed, and from its
// last byte to the printed findings. The agent is a script that records the times. `node tests/bench/review.mjs [ROUNDS]`
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from './median.mjs';
import { row } from './row.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const rounds = Number(process.argv[2] ?? 15);
const folder = mkdtempSync(path.join(os.tmpdir(), 'diffsan-bench-'));
const repo = path.join(folder, 'repo');
const git = (...args) => spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-C', repo, ...args]);
spawnSync('git', ['init', '-q', repo]);
const line = (index) => `    let value_${index} = compute(input, ${index * 7});\n`;
for (let file = 0; file < 40; file++) writeFileSync(path.join(repo, `f${file}.rs`), Array.from({ length: 400 }, (_, i) => line(i)).join(''));
git('add', '-A');
git('commit', '-qm', 'base');
for (let file = 0; file < 40; file++)
  writeFileSync(path.join(repo, `f${file}.rs`), Array.from({ length: 400 }, (_, i) => (i % 4 ? line(i) : line(i + file + 1))).join(''));
const findings = Array.from({ length: 20 }, (_, index) => ({
  severity: 'high', category: 'correctness', path: `f${index}.rs`, line_start: 5, line_end: 5, title: `Finding ${index}`,
  body_markdown: '`compute` is never called.', quote: line(4 + index + 1).trim(),
}));
writeFileSync(path.join(folder, 'answer.json'), JSON.stringify({ summary_markdown: 'Fine.', findings }));
const script = `#!/bin/sh
cat > ${folder}/prompt
date +%s%N > ${folder}/closed
# Between diffsan and the agent is its launcher, which is the same program.
process=$PPID
while parent=$(sed -n 's/^PPid:[[:space:]]*//p' /proc/$process/status) && [ "$(cat /proc/$parent/comm)" = diffsan ]; do process=$parent; done
grep VmHWM /proc/$process/status > ${folder}/memory
date +%s%N > ${folder}/last
cat ${folder}/answer.json
`;
writeFileSync(path.join(folder, 'agent'), script, { mode: 0o755 });
// The agent records its times outside of its room. `sandbox.mjs` measures the sandbox.
const env = { ...process.env, DIFFSAN_DATA_DIR: `${folder}/data`, DIFFSAN_CONFIG_DIR: `${folder}/config`, DIFFSAN_AGENT__SANDBOX: 'off' };
const agent = ['--set', `agents.timed.programs=["${folder}/agent"]`, '--agent', 'timed', '--set', 'agents.timed.transport="oneshot-text"'];
const before = [];
const after = [];
let memory = 0;
for (let round = 0; round < rounds; round++) {
  const from = BigInt(Date.now()) * 1_000_000n;
  const done = spawnSync(path.join(root, 'target/release/diffsan'), ['review', '--json', '--unstaged', ...agent], { cwd: repo, env, maxBuffer: 1 << 28 });
  const to = BigInt(Date.now()) * 1_000_000n;
  if (done.status !== 0) throw new Error(`${done.status} ${done.stderr}`);
  if (JSON.parse(done.stdout).findings.length !== findings.length) throw new Error('findings are missing');
  const at = (name) => BigInt(readFileSync(path.join(folder, name), 'utf8').trim());
  before.push(Number(at('closed') - from) / 1e6);
  after.push(Number(to - at('last')) / 1e6);
  memory = Math.max(memory, Number(readFileSync(path.join(folder, 'memory'), 'utf8').match(/\d+/)[0]));
}
const size = readFileSync(path.join(folder, 'prompt')).length;
rmSync(folder, { recursive: true });
const prompt = `${(size / 1e3).toFixed(0)} KB prompt`;
row({ what: "review, start to the agent's input closed", size: prompt, ours: median(before), unit: 'ms', goal: 150 });
row({ what: 'review, last byte of the agent to findings printed', size: prompt, ours: median(after), unit: 'ms', goal: 150 });
row({ what: 'review, memory', size: prompt, ours: memory / 1e3, unit: 'MB' });
console.log(`a prompt of ${(size / 1e3).toFixed(0)} KB, ${findings.length} findings, median of ${rounds}; the whole process each time`);
console.log(`  start to the agent's input closed: ${median(before).toFixed(0)} ms (limit 150)`);
console.log(`  its last byte to findings printed: ${median(after).toFixed(0)} ms (limit 150)`);
console.log(`  memory until then: ${(memory / 1e3).toFixed(0)} MB`);
