// Requirements of the authors and second opinions in Debian's Chromium, against a fake GitLab and a scripted model.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { chromium } from 'playwright-core';
import { accessible } from './accessible.mjs';
import { browserArguments, cloneOf, fakeGitlab, hasCount, model, out, place, program, serving } from './support.mjs';

const shots = path.join(out, 'opinions');
const BASE = 'def total(items):\n    return 0\n\n\ndef pay(items):\n    return total(items)\n';
const HEAD =
  'def total(items):\n    if not items:\n        return 0\n    return sum(items) / len(items)\n\n\ndef pay(items):\n    log("pay")\n    return total(items)\n';
const finding = (severity, title, line, quote) => ({
  severity,
  category: 'correctness',
  path: 'cart.py',
  line_start: line,
  line_end: line,
  title,
  body_markdown: `${title}.`,
  quote,
});
const quote = (line, text) => ({ path: 'cart.py', line_start: line, line_end: line, quote: text });
const answer = {
  summary_markdown: 'The total is computed.',
  findings: [
    finding('high', 'The total is an average', 4, 'return sum(items) / len(items)'),
    finding('medium', 'An empty list divides by zero', 4, 'len(items)'),
  ],
  intent: [
    { requirement: 'The total is the sum of all items', verdict: 'contradicted', evidence: [quote(4, 'return sum(items) / len(items)')] },
    { requirement: 'Each payment is logged', verdict: 'met', evidence: [quote(8, 'log("pay")')] },
    { requirement: 'Refunds are rejected', verdict: 'met', evidence: [quote(5, 'reject(refund)')] },
  ],
  chapters: [
    { sentence: 'Refunds are rejected.', evidence: [quote(5, 'reject(refund)')] },
    { sentence: 'A payment writes a line to the log before it asks for the total.', evidence: [quote(9, 'log("pay")')] },
    { sentence: 'A second sentence about the same chapter.', evidence: [quote(9, 'log("pay")')] },
  ],
};

