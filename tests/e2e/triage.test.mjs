// Triage in Debian's Chromium against a fake GitLab: thirty findings from the review to their posting, with few keys.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { chromium } from 'playwright-core';
import { browserArguments, cloneOf, fakeGitlab, model, out, place, program, serving } from './support.mjs';

const shots = path.join(out, 'triage');
const FILES = ['src/a.rs', 'src/b.rs', 'src/c.rs'];
const PER_FILE = 10;
const SEVERITIES = ['high', 'medium', 'low'];
/** Every tenth line has a finding, so each one has a hunk of its own. */
const lineOf = (at) => (at + 1) * 10;
const changed = (line) => `    let value_${line} = amount_${line}.abs();`;
const source = (edited) =>
  Array.from({ length: 110 }, (_, at) =>
    edited && (at + 1) % 10 === 0 && at < 100 ? changed(at + 1) : `    let value_${at + 1} = ${at + 1};`,
  ).join('\n') + '\n';
/** The findings of all files, the last place first. */
const findings = FILES.flatMap((file, index) =>
  Array.from({ length: PER_FILE }, (_, at) => ({
    severity: SEVERITIES[(index + at) % 3],
    category: 'correctness',
    path: file,
    line_start: lineOf(at),
    line_end: lineOf(at),
    title: `${file} line ${lineOf(at)} drops the sign`,
    body_markdown: 'A refund is negative, and `abs` loses that.',
    quote: changed(lineOf(at)).trim(),
  })),
).reverse();

