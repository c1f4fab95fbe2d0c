// The behaviour of the real window: one window for all starts, links that only open, no navigation in the web view, hostile text in
// WebKitGTK.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { By, Key, until } from 'selenium-webdriver';
import { fakeGitlab, model, out, place, program, reviewed, root } from './support.mjs';
import { Browser } from './webdriver.mjs';

const shots = path.join(out, 'window-behaviour');
const PATIENCE = 30_000;
const payloads = JSON.parse(await readFile(path.join(root, 'tests/fixtures/payloads.json'), 'utf8'));

describe('the behaviour of the real window', () => {
  let talker, home, browser, window, repo;
  const desk = program('diffsan-desktop');
  const css = (name) => By.css(`[data-testid="${name}"]`);
  const see = async (at) => {
    const found = await window.wait(until.elementLocated(at), PATIENCE);
    await window.wait(until.elementIsVisible(found), PATIENCE);
    return found;
  };
  const gone = (at) => window.wait(async () => (await window.findElements(at)).length === 0, PATIENCE);
  const says = (name, words) => see(By.xpath(`//*[@data-testid="${name}"][contains(., "${words}")]`));
  // Without a window manager, the focus does not return to the window when a system dialog closes.
  const focus = () => browser.dialog('.* – diffsan');
  const press = (...keys) => window.actions().sendKeys(...keys).perform();
  const painted = () =>
    window.wait(() => window.executeScript("return document.documentElement.dataset.diff === 'painted' && document.querySelector('[data-testid=status-bar]') !== null"), PATIENCE);
  // WebKitGTK may return no screenshot while a modal dialog does not change. The screenshot proves nothing, so the wait is short.
  const shot = async (name) => {
    const taken = await Promise.race([window.takeScreenshot(), sleep(5_000)]);
    if (taken) await writeFile(path.join(shots, `${name}.png`), taken, 'base64');
  };
  const git = (folder, ...args) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args]);

  before(async () => {
    await mkdir(shots, { recursive: true });
    talker = await model();
    home = await place(talker.url);
    home.env.DIFFSAN_AGENT__NAME = 'second';
    repo = path.join(home.folder, 'other');
    await mkdir(repo);
    git(repo, 'init', '-q', '-b', 'main');
    await writeFile(path.join(repo, 'a.ts'), 'const a = 1;\n');
    git(repo, 'add', '-A');
    git(repo, 'commit', '-q', '-m', 'base');
    await writeFile(path.join(repo, 'a.ts'), 'const a = 2;\n');
    for (const [name, folder] of Object.entries({ user: path.join(home.folder, 'programs'), repository: path.join(repo, 'bin') })) {
      await mkdir(folder);
      for (const launcher of ['xdg-open', 'gio']) {
        const opened = path.join(home.folder, `opened-by-${name}`);
        await writeFile(path.join(folder, launcher), `#!/bin/sh\nprintf '%s\\n' "$@" "$PATH" > '${opened}.tmp'\nmv '${opened}.tmp' '${opened}'\n`);
        await chmod(path.join(folder, launcher), 0o755);
      }
      home.env.PATH = `${folder}:${home.env.PATH ?? process.env.PATH}`;
    }
    browser = await Browser.start(home.env);
    // A window position on a screen that no longer exists.
    await mkdir(home.env.DIFFSAN_DATA_DIR, { recursive: true });
    const lost = { width: 1200, height: 800, x: -9000, y: -9000, maximized: false };
    await writeFile(path.join(home.env.DIFFSAN_DATA_DIR, 'window.json'), JSON.stringify(lost));
    window = await browser.open(desk, ['--sample']);
  });
  after(async () => {
    await shot('last').catch(() => {});
    await window?.quit().catch(() => {});
    browser?.stop();
    await talker?.stop();
    await home?.remove();
  });

  it('opens on what it was started on, where a screen shows it', async () => {
    await painted();
    const [x, y, width, height] = await window.executeScript('return [screenX, screenY, outerWidth, outerHeight]');
    const { width: across, height: down } = await window.executeScript('return { width: screen.width, height: screen.height }');
    const whole = x >= 0 && y >= 0 && x + width <= across && y + height <= down;
    assert.ok(whole, `the window, ${width} x ${height} at ${x}, ${y}, is not whole on a screen of ${across} x ${down}`);
  });

  it('tells somebody who looks elsewhere that a review ended', async () => {
    const bus = browser.hear('org.freedesktop.Notifications');
    // Another window takes the focus.
    const leave = browser.leave(desk, [], { DIFFSAN_DATA_DIR: path.join(home.folder, 'elsewhere') });
    try {
      await window.wait(() => window.executeScript('return !document.hasFocus()'), PATIENCE);
      await talker.say(reviewed);
      await (await see(css('review-button'))).click();
      await window.wait(() => /string "The review is finished: \d+ findings?\."/.test(bus.heard()), PATIENCE);
    } finally {
      leave();
      bus.stop();
    }
  });

  it('shows in the first window what a second start names', async () => {
    const second = await browser.run(desk, ['--unstaged'], { cwd: repo });
    assert.equal(second.code, 0, second.wrong);
    await says('change-picker', 'Unstaged changes');
    await painted();
    const lines = await window.findElements(css('diff-line'));
    assert.match(await lines.at(-1).getText(), /const a = 2;/);
    assert.equal((await window.getAllWindowHandles()).length, 1);
    await shot('second start');
  });

  it('shows the repository in which an alias of git is called', async () => {
    const inside = path.join(home.folder, 'called', 'inside');
    await mkdir(inside, { recursive: true });
    const called = path.dirname(inside);
    git(called, 'init', '-q', '-b', 'main');
    await writeFile(path.join(inside, 'b.ts'), 'const b = 1;\n');
    git(called, 'add', '-A');
    git(called, 'commit', '-q', '-m', 'base');
    const alias = ['-c', `alias.diffsan=!'${desk}'`, 'diffsan'];
    const started = await browser.run('git', alias, { cwd: inside });
    assert.equal(started.code, 0, started.wrong);
    await says('repo-picker', 'called');
    await painted();
    const back = await browser.run('git', [...alias, '--unstaged'], { cwd: repo });
    assert.equal(back.code, 0, back.wrong);
    await says('repo-picker', 'other');
    await says('change-picker', 'Unstaged changes');
    await painted();
  });

  it('opens addresses with a program of the system and never with one of the repository', async () => {
    const open = (url) =>
      window.executeAsyncScript(
        'const done = arguments[arguments.length - 1]; window.__TAURI_INTERNALS__.invoke("open_link", { url: arguments[0] }).then(() => done("opened"), done)',
        url,
      );
    assert.equal(await open('https://example.com/a?b=c'), 'opened');
    const [address, search] = (await readFile(path.join(home.folder, 'opened-by-user'), 'utf8')).split('\n');
    assert.equal(address, 'https://example.com/a?b=c');
    assert.ok(!search.includes(repo), search);
    await assert.rejects(readFile(path.join(home.folder, 'opened-by-repository')), { code: 'ENOENT' });
    for (const other of ['file:///etc/passwd', '/etc/passwd', '--help', 'javascript:1', 'diffsan://open']) {
      assert.match(await open(other), /not a web address/, other);
    }
  });

  it('asks before a link opens what is not known, and refuses what is no link of ours', async () => {
    const stranger = path.join(home.folder, 'stranger');
    await mkdir(stranger);
    git(stranger, 'init', '-q', '-b', 'main');
    const { length } = await talker.requests();
    await browser.run(desk, [`diffsan://open?repo=${encodeURIComponent(stranger)}`]);
    await says('launch-dialog', stranger);
    await press(Key.ESCAPE);
    await gone(css('launch-dialog'));
    await says('change-picker', 'Unstaged changes');
    await browser.run(desk, [`diffsan://open?repo=${encodeURIComponent(repo)}&post=1`]);
    await see(By.xpath('//*[contains(., "it contains an unknown part")]'));
    // A known repository opens at once.
    await browser.run(desk, [`diffsan://open?repo=${encodeURIComponent(repo)}&commit=HEAD`]);
    await says('change-picker', 'Commit HEAD');
    await painted();
    assert.equal((await talker.requests()).length, length, 'no link sends anything');
  });

  it('opens a patch from the file manager', async () => {
    const patch = path.join(home.folder, 'one two.patch');
    await writeFile(patch, `--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-a\n+${payloads[19]}\n`);
    await browser.run(desk, [`file://${encodeURI(patch)}`]);
    await says('change-picker', 'one two.patch');
    await painted();
    await shot('patch');
  });

  it('shows a menu bar to who wants one, and hides it again', async () => {
    const height = () => window.executeScript('return innerHeight');
    const without = await height();
    await press(Key.F10);
    await window.wait(async () => (await height()) < without - 10, PATIENCE);
    await press(Key.F10);
    await window.wait(async () => (await height()) === without, PATIENCE);
  });

  it('saves the review where the dialog of the system says', async () => {
    const save = () => window.actions().keyDown(Key.CONTROL).sendKeys('s').keyUp(Key.CONTROL).perform();
    await talker.say(reviewed);
    await (await see(css('review-button'))).click();
    await see(css('finding-row'));
    await save();
    const dialog = await browser.dialog('Save File');
    await dialog.press('ctrl+a');
    const file = path.join(home.folder, 'review.html');
    await dialog.type(file);
    await dialog.leave('Return');
    await see(By.xpath(`//*[contains(., "Saved to ${file}")]`));
    await focus();
    const text = await readFile(file, 'utf8');
    assert.match(text, /^<!doctype html>/i);
    assert.match(text, /SQL injection/);
    // Cancelling shows no notice.
    await save();
    const second = await browser.dialog('Save File');
    await second.leave('Escape');
    await focus();
  });

  it('goes nowhere and opens nothing', async () => {
    const address = await window.getCurrentUrl();
    for (const script of [
      "location.href = 'https://example.com/'",
      "location.assign('http://127.0.0.1:1/')",
      "location.href = 'file:///etc/passwd'",
      "location.href = 'data:text/html,x'",
      "document.body.append(Object.assign(document.createElement('a'), { href: 'https://example.com/', id: 'away' })); document.getElementById('away').click(); document.getElementById('away').remove()",
      "window.open('https://example.com/')",
      "window.open('about:blank')",
    ]) {
      await window.executeScript(script).catch(() => {});
      await sleep(150);
      assert.equal(await window.getCurrentUrl(), address, script);
      assert.equal((await window.getAllWindowHandles()).length, 1, script);
    }
    // The page is still the same and still connected to the core.
    await press('?');
    await see(css('keys'));
    await press(Key.ESCAPE);
    await gone(css('keys'));
    const blocked = await window.executeAsyncScript(`
      const done = arguments[arguments.length - 1];
      const tries = [
        () => fetch('https://example.com/').then(() => 'fetched', () => 'blocked'),
        () => new Promise((told) => { const picture = new Image(); picture.onload = () => told('loaded'); picture.onerror = () => told('blocked'); picture.src = 'https://example.com/x.png'; }),
        () => { try { document.body.insertAdjacentHTML('beforeend', '<i id="written">x</i>'); return 'written'; } catch { return 'blocked'; } },
        () => { try { return (0, eval)('1') ? 'evaluated' : ''; } catch { return 'blocked'; } },
      ];
      Promise.all(tries.map((one) => one())).then(done);`);
    // Trusted types are enforced where the web view supports them.
    const knows = await window.executeScript("return typeof trustedTypes === 'object'");
    assert.deepEqual(blocked.slice(0, 2), ['blocked', 'blocked']);
    if (knows) assert.equal(blocked[2], 'blocked');
    await window.executeScript("document.getElementById('written')?.remove()");
  });

  it('shows hostile words as words', async () => {
    const all = payloads.map((one, at) => `${at}\n\n${one}`).join('\n\n');
    const finding = (at) => ({ severity: 'high', category: 'security', path: at ? payloads[at] : 'x.ts', line_start: 1, line_end: 1, title: payloads[at + 2], body_markdown: payloads.slice(at, at + 40).join('\n\n') });
    await talker.say({ text: JSON.stringify({ summary_markdown: all, findings: [finding(0), finding(60), finding(120)] }), usage: { input: 1, output: 1 } });
    await (await see(css('review-button'))).click();
    await see(css('finding-row'));
    // The first finding is not in the change, so it is selected in the summary.
    await see(css('summary'));
    await window.executeScript(`for (const node of document.querySelectorAll('.prose *')) for (const kind of ['mouseover', 'focus', 'error', 'load', 'toggle']) node.dispatchEvent(new Event(kind, { bubbles: true }));`);
    await sleep(300);
    // A dialog would make this fail.
    const wrong = await window.executeScript(`
      const wrong = [...document.querySelectorAll('.prose :is(script, img, iframe, svg, form, style, object, embed, a[href], [style], [id], [name])')].map((node) => node.outerHTML);
      for (const node of document.querySelectorAll('body *')) for (const { name } of node.attributes) if (name.startsWith('on')) wrong.push(node.outerHTML);
      return wrong;`);
    assert.deepEqual(wrong, []);
    await shot('hostile');
  });

  it('prints with the dialog of the system', async () => {
    // A web view under WebDriver cannot print, so this window is started without it, on the change that has a review.
    await window.quit();
    await browser.ended(desk);
    const leave = browser.leave(desk, [`file://${encodeURI(path.join(home.folder, 'one two.patch'))}`]);
    try {
      const page = await browser.dialog('.* – diffsan');
      const dialog = browser.dialog('Print');
      let there = false;
      const found = dialog.then(() => (there = true));
      // From outside, it is not visible when the page begins to handle keys.
      for (let tries = 0; tries < 15 && !there; tries++) {
        await page.press('Escape', 'ctrl+k');
        await sleep(300);
        await page.type('print');
        await sleep(300);
        await page.press('Return');
        await Promise.race([found, sleep(2_000)]);
      }
      await (await dialog).leave('Escape');
      assert.equal(await page.shown(), true, 'the window is still there');
    } finally {
      leave();
    }
  });
});

