// Navigation in Debian's Chromium: definitions, references, unchanged callers, back and forward.
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { accessible } from './accessible.mjs';
import { journey } from './journey.mjs';
import { hasCount } from './support.mjs';

const filler = (prefix) => Array.from({ length: 30 }, (_, at) => `${prefix} line ${at + 1}\n`).join('');

/** `total` gets a parameter. `orders.py` calls it from a changed line, `report.py` and `main.rs` are unchanged. */
const base = {
  'shop/cart.py': `import decimal\n\n\ndef total(items):\n    return sum(items)\n\n\n${filler('#')}\n\nclass Cart:\n    def render(self):\n        return "cart"\n`,
  'shop/orders.py': 'from shop.cart import total\n\n\ndef order(items):\n    return total(items)\n\n\ndef show(thing):\n    return str(thing)\n',
  'shop/invoice.py': 'class Invoice:\n    def render(self):\n        return "invoice"\n\n    def draw(self):\n        return self.render()\n',
  'shop/report.py': 'from shop.cart import total\n\n\ndef report(items):\n    print(total(items))\n',
  'Cargo.toml': '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2024"\n',
  'src/price.rs': 'pub fn quote(units: u32) -> u32 {\n    units * 3\n}\n',
  'src/main.rs': 'mod price;\n\nfn main() {\n    let all = price::quote(2);\n    println!("{all}");\n}\n',
};
const head = {
  'shop/cart.py': base['shop/cart.py']
    .replace('def total(items):', 'def total(items, discount=0):')
    .replace('return sum(items)', 'return decimal.Decimal(sum(items)) - discount'),
  'shop/orders.py': 'from shop.cart import total\n\n\ndef order(items):\n    return total(items, 5)\n\n\ndef show(thing):\n    missing(thing)\n    return thing.render()\n',
  'src/price.rs': 'pub fn quote(units: u32, rate: u32) -> u32 {\n    units * rate\n}\n',
};

