// Coming back to merge requests on a fake GitLab in Debian's Chromium: a rebase, an unrelated head, a stack; and lists of several pages.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, afterEach, before, describe, it } from 'node:test';
import { accessible } from './accessible.mjs';
import { git, journey, write } from './journey.mjs';
import { cloneOf, fakeGitlab, hasCount, model } from './support.mjs';

let talker;
before(async () => (talker = await model()));
after(() => talker?.stop());

const text = (...changes) =>
  Array.from({ length: 60 }, (_, at) => changes.find(([line]) => line === at + 1)?.[1] ?? `let value_${at + 1} = ${at + 1};`).join('\n') + '\n';
const finding = (line, quote, title) => ({
  severity: 'high',
  category: 'correctness',
  path: 'src/ledger.rs',
  line_start: line,
  line_end: line,
  title,
  body_markdown: `${title}.`,
  quote,
});
const answering = (...findings) => talker.say({ text: JSON.stringify({ summary_markdown: 'Read.', findings }), usage: { input: 900, output: 200 } });
const [FIRST, SECOND, THIRD] = [[10, 'first();'], [14, 'second();'], [18, 'third();']];

describe('coming back to a merge request', () => {
  const desk = journey('coming-back', { modelUrl: async () => talker.url, widths: [900, 1280], checks: accessible });
  const { id, press, looks, repository } = desk;
  let page, gitlab, origin, server;

  afterEach(async () => {
    await gitlab?.stop();
    gitlab = null;
  });

  const commit = async (message, files) => {
    await write(origin, files);
    git(origin, 'add', '-A');
    git(origin, 'commit', '-q', '-m', message);
  };
  /** Starts the server with merge request 7 of a branch, and opens the page of a clone. */
  const start = async (source, prepare = async () => {}) => {
    git(origin, 'checkout', '-q', 'main');
    gitlab = await fakeGitlab(origin, source, 'main');
    server = (await gitlab.ask({ do: 'repository' })).path;
    await prepare();
    const clone = await cloneOf(desk.home, origin, gitlab);
    // The clone has no change of its own.
    await desk.start(['--repo', clone.folder], clone.env, () => id('change-picker').waitFor());
    page = desk.page;
  };
  const open = async (name) => {
    await id('change-picker').click();
    await id('change-option').filter({ hasText: name }).click();
    await desk.painted();
    await id('file-row').first().waitFor();
  };
  /** Pushes a branch to the server, as its author. */
  const push = async (branch) => {
    git(origin, 'push', '-q', '--force', server, branch);
    await gitlab.ask({ do: 'pushed' });
  };
  const review = async (key = 'r') => {
    await press(key);
    await page.waitForFunction(() => document.querySelector('[data-testid=status-bar]').textContent.includes('Reviewed'));
  };
  const texts = (name) => id(name).allInnerTexts();

  const refunds = async () => {
    origin = await repository({ 'src/ledger.rs': text() });
    git(origin, 'checkout', '-q', '-b', 'refunds');
    await commit('Book refunds', { 'src/ledger.rs': text(FIRST) });
  };

  it('shows the edits after a rebase, and marks findings on lines that were there before', async () => {
    await refunds();
    await answering(finding(10, 'first();', 'The first call is wrong'));
    await start('refunds');
    await open('!7');
    await review();
    git(origin, 'checkout', '-q', 'main');
    await commit('Change the target branch', { 'src/ledger.rs': text([40, 'upstream();']) });
    git(origin, 'push', '-q', server, 'main');
    git(origin, 'checkout', '-q', 'refunds');
    git(origin, 'rebase', '-q', 'main');
    await commit('Answer the review', { 'src/ledger.rs': text(FIRST, [12, 'later();'], [40, 'upstream();']) });
    await push('refunds');
    await page.reload();
    await id('versions-view').waitFor();
    await id('edit-line').filter({ hasText: 'later();' }).waitFor();
    assert.ok((await texts('edit-line')).every((line) => !line.includes('upstream')));
    // The pickers have the versions of GitLab. Between the first version and itself, nothing changed.
    const versions = await id('until-picker').locator('option').allInnerTexts();
    assert.equal(versions.length, 2, versions.join('\n'));
    await id('until-picker').selectOption('1');
    await page.getByText('Nothing changed').first().waitFor();
    await id('until-picker').selectOption('2');
    await id('edit-line').filter({ hasText: 'later();' }).waitFor();
    await looks('rebased');

    // The agent gets the new edits, and one of its findings is on a line that was there before.
    await answering(finding(10, 'first();', 'The first call is wrong'), finding(12, 'later();', 'The later call is wrong'));
    await id('review-new').click();
    await id('finding-row').filter({ hasText: 'The later call is wrong' }).waitFor();
    const marked = id('finding-row').filter({ has: page.getByTestId('was-there-before') });
    await hasCount(marked, 1);
    assert.match(await marked.innerText(), /The first call is wrong/);
    await looks('there-before');
    await id('only-new').click();
    await hasCount(id('finding-row'), 1);
    assert.match(await id('finding-row').innerText(), /The later call is wrong/);
    await id('only-new').click();
    await hasCount(id('finding-row'), 2);
  });

  it('shows everything that differs after the history was written again', async () => {
    await refunds();
    await answering();
    await start('refunds');
    await open('!7');
    await review();
    git(origin, 'checkout', '-q', '--orphan', 'other');
    await commit('Begin again', { 'src/ledger.rs': text() });
    git(origin, 'branch', '-f', 'main', 'other');
    await commit('Book refunds again', { 'src/ledger.rs': text(FIRST, [50, 'unrelated();']) });
    git(origin, 'branch', '-f', 'refunds', 'other');
    git(origin, 'push', '-q', '--force', server, 'main');
    await push('refunds');
    await page.reload();
    await id('version-note').filter({ hasText: 'unrelated commits' }).waitFor();
    await id('edit-line').filter({ hasText: 'unrelated();' }).waitFor();
    await looks('unrelated');
  });

  it('shows a stack with the states of its layers, and posts a finding once, on its own layer', async () => {
    origin = await repository({ 'src/ledger.rs': text() });
    const layers = { first: [FIRST], second: [FIRST, SECOND], third: [FIRST, SECOND, THIRD] };
    for (const [branch, changes] of Object.entries(layers)) {
      git(origin, 'checkout', '-q', '-b', branch);
      await commit(`Add ${branch}`, { 'src/ledger.rs': text(...changes) });
    }
    await answering(finding(10, 'first();', 'The first call is wrong'), finding(14, 'second();', 'The second call is wrong'));
    await start('first', async () => {
      await gitlab.ask({ do: 'request', iid: 8, source: 'second', target: 'first', title: 'The second layer', pipeline: 'failed', label: '' });
      await gitlab.ask({ do: 'request', iid: 9, source: 'third', target: 'second', title: 'The third layer', pipeline: 'success', label: '' });
      await gitlab.ask({ do: 'approve', iid: 9 });
    });
    await open('!8');
    await hasCount(id('stack-layer'), 3);
    const layer = (name) => page.locator(`[data-layer="${name}"]`);
    assert.equal(await layer('!8').getAttribute('aria-current'), 'page');
    await layer('!8').getByRole('img', { name: /failed/i }).waitFor();
    await layer('!9').getByRole('img', { name: /passed/i }).waitFor();
    assert.match(await layer('!9').getByTestId('stack-approvals').innerText(), /^1/);
    assert.match(await layer('!8').innerText(), /not reviewed/);
    await review();
    await layer('!8').filter({ hasText: 'reviewed' }).waitFor();
    await hasCount(id('finding-row'), 2);
    await looks('stack');

    // The finding on the line of the lower layer moves there.
    await press('P');
    await id('post-elsewhere').filter({ hasText: 'The first call is wrong' }).waitFor();
    await looks('elsewhere');
    await id('post-all').click();
    await id('post-status').filter({ hasText: 'Posted.' }).waitFor();
    await id('post-move').click();
    await layer('!7').and(page.locator('[aria-current=page]')).waitFor();
    await id('finding-row').filter({ hasText: 'The first call is wrong' }).waitFor();
    const sheet = id('post-sheet');
    if ((await sheet.count()) === 0) await press('P');
    await sheet.getByText('The first call is wrong').first().waitFor();
    await id('post-all').click();
    await id('post-status').filter({ hasText: 'Posted.' }).waitFor();
    // The moved findings have no run folder, and nothing is written into the current one.
    assert.ok(!existsSync('post_plan.json'), 'the plan was written into the current folder');
    const posted = async (iid, title) => {
      const { threads } = await gitlab.ask({ do: 'look', iid });
      return threads.filter((thread) => thread.line !== null && thread.bodies[0].includes(title)).length;
    };
    assert.deepEqual([await posted(7, 'The first call'), await posted(8, 'The first call')], [1, 0]);
    assert.deepEqual([await posted(7, 'The second call'), await posted(8, 'The second call')], [0, 1]);
  });

  it('lists edits of several pages, the first before the others', async () => {
    const files = (word) => Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`src/file_${at}.rs`, Array.from({ length: 300 }, (_, line) => `let ${word}_${line} = ${line};\n`).join('')]));
    const folder = await repository({ 'README.md': 'Start\n' });
    git(folder, 'checkout', '-q', '-b', 'feature');
    await write(folder, files('old'));
    git(folder, 'add', '-A');
    git(folder, 'commit', '-q', '-m', 'Add files');
    await desk.start(['--repo', folder]);
    page = desk.page;
    await write(folder, files('new'));
    git(folder, 'commit', '-q', '-am', 'Change all lines');
    const asked = [];
    page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => asked.push(JSON.parse(payload))));
    await page.reload();
    await id('file-row').first().waitFor();
    await press('=');
    await id('edit-line').first().waitFor();
    await id('version-sums').filter({ hasText: /^40 files, 24[^0-9]?000 lines/ }).waitFor();
    assert.ok(asked.filter((one) => one.method === 'change.since').length > 2, 'several pages were read');
    await press('End');
    await id('edit-line').filter({ hasText: 'new_299' }).first().waitFor();
    await looks('pages');
  });
});