describe('the inbox in the real window', () => {
  let home, gitlab, browser, window;
  const desk = program('diffsan-desktop');

  before(async () => {
    home = await place('http://127.0.0.1:9');
    const origin = path.join(home.folder, 'origin');
    const git = (...args) =>
      execFileSync('git', ['-C', origin, '-c', 'user.name=Author', '-c', 'user.email=author@example.com', ...args]);
    await mkdir(origin);
    git('init', '-q', '-b', 'main');
    git('commit', '-q', '--allow-empty', '-m', 'base');
    for (const name of ['refunds', 'totals']) {
      git('checkout', '-q', '-b', name, 'main');
      await writeFile(path.join(origin, `${name}.py`), 'send()\n');
      git('add', '-A');
      git('commit', '-q', '-m', `Send ${name}`);
    }
    git('checkout', '-q', 'main');
    gitlab = await fakeGitlab(origin, 'refunds', 'main');
    const env = {
      ...home.env,
      DIFFSAN_GITLAB_TOKEN: 'glpat-reviewer-000000000',
      DIFFSAN_GITLAB__BASE_URL: gitlab.url,
      DIFFSAN_INBOX__QUIET_HOURS: '',
    };
    // No repository is there.
    browser = await Browser.start(env, path.parse(root).root);
    window = await browser.open(desk);
  });
  after(async () => {
    await window?.quit().catch(() => {});
    browser?.stop();
    await gitlab?.stop();
    await home?.remove();
  });

  it('tells somebody who looks elsewhere that a merge request waits', async () => {
    const waiting = (count) =>
      window.wait(() => window.executeScript(`return document.querySelectorAll('[data-group="your_turn"]').length === ${count}`), PATIENCE);
    await waiting(1);
    const bus = browser.hear('org.freedesktop.Notifications');
    const leave = browser.leave(desk, [], { DIFFSAN_DATA_DIR: path.join(home.folder, 'elsewhere'), DIFFSAN_GITLAB_TOKEN: '' });
    try {
      await window.wait(() => window.executeScript('return !document.hasFocus()'), PATIENCE);
      await gitlab.ask({ do: 'request', iid: 8, source: 'totals', target: 'main', title: 'Send totals to the ledger' });
      await window.actions().sendKeys('R').perform();
      await waiting(2);
      await window.wait(() => bus.heard().includes('string "Send totals to the ledger"'), PATIENCE);
      assert.match(bus.heard(), /string "review requested/);
      assert.doesNotMatch(bus.heard(), /string "Send refunds/, 'it waited before');
    } finally {
      leave();
      bus.stop();
    }
  });
});
