// Every view and state with axe-core, in light and dark; keyboard only; large text; reduced motion.
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { chromium } from 'playwright-core';
import { accessible, walk } from './accessible.mjs';
import { model, out, place, program, reviewed, serving } from './support.mjs';

const shots = path.join(out, 'accessibility');
const quiet = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

describe('the desk for everybody', () => {
  let chrome, talker, home, server, page;
  const id = (name) => page.getByTestId(name);
  const painted = () => page.waitForFunction(() => document.documentElement.dataset.diff === 'painted' && document.querySelector('[data-testid=status-bar]') !== null);
  const shot = (name) => page.screenshot({ path: path.join(shots, `${name}.png`) });

  before(async () => {
    await mkdir(shots, { recursive: true });
    chrome = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: quiet });
    talker = await model();
    home = await place(talker.url);
    home.env.DIFFSAN_AGENT__NAME = 'second';
    server = await serving(program('diffsan'), ['serve'], { env: home.env });
    page = await chrome.newPage({ viewport: { width: 1440, height: 900 } });
    page.setDefaultTimeout(60_000);
    await page.goto(server.address);
  });
  after(async () => {
    await chrome?.close();
    await server?.stop();
    await talker?.stop();
    await home?.remove();
  });
  afterEach(async (test) => {
    if (!test.passed) await shot(`failed ${test.name.slice(0, 50)}`).catch(() => {});
    await page.keyboard.press('Escape');
  });

  it('the first page', async () => {
    await id('open-sample').waitFor();
    await accessible(page, 'welcome');
    const stops = await walk(page);
    assert.ok(stops.some((stop) => /sample/i.test(stop.name)), JSON.stringify(stops));
    await page.getByLabel('Path of a repository').fill('/nowhere');
    await page.keyboard.press('Enter');
    await page.getByText('The repository could not be opened').waitFor();
    await accessible(page, 'an error');
  });

  it('a change, and what is picked', async () => {
    await id('open-sample').click();
    await painted();
    await accessible(page, 'a change');
    for (const key of ['o', 'O', 'm', '?']) {
      await page.keyboard.press(key);
      await page.getByRole('dialog').waitFor();
      await accessible(page, `what ${key} opens`);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await page.keyboard.press('Control+k');
    await id('palette').waitFor();
    await accessible(page, 'the palette');
    await page.keyboard.type('about');
    await page.keyboard.press('Enter');
    await id('about').getByText('serde').first().waitFor();
    await accessible(page, 'about');
    await shot('about');
  });

  it('the prompt', async () => {
    await page.keyboard.press('p');
    await id('prompt-text').waitFor();
    await accessible(page, 'the prompt');
    await page.keyboard.press('p');
    await painted();
  });

  it('a review: findings, cards, the summary, unified and split', async () => {
    await id('change-picker').click();
    await id('change-option').filter({ hasText: 'topic/refunds' }).first().click();
    await id('change-picker').filter({ hasText: 'topic/refunds' }).waitFor();
    await painted();
    await talker.say({ ...reviewed, chunk: 200, chunk_delay: 0.3 });
    await id('review-button').click();
    await page.getByRole('button', { name: /cancel/i }).first().waitFor();
    await accessible(page, 'a review that runs');
    await id('finding-row').first().waitFor();
    await accessible(page, 'a review');
    await page.keyboard.press('j');
    await id('finding-card').first().waitFor();
    await accessible(page, 'a finding');
    await page.keyboard.press('a');
    await page.keyboard.press('j');
    await page.keyboard.press('X');
    await accessible(page, 'a dismissal');
    await page.keyboard.press('Escape');
    await page.keyboard.press('v');
    await painted();
    await accessible(page, 'split');
    await shot('split');
    await page.keyboard.press('v');
    await page.keyboard.press('i');
    await id('summary').waitFor();
    await accessible(page, 'the summary');
    await page.keyboard.press('i');
  });

  it('the conversation, and its sheets', async () => {
    await talker.say({ text: 'Yes: **any quote**.\n\n```ts\nconst id = 1;\n```\n\n- [a](https://example.com)\n\n| a | b |\n|---|---|\n| 1 | 2 |\n', usage: { input: 1, output: 1 } });
    await page.keyboard.press('j');
    await page.keyboard.press('c');
    await id('chat-input').fill('Can it be used?');
    await id('chat-input').press('Enter');
    await page.locator('[data-testid="chat-message"][data-role="assistant"][data-state="done"]').waitFor();
    await accessible(page, 'the conversation');
    await shot('conversation');
    await id('snippets-button').click();
    await id('snippet-drawer').waitFor();
    await accessible(page, 'the snippets');
    await page.keyboard.press('Escape');
    await page.locator('.prose a').first().click();
    await id('link-dialog').waitFor();
    await accessible(page, 'a link');
    await page.keyboard.press('Escape');
    for (const words of ['edit snippets', 'edit prompt']) {
      await page.keyboard.press('Control+k');
      await page.keyboard.type(words);
      await page.keyboard.press('Enter');
      await id('palette').waitFor({ state: 'detached' });
      await page.getByRole('dialog').waitFor();
      await accessible(page, words);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  });

  it('everything is reached with Tab, and a dialog holds the focus and gives it back', async () => {
    await page.reload();
    await painted();
    const stops = await walk(page, 250);
    const names = stops.map((stop) => stop.name).join(' | ');
    for (const wanted of [/Review/, /Unified/, /refunds/i]) assert.match(names, wanted);
    const button = id('change-picker');
    await button.focus();
    await page.keyboard.press('Control+k');
    await id('palette').waitFor();
    for (let step = 0; step < 6; step++) {
      await page.keyboard.press(step % 2 ? 'Shift+Tab' : 'Tab');
      const inside = await page.evaluate(() => !document.activeElement || document.activeElement === document.body || document.activeElement.closest('dialog') !== null);
      assert.ok(inside, 'the focus stays in the dialog');
    }
    await page.keyboard.press('Escape');
    await id('palette').waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.activeElement?.dataset.testid === 'change-picker', null, { timeout: 5_000 });
  });

  it('text of twice the size is all there, and nothing moves for who does not want it', async () => {
    for (let step = 0; step < 10; step++) await page.keyboard.press('Control+=');
    const scale = await page.evaluate(() => parseFloat(getComputedStyle(document.documentElement).fontSize) / 16);
    assert.ok(scale >= 2, `text grows to ${scale}`);
    await shot('large');
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll('button, h1:not(.sr-only), h2:not(.sr-only), [data-testid="status-bar"]')]
        .filter((node) => node.getClientRects().length && node.scrollHeight > node.clientHeight + 6 && getComputedStyle(node).overflowY === 'hidden')
        .map((node) => node.outerHTML.slice(0, 160)),
    );
    assert.deepEqual(cut, []);
    const off = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth + 1);
    assert.equal(off, false, 'nothing lies beside the window');
    await accessible(page, 'large text');
    await page.keyboard.press('Control+0');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const moving = await page.evaluate(() => document.getAnimations().filter((one) => one.effect?.getTiming().duration > 1).length);
    assert.equal(moving, 0);
  });

  it('a narrow window', async () => {
    await page.setViewportSize({ width: 800, height: 520 });
    await accessible(page, 'a narrow window');
    await shot('narrow');
  });
});
