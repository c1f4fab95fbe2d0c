// Shared by all end-to-end tests: the scripted model, the real Codex, private folders, and the model's answer.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const here = path.dirname(fileURLToPath(import.meta.url));
export const root = path.resolve(here, '../..');
export const program = (name) => path.join(root, 'target/debug', name);
/** Options of Chromium that turn off features that tests do not need. */
export const browserArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** The folder for screenshots and logs. */
export const out = path.join(root, 'target/e2e');

/** The model's review of the sample's branch `topic/refunds`: six findings. */
export const answer = JSON.parse(await readFile(path.join(here, 'answer.json'), 'utf8'));

/** A turn with `answer`. */
export const reviewed = { reasoning: 'Looking at what changed.', text: JSON.stringify(answer), usage: { input: 41210, output: 1220 } };

/** Starts a program and waits for a line with an address on its standard output. */
export async function serving(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], ...options });
  let printed = '';
  let wrong = '';
  child.stderr.on('data', (data) => (wrong += data));
  const address = await new Promise((resolve, reject) => {
    child.stdout.on('data', (data) => {
      printed += data;
      const found = printed.match(/https?:\S+/);
      if (found) resolve(found[0]);
    });
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`${command} ended with ${code}: ${wrong}`)));
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  };
  return { address, stop, child, said: () => wrong };
}

/** Waits until `count` elements match. A list is drawn in more than one step, so the first row does not mean that all are there. */
export async function hasCount(locator, count, message) {
  const end = Date.now() + 10_000;
  while ((await locator.count()) !== count && Date.now() < end) await locator.page().waitForTimeout(20);
  assert.equal(await locator.count(), count, message);
}

/** Waits until the page has saved every decision. Until then, it would ask the user to stay. */
export const decisionsSaved = (page) =>
  page.waitForFunction(() => dispatchEvent(new Event('beforeunload', { cancelable: true })));

/** Signs another browser in to `diffsan serve`. The server refuses it first, and prints an address for it. */
export async function signIn(page, server) {
  const refused = await page.goto(new URL('/', server.address).href);
  if (refused.status() !== 401) throw new Error(`the answer is ${refused.status()}`);
  for (;;) {
    const address = [...server.said().matchAll(/open this address in it: (\S+)/g)].at(-1)?.[1];
    if (address) return page.goto(address);
    await page.waitForTimeout(20);
  }
}

/** The fake GitLab with one merge request of `source` into `target`. `ask` sends a command, such as `{ do: 'look' }`, and returns the answer. */
export async function fakeGitlab(repository, source, target) {
  const server = await serving(program('fake-gitlab'), [path.join(repository, '.git'), source, target]);
  const answers = createInterface({ input: server.child.stdout })[Symbol.asyncIterator]();
  const ask = async (command) => {
    const answer = answers.next();
    server.child.stdin.write(`${JSON.stringify(command)}\n`);
    return JSON.parse((await answer).value);
  };
  return { url: server.address.replace(/".*$/, ''), stop: server.stop, ask };
}

/** Clones a repository whose server is a fake GitLab. Returns the folder and the environment with which diffsan reaches the server. */
export async function cloneOf(home, origin, gitlab) {
  const folder = path.join(home.folder, 'clone');
  const git = (...args) => promisify(execFile)('git', args, { cwd: home.folder });
  await git('clone', '-q', origin, folder);
  await git('-C', folder, 'remote', 'set-url', 'origin', `${gitlab.url}/group/sub/project.git`);
  const env = {
    ...home.env,
    DIFFSAN_AGENT__NAME: 'second',
    DIFFSAN_GITLAB_TOKEN: 'glpat-reviewer-000000000',
    DIFFSAN_GITLAB__BASE_URL: gitlab.url,
    DIFFSAN_GITLAB__RETRY_PAUSE_MS: '10',
  };
  return { folder, env };
}

/** Starts the scripted model server. */
export async function model() {
  const server = await serving(program('model-server'), []);
  const call = (to, init) => fetch(`${server.address}${to}`, init);
  return {
    url: `${server.address}/v1`,
    stop: server.stop,
    say: async (...turns) => {
      const body = JSON.stringify({ turns });
      const kept = await call('/__script', { method: 'POST', body, headers: { 'content-type': 'application/json' } });
      if (!kept.ok) throw new Error(`the script was refused: ${await kept.text()}`);
    },
    /** Sets a whole script, with sides. */
    play: async (script) => {
      const init = { method: 'POST', body: JSON.stringify(script), headers: { 'content-type': 'application/json' } };
      const kept = await call('/__script', init);
      if (!kept.ok) throw new Error(`the script was refused: ${await kept.text()}`);
    },
    requests: async () => (await call('/__requests')).json(),
  };
}

/** Creates private folders, and the environment with which diffsan finds them, Codex and the model. */
export async function place(modelUrl) {
  // Codex refuses a home below the system's temporary folder.
  await mkdir(out, { recursive: true });
  const folder = await mkdtemp(path.join(out, 'place-'));
  const env = {
    ...process.env,
    PATH: `${path.join(root, 'tests/node_modules/.bin')}:${process.env.PATH}`,
    DIFFSAN_DATA_DIR: path.join(folder, 'data'),
    DIFFSAN_CONFIG_DIR: path.join(folder, 'config'),
    DIFFSAN_AGENT__PROXY_URL: modelUrl,
    DIFFSAN_OPENAI_API_KEY: 'k',
    CODEX_HOME: path.join(folder, 'codex'),
    // A second agent: an endpoint.
    DIFFSAN_AGENTS__SECOND__TITLE: 'Second',
    DIFFSAN_AGENTS__SECOND__TRANSPORT: 'openai-http',
    DIFFSAN_AGENTS__SECOND__URL: modelUrl,
    DIFFSAN_AGENTS__SECOND__MODEL: 'scripted-model',
    DIFFSAN_AGENT__MAX_RETRIES: '0',
  };
  await mkdir(env.CODEX_HOME, { recursive: true });
  return { folder, env, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 20 }) };
}
