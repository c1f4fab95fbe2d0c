// A day with the inbox, without the mouse: open it, first item, read, review, triage, post, next, until nothing waits. In Debian's
// Chromium against `diffsan serve` and a fake GitLab.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { chromium } from 'playwright-core';
import { browserArguments, decisionsSaved, fakeGitlab, hasCount, out, place, program, serving } from './support.mjs';

const shots = path.join(out, 'inbox');
/** A script whose new version sends data to a server, which the capability reviewer reports. */
const script = (sends) =>
  ['import requests', '', '', 'def run(order):', '    total = sum(order)', ...(sends ? [`    requests.post("https://example.com/${sends}", json=total)`] : []), '    return total', ''].join('\n');

describe('the inbox in a browser', () => {
  let chrome, home, server, page, gitlab, errors;

  before(async () => {
    await mkdir(shots, { recursive: true });
    chrome = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: browserArguments });
    home = await place('http://127.0.0.1:9');
    const origin = path.join(home.folder, 'origin');
    const git = (...args) =>
      execFileSync('git', ['-C', origin, '-c', 'user.name=Author', '-c', 'user.email=author@example.com', ...args]);
    await mkdir(origin, { recursive: true });
    git('init', '-q', '-b', 'main');
    await writeFile(path.join(origin, 'orders.py'), script(''));
    git('add', '-A');
    git('commit', '-q', '-m', 'base');
    for (const name of ['refunds', 'totals']) {
      git('checkout', '-q', '-b', name, 'main');
      await writeFile(path.join(origin, 'orders.py'), script(name));
      git('commit', '-q', '-am', `Send ${name}`);
    }
    git('checkout', '-q', 'main');
    gitlab = await fakeGitlab(origin, 'refunds', 'main');
    await gitlab.ask({ do: 'request', iid: 8, source: 'totals', target: 'main', title: 'Send totals to the ledger', pipeline: 'success', label: 'backend' });
    const env = {
      ...home.env,
      DIFFSAN_AGENT__NAME: 'capability',
      DIFFSAN_GITLAB_TOKEN: 'glpat-reviewer-000000000',
      DIFFSAN_GITLAB__BASE_URL: gitlab.url,
      DIFFSAN_GITLAB__RETRY_PAUSE_MS: '10',
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere',
    };
    server = await serving(program('diffsan'), ['serve'], { env, cwd: home.folder });
    page = await chrome.newPage({ viewport: { width: 1440, height: 900 } });
    page.setDefaultTimeout(Number(process.env.PATIENCE ?? 60_000));
    errors = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(server.address);
  });
  after(async () => {
    await page?.screenshot({ path: path.join(shots, 'last.png') }).catch(() => {});
    await chrome?.close();
    await server?.stop();
    await gitlab?.stop();
    await home?.remove();
    assert.deepEqual(errors, []);
  });
  afterEach(async (test) => {
    if (!test.passed) await page.screenshot({ path: path.join(shots, `failed ${test.name.slice(0, 40)}.png`) }).catch(() => {});
  });

  const id = (name) => page.getByTestId(name);
  const key = (name) => page.keyboard.press(name);
  /** Takes a screenshot in light and in dark. */
  const shotBoth = async (name) => {
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: path.join(shots, `${name} ${colorScheme}.png`) });
    }
    await page.emulateMedia({ colorScheme: 'light' });
  };
  const turn = () => page.locator('[data-testid="inbox-row"][data-group="your_turn"]');
  const reasons = () => id('inbox-reason').allInnerTexts();

  it('opens when no repository is named, with the first item selected', async () => {
    await hasCount(turn(), 2);
    assert.ok((await reasons()).every((text) => text.startsWith('review requested')), String(await reasons()));
    await page.waitForFunction(() => document.title.startsWith('(2) '));
    await page.locator('[data-testid="inbox-row"]:focus').waitFor();
    await shotBoth('inbox');
  });

  it('marks, snoozes, mutes and filters by key, and undoes all of it', async () => {
    await key('e');
    await hasCount(turn(), 1);
    await key('u');
    await hasCount(turn(), 2);
    await key('s');
    await id('snooze-dialog').waitFor();
    await shotBoth('snooze');
    await key('Enter');
    await hasCount(turn(), 1);
    await key('m');
    await hasCount(turn(), 0);
    await page.waitForFunction(() => !document.title.startsWith('('));
    await key('u');
    await key('u');
    await hasCount(turn(), 2);
    await key('/');
    await page.keyboard.type('label:backend totals');
    await hasCount(id('inbox-row'), 1);
    await key('Escape');
    await hasCount(turn(), 2);
    await key('ArrowDown');
  });

  it('saves a filter under a name and applies it by its key', async () => {
    await key('/');
    await page.keyboard.type('label:backend');
    await key('Enter');
    await hasCount(id('inbox-row'), 1);
    await key('w');
    await id('filter-dialog').waitFor();
    await page.keyboard.type('Backend');
    await key('Enter');
    await id('saved-filter').getByText('Backend').waitFor();
    await id('filter-dialog').waitFor({ state: 'detached' });
    await key('1');
    await hasCount(turn(), 2);
    await key('1');
    await hasCount(id('inbox-row'), 1);
    await page.reload();
    await id('saved-filter').waitFor();
    await hasCount(turn(), 2);
  });

  it('reviews a row in the background, by key, and shows its findings in the row', async () => {
    await page.locator('[data-testid="inbox-row"]:focus').waitFor();
    await key('ArrowDown');
    await key('b');
    await id('queue').waitFor();
    await hasCount(id('inbox-queued'), 1);
    await key('B');
    await hasCount(page.locator('[data-testid="queue-item"][data-state="waiting"]'), 2);
    // The first row is left for the reader.
    await key('ArrowUp');
    await key('b');
    await hasCount(page.locator('[data-testid="queue-item"]'), 1);
    await shotBoth('queue');
    await key('S');
    await page.locator('[data-testid="queue-item"][data-state="done"]').waitFor();
    await id('inbox-review').getByText(/^reviewed: 1 /).waitFor();
    await shotBoth('queue done');
    await key('S');
    await id('queue-state').getByText(/^Off/).waitFor();
    await key('Q');
    await id('queue').waitFor({ state: 'detached' });
  });

  it('is worked off without the mouse until nothing waits', async () => {
    await page.locator('[data-testid="inbox-row"]:focus').waitFor();
    for (const last of [false, true]) {
      if (!last) await key('Enter');
      await id('inbox').waitFor({ state: 'detached' });
      await id('change-picker').getByText(last ? '!7' : '!8').waitFor();
      await page.getByText('requests.post').first().waitFor();
      // The queue has reviewed the second one.
      if (!last) await key('r');
      await page.locator('[data-testid="finding-row"]').first().waitFor();
      await key('j');
      await key('a');
      await decisionsSaved(page);
      await key('P');
      await id('post-all').waitFor();
      await page.waitForFunction(() => {
        const button = document.querySelector('[data-testid="post-all"]');
        return button !== null && !button.disabled && button.ariaDisabled === null;
      });
      await key('Control+Enter');
      await id('post-next').waitFor();
      if (!last) await shotBoth('posted');
      await key('G');
    }
    await id('inbox').waitFor();
    await hasCount(turn(), 0);
    await page.waitForFunction(() => !document.title.startsWith('('));
    assert.ok((await id('inbox-review').allInnerTexts()).every((text) => text.startsWith('reviewed')));
    await shotBoth('empty');
    const { threads } = await gitlab.ask({ do: 'look' });
    assert.ok(threads.length >= 1, 'the review was posted');
  });

  it('is there from the cache when the server is gone, and says how old it is', async () => {
    await gitlab.stop();
    await page.reload();
    await id('inbox').waitFor();
    await id('inbox-problem').waitFor();
    assert.match(await id('inbox-problem').innerText(), /as of/);
    assert.ok((await id('inbox-row').count()) >= 2);
    await shotBoth('offline');
  });
});
