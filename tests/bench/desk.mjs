// The desk in Chromium with a change of 50,000 lines: first row, a scroll through the whole diff, and a filter over 5,000 findings.
//   node tests/bench/desk.mjs [ROUNDS]; --debug takes the debug build.
import { rm } from 'node:fs/promises';
import { chromium } from 'playwright-core';
import { browserArguments, model, place, root, serving } from '../e2e/support.mjs';
import { bigChange, manyFindings } from './big.mjs';
import { median } from './median.mjs';
import { row } from './row.mjs';
import path from 'node:path';

const rounds = Number(process.argv.slice(2).find((word) => /^\d+$/.test(word)) ?? 5);
const build = process.argv.includes('--debug') ? 'debug' : 'release';
const big = await bigChange();
const talker = await model();
const home = await place(talker.url);
const chrome = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: browserArguments });
const server = await serving(path.join(root, 'target', build, 'diffsan'), ['serve', '--repo', big.folder], { env: home.env });
const page = await chrome.newPage({ viewport: { width: 1440, height: 900 } });
page.setDefaultTimeout(180_000);
const lines = `${big.lines.toLocaleString('en')} lines`;
const report = (name, values, goal) => {
  row({ what: `desk, ${name}`, size: lines, ours: median(values), unit: 'ms', goal });
  console.log(`  ${name}: median ${median(values).toFixed(1)} ms, worst ${Math.max(...values).toFixed(1)}`);
};

try {
  await page.goto(server.address);
  const first = [];
  for (let round = 0; round < rounds; round++) {
    if (round > 0) await page.reload();
    await page.waitForFunction(() => document.documentElement.dataset.diff === 'painted');
    first.push(
      await page.evaluate(() => {
        const at = (name) => performance.getEntriesByName(name)[0].startTime;
        return at('first-diff') - at('change-there');
      }),
    );
  }
  console.log(`a change of ${big.lines.toLocaleString('en')} lines, Chromium, ${rounds} rounds`);
  report('from the change being there to its first painted row', first);
  await page.waitForFunction(() => !document.querySelector('.pending'), undefined, { timeout: 60_000 });

  for (const mode of ['unified', 'split']) {
    if (mode === 'split') await page.keyboard.press('v');
    // Waits for the prepared diff, the coverage and the colours.
    await page.waitForTimeout(3_000);
    const frames = await page.evaluate(scroll);
    const slow = frames.gaps.filter((gap) => gap > 16.7 + 1).length;
    const inTime = (1 - slow / frames.gaps.length) * 100;
    row({ what: `desk, frames in time, ${mode}`, size: lines, ours: inTime, unit: '%', higher: true });
    row({ what: `desk, nodes of the page, ${mode}`, size: lines, ours: frames.nodes, unit: 'nodes', goal: 5_000 });
    console.log(
      `  scroll through the whole length, ${mode}: ${frames.gaps.length} frames, ${inTime.toFixed(2)} % in time, longest ${Math.max(...frames.gaps).toFixed(1)} ms, blank ${frames.blank}; script per frame: median ${median(frames.work).toFixed(1)} ms, 99 % ${quantile(frames.work, 0.99).toFixed(1)}, longest ${Math.max(...frames.work).toFixed(1)}; nodes ${frames.nodes}`,
    );
  }
  await page.keyboard.press('v');

  // Sends large pieces, because the scripted model pauses after each.
  await talker.say({ text: JSON.stringify(manyFindings()), chunk: 2_000, usage: { input: 1, output: 1 } });
  await page.getByTestId('review-button').click();
  // The change exceeds the limits of one prompt.
  await page.getByTestId('budget-truncate').click();
  await page.getByTestId('budget-review').click();
  await page.getByTestId('finding-row').first().waitFor();
  await page.waitForTimeout(3_000);
  const count = await page.locator('.pane header .num').first().innerText();
  console.log(`  findings: ${count}`);
  for (let round = 0; round < 2; round++) {
    const keys = await page.evaluate(type, 'value41 twice high');
    // The first round fills caches for later rounds.
    report(`a key in the filter to the list being drawn, ${round === 0 ? 'first' : 'second'} time`, keys, 50);
  }
} finally {
  await chrome.close();
  await server.stop();
  await talker.stop();
  await home.remove();
  await rm(big.folder, { recursive: true, force: true });
}

function quantile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

/** Runs in the page: scrolls like a mouse wheel, 400 px per frame or more, and checks every frame. */
async function scroll() {
  const box = document.querySelector('[data-testid="diff"]');
  box.scrollTop = 0;
  await new Promise((resolve) => setTimeout(resolve, 500));
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const gaps = [];
  const work = [];
  let blank = 0;
  let before = await frame();
  const step = Math.max(400, (box.scrollHeight - box.clientHeight) / 3_000);
  for (let top = 0; top < box.scrollHeight - box.clientHeight; ) {
    const began = performance.now();
    top += step;
    box.scrollTop = top;
    const now = await frame();
    gaps.push(now - before);
    before = now;
    // The work of the frame: the scroll event, the new rows, their layout.
    const drawn = box.querySelector('.drawn').getBoundingClientRect();
    const seen = box.getBoundingClientRect();
    if (drawn.top > seen.top + 1 || drawn.bottom < seen.bottom - 1) blank += 1;
    work.push(performance.now() - Math.max(began, now));
  }
  return { gaps, work, blank, nodes: box.querySelectorAll('*').length };
}

/** Runs in the page: types into the filter, and waits each time until the list is drawn. */
async function type(text) {
  const box = document.querySelector('input[placeholder="Filter findings"]');
  box.focus();
  box.value = '';
  box.dispatchEvent(new Event('input', { bubbles: true }));
  await new Promise((resolve) => setTimeout(resolve, 300));
  const times = [];
  for (const char of text) {
    const began = performance.now();
    box.value += char;
    box.dispatchEvent(new Event('input', { bubbles: true }));
    await Promise.resolve();
    await new Promise((resolve) => queueMicrotask(resolve));
    // Forces the layout of the changed parts.
    box.closest('section').getBoundingClientRect();
    document.querySelector('[aria-label="Findings"][role="listbox"]')?.scrollHeight;
    times.push(performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  return times;
}
