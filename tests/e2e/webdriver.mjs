// A real window with its own Xvfb, session bus and WebKitWebDriver, all of which are stopped afterwards.
import { execFile, spawn } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Builder, Capabilities } from 'selenium-webdriver';
import { root } from './support.mjs';

/** Starts a virtual display and returns its number. */
async function display() {
  const child = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1440x900x24', '-nolisten', 'tcp', '-noreset'], {
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

/** Starts a session bus and returns its address. Windows and second starts of the program communicate over it. */
async function bus() {
  const child = spawn('dbus-daemon', ['--session', '--nofork', '--nopidfile', '--print-address=1'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const address = await new Promise((resolve, reject) => {
    child.stdout.once('data', (data) => resolve(String(data).trim()));
    child.on('error', reject);
  });
  return { address, stop: () => child.kill() };
}

/** Starts WebKitWebDriver in a folder. The window is its child process. */
async function driver(env, folder) {
  const port = await freePort();
  const args = ['--host=127.0.0.1', `--port=${port}`];
  const child = spawn('WebKitWebDriver', args, { env, cwd: folder, stdio: 'ignore', detached: true });
  for (let tries = 0; tries < 100; tries++) {
    const up = await fetch(`http://127.0.0.1:${port}/status`).then(
      (answered) => answered.ok,
      () => false,
    );
    if (up) return { url: `http://127.0.0.1:${port}/`, stop: () => process.kill(-child.pid) };
    await sleep(100);
  }
  throw new Error('WebKitWebDriver did not start');
}

/** Opens windows on a virtual display. */
export class Browser {
  #screen;
  #bus;
  #proxy;
  #env;

  /** Starts the display, the bus and the driver. `env` is the environment of the programs, `folder` where windows start. */
  static async start(env, folder) {
    const browser = new Browser();
    browser.#screen = await display();
    const inside = { ...env, DISPLAY: browser.#screen.name, GDK_BACKEND: 'x11', NO_AT_BRIDGE: '1' };
    delete inside.WAYLAND_DISPLAY;
    browser.#bus = await bus();
    inside.DBUS_SESSION_BUS_ADDRESS = browser.#bus.address;
    browser.#env = inside;
    // Without the variable, Tauri's window accepts no driver.
    browser.#proxy = await driver({ ...inside, TAURI_WEBVIEW_AUTOMATION: 'true' }, folder);
    return browser;
  }

  /** Starts a program and controls its window. */
  open(application, args = []) {
    const wanted = new Capabilities();
    wanted.set('webkitgtk:browserOptions', { binary: application, args });
    // The name with which the window presents itself to the driver.
    wanted.setBrowserName('wry');
    return new Builder().withCapabilities(wanted).usingServer(this.#proxy.url).build();
  }

  /** Starts a program without controlling it, and waits until it ends. */
  run(application, args = [], options = {}) {
    const child = spawn(application, args, { env: this.#env, stdio: ['ignore', 'ignore', 'pipe'], ...options });
    let wrong = '';
    child.stderr.on('data', (data) => (wrong += data));
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', (code) => resolve({ code, wrong }));
    });
  }

  /** Starts a program that keeps running: another window on the same display. Returns a function that ends it. */
  leave(application, args = [], env = {}) {
    const child = spawn(application, args, { env: { ...this.#env, ...env }, stdio: 'ignore' });
    return () => child.kill();
  }

  /** Waits until no program that was started on this display runs. One that is about to end would still answer a new start. */
  async ended(application) {
    const display = `\0DISPLAY=${this.#screen.name}\0`;
    const runs = async (pid) => {
      const [program, env] = await Promise.all([readlink(`/proc/${pid}/exe`), readFile(`/proc/${pid}/environ`, 'utf8')]);
      return program === application && `\0${env}`.includes(display);
    };
    for (let tries = 0; tries < 300; tries++) {
      const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
      const running = await Promise.all(pids.map((pid) => runs(pid).catch(() => false)));
      if (!running.includes(true)) return;
      await sleep(100);
    }
    throw new Error(`${application} did not end`);
  }

  /** Monitors an interface on the session bus. Returns functions for the messages so far and for stopping. */
  hear(name) {
    const child = spawn('dbus-monitor', ['--session', `interface=${name}`], { env: this.#env, stdio: ['ignore', 'pipe', 'ignore'] });
    let heard = '';
    child.stdout.on('data', (data) => (heard += data));
    return { heard: () => heard, stop: () => child.kill() };
  }

  /** Resolves with the identifiers of the visible windows with exactly this title. */
  async #windows(title, timeout, ...options) {
    for (;;) {
      try {
        const search = ['search', ...options, '--onlyvisible', '--name', `^${title}$`];
        return (await promisify(execFile)('xdotool', search, { env: this.#env, timeout })).stdout.trim();
      } catch (error) {
        // A search also fails when some window closes while it reads the titles.
        if (!String(error.stderr).includes('BadWindow')) throw error;
      }
    }
  }

  /** Waits until a window has exactly this title. Resolves with false if none gets it. */
  shows(title) {
    return this.#windows(title, 15_000, '--sync').then(Boolean, () => false);
  }

  /** Waits for a window with exactly this title that no driver controls, such as a system dialog, and gives it the focus. */
  async dialog(title) {
    const xdotool = (...args) =>
      promisify(execFile)('xdotool', args, { env: this.#env, timeout: 30_000 }).then(({ stdout }) => stdout.trim());
    for (let tries = 1; ; tries++) {
      const name = await this.#windows(title, 30_000, '--sync');
      try {
        await xdotool('windowfocus', '--sync', name);
        break;
      } catch (error) {
        // The toolkit may replace the window that was just found.
        if (tries === 5) throw error;
        await sleep(500);
      }
    }
    // The window accepts keys some time after it appears, without any sign of it.
    await sleep(1_500);
    const type = (text) => xdotool('type', '--delay', '10', text);
    const press = (...keys) => xdotool('key', '--delay', '50', ...keys);
    const shown = () => this.#windows(title, 30_000).then(Boolean, () => false);
    /** Presses a key until the dialog closes. It may ignore the key while it completes the typed text. */
    const leave = async (key) => {
      for (let tries = 0; await shown(); tries++) {
        if (tries === 20) throw new Error(`the dialog “${title}” stays`);
        await press(key);
        await sleep(500);
      }
    };
    return { type, press, shown, leave };
  }

  stop() {
    this.#proxy.stop();
    this.#bus.stop();
    this.#screen.stop();
  }
}
