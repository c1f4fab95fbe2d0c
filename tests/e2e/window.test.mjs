// The real window: WebKitGTK under Xvfb, driven by tauri-driver, with the real Codex before a scripted model.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Builder, By, Capabilities, Key, until } from 'selenium-webdriver';
import { answer, model, out, place, program, reviewed, root } from './support.mjs';

const shots = path.join(out, 'window');
const PATIENCE = 30_000;

/** A virtual display, and its number. */
async function display() {
  const child = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1440x900x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const number = await new Promise((resolve, reject) => {
    child.stdio[3].once('data', (data) => resolve(String(data).trim()));
    child.on('error', reject);
  });
  return { name: `:${number}`, stop: () => child.kill() };
}

async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** tauri-driver on a session bus of its own; the window is its child. */
async function driver(env) {
  const [port, native] = [await freePort(), await freePort()];
  const command = path.join(root, '.tools/bin/tauri-driver');
  const args = ['--port', String(port), '--native-port', String(native)];
  const child = spawn('dbus-run-session', ['--', command, ...args], { env, stdio: 'ignore', detached: true });
  for (let tries = 0; tries < 100; tries++) {
    const up = await fetch(`http://127.0.0.1:${port}/status`).then(
      (answered) => answered.ok,
      () => false,
    );
    if (up) return { url: `http://127.0.0.1:${port}/`, stop: () => process.kill(-child.pid) };
    await sleep(100);
  }
  throw new Error('tauri-driver did not start');
}

describe('the real window', () => {
  let talker, home, screen, proxy, window;

  before(async () => {
    await mkdir(shots, { recursive: true });
    talker = await model();
    await talker.say(reviewed);
    home = await place(talker.url);
    screen = await display();
    const env = { ...home.env, DISPLAY: screen.name, GDK_BACKEND: 'x11', NO_AT_BRIDGE: '1' };
    delete env.WAYLAND_DISPLAY;
    proxy = await driver(env);
  });
  after(async () => {
    await window?.quit().catch(() => {});
    proxy?.stop();
    screen?.stop();
    await talker?.stop();
    await home?.remove();
  });

  const open = async () => {
    const wanted = new Capabilities();
    wanted.set('tauri:options', { application: program('diffsan-desktop') });
    wanted.setBrowserName('wry');
    window = await new Builder().withCapabilities(wanted).usingServer(proxy.url).build();
  };
  const css = (name) => By.css(`[data-testid="${name}"]`);
  const see = async (at) => {
    const found = await window.wait(until.elementLocated(at), PATIENCE);
    await window.wait(until.elementIsVisible(found), PATIENCE);
    return found;
  };
  const painted = () =>
    window.wait(() => window.executeScript("return document.documentElement.dataset.diff === 'painted'"), PATIENCE);
  const press = (...keys) => window.actions().sendKeys(...keys).perform();
  const shot = async (name) => writeFile(path.join(shots, `${name}.png`), await window.takeScreenshot(), 'base64');
  const accepted = By.css('[data-testid="finding-row"][data-decision="accepted"]');

  it('opens the sample', async () => {
    await open();
    await (await see(css('open-sample'))).click();
    await painted();
    assert.ok((await window.findElements(css('diff-line'))).length > 5);
    await shot('local');
  });

  it('reviews a branch with Codex, and shows every finding', async () => {
    await (await see(css('change-picker'))).click();
    const branch = await see(By.xpath('//*[@data-testid="change-option"][contains(., "topic/refunds")]'));
    await branch.click();
    await see(By.xpath('//*[@data-testid="file-row"][contains(., "refunds.ts")]'));
    await painted();
    await (await see(css('review-button'))).click();
    await see(css('finding-row'));
    assert.equal((await window.findElements(css('finding-row'))).length, answer.findings.length);
    await press('j');
    const card = await see(css('finding-card'));
    assert.match(await card.getText(), /SQL injection/);
    await shot('finding');
  });

  it('accepts a finding by key, and still knows it after a restart', async () => {
    await press('a');
    await see(accepted);
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
});
