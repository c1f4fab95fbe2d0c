// Takes a screenshot of every view, in light and dark, with the sample, the real Codex and a fake GitLab, and checks axe-core's rules.
// The screenshots are written to target/e2e/screenshots; `make screenshots` copies those of the documentation to docs/screenshots.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { chromium } from 'playwright-core';
import { accessible } from './accessible.mjs';
import { answer, browserArguments, fakeGitlab, model, out, place, program, reviewed, root, serving } from './support.mjs';

const shots = path.join(out, 'screenshots');

/** Runs in the page: replaces paths of this machine. */
function anonymous(root) {
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode())
    if (node.nodeValue.includes(root)) node.nodeValue = node.nodeValue.replaceAll(root, '/home/you/diffsan');
  for (const input of document.querySelectorAll('input'))
    if (input.value.includes(root)) input.value = input.value.replaceAll(root, '/home/you/diffsan');
}

/** Runs in the page before its own script: lets a test simulate messages that only a second start of the program would send. */
function overhear() {
  const Native = window.WebSocket;
  window.WebSocket = class extends Native {
    constructor(...of) {
      super(...of);
      this.addEventListener('message', ({ data }) => {
        const { id, result } = JSON.parse(data);
        if (id === undefined || id !== this.asked) return;
        window.launched = (event) => {
          const params = { subscription: result, result: event };
          this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify({ method: 'app.launches', params }) }));
        };
      });
    }
    send(text) {
      if (text.includes('"app.launches"')) this.asked = JSON.parse(text).id;
      super.send(text);
    }
  };
}

