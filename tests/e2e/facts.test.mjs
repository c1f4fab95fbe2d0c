// Facts of the pipeline in Debian's Chromium: the gutter, cards between lines, the sheet, the history of a line, rendered files.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { git, journey, write } from './journey.mjs';
import { fakeGitlab } from './support.mjs';

describe('facts of the pipeline', () => {
  const desk = journey('facts');
  const { id, press, looks, painted } = desk;
  let page, home, gitlab;
  const start = async (env, ...args) => {
    await desk.start(args, env);
    page = desk.page;
  };
  beforeEach(() => {
    home = desk.home;
    gitlab = null;
  });
  afterEach(() => gitlab?.stop());

  const repository = async (files) => {
    const folder = await desk.repository(files, 'Start\n\nSee merge request group/shop!4');
    // Reports are ignored by git, as in most projects.
    await writeFile(path.join(folder, '.git/info/exclude'), 'coverage/\nreports/\n*.json\n');
    return folder;
  };
  const row = (line, side = 'new') => page.locator(`[data-testid="diff-line"][data-line="${line}"][data-side="${side}"]`);

  const before_ = { 'shop/cart.py': 'def total(items):\n    return sum(items)\n\n\ndef refund(order):\n    return order["paid"]\n' };
  const after_ = {
    'shop/cart.py':
      'def total(items, discount=0):\n    result = sum(items)\n    if discount > 0:\n        result -= result * discount / 100\n    return result\n\n\ndef refund(order):\n    if not order:\n        raise ValueError("no order")\n    return order["paid"]\n',
  };
  const lcov = 'TN:\nSF:shop/cart.py\nDA:1,1\nDA:2,1\nDA:3,1\nDA:4,1\nDA:5,1\nDA:8,1\nDA:9,1\nDA:10,0\nDA:11,1\nBRDA:9,0,0,0\nBRDA:9,0,1,1\nend_of_record\n';
  const junit = `<testsuites><testsuite name="pytest" tests="2"><testcase classname="tests.test_cart" name="test_discount" time="0.1">
    <failure message="AssertionError: assert 90.0 == 91">def test_discount():
E       assert 90.0 == 91

shop/cart.py:4: AssertionError</failure></testcase><testcase classname="tests.test_cart" name="test_total"/></testsuite></testsuites>`;
  const quality = JSON.stringify([
    { description: 'Cyclomatic complexity too high', check_name: 'complexity', severity: 'major', fingerprint: 'a', location: { path: 'shop/cart.py', lines: { begin: 3 } } },
    { description: 'An old remark', check_name: 'old', severity: 'info', fingerprint: 'b', location: { path: 'shop/cart.py', lines: { begin: 8 } } },
  ]);

  it('shows coverage, failed tests and tool findings of local reports beside the lines', async () => {
    const folder = await repository(before_);
    await write(folder, { ...after_, 'coverage/lcov.info': lcov, 'reports/junit.xml': junit, 'gl-code-quality-report.json': quality });
    git(folder, 'add', 'shop');
    await start({}, '--repo', folder);
    await id('facts-button').waitFor();
    assert.match(await id('facts-button').innerText(), /1 failed test · 1 line not covered · 1 tool finding/);
    assert.equal(await row(10).locator('.fact').getAttribute('aria-label'), 'No test ran this line.');
    assert.match(await row(9).locator('.fact').getAttribute('class'), /partial/);
    assert.match(await row(4).locator('.fact').getAttribute('class'), /failed/);
    assert.equal(await row(8).locator('.fact').count(), 0, 'an unchanged line has no coverage');
    assert.match(await id('failed-test').innerText(), /test_discount[\s\S]*assert 90\.0 == 91/);
    assert.match(await id('tool-finding').innerText(), /Cyclomatic complexity/);
    await looks('lines');
    await press('v');
    assert.match(await row(10).locator('.fact').getAttribute('class'), /uncovered/);
    await looks('lines-split');
    await press('v', 'Q');
    await page.waitForFunction(() => document.querySelectorAll('.fact, [data-testid=line-facts]').length === 0);
    await page.reload();
    await painted();
    await id('facts-button').waitFor();
    assert.equal(await page.locator('.fact').count(), 0, 'the choice is remembered');
    await press('Q', 'E');
    await id('facts').waitFor();
    assert.match(await id('file-coverage').innerText(), /shop\/cart\.py\s+6\s+1/);
    assert.equal(await id('fact-source').count(), 3);
    await looks('sheet');
    await id('facts').getByRole('button', { name: 'shop/cart.py:4' }).first().click();
    await page.locator('.diff-line.chosen').waitFor();
    assert.equal(await page.locator('.diff-line.chosen').getAttribute('data-line'), '4');
  });

  it('marks a report that is older than the file as stale, until it is written again', async () => {
    const folder = await repository(before_);
    await write(folder, { 'coverage/lcov.info': lcov });
    execFileSync('touch', ['-d', '2020-01-01', path.join(folder, 'coverage/lcov.info')]);
    await write(folder, after_);
    git(folder, 'add', 'shop');
    await start({}, '--repo', folder);
    await id('facts-button').waitFor();
    assert.match(await row(10).locator('.fact').getAttribute('title'), /Stale/);
    await press('E');
    await id('facts').getByTestId('stale').first().waitFor();
    await write(folder, { 'coverage/lcov.info': lcov });
    await id('facts-again').click();
    await page.waitForFunction(() => !document.querySelector('[data-testid=facts] [data-testid=stale]'));
  });

  it('shows the pipeline of a merge request with the end of a failed job’s log', async () => {
    const folder = await repository(before_);
    git(folder, 'checkout', '-q', '-b', 'topic');
    await write(folder, after_);
    git(folder, 'commit', '-q', '-a', '-m', 'Discount');
    git(folder, 'checkout', '-q', 'main');
    await write(folder, { 'shop/cart.py': '# edited\n' });
    gitlab = await fakeGitlab(folder, 'topic', 'main');
    const test = {
      status: 'failed', name: 'test_discount', classname: 'tests.test_cart', execution_time: 0.1, stack_trace: null,
      system_output: 'E assert 90.0 == 91\n\nshop/cart.py:4: AssertionError',
    };
    await gitlab.ask({ do: 'pipeline', log: '\u001b[0K$ pytest\n\u001b[31;1mERROR: Job failed: exit code 1\u001b[0;m\n', tests: [test], artifacts: { 'coverage/lcov.info': lcov } });
    git(folder, 'remote', 'add', 'origin', `${gitlab.url}/group/sub/project.git`);
    const env = { DIFFSAN_GITLAB_TOKEN: 'glpat-reviewer-000000000', DIFFSAN_GITLAB__BASE_URL: gitlab.url, DIFFSAN_GITLAB__RETRY_PAUSE_MS: '10' };
    await start(env, '--repo', folder);
    await id('change-picker').click();
    await id('change-option').filter({ hasText: '!7' }).click();
    await id('facts-button').filter({ hasText: '1 failed test' }).waitFor();
    await press('E');
    assert.match(await id('pipeline').innerText(), /Pipeline 90\s+failed/);
    assert.equal(await id('job').count(), 2);
    assert.match(await id('job-log').innerText(), /^\$ pytest\s+ERROR: Job failed: exit code 1$/);
    await looks('pipeline');
  });

  it('shows the blame and history of a line', async () => {
    const folder = await repository(before_);
    await write(folder, { 'shop/cart.py': after_['shop/cart.py'] });
    git(folder, 'add', 'shop');
    await start({}, '--repo', folder);
    await row(2, 'old').first().waitFor();
    // The cursor moves over lines without opening a form, as a click on a number does.
    await press('ArrowDown', 'ArrowDown');
    await page.locator('.diff-line.chosen[data-side="old"]').waitFor();
    await press('B');
    await id('line-change').waitFor();
    assert.match(await id('line-change').innerText(), /Start[\s\S]*Ada Lovelace[\s\S]*group\/shop!4[\s\S]*return sum\(items\)/);
    await looks('history');
    await press('Escape');
    await page.waitForFunction(() => !document.querySelector('[data-testid=line-history]'));
  });
});
