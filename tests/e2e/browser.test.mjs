// The interface in Debian's Chromium against `diffsan serve`, with the real Codex and a scripted model.
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { chromium } from 'playwright-core';
import { answer, browserArguments, decisionsSaved, hasCount, model, out, place, program, reviewed, serving, signIn } from './support.mjs';

const shots = path.join(out, 'browser');

let chrome, talker;
before(async () => {
  await mkdir(shots, { recursive: true });
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  chrome = await chromium.launch({ executablePath, args: browserArguments });
  talker = await model();
});
after(async () => {
  await chrome?.close();
  await talker?.stop();
});

describe('the desk in a browser', () => {
  let home, server, page, errors;

  const start = async () => {
    server = await serving(program('diffsan'), ['serve'], { env: home.env });
    page = await chrome.newPage({ viewport: { width: 1440, height: 900 } });
    page.setDefaultTimeout(60_000);
    errors = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (line) => line.type() === 'error' && errors.push(line.text()));
    await page.goto(server.address);
  };
  const stop = async () => {
    await page.close();
    await server.stop();
  };

  beforeEach(async () => {
    home = await place(talker.url);
    await talker.say(reviewed);
    await start();
  });
  afterEach(async (test) => {
    // A screenshot of a failed test says more than its message.
    if (test.error || !test.passed) await shot(`failed ${test.name}`).catch(() => {});
    await stop();
    await home.remove();
    assert.deepEqual(errors, [], 'the page reported no errors');
  });

  const id = (name) => page.getByTestId(name);
  const shot = (name) => page.screenshot({ path: path.join(shots, `${name}.png`) });
  const painted = () => page.waitForFunction(() => document.documentElement.dataset.diff === 'painted' && document.querySelector('[data-testid=status-bar]') !== null);
  const openSample = async () => {
    await id('open-sample').click();
    await painted();
  };
  const openBranch = async () => {
    await openSample();
    await id('change-picker').click();
    await id('change-option').filter({ hasText: 'topic/refunds' }).first().click();
    // The name changes together with the change. Both changes may contain a file with the same name.
    await id('change-picker').filter({ hasText: 'topic/refunds' }).waitFor();
    await painted();
  };
  const review = async () => {
    await openBranch();
    await id('review-button').click();
    await id('finding-row').first().waitFor();
  };
  const decided = (as) => page.locator(`[data-testid="finding-row"][data-decision="${as}"]`);

  it('opens the sample and shows its change at once', async () => {
    await shot('welcome');
    await openSample();
    assert.match(await id('change-picker').innerText(), /topic\/refunds/);
    assert.ok((await id('diff-line').count()) > 5, 'lines of the diff are shown');
    await shot('local');
  });

  it('waits for the agents where a review is asked for at once', async () => {
    await openBranch();
    const held = [];
    await page.routeWebSocket(/./, (socket) => {
      const core = socket.connectToServer();
      let listing;
      socket.onMessage((text) => {
        const { id, method } = JSON.parse(text);
        if (method === 'agents.list') listing = id;
        core.send(text);
      });
      core.onMessage((text) => {
        if (listing !== undefined && JSON.parse(text).id === listing) held.push(() => socket.send(text));
        else socket.send(text);
      });
    });
    await page.reload();
    await painted();
    await id('review-button').click();
    while (held.length === 0) await page.waitForTimeout(20);
    await page.waitForTimeout(200);
    assert.equal(await id('finding-row').count(), 0);
    assert.equal(await id('agent-picker').getAttribute('aria-expanded'), 'false', 'nobody is asked who shall review');
    for (const go of held) go();
    await id('finding-row').first().waitFor();
  });

  it('reviews a branch, and shows each finding in the list and on its line', async () => {
    await review();
    await hasCount(id('finding-row'), answer.findings.length);
    const card = id('finding-card').first();
    await card.waitFor();
    // The most severe finding comes first, and is shown between its lines.
    assert.match(await card.innerText(), /SQL injection/);
    const above = card.locator('xpath=preceding::*[@data-testid="diff-line"][1]');
    assert.match(await above.innerText(), /ORDER BY|\$\{search\}|LIKE/);
    await shot('finding');
  });

  it('keeps decisions over undo, reload and a restart of the program', async () => {
    await review();
    await page.keyboard.press('a');
    await page.keyboard.press('x');
    await page.keyboard.press('u');
    await decided('accepted').waitFor();
    const same = async () => {
      await painted();
      await decided('accepted').waitFor();
      assert.match(await decided('accepted').innerText(), /SQL injection/);
      assert.equal(await decided('dismissed').count(), 0);
    };
    await decisionsSaved(page);
    await page.reload();
    await same();
    await stop();
    await start();
    await same();
  });

  it('asks the user to stay while a decision is not saved', async () => {
    await review();
    let answerNow;
    await page.routeWebSocket(/./, (socket) => {
      const core = socket.connectToServer();
      let decision;
      socket.onMessage((text) => {
        const { id, method } = JSON.parse(text);
        if (method === 'finding.decide') decision = id;
        core.send(text);
      });
      core.onMessage((text) => {
        if (decision !== undefined && JSON.parse(text).id === decision) answerNow = () => socket.send(text);
        else socket.send(text);
      });
    });
    await page.reload();
    await id('finding-row').first().waitFor();
    const asks = () => page.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true })));
    assert.equal(await asks(), false);
    await page.keyboard.press('a');
    await decided('accepted').waitFor();
    while (!answerNow) await page.waitForTimeout(20);
    assert.equal(await asks(), true);
    answerNow();
    await decisionsSaved(page);
  });

  it('shows the exact prompt that the agent then gets, without the secret', async () => {
    await openBranch();
    await page.keyboard.press('p');
    const shown = (await id('prompt-text').innerText()).replace(/\s+/g, ' ');
    await shot('prompt');
    assert.ok(shown.includes('[REDACTED:'), 'the password is masked');
    await page.keyboard.press('p');
    await id('review-button').click();
    await id('finding-row').first().waitFor();
    const request = (await talker.requests()).filter((one) => one.path.endsWith('/responses')).at(-1);
    const sent = JSON.stringify(request.body);
    const texts = [];
    JSON.stringify(request.body, (_, value) => (typeof value === 'string' && texts.push(value), value));
    assert.ok(!sent.includes('correct-horse-7'), 'no secret is sent');
    const whole = texts.find((text) => text.includes('refundOrder'))?.replace(/\s+/g, ' ') ?? '';
    assert.ok(whole.includes(shown.slice(0, 2_000).trim()), 'what was shown is what was sent');
    // After the review, the same key shows the sent prompt, whatever the next review would send.
    await page.keyboard.press('p');
    await page.locator('[data-testid="prompt-sent"][aria-pressed="true"]').waitFor();
    await id('prompt-text').waitFor();
    const kept = await id('prompt-text').textContent();
    assert.ok(texts.includes(kept), 'word for word');
    await shot('prompt-sent');
    await id('prompt-next').click();
    await id('instructions').fill('Look at the refunds.');
    await id('prompt-text').filter({ hasText: 'Look at the refunds.' }).waitFor();
    await id('prompt-sent').click();
    await id('instructions').waitFor({ state: 'detached' });
    assert.equal(await id('prompt-text').textContent(), kept);
    // Skills are selected for the next review and sent with it.
    await id('prompt-next').click();
    const skills = () => id('skill').allInnerTexts();
    await id('skill').first().waitFor();
    const automatic = await skills();
    await id('skill').first().getByRole('button').click();
    await id('skill-add').selectOption('concurrency');
    assert.deepEqual(await skills(), [...automatic.slice(1), 'concurrency']);
    await id('prompt-text').filter({ hasText: '## concurrency' }).waitFor();
    await shot('skills');
    await page.keyboard.press('r');
    await page.locator('[data-testid="prompt-sent"][aria-pressed="true"]').waitFor();
    await id('prompt-text').filter({ hasText: '## concurrency' }).waitFor();
    // When the review ends, the button is shown again.
    await id('review-button').waitFor();
    const asked = (await talker.requests()).filter((one) => one.path.endsWith('/responses'));
    assert.ok(JSON.stringify(asked.at(-1).body).includes('## concurrency'));
    await id('prompt-next').click();
    await id('skills-auto').click();
    await id('skill').filter({ hasText: automatic[0] }).waitFor();
    assert.deepEqual(await skills(), automatic);
  });

  it('lets through what the reviewer says is no secret, masks it again, and tries masking on any text', async () => {
    await openBranch();
    await page.keyboard.press('p');
    // A restart opens a new page.
    const masked = () => id('masked-item');
    await masked().first().waitFor();
    const before = await masked().count();
    assert.match(await id('masked-reason').first().textContent(), /^Its key contains “\w+”\.$/);
    await shot('masked-reasons');
    await id('masked-place').first().click();
    await page.locator('.diff-line.chosen').first().waitFor();
    await page.keyboard.press('p');
    assert.ok(!(await id('prompt-text').textContent()).includes('correct-horse-7'));
    await masked().first().getByTestId('not-a-secret').click();
    await id('let-through').waitFor();
    await page.waitForFunction((count) => document.querySelectorAll('[data-testid="masked-item"]').length < count, before);
    await shot('let-through');
    await stop();
    await start();
    await painted();
    await page.keyboard.press('p');
    await id('let-through').waitFor();
    await hasCount(masked(), before - 1, 'it is remembered');
    await id('mask-again').click();
    await page.waitForFunction((count) => document.querySelectorAll('[data-testid="masked-item"]').length === count, before);
    assert.equal(await id('let-through').count(), 0);
    await id('try-masking').locator('summary').click();
    await id('try-text').fill("password = 'geheim-4711-x'");
    await id('try-result').waitFor();
    assert.equal(await id('try-result').innerText(), "password = '[REDACTED:keyed-value:1]'");
    await shot('try-masking');
  });

  it('cancels at once, and can be asked again', async () => {
    await talker.say({ delay: 60, text: 'never' });
    await openBranch();
    await id('review-button').click();
    await id('run-progress').waitFor();
    await shot('running');
    await id('cancel-button').click();
    await id('review-button').waitFor();
    await talker.say(reviewed);
    await id('review-button').click();
    await id('finding-row').first().waitFor();
  });

  it('says in words why an agent failed, and what to do', async () => {
    await talker.say({ status: 401, error: 'Incorrect API key provided' });
    await openBranch();
    await id('review-button').click();
    const panel = id('error').first();
    await panel.waitFor();
    const words = await panel.innerText();
    assert.match(words, /log ?in|key/i);
    await shot('failed');
  });

  it('has two agents review side by side, and shows who agrees and what the code says', async () => {
    const [injection] = answer.findings;
    const said = (more) => ({ ...injection, suggested_patch: null, ...more });
    const second = {
      summary_markdown: 'One hole, one doubt.',
      findings: [
        said({ title: 'The search text goes into the SQL statement: injection' }),
        said({
          severity: 'low', category: 'maintainability', path: 'src/refunds.ts', line_start: 10, line_end: 10, quote: 'export interface Outcome {',
          title: '`Outcome` is unused', body_markdown: 'The type `Outcome` is never used.',
        }),
      ],
    };
    // Only requests to the endpoint have a response format.
    const side = [{ match: '"response_format"', turn: { text: JSON.stringify(second), usage: { input: 900, output: 80 } } }];
    await talker.play({ turns: [reviewed], side });
    await openBranch();
    await id('agent-picker').click();
    await page.getByLabel('Also review with Second').check();
    await shot('agents');
    await page.keyboard.press('Escape');
    await id('review-button').click();
    await id('finding-row').first().waitFor();
    await hasCount(id('finding-row'), answer.findings.length + 1, 'the same remark is one finding');
    assert.match(await id('agreement').first().innerText(), /2 agents agree/);
    const contradicted = page.locator('[data-testid="finding-row"]:has([data-badge="disputed"])');
    await hasCount(contradicted, 1);
    await contradicted.click();
    const card = page.locator('[data-testid="finding-card"]', { hasText: 'is unused' });
    await card.waitFor();
    const claim = card.locator('[data-verdict="contradicted"]');
    assert.match(await claim.innerText(), /disputed/);
    await shot('contradicted');
    await claim.getByRole('button').click();
    await page.waitForFunction(() => [...document.querySelectorAll('[data-testid="diff-line"]')].some((line) => line.textContent.includes('Promise<Outcome>')));
  });

  it('reviews without any agent: what the code can newly do, with the way to it', async () => {
    await stop();
    // A fresh machine: no program of an agent, no endpoint.
    const bare = Object.entries(home.env).filter(([name]) => !/^(DIFFSAN_AGENTS?__|DIFFSAN_OPENAI|CODEX)/.test(name));
    home.env = { ...Object.fromEntries(bare), PATH: '/usr/bin:/bin', HOME: home.folder };
    await start();
    await page.getByText('None is installed').waitFor();
    await shot('welcome-bare');
    await openBranch();
    await id('agent-picker').filter({ hasText: 'Capability reviewer' }).waitFor();
    await id('review-button').click();
    await id('finding-row').first().waitFor();
    await page.keyboard.press('j');
    const card = id('finding-card').filter({ has: id('chain') }).first();
    await card.waitFor();
    await shot('capability');
    const hops = card.getByTestId('hop');
    assert.ok((await hops.count()) >= 1);
    await hops.first().click();
    await page.keyboard.press('i');
    await page.getByText('More files than before can run SQL').waitFor();
    await shot('capability-summary');
    await id('agent-picker').click();
    await shot('capability-picker');
  });

  it('tests an agent, and says in words what is wrong', async () => {
    await openSample();
    await id('agent-picker').click();
    await page.getByRole('radio', { name: /Second/ }).check();
    await talker.say({ text: '{"summary_markdown":"ok","findings":[]}', usage: { input: 90, output: 8 } });
    await id('agent-test').click();
    await page.waitForFunction(() => /Works/.test(document.querySelector('[data-testid="agent-tested"]')?.textContent));
    // One button tests and cancels, so the focus stays on it and in the picker. A double click does not cancel.
    const focused = () => page.evaluate(() => document.activeElement.dataset.testid);
    await talker.say({ hang: 120 }, { hang: 120 });
    await id('agent-test').dblclick();
    await page.waitForTimeout(400);
    assert.equal(await focused(), 'agent-cancel');
    await page.keyboard.press('Enter');
    await id('agent-test').waitFor();
    assert.equal(await focused(), 'agent-test');
    // The result of an earlier test stays when another test is cancelled.
    await id('agent-tested').filter({ hasText: /^Checked just now: Works/ }).waitFor();
    await page.keyboard.press('Enter');
    await id('agent-cancel').waitFor();
    await page.keyboard.press('Escape');
    await id('agent-cancel').waitFor({ state: 'detached' });
    await id('agent-picker').click();
    await talker.say({ status: 401, error: 'bad key' });
    await id('agent-test').click();
    await page.waitForFunction(() => /not signed in/.test(document.querySelector('[data-testid="agent-tested"]')?.textContent));
    await shot('agent-test');
    // A result is known after a restart; a cancelled test has none.
    await stop();
    await start();
    await id('agent-picker').click();
    await id('agent-tested').filter({ hasText: /^Checked just now: .*not signed in/ }).waitFor();
  });

  it('shows the diff unified and split, light and dark', async () => {
    await review();
    await page.keyboard.press('j');
    await page.keyboard.press('v');
    await shot('split');
    await page.keyboard.press('v');
    for (const theme of ['light', 'dark']) {
      for (let tries = 0; tries < 3; tries++) {
        if ((await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)) === theme) break;
        await page.keyboard.press('T');
      }
      assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), theme);
      await shot(theme);
    }
  });

  it('offers every action by name, and all keys', async () => {
    await openBranch();
    await page.keyboard.press('Control+k');
    await id('palette').waitFor();
    await page.keyboard.type('split');
    await page.keyboard.press('Enter');
    await id('palette').waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await id('keys').waitFor();
    await shot('keys');
    await page.keyboard.press('Escape');
    await id('keys').waitFor({ state: 'detached' });
  });

  it('opens what can be read of a patch that breaks off', async () => {
    await openSample();
    const whole = 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n';
    const file = path.join(home.folder, 'broken.patch');
    await writeFile(file, `${whole}${whole.replaceAll('/x', '/y').slice(0, -5)}`);
    await id('change-picker').click();
    await page.keyboard.type(file);
    await page.keyboard.press('Enter');
    await id('partial').click();
    await id('file-row').filter({ hasText: 'x' }).first().waitFor();
    await id('file-row').filter({ hasText: 'the rest of the patch' }).waitFor();
    await shot('partial');
  });

  it('shows the parts of a change that is over the budget before anything is sent', async () => {
    await mkdir(home.env.DIFFSAN_CONFIG_DIR, { recursive: true });
    const settings = '[limits]\nstrategy = "split"\nmax_diff_chars = 2000\n';
    await writeFile(path.join(home.env.DIFFSAN_CONFIG_DIR, 'config.toml'), settings);
    await openBranch();
    await page.keyboard.press('p');
    await id('batches').waitFor();
    assert.match(await id('batches').innerText(), /sent in \d+ parts/);
    // Text far below is in the document, but not drawn.
    const first = await id('prompt-text').textContent();
    await id('parts').locator('select').selectOption('1');
    await page.waitForFunction((text) => document.querySelector('[data-testid="prompt-text"]')?.textContent !== text, first);
    assert.match(await id('prompt-text').textContent(), /this is part 2/);
    await shot('parts');
  });

  it('lets in only who has the token, once', async () => {
    const stranger = await chrome.newContext();
    const other = await stranger.newPage();
    const answered = await other.goto(server.address);
    assert.equal(answered?.status(), 401, 'the token was used by the first page');
    await other.getByRole('heading', { name: 'This browser is not signed in to diffsan' }).waitFor();
    await other.screenshot({ path: path.join(shots, 'not-signed-in.png') });
    await signIn(other, server);
    await other.getByTestId('status-bar').waitFor();
    // The redirect removes the token from the address and from the history.
    for (const one of [page, other]) {
      const debug = await one.context().newCDPSession(one);
      const { entries } = await debug.send('Page.getNavigationHistory');
      assert.deepEqual(entries.map((entry) => entry.url).filter((url) => url.includes('token')), []);
      assert.equal(new URL(one.url()).search, '');
    }
    await stranger.close();
  });
});