describe('navigation', () => {
  const desk = journey('navigation', { checks: accessible });
  const { id, press, looks } = desk;
  let page;
  beforeEach(async () => {
    const folder = await desk.repository(base);
    await desk.add(folder, head);
    await desk.start(['--repo', folder]);
    page = desk.page;
  });

  const items = () => id('navigation-item');
  /** The line with the cursor, as its text. */
  const chosen = () => page.evaluate(() => document.querySelector('.diff-line.chosen')?.textContent ?? '');
  const isAt = (text) => page.waitForFunction((text) => document.querySelector('.diff-line.chosen')?.textContent.includes(text), text);
  /** Moves the cursor down to the line with a text. */
  const goTo = async (text) => {
    for (let step = 0; step < 80 && !(await chosen()).includes(text); step++) {
      const before = await chosen();
      await press('ArrowDown');
      await page.waitForFunction((before) => document.querySelector('.diff-line.chosen')?.textContent !== before, before);
    }
    await isAt(text);
  };
  const closed = () => page.waitForFunction(() => !document.querySelector('[data-testid=navigation]'));
  /** Asks about a name of the line with the cursor. */
  const ask = async (key, name) => {
    await press(key);
    await page.getByTestId('navigation').getByRole('option', { name, exact: true }).waitFor();
    await page.keyboard.type(name);
    await press('Enter');
  };

  it('shows a definition, jumps to it, and goes back and forward', async () => {
    await goTo('return total(items, 5)');
    await press('F12');
    await hasCount(items(), 2, 'keywords and numbers are not offered');
    await looks('names');
    await page.keyboard.type('total');
    await press('Enter');
    await id('navigation').locator('pre').waitFor();
    const below = (await id('navigation').boundingBox()).y - (await page.locator('.diff-line.chosen').boundingBox()).y;
    assert.ok(below > 0 && below < 60, `the definition is below the line: ${below}`);
    assert.equal(await page.locator('dialog[open]').count(), 0, 'it is no dialog');
    assert.match(await items().innerText(), /total\s+shop\/cart\.py:4 · function/);
    assert.match(await id('navigation').locator('pre').innerText(), /def total\(items, discount=0\):/);
    await looks('definition');
    await press('Enter');
    await closed();
    await isAt('def total(items, discount=0):');
    await press('Alt+ArrowLeft');
    await isAt('return total(items, 5)');
    await press('Alt+ArrowRight');
    await isAt('def total(items, discount=0):');
    await press('Alt+ArrowRight');
    await page.getByText('There is no further place.').waitFor();
    assert.match(page.url(), /127\.0\.0\.1/, 'the browser did not leave the page');
  });

  it('asks about the base from a removed line', async () => {
    await goTo('return total(items)');
    await ask('F12', 'total');
    await id('navigation').locator('pre').waitFor();
    assert.match(await id('navigation').locator('pre').innerText(), /def total\(items\):/);
    await press('Enter');
    await closed();
    await isAt('def total(items):');
  });

  it('lists references, and says which are not in the diff', async () => {
    await goTo('def total(items, discount=0):');
    await ask('Shift+F12', 'total');
    await hasCount(items().filter({ hasText: 'total(' }), 2);
    assert.match(await items().filter({ hasText: 'print(total(items))' }).innerText(), /shop\/report\.py:5 · in report · not in the diff/);
    assert.equal(await id('navigation-note').count(), 0, 'the definition is certain');
    await looks('references');
    await items().filter({ hasText: 'return total(items, 5)' }).click();
    await closed();
    await isAt('return total(items, 5)');
  });

  it('shows candidates of a name that is not certain, and jumps to a line between the hunks', async () => {
    await goTo('return thing.render()');
    await ask('F12', 'render');
    await hasCount(items(), 2);
    assert.match(await id('navigation').innerText(), /Possible definitions of render[\s\S]*not certain/);
    await looks('candidates');
    await press('Escape');
    await closed();
    await ask('Shift+F12', 'render');
    await page.getByText('Possible references', { exact: true }).waitFor();
    assert.match(await id('navigation').innerText(), /not certain[\s\S]*Possible definitions[\s\S]*Cart\.render[\s\S]*Invoice\.render[\s\S]*Possible references[\s\S]*thing\.render\(\)/);
    assert.match(await items().filter({ hasText: 'self.render()' }).innerText(), /possible/);
    await looks('possible-references');
    await items().filter({ hasText: 'Invoice.render' }).click();
    await page.getByRole('heading', { name: 'References to Invoice.render' }).waitFor();
    await hasCount(items(), 2);
    assert.doesNotMatch(await items().filter({ hasText: 'self.render()' }).innerText(), /possible/);
    await press('Escape');
    await closed();
    await ask('F12', 'render');
    await items().filter({ hasText: 'Cart.render' }).click();
    await closed();
    await isAt('def render(self):');
  });

  it('shows the unchanged callers beside a changed signature, and remembers whether it does', async () => {
    const card = () => id('callers').filter({ hasText: 'total' });
    await card().getByRole('button', { name: '1 unchanged caller of total' }).click();
    await id('caller').waitFor();
    assert.match(await id('caller').innerText(), /print\(total\(items\)\)\s+shop\/report\.py:5 · in report · not in the diff/);
    assert.match(await card().innerText(), /The signature was def total\(items\)/);
    const line = page.locator('.diff-line', { hasText: 'def total(items, discount=0):' });
    const below = (await card().boundingBox()).y - (await line.boundingBox()).y;
    assert.ok(below > 0 && below < 60, `the callers are below the signature: ${below}`);
    await looks('callers-beside');
    await press('v');
    await card().waitFor();
    await looks('callers-beside-split');
    await press('v');
    await press('Alt+Shift+F12');
    await hasCount(id('callers'), 0);
    // The preference is saved after a short delay, which the page does not show.
    await page.evaluate(() => dispatchEvent(new Event('pagehide')));
    await page.reload();
    await desk.painted();
    await press('F12');
    await press('Alt+F12');
    await hasCount(items(), 2);
    assert.equal(await id('callers').count(), 0);
    await press('Escape');
    await closed();
    await press('Alt+Shift+F12');
    await card().waitFor();
  });

  it('lists unchanged callers of changed signatures', async () => {
    await press('Alt+F12');
    await hasCount(items(), 2);
    const text = await id('navigation').innerText();
    assert.match(text, /def total\(items, discount=0\)\s+print\(total\(items\)\)\s+shop\/report\.py:5/);
    assert.match(text, /pub fn quote\(units: u32, rate: u32\) -> u32\s+let all = price::quote\(2\);\s+src\/main\.rs:4/);
    assert.doesNotMatch(text, /orders\.py/, 'a changed caller is not listed');
    await looks('callers');
    await press('Escape');
    await closed();
  });

  it('says why there is no definition, and returns the focus', async () => {
    await page.keyboard.press('Tab');
    await goTo('missing(thing)');
    const focused = () => page.evaluate(() => document.activeElement?.outerHTML.slice(0, 120));
    const before = await focused();
    await ask('F12', 'missing');
    await page.getByText('No file of the repository defines missing.').waitFor();
    await looks('none');
    await press('Escape');
    await closed();
    await page.waitForFunction((before) => document.activeElement?.outerHTML.slice(0, 120) === before, before);
    await goTo('return thing.render()');
    await press('Escape');
    await goTo('return decimal.Decimal(sum(items)) - discount');
    await ask('F12', 'Decimal');
    await page.getByText('It is defined outside of the repository, in decimal.').waitFor();
  });
});
