// Shared by journeys through one change in Debian's Chromium: the browser, the page of each test, screenshots, and repositories.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, afterEach, before, beforeEach } from 'node:test';
import { chromium } from 'playwright-core';
import { browserArguments, out, place, program, serving } from './support.mjs';

/** An address at which nothing listens, for tests without a model. */
const NO_MODEL = 'http://127.0.0.1:9/v1';

export const git = (folder, ...args) =>
  execFileSync('git', ['-c', 'user.name=Ada Lovelace', '-c', 'user.email=ada@example.com', '-C', folder, ...args], { encoding: 'utf8' });

/** Writes files, given by their paths. */
export async function write(folder, files) {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
}

/**
 * Registers the hooks of a journey: one browser for all tests; folders, server and page for each test. Call it in `describe`. Screenshots
 * are in the folder `name`. After each test, the page must have reported no errors.
 */
export function journey(name, { modelUrl = async () => NO_MODEL, widths = [900, 1280, 1920], timeout = 20_000, checks } = {}) {
  const shots = path.join(out, name);
  let chrome, server, context;
  let errors = [];
  before(async () => {
    await mkdir(shots, { recursive: true });
    chrome = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: browserArguments });
  });
  after(() => chrome?.close());

  const it = {
    page: null,
    home: null,
    shots,
    /** Starts `diffsan serve`, opens its page, and waits until it is `ready`: by default, until the first change is drawn. */
    start: async (args, env = {}, ready = it.painted) => {
      server = await serving(program('diffsan'), ['serve', ...args], { env: { ...it.home.env, ...env } });
      context = await chrome.newContext({ viewport: { width: 1280, height: 800 }, permissions: ['clipboard-read', 'clipboard-write'] });
      const page = await context.newPage();
      page.setDefaultTimeout(timeout);
      page.on('pageerror', (error) => errors.push(error.message));
      page.on('console', (line) => line.type() === 'error' && errors.push(line.text()));
      it.page = page;
      await page.goto(server.address);
      await ready();
    },
    painted: () =>
      it.page.waitForFunction(
        () => document.documentElement.dataset.diff === 'painted' && document.querySelector('[data-testid=status-bar]') !== null,
      ),
    id: (name) => it.page.getByTestId(name),
    press: async (...keys) => {
      for (const key of keys) await it.page.keyboard.press(key);
    },
    /** Takes pictures at several widths, light and dark. */
    looks: async (name) => {
      for (const width of widths) {
        await it.page.setViewportSize({ width, height: width === 900 ? 600 : 900 });
        for (const colorScheme of ['light', 'dark']) {
          await it.page.emulateMedia({ colorScheme });
          await it.page.screenshot({ path: path.join(shots, `${name}-${width}-${colorScheme}.png`) });
        }
      }
      await it.page.emulateMedia({ colorScheme: 'light' });
      await it.page.setViewportSize({ width: 1280, height: 800 });
      await checks?.(it.page, name);
    },
    /** Creates a repository with a commit of these files. */
    repository: async (files, message = 'Start') => {
      const folder = path.join(it.home.folder, 'repo');
      await mkdir(folder);
      git(folder, 'init', '-q', '-b', 'main');
      await write(folder, files);
      git(folder, 'add', '-A');
      git(folder, 'commit', '-q', '--allow-empty', '-m', message);
      return folder;
    },
    /** Stages these files. */
    add: async (folder, files) => {
      await write(folder, files);
      git(folder, 'add', '-A');
    },
  };
  beforeEach(async () => {
    errors = [];
    it.home = await place(await modelUrl());
  });
  afterEach(async (test) => {
    if (test.error || !test.passed) await it.page?.screenshot({ path: path.join(shots, `failed ${test.name}.png`) }).catch(() => {});
    await context?.close();
    await server?.stop();
    [context, server, it.page] = [null, null, null];
    await it.home.remove();
    assert.deepEqual(errors, [], 'the page reported no errors');
  });
  return it;
}
