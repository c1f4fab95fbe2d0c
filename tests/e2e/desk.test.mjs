// Actions at the desk in Debian's Chromium: expanding context, viewed marks, search, navigation, copying, adding and editing findings,
// bulk decisions, suggestions, and undoing all of it; only with the keyboard where there is a key.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { chromium } from 'playwright-core';
import { answer, browserArguments, decisionsSaved, hasCount, model, out, place, program, reviewed, serving } from './support.mjs';

const shots = path.join(out, 'desk');
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

/** Returns an image of a single colour. */
const gif = (red) =>
  Buffer.from(`47494638396101000100800000${red ? 'ff0000' : '0000ff'}00000021f90401000000002c00000000010001000002024401003b`, 'hex');

describe('the desk, in use', () => {
  let home, server, page, errors, context;

  const start = async (...args) => {
    server = await serving(program('diffsan'), ['serve', ...args], { env: home.env });
    context = await chrome.newContext({ viewport: { width: 1440, height: 900 }, permissions: ['clipboard-read', 'clipboard-write'] });
    page = await context.newPage();
    page.setDefaultTimeout(60_000);
    errors = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (line) => line.type() === 'error' && errors.push(line.text()));
    await page.goto(server.address);
  };
  const stop = async () => {
    await context.close();
    await server.stop();
  };
  beforeEach(async () => {
    home = await place(talker.url);
    await talker.say(reviewed);
  });
  afterEach(async (test) => {
    if (test.error || !test.passed) await shot(`failed ${test.name}`).catch(() => {});
    await stop();
    await home.remove();
    assert.deepEqual(errors, [], 'the page reported no errors');
  });

  const id = (name) => page.getByTestId(name);
  const shot = (name) => page.screenshot({ path: path.join(shots, `${name}.png`) });
  const painted = () => page.waitForFunction(() => document.documentElement.dataset.diff === 'painted' && document.querySelector('[data-testid=status-bar]') !== null);
  const press = async (...keys) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const row = (file, line, side = 'new') =>
    page.locator(`[data-testid="diff-line"][data-file="${file}"][data-line="${line}"][data-side="${side}"]`);
  const review = async () => {
    await start();
    await id('open-sample').click();
    await painted();
    await id('change-picker').click();
    await id('change-option').filter({ hasText: 'topic/refunds' }).first().click();
    await id('change-picker').filter({ hasText: 'topic/refunds' }).waitFor();
    await painted();
    await id('review-button').click();
    await id('finding-row').first().waitFor();
  };
  /** Waits until the core has stored the drafts. */
  const saved = () => page.waitForTimeout(700);
  const decided = (as) => page.locator(`[data-testid="finding-row"][data-decision="${as}"]`);
  const git = (folder, ...args) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-C', folder, ...args], { encoding: 'utf8' });
  /** Creates a repository with a long file whose lines 100 and 300 are edited, an image that changes, and other special cases. */
  const repository = async () => {
    const folder = path.join(home.folder, 'repo');
    await mkdir(folder);
    git(folder, 'init', '-q', '-b', 'main');
    const lines = Array.from({ length: 400 }, (_, at) => `export const value${at + 1} = compute(${at + 1});`);
    await writeFile(path.join(folder, 'long.ts'), lines.join('\n') + '\n');
    await writeFile(path.join(folder, 'dot.gif'), gif(true));
    await writeFile(path.join(folder, 'old-name.txt'), 'one\ntwo\nthree\nfour\nfive\nsix\n');
    await writeFile(path.join(folder, 'run.sh'), 'echo\n');
    git(folder, 'add', '-A');
    git(folder, 'commit', '-q', '-m', 'base');
    lines[99] = 'export const value100 = compute(100, other);';
    lines[299] = 'export function last() { return 300; }';
    await writeFile(path.join(folder, 'long.ts'), lines.join('\n') + '\n');
    await writeFile(path.join(folder, 'dot.gif'), gif(false));
    git(folder, 'mv', 'old-name.txt', 'new-name.txt');
    await chmod(path.join(folder, 'run.sh'), 0o755);
    return folder;
  };
  const openLong = async () => {
    const folder = await repository();
    await start('--repo', folder);
    await painted();
    return folder;
  };

  it('brings in the lines around a hunk, up to the whole file', async () => {
    await openLong();
    assert.equal(await row(0, 80).count(), 0);
    await press(']');
    await row(0, 110).waitFor();
    await press('[');
    await row(0, 80).waitFor();
    assert.match(await row(0, 80).innerText(), /value80 = compute\(80\)/);
    await press('Z');
    await row(0, 1).waitFor();
    await page.keyboard.press('Control+f');
    await page.keyboard.type('value399');
    await row(0, 399).waitFor();
    await shot('whole file');
  });

  it('shows pictures side by side, and says what else became of a file', async () => {
    await openLong();
    await id('file-row').filter({ hasText: 'dot.gif' }).click();
    const pictures = id('image').locator('img');
    await pictures.nth(1).waitFor();
    const widths = await pictures.evaluateAll((images) => images.map((one) => one.complete && one.naturalWidth));
    assert.deepEqual(widths, [1, 1], 'both pictures are drawn');
    const all = await id('diff').innerText();
    assert.match(all, /old-name\.txt\s+→/);
    assert.match(all, /mode 100644 → 100755/);
    await shot('pictures');
  });

  it('marks words that changed, not the whole line', async () => {
    await openLong();
    const marked = await row(0, 100).locator('.differs').allInnerTexts();
    assert.equal(marked.join('').replaceAll(' ', ''), ',other');
  });

  it('keeps what was viewed over a later round, by file and by hunk', async () => {
    const folder = await openLong();
    const before = await id('viewed-hunk').count();
    assert.ok(before >= 2);
    await press('D');
    await page.getByText('7 viewed lines').or(page.getByText('8 viewed lines')).waitFor();
    await press('u');
    await row(0, 100).waitFor();
    await press('D');
    await row(0, 100).waitFor({ state: 'detached' });
    // Another round: the other hunk changes, and the viewed one moves by two lines.
    const text = await readFile(path.join(folder, 'long.ts'), 'utf8');
    await writeFile(path.join(folder, 'long.ts'), `// a\n// b\n${text.replace('return 300', 'return 301')}`);
    await press('R');
    // The comments before it are folded as soon as the code has been read.
    await row(0, 3).waitFor();
    assert.equal(await row(0, 102).count(), 0, 'the seen hunk is still folded');
    await row(0, 302).waitFor();
    assert.deepEqual(await id('viewed-hunk').evaluateAll((all) => all.slice(0, 3).map((one) => one.checked)), [false, true, false]);
    await press('d');
    await page.locator('[data-testid="file-row"]').filter({ has: page.getByLabel('viewed') }).filter({ hasText: 'long.ts' }).waitFor();
    await decisionsSaved(page);
    await page.reload();
    await painted();
    await page.locator('[data-testid="file-row"]').filter({ has: page.getByLabel('viewed') }).filter({ hasText: 'long.ts' }).waitFor();
  });

  it('finds text, and goes from place to place', async () => {
    await openLong();
    await press('Control+f');
    await page.keyboard.type('VALUE');
    assert.match(await id('find').innerText(), /No matches/);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('value');
    assert.match(await id('find').innerText(), /1 of 15/);
    await press('Enter', 'Enter');
    assert.match(await id('find').innerText(), /3 of 15/);
    assert.equal(await page.locator('.here').innerText(), 'value');
    await press('Shift+Enter', 'Escape');
    assert.equal(await page.locator('.found').count(), 0);
  });

  it('jumps to files and symbols', async () => {
    await openLong();
    await press('Control+p');
    await page.getByRole('option', { name: 'last' }).waitFor();
    await page.keyboard.type('last');
    await press('Enter');
    await row(0, 300).waitFor();
    await press('Control+p');
    await page.keyboard.type('run.sh');
    await press('Enter');
    await page.waitForFunction(() => document.querySelector('[data-testid="file-row"][aria-selected="true"]')?.dataset.path === 'run.sh');
  });

  it('copies code without numbers and signs, of one side alone', async () => {
    await openLong();
    await press('ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Shift+ArrowDown', 'y');
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(copied, /^export const value\d+ = compute\(.*\);\nexport const value\d+ = compute\(.*\);$/);
    await press('Escape', 'v');
    const cell = (line, half) => row(0, line).locator(`.half${half} code`);
    const from = await cell(99, ':not(.right)').boundingBox();
    const to = await cell(101, ':not(.right)').boundingBox();
    await page.mouse.move(from.x + 1, from.y + 5);
    await page.mouse.down();
    await page.mouse.move(to.x + to.width - 1, to.y + 8, { steps: 5 });
    await page.mouse.up();
    await press('Control+c');
    const left = (await page.evaluate(() => navigator.clipboard.readText())).split('\n');
    assert.equal(left.length, 3);
    assert.equal(left[1], 'export const value100 = compute(100);', 'the old side, not the new one beside it');
  });

  it('copies all lines of a selection, also those that have left the page', async () => {
    await openLong();
    await press('Z');
    await row(0, 1).waitFor();
    const [from, text] = [await row(0, 20).locator('code').boundingBox(), /compute\(\d+.*\);?/];
    await page.mouse.move(from.x + 2, from.y + 8);
    await page.mouse.down();
    await page.mouse.move(from.x + 60, from.y + 30, { steps: 3 });
    for (let turns = 0; turns < 8; turns++) await page.mouse.wheel(0, 300);
    await row(0, 20).waitFor({ state: 'detached' });
    await page.mouse.move(from.x + 80, from.y + 60, { steps: 3 });
    await page.mouse.up();
    await press('Control+c');
    const copied = (await page.evaluate(() => navigator.clipboard.readText())).split('\n');
    assert.match(copied[0], /^export const value20 =/);
    assert.ok(copied.length > 60 && copied.every((line) => text.test(line)), `${copied.length} lines`);
    const numbers = copied.flatMap((line) => line.match(/value(\d+)/)?.[1] ?? []).map(Number);
    assert.ok(numbers.every((number, at) => at === 0 || number - numbers[at - 1] <= 1), 'none is left out');
  });

  it('takes findings of one’s own on lines, chosen by key or by mouse', async () => {
    await review();
    await press('ArrowDown', 'ArrowDown', 'Shift+ArrowDown', 'l');
    await page.keyboard.type('This needs a transaction.');
    await press('Escape');
    assert.equal(await id('finding-form').count(), 0);
    await press('l');
    assert.equal(await id('finding-text').inputValue(), 'This needs a transaction.', 'what was typed is still there');
    await shot('own finding');
    await press('Control+Enter');
    await id('finding-form').waitFor({ state: 'detached' });
    const own = id('finding-row').filter({ hasText: 'This needs a transaction' });
    await own.waitFor();
    assert.match(await own.innerText(), /:\d+–\d+/);
    await press('u');
    await own.waitFor({ state: 'detached' });
    await press('U');
    await own.waitFor();

    // With the mouse: drag over the line numbers.
    const box = (line) => row(0, line).locator('.no').last().boundingBox();
    const [from, to] = [await box(24), await box(26)];
    await page.mouse.move(from.x + 5, from.y + 5);
    await page.mouse.down();
    await page.mouse.move(to.x + 5, to.y + 5, { steps: 4 });
    await page.mouse.up();
    await page.getByText('Your finding on lines 24–26').waitFor();
    await id('finding-text').fill('Three lines.');
    await id('finding-save').click();
    await id('finding-row').filter({ hasText: 'Three lines' }).filter({ hasText: '24–26' }).waitFor();
    // A new review does not lose the user's findings.
    await talker.say(reviewed);
    await press('r');
    await page.waitForFunction(() => document.querySelectorAll('[data-testid="finding-row"]').length === 8);
    await id('finding-row').filter({ hasText: 'Three lines' }).waitFor();
  });

  it('edits a finding, and gives it back its words', async () => {
    await review();
    await press('j', 'e');
    await page.getByLabel('Severity').selectOption('low');
    await page.getByLabel('Title').fill('Not so bad');
    await press('Control+Enter');
    const edited = id('finding-row').filter({ hasText: 'Not so bad' });
    await edited.waitFor();
    await hasCount(edited.getByLabel('low'), 1);
    await decisionsSaved(page);
    await page.reload();
    await painted();
    await edited.click();
    await id('restore').click();
    await edited.waitFor({ state: 'detached' });
    await press('u');
    await edited.waitFor();
  });

  it('shows an edit only when it can be undone', async () => {
    await review();
    // A reload of the review reaches the core after the edit, and its answer comes before that of the edit.
    await page.routeWebSocket(/./, (socket) => {
      const core = socket.connectToServer();
      const edits = new Set();
      let held = [];
      socket.onMessage((text) => {
        const { id, method } = JSON.parse(text);
        if (method === 'finding.edit') edits.add(id);
        if (method === 'review.current' && held) held.push(text);
        else core.send(text);
      });
      core.onMessage((text) => {
        if (!edits.has(JSON.parse(text).id)) return socket.send(text);
        setTimeout(() => socket.send(text), 500);
        held?.forEach((reload) => core.send(reload));
        held = null;
      });
    });
    await page.reload();
    await painted();
    const edited = id('finding-row').filter({ hasText: 'Not so bad' });
    await press('j', 'e');
    await page.getByLabel('Title').fill('Not so bad');
    await press('Control+Enter');
    await edited.waitFor();
    await press('u');
    await edited.waitFor({ state: 'detached' });
  });

  it('decides about many at once, and takes that back at once', async () => {
    await review();
    await press('j', 'J', 'J');
    await id('bulk').filter({ hasText: '3 selected' }).waitFor();
    await press('x');
    await page.waitForFunction(() => document.querySelectorAll('[data-decision="dismissed"][data-testid="finding-row"]').length === 3);
    await shot('bulk');
    await press('u');
    await page.waitForFunction(() => document.querySelectorAll('[data-decision="dismissed"][data-testid="finding-row"]').length === 0);
    await press('U');
    await page.waitForFunction(() => document.querySelectorAll('[data-decision="dismissed"][data-testid="finding-row"]').length === 3);
    // Only open findings; then only critical ones.
    await press('Escape', 'f');
    await page.waitForFunction(() => document.querySelectorAll('[data-testid="finding-row"]').length <= 4);
    await press('f');
    await id('only-critical').click();
    await page.waitForFunction(() => document.querySelectorAll('[data-testid="finding-row"]').length === 1);
    await id('only-critical').click();
    await press('g', 'g');
    assert.match(await page.getByRole('listbox', { name: 'Findings' }).innerText(), /^Codex/);
    await press('Control+a', 'a');
    await page.waitForFunction(() => document.querySelectorAll('[data-decision="accepted"][data-testid="finding-row"]').length === 6);
    await decisionsSaved(page);
    await page.reload();
    await painted();
    await hasCount(decided('accepted'), 6, 'all of it was kept');
  });

  it('gives one reason to many, and leaves the keys of a text to the text', async () => {
    await review();
    await press('j', 'J', 'J');
    await id('bulk').filter({ hasText: '3 selected' }).waitFor();
    await press('X');
    await page.getByRole('textbox', { name: 'Reason' }).fill('generated code');
    await press('Enter');
    await page.waitForFunction(() => document.querySelectorAll('[data-decision="dismissed"][data-testid="finding-row"]').length === 3);
    await decisionsSaved(page);
    await press('Escape', '/');
    await page.keyboard.type('zz');
    await press('Control+a', 'Control+z', 'Control+y');
    await id('only-critical').click();
    await press('Escape');
    assert.equal(await id('bulk').count(), 0, 'choosing all of the text chose no finding');
    await decisionsSaved(page);
    await page.reload();
    await painted();
    // The filter is restored, the reasons are stored, and no decision was reverted.
    assert.equal(await id('only-critical').getAttribute('aria-pressed'), 'true');
    await id('only-critical').click();
    await page.getByPlaceholder('Filter findings').fill('');
    await page.waitForFunction(() => document.querySelectorAll('[data-decision="dismissed"][data-testid="finding-row"]').length === 3);
    assert.equal(await page.getByText('generated code').count() > 0, true);
  });

  it('keeps a reason that was begun, for all that it is for', async () => {
    await review();
    await press('J', 'J', 'X');
    await page.keyboard.type('made by a tool');
    await press('Escape');
    const goOn = page.getByRole('button', { name: 'Continue reason' });
    await goOn.waitFor();
    await saved();
    await decisionsSaved(page);
    await page.reload();
    await painted();
    await id('finding-row').nth(2).click();
    await goOn.click();
    const box = page.getByRole('textbox', { name: 'Reason' });
    assert.equal(await box.inputValue(), 'made by a tool');
    await page.getByRole('button', { name: 'Save for 3 findings' }).click();
    await decisionsSaved(page);
    await goOn.waitFor({ state: 'detached' });
    for (const at of [0, 1, 2]) {
      await id('finding-row').nth(at).click();
      await page.locator('.card.selected', { hasText: 'made by a tool' }).waitFor();
    }
    // An emptied draft is not stored.
    await page.locator('.card.selected').getByRole('button', { name: 'Edit reason' }).click();
    await box.fill('other');
    await box.fill('');
    await press('Escape');
    await page.locator('.card.selected').getByRole('button', { name: 'Edit reason' }).waitFor();
  });

  it('leaves what was chosen and begun at the same findings when another review comes', async () => {
    await review();
    // Without the first finding, all others have other positions.
    const [, ...findings] = answer.findings;
    await talker.say({ ...reviewed, text: JSON.stringify({ ...answer, findings }) });
    const listed = (title) => id('finding-row').filter({ hasText: title });
    await listed('Mutable default').click();
    await press('e');
    const body = id('finding-text');
    await body.fill('Each call shares one list.');
    for (const title of ['The age check', 'is not awaited']) await listed(title).click({ modifiers: ['Control'] });
    await id('bulk').filter({ hasText: '3 selected' }).waitFor();
    await id('review-button').click();
    await page.waitForFunction((count) => document.querySelectorAll('[data-testid="finding-row"]').length === count, findings.length);
    assert.equal(await body.inputValue(), 'Each call shares one list.');
    await id('bulk').filter({ hasText: '3 selected' }).waitFor();
    await id('bulk').getByRole('button', { name: 'Accept' }).click();
    await page.waitForFunction(() => document.querySelectorAll('[data-decision="accepted"][data-testid="finding-row"]').length === 3);
    const accepted = await decided('accepted').allInnerTexts();
    for (const title of ['The age check', 'is not awaited', 'Mutable default'])
      assert.ok(accepted.some((one) => one.includes(title)), `${title} is accepted: ${accepted}`);
    await id('finding-save').click();
    await body.waitFor({ state: 'detached' });
    await page.locator('.card', { hasText: 'Mutable default' }).filter({ hasText: 'Each call shares one list.' }).waitFor();
  });

  it('leads back to findings that were begun, in their own change alone', async () => {
    await review();
    await press('ArrowDown', 'ArrowDown', 'Shift+ArrowDown', 'l');
    const heading = await id('finding-form').locator('b').first().innerText();
    await page.keyboard.type('Who takes the lock?');
    await press('Escape', 'Escape', 'l', 'Escape');
    assert.match(await id('unsaved-findings').innerText(), /1 unsaved finding/, 'a form without words is not begun');
    await press('j', 'e');
    await page.getByLabel('Title').fill('Less sure');
    await press('Escape');
    await id('unsaved-findings').filter({ hasText: '2 unsaved findings' }).waitFor();
    await saved();
    await decisionsSaved(page);
    await page.reload();
    await painted();
    await id('unsaved-findings').filter({ hasText: '2 unsaved findings' }).waitFor();
    await shot('unsaved-findings');
    await id('go-on').click();
    await page.getByText(heading).waitFor();
    assert.equal(await id('finding-text').inputValue(), 'Who takes the lock?');
    await press('Control+Enter');
    await id('finding-row').filter({ hasText: 'Who takes the lock' }).waitFor();
    await id('unsaved-findings').filter({ hasText: '1 unsaved finding' }).waitFor();
    await id('change-picker').click();
    await id('change-option').filter({ hasNotText: 'topic/refunds' }).first().click();
    await id('change-picker').filter({ hasNotText: 'topic/refunds' }).waitFor();
    await painted();
    assert.equal(await id('unsaved-findings').count(), 0, 'it is of the other change');
    await id('change-picker').click();
    await id('change-option').filter({ hasText: 'topic/refunds' }).first().click();
    await id('go-on').click();
    assert.equal(await page.getByLabel('Title').inputValue(), 'Less sure');
    await page.getByRole('button', { name: 'Discard' }).click();
    await id('unsaved-findings').waitFor({ state: 'detached' });
  });

  it('lists findings in one line in the compact density, and only their lines below their file', async () => {
    await review();
    const first = id('finding-row').first();
    const height = async () => Math.round((await first.boundingBox()).height);
    assert.equal(await height(), 48);
    await page.getByRole('button', { name: 'File', exact: true }).click();
    await first.filter({ hasText: /Lines? \d+/ }).waitFor();
    assert.ok(!(await first.innerText()).includes('.ts:'));
    await press('Control+,');
    await page.locator('[data-page="appearance"]').click();
    await id('density-compact').click();
    await press('Escape');
    await page.waitForFunction(() => document.querySelector('[data-testid="finding-row"]')?.clientHeight === 28);
    await page.screenshot({ path: path.join(shots, 'compact.png') });
    await press('Control+,');
    await id('density-usual').click();
    await press('Escape');
    assert.equal(await height(), 48);
  });

  it('crosses to the other side in split view by key', async () => {
    await openLong();
    await press('v');
    await page.locator('.halves').first().waitFor();
    const on = () => page.locator('[data-on]').getAttribute('data-on');
    const number = () => page.locator('.diff-line.chosen').getAttribute('data-line');
    await press('n');
    while (!(await page.locator('.diff-line.chosen.halves .add').count())) await press('ArrowDown');
    assert.equal(await on(), 'new');
    const at = await number();
    await press('ArrowLeft');
    assert.deepEqual([await on(), await number()], ['old', at]);
    await press('y');
    await page.getByText('Copied 1 line').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(copied, /compute\(100\);$/, 'the line before the change');
    await press('ArrowRight');
    assert.equal(await on(), 'new');
  });

  it('writes a suggestion into the work tree, and takes it back', async () => {
    const folder = await repository();
    git(folder, 'reset', '-q', '--hard');
    const before = (await readFile(path.join(folder, 'long.ts'), 'utf8')).replace('compute(100)', 'compute(100, other)');
    await writeFile(path.join(folder, 'long.ts'), before);
    const finding = {
      severity: 'high',
      category: 'correctness',
      path: 'long.ts',
      line_start: 100,
      line_end: 100,
      title: 'Other is undefined',
      body_markdown: 'Take it out.\n\n```suggestion:-1+0\nexport const both = 199;\n```\n\nOr so.',
      quote: 'export const value100 = compute(100, other);',
      suggested_patch: { format: 'replacement', content: 'export const value100 = compute(100, 0);' },
    };
    await talker.say({ text: JSON.stringify({ summary_markdown: 'One.', findings: [finding] }), usage: { input: 1, output: 1 } });
    await start('--repo', folder);
    await painted();
    await id('review-button').click();
    await id('finding-row').first().waitFor();
    await press('j', 'a');
    await decided('accepted').waitFor();
    const removed = await id('finding-card').first().getByTestId('suggestion').locator('.removed code').allInnerTexts();
    assert.deepEqual(removed, ['export const value99 = compute(99);', 'export const value100 = compute(100, other);']);
    await shot('suggestion');
    await press('j', 's');
    await page.getByText('Applied to long.ts').waitFor();
    assert.equal(await id('finding-card').first().isVisible(), true, 'it is still the selected one');
    assert.equal(await readFile(path.join(folder, 'long.ts'), 'utf8'), before.replace('(100, other)', '(100, 0)'));
    await press('u');
    await page.getByText('Undone', { exact: false }).first().waitFor();
    assert.equal(await readFile(path.join(folder, 'long.ts'), 'utf8'), before);
    // The change was read again twice. Earlier decisions can still be undone.
    await page.waitForFunction(() => document.querySelectorAll('[data-decision="accepted"][data-testid="finding-row"]').length === 1);
    await press('u');
    await page.waitForFunction(() => document.querySelectorAll('[data-decision="open"][data-testid="finding-row"]').length === 1);
  });

  it('shows what hides in a text by its number, and copies it as it is', async () => {
    const folder = await openLong();
    const code = 'const a\u200bb = 1; /* \u202e } \u2066 */ begin();';
    await writeFile(path.join(folder, 'exe\u202eyp.cod.py'), `${code}\n`);
    git(folder, 'add', '-A');
    await press('R');
    const hidden = (where) => where.locator('.hidden-char').evaluateAll((all) => all.map((one) => one.dataset.code));
    const file = id('file-row').filter({ hasText: 'yp.cod.py' });
    await file.click();
    assert.deepEqual(await hidden(file), ['U+202E']);
    const line = id('diff-line').filter({ hasText: 'begin();' });
    assert.deepEqual(await hidden(line), ['U+200B', 'U+202E', 'U+2066']);
    await shot('hidden characters');
    await line.locator('.no').last().click();
    await press('Escape', 'y');
    await id('notice').filter({ hasText: 'Copied 1 line' }).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), code);
    await press('Escape', 'Escape');
    await id('notice').waitFor({ state: 'detached' });
  });

  it('marks the hunk that the keyboard is on', async () => {
    await openLong();
    await row(0, 300).locator('.no').last().click();
    await press('Escape', 'D');
    await row(0, 300).waitFor({ state: 'detached' });
    await hasCount(row(0, 100), 1);
  });

  it('takes back all that was done with a finding of one’s own, also its removal', async () => {
    await review();
    await press('ArrowDown', 'l');
    await page.keyboard.type('Mine.');
    await press('Control+Enter');
    const own = id('finding-row').filter({ hasText: /Mine|Changed/ });
    await own.waitFor();
    await press('x');
    await own.click();
    await press('e');
    await page.getByLabel('Title').fill('Changed');
    await press('Control+Enter');
    await own.filter({ hasText: 'Changed' }).waitFor();
    await press('Control+k');
    await page.keyboard.type('Remove your own');
    await press('Enter');
    await own.waitFor({ state: 'detached' });
    const states = [
      () => page.locator('[data-decision="dismissed"]').filter({ hasText: 'Changed' }).first().waitFor(),
      () => page.locator('[data-testid="finding-row"][data-decision="dismissed"]').filter({ hasText: 'Mine' }).waitFor(),
      () => page.locator('[data-testid="finding-row"][data-decision="open"]').filter({ hasText: 'Mine' }).waitFor(),
      () => own.waitFor({ state: 'detached' }),
    ];
    for (const state of states) {
      await press('u');
      await state();
    }
    for (const state of states.slice(0, 3).reverse()) {
      await press('U');
      await state();
    }
    await press('U');
    await own.waitFor({ state: 'detached' });
  });

  it('keeps what was decided last, however quickly', async () => {
    await review();
    await press('j');
    const decision = () => id('finding-row').first().getAttribute('data-decision');
    for (const keys of ['axaxaxa', 'xaxaxax', 'axaxa']) {
      await press(...keys);
      const shown = await decision();
      await decisionsSaved(page);
      await page.reload();
      await painted();
      await id('finding-row').first().waitFor();
      assert.equal(await decision(), shown);
    }
  });

  it('shows the chosen finding in its list after a reload', async () => {
    await review();
    await page.setViewportSize({ width: 1280, height: 420 });
    await press('j', 'j', 'j', 'j');
    const chosen = page.locator('[data-testid="finding-row"].selected');
    const inView = async () => {
      const [row, list] = [await chosen.boundingBox(), await page.getByRole('listbox', { name: 'Findings' }).boundingBox()];
      return row && row.y >= list.y - 1 && row.y + row.height <= list.y + list.height + 1;
    };
    assert.ok(await inView());
    await saved();
    await decisionsSaved(page);
    await page.reload();
    await painted();
    await chosen.waitFor();
    assert.ok(await inView());
    const rows = await id('finding-row').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    const list = await page.getByRole('listbox', { name: 'Findings' }).boundingBox();
    assert.ok(rows.some((top) => top <= list.y + 60), 'the list is filled from its top');
  });

  it('decides only about chosen findings that are listed', async () => {
    await review();
    await press('J', 'J');
    await id('only-critical').click();
    await id('bulk').filter({ hasText: '3 selected, 2 hidden by the filter' }).waitFor();
    await press('x');
    await id('only-critical').click();
    await decided('dismissed').first().waitFor();
    await hasCount(decided('dismissed'), 1);
  });

  it('offers the latest branches and commits where nothing has changed', async () => {
    const folder = path.join(home.folder, 'clean');
    await mkdir(folder);
    git(folder, 'init', '-q', '-b', 'main');
    await writeFile(path.join(folder, 'a.ts'), 'const a = 1;\n');
    git(folder, 'add', '-A');
    git(folder, 'commit', '-q', '-m', 'Add a');
    git(folder, 'checkout', '-q', '-b', 'topic/b');
    await writeFile(path.join(folder, 'b.ts'), 'const b = 2;\n');
    git(folder, 'add', '-A');
    git(folder, 'commit', '-q', '-m', 'Add b');
    git(folder, 'checkout', '-q', 'main');
    await start('--repo', folder);
    await id('change-picker').click();
    await id('change-option').filter({ hasText: 'All local changes' }).click();
    await page.getByText('No changes').waitFor();
    const offered = id('offered-change');
    await offered.filter({ hasText: 'topic/b' }).waitFor();
    await offered.filter({ hasText: 'Add a' }).waitFor();
    await shot('no changes');
    await offered.filter({ hasText: 'topic/b' }).click();
    await id('diff-line').filter({ hasText: 'const b = 2;' }).waitFor();
  });

  it('gives the focus back when a form closes', async () => {
    await review();
    await id('finding-row').first().click();
    for (const keys of [['e'], ['X'], ['l'], ['Control+f'], ['c'], ['/']]) {
      await press(...keys);
      await page.waitForFunction(() => /^(TEXTAREA|INPUT)$/.test(document.activeElement.tagName));
      await press('Escape');
      await page.waitForFunction(() => !/^(TEXTAREA|INPUT|BODY)$/.test(document.activeElement.tagName), undefined, { timeout: 5_000 });
    }
  });

  it('gives an action another key, and the usual one back', async () => {
    await review();
    await press('?');
    await id('key-accept').click();
    await press('w', 'Escape');
    await press('j', 'a');
    assert.equal(await decided('accepted').count(), 0, 'the old key means nothing');
    assert.match(await id('accept').first().innerText(), /w$/, 'buttons show the key that it is');
    await press('w');
    await decided('accepted').waitFor();
    await press('?');
    await page.getByRole('button', { name: 'Reset all shortcuts' }).click();
    await press('Escape', 'w');
    await hasCount(decided('accepted'), 1);
    await press('a');
    await decided('accepted').nth(1).waitFor();
  });

  it('offers every action by name or by key', async () => {
    await review();
    await press('?');
    const listed = await page.locator('[data-testid^="key-"]').evaluateAll((all) =>
      all.map((one) => ({ name: one.dataset.testid.slice(4), key: one.innerText.trim() })),
    );
    const keys = listed.map((one) => one.key).filter((key) => key && key !== 'none');
    assert.equal(new Set(keys).size, keys.length, 'no key means two things');
    assert.ok(listed.length > 50, `${listed.length} actions`);
    await press('Escape', 'Control+k');
    const offered = await page.getByRole('option').count();
    assert.ok(offered > 30, `${offered} can be done now`);
  });
});