describe('triage', () => {
  let chrome, talker, home, server, page, gitlab, errors;

  before(async () => {
    await mkdir(shots, { recursive: true });
    chrome = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: browserArguments });
    talker = await model();
    await talker.say({
      text: JSON.stringify({ summary_markdown: 'The sign of refunds is lost.', findings }),
      usage: { input: 900, output: 200 },
    });
    home = await place(talker.url);
    const origin = path.join(home.folder, 'origin');
    const git = (folder, ...args) =>
      execFileSync('git', ['-C', folder, '-c', 'user.name=Author', '-c', 'user.email=author@example.com', ...args]);
    const write = async (edited) => {
      for (const file of FILES) await writeFile(path.join(origin, file), source(edited));
    };
    await mkdir(path.join(origin, 'src'), { recursive: true });
    git(origin, 'init', '-q', '-b', 'main');
    await write(false);
    git(origin, 'add', '-A');
    git(origin, 'commit', '-q', '-m', 'base');
    git(origin, 'checkout', '-q', '-b', 'refunds');
    await write(true);
    git(origin, 'commit', '-q', '-am', 'Book refunds');
    git(origin, 'checkout', '-q', 'main');
    gitlab = await fakeGitlab(origin, 'refunds', 'main');
    const clone = await cloneOf(home, origin, gitlab);
    server = await serving(program('diffsan'), ['serve', '--repo', clone.folder], { env: clone.env });
    page = await chrome.newPage({ viewport: { width: 1440, height: 900 } });
    page.setDefaultTimeout(Number(process.env.PATIENCE ?? 60_000));
    errors = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(server.address);
    await id('change-picker').click();
    await id('change-option').filter({ hasText: '!7 Merge refunds' }).click();
    await id('change-picker').filter({ hasText: '!7' }).waitFor();
    await page.waitForFunction(() => document.documentElement.dataset.diff === 'painted');
  });
  after(async () => {
    await chrome?.close();
    await server?.stop();
    await gitlab?.stop();
    await talker?.stop();
    await home?.remove();
    assert.deepEqual(errors, []);
  });
  afterEach(async (test) => {
    if (!test.passed) await page.screenshot({ path: path.join(shots, `failed ${test.name.slice(0, 40)}.png`) }).catch(() => {});
  });

  const id = (name) => page.getByTestId(name);
  let pressed = 0;
  const press = async (key) => {
    pressed += 1;
    await page.keyboard.press(key);
  };
  const row = (as) => page.locator(`[data-testid="finding-row"]${as}`);
  /** Waits until the selected finding is the one with this title, and its card is in view. */
  const selected = async (title) => {
    await row('[aria-selected="true"]').filter({ hasText: `${title} drops` }).waitFor();
    const card = id('finding-card').filter({ hasText: `${title} drops` });
    await card.waitFor();
    await page.waitForFunction((card) => {
      const { top, bottom } = card.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    }, await card.elementHandle());
  };
  const counts = (text) => id('status-bar').filter({ hasText: text }).waitFor();

  it('takes at most 34 keys for thirty findings, from the review to the posting', async () => {
    // The order of the list: by severity, then by file and line.
    const order = SEVERITIES.flatMap((severity) =>
      FILES.flatMap((file) =>
        findings
          .filter((one) => one.severity === severity && one.path === file)
          .sort((a, b) => a.line_start - b.line_start)
          .map((one) => `${one.path} line ${one.line_start}`),
      ),
    );
    assert.equal(order.length, 30);
    await press('r');
    for (const [at, title] of order.entries()) {
      await selected(title);
      await press(at % 5 === 4 ? 'x' : 'a');
    }
    await counts('0 open');
    await counts('24 accepted');
    await press('P');
    await id('post-status').filter({ hasText: '24 comments and a summary to post' }).waitFor();
    await page.screenshot({ path: path.join(shots, 'sheet.png') });
    // The button ignores keys and clicks shortly after its text changed.
    await page.locator('[data-testid="post-all"]:enabled:not([aria-disabled="true"])').waitFor();
    await press('Control+Enter');
    await id('post-status').filter({ hasText: 'Posted.' }).waitFor();
    console.log(`${pressed} keys from the review to the posting`);
    assert.ok(pressed <= 34, `${pressed} keys`);
    const { threads } = await gitlab.ask({ do: 'look' });
    assert.equal(threads.filter((thread) => thread.line !== null).length, 24);
    await page.getByRole('button', { name: 'Done' }).click();
  });

  it('undoes a decision and returns to its finding, and stays with Shift or by the setting', async () => {
    await page.keyboard.press('u');
    await counts('1 open');
    await selected('src/c.rs line 100');
    await page.keyboard.press('u');
    await counts('2 open');
    await selected('src/c.rs line 70');
    await page.keyboard.press('A');
    await counts('1 open');
    await selected('src/c.rs line 70');
    await page.keyboard.press('.');
    await selected('src/c.rs line 100');
    // A click on a button of the card does the same as the key.
    await page.keyboard.press('u');
    await counts('2 open');
    await selected('src/c.rs line 70');
    await id('finding-card').filter({ hasText: 'src/c.rs line 70' }).getByTestId('accept').click();
    await selected('src/c.rs line 100');
    await page.keyboard.press('u');
    await selected('src/c.rs line 70');
    await page.keyboard.press('Control+,');
    await page.getByRole('button', { name: 'Appearance' }).click();
    await id('advance-stay').click();
    await page.keyboard.press('Escape');
    await page.keyboard.press('a');
    await counts('1 open');
    await selected('src/c.rs line 70');
  });

  it('goes from hunk to hunk and to the next file that is not viewed', async () => {
    /** Waits until the cursor is on a line. */
    const at = (file, line) =>
      page.waitForFunction(
        ([file, line]) => document.querySelector(`.chosen[data-file="${file}"][data-line="${line}"]`) !== null,
        [String(file), String(line)],
      );
    const top = (file) => page.locator(`[data-testid="file-row"][aria-selected="true"]`).filter({ hasText: file }).waitFor();
    await id('file-row').first().click();
    await page.keyboard.press('F7');
    await at(0, 10);
    await page.keyboard.press(')');
    await at(0, 20);
    await page.keyboard.press('(');
    await at(0, 10);
    await page.keyboard.press('Escape');
    await id('file-row').first().click();
    await page.keyboard.press('V');
    await top('b.rs');
    await page.keyboard.press('d');
    await top('c.rs');
    await page.keyboard.press('V');
    await top('a.rs');
    await page.keyboard.press('V');
    await top('c.rs');
  });
});
