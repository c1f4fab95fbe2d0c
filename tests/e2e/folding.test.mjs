// Folded lines and the reading order in Debian's Chromium, on a repository with moves, renames, reformatting and real edits.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { beforeEach, describe, it } from 'node:test';
import { accessible } from './accessible.mjs';
import { journey } from './journey.mjs';
import { hasCount, program } from './support.mjs';

const filler = (name) => Array.from({ length: 14 }, (_, at) => `def ${name}_${at + 1}():\n    return ${at + 1}\n`).join('\n\n');
const discount = `def discount(order, rate):
    if rate < 0:
        raise ValueError("a negative rate")
    total = order.total * rate
    if total > order.limit:
        total = order.limit
    return round(total, 2)
`;
const base = {
  // A block that moves to another file, and a real edit far from it.
  'shop/orders.py': `import decimal\n\n\n${discount}\n\n${filler('order')}\n\ndef refund(order):\n    return order.paid - order.fee\n`,
  'shop/rules.py': `${filler('rule')}\n`,
  // A local variable with another name in the whole file.
  'shop/tax.py': 'def tax(net, rate):\n    value = net * rate\n    if value < 0:\n        value = 0\n    return round(value, 2)\n',
  // Formatting, and one changed operator in it.
  'web/cart.ts': 'export function add(cart: Cart, item: Item): Cart {\n  return merge(cart, { id: item.id, count: item.count, price: item.price });\n}\n\nexport function over(cart: Cart): boolean { return cart.total > cart.limit; }\n',
  'src/Main.java': 'import java.util.Map;\nimport java.util.List;\n\nclass Main {\n    // Adds two numbers.\n    int add(int a, int b) {\n        return a + b;\n    }\n}\n',
  'README.md': 'A shop.\n',
};
const head = {
  'shop/orders.py': `import decimal\n\nfrom shop.rules import discount\n\n\n${filler('order')}\n\ndef refund(order):\n    return order.paid + discount(order, 0.1)\n`,
  'shop/rules.py': `${filler('rule')}\n\n\n${discount}`,
  'shop/tax.py': base['shop/tax.py'].replaceAll('value', 'amount'),
  'web/cart.ts': 'export function add(cart: Cart, item: Item): Cart {\n  return merge(cart, {\n    id: item.id,\n    count: item.count,\n    price: item.price\n  });\n}\n\nexport function over(cart: Cart): boolean { return cart.total >= cart.limit; }\n',
  'src/Main.java': 'import java.util.List;\nimport java.util.Map;\n\nclass Main {\n    // Returns the sum of two numbers.\n    int add(int a, int b) {\n        return a + b;\n    }\n}\n',
  'README.md': 'A shop with discounts.\n',
};

/** Texts of lines that have a new meaning. They are always visible. */
const real = [
  'from shop.rules import discount',
  'return order.paid - order.fee',
  'return order.paid + discount(order, 0.1)',
  'return cart.total > cart.limit',
  'return cart.total >= cart.limit',
  'A shop with discounts.',
];

