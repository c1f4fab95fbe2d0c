// The layout in Debian's Chromium: text sizes and small windows. Nothing is clipped, and everything can be reached.
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { chromium } from 'playwright-core';
import { browserArguments, model, out, place, program, reviewed, serving } from './support.mjs';

const shots = path.join(out, 'layout');

describe('the layout', () => {
  let chrome, talker, home, server, page, errors;

  before(async () => {
    await mkdir(shots, { recursive: true });
    chrome = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: browserArguments });
    talker = await model();
    await talker.say(reviewed);
    home = await place(talker.url);
    home.env.DIFFSAN_AGENT__NAME = 'second';
    server = await serving(program('diffsan'), ['serve', '--sample'], { env: home.env });
    page = await chrome.newPage({ viewport: { width: 1440, height: 900 } });
    page.setDefaultTimeout(Number(process.env.PATIENCE ?? 60_000));
    errors = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(server.address);
    await id('change-picker').filter({ hasText: 'topic/refunds' }).waitFor();
    await id('review-button').click();
    await id('finding-row').first().waitFor();
  });
  after(async () => {
    await chrome?.close();
    await server?.stop();
    await talker?.stop();
    await home?.remove();
    assert.deepEqual(errors, []);
  });
  afterEach(async (test) => {
    if (!test.passed) await shot(`failed ${test.name.slice(0, 40)}`).catch(() => {});
  });

  const id = (name) => page.getByTestId(name);
  const shot = (name) => page.screenshot({ path: path.join(shots, `${name}.png`) });
  const press = async (...keys) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  /** Sets the text size with the keys, in steps of 10 %. */
  const resize = async (percent) => {
    await press('Control+0', ...Array(Math.max(0, (percent - 100) / 10)).fill('Control+='));
    await page.waitForFunction((percent) => getComputedStyle(document.documentElement).fontSize === `${(16 * percent) / 100}px`, percent);
  };
  /** Returns the distances between rows in the diff, the files and the findings, and the heights of their elements. */
  const rowHeights = () =>
    page.evaluate(() => {
      const step = (selector, same) => {
        const tops = [...document.querySelectorAll(selector)].map((one) => one.getBoundingClientRect());
        const at = tops.findIndex((box, index) => tops[index + 1] && same(box, tops[index + 1]));
        return [Math.round(tops[at + 1].top - tops[at].top), Math.round(tops[at].height)];
      };
      const follows = (one, next) => next.top > one.top && next.top - one.top < one.height * 1.3;
      return {
        line: step('.diff [data-testid="diff-line"]', follows),
        file: step('[data-testid="file-row"]', () => true),
        finding: step('[data-testid="finding-row"]', follows),
      };
    });
  const heightsAre = async (line, file, finding) => {
    const expected = JSON.stringify({ line: [line, line], file: [file, file], finding: [finding, finding] });
    let seen;
    for (let until = Date.now() + 5_000; Date.now() < until; await page.evaluate(() => new Promise(requestAnimationFrame))) {
      seen = JSON.stringify(await rowHeights());
      if (seen === expected) return;
    }
    assert.equal(seen, expected);
  };

  it('gives rows the height of the text size that was just set', async () => {
    await heightsAre(20, 28, 48);
    await press('Control+=', 'Control+=');
    await heightsAre(24, 34, 58);
    await press('Control+0');
    await heightsAre(20, 28, 48);
    await press('Control+-');
    await heightsAre(18, 25, 43);
    await press('Control+0');
    await heightsAre(20, 28, 48);
  });

  it('shows all rows of a list that was hidden while its rows changed', async () => {
    const files = id('file-row');
    await page.setViewportSize({ width: 1440, height: 500 });
    const all = await files.count();
    await files.first().hover();
    await page.mouse.wheel(0, 60);
    await page.waitForFunction(() => document.querySelector('[data-testid="file-row"]').closest('.window').scrollTop > 0);
    await press('C');
    await page.setViewportSize({ width: 900, height: 500 });
    await files.first().waitFor({ state: 'hidden' });
    await press('t');
    await page.setViewportSize({ width: 1440, height: 900 });
    await files.nth(5).waitFor();
    await press('t', 'C');
    await page.setViewportSize({ width: 1440, height: 900 });
    assert.ok((await files.count()) >= all);
  });

  it('keeps the toolbar in one row beside the conversation', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await id('chat-toggle').click();
    await id('chat-input').waitFor();
    const { height } = await page.locator('.middle > .tools').boundingBox();
    assert.ok(height < 45, `the toolbar is ${height} px high`);
    await page.getByRole('button', { name: 'Split' }).click();
    await page.locator('[data-testid="view-split"][aria-pressed="true"]').waitFor();
    await page.getByRole('button', { name: 'Unified' }).click();
    await id('chat-toggle').click();
    await id('chat-input').waitFor({ state: 'detached' });
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  /**
   * Returns the controls of a part of the page that cannot be clicked at their centre, or whose text is cut. A control of a scrolled list
   * is scrolled into view first.
   */
  const unreachable = (part) =>
    page.evaluate((part) => {
      const root = document.querySelector(part);
      if (!root) return [`there is no ${part}`];
      const controls = [...root.querySelectorAll('button, input, select, textarea, a[href], [role=option], summary')];
      return controls.flatMap((one) => {
        if (!one.checkVisibility() || one.closest('[inert]')) return [];
        one.scrollIntoView({ block: 'nearest', inline: 'nearest' });
        const { left, right, top, bottom, width, height } = one.getBoundingClientRect();
        const name = `${one.dataset.testid ?? one.ariaLabel ?? ''} "${one.textContent.trim().slice(0, 30)}"`;
        if (width < 8 || height < 8) return [`${name} is ${width} x ${height}`];
        if (left < -1 || right > innerWidth + 1) return [`${name} is beyond the window`];
        const there = document.elementFromPoint((left + right) / 2, Math.min((top + bottom) / 2, innerHeight - 1));
        if (!(one.contains(there) || there?.contains(one) || one.labels?.[0]?.contains(there))) return [`${name} is covered by ${there?.className}`];
        const cut = one.tagName === 'BUTTON' && !one.querySelector('.ellipsis') && one.scrollWidth > one.clientWidth + 2;
        return cut ? [`${name} is cut`] : [];
      });
    }, part);

  const sizes = [
    [900, 600, 100],
    [900, 600, 200],
    [1280, 800, 200],
    [1920, 1080, 200],
  ];
  for (const [width, height, percent] of sizes)
    it(`reaches everything in ${width} x ${height} with text at ${percent} %`, async () => {
      await page.setViewportSize({ width, height });
      await resize(percent);
      const wrong = [];
      const check = async (part, name) => {
        for (const one of await unreachable(part)) wrong.push(`${name}: ${one}`);
        await shot(`${width} ${percent} ${name}`);
      };
      for (const part of ['header.bar', '.tools', 'aside', '[data-testid="status-bar"]']) await check(part, part);
      for (const button of ['repo-picker', 'change-picker']) {
        const words = await id(button).locator('.strong').boundingBox();
        assert.ok(words.width >= 2.5 * 16 * (percent / 100), `the name in ${button} has ${words.width} px`);
      }
      for (const button of ['repo-picker', 'change-picker', 'agent-picker']) {
        await id(button).click();
        await page.locator('.panel input, .panel button').first().waitFor();
        await check('.panel', button);
        await press('Escape');
        await page.locator('.panel').waitFor({ state: 'detached' });
      }
      for (const [key, sheet] of [['?', 'keys'], ['Control+,', 'settings'], ['H', 'history'], ['Control+k', 'palette']]) {
        await press(key);
        await page.locator('dialog[open] button, dialog[open] input').first().waitFor();
        await check('dialog[open]', sheet);
        await press('Escape');
        await page.locator('dialog[open]').waitFor({ state: 'detached' });
      }
      await id('chat-toggle').click();
      await id('chat-input').waitFor();
      await check('.chat', 'conversation');
      await id('chat-toggle').click();
      await id('chat-input').waitFor({ state: 'detached' });
      assert.deepEqual(wrong, []);
    });
});
