// Rendered files, comparisons of images, options of the diff, and the editor of the environment, in Debian's Chromium.
import assert from 'node:assert/strict';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { deflateSync } from 'node:zlib';
import { git, journey } from './journey.mjs';
import { decisionsSaved } from './support.mjs';

/** Returns a PNG image of one colour with a square of another one. */
function png(size, [red, green, blue], square) {
  const crc = (bytes) => {
    let sum = -1;
    for (const byte of bytes) {
      sum ^= byte;
      for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
    }
    return (sum ^ -1) >>> 0;
  };
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 2], 8);
  const inside = (x, y) => x >= square && x < square + size / 4 && y >= square && y < square + size / 4;
  const rows = Array.from({ length: size }, (_, y) => [
    0,
    ...Array.from({ length: size }, (_, x) => (inside(x, y) ? [255, 255, 255] : [red, green, blue])).flat(),
  ]);
  const pixels = deflateSync(Buffer.from(rows.flat()));
  const parts = [chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), ...parts]);
}

describe('rendered files and options of the diff', () => {
  const desk = journey('rendered');
  const { id, press, looks, repository, add } = desk;
  let page;
  const start = async (folder, env) => {
    await desk.start(['--repo', folder], env);
    page = desk.page;
  };
  beforeEach(() => (page = null));

  const guide = (edit) => `---
title: Guide
---

# Delivery

Messages are sent ${edit ? 'after the second' : 'after the first'} confirmation. See [the manual][m].

${Array.from({ length: 6 }, (_, at) => `Paragraph ${at + 1} stays as it is.`).join('\n\n')}

- one
- ${edit ? 'three' : 'two'} attempts for each message

${edit ? '| name | limit |\n| --- | --- |\n| mail | 10 |\n\n' : ''}<script>alert(1)</script>

![remote](https://images.example/x.png)

[m]: https://manual.example
`;

  it('renders Markdown with the words that differ, and keeps the choice', async () => {
    const folder = await repository({ 'guide.md': guide(false) });
    await add(folder, { 'guide.md': guide(true) });
    await start(folder);
    assert.equal(await id('rendered').count(), 0, 'Markdown is text at first');
    await id('render').click();
    await id('rendered-markdown').waitFor();
    assert.deepEqual(await page.locator('[data-testid=rendered-markdown] ins').allInnerTexts(), ['second', 'three']);
    assert.deepEqual(await page.locator('[data-testid=rendered-markdown] del').allInnerTexts(), ['first', 'two']);
    assert.equal(await page.locator('[data-testid=rendered-markdown] :is(script, img)').count(), 0, 'nothing is run or loaded');
    assert.match(await id('rendered-markdown').innerText(), /limit/);
    const hidden = id('rendered-hidden').first();
    assert.match(await hidden.innerText(), /unchanged block/);
    await looks('markdown');
    await hidden.click();
    await page.getByText('Paragraph 3 stays').waitFor();
    await press('v');
    await page.locator('[data-testid=rendered-markdown].split').waitFor();
    await looks('markdown-split');
    await press('v');
    await page.evaluate(() => dispatchEvent(new Event('blur')));
    await decisionsSaved(page);
    await page.reload();
    await desk.painted();
    await id('rendered-markdown').waitFor();
    await press('*');
    await page.locator('.diff-line.add').first().waitFor();
    assert.equal(await id('rendered').count(), 0);
    // A search shows the text of a rendered file.
    await press('*');
    await id('rendered-markdown').waitFor();
    await press('Control+f');
    await page.keyboard.type('second confirmation');
    await page.locator('.diff-line', { hasText: 'after the second' }).waitFor();
  });

  const notebook = (edit) => {
    const output = (text) => [{ output_type: 'stream', name: 'stdout', text: [text] }];
    const code = (source, outputs = [], count = 1) => ({ cell_type: 'code', execution_count: count, metadata: {}, source, outputs });
    const image = { output_type: 'display_data', metadata: {}, data: { 'image/png': png(64, [30, 120, edit ? 60 : 200], 20).toString('base64') } };
    const html = { output_type: 'execute_result', metadata: {}, data: { 'text/html': ['<img src=x onerror=alert(1)>'] } };
    return JSON.stringify(
      {
        cells: [
          { cell_type: 'markdown', metadata: {}, source: [`# Sales in ${edit ? '2026' : '2025'}\n`] },
          ...Array.from({ length: 4 }, (_, at) => code([`step(${at})\n`])),
          code(['import sales\n', `rows = sales.load(${edit ? 'limit=20' : 'limit=10'})\n`, 'len(rows)'], output(edit ? '20 rows\n' : '10 rows\n'), 7),
          code(['plot(rows)'], [image, html], 8),
          ...(edit ? [code(['rows.export()'], [], null)] : []),
        ],
        metadata: { language_info: { name: 'python', file_extension: '.py' } },
        nbformat: 4,
        nbformat_minor: 5,
      },
      null,
      1,
    );
  };

  it('shows a notebook by cells, and text with the reason where it is broken', async () => {
    const folder = await repository({ 'sales.ipynb': notebook(false), 'broken.ipynb': '{\n"cells": 1\n}\n' });
    await add(folder, { 'sales.ipynb': notebook(true), 'broken.ipynb': '{\n"cells": 2\n}\n' });
    await start(folder);
    await id('rendered-notebook').waitFor();
    const shown = await id('rendered-notebook').innerText();
    assert.match(shown, /Code \[7\]\s*changed/);
    assert.match(shown, /20 rows/);
    assert.match(shown, /New image/);
    assert.match(shown, /Output that is not shown: text\/html/);
    assert.match(shown, /Code\s*added/);
    assert.match(await id('rendered-hidden').first().innerText(), /unchanged cells/);
    await page.getByText('Shown as text because it is not a notebook of version 4.').waitFor();
    await page.locator('.diff-line.add', { hasText: '"cells": 2' }).waitFor();
    await looks('notebook');
  });

  it('shows comma-separated values as a table with the changed cells', async () => {
    const table = (edit) =>
      'id,name,note\n' +
      Array.from({ length: 40 }, (_, at) => (edit && at === 30 ? '' : `${at},item ${at},"a, ""${edit && at === 12 ? 'new' : 'old'}"" note"\n`)).join('') +
      (edit ? '99,last,\n' : '');
    const folder = await repository({ 'items.csv': table(false) });
    await add(folder, { 'items.csv': table(true) });
    await start(folder);
    await id('render').click();
    await id('rendered-table').waitFor();
    assert.deepEqual(await page.locator('[data-testid=rendered-table] tr.changed td').last().locator('del, ins').allInnerTexts(), [
      'a, "old" note',
      'a, "new" note',
    ]);
    assert.equal(await page.locator('[data-testid=rendered-table] tr.removed').count(), 1);
    assert.equal(await page.locator('[data-testid=rendered-table] tr.added').count(), 1);
    await looks('table');
  });

  it('compares images side by side, by swiping and by difference', async () => {
    const folder = await repository({ 'logo.png': png(128, [20, 90, 200], 16), 'a.txt': 'a\n' });
    await add(folder, { 'logo.png': png(128, [20, 90, 200], 80), 'a.txt': 'b\n' });
    await start(folder);
    await id('image').locator('img').nth(1).waitFor();
    await id('image-swipe').click();
    await id('image-overlay').waitFor();
    await page.getByRole('slider', { name: 'Share of the old image' }).fill('25');
    assert.match(await id('image-overlay').locator('img').nth(1).getAttribute('style'), /inset\(0(px)? 0(px)? 0(px)? 25%\)/);
    await looks('image-swipe');
    await press('Escape', '&');
    await page.locator('[data-testid=image-overlay] .difference').waitFor();
    await looks('image-difference');
    await press('&');
    await id('image-overlay').waitFor({ state: 'detached' });
  });

  it('changes the width of tabs and the lines of context, and names the function above the first line', async () => {
    const text = (value) =>
      `export class Delivery {\n\tsend(limit: number) {\n${Array.from({ length: 120 }, (_, at) => `\t\tthis.step(${at === 60 || at === 100 ? value : at});\n`).join('')}\t}\n}\n`;
    const folder = await repository({ 'delivery.ts': text(1) });
    await add(folder, { 'delivery.ts': text(2) });
    await start(folder);
    const code = page.locator('.diff-line code').first();
    const tab = () => code.evaluate((node) => getComputedStyle(node).tabSize);
    assert.equal(await tab(), '4');
    await press('>');
    await page.waitForFunction(() => getComputedStyle(document.querySelector('.diff-line code')).tabSize === '8');
    await press('>');
    await page.waitForFunction(() => getComputedStyle(document.querySelector('.diff-line code')).tabSize === '2');
    const lines = () => page.locator('.diff-line').count();
    const before = await lines();
    await press('+');
    await page.waitForFunction((count) => document.querySelectorAll('.diff-line').length > count, before);
    await page.getByText('5 lines of context around each change').waitFor();
    await press('-');
    await page.waitForFunction((count) => document.querySelectorAll('.diff-line').length === count, before);
    await press('Z');
    await page.getByRole('region', { name: 'Changes' }).hover();
    await page.mouse.wheel(0, 900);
    await id('function-bar').waitFor();
    assert.match(await id('function-bar').innerText(), /class\s*Delivery\s*›\s*method\s*send/);
    await looks('function-bar');
    await press('_');
    await id('function-bar').waitFor({ state: 'detached' });
    await press('_');
    await id('function-bar').getByText('send').click();
    await page.locator('.diff-line', { hasText: 'send(limit: number)' }).waitFor();
  });

  it('opens a line in the editor of the environment, without a shell', async () => {
    const folder = await repository({ 'a b.txt': 'one\ntwo\n' });
    await add(folder, { 'a b.txt': 'one\nthree\n' });
    const { home } = desk;
    const [program, said] = [path.join(home.folder, 'gvim'), path.join(home.folder, 'said')];
    await writeFile(program, `#!/bin/sh\nprintf '%s\\n' "$@" > '${said}.part'\nmv '${said}.part' '${said}'\n`);
    await chmod(program, 0o755);
    await start(folder, { VISUAL: `${program} --servername $(id)` });
    await press('Control+,');
    await page.getByRole('tab', { name: 'Appearance' }).or(page.getByRole('button', { name: 'Appearance' })).first().click();
    await id('editor').selectOption('environment');
    await looks('appearance');
    await press('Escape');
    await press('ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter');
    const arguments_ = await (async () => {
      for (let tries = 0; tries < 100; tries++) {
        try {
          return (await readFile(said, 'utf8')).trimEnd().split('\n');
        } catch {
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      }
      return null;
    })();
    assert.deepEqual(arguments_, ['--servername', '$(id)', '+2', path.join(git(folder, 'rev-parse', '--show-toplevel').trim(), 'a b.txt')]);
  });
});
