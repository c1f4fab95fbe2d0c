// The accessibility checks of every view: axe-core's rules in light and dark, and the keyboard.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { root } from './support.mjs';

const source = await readFile(path.join(root, 'tests/node_modules/axe-core/axe.min.js'), 'utf8');
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Fails if axe-core finds a violation in the current page, in light or dark. */
export async function accessible(page, where) {
  const wrong = [];
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.waitForFunction((theme) => document.documentElement.dataset.theme === theme, colorScheme);
    // The colours change with the next frame.
    await page.evaluate(() => new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(seen, 60)))));
    // The browser evaluates the source directly, so the page's content security policy does not apply.
    await page.evaluate(`${source};0`);
    const look = () =>
      page.evaluate(
        (values) => window.axe.run(document, { runOnly: { type: 'tag', values }, resultTypes: ['violations'] }),
        tags,
      );
    let { violations } = await look();
    if (violations.length > 0) {
      // Colours may still change after a change of the theme. A real violation remains.
      await page.waitForTimeout(400);
      ({ violations } = await look());
    }
    for (const { id, help, nodes } of violations) {
      for (const node of nodes.slice(0, 6))
        wrong.push(`${where}, ${colorScheme}: ${id} (${help}) at ${node.target.join(' ')}: ${node.html.slice(0, 160)} ${node.any.map((one) => one.message).join('; ').slice(0, 200)}`);
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  assert.deepEqual(wrong, []);
}

/**
 * Walks with Tab through all elements that take the focus. Each must be visible, have a name, and not trap the focus. Returns the
 * elements. Rows that a virtual list has drawn beyond its view need not be visible, because the list scrolls to them itself.
 */
export async function walk(page, most = 200) {
  const stops = [];
  for (let step = 0; step < most; step++) {
    await page.keyboard.press('Tab');
    // The focused element is scrolled into view. Virtual lists do this some frames later.
    await page
      .waitForFunction(
        () => {
          const at = document.activeElement?.getBoundingClientRect();
          return !at || document.activeElement === document.body || (at.height > 0 && at.bottom > 0 && at.top < innerHeight);
        },
        null,
        { timeout: 2_000 },
      )
      .catch(() => {});
    const stop = await page.evaluate(() => {
      const node = document.activeElement;
      if (!node || node === document.body) return null;
      const at = node.getBoundingClientRect();
      const style = getComputedStyle(node);
      const marked = style.outlineStyle !== 'none' || style.boxShadow !== 'none' || node.matches('input, textarea');
      node.dataset.stop ??= String((window.stops = (window.stops ?? 0) + 1));
      const name = node.getAttribute('aria-label') || node.innerText?.trim() || node.getAttribute('title') || node.getAttribute('placeholder') || '';
      return { key: node.dataset.stop, name: name.slice(0, 60), tag: node.tagName, seen: (at.width > 0 && at.height > 0 && at.bottom > 0 && at.top < innerHeight) || node.closest('.drawn') !== null, marked };
    });
    if (!stop) break;
    if (stops.some((one) => one.key === stop.key)) break;
    stops.push(stop);
  }
  const wrong = stops.filter((stop) => !stop.seen || !stop.marked || !stop.name);
  assert.deepEqual(wrong, []);
  return stops;
}
