// The window of a released AppImage updates itself from a server on this machine. `tests/releases.sh` makes the releases.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createReadStream, existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { By, Key, until } from 'selenium-webdriver';
import { out, place } from '../e2e/support.mjs';
import { Browser } from '../e2e/webdriver.mjs';

const { RELEASES, OLD, NEW, BROKEN } = process.env;
const PATIENCE = 60_000;
const TITLE = 'Branch topic/refunds – sample – diffsan';
const DRAFT = 'a question that was not sent';
const shots = path.join(out, 'releases');
const folderOf = (version) => path.join(RELEASES, `release-${version}`);

/** Returns the path of a version's AppImage. */
async function appImage(version) {
  const name = (await readdir(folderOf(version))).find((file) => file.endsWith('.AppImage'));
  return path.join(folderOf(version), name);
}

describe('the window of an AppImage', () => {
  let home, browser, window, server, served, file;

  before(async () => {
    await mkdir(shots, { recursive: true });
    server = http.createServer(async (request, response) => {
      const asked = path.join(folderOf(served), path.basename(new URL(request.url, 'http://a').pathname));
      const found = await stat(asked).catch(() => null);
      response.writeHead(found ? 200 : 404, found ? { 'content-length': found.size } : {});
      if (found) createReadStream(asked).pipe(response);
      else response.end();
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    home = await place('http://127.0.0.1:9/v1');
    await mkdir(home.env.DIFFSAN_CONFIG_DIR, { recursive: true });
    const url = `http://127.0.0.1:${server.address().port}/update.json`;
    await writeFile(path.join(home.env.DIFFSAN_CONFIG_DIR, 'config.toml'), `[update]\nurl = "${url}"\n`);
    file = path.join(home.folder, 'diffsan.AppImage');
    await copyFile(await appImage(OLD), file);
    await chmod(file, 0o755);
    browser = await Browser.start(home.env, home.folder);
  });
  afterEach(async (test) => {
    if (!test.passed) await shot(`failed ${test.name}`).catch(() => {});
  });
  after(async () => {
    await window?.quit().catch(() => {});
    browser?.stop();
    server?.close();
    await home?.remove();
  });

  const css = (name) => By.css(`[data-testid="${name}"]`);
  const see = async (name) => {
    const found = await window.wait(until.elementLocated(css(name)), PATIENCE);
    await window.wait(until.elementIsVisible(found), PATIENCE);
    return found;
  };
  const shot = async (name) => writeFile(path.join(shots, `${name}.png`), await window.takeScreenshot(), 'base64');
  const painted = () => window.wait(() => window.executeScript("return document.documentElement.dataset.diff === 'painted' && document.querySelector('[data-testid=status-bar]') !== null"), PATIENCE);
  const open = async (...args) => {
    window = await browser.open(file, args);
    await painted();
  };
  const showUpdates = async () => {
    await window.actions().keyDown(Key.CONTROL).sendKeys(',').keyUp(Key.CONTROL).perform();
    await (await window.wait(until.elementLocated(By.css('[data-page="updates"]')), PATIENCE)).click();
    return see('settings');
  };
  const draft = async () => {
    if ((await window.findElements(css('chat-input'))).length === 0) await window.actions().sendKeys('c').perform();
    return see('chat-input');
  };
  const unsent = async () => (await draft()).getProperty('value');
  /** Returns the processes that run a program of an AppImage of this test. */
  const running = async () => {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const own = await Promise.all(pids.map(async (pid) => {
      const env = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
      return env.includes(`DIFFSAN_DATA_DIR=${home.env.DIFFSAN_DATA_DIR}\0`) && name.startsWith('diffsan-desktop') ? [Number(pid)] : [];
    }));
    return own.flat();
  };
  const eventually = async (what, check) => {
    const end = Date.now() + 120_000;
    while (!(await check())) {
      assert.ok(Date.now() < end, what);
      await sleep(200);
    }
  };
  /** Downloads the version of the server and restarts with it. The driver loses the window. */
  const restart = async (version) => {
    await (await see('update-download')).click();
    const button = await see('update-restart');
    assert.match(await (await see('settings')).getText(), new RegExp(`Version ${version.replaceAll('.', '\\.')} is available`));
    await shot(`downloaded ${version}`);
    const [old] = await running();
    await button.click();
    await eventually('the window that restarts ends', async () => !(await running()).includes(old));
    await window.quit().catch(() => {});
  };
  /** Ends the window that a restart has opened. */
  const end = async () => {
    for (const pid of await running()) process.kill(pid);
    await eventually('the window ends', async () => (await running()).length === 0);
  };
  const names = async () => (await readdir(home.folder)).filter((name) => name.includes('AppImage'));
  const has = async (version) => (await readFile(file)).equals(await readFile(await appImage(version)));

  it('says that a newer version exists, downloads it, and starts it', async () => {
    served = NEW;
    await open('--sample');
    await (await draft()).sendKeys(DRAFT);
    const found = await see('update-available');
    assert.equal(await found.getText(), `Version ${NEW} is available`);
    await found.click();
    await see('settings');
    await restart(NEW);
    await eventually('the new file is in place and the old one is gone', async () => (await names()).length === 1 && (await has(NEW)));
    assert.ok(await browser.shows(TITLE), 'the window of the new version shows the same change');
    assert.equal((await stat(file)).mode & 0o777, 0o755);
    await eventually('only the new window runs', async () => (await running()).length === 1);
    await end();
  });

  it('runs the new version, with what was not sent', async () => {
    await open();
    assert.equal(await unsent(), DRAFT);
    assert.match(await (await showUpdates()).getText(), new RegExp(`Version ${NEW.replaceAll('.', '\\.')} is running`));
    await (await see('update-check')).click();
    await see('update-none');
    await shot('up to date');
  });

  it('starts again with a message if the next version does not start', async () => {
    served = BROKEN;
    await (await see('update-check')).click();
    await restart(BROKEN);
    await eventually('the version before is in place', async () => (await names()).length === 1 && (await has(NEW)));
    await eventually('its window is open', async () => (await running()).length === 1 && (await browser.shows(TITLE)));
    await end();
    await open();
    assert.equal(await unsent(), DRAFT);
    await showUpdates();
    const outcome = await (await see('update-outcome')).getText();
    assert.match(outcome, new RegExp(`Version ${BROKEN.replaceAll('.', '\\.')} could not be installed: it ended at once`));
    await shot('did not start');
  });

  it('refuses a release with another file than the signed one', async () => {
    await (await see('update-check')).click();
    const broken = await appImage(BROKEN);
    const text = await readFile(broken);
    await writeFile(broken, Buffer.concat([text.subarray(0, -2), Buffer.from('0\n')]));
    await (await see('update-download')).click();
    const error = await window.wait(until.elementLocated(By.css('[data-testid="settings"] [role="alert"]')), PATIENCE);
    assert.match(await error.getText(), /SHA-256/);
    await shot('another file');
    await writeFile(broken, text);
    assert.ok(await has(NEW));
    assert.deepEqual(await names(), ['diffsan.AppImage']);
  });

  it('leaves no mounted file system', () => {
    assert.ok(!existsSync(`${file}.previous`));
    const mounts = execFileSync('findmnt', ['--noheadings', '--output', 'SOURCE'], { encoding: 'utf8' });
    assert.ok(mounts.split('\n').filter((line) => line.includes('diffsan.AppImage')).length <= 1, mounts);
  });
});
