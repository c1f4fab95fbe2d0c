// Reading a change in Debian's Chromium: the limits of a prompt, the file list, the overview, the options of the diff.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { git, journey } from './journey.mjs';
import { model, reviewed } from './support.mjs';

let talker;
before(async () => (talker = await model()));
after(() => talker?.stop());

describe('reading a change', () => {
  const desk = journey('reading', { modelUrl: async () => talker.url, timeout: 60_000 });
  const { id, press, looks, repository, add } = desk;
  let page, home;
  const start = async (...args) => {
    await desk.start(args);
    page = desk.page;
  };
  beforeEach(async () => {
    home = desk.home;
    await talker.say(reviewed);
    sentBefore = (await allPrompts()).length;
  });

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

  /** A staged change of a long file in a deep folder: reindented lines, a long line, and a real change. */
  const deep = 'packages/server/src/features/notifications/delivery/handlers/outgoing-webhook-delivery-handler.ts';
  // `q` shows its lines, which are folded otherwise.
  const edited = async () => {
    const text = (indent, value) =>
      Array.from({ length: 120 }, (_, at) =>
        at === 60 ? `${indent}const message = ${"'a long text with many words', ".repeat(12)}${value};\n` : `${indent}call(${at + 1});\n`,
      ).join('');
    const folder = await repository({ [deep]: text('', 1), 'src/b.ts': lines(5) });
    await add(folder, { [deep]: text('  ', 2), 'src/b.ts': lines(5, 'other') });
    return folder;
  };
  const row = (line, side = 'new') => page.locator(`[data-testid="diff-line"][data-file="0"][data-line="${line}"][data-side="${side}"]`);

  it('keeps the header of a file in view, and cuts its folders', async () => {
    await start('--repo', await edited());
    await press('q');
    assert.equal(await id('stuck-header').count(), 0);
    await page.getByRole('region', { name: 'Changes' }).hover();
    await page.mouse.wheel(0, 1_500);
    await id('stuck-header').waitFor();
    await page.setViewportSize({ width: 900, height: 600 });
    const name = id('stuck-header').locator('b');
    assert.equal(await name.innerText(), 'outgoing-webhook-delivery-handler.ts');
    assert.ok(await name.evaluate((node) => node.scrollWidth <= node.clientWidth), 'the name is not cut');
    await looks('sticky');
    // A line that the cursor moves to is not below the header.
    await press('ArrowDown', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowUp');
    await page.locator('.diff-line.chosen').waitFor();
    const chosen = await page.locator('.diff-line.chosen').boundingBox();
    const header = await id('stuck-header').boundingBox();
    assert.ok(chosen.y >= header.y + header.height - 1, 'the line is below the header');
  });

  it('ignores whitespace changes', async () => {
    await start('--repo', await edited());
    await press('q');
    await row(1, 'old').first().waitFor();
    await press('w');
    await row(1).locator('.sign', { hasText: '' }).waitFor();
    assert.equal(await page.locator('.diff-line.del').count(), 0, 'reindented lines are unchanged');
    await page.getByRole('region', { name: 'Changes' }).hover();
    await page.mouse.wheel(0, 1_000);
    await page.locator('.diff-line.del').first().waitFor();
    await looks('whitespace');
    const changed = () => page.locator('.diff-line.add, .diff-line.del').count();
    assert.equal(await changed(), 2);
    await press('w');
    await page.waitForFunction(() => document.querySelectorAll('.diff-line.add, .diff-line.del').length > 10);
  });

  it('wraps long lines at words with an indent, or scrolls them sideways', async () => {
    await start('--repo', await edited());
    await press('w');
    await page.getByRole('region', { name: 'Changes' }).hover();
    await page.mouse.wheel(0, 1_000);
    const long = row(61).locator('code');
    await long.waitFor();
    assert.ok(parseFloat(await long.evaluate((node) => getComputedStyle(node).paddingLeft)) > 10, 'continued lines are indented');
    await looks('wrapped');
    await press('W');
    await id('sideways').waitFor();
    await page.waitForFunction(() => {
      const code = document.querySelector('[data-file="0"][data-line="61"][data-side="new"] code');
      return code.getBoundingClientRect().height < 30;
    });
    const before = await long.evaluate((node) => getComputedStyle(node).textIndent);
    await id('sideways').evaluate((node) => (node.scrollLeft = 400));
    await page.waitForFunction((was) => getComputedStyle(document.querySelector('[data-line="61"][data-side="new"] code')).textIndent !== was, before);
    await looks('sideways');
    await press('v');
    await page.mouse.wheel(0, 10);
    await looks('sideways-split');
  });

  it('copies the place of a line, and opens it in the editor', async () => {
    const folder = await edited();
    await start('--repo', folder);
    await press('q');
    await page.evaluate(() => {
      window.opened = [];
      window.open = (url) => void window.opened.push(url);
    });
    await press('ArrowDown', 'Y');
    await page.getByText(`Copied ${deep}:1`).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `${deep}:1`);
    await press('Enter');
    assert.deepEqual(await page.evaluate(() => window.opened), [`vscode://file${folder}/${deep}:1`]);
  });

  it('names added and removed lines for screen readers', async () => {
    await start('--repo', await edited());
    await page.getByRole('img', { name: 'removed' }).first().waitFor();
    await press('w');
    assert.equal(await page.getByRole('img', { name: 'removed' }).count(), 0);
  });

  it('lists files as a tree, and filters them', async () => {
    const folder = await repository({ CODEOWNERS: '* @all\n[Docs]\n*.md @writers\n' });
    const names = ['src/app/step10.ts', 'src/app/step2.ts', 'src/app/step1.ts', 'src/lib/deep/inner/a.rs', 'docs/guide.md', 'docs/notes.md', 'Makefile'];
    await add(folder, Object.fromEntries(names.map((name) => [name, lines(4)])));
    await start('--repo', folder);
    const listed = () => page.locator('[data-testid="file-row"], [data-testid="folder-row"]').evaluateAll((rows) => rows.map((row) => row.dataset.path ?? `${row.title}/`));
    const steps = (await listed()).filter((name) => name.includes('step'));
    assert.deepEqual(steps, ['src/app/step1.ts', 'src/app/step2.ts', 'src/app/step10.ts']);
    await looks('files-list');
    await press('t');
    await id('folder-row').first().waitFor();
    assert.deepEqual(await listed(), ['docs/', 'docs/guide.md', 'docs/notes.md', 'src/', 'app/', 'src/app/step1.ts', 'src/app/step2.ts', 'src/app/step10.ts', 'lib/deep/inner/', 'src/lib/deep/inner/a.rs', 'Makefile']);
    await id('folder-row').filter({ hasText: 'app' }).click();
    await page.waitForFunction(() => document.querySelectorAll('[data-testid="file-row"]').length === 4);
    await id('folder-row').filter({ hasText: 'app' }).click();
    await id('file-filters').click();
    await id('file-owner').selectOption('@writers');
    await page.waitForFunction(() => document.querySelectorAll('[data-testid="file-row"]').length === 2);
    await looks('files-tree');
    await page.getByLabel('Owner').selectOption('');
    await id('file-filter').fill('step 1');
    await page.waitForFunction(() => document.querySelectorAll('[data-testid="file-row"]').length === 2);
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.querySelectorAll('[data-testid="file-row"]').length === 7);
    await press('Tab');
    await page.getByRole('region', { name: 'Changes' }).focus();
    await press('d');
    await page.getByLabel('Not viewed').check();
    await page.waitForFunction(() => document.querySelectorAll('[data-testid="file-row"]').length === 6);
  });

  it('shows the message of a commit, and the commits of a branch', async () => {
    const folder = await repository({ 'a.ts': lines(3) });
    git(folder, 'checkout', '-q', '-b', 'topic');
    await add(folder, { 'a.ts': lines(4) });
    git(folder, 'commit', '-q', '-m', 'Add a line\n\nIt is **needed** by the next step.');
    await add(folder, { 'work.ts': lines(2) });
    await start('--repo', folder);
    await press('o');
    await id('change-option').filter({ hasText: 'Add a line' }).last().click();
    await page.getByTestId('change-picker').filter({ hasText: 'Commit' }).waitFor();
    await press('b');
    await id('overview').getByText('Add a line').waitFor();
    assert.match(await id('overview').innerText(), /Ada Lovelace/);
    assert.equal(await id('description').locator('strong').innerText(), 'needed');
    await looks('overview-commit');
    git(folder, 'commit', '-q', '-m', 'Add another file');
    await press('o');
    await id('change-option').filter({ hasText: 'topic' }).first().click();
    await id('commit').nth(1).waitFor();
    assert.deepEqual(await id('commit').locator('.subject').allInnerTexts(), ['Add a line', 'Add another file']);
    await looks('overview-branch');
    await press('b');
    await page.getByRole('region', { name: 'Changes' }).waitFor();
  });

  it('links places in the description of a review to the diff', async () => {
    const folder = await repository({});
    await add(folder, { 'src/a.ts': lines(90) });
    const summary = 'The important part is `src/a.ts:70`, not other.ts:3.';
    await talker.say({ text: JSON.stringify({ summary_markdown: summary, findings: [] }), usage: { input: 10, output: 10 } });
    await start('--repo', folder);
    await press('r');
    await page.waitForFunction(() => document.querySelector('[data-testid=status-bar]').textContent.includes('Reviewed'));
    await press('i');
    const link = id('summary').locator('[data-place]');
    assert.deepEqual(await link.allInnerTexts(), ['src/a.ts:70']);
    await link.click();
    await page.locator('.diff-line.chosen[data-line="70"]').waitFor();
  });

  it('shows dismissed findings in one line, and findings in the overview ruler', async () => {
    await start('--sample');
    await id('change-picker').click();
    await id('change-option').filter({ hasText: 'topic/refunds' }).first().click();
    await id('change-picker').filter({ hasText: 'topic/refunds' }).waitFor();
    await press('r');
    await id('finding-row').first().waitFor();
    await id('finding-row').filter({ hasText: 'The age check' }).click();
    await id('ruler').locator('span').first().waitFor();
    const card = page.locator('[data-testid="finding-card"].selected').filter({ hasText: 'The age check' });
    const high = (await card.boundingBox()).height;
    const key = await card.getAttribute('data-finding');
    await press('x');
    await id('finding-row').filter({ hasText: 'markRefunded' }).click();
    await page.waitForFunction(([key, high]) => document.querySelector(`[data-testid="finding-card"][data-finding="${key}"][data-decision="dismissed"]`)?.getBoundingClientRect().height < Math.min(40, high), [key, high]);
    await looks('dismissed');
  });
});