describe('pictures of every view', () => {
  let chrome, talker, home, server, page;
  const errors = [];
  const wrong = [];
  const id = (name) => page.getByTestId(name);
  const press = async (...keys) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const painted = () => page.waitForFunction(() => document.documentElement.dataset.diff === 'painted' && document.querySelector('[data-testid=status-bar]') !== null);

  /** Takes screenshots of the current view in both themes. */
  const shot = async (name) => {
    // Violations are reported at the end, so that all screenshots are taken in any case.
    await accessible(page, name).catch((error) => wrong.push(...(error.actual ?? [String(error)])));
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.waitForFunction((theme) => document.documentElement.dataset.theme === theme, colorScheme);
      await page.evaluate(anonymous, root);
      await page.waitForTimeout(150);
      const file = path.join(shots, `${name}-${colorScheme}.png`);
      const bytes = await page.screenshot({ path: file, caret: 'hide' });
      assert.ok(bytes.length > 10_000, `${name} shows something`);
    }
  };
  /** Runs an action by its name. */
  const act = async (name) => {
    await press('Control+k');
    await page.keyboard.type(name);
    await press('Enter');
  };
  const serve = async (args, env = home.env) => {
    // A server of a failed test would keep this process alive.
    await server?.stop();
    server = await serving(program('diffsan'), ['serve', ...args], { env });
    page = await chrome.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(20_000);
    page.on('pageerror', (error) => errors.push(error.message));
    await page.addInitScript(overhear);
    await page.goto(server.address);
  };
  const leave = async () => {
    await page.close();
    await server.stop();
  };

  before(async () => {
    await rm(shots, { recursive: true, force: true });
    await mkdir(shots, { recursive: true });
    chrome = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: browserArguments });
    talker = await model();
    home = await place(talker.url);
    await talker.say(reviewed);
  });
  after(async () => {
    await chrome?.close();
    await server?.stop();
    await talker?.stop();
    await home?.remove();
    assert.deepEqual(errors, []);
  });

  it('from the first start to a triaged review', async () => {
    await serve([]);
    await id('open-sample').waitFor();
    await shot('welcome');
    await id('open-sample').click();
    await painted();
    await press('O');
    await shot('repositories');
    await press('Escape');
    await id('change-picker').click();
    await id('change-option').first().waitFor();
    await shot('changes');
    await id('change-option').filter({ hasText: 'topic/refunds' }).first().click();
    await id('change-picker').filter({ hasText: 'topic/refunds' }).waitFor();
    await painted();
    await shot('unreviewed');
    await press('m');
    await page.getByRole('dialog').or(page.locator('[data-testid="agent-item"]')).first().waitFor();
    await shot('agents');
    await press('Escape', 'p');
    await id('prompt-text').waitFor();
    await shot('prompt');
    await press('p');
    await talker.say({ status: 401, error: 'Incorrect API key provided' });
    await id('review-button').click();
    await id('error').first().waitFor();
    await shot('failed-review');
    await talker.say(reviewed);
    await id('review-button').click();
    await id('finding-row').first().waitFor();
    await press('a');
    await id('finding-card').first().waitFor();
    await shot('desk');
    // A modified file, so that both sides have lines.
    await press('v', 'j', 'j', 'j');
    await shot('split');
    await press('k', 'k', 'k', 'v', 'e');
    await id('finding-form').waitFor();
    await shot('edit');
    await press('Escape', 'i');
    await shot('summary');
    await press('i', 'Control+f');
    await page.keyboard.type('refund');
    await shot('find');
    await press('Escape', 'Control+p');
    await page.getByRole('option').nth(3).waitFor();
    await shot('jump');
    await press('Escape', 'Control+k');
    await shot('palette');
    await press('Escape', '?');
    await shot('keys');
    await press('Escape', 'H');
    await id('history-list').waitFor();
    await shot('history');
    await press('Escape');
    await act('About diffsan');
    await id('about').waitFor();
    await shot('about');
    await press('Escape', 'j', 'J');
    await id('bulk').waitFor();
    await shot('bulk');
    await press('X');
    await page.getByRole('textbox', { name: 'Reason' }).fill('Tests are next');
    await shot('reason');
    await press('Escape', 'u');
    await id('notice').getByRole('button', { name: 'Close' }).click();
    await page.evaluate(() =>
      window.launched({ repo: '/home/you/elsewhere', sample: false, ask: true, target: null, title: 'Branch topic/fees' }),
    );
    await id('launch-dialog').waitFor();
    await shot('link-from-elsewhere');
    await press('Escape');
  });

  it('rounds of a review', async () => {
    await talker.say({ ...reviewed, text: JSON.stringify({ ...answer, findings: answer.findings.slice(2) }) });
    await press('r');
    // The accepted one of the two that are not reported again stays.
    await page.waitForFunction(() => document.querySelectorAll('[data-testid="finding-row"]').length === 5);
    await press('h');
    await id('rounds-sums').waitFor();
    await shot('rounds');
    await press('Escape');
  });

  it('every page of the settings', async () => {
    await press('Control+,');
    await id('settings').waitFor();
    const pages = id('settings').locator('nav button');
    const count = await pages.count();
    assert.ok(count >= 10, `${count} pages`);
    for (let at = 0; at < count; at++) {
      await pages.nth(at).click();
      const name = (await pages.nth(at).innerText()).trim().toLowerCase().replace(/[^a-z]+/g, '-');
      await page.waitForTimeout(200);
      await shot(`settings-${name}`);
    }
    await page.locator('[data-page="gitlab"]').click();
    await id('host').fill('https://gitlab.example.com');
    await id('host-add').click();
    await id('token-input').fill('glpat-0000000000000000000');
    await shot('token');
    await press('Escape', 'Escape');
  });

  it('a conversation', async () => {
    await talker.say({
      text: 'Yes. `markRefunded` returns a promise, and nothing waits for it. If the write fails, the order stays unmarked and the next request pays it **again**.\n\n```ts\nawait markRefunded(db, orderId);\n```\n\nTo be safe, mark the order before the money goes out.',
      usage: { input: 4100, output: 120 },
    });
    await press('j', 'k', 'c');
    await id('chat-input').fill('Can an order be refunded twice?');
    await id('chat-input').press('Enter');
    await page.waitForFunction(() => document.querySelector('[data-testid="conversation"]')?.dataset.busy === 'false' && document.querySelectorAll('[data-testid="chat-message"]').length > 1);
    await shot('conversation');
    await press('Control+/');
    await shot('snippets');
    await press('Control+/', 'Escape');
    await id('chat-inspect').click();
    await page.getByRole('dialog').waitFor();
    await shot('what-goes-out');
    await press('Escape');
    await id('make-finding').first().click();
    await page.getByTestId('finding-sheet').waitFor();
    await shot('make-a-finding');
    await press('Escape', 'C');
    await talker.say({ text: 'feat: add refunds\n\nOrders of the last 30 days can be paid back once.', usage: { input: 2100, output: 20 } });
    // Of the uncommitted changes.
    await press('o');
    await id('change-option').first().click();
    await id('change-picker').filter({ hasText: 'local' }).waitFor();
    await act('commit message');
    await page.waitForFunction(() => document.querySelector('[data-testid="commit-message"]')?.value.startsWith('feat:'));
    await shot('commit-message');
    await press('Escape');
    await leave();
  });

  it('a merge request', async () => {
    const origin = path.join(home.folder, 'origin');
    const git = (folder, ...args) =>
      execFileSync('git', ['-C', folder, '-c', 'user.name=Author', '-c', 'user.email=author@example.com', ...args]);
    const sums = ['Deposit', 'Refund', 'Fee', 'Dividend', 'Transfer', 'Grant', 'Correction', 'Discount', 'Payout', 'Chargeback'];
    /** Six lines for each kind; the third is line 9 for refunds and line 39 for corrections. */
    const ledger = (amount) =>
      sums
        .map((kind) => [
          `pub fn ${kind.toLowerCase()}s(rows: &[Row]) -> i64 {`,
          `    let rows = rows.iter().filter(|row| row.kind == Kind::${kind});`,
          `    let amounts = rows.map(|row| ${['Refund', 'Correction'].includes(kind) ? amount : 'row.amount'});`,
          '    amounts.sum()',
          '}',
          '',
        ])
        .flat()
        .join('\n');
    await mkdir(path.join(origin, 'src'), { recursive: true });
    git(origin, 'init', '-q', '-b', 'main');
    await writeFile(path.join(origin, 'src/ledger.rs'), ledger('row.amount'));
    git(origin, 'add', '-A');
    git(origin, 'commit', '-q', '-m', 'base');
    git(origin, 'checkout', '-q', '-b', 'refunds');
    await writeFile(path.join(origin, 'src/ledger.rs'), ledger('row.amount.abs()'));
    git(origin, 'commit', '-q', '-am', 'Book refunds');
    git(origin, 'checkout', '-q', 'main');
    const gitlab = await fakeGitlab(origin, 'refunds', 'main');
    const { url } = gitlab;
    await gitlab.ask({ do: 'comment', path: 'src/ledger.rs', line: 39, body: 'Can a correction be **negative**?' });
    const clone = path.join(home.folder, 'clone');
    git(home.folder, 'clone', '-q', '--single-branch', '-b', 'main', origin, clone);
    git(clone, 'remote', 'set-url', 'origin', `${url}/group/sub/project.git`);
    const finding = (line, title, more) => ({
      severity: 'high',
      category: 'correctness',
      path: 'src/ledger.rs',
      line_start: line,
      line_end: line,
      title,
      body_markdown: 'These amounts are negative. `abs` makes them positive, so the balance grows.',
      quote: 'let amounts = rows.map(|row| row.amount.abs());',
      ...more,
    });
    const patch = { suggested_patch: { format: 'replacement', content: '    let amounts = rows.map(|row| row.amount);' } };
    const findings = [finding(9, 'Refunds lose their sign', patch), finding(39, 'Corrections lose their sign', { severity: 'medium' })];
    await talker.say({ text: JSON.stringify({ summary_markdown: 'Refunds are booked, but they lose their sign.', findings }), usage: { input: 900, output: 200 } });
    try {
      const token = { DIFFSAN_GITLAB_TOKEN: 'glpat-reviewer-000000000', DIFFSAN_GITLAB__BASE_URL: url, DIFFSAN_AGENT__NAME: 'second' };
      await serve(['--repo', clone], { ...home.env, ...token });
      await id('change-picker').click();
      await id('change-option').filter({ hasText: '!7 Merge refunds' }).click();
      await id('thread').first().waitFor();
      await id('review-button').click();
      await id('finding-row').nth(1).waitFor();
      await press('j');
      await shot('merge-request');
      await press('P');
      await id('post-comment').first().waitFor();
      await shot('posting');
      await id('post-all').click();
      await id('post-status').filter({ hasText: 'Posted.' }).waitFor();
      await shot('posted');
      await press('Escape');
      await leave();
    } finally {
      await gitlab.stop();
    }
  });

  it('all of which keep axe-core’s rules', () => assert.deepEqual(wrong, []));
});
