// Running reviews belong to the core: pages of one server show the same reviews, progress, ends and decisions. Failed reviews and failed
// openings keep their place.
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { chromium } from 'playwright-core';
import { answer, browserArguments, hasCount, model, out, place, program, reviewed, serving } from './support.mjs';

const shots = path.join(out, 'runs');

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

describe('running reviews', () => {
  let home, server, browser, page, errors;

  const id = (name, on = page) => on.getByTestId(name);
  const shot = (name, on = page) => on.screenshot({ path: path.join(shots, `${name}.png`) });
  const painted = (on = page) =>
    on.waitForFunction(() => document.documentElement.dataset.diff === 'painted' && document.querySelector('[data-testid=status-bar]') !== null);
  /** Opens another tab of the same browser. */
  const newPage = async (address) => {
    const tab = await browser.newPage();
    tab.setDefaultTimeout(60_000);
    tab.on('pageerror', (error) => errors.push(error.message));
    await tab.goto(address);
    return tab;
  };
  const open = async (title, on = page) => {
    await id('change-picker', on).click();
    await id('change-option', on).filter({ hasText: title }).first().click();
    await id('change-picker', on).filter({ hasText: title }).waitFor();
    await painted(on);
  };
  const asked = async (count) => {
    while ((await talker.requests()).length < count) await page.waitForTimeout(20);
  };
  const text = (words, on = page) => on.getByText(words).first();

  beforeEach(async () => {
    home = await place(talker.url);
    home.env.DIFFSAN_AGENT__NAME = 'second';
    await talker.say(reviewed);
    server = await serving(program('diffsan'), ['serve'], { env: home.env });
    browser = await chrome.newContext({ viewport: { width: 1440, height: 900 } });
    errors = [];
    page = await newPage(server.address);
    await id('open-sample').click();
    await painted();
    await open('topic/refunds');
  });
  afterEach(async (test) => {
    if (test.error || !test.passed) await shot(`failed ${test.name}`).catch(() => {});
    await browser.close();
    await server.stop();
    await home.remove();
    assert.deepEqual(errors, [], 'the pages reported no errors');
  });

  it('are shown after a reload and in a second tab, which can cancel them', async () => {
    await talker.say({ delay: 120, text: 'never' });
    const before = (await talker.requests()).length;
    await id('review-button').click();
    await id('run-progress').waitFor();
    await asked(before + 1);
    await page.reload();
    await id('run-progress').waitFor();
    await id('cancel-button').waitFor();
    await page.getByRole('list', { name: 'Progress' }).getByText('is reviewing').waitFor();
    await shot('1 after a reload');

    const other = await newPage(new URL('/', server.address).href);
    await id('run-progress', other).waitFor();
    await painted(other);
    // Another request shows the running review.
    await other.keyboard.press('r');
    await other.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Review in progress');
    await shot('2 second tab', other);
    await id('cancel-button', other).click();
    for (const one of [page, other]) {
      await id('review-button', one).waitFor();
      await text('The review was cancelled', one).waitFor();
    }
    assert.equal((await talker.requests()).length, before + 1, 'no second review was started');
    await shot('3 cancelled');
    // The message belongs to its change, and does not return.
    await open('All local changes');
    await text('The review was cancelled').waitFor({ state: 'detached' });
    await open('topic/refunds');
    assert.equal(await text('The review was cancelled').count(), 0);

    // The other tab shows the review and the decisions without a reload.
    await talker.say(reviewed);
    await id('review-button').click();
    for (const one of [page, other]) {
      await id('finding-row', one).first().waitFor();
      await hasCount(id('finding-row', one), answer.findings.length);
    }
    await page.keyboard.press('j');
    await page.keyboard.press('a');
    const accepted = '[data-testid="finding-row"][data-decision="accepted"]';
    await other.locator(accepted).waitFor();
    await shot('4 decided in the other tab', other);
    await page.keyboard.press('u');
    await other.locator(accepted).waitFor({ state: 'detached' });
  });

  it('of another change are shown with a way to it', async () => {
    await talker.say({ delay: 120, text: 'never' });
    await id('review-button').click();
    await id('run-progress').waitFor();
    await open('All local changes');
    await id('other-run').filter({ hasText: 'topic/refunds' }).waitFor();
    assert.equal(await id('run-progress').count(), 0);
    await shot('5 of another change');
    await id('other-run-open').click();
    await id('run-progress').waitFor();
    assert.equal(await id('other-run').count(), 0);
    await open('All local changes');
    await id('other-run-cancel').click();
    await id('other-run').waitFor({ state: 'detached' });
  });

  it('keep every finding that can be read, and show the rest', async () => {
    const [first, second, third] = answer.findings;
    const findings = [first, { ...second, severity: 'blocker' }, { ...third, category: 'error-handling' }];
    const text = `Here is my review.\n\n${JSON.stringify({ ...answer, findings }, null, 2)}`;
    await talker.say({ text, usage: { input: 10, output: 10 } });
    await id('review-button').click();
    await id('unreadable-bar').filter({ hasText: '1 finding' }).waitFor();
    await hasCount(id('finding-row'), 2);
    await shot('7 unreadable finding');
    await id('unreadable-raw').click();
    await id('raw-answer').last().filter({ hasText: 'blocker' }).waitFor();
    await shot('8 raw answer');
    await page.keyboard.press('Escape');
    await page.keyboard.press('i');
    await id('unreadable').getByText('expected one of info, low').click();
    await shot('9 unreadable in the summary');
    await id('unreadable').locator('pre').filter({ hasText: '"blocker"' }).waitFor();
  });

  it('show an answer in prose with the error', async () => {
    await talker.say({ text: 'The change looks good to me.', usage: { input: 10, output: 10 } });
    await id('review-button').click();
    await id('error').waitFor();
    await shot('10 prose');
    await id('raw-answer-open').click();
    await id('raw-answer').last().filter({ hasText: 'The change looks good to me.' }).waitFor();
  });

  it('are gone after a restart of the server, and the old page says what to do', async () => {
    const { port, origin } = new URL(server.address);
    const bar = (link) => page.locator(`[data-testid="connection"][data-link="${link}"]`);
    await server.stop();
    await bar('unreachable').filter({ hasText: 'open the address that it prints' }).waitFor();
    await shot('11 server stopped');
    server = await serving(program('diffsan'), ['serve', '--port', port], { env: home.env });
    await bar('refused').filter({ hasText: 'Open the newest address from the terminal' }).waitFor();
    await shot('12 server restarted');
    await bar('refused').getByRole('button', { name: 'Reload page' }).click();
    await page.getByRole('heading', { name: 'This browser is not signed in to diffsan' }).waitFor();
    await shot('13 not signed in');
    assert.equal(new URL(server.address).origin, origin);
    await page.goto(server.address);
    await id('repo-picker').waitFor();
  });

  it('keep the open change when another one cannot be opened', async () => {
    const kept = async (on) => {
      await id('error').filter({ hasText: on }).waitFor();
      await id('change-picker').filter({ hasText: 'topic/refunds' }).waitFor();
      await id('repo-picker').filter({ hasNotText: 'No repository' }).waitFor();
      assert.ok((await id('diff-line').count()) > 5, 'the change stays beneath the error');
    };
    // A range without commits, a folder without a repository, and a patch without a file.
    await id('change-picker').click();
    await page.keyboard.type('nowhere..HEAD');
    await page.keyboard.press('Enter');
    await kept('nowhere');
    await shot('14 range not opened');
    await id('repo-picker').click();
    await page.keyboard.type('/nowhere/repository');
    await page.keyboard.press('Enter');
    await id('error').filter({ hasText: 'The repository could not be opened' }).waitFor();
    await page.keyboard.press('Escape');
    await kept('nowhere');
    await id('change-picker').click();
    await page.keyboard.type('/nowhere/at/all.patch');
    await page.keyboard.press('Enter');
    await kept('all.patch');
    await shot('15 patch not opened');
    await page.keyboard.press('r');
    await id('finding-row').first().waitFor();
  });

  it('leave their error with their change when they fail', async () => {
    await talker.say({ status: 401, error: 'Incorrect API key provided' });
    await id('review-button').click();
    await id('error').waitFor();
    await open('All local changes');
    await id('error').waitFor({ state: 'detached' });
    await page.reload();
    await painted();
    assert.equal(await id('error').count(), 0);
    await open('topic/refunds');
    await id('error').waitFor();
    await shot('6 failed');
    const other = await newPage(new URL('/', server.address).href);
    await open('topic/refunds', other);
    await id('error', other).waitFor();
    await id('error', other).getByRole('button', { name: 'Close' }).click();
    await id('error').waitFor({ state: 'detached' });
  });
});
