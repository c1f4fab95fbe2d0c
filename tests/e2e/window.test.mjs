// The real window: WebKitGTK under Xvfb, controlled by WebKitWebDriver, with the real Codex and a scripted model.
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { By, Key, until } from 'selenium-webdriver';
import { answer, model, out, place, program, reviewed } from './support.mjs';
import { Browser } from './webdriver.mjs';

const shots = path.join(out, 'window');
const PATIENCE = 30_000;

describe('the real window', () => {
  let talker, home, browser, window;

  before(async () => {
    await mkdir(shots, { recursive: true });
    talker = await model();
    await talker.say(reviewed);
    home = await place(talker.url);
    browser = await Browser.start(home.env);
  });
  after(async () => {
    await window?.quit().catch(() => {});
    browser?.stop();
    await talker?.stop();
    await home?.remove();
  });

  /** Returns the environments with which the running programs were started. */
  const environments = async () => {
    const programs = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const texts = programs.map((name) => readFile(`/proc/${name}/environ`, 'utf8').catch(() => ''));
    return (await Promise.all(texts)).map((text) => text.split('\0'));
  };
  const open = async () => {
    window = await browser.open(program('diffsan-desktop'));
  };
  const css = (name) => By.css(`[data-testid="${name}"]`);
  const see = async (at) => {
    const found = await window.wait(until.elementLocated(at), PATIENCE);
    await window.wait(until.elementIsVisible(found), PATIENCE);
    return found;
  };
  const painted = () =>
    window.wait(() => window.executeScript("return document.documentElement.dataset.diff === 'painted' && document.querySelector('[data-testid=status-bar]') !== null"), PATIENCE);
  const press = (...keys) => window.actions().sendKeys(...keys).perform();
  const shot = async (name) => writeFile(path.join(shots, `${name}.png`), await window.takeScreenshot(), 'base64');
  const accepted = By.css('[data-testid="finding-row"][data-decision="accepted"]');

  it('opens the sample', async () => {
    await open();
    await (await see(css('open-sample'))).click();
    await painted();
    assert.ok((await window.findElements(css('diff-line'))).length > 5);
    assert.ok(await browser.shows('Branch topic/refunds – sample – diffsan'), 'the title of the window names the change');
  });

  it('has scroll bars beside the content, because WebKitGTK paints overlay ones above popovers', async () => {
    // WebKitWebDriver turns overlay scroll bars on, so the test looks at a window that it does not control.
    const data = path.join(home.folder, 'elsewhere');
    const leave = browser.leave(program('diffsan-desktop'), ['--sample'], { DIFFSAN_DATA_DIR: data });
    try {
      await window.wait(async () => (await environments()).some((env) => env.includes(`DIFFSAN_DATA_DIR=${data}`) && env.includes('GTK_OVERLAY_SCROLLING=0')), PATIENCE);
    } finally {
      leave();
    }
    await shot('local');
  });

  it('reviews a branch with Codex, and shows every finding', async () => {
    await (await see(css('change-picker'))).click();
    const branch = await see(By.xpath('//*[@data-testid="change-option"][contains(., "topic/refunds")]'));
    await branch.click();
    await see(By.xpath('//*[@data-testid="change-picker"][contains(., "topic/refunds")]'));
    await painted();
    await (await see(css('review-button'))).click();
    await see(css('finding-row'));
    assert.equal((await window.findElements(css('finding-row'))).length, answer.findings.length);
    const card = await see(css('finding-card'));
    assert.match(await card.getText(), /SQL injection/);
    await shot('finding');
  });

  it('accepts a finding by key, and still knows it after a restart', async () => {
    await press('a');
    await see(accepted);
    // The decision is shown at once and saved a moment later.
    await window.wait(() => window.executeScript('return dispatchEvent(new Event("beforeunload", { cancelable: true }))'), PATIENCE);
    await window.quit();
    await open();
    await painted();
    const row = await see(accepted);
    assert.match(await row.getText(), /SQL injection/);
    assert.equal((await window.findElements(accepted)).length, 1);
    await shot('restarted');
  });

  it('finds every action by name', async () => {
    await window.actions().keyDown(Key.CONTROL).sendKeys('k').keyUp(Key.CONTROL).perform();
    await see(css('palette'));
    await press('split', Key.ENTER);
    await window.wait(async () => (await window.findElements(css('palette'))).length === 0, PATIENCE);
    await shot('split');
  });

  it('talks with Codex about a finding, and still knows it after a restart', async () => {
    const words = 'Yes: **any quote** ends the string.\n\n```ts\nconst id = 1;\n```\n';
    await talker.say({ text: words, chunk: 4, chunk_delay: 0.02, usage: { input: 5000, output: 30 } });
    await press('j', 'c');
    await see(css('about-chip'));
    await (await see(css('snippets-button'))).click();
    await see(css('snippet-drawer'));
    await press('sec');
    await window.wait(
      () => window.executeScript("return document.activeElement.getAttribute('aria-label') === 'Security review'"),
      PATIENCE,
    );
    await press(Key.ENTER);
    const input = await see(css('chat-input'));
    assert.match(await input.getAttribute('value'), /^Review this change for security only/);
    assert.ok((await input.getRect()).height > 80, 'the input grew');
    await input.clear();
    await input.sendKeys('Can it be used?', Key.ENTER);
    const done = By.css('[data-testid="chat-message"][data-role="assistant"][data-state="done"]');
    const answered = await see(done);
    assert.match(await answered.getText(), /any quote ends the string/);
    await see(By.css('[data-testid="chat-message"] .s-keyword'));
    await shot('conversation');
    await window.quit();
    await open();
    await painted();
    assert.match(await (await see(done)).getText(), /any quote ends the string/);
  });
});