describe('requirements and second opinions', () => {
  let chrome, talker, home, server, page, gitlab;
  const errors = [];
  const id = (name) => page.getByTestId(name);
  const press = async (...keys) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const shot = async (name) => {
    await accessible(page, name);
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.screenshot({ path: path.join(shots, `${name}-${colorScheme}.png`) });
    }
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  };

  before(async () => {
    await mkdir(shots, { recursive: true });
    chrome = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: browserArguments });
    talker = await model();
    await talker.say({ text: JSON.stringify(answer), usage: { input: 900, output: 200 } });
    home = await place(talker.url);
    const origin = path.join(home.folder, 'origin');
    await mkdir(origin, { recursive: true });
    const git = (folder, ...args) =>
      execFileSync('git', ['-C', folder, '-c', 'user.name=Author', '-c', 'user.email=author@example.com', ...args]);
    git(origin, 'init', '-q', '-b', 'main');
    await writeFile(path.join(origin, 'cart.py'), BASE);
    git(origin, 'add', '-A');
    git(origin, 'commit', '-q', '-m', 'base');
    git(origin, 'checkout', '-q', '-b', 'total');
    await writeFile(path.join(origin, 'cart.py'), HEAD);
    git(origin, 'commit', '-q', '-am', 'Compute the total and log payments');
    git(origin, 'checkout', '-q', 'main');
    gitlab = await fakeGitlab(origin, 'total', 'main');
    const clone = await cloneOf(home, origin, gitlab);
    server = await serving(program('diffsan'), ['serve', '--repo', clone.folder], { env: clone.env });
    page = await chrome.newPage({ viewport: { width: 1440, height: 900 } });
    page.setDefaultTimeout(Number(process.env.PATIENCE ?? 60_000));
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(server.address);
    await id('change-picker').click();
    await id('change-option').filter({ hasText: '!7 Merge total' }).click();
    await id('change-picker').filter({ hasText: '!7' }).waitFor();
    await page.waitForFunction(() => document.documentElement.dataset.diff === 'painted');
    await press('r');
    await hasCount(id('finding-row'), 2, 'the review has two findings');
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
    if (test.error) await page?.screenshot({ path: path.join(shots, `failed ${test.name}.png`) });
  });

  it('lists the requirements with their evidence, one click or key away', async () => {
    assert.match(await id('requirements-bar').innerText(), /1 contradicted\s+1 not found\s+1 met/);
    await id('requirements-bar').click();
    const verdicts = await id('requirements').locator('[data-verdict]').evaluateAll((all) => all.map((one) => one.dataset.verdict));
    assert.deepEqual(verdicts, ['contradicted', 'not_found', 'met']);
    assert.match(await id('requirements').innerText(), /1 quote of the agent is not in the code/);
    await shot('requirements');
    await id('quotes').getByRole('button', { name: 'cart.py:4' }).click();
    await page.locator('[data-testid="diff"], .diff').first().waitFor();
    await id('summary').waitFor({ state: 'detached' });
    await press('#');
    await page.waitForFunction(() => document.body.innerText.includes('log("pay")'));
  });

  it('shows an agent’s sentence about a chapter beside its name, if its code is there', async () => {
    await press('S');
    await id('chapter').first().waitFor();
    await id('chapter-sentence').waitFor();
    assert.deepEqual(await id('chapter-sentence').allInnerTexts(), ['A payment writes a line to the log before it asks for the total.']);
    assert.match(await id('chapter-sentence').getAttribute('title'), /Written by second/);
    await shot('chapters');
    await id('chapter-sentence').click();
    await page.locator('.diff-line.chosen', { hasText: 'log("pay")' }).waitFor();
    await press('S');
    await hasCount(id('chapter'), 0);
  });

  it('shows what a second opinion sends, and sends it only then', async () => {
    const before = (await talker.requests()).length;
    await id('finding-row').filter({ hasText: 'divides by zero' }).click();
    const key = await id('finding-row').filter({ hasText: 'divides by zero' }).getAttribute('data-finding');
    const opinion = { finding: key, verdict: 'refuted', reason: 'Empty lists return before the division.', evidence: [quote(2, 'if not items:')] };
    await talker.say({ text: JSON.stringify({ opinions: [opinion] }), usage: { input: 500, output: 60 } });
    await press("'");
    await id('opinion-facts').waitFor();
    assert.match(await id('opinion-facts').innerText(), /Second, scripted-model gets this text, with secrets masked: \d/);
    // The text outside of the view is not rendered.
    const text = await id('opinion-sheet').evaluate((sheet) => sheet.textContent);
    assert.match(text, /An empty list divides by zero/);
    assert.match(text, /Calls of `total`:\n- cart\.py:9 in `pay`/);
    assert.match(text, /Nothing has been sent\./);
    assert.equal((await talker.requests()).length, before, 'nothing was sent');
    await shot('opinion-sheet');
    await press('Control+Enter');
    await id('opinion-sheet').waitFor({ state: 'detached' });
    const card = id('finding-card').filter({ hasText: 'divides by zero' });
    await card.getByTestId('second-opinion').waitFor();
    assert.match(await card.getByTestId('second-opinion').innerText(), /Refuted.*Second[\s\S]*Empty lists return before the division\./);
    await hasCount(id('finding-row'), 2, 'no finding is removed');
    await shot('opinion-card');
  });

  it('filters by the verdict of the second opinion', async () => {
    await id('only-refuted').click();
    await hasCount(id('finding-row'), 1, 'only the refuted finding is listed');
    await id('only-refuted').click();
    await hasCount(id('finding-row'), 2, 'all findings are listed');
  });

  it('can be cancelled, and changes nothing then', async () => {
    const row = id('finding-row').filter({ hasText: 'is an average' });
    await row.click();
    await talker.say({ delay: 600, text: '{}' });
    await press("'");
    await id('opinion-facts').waitFor();
    await id('opinion-send').click();
    await id('opinion-cancel').click();
    await id('opinion-cancel').waitFor({ state: 'detached' });
    await press('Escape');
    await hasCount(row.getByTestId('opinion'), 0, 'there is no opinion');
  });

  it('lists the requirements in the posted summary on request', async () => {
    await press('P');
    await id('post-requirements').waitFor();
    const listed = id('post-sheet').getByText('The total is the sum of all items');
    assert.equal(await listed.count(), 0);
    await id('post-requirements').check();
    await listed.waitFor();
    assert.match(await id('post-sheet').innerText(), /contradicted:\s+The total is the sum of all items/);
    await shot('post-requirements');
    await press('Escape');
  });
});
