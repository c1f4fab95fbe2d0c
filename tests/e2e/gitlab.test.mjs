// A merge request from its address to its posted review, in Debian's Chromium against `diffsan serve` and a fake GitLab.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { chromium } from 'playwright-core';
import { fakeGitlab, hasCount, model, out, place, program, serving } from './support.mjs';

const shots = path.join(out, 'gitlab');
const text = (...changes) =>
  Array.from({ length: 60 }, (_, index) => changes.find(([line]) => line === index + 1)?.[1] ?? `    let value_${index + 1} = ${index + 1};`).join('\n') + '\n';
const finding = (line, quote, more = {}) => ({
  severity: 'high',
  category: 'correctness',
  path: 'src/ledger.rs',
  line_start: line,
  line_end: line,
  title: `Line ${line} drops the sign`,
  body_markdown: 'A refund is negative, and `abs` loses that.\n\n/merge\n\nAsk @author.',
  quote,
  ...more,
});
const answer = {
  summary_markdown: 'Refunds are booked, but their sign is lost.',
  findings: [
    finding(10, 'let value_10 = amount.abs();', { suggested_patch: { format: 'replacement', content: '    let value_10 = amount;' } }),
    finding(40, 'let value_40 = total.abs();', { severity: 'medium' }),
    finding(55, 'let value_55 = 55;', { severity: 'low', title: 'A number without a name' }),
    finding(58, 'let value_58 = 58;', { severity: 'low', title: 'Another number without a name' }),
  ],
};

