// Reading a change in Debian's Chromium: the limits of a prompt, the file list, the overview, the options of the diff.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { chromium } from 'playwright-core';
import { browserArguments, model, out, place, program, reviewed, serving } from './support.mjs';

const shots = path.join(out, 'reading');
let chrome, talker;
before(async () => {
  await mkdir(shots, { recursive: true });
  chrome = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: browserArguments });
  talker = await model();
});
after(async () => {
  await chrome?.close();
  await talker?.stop();
});

describe('reading a change', () => {
  let home, server, page, errors, context;

  const start = async (...args) => {
    server = await serving(program('diffsan'), ['serve', ...args], { env: home.env });
    context = await chrome.newContext({ viewport: { width: 1280, height: 800 }, permissions: ['clipboard-read', 'clipboard-write'] });
    page = await context.newPage();
    page.setDefaultTimeout(60_000);
    errors = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (line) => line.type() === 'error' && errors.push(line.text()));
    await page.goto(server.address);
    await page.waitForFunction(() => document.documentElement.dataset.diff === 'painted' && document.querySelector('[data-testid=status-bar]') !== null);
  };
  beforeEach(async () => {
    home = await place(talker.url);
    await talker.say(reviewed);
    sentBefore = (await allPrompts()).length;
  });
  afterEach(async (test) => {
    if (test.error || !test.passed) await page?.screenshot({ path: path.join(shots, `failed ${test.name}.png`) }).catch(() => {});
    await context?.close();
    await server?.stop();
    await home.remove();
    assert.deepEqual(errors, [], 'the page reported no errors');
  });

  const id = (name) => page.getByTestId(name);
  const press = async (...keys) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  /** Takes pictures at three widths, light and dark. */
  const looks = async (name) => {
    for (const width of [900, 1280, 1920]) {
      await page.setViewportSize({ width, height: width === 900 ? 600 : 900 });
      for (const colorScheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: path.join(shots, `${name}-${width}-${colorScheme}.png`) });
      }
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 800 });
  };
  const git = (folder, ...args) =>
    execFileSync('git', ['-c', 'user.name=Ada Lovelace', '-c', 'user.email=ada@example.com', '-C', folder, ...args], { encoding: 'utf8' });
  /** Creates a repository with a commit of these files. */
  const repository = async (files) => {
    const folder = path.join(home.folder, 'repo');
    await mkdir(folder);
    git(folder, 'init', '-q', '-b', 'main');
    await add(folder, files);
    git(folder, 'commit', '-q', '--allow-empty', '-m', 'Start');
    return folder;
  };
  const add = async (folder, files) => {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
      await writeFile(path.join(folder, name), text);
    }
    git(folder, 'add', '-A');
  };
  const lines = (count, prefix = 'line') => Array.from({ length: count }, (_, at) => `${prefix} ${at + 1}\n`).join('');
  /** A staged change with 90 files, of which 60 fit the default limits. */
  const large = async () => {
    const folder = await repository({});
    const files = Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`src/part${at % 7}/module${at + 1}.ts`, lines(20)]));
    await add(folder, files);
    return folder;
  };
  /** The prompts that the model got during this test. */
  let sentBefore = 0;
  const allPrompts = async () => (await talker.requests()).filter((request) => JSON.stringify(request).includes('diff --git'));
  const prompts = async () => (await allPrompts()).slice(sentBefore);

  it('asks before a review that the limits would cut, and splits it', async () => {
    await start('--repo', await large());
    await id('over-budget').filter({ hasText: '66% fits' }).waitFor();
    await press('r');
    await id('budget').waitFor();
    assert.match(await id('budget-split').innerText(), /Split into 2 prompts\s+2 requests, \S+ tokens/);
    assert.match(await id('budget-truncate').innerText(), /66% of changed lines. 600 lines aren’t reviewed/);
    await looks('budget');
    assert.equal((await prompts()).length, 0, 'nothing is sent before the choice');
    await press('Enter');
    await id('over-budget').filter({ hasText: '2 prompts' }).waitFor();
    await page.waitForFunction(() => document.querySelector('[data-testid=status-bar]').textContent.includes('Reviewed'));
    assert.equal((await prompts()).length, 2);
  });

  it('reviews only the files that the user selects', async () => {
    await start('--repo', await large());
    await press('r');
    await id('budget-files').click();
    await page.getByRole('searchbox', { name: 'Filter files' }).last().fill('module17.ts');
    await id('budget-file').click();
    assert.match(await id('budget-files').innerText(), /1 request, /);
    await looks('budget-files');
    await id('budget-review').click();
    await id('over-budget').filter({ hasText: '1 file' }).waitFor();
    await page.waitForFunction(() => document.querySelector('[data-testid=status-bar]').textContent.includes('Reviewed'));
    const sent = await prompts();
    assert.equal(sent.length, 1);
    assert.match(JSON.stringify(sent[0]), /module17\.ts/);
    assert.doesNotMatch(JSON.stringify(sent[0]), /\+\+\+ b\/src\/part0\/module1\.ts/);
  });

  it('starts at once where everything fits, or the part that fits was chosen', async () => {
    await start('--repo', await large());
    await press('r');
    await id('budget-truncate').click();
    await id('budget-review').click();
    await page.waitForFunction(() => document.querySelector('[data-testid=status-bar]').textContent.includes('Reviewed'));
    assert.equal((await prompts()).length, 1);
    await press('r');
    await id('cancel-button').or(page.getByText('Review anyway')).first().waitFor();
    assert.equal(await id('budget').count(), 0);
  });
});
