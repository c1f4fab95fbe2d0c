// Conversations in Debian's Chromium against `diffsan serve`: streaming, snippets, fixes, with a scripted model.
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { chromium } from 'playwright-core';
import { answer, browserArguments, hasCount, model, out, place, program, reviewed, serving, signIn } from './support.mjs';

const shots = path.join(out, 'chat');
const usage = { input: 4100, output: 120 };

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

describe('the conversation in a browser', () => {
  let home, server, page, errors;
  const id = (name) => page.getByTestId(name);
  const focused = () => page.evaluate(() => document.activeElement.dataset.testid);
  const shot = (name) => page.screenshot({ path: path.join(shots, `${name}.png`) });
  const painted = () => page.waitForFunction(() => document.documentElement.dataset.diff === 'painted' && document.querySelector('[data-testid=status-bar]') !== null);
  const messages = (role) => page.locator(`[data-testid="chat-message"][data-role="${role}"]`);
  const ended = (count) =>
    page.waitForFunction(
      (count) =>
        document.querySelectorAll('[data-testid="chat-message"][data-role="assistant"]').length >= count &&
        document.querySelector('[data-testid="conversation"]')?.dataset.busy === 'false',
      count,
    );

  const start = async () => {
    server = await serving(program('diffsan'), ['serve', '--sample'], { env: home.env });
    page = await chrome.newPage({ viewport: { width: 1440, height: 900 } });
    page.setDefaultTimeout(60_000);
    errors = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (line) => line.type() === 'error' && errors.push(line.text()));
    await page.goto(server.address);
    await painted();
  };

  beforeEach(async () => {
    home = await place(talker.url);
    // An endpoint answers at once. Conversations with the real agents are tested in tests/cli.
    home.env.DIFFSAN_AGENT__NAME = 'second';
    await start();
  });
  afterEach(async (test) => {
    if (test.error || !test.passed) await shot(`failed ${test.name}`).catch(() => {});
    await page.close();
    await server.stop();
    await home.remove();
    assert.deepEqual(errors, [], 'the page reported no errors');
  });

  /** Waits until the last request to the model contains a text. */
  const asked = async (text) => {
    while (!JSON.stringify((await talker.requests()).at(-1)?.body ?? '').includes(text)) await page.waitForTimeout(50);
  };
  const say = async (text) => {
    await id('chat-input').fill(text);
    await id('chat-input').press('Enter');
  };

  it('streams an answer that never moves what stands, and stops at once', async () => {
    const paragraphs = Array.from({ length: 40 }, (_, at) => `Paragraph ${at} says **something** about \`code\`.`);
    const code = '```rust\nfn main() {\n    let n = 3; // three\n}\n```';
    await talker.say(
      { text: [...paragraphs, code].join('\n\n'), chunk: 30, chunk_delay: 0.02, usage },
      { text: 'endless '.repeat(2000), chunk: 8, chunk_delay: 0.05 },
      { text: 'Done.', usage },
    );
    await page.keyboard.press('c');
    await say('What does it do?');
    await messages('assistant').locator('.block').nth(3).waitFor();
    // The first block is never created again.
    await page.evaluate(() => {
      const first = document.querySelector('[data-testid="chat-message"][data-role="assistant"] .block p');
      window.first = first;
      window.changes = 0;
      new MutationObserver(() => (window.changes += 1)).observe(first, { subtree: true, childList: true, characterData: true });
    });
    await shot('1 streaming');
    await ended(1);
    const kept = await page.evaluate(() => [
      window.first === document.querySelector('[data-testid="chat-message"][data-role="assistant"] .block p'),
      window.changes,
    ]);
    assert.deepEqual(kept, [true, 0], 'what stands is not touched');
    await messages('assistant').locator('.s-keyword').first().waitFor();
    await hasCount(messages('assistant').locator('.block'), 41);
    await page.getByTestId('chat-tokens').filter({ hasText: '4.2k' }).waitFor();
    await shot('2 answered');

    await say('Say a lot.');
    await messages('assistant').nth(1).filter({ hasText: 'endless' }).waitFor();
    // The scroll position stays after the user scrolls up.
    await page.getByTestId('chat-messages').evaluate((box) => (box.scrollTop = 0));
    await page.waitForTimeout(400);
    assert.equal(await page.getByTestId('chat-messages').evaluate((box) => box.scrollTop), 0);
    await id('chat-stop').click();
    await page.locator('[data-state="stopped"]').waitFor();
    await say('And?');
    await ended(3);
    assert.match(await messages('assistant').nth(2).innerText(), /Done\./);

    // The conversation is restored after a restart.
    await server.stop();
    await page.close();
    await start();
    await messages('assistant').nth(2).waitFor();
    await hasCount(messages('user'), 3);
    assert.match(await messages('assistant').nth(1).innerText(), /endless[\s\S]*Stopped/);
  });

  it('says how the agent was confined, and says it again when that changes', async () => {
    const programs = path.join(home.folder, 'bin');
    await mkdir(programs);
    home.env.PATH = `${programs}:${home.env.PATH}`;
    home.env.DIFFSAN_AGENT__NAME = 'codex';
    home.env.DIFFSAN_AGENT__SANDBOX = 'preferred';
    const restart = async () => {
      await server.stop();
      await page.close();
      await start();
    };
    await talker.say(...['One.', 'Two.', 'Three.'].map((text) => ({ text, usage })));
    await restart();
    await page.keyboard.press('c');
    await say('First?');
    await ended(1);
    assert.match(await messages('assistant').first().getByTestId('message-sandbox').innerText(), /^Sandbox: bubblewrap(;|$)/);
    await say('Second?');
    await ended(2);
    await hasCount(id('message-sandbox'), 1, 'the second answer does not repeat it');
    await shot('13 sandbox');

    const broken = "#!/bin/sh\necho 'bwrap: no permission for namespaces' >&2\nexit 1\n";
    await writeFile(path.join(programs, 'bwrap'), broken, { mode: 0o755 });
    await restart();
    await messages('assistant').nth(1).waitFor();
    await id('chat-input').focus();
    await say('Third?');
    await ended(3);
    const line = messages('assistant').nth(2).getByTestId('message-sandbox');
    assert.match(await line.innerText(), /^Sandbox: Landlock and seccomp, bwrap: no permission for namespaces;/);
    await hasCount(id('message-sandbox'), 2);
    await shot('14 sandbox without namespaces');
  });

  it('has a drawer of snippets for keyboard and mouse', async () => {
    await page.keyboard.press('c');
    await id('chat-input').fill('Before  after');
    await id('chat-input').evaluate((input) => input.setSelectionRange(7, 7));
    const small = (await id('chat-input').boundingBox()).height;
    await id('snippets-button').click();
    await id('snippet-drawer').waitFor();
    await shot('3 snippets');
    await hasCount(id('snippet'), 11);
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    assert.equal(await focused(), 'Continue a truncated answer');
    await page.keyboard.press('ArrowRight');
    assert.equal(await focused(), 'Check your context');
    await page.keyboard.press('End');
    assert.equal(await focused(), 'Performance');
    await page.keyboard.press('ArrowDown');
    assert.equal(await focused(), 'Continue a truncated answer');
    await page.keyboard.type('sec');
    assert.equal(await focused(), 'Security review');
    await page.keyboard.press('Enter');
    await id('snippet-drawer').waitFor({ state: 'detached' });
    const text = await id('chat-input').inputValue();
    assert.match(text, /^Before Review this change for security only: .* after$/s);
    assert.ok((await id('chat-input').boundingBox()).height > small, 'the input grew');
    // The input's own undo reverts it.
    await page.keyboard.press('Control+z');
    assert.equal(await id('chat-input').inputValue(), 'Before  after');

    await page.keyboard.press('Control+/');
    await id('snippet-drawer').waitFor();
    await page.keyboard.press('Escape');
    await id('snippet-drawer').waitFor({ state: 'detached' });
    assert.equal(await focused(), 'Message', 'the keyboard is back in the input');
    await id('snippets-button').click();
    await page.getByTestId('chat-messages').click();
    await id('snippet-drawer').waitFor({ state: 'detached' });

    // The user's snippets.
    await id('snippets-button').click();
    await id('edit-snippets').click();
    await id('page-snippets').getByLabel('Tooltip').first().fill('My own');
    await shot('4 edit snippets');
    await id('snippets-save').click();
    await page.getByText('Saved.').waitFor();
    await page.keyboard.press('Escape');
    await id('page-snippets').waitFor({ state: 'hidden' });
    await id('snippets-button').click();
    await id('snippet').filter({ hasText: 'My own' }).waitFor();
    await page.keyboard.press('Escape');
  });

  it('talks about findings and lines, edits, and makes a finding', async () => {
    await talker.say(reviewed, { text: 'It **can** fail. See src/refunds.ts:5.', usage }, { text: 'Shorter.', usage });
    await id('change-picker').click();
    await id('change-option').filter({ hasText: 'topic/refunds' }).first().click();
    await id('change-picker').filter({ hasText: 'topic/refunds' }).waitFor();
    await id('review-button').click();
    await id('finding-row').first().waitFor();
    // The latest selection counts: first lines, then the finding.
    await page.keyboard.press('ArrowDown');
    await id('finding-row').first().click();
    await page.keyboard.press('c');
    await id('about-chip').filter({ hasText: 'SQL injection' }).waitFor();
    await say('Can it really fail?');
    await ended(1);
    await hasCount(messages('user').getByTestId('about-chip'), 1);
    const sent = (await talker.requests()).at(-1).body.messages;
    assert.equal(sent[0].role, 'system');
    assert.match(sent[1].content, /# The prepared diff[\s\S]*# Findings of the latest review/);
    assert.match(sent.at(-1).content, /This is about this finding:[\s\S]*Can it really fail\?/);
    await shot('5 about a finding');

    await id('edit-message').click();
    assert.equal(await id('chat-input').inputValue(), 'Can it really fail?');
    await say('In one word?');
    await ended(1);
    await messages('assistant').filter({ hasText: 'Shorter.' }).waitFor();
    await hasCount(messages('user'), 1, 'what was said before is out of the way');
    await page.getByText('Show 2 replaced messages').click();
    await hasCount(messages('user'), 2, 'and can be read');
    await page.getByText('Hide 2 replaced messages').click();
    const again = (await talker.requests()).at(-1).body.messages;
    assert.doesNotMatch(JSON.stringify(again), /really/);

    await id('chat-inspect').click();
    await id('assembled').getByText('System prompt').waitFor();
    assert.ok((await id('assembled-message').count()) >= 5);
    await shot('6 assembled');
    await page.keyboard.press('Escape');

    const before = await id('finding-row').count();
    await id('make-finding').click();
    const asAnswered = await id('finding-title').inputValue();
    await id('finding-title').fill('Refunds are not checked');
    await page.keyboard.press('Escape');
    await id('finding-sheet').waitFor({ state: 'detached' });
    await id('make-finding').click();
    assert.equal(await id('finding-title').inputValue(), 'Refunds are not checked', 'what was typed is still there');
    await page.getByRole('button', { name: 'Restore the answer’s text' }).click();
    assert.equal(await id('finding-title').inputValue(), asAnswered);
    await id('finding-title').fill('Refunds are not checked');
    await shot('7 make a finding');
    await id('finding-add').click();
    await id('finding-row').filter({ hasText: 'Refunds are not checked' }).waitFor();
    await hasCount(id('finding-row'), before + 1);
    assert.equal(before, answer.findings.length);
  });

  it('applies a fix and takes it back', async () => {
    const repo = path.join(home.folder, 'data/sample');
    const file = path.join(repo, 'src/refunds.ts');
    const original = await readFile(file, 'utf8');
    const line = original.split('\n').find((one) => original.split(one + '\n').length === 2 && one.trim().length > 8);
    const fix = (old, fresh) => '```fix src/refunds.ts\n<<<<<<< OLD\n' + old + '\n=======\n' + fresh + '\n>>>>>>> NEW\n```';
    await talker.say(
      { text: `Two fixes:\n\n${fix(line, `${line} // checked`)}\n\nand\n\n\`\`\`fix src/refunds.ts\nnothing\n\`\`\`\n`, usage },
      { text: 'Sorry.', usage },
    );
    await page.keyboard.press('c');
    await say('Fix it.');
    await ended(1);
    await hasCount(id('fix-block'), 2);
    assert.match(await id('fix-block').nth(1).innerText(), /cannot be used: the line `<<<<<<< OLD` is missing/);
    await shot('8 fix');
    await id('apply-fix').click();
    await id('undo-fix').waitFor();
    assert.match(await readFile(file, 'utf8'), / \/\/ checked/);
    await shot('9 applied');
    await id('undo-fix').click();
    await id('apply-fix').waitFor();
    assert.equal(await readFile(file, 'utf8'), original);

    await id('fix-block').nth(1).getByText('Request corrected fix').click();
    await ended(2);
    const sent = (await talker.requests()).at(-1).body.messages;
    assert.match(sent.at(-1).content, /Reminder of the form[\s\S]*The block was refused: the line/);
  });

  it('sums up by hand, keeps every message, and shows both', async () => {
    const bad = { text: 'no JSON', usage };
    const intent = 'About refunds.\n\n<VERBATIM_REQUEST_START>\nFirst question with two blanks\n<VERBATIM_REQUEST_END>';
    const good = { text: JSON.stringify({ intent_user_message: intent, summary: 'STATUS: asked\nRESUME_AT: the third' }) };
    await talker.say({ text: 'One.', usage }, { text: 'Two.', usage }, { hang: 120 }, bad, good, { text: 'Three.', usage });
    await page.keyboard.press('c');
    await say('First question with  two blanks');
    await ended(1);
    await say('Second question');
    await ended(2);
    // A cancelled compaction changes nothing and shows no error.
    await id('chat-compact').focus();
    await page.keyboard.press('Enter');
    await asked('RESUME_AT');
    assert.equal(await focused(), 'chat-compact-cancel', 'the keyboard stays where it was');
    await page.keyboard.press('Enter');
    await id('chat-compact').waitFor();
    assert.deepEqual([await id('compaction').count(), await id('error').count()], [0, 0]);
    await id('chat-compact').click();
    await page.getByText(/summary by .* cannot be used[\s\S]*Nothing was changed/).waitFor();
    assert.equal(await id('compaction').count(), 0);
    await id('chat-compact').click();
    await id('compaction').waitFor();
    await id('compaction').locator('summary').click();
    const told = await id('compaction').innerText();
    assert.match(told, /with corrected quotes[\s\S]*the original request was changed/);
    assert.match(told, /About refunds\.[\s\S]*First question with {2}two blanks[\s\S]*RESUME_AT: the third/);
    await id('earlier').locator('summary').click();
    await hasCount(id('earlier').getByTestId('chat-message'), 4);
    await say('Third question');
    await ended(3);
    const sent = (await talker.requests()).at(-1).body.messages;
    assert.match(JSON.stringify(sent), /<VERBATIM_REQUEST_START>\\nFirst question with {2}two blanks\\n<VERBATIM_REQUEST_END>/);
    assert.doesNotMatch(JSON.stringify(sent), /One\./);
    await shot('10 summed up');
  });

  it('writes a commit message, corrected once', async () => {
    await id('change-picker').click();
    await id('change-option').filter({ hasText: 'All local changes' }).first().click();
    await id('change-picker').filter({ hasText: 'All local changes' }).waitFor();
    await talker.say({ hang: 120 }, { text: 'Add refunds and quite a lot of other things that take long', usage }, { text: 'feat: add refunds\n\nThey were missing.', usage });
    // The instructions of conversations mention commit messages too. Only a further request is the one for a commit message.
    let asks = (await talker.requests()).length;
    const another = async () => {
      while ((await talker.requests()).length === asks) await page.waitForTimeout(50);
    };
    await page.keyboard.press('Control+k');
    await page.keyboard.type('commit message');
    await page.keyboard.press('Enter');
    await another();
    await id('commit-cancel').click();
    await id('commit-sheet').getByText('The answer was cancelled.').waitFor();
    await id('commit-again').click();
    await page.waitForFunction(() => document.querySelector('[data-testid="commit-message"]')?.value.startsWith('feat:'));
    assert.equal(await id('commit-message').inputValue(), 'feat: add refunds\n\nThey were missing.');
    await shot('11 commit message');
    // The message and its edits stay until there is another one.
    await id('commit-message').fill('feat: add refunds, by hand');
    await talker.say({ hang: 120 }, { status: 401, error: 'bad key' }, { text: 'feat: add refunds again', usage });
    asks = (await talker.requests()).length;
    await id('commit-again').focus();
    await page.keyboard.press('Enter');
    await another();
    assert.equal(await focused(), 'commit-cancel', 'the keyboard stays where it was');
    await page.keyboard.press('Enter');
    await id('commit-sheet').getByText('The answer was cancelled.').waitFor();
    assert.equal(await id('commit-message').inputValue(), 'feat: add refunds, by hand');
    await id('commit-again').click();
    await id('commit-sheet').getByText(/not signed in/).first().waitFor();
    assert.equal(await id('commit-message').inputValue(), 'feat: add refunds, by hand');
    await id('commit-again').click();
    await page.waitForFunction(() => document.querySelector('[data-testid="commit-message"]')?.value === 'feat: add refunds again');
    assert.equal(await id('commit-sheet').getByTestId('error').count(), 0);
    await page.keyboard.press('Escape');
  });

  it('shows which prompt files are in force; an edit counts at once, and goes back', async () => {
    await talker.say({ text: 'One.', usage });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('prompt files');
    await page.keyboard.press('Enter');
    await id('prompt-place').filter({ hasText: 'Built in' }).waitFor();
    await id('prompt-text').fill('You are a parrot.');
    await id('prompt-save').click();
    await id('prompt-place').filter({ hasText: 'config/prompts/system.md' }).waitFor();
    await shot('12 prompt files');
    await page.keyboard.press('Escape');
    await page.keyboard.press('c');
    await say('Hello?');
    await ended(1);
    assert.match((await talker.requests()).at(-1).body.messages[0].content, /^You are a parrot\./);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('prompt files');
    await page.keyboard.press('Enter');
    await id('prompt-reset').click();
    await id('prompt-place').filter({ hasText: 'Built in' }).waitFor();
    assert.match(await id('prompt-text').inputValue(), /^You are diffsan/);
    await page.keyboard.press('Escape');
  });

  it('is the same in a second window, while it is written', async () => {
    await talker.say({ text: Array.from({ length: 200 }, (_, at) => `word${at}`).join(' '), chunk: 8, chunk_delay: 0.02, usage });
    await page.keyboard.press('c');
    await say('Go on.');
    await messages('assistant').filter({ hasText: 'word5' }).waitFor();
    const second = await chrome.newPage({ viewport: { width: 1440, height: 900 } });
    await signIn(second, server);
    await second.getByTestId('chat-message').filter({ hasText: 'word8' }).waitFor();
    await second.getByTestId('chat-stop').click();
    await page.locator('[data-state="stopped"]').waitFor();
    await second.locator('[data-state="stopped"]').waitFor();
    const texts = await Promise.all([page, second].map((one) => one.locator('[data-state="stopped"] .block').innerText()));
    assert.equal(texts[0], texts[1]);
    await second.close();
  });
});
