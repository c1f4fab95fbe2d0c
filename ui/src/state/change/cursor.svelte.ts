// The selected lines of the diff, by keyboard or mouse.
import type { Line } from '../../lib/diff/lines';
import { keyOfLine, rowKey, type Row } from '../../lib/diff/rows';
import type { Side } from '../../rpc/types.gen';
import { desk } from '../desk/desk.svelte';
import { openChange } from './open-change.svelte';
import { prefs } from '../app/prefs.svelte';
import { rows } from './rows.svelte';
import type { LineRange } from '../../lib/findings/finding-words';

class Cursor {
  #anchor = $state.raw<Line | null>(null);
  #head = $state.raw<Line | null>(null);
  #side = $state<Side>('new');
  /** The side that the cursor moves along in split mode. */
  #along: Side = 'new';

  #range = $derived.by((): [number, number] | null => {
    const { mode } = prefs.values;
    if (!this.#anchor || !this.#head) return null;
    const [one, two] = [keyOfLine(this.#anchor, mode), keyOfLine(this.#head, mode)];
    const first = rows.all.findIndex((row) => isLine(row) && rowKey(row) === one);
    const last = one === two ? first : rows.all.findIndex((row) => isLine(row) && rowKey(row) === two);
    return first < 0 || last < 0 ? null : [Math.min(first, last), Math.max(first, last)];
  });

  /** The indices of the first and the last selected row. */
  get range(): readonly [number, number] | null {
    return this.#range;
  }

  /** The line that the cursor moved to last, if it is drawn. */
  get inView(): Line | null {
    const [first, last] = this.#range ?? [-1, -1];
    return last >= desk.visibleRows[0] && first <= desk.visibleRows[1] ? this.#head : null;
  }

  get any(): boolean {
    return this.#range !== null;
  }

  /** The side of the selection. */
  get side(): Side {
    return this.#side;
  }

  clear(): void {
    this.#anchor = this.#head = null;
  }

  /** Moves the cursor to a line, or extends the selection to it. */
  set(line: Line, side: Side, stretch: boolean): void {
    this.#along = side;
    this.#put(line, side, stretch);
  }

  #put(line: Line, side: Side, stretch: boolean): void {
    if (!stretch || this.#anchor?.file !== line.file || this.#side !== side) this.#anchor = line;
    this.#head = line;
    this.#side = side;
  }

  /** Moves to the next or previous line. Starts at the first visible line if the cursor is not in view. */
  step(by: 1 | -1, stretch: boolean): void {
    const all = rows.all;
    const start = stretch ? this.#head : this.inView;
    const head = start && keyOfLine(start, prefs.values.mode);
    const from = head === null ? -1 : all.findIndex((row) => isLine(row) && rowKey(row) === head);
    let at = from < 0 ? desk.topRow : from + by;
    const step = from < 0 ? 1 : by;
    let row = all[at];
    while (row && !isLine(row)) row = all[(at += step)];
    if (!row) return;
    const line = stretch ? lineOf(row, this.#side) : (lineOf(row, this.#along) ?? lineOf(row, 'old'));
    if (!line || (stretch && this.#anchor && line.file !== this.#anchor.file)) return;
    // An unchanged line is the same object on both sides.
    const old = line.kind === '-' || (row.kind === 'pair' && this.#along === 'old' && line === row.left);
    this.#put(line, stretch ? this.#side : old ? 'old' : 'new', stretch);
    desk.reveal = { key: rowKey(row), align: 'nearest' };
  }

  /** Moves to the first changed line of the next or previous hunk that shows its lines. */
  stepHunk(by: 1 | -1): void {
    const from = this.inView && this.#range ? this.#range[1] : desk.topRow;
    const starts = hunkStarts(rows.all);
    const at = by === 1 ? starts.find((start) => start > from) : starts.findLast((start) => start < from);
    const row = at === undefined ? undefined : rows.all[at];
    const line = row && isLine(row) ? (lineOf(row, 'new') ?? lineOf(row, 'old')) : null;
    if (!row || !line) return;
    this.set(line, line.kind === '-' ? 'old' : 'new', false);
    desk.reveal = { key: rowKey(row), align: 'center' };
  }

  /** Moves to the other side of the row. Later steps stay on that side. */
  cross(side: Side): void {
    const row = this.#range && rows.all[this.#range[1]];
    const line = row?.kind === 'pair' ? (side === 'old' ? row.left : row.right) : null;
    this.#along = side;
    if (line) this.#put(line, side, false);
  }

  /** The selected lines. In split mode, they are the lines of one side. */
  get lines(): Line[] {
    const range = this.#range;
    if (!range) return [];
    const chosen = rows.all.slice(range[0], range[1] + 1).flatMap((row) => {
      if (row.kind === 'line') return [row.line];
      if (row.kind !== 'pair') return [];
      const one = this.#side === 'old' ? row.left : row.right;
      return one ? [one] : [];
    });
    return chosen.filter((line) => line.file === this.#anchor?.file);
  }

  get place(): LineRange | null {
    const chosen = this.lines;
    const side: Side =
      chosen.every((line) => line.new === null) || (prefs.values.mode === 'split' && this.#side === 'old')
        ? 'old'
        : 'new';
    const numbers = chosen.map((line) => line[side]).filter((number) => number !== null);
    const path = openChange.view?.files[chosen[0]?.file ?? -1]?.path;
    if (!path || numbers.length === 0) return null;
    return { path, side, line_start: Math.min(...numbers), line_end: Math.max(...numbers) };
  }

  /** The text of the selected lines, on the side of `place`. Undefined if a line is shortened. */
  get quote(): string | undefined {
    const side = this.place?.side ?? 'new';
    const lines = this.lines.filter((line) => line[side] !== null);
    return lines.some((line) => line.bytes !== null) ? undefined : lines.map((line) => line.text).join('\n');
  }

  get text(): string {
    return this.lines.map((line) => line.text).join('\n');
  }
}

type LineRow = Extract<Row, { kind: 'line' | 'pair' }>;
const isLine = (row: Row): row is LineRow => row.kind === 'line' || row.kind === 'pair';
const lineOf = (row: LineRow, side: Side): Line | null =>
  row.kind === 'line' ? row.line : side === 'old' ? row.left : (row.right ?? row.left);

/** Returns the index of the first changed row of each hunk. */
function hunkStarts(all: readonly Row[]): number[] {
  let before = '';
  return all.flatMap((row, index) => {
    if (!isLine(row)) return [];
    const line = (row.kind === 'line' ? row.line : (row.right ?? row.left))!;
    const hunk = `${line.file} ${line.hunk}`;
    if (line.kind === ' ' || hunk === before) return [];
    before = hunk;
    return [index];
  });
}

export const cursor = new Cursor();

// Actions apply to the latest selection: lines, or a finding.
desk.onSelected = () => cursor.clear();
