// Hostile text in every place of the interface, in Debian's Chromium: nothing runs, is requested, or navigates away.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { fakeGitlab, model, out, place, program, root, serving } from './support.mjs';

const shots = path.join(out, 'hardening');
const payloads = JSON.parse(await readFile(path.join(root, 'tests/fixtures/payloads.json'), 'utf8'));
const some = (count, from = 0) => Array.from({ length: count }, (_, at) => payloads[(from + at * 7) % payloads.length]);
const quiet = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

let chrome, talker;
before(async () => {
  await mkdir(shots, { recursive: true });
  chrome = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: quiet });
  talker = await model();
});
after(async () => {
  await chrome?.close();
  await talker?.stop();
});

/** Records all effects that a payload could have. `own` decides whether an address belongs to the page. */
async function listen(page, own) {
  const heard = [];
  page.on('dialog', (dialog) => {
    heard.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('pageerror', (error) => heard.push(`an error: ${error.message}`));
  page.on('console', (line) => line.type() === 'error' && heard.push(`an error: ${line.text()}`));
  page.on('popup', (popup) => heard.push(`a window: ${popup.url()}`));
  page.on('download', (download) => heard.push(`a download: ${download.url()}`));
  page.on('request', (request) => !own(request.url()) && heard.push(`a request: ${request.url()}`));
  page.on('websocket', (socket) => !own(socket.url()) && heard.push(`a socket: ${socket.url()}`));
  page.on('framenavigated', (frame) => !own(frame.url()) && heard.push(`a navigation: ${frame.url()}`));
  await page.exposeFunction('violated', (what) => heard.push(`a violation: ${what}`));
  await page.addInitScript(() => {
    for (const name of ['alert', 'confirm', 'prompt']) {
      const kept = window[name];
      window[name] = (...words) => (window.violated(`${name} was called`), kept?.(...words));
    }
    document.addEventListener('securitypolicyviolation', (event) =>
      window.violated(`${event.effectiveDirective}: ${event.blockedURI} ${event.sample}`),
    );
  });
  return heard;
}

/** Hovers over, focuses and clicks all elements that a text could have created, and waits for the effects. */
const provoke = (page, selector) =>
  page.evaluate(async (selector) => {
    for (const holder of document.querySelectorAll(selector)) {
      for (const node of holder.querySelectorAll('*')) {
        for (const kind of ['pointerover', 'mouseover', 'mouseenter', 'focus', 'focusin', 'toggle', 'error', 'load'])
          node.dispatchEvent(new Event(kind, { bubbles: kind !== 'focus' }));
        node.focus?.();
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }, selector);

/** Returns the parts of the page that only hostile text could have created: elements, attributes, and anything outside of its container. */
const foreign = (page) =>
  page.evaluate(() => {
    const wrong = [];
    const never = 'script:not([src^="/assets/"]), iframe, object, embed, form:not([class]), base, meta[http-equiv], template, video, audio, frame, frameset, portal, applet, marquee, noscript ~ noscript, math, dialog[onclose], link:not([rel="stylesheet"]):not([rel="icon"]):not([rel="modulepreload"]):not([rel="preload"][href^="/assets/"])';
    for (const node of document.querySelectorAll(never)) wrong.push(node.outerHTML.slice(0, 200));
    for (const node of document.querySelectorAll('body *')) {
      for (const { name, value } of node.attributes) {
        if (/^on/i.test(name)) wrong.push(`${name} on ${node.outerHTML.slice(0, 200)}`);
        if (/^(href|src|action|formaction|srcset|ping|xlink:href|poster|data|background)$/i.test(name) && !(node instanceof SVGElement && value.startsWith('#')))
          wrong.push(`${name} on ${node.outerHTML.slice(0, 200)}`);
      }
    }
    for (const prose of document.querySelectorAll('.prose')) {
      for (const node of prose.querySelectorAll('*')) {
        if (node.id || node.getAttribute('name') || node.dataset.testid) wrong.push(`a name on ${node.outerHTML.slice(0, 200)}`);
        if (node.getAttribute('style')) wrong.push(`a style on ${node.outerHTML.slice(0, 200)}`);
        // Content of a closed `details` element has a layout, but is not visible.
        if (node.closest('details:not([open])') || !node.textContent.trim()) continue;
        const [inner, outer] = [node.getBoundingClientRect(), prose.getBoundingClientRect()];
        if (getComputedStyle(node).position !== 'static') wrong.push(`out of its place: ${node.outerHTML.slice(0, 200)}`);
        if (inner.width && (inner.top < outer.top - 2 || inner.bottom > outer.bottom + 2)) wrong.push(`outside of its card: ${node.outerHTML.slice(0, 200)}`);
      }
    }
    if (document.title.length === 0 || window.app !== document.getElementById('app')) wrong.push('the page was renamed');
    return wrong;
  });

describe('Markdown of anybody', () => {
  it('becomes nodes that only show words, each payload alone and in every place of a text', async () => {
    // Only the page's own function.
    const { build } = await import(pathToFileURL(path.join(root, 'ui/node_modules/vite/dist/node/index.js')));
    const folder = await mkdtemp(path.join(out, 'markdown-'));
    await build({
      root: path.join(root, 'ui'),
      configFile: false,
      logLevel: 'error',
      publicDir: false,
      build: { outDir: folder, emptyOutDir: false, lib: { entry: path.join(root, 'ui/src/lib/text/markdown.ts'), formats: ['iife'], name: 'cleaner', fileName: () => 'cleaner.js' } },
    });
    const page = await chrome.newPage();
    // No content security policy protects this page. Sanitized content must be harmless by itself.
    const heard = await listen(page, (url) => url.startsWith('http://page.test/') || url === 'about:blank');
    await page.route('http://page.test/**', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>x</title><div id="holder"></div>' }));
    await page.goto('http://page.test/');
    await page.evaluate(await readFile(path.join(folder, 'cleaner.js'), 'utf8').then((text) => `${text};window.cleaner=cleaner;0`));
    await rm(folder, { recursive: true });
    const wrong = await page.evaluate(async (payloads) => {
      const places = [
        (text) => text,
        (text) => `before ${text} after`,
        (text) => `- ${text}\n- x`,
        (text) => `> ${text}`,
        (text) => `| a | b |\n|---|---|\n| ${text} | x |`,
        (text) => `[x](${text})`,
        (text) => `[${text}](https://a.example)`,
        (text) => `![${text}](x "${text}")`,
        (text) => `[x]: ${text}\n\n[x]`,
        (text) => `<${text}>`,
        (text) => `\`\`\`${text}\n${text}\n\`\`\``,
        (text) => `<details><summary>${text}</summary>${text}</details>`,
        (text) => `# ${text}\n\n**${text}** ~~${text}~~ \`${text}\``,
        (text) => `<!-- ${text} -->${text}<![CDATA[${text}]]>`,
      ];
      const holder = document.getElementById('holder');
      const allowed = new Set('A ABBR B BLOCKQUOTE BR CODE DD DEL DETAILS DL DT EM H1 H2 H3 H4 H5 H6 HR I INS KBD LI MARK OL P PRE S SPAN STRONG SUB SUMMARY SUP TABLE TBODY TD TH THEAD TR UL'.split(' '));
      const attributes = new Set(['data-href', 'role', 'tabindex', 'title', 'class', 'data-lang', 'align', 'start', 'open']);
      const wrong = [];
      for (const payload of payloads) {
        for (const [at, make] of places.entries()) {
          holder.replaceChildren(window.cleaner.markdownNodes(make(payload)));
          for (const node of holder.querySelectorAll('*')) {
            if (!allowed.has(node.tagName)) wrong.push(`${at} ${payload}: <${node.tagName}>`);
            for (const { name, value } of node.attributes) {
              if (!attributes.has(name)) wrong.push(`${at} ${payload}: ${name}`);
              if (name === 'data-href' && !/^https?:\/\//i.test(value)) wrong.push(`${at} ${payload}: leads to ${value}`);
              if (name === 'class' && !/^diff-/.test(value)) wrong.push(`${at} ${payload}: class ${value}`);
            }
            node.dispatchEvent(new Event('mouseover', { bubbles: true }));
            node.click?.();
          }
          // Serializing and parsing the content again must not change it.
          const text = holder.innerHTML;
          const again = document.implementation.createHTMLDocument('').createElement('div');
          again.innerHTML = text;
          if (again.innerHTML !== text && !/<pre|<table/.test(text)) wrong.push(`${at} ${payload}: reads differently`);
        }
      }
      // Text with extreme nesting is quickly shown unrendered.
      for (const deep of ['>', '[', '*', '- ', '<b>', '![', '`', '(', '<details>', '|a'].map((piece) => piece.repeat(20_000)))
        holder.replaceChildren(window.cleaner.markdownNodes(deep));
      holder.replaceChildren();
      await new Promise((resolve) => setTimeout(resolve, 300));
      return wrong;
    }, payloads);
    assert.deepEqual(wrong.slice(0, 10), []);
    assert.deepEqual(heard, []);
    await page.close();
  });
});

describe('hostile words in the desk', () => {
  let home, server, page, heard, repo;
  const id = (name) => page.getByTestId(name);
  const painted = () => page.waitForFunction(() => document.documentElement.dataset.diff === 'painted' && document.querySelector('[data-testid=status-bar]') !== null);
  const shot = (name) => page.screenshot({ path: path.join(shots, `${name}.png`) });
  const git = (folder, ...args) => execFileSync('git', ['-C', folder, '-c', 'user.name=<img src=x onerror=alert(1)>', '-c', 'user.email=a@example.com', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });

  /** Names that a file system accepts. */
  const names = payloads.filter((one) => !/[\0]/.test(one) && Buffer.byteLength(one) < 200 && !one.split('/').some((part) => ['', '.', '..'].includes(part))).slice(0, 60);
  const branches = ['<img/src=x/onerror=alert(1)>', '"><svg/onload=alert(1)>', "'-alert(1)-'", '{{alert(1)}}', 'javascript-alert(1)', '${alert(1)}'];

  const start = async (args) => {
    server = await serving(program('diffsan'), ['serve', ...args], { env: home.env });
    const origin = new URL(server.address).origin;
    const own = (url) => url.startsWith(`${origin}/`) || url.startsWith(`${origin.replace('http', 'ws')}/`) || url === 'about:blank';
    page = await chrome.newPage({ viewport: { width: 1440, height: 900 } });
    page.setDefaultTimeout(60_000);
    heard = await listen(page, own);
    await page.goto(server.address);
  };
  const clean = async (where) => {
    await provoke(page, 'body');
    assert.deepEqual(await foreign(page), [], where);
    assert.deepEqual(heard, [], where);
  };

  beforeEach(async () => {
    home = await place(talker.url);
    home.env.DIFFSAN_AGENT__NAME = 'second';
    repo = path.join(home.folder, 'repo');
    await mkdir(repo);
    git(repo, 'init', '-q', '-b', 'main');
    await writeFile(path.join(repo, 'plain.ts'), 'const a = 1;\n');
    git(repo, 'add', '-A');
    git(repo, 'commit', '-q', '-m', 'base');
  });
  afterEach(async (test) => {
    if (!test.passed) await shot(`failed ${test.name.slice(0, 50)}`).catch(() => {});
    await page?.close();
    await server?.stop();
    await home?.remove();
  });

  it('are only words: names of files, branches and commits, code, findings, summaries, the prompt', async () => {
    for (const name of names) {
      await mkdir(path.dirname(path.join(repo, name)), { recursive: true });
      await writeFile(path.join(repo, name), `${some(6, name.length).join('\n')}\n`).catch((error) => assert.equal(error.code, 'EISDIR'));
    }
    await writeFile(path.join(repo, 'plain.ts'), `${payloads.filter((one) => !one.includes('\0')).join('\n')}\n`);
    git(repo, 'add', '-A');
    git(repo, 'commit', '-q', '-m', some(12).join('\n').replaceAll('\0', ' '));
    for (const branch of branches) git(repo, 'branch', branch);
    const findings = Array.from({ length: 44 }, (_, at) => ({
      severity: ['critical', 'high', 'medium', 'low', 'info'][at % 5],
      category: 'security',
      path: at % 3 === 2 ? payloads[at * 3] : 'plain.ts',
      line_start: at * 5 + 1,
      line_end: at * 5 + 1,
      title: `${at} ${payloads[at * 5]}`,
      body_markdown: payloads.slice(at * 6, at * 6 + 6).join('\n\n'),
      suggested_patch: { format: at % 2 ? 'unified-diff' : 'replacement', content: payloads[(at * 7) % payloads.length] },
    }));
    await talker.say({ text: JSON.stringify({ summary_markdown: payloads.join('\n\n'), findings }), usage: { input: 10, output: 10 } });
    await start(['--repo', repo]);
    await painted();
    await id('change-picker').click();
    await id('change-option').nth(3).waitFor();
    await clean('in the picker');
    await shot('picker');
    await page.keyboard.press('Escape');
    await page.keyboard.press('p');
    await id('prompt-text').waitFor();
    await clean('in the prompt');
    await page.keyboard.press('p');
    await id('review-button').click();
    await id('budget-truncate').click();
    await id('budget-review').click();
    await id('finding-row').first().waitFor();
    await clean('in the list');
    await page.keyboard.press('i');
    await id('summary').waitFor();
    await clean('in the summary');
    await shot('summary');
    for (let step = 0; step < findings.length; step++) {
      await page.keyboard.press('j');
      await page.locator('[data-testid="finding-card"]').first().waitFor();
      await clean(`in finding ${step}`);
    }
    await shot('finding');
    // An error that repeats the text.
    await page.keyboard.press('O');
    await page.getByPlaceholder(/path/i).last().fill(some(1)[0]);
    await page.keyboard.press('Enter');
    await clean('in an error');
    await shot('error');
  });

  it('are only words in a conversation, in whatever pieces they come', async () => {
    await writeFile(path.join(repo, 'plain.ts'), 'const a = 2;\n');
    const all = payloads.map((one, at) => `${at}\n\n${one}`).join('\n\n');
    const fix = '```fix\nfile: <img src=x onerror=alert(1)>\n<<<<<<< old\n<script>alert(1)</script>\n=======\n<svg onload=alert(1)>\n>>>>>>> new\n```\n';
    await talker.say({ text: all, chunk: 700, chunk_delay: 0.01 }, { text: `${fix}${some(40, 3).join(' ')}`, chunk: 3, chunk_delay: 0.001 });
    await start(['--repo', repo]);
    await painted();
    await page.keyboard.press('c');
    for (const words of [some(8, 2).join('\n'), some(8, 90).join('\n')]) {
      await id('chat-input').fill(words);
      await id('chat-input').press('Enter');
      await page.waitForFunction(() => document.querySelector('[data-testid="conversation"]')?.dataset.busy === 'true');
      await clean('while it streams');
      await page.waitForFunction(() => document.querySelector('[data-testid="conversation"]')?.dataset.busy === 'false');
      await clean('when it has ended');
    }
    await shot('conversation');
  });

  it('ask before a link is followed, however it is pressed, and show where it leads', async () => {
    await writeFile(path.join(repo, 'plain.ts'), 'const a = 2;\n');
    const text = '[safe words](https://gitlab.com@evil.example/x) and <https://other.example/>';
    await talker.say({ text: JSON.stringify({ summary_markdown: text, findings: [{ severity: 'low', category: 'docs', path: 'plain.ts', line_start: 1, line_end: 1, title: 'x', body_markdown: 'x' }] }), usage: { input: 1, output: 1 } });
    await start(['--repo', repo]);
    await painted();
    await id('review-button').click();
    await id('finding-row').first().waitFor();
    await page.keyboard.press('i');
    const link = page.locator('.prose a').first();
    await link.waitFor();
    const asks = async (press) => {
      await press();
      await id('link-dialog').filter({ hasText: 'evil.example' }).waitFor();
      await page.keyboard.press('Escape');
      await id('link-dialog').waitFor({ state: 'detached' });
    };
    await asks(() => link.click());
    await asks(() => link.click({ button: 'middle' }));
    await asks(() => link.click({ modifiers: ['Control'] }));
    await asks(() => link.click({ modifiers: ['Shift'] }));
    await asks(async () => {
      await link.focus();
      await page.keyboard.press('Enter');
    });
    await link.click();
    await id('link-dialog').filter({ hasText: 'The part before the @ is not the site' }).waitFor();
    await shot('link');
    await page.keyboard.press('Escape');
    await link.dragTo(id('review-button'));
    await clean('after dragging a link');
    // A dropped address or file does not navigate away either.
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.setData('text/uri-list', 'https://evil.example/');
      const event = new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data });
      document.body.dispatchEvent(event);
      if (!event.defaultPrevented) throw new Error('the drop was not taken');
    });
    await clean('after a drop');
  });

  it('opens a patch that is dropped, also without a repository', async () => {
    await start([]);
    await id('open-sample').waitFor();
    const drop = (name, text) =>
      page.evaluate(
        ([name, text]) => {
          const data = new DataTransfer();
          data.items.add(new File([text], name));
          for (const kind of ['dragover', 'drop']) document.body.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: data }));
        },
        [name, text],
      );
    await drop('notes.txt', '<script>alert(1)</script>');
    await page.getByText('This is not a patch.').waitFor();
    await drop('<img src=x onerror=alert(1)>.patch', '--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-a\n+<img src=x onerror=alert(1)>\n');
    await painted();
    await page.getByText('+<img src=x onerror=alert(1)>').or(page.getByText('<img src=x onerror=alert(1)>')).first().waitFor();
    await clean('in a dropped patch');
    await page.reload();
    await painted();
    await shot('dropped');
  });

  it('tells when the change moved on, and moves nothing', async () => {
    await writeFile(path.join(repo, 'plain.ts'), 'const a = 2;\n');
    await start(['--repo', repo]);
    await painted();
    await page.getByText('const a = 2;').waitFor();
    // The watch starts some time after the page. Changes before that are reported with the next one.
    await page.waitForTimeout(500);
    await writeFile(path.join(repo, 'plain.ts'), 'const a = 3;\n');
    await writeFile(path.join(repo, 'new.ts'), 'const b = 1;\n');
    await id('change-moved').getByText('The change was modified after you opened it.').waitFor();
    await shot('moved');
    assert.equal(await page.getByText('const a = 3;').count(), 0);
    await id('change-picker').click();
    await id('change-option').filter({ hasText: 'All local changes' }).filter({ hasText: '2' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('R');
    await page.getByText('const a = 3;').waitFor();
    await id('change-moved').getByText('The change was modified after you opened it.').waitFor({ state: 'detached' });
    await clean('after it moved');
  });

  it('saves the review as one file that asks for nothing', async () => {
    await writeFile(path.join(repo, 'plain.ts'), '<img src=//evil.example/p.png>\n');
    const finding = { severity: 'high', category: 'security', path: 'plain.ts', line_start: 1, line_end: 1, title: payloads[20], body_markdown: payloads.join('\n\n') };
    await talker.say({ text: JSON.stringify({ summary_markdown: payloads.join('\n\n'), findings: [finding] }), usage: { input: 1, output: 1 } });
    await start(['--repo', repo]);
    await painted();
    await id('review-button').click();
    await id('finding-row').first().waitFor();
    const coming = page.waitForEvent('download');
    await page.keyboard.press('Control+s');
    const saved = await coming;
    assert.match(saved.suggestedFilename(), /^diffsan-\d{4}-\d\d-\d\d-.*\.html$/);
    const file = path.join(shots, 'review.html');
    await saved.saveAs(file);
    const reader = await chrome.newPage({ viewport: { width: 1000, height: 900 } });
    const told = await listen(reader, (url) => url.startsWith('file://'));
    await reader.goto(pathToFileURL(file).href);
    await provoke(reader, 'body');
    await reader.screenshot({ path: path.join(shots, 'review-light.png') });
    await reader.emulateMedia({ colorScheme: 'dark' });
    await reader.screenshot({ path: path.join(shots, 'review-dark.png') });
    const kinds = await reader.evaluate(() => [...document.querySelectorAll('script, img, iframe, form, svg, object, embed, link, base')].map((node) => node.outerHTML));
    assert.deepEqual(kinds, []);
    assert.deepEqual(told, []);
    await reader.close();
    // Only the requested download happens.
    assert.deepEqual(heard.filter((what) => !what.startsWith('a download')).filter((what) => !what.startsWith('a request: blob:')), []);
  });

  it('are only words in the threads of a merge request', async () => {
    await writeFile(path.join(repo, 'plain.ts'), 'const a = 1;\nconst b = 2;\n');
    git(repo, 'commit', '-q', '-am', 'main');
    git(repo, 'checkout', '-q', '-b', 'topic');
    await writeFile(path.join(repo, 'plain.ts'), 'const a = 3;\nconst b = 2;\n');
    git(repo, 'commit', '-q', '-am', '<img src=x onerror=alert(1)>');
    git(repo, 'checkout', '-q', 'main');
    const gitlab = await fakeGitlab(repo, 'topic', 'main');
    try {
      for (let from = 0; from < payloads.length; from += 30)
        await gitlab.ask({ do: 'comment', path: 'plain.ts', line: 1, body: payloads.slice(from, from + 30).join('\n\n') });
      const { url } = gitlab;
      const clone = path.join(home.folder, 'clone');
      git(home.folder, 'clone', '-q', '--single-branch', '-b', 'main', repo, clone);
      git(clone, 'remote', 'set-url', 'origin', `${url}/group/sub/project.git`);
      Object.assign(home.env, { DIFFSAN_GITLAB__BASE_URL: url, DIFFSAN_GITLAB_TOKEN: 'glpat-reviewer-000000000', DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' });
      await start(['--repo', clone]);
      await id('change-picker').click();
      await id('change-option').filter({ hasText: '!7' }).first().click();
      await page.getByText('9 open threads').waitFor();
      await id('thread').first().waitFor();
      await shot('threads');
      // Only visible threads are in the document, so all of them are scrolled through.
      await id('thread').first().hover();
      for (let step = 0; step < 12; step++) {
        await clean(`in the threads, ${step}`);
        await page.mouse.wheel(0, 700);
      }
    } finally {
      await gitlab.stop();
    }
  });
});
