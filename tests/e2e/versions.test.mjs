// Coming back to a branch in Debian's Chromium: the author's edits between two openings, after a rebase.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { accessible } from './accessible.mjs';
import { git, journey, write } from './journey.mjs';
import { hasCount, model, reviewed } from './support.mjs';

let talker;
before(async () => (talker = await model()));
after(() => talker?.stop());

describe('versions of a change', () => {
  const desk = journey('versions', { modelUrl: async () => talker.url, timeout: 20_000, widths: [900, 1280], checks: accessible });
  const { id, press, looks, repository } = desk;
  let page;
  const start = async (folder) => {
    await desk.start(['--repo', folder]);
    page = desk.page;
  };
  beforeEach(() => talker.say(reviewed));

  const numbered = (count, name) => Array.from({ length: count }, (_, at) => `    let ${name}_${at + 1} = step(${at + 1});`);
  const source = (lines) => `pub fn run() {\n${lines.join('\n')}\n}\n`;
  const commit = (folder, message) => {
    git(folder, 'add', '-A');
    git(folder, 'commit', '-q', '-m', message);
  };
  const own = (folder, text) => write(folder, { 'src/own.rs': `pub fn own() -> u32 {\n${text}\n}\n` });

  /** A repository whose branch adds a file and changes a line of another one. */
  const branch = async () => {
    const shared = numbered(40, 'shared');
    const folder = await repository({ 'src/shared.rs': source(shared), 'src/other.rs': source(numbered(5, 'other')) });
    git(folder, 'checkout', '-q', '-b', 'feature');
    await own(folder, '    1 + 1');
    commit(folder, 'Add a function');
    await write(folder, { 'src/shared.rs': source(shared.with(30, '    let shared_31 = own();')) });
    commit(folder, 'Call it');
    return { folder, shared };
  };
  /** The target branch changes lines and a file. `touched` is a line of the shared file that it changes, too. */
  const advance = async (folder, shared, touched = 2) => {
    git(folder, 'checkout', '-q', 'main');
    const changed = shared.with(touched, '    let from_target = target();');
    await write(folder, { 'src/shared.rs': source(['    // From the target branch', ...changed]), 'src/other.rs': source(numbered(9, 'other')) });
    commit(folder, 'Change the target branch');
    git(folder, 'checkout', '-q', 'feature');
    return changed;
  };
  const review = async () => {
    await press('r');
    await page.waitForFunction(() => document.querySelector('[data-testid=status-bar]').textContent.includes('Reviewed'));
  };
  /** Opens the branch again, as after a push. */
  const comeBack = async (wasReviewed = true) => {
    await page.reload();
    await id('status-bar').waitFor();
    await id('file-row').first().waitFor();
    // A change that was reviewed opens with what is new since then, and says so.
    if (!wasReviewed) await press('=');
    await id('versions-view').waitFor();
    if (!wasReviewed) return assert.equal(await id('since-note').count(), 0);
    assert.match(await id('since-note').innerText(), /^You reviewed this change before\. .* press = for the whole change\.$/);
  };
  const texts = (name) => id(name).allInnerTexts();

  it('shows the edits of the author after a rebase, and hides what the target branch brought', async () => {
    const { folder, shared } = await branch();
    await start(folder);
    await press('=');
    await page.getByText('No earlier version').waitFor();
    await press('=');
    await id('versions-view').waitFor({ state: 'detached' });
    await review();

    await advance(folder, shared);
    git(folder, 'rebase', '-q', 'main');
    await own(folder, '    let two = 1 + 1;\n    two * 21');
    commit(folder, 'Answer the review');
    await comeBack();
    await id('version-sums').waitFor();
    assert.match(await id('version-sums').innerText(), /^1 file, 3 lines; \d+ lines? from the target branch.* hidden/);
    const [file, ...others] = await texts('edited-file');
    assert.match(file.replaceAll('\n', ''), /^src\/own\.rs/);
    assert.deepEqual(others, []);
    const lines = await texts('edit-line');
    assert.ok(lines.some((text) => text.includes('two * 21')));
    assert.ok(lines.every((text) => !text.includes('target')));
    assert.match(await id('version-picker').locator('option:checked').innerText(), /^v1 · [0-9a-f]{8} · .*\d commits?, \d files? · your last review/);
    await looks('edited');

    await id('version-commits').locator('summary').click();
    assert.match(await id('version-commits').innerText(), /Commits: 2 unchanged, 1 new/);
    assert.match((await texts('version-commit')).at(-1), /new\s+3\s+[0-9a-f]{8}\s+Answer the review/);
    await looks('commits');

    await id('edit-line').filter({ hasText: 'two * 21' }).click();
    await id('versions-view').waitFor({ state: 'detached' });
    await page.locator('.diff-line.chosen', { hasText: 'two * 21' }).waitFor();

    // The same with the keyboard, and back to the whole change.
    await press('=');
    await id('edit-line').first().waitFor();
    await press('j', 'j', 'Enter');
    await id('versions-view').waitFor({ state: 'detached' });
    await page.locator('.diff-line.chosen').first().waitFor();
    await id('place-since').click();
    await id('whole-change').click();
    await id('versions-view').waitFor({ state: 'detached' });
  });

  it('says that a rebase without an edit changed nothing', async () => {
    const { folder, shared } = await branch();
    await start(folder);
    await review();
    await advance(folder, shared);
    git(folder, 'rebase', '-q', 'main');
    await comeBack();
    await page.getByText('Nothing changed since your review (rebased)').waitFor();
    assert.equal(await id('edit-line').count(), 0);
    await looks('rebased');
  });

  it('marks the resolution of a conflict, and compares with the version before without a review', async () => {
    const { folder, shared } = await branch();
    await start(folder);
    const changed = await advance(folder, shared, 30);
    assert.throws(() => git(folder, 'rebase', '-q', 'main'));
    await write(folder, { 'src/shared.rs': source(['    // From the target branch', ...changed.with(30, '    let both = own() + target();')]) });
    git(folder, 'add', '-A');
    git(folder, '-c', 'core.editor=true', 'rebase', '--continue');
    await comeBack(false);
    await id('edit-conflict').waitFor();
    assert.match((await texts('edited-file'))[0], /conflict resolved/);
    assert.ok((await texts('edit-line')).some((text) => text.includes('let both = own() + target();')));
    await looks('conflict');
  });

  it('says that the reviewed commits are lost, and offers other versions and the whole change', async () => {
    const { folder, shared } = await branch();
    await start(folder);
    await review();
    await advance(folder, shared);
    git(folder, 'rebase', '-q', 'main');
    for (const ref of git(folder, 'for-each-ref', '--format=%(refname)', 'refs/diffsan').split('\n').filter(Boolean))
      git(folder, 'update-ref', '-d', ref);
    git(folder, 'update-ref', '-d', 'ORIG_HEAD');
    git(folder, 'reflog', 'expire', '--expire=now', '--all');
    git(folder, 'gc', '-q', '--prune=now');
    await comeBack();
    await id('versions-view').getByTestId('error').filter({ hasText: 'does not have the commit' }).waitFor();
    await looks('lost');
    // The other version is the one that was opened just now.
    const versions = await id('version-picker').locator('option').allInnerTexts();
    assert.match(versions.join('\n'), /^v2 · [0-9a-f]{8} · .*shown now\nv1 · [0-9a-f]{8} · your last review$/);
    await id('version-picker').selectOption('2');
    await page.getByText('Nothing changed since this version').waitFor();
    await id('version-picker').selectOption('1');
    await id('whole-change-offer').click();
    await id('versions-view').waitFor({ state: 'detached' });
    await id('diff-line').first().waitFor();
  });

  it('compares up to an earlier version, and shows earlier findings beside the edits that answered them', async () => {
    const { folder } = await branch();
    await start(folder);
    // A finding on the line that the author will edit.
    await press('ArrowDown', 'ArrowDown', 'l');
    await id('finding-text').fill('Use a name for this number.');
    await id('finding-save').click();
    await id('finding-row').waitFor();
    await own(folder, '    let two = 1 + 1;\n    two * 21');
    commit(folder, 'Answer');
    await comeBack();
    const remark = id('edit-remark');
    await remark.waitFor();
    assert.match((await remark.innerText()).replaceAll('\n', ' '), /Use a name for this number\. its code was edited/);
    await looks('remark');
    await own(folder, '    77');
    commit(folder, 'Once more');
    await page.reload();
    await id('versions-view').waitFor();
    await id('edit-line').filter({ hasText: '    77' }).waitFor();
    // The second picker ends the comparison at the version before.
    await id('until-picker').selectOption('2');
    await id('edit-line').filter({ hasText: 'two * 21' }).waitFor();
    assert.equal(await id('edit-line').filter({ hasText: '    77' }).count(), 0);
    assert.equal(await id('edit-remark').count(), 1);
    // A click leads to the finding in the whole change.
    await id('edit-remark').click();
    await id('versions-view').waitFor({ state: 'detached' });
  });

  it('reads commit by commit, with fixups and a finding about a message', async () => {
    const { folder } = await branch();
    await own(folder, '    2 + 2');
    commit(folder, 'fixup! Add a function');
    await start(folder);
    await press(';');
    await id('commits-view').waitFor();
    await id('commit-place').getByText('Commit 1 of 3').waitFor();
    const rows = (await texts('commit-row')).map((text) => text.replaceAll('\n', ' '));
    assert.match(rows[0], /^1 Add a function fixed by 3/);
    assert.match(rows[1], /^3 fixup! Add a function fixes 1/);
    assert.match(rows[2], /^2 Call it/);
    await id('edit-line').filter({ hasText: '1 + 1' }).waitFor();
    await press('Alt+ArrowDown');
    await id('commit-place').getByText('Commit 2 of 3').waitFor();
    await id('edit-line').filter({ hasText: 'let shared_31 = own();' }).waitFor();
    await press('l');
    await id('finding-text').fill('Say why it is called.');
    await id('finding-save').click();
    await id('commit-message').getByText('Say why it is called.').waitFor();
    await id('commit-findings').getByText('1 finding').waitFor();
    await looks('one-commit');
    await press('Alt+ArrowUp');
    await id('commit-place').getByText('Commit 1 of 3').waitFor();
    await id('commit-until').selectOption('1');
    await id('commit-place').getByText('Commits 1 to 2 of 3').waitFor();
    await hasCount(id('edited-file'), 2);
    await press(';');
    await id('commits-view').waitFor({ state: 'detached' });
    // A finding on a line is on the commit that introduced it.
    await press('ArrowDown', 'ArrowDown', 'l');
    await id('finding-text').fill('Four is a better name.');
    await id('finding-save').click();
    await id('finding-row').nth(1).waitFor();
    await press(';');
    await id('commit-row').nth(1).getByTestId('commit-findings').waitFor();
    await id('commit-row').nth(1).click();
    await id('edit-remark').filter({ hasText: 'Four is a better name.' }).waitFor();
    await looks('finding-on-commit');
  });

  it('shows branches in a row as a stack, and goes through its layers', async () => {
    const { folder } = await branch();
    git(folder, 'checkout', '-q', '-b', 'second');
    await own(folder, '    2 + 2');
    commit(folder, 'Second layer');
    git(folder, 'checkout', '-q', '-b', 'third');
    await write(folder, { 'src/third.rs': source(numbered(3, 'third')) });
    commit(folder, 'Third layer');
    git(folder, 'checkout', '-q', 'second');
    await start(folder);
    await hasCount(id('stack-layer'), 3);
    assert.deepEqual(await id('stack-layer').evaluateAll((all) => all.map((one) => one.dataset.layer)), ['feature', 'second', 'third']);
    assert.equal(await page.locator('[data-testid=stack-layer][aria-current=page]').getAttribute('data-layer'), 'second');
    // The branch was opened with all commits since the default branch.
    await id('stack-own').click();
    await hasCount(id('file-row'), 1);
    await id('stack-own').waitFor({ state: 'detached' });
    await looks('stack');
    await press('"');
    await page.locator('[data-layer=third][aria-current=page]').waitFor();
    assert.match(await id('file-row').innerText(), /third\.rs/);
    await press(':', ':');
    await page.locator('[data-layer=feature][aria-current=page], [data-layer=second][aria-current=page]').waitFor();
  });
});
