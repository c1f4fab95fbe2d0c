// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Line } from '../../lib/diff/lines';
import type { Row } from '../../lib/diff/rows';
import type { LineAppearance } from './line';
import { Painter, type MountedRow } from './painter';

const line = (index: number, text = `line ${index}`): Line => ({
  file: 0,
  hunk: 0,
  index,
  kind: ' ',
  old: index + 1,
  new: index + 1,
  text,
  columns: text.length,
  cr: false,
  bytes: null,
  noEol: false,
  mate: null,
});
const lines = Array.from({ length: 400 }, (_, index): Row => ({ kind: 'line', file: 0, line: line(index) }));
const plainAppearance: LineAppearance = {
  coloursOf: ({ text }) => ({ spans: [text.length, 0], names: ['keyword'] }),
  marksOf: null,
  coverageOf: () => null,
  factOf: () => null,
  isHighlighted: () => false,
  isChosen: () => false,
};
const measures = { watch: vi.fn(), forget: vi.fn() };

let host: HTMLElement;
let painter: Painter;
const made: MountedRow[] = [];
const draw = (rows: readonly Row[], from = 0, appearance = plainAppearance) =>
  painter.draw(host, {
    rows,
    from,
    appearance,
    heightOf: () => 20,
    varies: (row) => row.kind === 'card',
    measures,
  });
const texts = () => [...host.children].map((row) => row.querySelector('code')?.textContent ?? 'other');

beforeEach(() => {
  vi.useFakeTimers();
  host = document.createElement('div');
  made.length = 0;
  painter = new Painter(() => {
    const other = { root: document.createElement('article'), show: vi.fn(), destroy: vi.fn() };
    made.push(other);
    return other;
  });
});
afterEach(() => vi.useRealTimers());

describe('Painter', () => {
  it('keeps the rows in order after any scroll', () => {
    draw(lines.slice(10, 20), 10);
    draw(lines.slice(5, 15), 5);
    draw(lines.slice(8, 22), 8);
    expect(texts()).toEqual(Array.from({ length: 14 }, (_, at) => `line ${at + 8}`));
    expect([...host.children].map((row) => (row as HTMLElement).dataset.row)).toEqual(
      Array.from({ length: 14 }, (_, at) => String(at + 8)),
    );
  });

  it('leaves visible rows unchanged and reuses the elements of removed rows', () => {
    draw(lines.slice(0, 10));
    const before = [...host.children];
    draw(lines.slice(3, 13), 3);
    const after = [...host.children];
    expect(after.slice(0, 7)).toEqual(before.slice(3));
    expect(new Set(after.slice(7))).toEqual(new Set(before.slice(0, 3)));
  });

  it('never reuses the element of a card, because its input belongs to one card', () => {
    const card: Row = { kind: 'card', file: 0, id: 'a' };
    draw([lines[0]!, card, lines[1]!]);
    expect(measures.watch).toHaveBeenCalledWith(made[0]!.root, 'ca', 1);
    draw([lines[0]!, lines[1]!, { kind: 'card', file: 0, id: 'b' }]);
    expect(made[0]!.destroy).toHaveBeenCalled();
    expect(made).toHaveLength(2);
    expect(measures.forget).toHaveBeenCalledWith(made[0]!.root);
  });

  it('draws colours only after scrolling rests', () => {
    const coloured = () => host.querySelectorAll('.s-keyword').length;
    draw(lines.slice(0, 40));
    expect(coloured()).toBe(40);
    draw(lines.slice(100, 140), 100);
    draw(lines.slice(200, 240), 200);
    expect(texts()[0]).toBe('line 200');
    expect(coloured()).toBe(0);
    vi.advanceTimersByTime(200);
    expect(coloured()).toBe(40);
    draw(lines.slice(0, 40));
    draw(lines.slice(100, 140), 100);
    draw(lines.slice(200, 240), 200);
    // A slow step after fast ones: when scrolling rests, the last rows are shown with colours.
    draw(lines.slice(203, 243), 203);
    vi.advanceTimersByTime(200);
    expect(texts()[0]).toBe('line 203');
    expect(coloured()).toBe(40);
    draw(lines.slice(200, 240), 200);
    // A slow step always has colours.
    draw(lines.slice(203, 243), 203);
    expect(coloured()).toBe(40);
  });

  it('draws a missing side as void, also in a new element', () => {
    draw([{ kind: 'pair', file: 0, left: null, right: line(0) }]);
    const [left, right] = host.querySelectorAll('.half');
    expect(left!.className).toBe('half void');
    expect(right!.className).toBe('half right same');
  });

  it('accepts fewer and higher rows during a fast scroll', () => {
    const coloured = () => host.querySelectorAll('.s-keyword').length;
    draw(lines.slice(0, 20));
    draw(lines.slice(10, 30), 10);
    draw(lines.slice(20, 40), 20);
    expect(coloured()).toBeLessThan(20);
    vi.advanceTimersByTime(200);
    expect(coloured()).toBe(20);
  });

  it('shows nothing of the earlier line of a reused element', () => {
    const marked: Row = {
      kind: 'line',
      file: 0,
      line: { ...line(1), kind: '+', old: null, noEol: true, mate: { ...line(1, 'line x'), kind: '-' } },
    };
    const chosen = { ...plainAppearance, isChosen: () => true, coverageOf: () => 'cut' as const };
    draw([marked], 1, chosen);
    const element = host.firstElementChild!;
    draw([lines[5]!], 5);
    expect(host.firstElementChild).toBe(element);
    expect(element.className).toBe('diff-line same');
    expect(element.querySelector('code')!.outerHTML).not.toContain('differs');
    expect(element.querySelector<HTMLElement>('code')!.dataset.after).toBeUndefined();
    expect([...element.querySelectorAll('.no')].map((no) => no.textContent)).toEqual(['6', '6']);
    expect(element.querySelector('.cover')!.className.trim()).toBe('cover');
    expect(element.outerHTML).not.toContain('title="O');
  });
});
