// Compares other diff renderers and diffsan on the same change, one after another: the first changed row, and a scroll through the whole
// diff.
//   node tests/bench/peers/run.mjs [--lines N] [--only NAME] [--window]
// --lines: changed lines, 50,000 by default. --window: a Tauri window instead of Chromium. --debug: the debug builds.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { browserArguments, root, serving } from '../../e2e/support.mjs';
import { Browser } from '../../e2e/webdriver.mjs';
import { bigChange } from '../big.mjs';
import { median } from '../median.mjs';
import { serve } from './serve.mjs';

const { values: asked } = parseArgs({
  options: {
    lines: { type: 'string', default: '50000' },
    only: { type: 'string' },
    window: { type: 'boolean', default: false },
    debug: { type: 'boolean', default: false },
  },
});
/** The maximum time until the first row, and the maximum time of scrolling, in milliseconds. */
const [PATIENCE, SCROLLED] = [120_000, 20_000];
const program = (name) => path.join(root, 'target', asked.debug ? 'debug' : 'release', name);
const data = await mkdtemp(path.join(tmpdir(), 'diffsan-bench-'));
const env = { ...process.env, DIFFSAN_DATA_DIR: data, DIFFSAN_CONFIG_DIR: data };
const big = await bigChange(Math.max(1, Math.round(Number(asked.lines) / 200)));
const patch = execFileSync('git', ['-C', big.folder, 'diff'], { encoding: 'utf8', maxBuffer: 100_000_000 });
const peers = await serve(patch);

/** Opens a separate browser for each renderer, so that they do not affect each other. Returns `run(expression)` and `close()`. */
async function inChromium(address) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: browserArguments });
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(address, { waitUntil: 'commit' });
  return { run: (expression) => page.evaluate(expression), close: () => browser.close() };
}

/** Opens a window: an empty one that navigates to `address`, or diffsan's window for the repository. */
async function inWindow(address) {
  const browser = await Browser.start(env);
  try {
    const window = await browser.open(program(address ? 'empty-window' : 'diffsan-desktop'), address ? [] : [big.folder]);
    await window.manage().window().setRect({ width: 1440, height: 900 });
    if (address) await window.get(address);
    // A page that hangs does not react to quit. Stopping the driver ends it.
    const close = () => Promise.race([window.quit(), pause(5_000, null, { ref: false })]).finally(() => browser.stop());
    return { run: (expression) => window.executeScript(`return ${expression}`), close };
  } catch (error) {
    browser.stop();
    throw error;
  }
}

/** Waits until an expression is true. A busy page may answer late. */
async function until({ run }, expression, bound) {
  for (const end = Date.now() + bound; Date.now() < end; await pause(200)) {
    const answer = run(expression).catch(() => false);
    if (await Promise.race([answer, pause(end - Date.now(), false, { ref: false })])) return true;
  }
  return false;
}

/** Returns the measurements of a renderer as text. */
async function measured(page, box, ready) {
  if (!(await until(page, ready, PATIENCE))) return `not within ${PATIENCE / 1_000} s`;
  const at = (name) => `performance.getEntriesByName('${name}')[0].startTime`;
  const first = `first changed row ${(await page.run(`${at('first-diff')} - ${at('change-there')}`)).toFixed(0)} ms`;
  // Waits until the page has settled, as in desk.mjs.
  await pause(3_000);
  const end = '(seen) => (window.seen_ = seen), (error) => (window.seen_ = { wrong: String(error) })';
  await page.run(`void (${scroll})(${box}, ${SCROLLED}).then(${end})`).catch(() => null);
  if (!(await until(page, '!!window.seen_', PATIENCE))) return `${first}; scroll: not within ${PATIENCE / 1_000} s`;
  const { gaps, part, nodes, wrong } = await page.run('window.seen_');
  if (wrong) return `${first}; scroll: ${wrong}`;
  const slow = gaps.filter((gap) => gap > 17.7).length;
  const cut = part < 1 ? ` (cut off after ${SCROLLED / 1_000} s at ${(part * 100).toFixed(0)} %)` : '';
  return `${first}; scroll: ${gaps.length} frames${cut}, ${((1 - slow / gaps.length) * 100).toFixed(2)} % in time, median ${median(gaps).toFixed(1)} ms, longest ${Math.max(...gaps).toFixed(1)} ms; nodes ${nodes}`;
}

async function report(name, open, box, ready = '') {
  if (asked.only && asked.only !== name) return;
  let page;
  let words;
  try {
    page = await open();
    words = await measured(page, box, `document.documentElement.dataset.diff === 'painted'${ready}`);
  } catch (error) {
    words = `failed: ${error.message.split('\n')[0]}`;
  }
  await page?.close().catch(() => null);
  console.log(`  ${name.padEnd(16)} ${words}`);
}

try {
  console.log(`a change of ${big.lines.toLocaleString('en')} lines, ${asked.window ? 'in the real window' : 'Chromium'}`);
  const own = program(asked.window ? 'diffsan-desktop' : 'diffsan');
  if (existsSync(own)) {
    const server = asked.window ? null : await serving(own, ['serve', '--repo', big.folder], { env });
    const open = () => (server ? inChromium(server.address) : inWindow());
    await report('diffsan', open, `document.querySelector('[data-testid="diff"]')`, ` && !document.querySelector('.pending')`);
    await server?.stop();
  }
  for (const name of peers.names) {
    await report(name, () => (asked.window ? inWindow : inChromium)(peers.address(name)), 'window.scroller');
  }
} finally {
  await peers.stop();
  await rm(data, { recursive: true, force: true });
  await rm(big.folder, { recursive: true, force: true });
}

/** Runs in the page: scrolls like desk.mjs for at most `limit` ms, and counts the nodes of the page. */
async function scroll(box, limit) {
  box.scrollTop = 0;
  await new Promise((resolve) => setTimeout(resolve, 500));
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const length = () => box.scrollHeight - box.clientHeight;
  const step = Math.max(400, length() / 3_000);
  const gaps = [];
  let top = 0;
  let before = await frame();
  for (const end = performance.now() + limit; top < length() && before < end;) {
    box.scrollTop = top += step;
    const now = await frame();
    gaps.push(now - before);
    before = now;
  }
  const count = (place) =>
    [...place.querySelectorAll('*')].reduce((sum, one) => sum + 1 + (one.shadowRoot ? count(one.shadowRoot) : 0), 0);
  return { gaps, part: Math.min(1, top / length()), nodes: count(document) };
}
