// The time from the arrival of a change of 50,000 lines in the page to its first painted row, in WebKitGTK: at the start of the window,
// which includes creating the page, and in a window with another open change.
//   node tests/bench/first.mjs [ROUNDS]; --debug takes the debug build.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Browser } from '../e2e/webdriver.mjs';
import { root } from '../e2e/support.mjs';
import { bigChange } from './big.mjs';
import { median } from './median.mjs';
import { row } from './row.mjs';

const rounds = Number(process.argv.slice(2).find((word) => /^\d+$/.test(word)) ?? 7);
const program = path.join(root, 'target', process.argv.includes('--debug') ? 'debug' : 'release', 'diffsan-desktop');
const data = await mkdtemp(path.join(tmpdir(), 'diffsan-bench-'));
const big = await bigChange();
const browser = await Browser.start({ ...process.env, DIFFSAN_DATA_DIR: data, DIFFSAN_CONFIG_DIR: data });

/** Runs in the page: returns the time for the change that was painted first, second, and so on. */
const taken = `
  const [there, painted] = ['change-there', 'first-diff'].map((name) => performance.getEntriesByName(name));
  return painted.length === arguments[0] ? painted.at(-1).startTime - there.at(-1).startTime : null;`;

/** Opens a window with the given arguments, and then `next` in the same window. */
async function open(args, next) {
  const window = await browser.open(program, args);
  const painted = (count) => window.wait(() => window.executeScript(taken, count), 60_000);
  try {
    const first = await painted(1);
    if (!next) return first;
    // Waits until the lists, menus and colours are loaded.
    await pause(2_000);
    await browser.run(program, next);
    return await painted(2);
  } finally {
    await window.quit();
  }
}

const times = { 'at the start': [], 'in an open window': [] };
try {
  // The first round fills caches and creates the sample.
  for (let round = -1; round < rounds; round++) {
    const start = await open([big.folder]);
    const later = await open(['--sample'], [big.folder]);
    if (round < 0) continue;
    times['at the start'].push(start);
    times['in an open window'].push(later);
  }
} finally {
  await browser.stop();
  await rm(data, { recursive: true, force: true });
  await rm(big.folder, { recursive: true, force: true });
}
console.log(`a change of ${big.lines.toLocaleString('en')} lines, WebKitGTK, from its being there to its first painted row, ${rounds} rounds`);
for (const [name, all] of Object.entries(times))
  row({ what: `first painted row in WebKitGTK, ${name}`, size: `${big.lines.toLocaleString('en')} lines`, ours: median(all), unit: 'ms' });
for (const [name, all] of Object.entries(times))
  console.log(`  ${name}: median ${median(all).toFixed(1)} ms, all ${all.map((ms) => ms.toFixed(0)).join(' ')}`);
