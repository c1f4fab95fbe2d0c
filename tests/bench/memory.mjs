// The memory of the real window with a change of 50,000 lines and its scrolling in WebKitGTK, compared with an empty Tauri window.
//   node tests/bench/memory.mjs; --debug takes the debug builds.
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Browser } from '../e2e/webdriver.mjs';
import { root } from '../e2e/support.mjs';
import { bigChange } from './big.mjs';
import { median } from './median.mjs';
import { row } from './row.mjs';

const build = path.join(root, 'target', process.argv.includes('--debug') ? 'debug' : 'release');
const data = await mkdtemp(path.join(tmpdir(), 'diffsan-bench-'));
const big = await bigChange();
const browser = await Browser.start({ ...process.env, DIFFSAN_DATA_DIR: data, DIFFSAN_CONFIG_DIR: data });

/** Returns the proportional set size in MB of a program and the processes that it started (such as WebKit's): the total, and each. */
async function memory(program) {
  const all = await Promise.all(
    (await readdir('/proc'))
      .filter((name) => /^\d+$/.test(name))
      .map(async (id) => {
        const stat = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => '');
        const line = await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '');
        return { id, parent: stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1], line };
      }),
  );
  const wanted = new Set(all.filter((one) => one.line.startsWith(program)).map((one) => one.id));
  for (let grew = true; grew; ) {
    grew = false;
    for (const one of all) if (wanted.has(one.parent) && !wanted.has(one.id)) grew = wanted.add(one.id) !== undefined;
  }
  const parts = {};
  for (const id of wanted) {
    const rollup = await readFile(`/proc/${id}/smaps_rollup`, 'utf8').catch(() => '');
    const name = (await readFile(`/proc/${id}/comm`, 'utf8').catch(() => '')).trim();
    parts[name] = (parts[name] ?? 0) + Number(rollup.match(/^Pss:\s+(\d+)/m)?.[1] ?? 0) / 1_000;
  }
  return { all: Object.values(parts).reduce((sum, part) => sum + part, 0), parts };
}

try {
  const empty = [];
  const full = [];
  for (let round = 0; round < 3; round++) {
    const nothing = await browser.open(path.join(build, 'empty-window'), []);
    await pause(4_000);
    empty.push(await memory(path.join(build, 'empty-window')));
    await nothing.quit();

    const window = await browser.open(path.join(build, 'diffsan-desktop'), [big.folder]);
    const run = (script) => window.executeScript(script);
    await window.wait(() => run("return document.documentElement.dataset.diff === 'painted' && !document.querySelector('.pending')"), 60_000);
    await pause(6_000);
    full.push(await memory(path.join(build, 'diffsan-desktop')));
    if (round === 2) {
      await run(`window.frames_ = null; (${scroll})().then((seen) => (window.frames_ = seen))`);
      await window.wait(() => run('return window.frames_ !== null'), 240_000);
      const { gaps, blank } = await run('return window.frames_');
      const slow = gaps.filter((gap) => gap > 17.7).length;
      const lines = `${big.lines.toLocaleString('en')} lines`;
      const inTime = (1 - slow / gaps.length) * 100;
      row({ what: 'real window, frames in time', size: lines, ours: inTime, unit: '%', higher: true });
      console.log(`a change of ${big.lines.toLocaleString('en')} lines in the real window`);
      console.log(
        `  scroll: ${gaps.length} frames, median ${median(gaps).toFixed(1)} ms, ${inTime.toFixed(2)} % in time, longest ${Math.max(...gaps).toFixed(1)} ms, blank ${blank}`,
      );
    }
    await window.quit();
  }
  const [none, some] = [empty, full].map((runs) => median(runs.map(({ all }) => all)));
  row({
    what: 'real window, memory of all processes',
    size: `${big.lines.toLocaleString('en')} lines`,
    ours: some,
    unit: 'MB',
    peer: 'empty window',
    theirs: none,
  });
  console.log(`  memory: empty window ${none.toFixed(0)} MB, with the change ${some.toFixed(0)} MB, ratio ${(some / none).toFixed(2)}`);
  for (const [name, { parts }] of Object.entries({ 'empty window': empty.at(-1), 'with the change': full.at(-1) }))
    console.log(`    ${name}: ${Object.entries(parts).map(([part, size]) => `${part} ${size.toFixed(0)}`).join(', ')}`);
} finally {
  await browser.stop();
  await rm(data, { recursive: true, force: true });
  await rm(big.folder, { recursive: true, force: true });
}

/** Runs in the page: scrolls through the whole diff and checks every frame. */
async function scroll() {
  const box = document.querySelector('[data-testid="diff"]');
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const gaps = [];
  let blank = 0;
  let before = await frame();
  const step = Math.max(400, (box.scrollHeight - box.clientHeight) / 2_000);
  for (let top = 0; top < box.scrollHeight - box.clientHeight; ) {
    box.scrollTop = top += step;
    const now = await frame();
    gaps.push(now - before);
    before = now;
    const drawn = box.querySelector('.drawn').getBoundingClientRect();
    const seen = box.getBoundingClientRect();
    if (drawn.top > seen.top + 1 || drawn.bottom < seen.bottom - 1) blank += 1;
  }
  return { gaps, blank };
}
