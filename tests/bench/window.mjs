// The time from the start of the process to the first painted row of a diff, compared with an empty Tauri window, alternating.
//   node tests/bench/window.mjs [REPOSITORY [ROUNDS]]; without a repository: the bundled sample.
import { mkdtemp, readFile, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Browser } from '../e2e/webdriver.mjs';
import { root } from '../e2e/support.mjs';
import { median } from './median.mjs';
import { row } from './row.mjs';

const repository = process.argv[2] ?? '--sample';
const rounds = Number(process.argv[3] ?? 9);
const release = path.join(root, 'target/release');
const data = await mkdtemp(path.join(tmpdir(), 'diffsan-bench-'));
const browser = await Browser.start({ ...process.env, DIFFSAN_DATA_DIR: data, DIFFSAN_CONFIG_DIR: data });

/** Returns the start of the newest process of a program, in milliseconds since the epoch. */
async function began(program) {
  const boot = Number((await readFile('/proc/stat', 'utf8')).match(/btime (\d+)/)[1]) * 1000;
  const uptime = Number((await readFile('/proc/uptime', 'utf8')).split(' ')[0]) * 1000;
  // `btime` has whole seconds. The current time minus the uptime is more precise.
  const zero = Math.abs(Date.now() - uptime - boot) < 2000 ? Date.now() - uptime : boot;
  let newest = 0;
  for (const id of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const exe = await readlink(`/proc/${id}/exe`).catch(() => '');
    if (exe !== program) continue;
    const stat = await readFile(`/proc/${id}/stat`, 'utf8');
    newest = Math.max(newest, Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]) * 10);
  }
  return zero + newest;
}

async function start(program, args) {
  const window = await browser.open(program, args);
  try {
    const painted = await window.wait(
      () =>
        window.executeScript(
          "const mark = performance.getEntriesByName('first-diff')[0]; return mark && performance.timeOrigin + mark.startTime",
        ),
      30_000,
    );
    return painted - (await began(program));
  } finally {
    await window.quit();
  }
}

const ways = {
  'empty window': () => start(path.join(release, 'empty-window'), []),
  diffsan: () => start(path.join(release, 'diffsan-desktop'), [repository]),
};
const times = { 'empty window': [], diffsan: [] };
try {
  // The first round of each fills caches and creates the sample.
  for (let round = -1; round < rounds; round++)
    for (const [name, way] of Object.entries(ways)) {
      const ms = await way();
      if (round >= 0) times[name].push(ms);
    }
} finally {
  await browser.stop();
  await rm(data, { recursive: true, force: true });
}
const empty = median(times['empty window']);
console.log(`process start to first paint, median of ${rounds}`);
for (const [name, all] of Object.entries(times))
  if (name !== 'empty window')
    row({ what: `start of the window, ${name}`, size: 'sample', ours: median(all), unit: 'ms', peer: 'empty window', theirs: empty, goal: 1.3 });
for (const [name, all] of Object.entries(times))
  console.log(`  ${name}: ${median(all).toFixed(0)} ms, ratio ${(median(all) / empty).toFixed(2)}`);
