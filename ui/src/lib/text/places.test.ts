// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { findPlaces, linkPlaces } from './places';

const known = (path: string) => ['src/main.rs', 'a.ts', 'docs/a-b.md', 'Makefile'].includes(path);
const places = (text: string) =>
  findPlaces(text, known).map(({ path, line, from, to }) => [path, line, text.slice(from, to)]);

test('places of known files are found', () => {
  expect(places('See src/main.rs:12, (a.ts:3-5) and `docs/a-b.md:1`; Makefile:9.')).toEqual([
    ['src/main.rs', 12, 'src/main.rs:12'],
    ['a.ts', 3, 'a.ts:3-5'],
    ['docs/a-b.md', 1, 'docs/a-b.md:1'],
    ['Makefile', 9, 'Makefile:9'],
  ]);
});

test('other files, times and addresses are not places', () => {
  expect(places('lib.rs:12 at 10:30, http://a.ts:3/x, src/a.ts:3, xa.ts:4, a.ts: 5')).toEqual([]);
});

test('places in text and inline code become links, those in links and code blocks do not', () => {
  const template = document.createElement('template');
  template.innerHTML =
    '<p>see a.ts:3 or <code>src/main.rs:4</code></p><pre><code>a.ts:5</code></pre><a>a.ts:6</a>';
  linkPlaces(template.content, known);
  const links = [...template.content.querySelectorAll<HTMLElement>('[data-place]')];
  expect(links.map((link) => link.dataset.place)).toEqual(['a.ts:3', 'src/main.rs:4']);
  expect(template.content.textContent).toBe('see a.ts:3 or src/main.rs:4a.ts:5a.ts:6');
});