describe('a merge request in a browser', () => {
  let chrome, talker, home, server, page, gitlab, errors;
  /** The page's requests to the core. */
  const sent = [];

  before(async () => {
    await mkdir(shots, { recursive: true });
    chrome = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
    talker = await model();
    await talker.say({ text: JSON.stringify(answer), usage: { input: 900, output: 200 } });
    home = await place(talker.url);
    const origin = path.join(home.folder, 'origin');
    const git = (folder, ...args) =>
      execFileSync('git', ['-C', folder, '-c', 'user.name=Author', '-c', 'user.email=author@example.com', ...args]);
    await mkdir(path.join(origin, 'src'), { recursive: true });
    git(origin, 'init', '-q', '-b', 'main');
    await writeFile(path.join(origin, 'src/ledger.rs'), text());
    git(origin, 'add', '-A');
    git(origin, 'commit', '-q', '-m', 'base');
    git(origin, 'checkout', '-q', '-b', 'refunds');
    await writeFile(path.join(origin, 'src/ledger.rs'), text([10, '    let value_10 = amount.abs();'], [40, '    let value_40 = total.abs();']));
    git(origin, 'commit', '-q', '-am', 'Book refunds');
    git(origin, 'checkout', '-q', 'main');
    gitlab = await fakeGitlab(origin, 'refunds', 'main');
    const { url } = gitlab;
    await gitlab.ask({ do: 'comment', path: 'src/ledger.rs', line: 40, body: 'Why **total** here?' });
    const clone = path.join(home.folder, 'clone');
    git(home.folder, 'clone', '-q', '--single-branch', '-b', 'main', origin, clone);
    git(clone, 'remote', 'set-url', 'origin', `${url}/group/sub/project.git`);
    const env = { ...home.env, DIFFSAN_AGENT__NAME: 'second', DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere', DIFFSAN_GITLAB__RETRY_PAUSE_MS: '10' };
    server = await serving(program('diffsan'), ['serve', '--repo', clone], { env });
    page = await chrome.newPage({ viewport: { width: 1440, height: 900 } });
    page.setDefaultTimeout(Number(process.env.PATIENCE ?? 60_000));
    errors = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => sent.push(JSON.parse(payload))));
    await page.goto(server.address);
  });
  after(async () => {
    await page?.screenshot({ path: path.join(shots, 'last.png') }).catch(() => {});
    await chrome?.close();
    await server?.stop();
    await gitlab?.stop();
    await talker?.stop();
    await home?.remove();
    assert.deepEqual(errors, []);
  });

  afterEach(async (test) => {
    if (!test.passed) await shot(`failed ${test.name.slice(0, 40)}`).catch(() => {});
  });

  const id = (name) => page.getByTestId(name);
  const shot = (name) => page.screenshot({ path: path.join(shots, `${name}.png`) });
  /** Takes a screenshot in light and in dark. */
  const shotBoth = async (name) => {
    await shot(name);
    await page.emulateMedia({ colorScheme: 'dark' });
    await shot(`${name} dark`);
    await page.emulateMedia({ colorScheme: 'light' });
  };

  const count = (method) => sent.filter((one) => one.method === method).length;
  const middle = async (name) => {
    const box = await id(name).boundingBox();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  /** Returns the positions of the buttons in the posting sheet's footer, with their labels. */
  const footer = async (state) =>
    (await id('post-sheet').locator('footer button').evaluateAll((buttons) => buttons.map((one) => [one.innerText.trim(), one.getBoundingClientRect().toJSON()]))).map(
      ([words, box]) => ({ state, words, box }),
    );
  /** Waits until the button takes clicks and keys. */
  const ready = (name) =>
    page.waitForFunction((name) => {
      const button = document.querySelector(`[data-testid="${name}"]`);
      return button !== null && !button.disabled && button.ariaDisabled === null;
    }, name);
  const verdicts = async () => (await gitlab.ask({ do: 'look' })).verdicts;
  const footers = [];
  const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

  it('asks for a token, keeps it for the session where there is no keyring, and lists what is open', async () => {
    await id('change-picker').click();
    await id('change-option').filter({ hasText: 'Add a token' }).click();
    await id('token-input').fill('glpat-nobody');
    await id('token-save').click();
    await id('token-error').filter({ hasText: 'keyring' }).waitFor();
    await id('token-session').click();
    await id('token-error').filter({ hasText: 'does not accept' }).waitFor();
    await id('token-input').fill('glpat-reviewer-000000000');
    await id('token-save').click();
    await id('token-session').click();
    await id('token-found').filter({ hasText: 'reviewer' }).waitFor();
    await shot('token');
    assert.ok(!(await page.content()).includes('glpat-reviewer'), 'the token is not in the page any more');
    await page.getByRole('button', { name: 'Done' }).click();
    await id('change-picker').click();
    await id('change-option').filter({ hasText: '!7 Merge refunds' }).waitFor();
    await shot('picker');
    await id('change-option').filter({ hasText: '!7 Merge refunds' }).click();
    await page.waitForFunction(() => document.documentElement.dataset.diff === 'painted' && document.querySelector('[data-testid=status-bar]') !== null);
  });

  it('shows the title, description, approvals and commits in the overview', async () => {
    await page.keyboard.press('b');
    await id('overview').getByRole('heading', { name: 'Merge refunds' }).waitFor();
    await id('approvals').filter({ hasText: 'No approvals' }).waitFor();
    await id('description').filter({ hasText: 'What it is for.' }).waitFor();
    await id('commit').filter({ hasText: 'Book refunds' }).waitFor();
    await shotBoth('overview');
    await id('place-diff').click();
    await id('diff-line').first().waitFor();
  });

  it('shows the threads between the lines, answers and resolves', async () => {
    await id('thread').filter({ hasText: 'Why total here?' }).waitFor();
    // With the keyboard. A draft survives a reload.
    const answer = async () => {
      await page.keyboard.press('}');
      await page.waitForFunction(() => document.activeElement?.dataset.testid === 'thread');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
    };
    await answer();
    await page.keyboard.type('It is the sum');
    await page.reload();
    await id('thread').filter({ hasText: 'Why total here?' }).waitFor();
    await answer();
    assert.equal(await page.getByLabel('Reply', { exact: true }).inputValue(), 'It is the sum');
    await page.keyboard.press('End');
    await page.keyboard.type(' of the day.');
    await shot('thread');
    await page.keyboard.press('Control+Enter');
    await id('thread').filter({ hasText: 'It is the sum of the day.' }).waitFor();
    await id('resolve').click();
    await id('thread').filter({ hasText: 'Resolved' }).waitFor();
    const { threads } = await gitlab.ask({ do: 'look' });
    assert.deepEqual(threads[0].bodies, ['Why **total** here?', 'It is the sum of the day.']);
    assert.equal(threads[0].resolved, true);
  });

  it('shows every comment as it will land, and posts exactly that', async () => {
    // Without a review, only a verdict can be posted.
    await page.keyboard.press('P');
    await id('post-sheet').filter({ hasText: 'There are no comments to post.' }).waitFor();
    assert.ok(await id('post-all').isDisabled());
    await id('verdict-approve').check();
    await id('post-all').filter({ hasText: 'Approve' }).waitFor();
    await ready('post-all');
    await shot('no review');
    await page.keyboard.press('Escape');
    await id('post-sheet').waitFor({ state: 'detached' });
    await id('review-button').click();
    await id('finding-row').nth(3).waitFor();
    await shot('reviewed');
    await page.keyboard.press('P');
    const comments = id('post-comment');
    await comments.nth(4).waitFor();
    await id('post-status').filter({ hasText: '4 comments and a summary to post' }).waitFor();
    await comments.locator('summary strong').filter({ hasText: 'Metadata' }).waitFor();
    const suggestion = comments.first().getByTestId('suggestion');
    assert.equal(await suggestion.locator('.removed code').innerText(), '    let value_10 = amount.abs();');
    assert.equal(await suggestion.locator('.added code').innerText(), '    let value_10 = amount;');
    assert.match(await page.locator(':focus').innerText(), /Close/, 'Enter does nothing that others see');
    await shotBoth('sheet');
    // Two comments are left out, another one is edited.
    for (const at of [2, 3]) await comments.nth(at).getByRole('checkbox').click();
    await id('post-status').filter({ hasText: '2 comments and a summary to post' }).waitFor();
    await comments.nth(1).getByTestId('comment-edit').click();
    const words = page.getByRole('textbox', { name: 'Comment' });
    assert.notEqual(await words.inputValue(), '', 'editing begins with what the agent said');
    await words.fill('Please keep the sign here, too.');
    // Closing the sheet loses neither the selection nor the edits.
    await page.keyboard.press('Escape');
    await comments.first().waitFor({ state: 'detached' });
    await page.keyboard.press('P');
    // An edit that is not saved would be lost by posting. In the field, the keys save it.
    await id('post-status').filter({ hasText: 'Save or cancel the edit first.' }).waitFor();
    assert.equal(await words.inputValue(), 'Please keep the sign here, too.');
    assert.ok(await id('post-all').isDisabled());
    await words.focus();
    await page.keyboard.press('Control+Enter');
    await id('post-status').filter({ hasText: '2 comments and a summary to post' }).waitFor();
    await comments.nth(1).filter({ hasText: 'Please keep the sign here, too.' }).waitFor();
    // So is the summary. The user's words replace the agent's, and nothing else.
    const summary = comments.and(page.locator('[data-key="summary"]'));
    await summary.getByTestId('comment-edit').click();
    await summary.getByRole('textbox').fill('Two questions, else **ready**.');
    await shotBoth('summary');
    await summary.getByRole('textbox').press('Control+Enter');
    await summary.filter({ hasText: 'Two questions, else ready.' }).filter({ hasText: 'Metadata' }).waitFor();
    await id('post-status').filter({ hasText: '2 comments and a summary to post' }).waitFor();
    // A failure during posting is retried without a message.
    await gitlab.ask({ do: 'fail', method: 'POST', path: 'draft_notes' });
    // The progress is shown during posting.
    const seen = id('post-sheet').evaluate(
      (sheet) =>
        new Promise((resolve) => {
          const seen = new Set();
          new MutationObserver(() => {
            const status = sheet.querySelector('[data-testid="post-status"]').textContent.trim();
            seen.add(status);
            for (const comment of sheet.querySelectorAll('[data-state]')) seen.add(comment.dataset.state);
            if (status.startsWith('Posted.')) resolve([...seen]);
          }).observe(sheet, { subtree: true, childList: true, characterData: true, attributes: true });
        }),
    );
    await gitlab.ask({ do: 'slow', milliseconds: 150 });
    footers.push(...(await footer('before')));
    await page.waitForFunction(() => document.querySelector('[data-testid=post-all]').ariaDisabled === null);
    // A double click, a triple click, and clicks until long after posting has finished: posted once, not approved.
    const [x, y] = await middle('post-all');
    await page.mouse.dblclick(x, y);
    await page.mouse.click(x, y, { clickCount: 3, delay: 10 });
    footers.push(...(await footer('posting')));
    await shot('posting');
    const done = id('post-status').filter({ hasText: 'Posted.' });
    for (let after = 0; after < 30; after += (await done.isVisible()) ? 1 : 0) {
      await page.mouse.click(x, y);
      await page.waitForTimeout(40);
    }
    await gitlab.ask({ do: 'slow', milliseconds: 0 });
    footers.push(...(await footer('posted')));
    assert.equal(count('post.start'), 1, 'impatient clicks on Post do nothing else');
    assert.deepEqual(await verdicts(), []);
    const isPost = ({ words }) => words.startsWith('Post');
    for (const post of footers.filter(isPost))
      for (const other of footers.filter((one) => !isPost(one)))
        assert.ok(!overlap(post.box, other.box), `${post.words} lies where ${other.words} is while ${other.state}`);
    for (const wanted of ['waiting', 'sending', 'prepared', 'landed', 'Preparing 2 of 2 comments'])
      assert.ok((await seen).includes(wanted), `${wanted}: ${await seen}`);
    await shotBoth('posted');
    const { threads, drafts, did } = await gitlab.ask({ do: 'look' });
    assert.equal(threads.length, 4);
    assert.deepEqual([drafts, did], [0, 0], 'no draft is left, nothing was executed, nobody was notified by a mention');
    assert.deepEqual(threads.map((thread) => thread.line).sort(), [10, 40, 40, null]);
    const bodies = threads.flatMap((thread) => thread.bodies);
    assert.ok(bodies.some((body) => body.includes('```suggestion:-0+0\n    let value_10 = amount;\n```')));
    assert.ok(bodies.some((body) => body.includes('Please keep the sign here, too.')));
    assert.ok(bodies.some((body) => body.includes('Two questions, else **ready**.') && body.includes('prior_digest')));
    assert.ok(!bodies.some((body) => body.includes('A number without a name') && !body.includes('prior_digest')));
  });

  it('approves without comments, with the button that posts, and revokes the approval', async () => {
    await page.getByRole('button', { name: 'Done' }).click();
    await page.keyboard.press('P');
    await id('post-status').filter({ hasText: '2 comments to post' }).waitFor();
    for (const at of [2, 3]) await id('post-comment').nth(at).getByRole('checkbox').click();
    await id('post-status').filter({ hasText: '0 comments to post' }).waitFor();
    assert.ok(await id('verdict-comment').isChecked());
    assert.ok(await id('post-all').isDisabled(), 'there is nothing to post');
    await id('verdict-approve').check();
    assert.match(await id('post-all').innerText(), /^Approve/);
    // The button has just changed its meaning: neither a click nor the keys count.
    const posted = count('post.start');
    await page.mouse.click(...(await middle('post-all')));
    await page.keyboard.press('Control+Enter');
    assert.equal(count('post.start'), posted);
    await shotBoth('verdict');
    await gitlab.ask({ do: 'fail', method: 'POST', path: '/approve', status: 403, message: '403 Forbidden' });
    await ready('post-all');
    await page.keyboard.press('Control+Enter');
    await id('verdict-error').filter({ hasText: 'Not approved.' }).filter({ hasText: '403 Forbidden' }).waitFor();
    await id('post-retry').filter({ hasText: 'Retry: Approve' }).waitFor();
    await shotBoth('not approved');
    assert.deepEqual(await verdicts(), []);
    await ready('post-retry');
    await page.keyboard.press('Control+Enter');
    await id('post-status').filter({ hasText: 'Approved.' }).waitFor();
    assert.deepEqual(await verdicts(), ['Approved']);
    await shotBoth('approved');

    // Revoking asks first, and a failure is shown in the sheet, because a notice below it is neither visible nor announced.
    const revoke = async () => {
      await ready('revoke-approval');
      await id('revoke-approval').click();
      await id('confirm-revocation').waitFor();
    };
    await revoke();
    assert.match(await id('confirm-subject').innerText(), /!7 Merge refunds\nrefunds → main/);
    assert.equal(await page.locator(':focus').innerText(), 'Cancel', 'Enter does nothing that others see');
    await page.mouse.dblclick(...(await middle('confirm-agree')));
    assert.ok(await id('confirm-revocation').isVisible(), 'a click before the question appears does not answer it');
    await page.keyboard.press('Control+Enter');
    await page.keyboard.press('Escape');
    await id('confirm-revocation').waitFor({ state: 'detached' });
    assert.ok(await id('post-sheet').isVisible(), 'only the question is gone');
    assert.deepEqual(await verdicts(), ['Approved']);
    await gitlab.ask({ do: 'fail', method: 'POST', path: '/unapprove' });
    await revoke();
    await ready('confirm-agree');
    await id('confirm-agree').click();
    const failure = id('post-sheet').getByRole('alert').filter({ hasText: 'The approval was not revoked' });
    await failure.getByRole('button', { name: 'Retry' }).click();
    await ready('confirm-agree');
    await id('confirm-agree').click();
    await id('revoke-approval').waitFor({ state: 'detached' });
    assert.deepEqual(await verdicts(), ['Approved', 'Unapproved']);
    await page.getByRole('button', { name: 'Done' }).click();
  });

  const refuseLine = () => {
    const message = '400 Bad request - Note {:line_code=>["can\'t be blank", "must be a valid line code"]}';
    return gitlab.ask({ do: 'fail', method: 'POST', path: 'discussions', status: 400, message });
  };

  it('finds on a second opening what is there already, and moves a comment whose line is refused', async () => {
    await page.keyboard.press('P');
    await id('post-status').filter({ hasText: '2 comments to post' }).waitFor();
    await hasCount(id('post-comment').filter({ hasText: 'already posted' }), 3);
    assert.ok(await id('verdict-comment').isChecked(), 'a verdict is not selected beforehand');
    await id('post-comment').nth(2).getByRole('checkbox').click();
    await id('post-status').filter({ hasText: '1 comment to post' }).waitFor();
    assert.equal(await id('refused-line').locator('option:checked').innerText(), 'Move the comment to the file or the summary');
    // Left out, if the reviewer wants that. Then there is no verdict either.
    await id('refused-line').selectOption('Leave the comment out');
    await id('verdict-approve').check();
    await refuseLine();
    await ready('post-all');
    await page.keyboard.press('Control+Enter');
    await id('post-status').filter({ hasText: '1 comment failed. Not approved, because not all comments are posted.' }).waitFor();
    await shot('left out');
    await id('verdict-comment').check();
    await id('refused-line').selectOption('Move the comment to the file or the summary');
    await refuseLine();
    await ready('post-retry');
    await page.keyboard.press('Control+Enter');
    await id('post-status').filter({ hasText: 'Posted. 1 comment moved.' }).waitFor();
    await id('post-comment').nth(3).filter({ hasText: 'moved to the file' }).filter({ hasText: 'GitLab rejected the line' }).waitFor();
    await shotBoth('moved comment');
    const { threads } = await gitlab.ask({ do: 'look' });
    const moved = threads.filter((thread) => thread.bodies[0].includes('Another number without a name'));
    assert.deepEqual(moved.map((thread) => [thread.file, thread.line]), [[true, null]]);
    assert.deepEqual(await verdicts(), ['Approved', 'Unapproved']);
    await page.getByRole('button', { name: 'Done' }).click();
  });

  it('gives up an opening that stalls, and what is shown stays', async () => {
    await gitlab.ask({ do: 'hang', method: 'GET', path: '/merge_requests/7' });
    const open = async () => {
      await id('change-picker').click();
      await id('change-option').filter({ hasText: '!7 Merge refunds' }).click();
    };
    await open();
    await id('opening').getByRole('button', { name: 'Cancel' }).click();
    await id('opening').waitFor({ state: 'detached' });
    const asked = sent.findLast((one) => one.method === 'change.open').id;
    assert.deepEqual(sent.findLast((one) => one.method === 'rpc.cancel').params, { id: asked });
    await id('thread').first().waitFor();
    await open();
    await id('opening').waitFor({ state: 'detached' });
    await id('thread').first().waitFor();
  });

  it('stops where the head moved, and places the findings anew', async () => {
    const moved = `// First.\n${text([10, '    let value_10 = amount.abs();'], [40, '    let value_40 = total.abs();'])}`;
    await gitlab.ask({ do: 'push', branch: 'refunds', path: 'src/ledger.rs', text: moved });
    await page.keyboard.press('P');
    await id('post-status').filter({ hasText: '1 comment to post' }).waitFor();
    await id('verdict-request_changes').check();
    await id('moved').waitFor();
    assert.ok(await id('post-all').isDisabled());
    await shot('moved');
    await id('reanchor').click();
    await id('moved').waitFor({ state: 'detached' });
    await id('post-status').filter({ hasText: '1 comment to post' }).waitFor();
    assert.ok(await id('verdict-comment').isChecked(), 'a verdict about the old head is not kept for the new one');
    assert.deepEqual(await verdicts(), ['Approved', 'Unapproved']);
    await id('verdict-request_changes').check();
    await id('post-all').filter({ hasText: 'Post and request changes' }).waitFor();
    await shotBoth('request changes');
    await ready('post-all');
    await page.keyboard.press('Control+Enter');
    await id('post-status').filter({ hasText: 'Posted. Changes requested.' }).waitFor();
    await shotBoth('requested changes');
    assert.deepEqual(await verdicts(), ['Approved', 'Unapproved', 'RequestedChanges']);
    const { threads } = await gitlab.ask({ do: 'look' });
    assert.ok(threads.some((thread) => thread.line === 56), JSON.stringify(threads.map((thread) => thread.line)));
    await page.getByRole('button', { name: 'Done' }).click();
    await shot('after');
  });

  it('says why a verdict is not available', async () => {
    await gitlab.ask({ do: 'unassign' });
    await page.keyboard.press('P');
    await id('verdict-unavailable').filter({ hasText: 'Request changes: Only an assigned reviewer can request changes' }).waitFor();
    assert.ok(await id('verdict-request_changes').isDisabled());
    assert.ok(await id('verdict-approve').isEnabled());
    await shotBoth('not a reviewer');
    await page.keyboard.press('Escape');
  });

  it('offers nothing again that was accepted and posted, also where the next round words it anew', async () => {
    const accepted = page.locator('[data-testid="finding-row"][data-decision="accepted"]');
    await id('finding-row').first().click();
    await page.keyboard.press('a');
    await accepted.waitFor();
    const [first, ...others] = answer.findings;
    const again = { ...first, body_markdown: 'A refund is negative; its sign is lost by `abs`.' };
    await talker.say({ text: JSON.stringify({ ...answer, findings: [again, ...others] }), usage: { input: 900, output: 200 } });
    await id('review-button').click();
    await page.locator('.card').filter({ hasText: 'its sign is lost by' }).waitFor();
    await hasCount(id('finding-row'), 4);
    assert.equal(await accepted.count(), 0);
  });

  const there = () => id('change-picker').filter({ hasText: '!7' }).waitFor();
  const away = () => id('change-picker').filter({ hasNotText: '!7' }).waitFor();
  const goAway = async () => {
    await id('change-picker').click();
    await id('change-option').filter({ hasText: 'Book refunds' }).or(id('change-option').filter({ hasText: 'base' })).last().click();
    await away();
  };

  it('gives up reopening from the history, and what is shown stays', async () => {
    await goAway();
    await gitlab.ask({ do: 'hang', method: 'GET', path: '/merge_requests/7' });
    const open = async () => {
      await page.keyboard.press('H');
      await id('history-row').filter({ hasText: '!7' }).first().locator('button.open').click();
    };
    await open();
    await shot('reopening');
    await id('opening').filter({ hasText: '!7' }).getByRole('button', { name: 'Cancel' }).click();
    await id('opening').waitFor({ state: 'detached' });
    const asked = sent.findLast((one) => one.method === 'history.open').id;
    assert.deepEqual(sent.findLast((one) => one.method === 'rpc.cancel').params, { id: asked });
    await away();
    await open();
    await there();
  });

  it('opens by its address: in its clone, and without one', async () => {
    const address = `${gitlab.url}/group/sub/project/-/merge_requests/7`;
    await goAway();
    await page.keyboard.press('O');
    await page.keyboard.type(address);
    await shot('address');
    await page.keyboard.press('Enter');
    await there();
    assert.match(await id('repo-picker').innerText(), /clone/);

    const nothing = path.join(home.folder, 'nothing');
    const env = { ...home.env, DIFFSAN_DATA_DIR: nothing, DIFFSAN_GITLAB_TOKEN: 'glpat-reviewer-000000000', DIFFSAN_GITLAB__BASE_URL: gitlab.url };
    const other = await serving(program('diffsan'), ['serve'], { env });
    try {
      await page.goto(other.address);
      // With an account and no repository, the page opens on the inbox.
      await id('inbox').waitFor();
      await page.keyboard.press('O');
      await page.keyboard.type(address);
      await page.keyboard.press('Enter');
      await there();
      await id('thread').first().waitFor();
      await shot('address without a clone');
    } finally {
      await other.stop();
    }
  });
});
