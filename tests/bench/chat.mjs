// The time that diffsan adds to a conversation: from Send to the agent's first byte of input, from its first delta to the screen, and from
// a key press to the screen while an answer of 200 KB streams. The agent speaks the Agent Client Protocol and records the times.
//   node tests/bench/chat.mjs [ROUNDS [FOLDER_OF_THE_PROGRAM]]
import { mkdtemp, readFile, rm, writeFile, mkdir, chmod } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { root, serving } from '../e2e/support.mjs';
import { median } from './median.mjs';
import { row } from './row.mjs';

const rounds = Number(process.argv[2] ?? 15);
const programs = process.argv[3] ?? path.join(root, 'target/release');
const folder = await mkdtemp(path.join(os.tmpdir(), 'diffsan-bench-'));
const log = path.join(folder, 'log');
const script = path.join(folder, 'agent.mjs');
await mkdir(path.join(folder, 'config'));
await writeFile(log, '');
// Two kinds of turns: a short answer, and one of 200 KB in pieces of 40 characters over about 6 seconds.
await writeFile(
  script,
  `#!${process.execPath}
import { appendFileSync } from 'node:fs';
const now = () => performance.timeOrigin + performance.now();
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const piece = (text) => say({ method: 'session/update', params: { sessionId: 's', update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } } });
let rest = '';
process.stdin.on('data', (data) => {
  const came = now();
  rest += data;
  const lines = rest.split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line);
    if (method === 'initialize') say({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
    else if (method === 'session/new') say({ id, result: { sessionId: 's' } });
    else if (method === 'session/prompt') void answer(id, params.prompt.at(-1).text, came);
  }
});
async function answer(id, asked, came) {
  await new Promise((resolve) => setTimeout(resolve, 300));
  const first = now();
  piece('First words. ');
  appendFileSync(${JSON.stringify(log)}, JSON.stringify({ came, first }) + '\\n');
  if (asked.includes('LONG')) {
    const paragraph = 'Some **words** about \`code\` that go on for a while, as answers do. '.repeat(6) + '\\n\\n';
    const text = (paragraph + '- a list\\n- of things\\n\\n\`\`\`rust\\nlet a = 1;\\n\`\`\`\\n\\n').repeat(450);
    for (let at = 0; at < text.length; at += 40) {
      piece(text.slice(at, at + 40));
      if (at % 1600 === 0) await new Promise((resolve) => setTimeout(resolve, 40));
    }
  }
  say({ id, result: { stopReason: 'end_turn' } });
}
`,
);
await chmod(script, 0o755);
await writeFile(
  path.join(folder, 'config/config.toml'),
  `[agent]\nname = "bench"\n[agents.bench]\ntitle = "Bench"\ncommand = ["${script}"]\ntalks = true\n[agents.bench.chat]\nspeaks = "acp"\n`,
);
// The agent records its times outside of its room. `sandbox.mjs` measures the sandbox.
const env = {
  ...process.env,
  DIFFSAN_DATA_DIR: path.join(folder, 'data'),
  DIFFSAN_CONFIG_DIR: path.join(folder, 'config'),
  DIFFSAN_AGENT__SANDBOX: 'off',
};
const server = await serving(path.join(programs, 'diffsan'), ['serve', '--sample'], { env });
const chrome = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const page = await chrome.newPage({ viewport: { width: 1440, height: 900 } });
const input = page.getByTestId('chat-input');
const idle = (count) =>
  page.waitForFunction(
    (count) =>
      document.querySelectorAll('[data-testid="chat-message"][data-role="assistant"]').length >= count &&
      document.querySelector('[data-testid="conversation"]')?.dataset.busy === 'false',
    count,
    { timeout: 120_000 },
  );
const told = async () => (await readFile(log, 'utf8')).trim().split('\n').map((line) => JSON.parse(line)).at(-1);
const percentile = (all, share) => [...all].sort((a, b) => a - b)[Math.min(all.length - 1, Math.floor(all.length * share))];

try {
  await page.goto(server.address);
  await page.waitForFunction(() => document.documentElement.dataset.diff === 'painted' && document.querySelector('[data-testid=status-bar]'));
  await page.keyboard.press('c');
  await input.waitFor();
  const toAgent = [];
  const toScreen = [];
  let starting = 0;
  for (let round = -1; round < rounds; round++) {
    await input.fill(`Question ${round}`);
    await page.evaluate(() => {
      window.sent = window.painted = 0;
      const button = document.querySelector('[data-testid="chat-send"]');
      button.addEventListener('click', (event) => (window.sent = performance.timeOrigin + event.timeStamp), { once: true, capture: true });
      const before = document.querySelectorAll('[data-testid="chat-message"][data-role="assistant"]').length;
      const watch = new MutationObserver(() => {
        const answers = document.querySelectorAll('[data-testid="chat-message"][data-role="assistant"]');
        if (answers.length <= before || !answers[answers.length - 1].querySelector('.block')) return;
        watch.disconnect();
        // After the frame that shows it.
        requestAnimationFrame(() => {
          const channel = new MessageChannel();
          channel.port1.onmessage = () => (window.painted = performance.timeOrigin + performance.now());
          channel.port2.postMessage(0);
        });
      });
      watch.observe(document.querySelector('[data-testid="chat-messages"]'), { subtree: true, childList: true });
    });
    await page.getByTestId('chat-send').click();
    await idle(round + 2);
    await page.waitForFunction(() => window.painted > 0);
    const [sent, painted] = await page.evaluate(() => [window.sent, window.painted]);
    const { came, first } = await told();
    if (round < 0) starting = came - sent;
    else {
      toAgent.push(came - sent);
      toScreen.push(painted - first);
    }
  }
  const line = (name, all, size = `${rounds} rounds`) => {
    row({ what: `conversation, ${name}`, size, ours: median(all), unit: 'ms' });
    console.log(`${name} (${size}): median ${median(all).toFixed(1)} ms, 90th percentile ${percentile(all, 0.9).toFixed(1)} ms, worst ${Math.max(...all).toFixed(1)} ms`);
  };
  console.log(`first message, with the start of the agent and its room: ${starting.toFixed(0)} ms`);
  line("from Send to the agent's first byte", toAgent);
  line('from its first delta to the screen', toScreen);

  await page.evaluate(() => {
    window.keys = [];
    document.querySelector('[data-testid="chat-input"]').addEventListener('keydown', (event) => {
      const pressed = event.timeStamp;
      requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => window.keys.push(performance.now() - pressed);
        channel.port2.postMessage(0);
      });
    });
  });
  const type = async (many) => {
    await page.evaluate(() => (window.keys.length = 0));
    for (let at = 0; at < many; at++) await page.keyboard.press('abcdefgh '[at % 9], { delay: 20 });
    return page.evaluate(() => window.keys);
  };
  await input.fill('');
  await input.focus();
  line('a key to the screen, nothing streaming', await type(60));
  await input.fill('LONG');
  await input.press('Enter');
  await page.locator('[data-state="streaming"] .block').nth(20).waitFor();
  const while_ = [];
  while (await page.locator('[data-testid="conversation"][data-busy="true"]').count()) while_.push(...(await type(40)));
  const shown = await page.locator('[data-testid="chat-message"][data-role="assistant"]').last().evaluate((one) => one.textContent.length);
  line('a key to the screen while an answer streams', while_, `${(shown / 1000).toFixed(0)} KB, ${while_.length} keys`);
} finally {
  await chrome.close();
  await server.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 20 });
}
