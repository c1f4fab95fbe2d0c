// The settings, page by page, in Debian's Chromium against `diffsan serve`: their effects on disk and at the desk.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { chromium } from 'playwright-core';
import { fakeGitlab, model, out, place, program, serving } from './support.mjs';

const shots = path.join(out, 'settings');
const pages = ['agents', 'gitlab', 'redaction', 'prompts', 'snippets', 'limits', 'trust', 'appearance', 'keys', 'data', 'updates', 'all'];
const own = `# how I review

[agent]
max_retries = 0 # it is a test

[limits] # small changes, please
# not too many files
max_files = 40
`;
const wanted = `[limits]
context_lines = 5

[agent]
name = "house"
codex_command = ["/opt/house/codex", "exec"]

[agents.house]
title = "House reviewer"
transport = "oneshot-text"
command = ["/bin/cat", "-"]

[redaction]
enabled = false
`;

/** A turn with a review without findings. */
const fine = { text: JSON.stringify({ summary_markdown: 'ok', findings: [] }), usage: { input: 20, output: 5 } };

describe('the settings in a browser', () => {
  let chrome, talker, home, server, page, gitlab, errors, repo;

  before(async () => {
    await mkdir(shots, { recursive: true });
    chrome = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
    talker = await model();
    await talker.say(fine);
    home = await place(talker.url);
    repo = path.join(home.folder, 'shop');
    const git = (...args) => execFileSync('git', ['-C', repo, '-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args]);
    await mkdir(path.join(repo, 'config/prompts/skills'), { recursive: true });
    git('init', '-q', '-b', 'main');
    for (const name of ['one', 'two', 'three', 'four']) await writeFile(path.join(repo, `${name}.py`), `${name} = 1\n`.repeat(30));
    await writeFile(path.join(repo, '.diffsan.toml'), wanted);
    await writeFile(path.join(repo, 'config/prompts/skills/shop.md'), 'Look at the sums of the shop.\n');
    git('add', '-A');
    git('commit', '-q', '-m', 'base');
    for (const name of ['one', 'two', 'three', 'four']) await writeFile(path.join(repo, `${name}.py`), `${name} = 2\n`.repeat(30));
    await mkdir(home.env.DIFFSAN_CONFIG_DIR, { recursive: true });
    await writeFile(config(), own);
    gitlab = await fakeGitlab(repo, 'main', 'main');
    const env = {
      ...home.env,
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere',
      DIFFSAN_PROMPT__VERBOSITY: 'low',
      DIFFSAN_GITLAB__RETRY_PAUSE_MS: '10',
    };
    delete env.DIFFSAN_AGENT__MAX_RETRIES;
    server = await serving(program('diffsan'), ['serve', '--repo', repo], { env });
    page = await chrome.newPage({ viewport: { width: 1440, height: 900 } });
    page.setDefaultTimeout(Number(process.env.PATIENCE ?? 60_000));
    errors = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(server.address);
    await page.waitForFunction(() => document.documentElement.dataset.diff === 'painted' && document.querySelector('[data-testid=status-bar]') !== null);
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

  const config = () => path.join(home.env.DIFFSAN_CONFIG_DIR, 'config.toml');
  const id = (name) => page.getByTestId(name);
  const shot = (name) => page.screenshot({ path: path.join(shots, `${name}.png`) });
  const goTo = async (name) => {
    if (!(await id('settings').isVisible())) await page.keyboard.press('Control+,');
    await page.locator(`[data-page="${name}"]`).click();
    await id(`page-${name}`).waitFor();
  };
  const setting = (key) => page.locator(`[data-setting="${key}"]`);
  const kept = async (pattern) => {
    const deadline = Date.now() + 20_000;
    for (;;) {
      const text = await readFile(config(), 'utf8');
      if (pattern.test(text)) return text;
      if (Date.now() > deadline) assert.match(text, pattern);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  it('opens with its key, the gear and the palette, and every page can be reached with the arrows', async () => {
    await page.keyboard.press('Control+,');
    await id('page-agents').waitFor();
    await page.keyboard.press('Escape');
    await id('settings-open').click();
    await page.locator('[data-page="agents"]').focus();
    for (const name of [...pages.slice(1), 'agents']) {
      await page.keyboard.press('ArrowDown');
      await id(`page-${name}`).waitFor();
      if (name === 'updates') await id('update-not-offered').filter({ hasText: 'Only the window updates itself' }).waitFor();
    }
    await page.keyboard.press('Escape');
    await id('settings').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('settings: limits');
    await page.keyboard.press('Enter');
    await id('page-limits').waitFor();
  });

  it('asks about trust quietly, shows what is wanted, and applies exactly that', async () => {
    await page.keyboard.press('Escape');
    await id('trust-strip').filter({ hasText: 'request to start programs' }).waitFor();
    await shot('trust-strip');
    await id('trust-look').click();
    await id('trust-status').filter({ hasText: 'Not trusted' }).waitFor();
    const requests = await id('trust-requests').innerText();
    assert.match(requests, /agent\.codex_command = \["\/opt\/house\/codex", "exec"\]/);
    assert.match(requests, /starts programs on this machine/);
    assert.match(requests, /redaction\.enabled = false/);
    await page.getByText('config/prompts/skills/shop.md').click();
    await page.getByText('Look at the sums of the shop.').waitFor();
    await shot('trust-wishes');
    await id('trust-give').click();
    await id('trust-status').filter({ hasText: 'Trusted with this content' }).waitFor();
    await id('trusted').filter({ hasText: repo }).waitFor();
    await goTo('agents');
    await page.locator('[data-agent="house"]').filter({ hasText: 'House reviewer' }).waitFor();
    await goTo('prompts');
    await page.getByRole('button', { name: 'skills/shop.md of the repository' }).waitFor();
    // Another request for trust is another question.
    await writeFile(path.join(repo, '.diffsan.toml'), wanted.replace('exec', 'run'));
    await page.keyboard.press('Escape');
    await page.keyboard.press('R');
    await id('trust-strip').filter({ hasText: 'changed' }).waitFor();
    await writeFile(path.join(repo, '.diffsan.toml'), wanted);
    await page.keyboard.press('R');
    await id('trust-strip').waitFor({ state: 'detached' });
    await goTo('trust');
    await shot('trust');
    await id('trust-take').click();
    await id('trusted').filter({ hasText: 'None.' }).waitFor();
    await id('trust-status').filter({ hasText: 'Not trusted' }).waitFor();
    await page.keyboard.press('Escape');
    await id('trust-later').click();
    await id('trust-strip').waitFor({ state: 'detached' });
  });

  it('finds, tests, chooses and adds agents', async () => {
    await goTo('agents');
    const second = page.locator('[data-agent="second"]');
    await second.getByTestId('agent-test').click();
    await second.getByTestId('agent-tested').filter({ hasText: 'Works' }).waitFor();
    await talker.say({ hang: 120 });
    await second.getByTestId('agent-test').click();
    await second.getByTestId('agent-cancel').click();
    await second.getByTestId('agent-tested').filter({ hasText: /^Checked just now: Works/ }).waitFor();
    await talker.say(fine);
    await second.getByTestId('agent-default').click();
    await second.getByTestId('default-agent').waitFor();
    assert.match(await kept(/name = "second"/), /max_retries = 0 # it is a test\nname = "second"\n/);
    await id('agent-add').click();
    await id('agent-name').fill('local');
    await id('agent-url').fill(talker.url);
    await id('agent-model').fill('scripted-model');
    await id('agent-variable').fill('LOCAL_MODEL_KEY');
    await id('agent-key').fill('sk-local-4711-secret');
    await shot('agent-form');
    await id('agent-save').click();
    await page.getByRole('button', { name: 'Use key for this session only' }).click();
    const local = page.locator('[data-agent="local"]');
    await local.getByTestId('agent-test').click();
    await local.getByTestId('agent-tested').filter({ hasText: 'Works' }).waitFor();
    const text = await kept(/\[agents\.local\]/);
    assert.match(text, /key_variable = "LOCAL_MODEL_KEY"/);
    assert.ok(!text.includes('4711') && text.startsWith('# how I review'), text);
    await shot('agents');
    // An address with a key is not shown again, and stays unchanged when another setting changes.
    const address = `${talker.url}?api_key=9d1f7c3e5ba24d60ae8812aa7cd4f3b1`;
    await local.getByTestId('agent-edit').click();
    await id('agent-url').fill(address);
    await id('agent-save').click();
    await id('agent-form').waitFor({ state: 'detached' });
    await local.getByTestId('agent-tested').waitFor({ state: 'detached' });
    await local.getByTestId('agent-edit').click();
    assert.equal(await id('agent-url').inputValue(), '');
    assert.match(await id('agent-url').getAttribute('placeholder'), /secret/);
    assert.ok(!(await page.content()).includes('9d1f7c3e'), 'the key is nowhere on the page');
    await id('agent-model').fill('other-model');
    await id('agent-save').click();
    await id('agent-form').waitFor({ state: 'detached' });
    const file = await kept(/other-model/);
    assert.ok(file.includes(`url = "${address}"`), file);
    await local.getByTestId('agent-edit').click();
    await id('agent-remove').click();
    await local.waitFor({ state: 'detached' });
    assert.ok(!(await readFile(config(), 'utf8')).includes('agents.local'));
  });

  it('keeps a token for a GitLab, checks it and removes it', async () => {
    await goTo('gitlab');
    await id('host').fill(gitlab.url);
    await id('host-add').click();
    await id('token-input').fill('glpat-reviewer-000000000');
    await id('token-save').click();
    await id('token-session').click();
    await id('token-found').filter({ hasText: 'reviewer' }).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    const host = page.locator(`[data-host="${gitlab.url}"]`);
    await host.getByTestId('token-check').click();
    await host.getByTestId('token-facts').filter({ hasText: 'reviewer · scopes api' }).waitFor();
    // A check that hangs can be cancelled.
    await gitlab.ask({ do: 'hang', method: 'GET', path: '/user' });
    await host.getByTestId('token-check').click();
    // If it were cancelled before the request is sent, the next check would hang.
    while ((await gitlab.ask({ do: 'look' })).faults > 0) await page.waitForTimeout(50);
    await host.getByTestId('token-check-cancel').click();
    await host.getByTestId('token-check').click();
    await host.getByTestId('token-facts').filter({ hasText: 'reviewer · scopes api' }).waitFor();
    await shot('gitlab');
    await host.getByTestId('token-remove').click();
    await host.waitFor({ state: 'detached' });
    assert.ok(!(await page.content()).includes('glpat-reviewer'));
  });

  it('tries masking, and takes patterns that hold', async () => {
    await goTo('redaction');
    await id('try-text').fill("order = 'ORD-778812'\npassword = 'geheim-4711-x'");
    await id('try-result').filter({ hasText: 'REDACTED' }).waitFor();
    assert.match(await id('try-result').innerText(), /ORD-778812/);
    await id('pattern-name').fill('order');
    await id('pattern').fill('ORD-(\\d{6}');
    await id('pattern-add').click();
    await id('pattern-error').filter({ hasText: 'order' }).waitFor();
    await id('pattern').fill('ORD-(\\d{6})');
    await id('pattern-add').click();
    await id('patterns').filter({ hasText: 'order' }).waitFor();
    await id('try-rules').filter({ hasText: 'order' }).waitFor();
    assert.ok(!(await id('try-result').innerText()).includes('778812'));
    await shot('redaction');
    assert.match(await kept(/extra_patterns/), /pattern = 'ORD-\(\\d\{6\}\)'/);
  });

  it('shows what limits make of the change before they are kept', async () => {
    await goTo('limits');
    const fact = (name) => page.locator(`[data-fact="${name}"]`);
    await fact('Files sent').filter({ hasText: '4 of 4' }).waitFor();
    await page.getByLabel('Maximum files').fill('2');
    await page.getByLabel('Maximum files').blur();
    await fact('Files sent').filter({ hasText: '2 of 4' }).waitFor();
    await fact('Over limit').filter({ hasText: '2' }).waitFor();
    assert.match(await readFile(config(), 'utf8'), /max_files = 40/);
    await shot('limits');
    await id('limits-discard').click();
    await fact('Files sent').filter({ hasText: /^4 of 4$/ }).waitFor();
    await page.getByLabel('Maximum files').fill('3');
    await page.getByLabel('Maximum files').blur();
    await fact('Files sent').filter({ hasText: '3 of 4' }).waitFor();
    await id('limits-save').click();
    assert.match(await kept(/max_files = 3\n/), /\[limits\] # small changes, please\n# not too many files\nmax_files = 3\n/);
    await page.keyboard.press('Escape');
    // The open change uses the new value at once.
    await page.keyboard.press('p');
    await page.getByText('Over limit 1', { exact: false }).first().waitFor();
    await page.keyboard.press('p');
  });

  it('lists every setting with its origin, and says what overrides one’s own', async () => {
    await goTo('all');
    await id('settings-search').fill('verbosity');
    const verbosity = setting('prompt.verbosity');
    await verbosity.getByTestId('origin').filter({ hasText: 'from DIFFSAN_PROMPT__VERBOSITY' }).waitFor();
    await verbosity.getByRole('combobox').selectOption('high');
    await verbosity.getByTestId('overridden').filter({ hasText: 'overrides your value, "high"' }).waitFor();
    await verbosity.getByTestId('reset').click();
    await verbosity.getByTestId('reset').waitFor({ state: 'detached' });
    await id('settings-search').fill('context_lines');
    const lines = setting('limits.context_lines');
    await lines.getByTestId('origin').filter({ hasText: '.diffsan.toml' }).waitFor();
    await id('settings-search').fill('silence');
    const silence = setting('agent.silence_timeout_seconds');
    await silence.getByTestId('origin').filter({ hasText: 'default' }).waitFor();
    await silence.getByRole('textbox').fill('soon');
    await silence.getByRole('textbox').press('Enter');
    await silence.getByTestId('setting-error').filter({ hasText: 'must be a whole number from 0 to 86400, not "soon"' }).waitFor();
    await silence.getByRole('textbox').fill('120');
    await silence.getByRole('textbox').press('Enter');
    await silence.getByTestId('origin').filter({ hasText: 'your config.toml' }).waitFor();
    assert.match(await kept(/silence_timeout_seconds = 120/), /# not too many files/);
    await id('settings-search').fill('');
    await shot('all');
  });

  it('does not write over what another program wrote meanwhile', async () => {
    await goTo('all');
    await id('settings-search').fill('max_retries');
    const retries = setting('agent.max_retries');
    await retries.getByRole('textbox').waitFor();
    await writeFile(config(), `# by hand\n${await readFile(config(), 'utf8')}`);
    await retries.getByRole('textbox').fill('2');
    await retries.getByRole('textbox').press('Enter');
    await retries.getByTestId('setting-error').filter({ hasText: 'was changed by another program in the meantime' }).waitFor();
    assert.ok((await readFile(config(), 'utf8')).startsWith('# by hand\n'));
    await retries.getByRole('textbox').fill('2');
    await retries.getByRole('textbox').press('Enter');
    assert.match(await kept(/max_retries = 2 # it is a test/), /^# by hand\n/);
  });

  it('adds a skill and keeps prompts and snippets', async () => {
    await goTo('prompts');
    await id('skill-name').fill('cobol');
    await id('skill-add').click();
    await id('prompt-place').filter({ hasText: 'prompts/skills/cobol.md' }).waitFor();
    await id('prompt-text').fill('Look at the columns.');
    await id('prompt-save').click();
    const file = path.join(home.env.DIFFSAN_CONFIG_DIR, 'prompts/skills/cobol.md');
    const saved = async () => (await readFile(file, 'utf8').catch(() => '')) === 'Look at the columns.';
    for (let tries = 0; !(await saved()); tries++) {
      assert.ok(tries < 100, 'the skill is saved');
      await page.waitForTimeout(50);
    }
    await id('prompt-reset').click();
    await page.getByRole('button', { name: 'skills/cobol.md' }).waitFor({ state: 'detached' });
  });

  it('keeps what was typed of prompts and snippets until it is kept or undone', async () => {
    await goTo('prompts');
    await page.getByRole('button', { name: /^review/ }).first().click();
    const usual = await id('prompt-text').inputValue();
    await id('prompt-text').fill('Begun.');
    await page.getByRole('button', { name: /^system\.md/ }).click();
    assert.notEqual(await id('prompt-text').inputValue(), 'Begun.', 'each file has its own words');
    await goTo('snippets');
    const message = page.getByLabel('Message').first();
    const said = await message.inputValue();
    await message.fill('');
    await message.pressSequentially('Is it quick?');
    await page.keyboard.press('Escape');
    await page.waitForTimeout(700);
    await page.reload();
    await page.waitForFunction(() => document.documentElement.dataset.diff === 'painted' && document.querySelector('[data-testid=status-bar]') !== null);
    await goTo('snippets');
    await page.waitForFunction(() => document.querySelector('[aria-label="Message"]')?.value === 'Is it quick?');
    const take = page.getByRole('button', { name: 'Import from file…' });
    assert.ok(await take.isDisabled(), 'what was typed is not thrown away by a file');
    await page.getByText('Save or discard the changes first.').waitFor();
    await shot('snippets begun');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    assert.equal(await message.inputValue(), said);
    assert.ok(await take.isEnabled());
    await goTo('prompts');
    const file = page.getByRole('button', { name: /unsaved edits/ });
    await file.click();
    assert.equal(await id('prompt-text').inputValue(), 'Begun.');
    await id('prompt-text').fill('');
    assert.equal(await id('prompt-text').inputValue(), '', 'it may be emptied and written anew');
    assert.equal(await file.count(), 0, 'what is emptied is not kept');
    await id('prompt-text').fill('Begun again.');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    assert.equal(await id('prompt-text').inputValue(), usual);
    assert.equal(await file.count(), 0);
  });

  it('looks as one wants, also after a restart', async () => {
    await goTo('appearance');
    await id('theme-dark').click();
    await id('density-compact').click();
    await id('code-size').fill('1.2');
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark' && document.documentElement.dataset.density === 'compact');
    await page.waitForFunction(() => getComputedStyle(document.documentElement).getPropertyValue('--code-size') === '1.2');
    await shot('appearance dark');
    await page.waitForTimeout(600);
    await page.reload();
    await page.waitForFunction(() => document.documentElement.dataset.density === 'compact');
    // The command shows only values that the user has set, although the page stores all of them.
    const told = JSON.parse(execFileSync(program('diffsan'), ['config', 'appearance.', '--json'], { env: { ...process.env, ...home.env } }));
    const set = told.settings.filter((one) => one.origin !== 'default').map((one) => one.key);
    assert.deepEqual(set, ['appearance.theme', 'appearance.density', 'appearance.diff_font_size'], JSON.stringify(told.settings));
    assert.equal(told.settings.length, 6);
    await goTo('appearance');
    await id('density-usual').click();
    await id('code-size').fill('1');
  });

  it('every page fits a small window, light and dark', async () => {
    for (const [width, height, look] of [
      [1440, 900, 'dark'],
      [800, 520, 'dark'],
      [800, 520, 'light'],
      [1440, 900, 'light'],
    ]) {
      await page.setViewportSize({ width, height });
      await goTo('appearance');
      await id(`theme-${look}`).click();
      for (const name of pages) {
        await goTo(name);
        await page.waitForLoadState('networkidle');
        await page.waitForTimeout(150);
        await shot(`${name} ${width} ${look}`);
        const wide = await page.evaluate(() => {
          const inside = document.querySelector('[data-testid="settings"] .page');
          return inside.scrollWidth - inside.clientWidth;
        });
        assert.ok(wide <= 0, `${name} at ${width}: ${wide} px too wide`);
      }
    }
  });

  it('says what is kept, and removes it after asking', async () => {
    await page.keyboard.press('Escape');
    await page.keyboard.press('r');
    // The limit that was saved before is lower than the change.
    await id('budget-truncate').click();
    await id('budget-review').click();
    await id('status-bar').filter({ hasText: /Reviewed/ }).waitFor();
    await goTo('data');
    await page.getByText(/1 review, 0 conversations and \d+ run folders?/).waitFor();
    await id('data-all').click();
    await id('data-ask').filter({ hasText: 'cannot be undone' }).filter({ hasText: 'trusted repositories' }).waitFor();
    await shot('data ask');
    await id('data-confirm').click();
    await id('data-done').filter({ hasText: 'Deleted 1 review' }).waitFor();
    await page.getByText(/0 reviews, 0 conversations and 0 run folders/).waitFor();
    assert.match(await readFile(config(), 'utf8'), /# how I review/);
  });
});
