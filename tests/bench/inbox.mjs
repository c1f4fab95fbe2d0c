// The time from the first frame of the page to the painted rows of an inbox with 200 merge requests, from the cache, in Chromium against
// `diffsan serve`: from the first frame at all, which has only a background, and from the first one with content. The goal is 100 ms.
//   node tests/bench/inbox.mjs [ROUNDS]; --debug takes the debug build.
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { browserArguments, fakeGitlab, place, root, serving } from '../e2e/support.mjs';
import { median } from './median.mjs';
import { row } from './row.mjs';

const ROWS = 200;
const rounds = Number(process.argv.slice(2).find((word) => /^\d+$/.test(word)) ?? 9);
const build = process.argv.includes('--debug') ? 'debug' : 'release';
const program = path.join(root, 'target', build, 'diffsan');
const home = await place('http://127.0.0.1:9');
const origin = path.join(home.folder, 'origin');
const git = (...args) =>
  execFileSync('git', ['-C', origin, '-c', 'user.name=Author', '-c', 'user.email=author@example.com', ...args]);
await mkdir(origin, { recursive: true });
git('init', '-q', '-b', 'main');
await writeFile(path.join(origin, 'a.rs'), 'one\n');
git('add', '-A');
git('commit', '-q', '-m', 'base');
git('checkout', '-q', '-b', 'topic');
await writeFile(path.join(origin, 'a.rs'), 'two\n');
git('commit', '-q', '-am', 'change');
git('checkout', '-q', 'main');
const gitlab = await fakeGitlab(origin, 'topic', 'main');
for (let iid = 8; iid < 7 + ROWS; iid++)
  await gitlab.ask({ do: 'request', iid, source: 'topic', target: 'main', title: `Change ${iid}`, pipeline: 'success', label: 'backend' });
const env = {
  ...home.env,
  DIFFSAN_GITLAB_TOKEN: 'glpat-reviewer-000000000',
  DIFFSAN_GITLAB__BASE_URL: gitlab.url,
  DIFFSAN_INBOX__PREFETCH: '0',
  DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere',
};
const listed = JSON.parse(execFileSync(program, ['inbox', '--json'], { env, cwd: home.folder, maxBuffer: 1 << 26 }));
// Every refresh is slow, so that the rows come from the cache.
await gitlab.ask({ do: 'slow', milliseconds: 3_000 });
const server = await serving(program, ['serve'], { env, cwd: home.folder });
const chrome = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: browserArguments });
const times = { 'first-paint': [], 'first-contentful-paint': [] };
try {
  const page = await chrome.newPage({ viewport: { width: 1440, height: 900 } });
  // The first round fills caches.
  await page.goto(server.address);
  for (let round = -1; round < rounds; round++) {
    await page.reload();
    const marks = ['first-inbox', ...Object.keys(times)];
    await page.waitForFunction((names) => names.every((name) => performance.getEntriesByName(name).length > 0), marks);
    const [painted, ...frames] = await page.evaluate((names) => names.map((name) => performance.getEntriesByName(name)[0].startTime), marks);
    const counts = await page.locator('[data-testid="inbox-group"] .num').allInnerTexts();
    const rows = counts.reduce((sum, one) => sum + Number(one), 0);
    if (rows !== ROWS) throw new Error(`${rows} rows in place of ${ROWS}`);
    // The mark is set in the frame after the rows. A page that begins with them has them in its first frame.
    if (round >= 0) Object.values(times).forEach((all, at) => all.push(Math.max(0, painted - frames[at])));
  }
} finally {
  await chrome.close();
  await server.stop();
  await gitlab.stop();
  await home.remove();
}
console.log(`first frame to the painted inbox of ${listed.rows.length} rows, Chromium, ${rounds} rounds`);
for (const [name, all] of Object.entries(times))
  row({ what: `inbox painted, from ${name}`, size: `${listed.rows.length} rows`, ours: median(all), unit: 'ms', goal: 100 });
for (const [name, all] of Object.entries(times))
  console.log(`  from ${name}: median ${median(all).toFixed(0)} ms, all ${all.map((ms) => ms.toFixed(0)).join(' ')}; goal 100 ms`);
