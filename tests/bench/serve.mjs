// The cost of a call of a page to `diffsan serve`: the latency of one call at a time, and calls per second of many at a time.
//   node tests/bench/serve.mjs [PROGRAM...]; without a program: target/release/diffsan. Several programs alternate.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import WebSocket from 'ws';
import { median } from './median.mjs';
import { row } from './row.mjs';

const ROUNDS = 5;
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const programs = process.argv.length > 2 ? process.argv.slice(2) : [path.join(root, 'target/release/diffsan')];

/** Starts a server, and returns its address and a function that ends it. */
async function serve(program) {
  const home = mkdtempSync(path.join(os.tmpdir(), 'diffsan-bench-'));
  const env = { ...process.env, HOME: home, DIFFSAN_DATA_DIR: `${home}/data`, DIFFSAN_CONFIG_DIR: `${home}/config` };
  const child = spawn(program, ['serve', '--sample'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  const end = () => {
    child.kill('SIGKILL');
    rmSync(home, { recursive: true, force: true, maxRetries: 9 });
  };
  return { address: new URL(value), end };
}

/** Connects like a page, and returns a function that makes a call. */
async function connect(address) {
  const entered = await fetch(address, { redirect: 'manual' });
  const cookie = entered.headers.get('set-cookie').split(';')[0];
  const socket = new WebSocket(`ws://${address.host}/rpc`, { headers: { cookie, origin: address.origin } });
  const pending = new Map();
  socket.onmessage = ({ data }) => {
    const { id, result, error } = JSON.parse(data);
    const { resolve, reject } = pending.get(id);
    pending.delete(id);
    if (error) reject(new Error(error.message));
    else resolve(result);
  };
  await new Promise((resolve, reject) => Object.assign(socket, { onopen: resolve, onerror: reject }));
  let last = 0;
  return (method, params) =>
    new Promise((resolve, reject) => {
      pending.set(++last, { resolve, reject });
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: last, method, params }));
    });
}

/** Makes calls, `many` at a time, and returns the latencies and the time of all in milliseconds. */
async function measure(call, count, many) {
  const latencies = [];
  const from = performance.now();
  const one = async () => {
    while (count-- > 0) {
      const at = performance.now();
      await call();
      latencies.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: many }, one));
  return { latencies: latencies.sort((a, b) => a - b), all: performance.now() - from };
}

const results = new Map();
const note = (program, what, unit, value) => {
  const key = `${`${what}, ${unit}`.padEnd(48)} ${path.basename(program)}`;
  const result = results.get(key) ?? { what, unit, values: [] };
  result.values.push(value);
  results.set(key, result);
};
for (let round = 0; round < ROUNDS; round++)
  for (const program of programs) {
    const { address, end } = await serve(program);
    const call = await connect(address);
    const repo = await call('repo.sample');
    await call('state.set', { key: 'small', value: '1' });
    await call('state.set', { key: 'large', value: 'x'.repeat(1 << 20) });
    const small = () => call('state.get', { key: 'small' });
    const large = () => call('state.get', { key: 'large' });
    const open = () => call('change.open', { repo: repo.path, target: repo.suggested, since: null, review_id: null });
    await measure(small, 200, 1);
    const alone = await measure(small, 2_000, 1);
    note(program, 'one small call, median', 'ms', alone.latencies[1_000]);
    note(program, 'one small call, 99th of 100', 'ms', alone.latencies[1_980]);
    note(program, 'small calls, 100 at a time', 'calls/s', 20_000_000 / (await measure(small, 20_000, 100)).all);
    note(program, 'answers of 1 MB, 8 at a time', 'calls/s', 200_000 / (await measure(large, 200, 8)).all);
    note(program, 'opening the sample, one at a time, median', 'ms', (await measure(open, 20, 1)).latencies[10]);
    note(program, 'connecting', 'ms', (await measure(() => fetch(address.origin).then((page) => page.text()), 100, 1)).latencies[50]);
    end();
  }
for (const [name, { what, unit, values }] of [...results].sort()) {
  row({ what: `serve, ${what}`, size: 'sample', ours: median(values), unit, higher: unit === 'calls/s' });
  console.log(`  ${name}: ${median(values).toFixed(2)}`);
}