describe('folding and reading order', () => {
  const desk = journey('folding', { checks: accessible });
  const { id, press, looks } = desk;
  let page, folder;
  beforeEach(async () => {
    folder = await desk.repository(base);
    await desk.add(folder, head);
    await desk.start(['--repo', folder]);
    page = desk.page;
    await id('toggle-folds').waitFor();
  });

  const region = () => page.getByRole('region', { name: 'Changes' });
  /** The texts of all rows, collected while scrolling, with the kind of each row. */
  const readAll = async () => {
    const found = new Map();
    await region().evaluate((list) => (list.scrollTop = 0));
    for (let step = 0; step < 60; step++) {
      await page.waitForTimeout(30);
      const part = await page.evaluate(() => [
        ...[...document.querySelectorAll('.diff-line.add, .diff-line.del, .half.add, .half.del')].map((line) => ['line', line.querySelector('code')?.textContent ?? '']),
        ...[...document.querySelectorAll('[data-testid=fold]')].map((row) => [row.dataset.reason, row.innerText.replace(/\s+/g, ' ')]),
        ...[...document.querySelectorAll('[data-testid=chapter]')].map((row) => ['chapter', row.innerText.replace(/\s+/g, ' ')]),
      ]);
      for (const [kind, text] of part) found.set(`${kind}\n${text}`, { kind, text });
      const more = await region().evaluate((list) => {
        const before = list.scrollTop;
        list.scrollTop += 250;
        return list.scrollTop > before;
      });
      if (!more) break;
    }
    await region().evaluate((list) => (list.scrollTop = 0));
    return [...found.values()];
  };
  const texts = (all, kind) => all.filter((one) => one.kind === kind).map((one) => one.text);
  const seesReal = (all) => {
    const lines = texts(all, 'line').join('\n');
    for (const text of real) assert.ok(lines.includes(text), `${text} is not visible in:\n${lines}`);
    return lines;
  };
  const goTo = async (text) => {
    await press('Control+f');
    await page.getByLabel('Find in the change').fill(text);
    await page.locator('.diff-line .here').first().waitFor();
  };

  it('folds moved, renamed and reformatted lines with their reason, and shows every real edit', async () => {
    const all = await readAll();
    const lines = seesReal(all);
    assert.doesNotMatch(lines, /raise ValueError/, 'the moved block is folded');
    assert.doesNotMatch(lines, /amount/, 'the renamed variable is folded');
    assert.match(texts(all, 'moved').join('\n'), /Moved to shop\/rules\.py:\d+ −\d+/);
    assert.match(texts(all, 'moved').join('\n'), /Moved from shop\/orders\.py:\d+ \+\d+/);
    assert.match(texts(all, 'renamed').join('\n'), /Renamed value to amount \+4 −4/);
    assert.match(texts(all, 'formatting').join('\n'), /Only formatting changed/);
    assert.match(texts(all, 'imports').join('\n'), /Only the order of imports changed/);
    assert.match(texts(all, 'comments').join('\n'), /Only comments changed \+1 −1/);
    assert.match(await id('toggle-folds').innerText(), /\d+ folded/);
    assert.match(await id('toggle-folds').getAttribute('title'), /1 file without a grammar: compared by lines/);
    await looks('unified');
    await press('v');
    seesReal(await readAll());
    await looks('split');
  });

  it('opens a fold with the mouse, with a key and by its other end, and all folds with a key', async () => {
    const moved = id('fold').and(page.locator('[data-reason=moved]')).first();
    await moved.getByRole('button').first().click();
    await page.locator('.diff-line.del', { hasText: 'raise ValueError' }).waitFor();
    assert.equal(await moved.getByRole('button').first().getAttribute('aria-expanded'), 'true');
    await looks('open');
    await moved.getByRole('button').first().click();
    await hasCount(page.locator('.diff-line.del', { hasText: 'raise ValueError' }), 0);
    await press('M');
    await page.locator('[data-testid=fold] [aria-expanded=true]').first().waitFor();
    await press('M');
    await hasCount(page.locator('[data-testid=fold] [aria-expanded=true]'), 0);
    await moved.getByRole('button').nth(1).click();
    await page.locator('.diff-line.add.chosen, .diff-line.chosen').waitFor();
    await press('q');
    await hasCount(id('fold'), 0);
    assert.match(await id('toggle-folds').innerText(), /\d+ shown/);
    const lines = seesReal(await readAll());
    assert.match(lines, /raise ValueError/);
    await press('q');
    await id('fold').first().waitFor();
  });

  it('finds folded lines, and shows a finding on one', async () => {
    await goTo('negative rate');
    await page.locator('.diff-line', { hasText: 'negative rate' }).first().waitFor();
    await press('Escape', 'Escape', 'q', 'q');
    await hasCount(page.locator('.diff-line', { hasText: 'negative rate' }), 0);
    // A finding of one's own on a line that is folded again afterwards.
    await press('q');
    await goTo('amount < 0');
    await press('Escape', 'Escape');
    await hasCount(id('find'), 0);
    await page.locator('.diff-line', { hasText: 'amount < 0' }).first().locator('.no').last().click();
    await press('l');
    await id('finding-form').waitFor();
    await id('finding-text').fill('Negative rates are lost.');
    await id('finding-save').click();
    await id('finding-row').first().waitFor();
    await press('q');
    await id('fold').first().waitFor();
    await id('finding-row').first().click();
    await page.locator('.diff-line', { hasText: 'amount < 0' }).first().waitFor();
  });

  it('orders the hunks for reading, with the reason, and loses no viewed mark', async () => {
    await id('viewed-hunk').nth(3).click();
    const files = () => id('file-row').evaluateAll((rows) => rows.map((row) => row.dataset.path));
    const usual = await files();
    await press('S');
    await id('chapter').first().waitFor();
    await hasCount(page.locator('[data-testid=file-row].viewed[data-path="shop/tax.py"]'), 1, 'the viewed mark is still there');
    const read = await files();
    assert.deepEqual([...new Set(read)].sort(), [...usual].sort(), 'every file is listed');
    assert.match((await id('chapter-row').allInnerTexts()).join('\n'), /refund[\s\S]*Files without code/);
    const all = await readAll();
    seesReal(all);
    assert.match(texts(all, 'chapter').join('\n'), /refund Entry point, then the code that it calls/);
    assert.match((await id('step').allInnerTexts()).join('\n'), /Entry point|Defines discount, used in orders\.py/);
    await looks('order');
    await press('v');
    await looks('order-split');
    await press('v', 'S');
    await hasCount(id('chapter'), 0);
    assert.deepEqual(await files(), usual);
  });

  it('tells the agent about folded hunks in a line', async () => {
    const ran = JSON.parse(execFileSync(program('diffsan'), ['prepare', '--staged', '--repo', folder, '--json'], { env: desk.home.env, encoding: 'utf8' }));
    assert.doesNotMatch(ran.diff, /amount/, 'the renamed variable is not sent');
    for (const text of real) assert.ok(ran.diff.includes(text), `${text} is sent`);
    const tax = ran.folded.find((one) => one.path === 'shop/tax.py');
    assert.deepEqual([tax.reasons, tax.details, tax.lines], [['renamed'], 'renamed `value` to `amount`', 8]);
    const covered = ran.coverage.files.find((one) => one.path === 'shop/tax.py');
    assert.equal(covered.state, 'folded');
    assert.deepEqual(covered.hunks[0].folded, ['renamed']);
    const prompt = execFileSync(program('diffsan'), ['prompt', '--staged', '--repo', folder], { env: desk.home.env, encoding: 'utf8' });
    assert.match(prompt, /- shop\/tax\.py @@ -1,5 \+1,5 @@: renamed `value` to `amount`/);
    await press('p');
    await page.getByText('renamed `value` to `amount`').first().waitFor();
    await looks('prompt');
  });
});
