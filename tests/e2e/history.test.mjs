// The history in Debian's Chromium against `diffsan serve`: search, reopening, rounds, interrupted runs, and a full disk.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { accessible } from './accessible.mjs';
import { answer, decisionsSaved, hasCount, model, out, place, program, reviewed, serving } from './support.mjs';

const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const shots = path.join(out, 'history');
const run = promisify(execFile);

let chrome, talker;
before(async () => {
  await mkdir(shots, { recursive: true });
  chrome = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: quiet });
  talker = await model();
});
after(async () => {
  await chrome?.close();
  await talker?.stop();
});

describe('the history in a browser', () => {
  let home, server, page, errors;
  const id = (name) => page.getByTestId(name);
  const painted = () => page.waitForFunction(() => document.documentElement.dataset.diff === 'painted' && document.querySelector('[data-testid=status-bar]') !== null);
  const shot = (name) => page.screenshot({ path: path.join(shots, `${name}.png`) });
  /** Checks the view with axe-core's rules, and takes screenshots in light, in dark, and at the minimum size of the window. */
  const looks = async (name) => {
    await accessible(page, name);
    await shot(`${name} light`);
    await page.emulateMedia({ colorScheme: 'dark' });
    await shot(`${name} dark`);
    await page.setViewportSize({ width: 800, height: 520 });
    await shot(`${name} small`);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: 'light' });
  };

  const start = async (command = program('diffsan'), args = ['serve', '--sample']) => {
    server = await serving(command, args, { env: home.env });
    page = await chrome.newPage({ viewport: { width: 1440, height: 900 }, colorScheme: 'light' });
    page.setDefaultTimeout(60_000);
    errors = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (line) => line.type() === 'error' && errors.push(line.text()));
    await page.goto(server.address);
    await painted();
  };
  const stop = async () => {
    await page.close();
    await server.stop();
  };

  beforeEach(async () => {
    home = await place(talker.url);
    // An endpoint answers at once.
    home.env.DIFFSAN_AGENT__NAME = 'second';
    await talker.say(reviewed);
  });
  afterEach(async (test) => {
    if (test.error || !test.passed) await shot(`failed ${test.name}`).catch(() => {});
    await stop();
    await home.remove();
    assert.deepEqual(errors, [], 'the page reported no errors');
  });

  const sample = () => path.join(home.env.DIFFSAN_DATA_DIR, 'sample');
  const openBranch = async () => {
    await id('change-picker').click();
    await id('change-option').filter({ hasText: 'topic/refunds' }).first().click();
    await id('change-picker').filter({ hasText: 'topic/refunds' }).waitFor();
    await id('diff-line').first().waitFor();
  };
  const review = async () => {
    await id('review-button').click();
    await id('finding-row').first().waitFor();
    await id('review-button').waitFor();
  };
  const search = async (words) => {
    await page.keyboard.press('H');
    await id('history-search').fill(words);
  };

  it('finds a review by what it says and opens it where it was left', async () => {
    await start();
    await openBranch();
    await review();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('a');
    await decisionsSaved(page);
    await page.keyboard.press('/');
    await page.keyboard.type('refunds');
    await page.keyboard.press('Enter');
    const chosen = await page.locator('[data-testid="finding-row"][aria-selected="true"]').getAttribute('data-finding');
    await page.waitForTimeout(600);
    // A conversation about another change.
    await talker.say({ text: 'The **retry** loop never ends, because the counter is reset.', usage: { input: 900, output: 20 } });
    await page.keyboard.press('o');
    await id('change-option').first().click();
    await id('change-picker').filter({ hasText: 'local' }).waitFor();
    await page.keyboard.press('c');
    await id('chat-input').fill('Why does the worker hang?');
    await id('chat-input').press('Enter');
    await page.locator('[data-testid="chat-message"][data-role="assistant"]').filter({ hasText: 'counter' }).waitFor();
    await stop();
    await start();

    await page.keyboard.press('H');
    await id('history-row').nth(1).waitFor();
    await hasCount(id('history-row'), 2);
    await looks('1 all');
    await id('history-search').fill('counter reset');
    await page.locator('[data-testid="history-row"] mark').first().waitFor();
    await hasCount(id('history-row'), 1);
    assert.match(await id('history-row').innerText(), /Why does the worker hang/);
    await id('history-search').fill('await mark');
    await page.locator('[data-testid="history-row"] mark').filter({ hasText: 'mark' }).first().waitFor();
    await looks('2 found');
    await id('history-search').fill('nowhere-to-be-found');
    await page.getByText('No matches').waitFor();
    await id('history-search').fill('');
    await id('history-row').nth(1).waitFor();
    // With the keyboard: the conversation is the latest item, and the review is below it.
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await id('change-picker').filter({ hasText: 'topic/refunds' }).waitFor();
    await page.locator('[data-testid="finding-row"][aria-selected="true"]').waitFor();
    assert.equal(
      await page.locator('[data-testid="finding-row"][aria-selected="true"]').getAttribute('data-finding'),
      chosen,
      'the finding that was chosen',
    );
    assert.equal(await page.getByLabel('Filter findings').inputValue(), 'refunds');
    await hasCount(page.locator('[data-testid="finding-row"][data-decision="accepted"]'), 1);
    assert.equal(await id('earlier-review-bar').count(), 0, 'it is as it was');
    // The conversation is opened in the pane, with its change.
    await search('worker hang');
    await id('history-row').filter({ hasText: 'hang' }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('[data-testid="chat-message"]').filter({ hasText: 'counter is reset' }).waitFor();
    await id('change-picker').filter({ hasText: 'local' }).waitFor();
  });

  it('compares rounds, and shows an earlier one at its own commits', async () => {
    await start();
    await openBranch();
    await review();
    const tree = path.join(home.folder, 'tree');
    await run('git', ['clone', '--quiet', '--branch', 'topic/refunds', sample(), tree]);
    const file = path.join(tree, 'src/refunds.ts');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('if (age < REFUND_DAYS * DAY) {', 'if (age > REFUND_DAYS * DAY) {'));
    await run('git', ['-C', tree, '-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-qam', 'Turn the check around']);
    await run('git', ['-C', sample(), 'fetch', '--quiet', '--update-head-ok', tree, 'topic/refunds:topic/refunds']);
    // The later review misses the first finding although its code is unchanged, and has a new finding.
    const [first, second, ...others] = answer.findings;
    const fresh = { ...second, title: 'No test for the new check', category: 'testing', quote: 'if (age > REFUND_DAYS * DAY) {', suggested_patch: null };
    fresh.body_markdown = 'Nothing fails when it is turned around again.';
    await talker.say({ ...reviewed, text: JSON.stringify({ ...answer, findings: [fresh, ...others] }) });
    await page.keyboard.press('R');
    await page.getByText('Change modified since').waitFor();
    await id('review-button').click();
    await page.locator('[data-testid="finding-row"]').filter({ hasText: 'No test for the new check' }).waitFor();
    await page.keyboard.press('h');
    await id('rounds-sums').waitFor();
    assert.equal(
      (await id('rounds-sums').innerText()).replace(/\s+/g, ' ').trim(),
      `1 new ${others.length} remaining 1 fixed 1 removed`,
    );
    await looks('3 rounds');
    const fixed = page.locator('[data-testid="round-finding"][data-round="fixed"]');
    assert.ok((await fixed.innerText()).includes(second.title.replaceAll('`', '')), 'its code was edited');
    const gone = page.locator('[data-testid="round-finding"][data-round="gone"]');
    assert.match(await gone.innerText(), /SQL injection[\s\S]*not found again, although its code is unchanged/);
    assert.ok(first.title.startsWith('SQL injection'));
    await fixed.click();
    // The earlier review, at its own commits.
    await id('earlier-review-bar').filter({ hasText: 'Earlier review from' }).waitFor();
    await page.locator('[data-testid="finding-card"]').filter({ hasText: 'wrong way round' }).first().waitFor();
    assert.ok((await page.locator('[data-testid="diff-line"]').allInnerTexts()).join('\n').includes('age < REFUND_DAYS'));
    await looks('4 an earlier review');
    // It can be decided about, and is the same after a refresh.
    await page.keyboard.press('x');
    await page.locator('[data-testid="finding-row"][data-decision="dismissed"]').waitFor();
    await decisionsSaved(page);
    await page.keyboard.press('R');
    await page.locator('[data-testid="finding-row"][data-decision="dismissed"]').waitFor();
    await id('earlier-review-bar').waitFor();
    await id('as-it-is-now').click();
    await page.locator('[data-testid="finding-row"]').filter({ hasText: 'No test for the new check' }).waitFor();
    assert.equal(await id('earlier-review-bar').count(), 0);
  });

  it('shows a review whose change is gone from its run folder, and removes it for good', async () => {
    await start();
    await openBranch();
    await review();
    // The branch now points to other commits, and the reviewed commits no longer exist.
    await run('git', ['-C', sample(), 'update-ref', 'refs/heads/topic/refunds', 'main']);
    // The head that was seen is kept by a ref.
    const { stdout } = await run('git', ['-C', sample(), 'for-each-ref', '--format=%(refname)', 'refs/diffsan']);
    for (const name of stdout.split('\n').filter(Boolean)) await run('git', ['-C', sample(), 'update-ref', '-d', name]);
    await run('git', ['-C', sample(), 'reflog', 'expire', '--expire=now', '--all']);
    await run('git', ['-C', sample(), 'gc', '--prune=now', '--quiet']);
    await page.keyboard.press('o');
    await id('change-option').first().click();
    await id('change-picker').filter({ hasText: 'local' }).waitFor();
    await search('injection');
    await id('history-row').filter({ hasText: 'injection' }).waitFor();
    await page.keyboard.press('Enter');
    await id('earlier-review-bar').filter({ hasText: 'from the run folder' }).waitFor();
    await hasCount(id('finding-row'), answer.findings.length);
    await page.keyboard.press('j');
    await id('finding-card').first().waitFor();
    await looks('5 from its run folder');
    const runs = path.join(home.env.DIFFSAN_DATA_DIR, 'runs');
    assert.equal((await readdir(runs)).length, 1);
    await search('');
    await id('history-row').first().hover();
    await id('history-remove').first().click();
    await page.getByText('6 findings and its run folder').waitFor();
    await shot('6 removing');
    await id('history-remove-sure').click();
    await page.getByText('No reviews yet').waitFor();
    assert.deepEqual(await readdir(runs), []);
  });

  it('goes on with a review that was cut off, and asks only what is missing', async () => {
    // Several parts, one after another.
    home.env.DIFFSAN_LIMITS__STRATEGY = 'split';
    home.env.DIFFSAN_LIMITS__MAX_DIFF_CHARS = '2500';
    home.env.DIFFSAN_AGENT__NAME = 'codex';
    const none = { ...reviewed, text: JSON.stringify({ summary_markdown: 'Nothing here.', findings: [] }) };
    await talker.say(reviewed, { ...none, chunk: 10, chunk_delay: 0.4 });
    await start();
    await openBranch();
    await id('review-button').click();
    const runs = path.join(home.env.DIFFSAN_DATA_DIR, 'runs');
    const folder = async () => path.join(runs, (await readdir(runs))[0]);
    const kept = async () => (await readdir(await folder())).filter((name) => name.startsWith('answer.')).length;
    while ((await readdir(runs).catch(() => [])).length === 0 || (await kept()) === 0) await page.waitForTimeout(50);
    // Simulates a power failure.
    server.child.kill('SIGKILL');
    await page.getByText('The connection to diffsan was lost').first().waitFor();
    await page.close();
    const record = JSON.parse(await readFile(path.join(await folder(), 'run.json'), 'utf8'));
    assert.equal(record.state, 'running');

    await talker.say(none, none, none, none, none, none);
    await start();
    await page.keyboard.press('H');
    await id('history-run').filter({ hasText: '1 answer saved' }).waitFor();
    await looks('7 interrupted in the history');
    await id('history-run-open').click();
    await id('interrupted').filter({ hasText: '1 answer is saved' }).waitFor();
    await looks('8 interrupted');
    await id('resume').click();
    await id('resume-part').first().waitFor();
    const parts = await id('resume-part').count();
    assert.ok(parts > 1, 'there are several parts');
    await hasCount(page.locator('[data-testid="resume-part"][data-reused="true"]'), 1);
    await looks('9 going on');
    const before = (await talker.requests()).length;
    await id('resume-start').click();
    await page.locator('[data-testid="finding-row"]').filter({ hasText: 'SQL injection' }).waitFor();
    await id('review-button').waitFor();
    const asked = (await talker.requests()).slice(before).filter((one) => one.path.endsWith('/responses'));
    const of = (file) => asked.filter((one) => JSON.stringify(one.body).includes(`+++ b/${file}`)).length;
    assert.deepEqual([of('src/db/orders.ts'), of('config.yaml')], [0, 1], 'what was answered is not asked again');
    // The run can no longer be resumed.
    await page.keyboard.press('H');
    await id('history-row').first().waitFor();
    assert.equal(await id('history-run').count(), 0);
  });

  it('says so where there is no room, takes the decision back, and goes on when there is', async () => {
    const limited = ['-c', `trap '' XFSZ; ulimit -S -f 4000; exec "$0" "$@"`, program('diffsan'), 'serve', '--sample'];
    await start('bash', limited);
    await openBranch();
    await review();
    await page.keyboard.press('j');
    await page.keyboard.press('a');
    await decisionsSaved(page);
    const limit = (size) => run('prlimit', ['--pid', String(server.child.pid), `--fsize=${size}:`]);
    await limit(4096);
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('The decision was not saved').waitFor();
    await page.getByText('the disk is full').waitFor();
    await shot('10 no room');
    assert.equal(await page.locator('[data-testid="finding-row"][data-decision="dismissed"]').count(), 0, 'it went back');
    await hasCount(page.locator('[data-testid="finding-row"][data-decision="accepted"]'), 1);
    await limit('unlimited');
    await page.keyboard.press('x');
    await page.locator('[data-testid="finding-row"][data-decision="dismissed"]').waitFor();
    await decisionsSaved(page);
    await page.reload();
    await page.locator('[data-testid="finding-row"][data-decision="dismissed"]').waitFor();
    await page.locator('[data-testid="finding-row"][data-decision="accepted"]').waitFor();
    errors = errors.filter((error) => !error.includes('disk is full'));
  });
});
