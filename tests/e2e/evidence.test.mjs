// Trust in a review: what an agent read, how far runs of the same prompt agree, and the track record of an agent.
import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { chromium } from 'playwright-core';
import { accessible } from './accessible.mjs';
import { answer, browserArguments, hasCount, model, out, place, program, reviewed, serving } from './support.mjs';

const shots = path.join(out, 'evidence');

let chrome, talker;
before(async () => {
  await mkdir(shots, { recursive: true });
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  chrome = await chromium.launch({ executablePath, args: browserArguments });
  talker = await model();
});
after(async () => {
  await chrome?.close();
  await talker?.stop();
});

/** An agent that reports two opened files, but opens only one of them, and finds nothing. */
const script = `#!/bin/sh
cat > /dev/null
echo '{"type":"read","path":"src/refunds.ts"}'
echo '{"type":"read","path":"src/db/orders.ts"}'
cat src/refunds.ts > /dev/null
echo '{"type":"result","answer":"{\\\\"summary_markdown\\\\":\\\\"Fine.\\\\",\\\\"findings\\\\":[]}"}'
`;

describe('trust in a review', () => {
  let home, server, browser, page, errors;

  const id = (name) => page.getByTestId(name);
  const painted = () =>
    page.waitForFunction(() => document.documentElement.dataset.diff === 'painted' && document.querySelector('[data-testid=status-bar]') !== null);
  /** Checks the view, and takes screenshots of it in both themes. */
  const shot = async (name) => {
    await accessible(page, name);
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.waitForFunction((theme) => document.documentElement.dataset.theme === theme, colorScheme);
      await page.screenshot({ path: path.join(shots, `${name}-${colorScheme}.png`), caret: 'hide' });
    }
  };
  const review = async () => {
    await id('review-button').click();
    await id('review-button').waitFor({ state: 'detached' }).catch(() => {});
    await id('review-button').waitFor();
  };

  beforeEach(async () => {
    home = await place(talker.url);
    home.env.DIFFSAN_AGENT__NAME = 'second';
    const agent = path.join(home.folder, 'scripted');
    await writeFile(agent, script);
    await chmod(agent, 0o755);
    const entry = `[agents.scripted]
title = "Scripted"
transport = "oneshot-ndjson"
programs = [${JSON.stringify(agent)}]
reads_files = true
read = [{ when = { type = "result" }, answer = ["answer"], done = true, last = true }]
opens = [{ when = { type = "read" }, path = ["path"] }]
`;
    await mkdir(home.env.DIFFSAN_CONFIG_DIR, { recursive: true });
    await writeFile(path.join(home.env.DIFFSAN_CONFIG_DIR, 'config.toml'), entry);
    server = await serving(program('diffsan'), ['serve'], { env: home.env });
    browser = await chrome.newContext({ viewport: { width: 1440, height: 900 } });
    errors = [];
    page = await browser.newPage();
    page.setDefaultTimeout(30_000);
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(server.address);
    await id('open-sample').click();
    await painted();
    await id('change-picker').click();
    await id('change-option').filter({ hasText: 'topic/refunds' }).first().click();
    await id('change-picker').filter({ hasText: 'topic/refunds' }).waitFor();
    await painted();
  });
  afterEach(async (test) => {
    if (test.error || !test.passed) await page.screenshot({ path: path.join(shots, `failed ${test.name}.png`) }).catch(() => {});
    await browser.close();
    await server.stop();
    await home.remove();
    assert.deepEqual(errors, [], 'the page reported no errors');
  });

  it('shows what an agent opened, and not what it only claims', async () => {
    await page.keyboard.press('m');
    await page.locator('[data-agent="scripted"] input[type=radio]').check();
    await page.keyboard.press('Escape');
    await review();
    const pane = page.getByText('Scripted reported no findings.');
    await pane.waitFor();
    const words = await pane.innerText();
    assert.match(words, /Scripted opened 1 file: src\/refunds\.ts; it reported 1 further file that it did not open: src\/db\/orders\.ts/);
    assert.match(words, /hunks of \d+ files delivered in 1 prompt/);
    await hasCount(id('opened').filter({ hasText: 'opened by Scripted' }), 1, 'only the opened file is marked');
    await shot('no-findings');
    await page.locator('[data-testid=file-row][data-path="src/refunds.ts"]').click();
    await id('opened').waitFor();
    await shot('opened');
    await page.keyboard.press('i');
    await page.getByText('Evidence of reading', { exact: true }).waitFor();
    await shot('summary');
  });

  it('counts the runs of the same prompt', async () => {
    await talker.say(reviewed, { ...reviewed, text: JSON.stringify({ ...answer, findings: answer.findings.slice(2) }) }, reviewed);
    await page.keyboard.press('m');
    await id('runs').fill('3');
    await id('runs').press('Tab');
    await page.getByText('The prompt is sent 3 times, at 3 times the cost.').waitFor();
    await shot('runs');
    await page.keyboard.press('Escape');
    const sent = (await talker.requests()).length;
    await review();
    await hasCount(id('finding-row'), answer.findings.length, 'each finding once');
    assert.equal((await talker.requests()).length - sent, 3);
    await id('finding-row').first().click();
    await id('runs').first().waitFor();
    assert.equal(await id('runs').first().innerText(), '2 of 3 runs');
    await shot('card');
    await page.keyboard.press('i');
    await page.getByText(`4 of ${answer.findings.length} findings in every run, pairwise agreement 78%`).first().waitFor();
    await shot('stability');
  });

  it('shows the track record of an agent from ten decisions on', async () => {
    const finding = (line) => ({ ...answer.findings[1], line_start: line, line_end: line, quote: null, suggested_patch: null, title: `\`value_${line}\` at ${line}`, body_markdown: `See \`value_${line}\`.` });
    const findings = Array.from({ length: 10 }, (_, index) => finding(20 + index));
    await talker.say({ ...reviewed, text: JSON.stringify({ ...answer, findings }) });
    await review();
    await hasCount(id('finding-row'), 10, 'ten findings');
    await id('finding-row').first().click();
    for (let at = 0; at < 9; at++) {
      await page.keyboard.press('a');
      await hasCount(page.locator('[data-testid="finding-row"][data-decision="accepted"]'), at + 1, 'decided');
    }
    const record = page.locator('[data-agent="second"]').getByTestId('record');
    await page.keyboard.press('m');
    await id('runs').waitFor();
    assert.equal(await record.count(), 0, 'nine decisions say too little');
    await page.keyboard.press('Escape');
    await page.keyboard.press('x');
    await hasCount(page.locator('[data-testid="finding-row"][data-decision="dismissed"]'), 1, 'decided');
    await page.keyboard.press('m');
    await record.waitFor();
    assert.equal(await record.innerText(), '60–98% accepted (10 decisions)');
    await shot('record');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+,');
    await page.locator('[data-page="agents"]').click();
    await page.getByText('Track record of Second').click();
    await id('record-table').waitFor();
    await id('record-table').scrollIntoViewIfNeeded();
    await shot('settings');
  });
});
