// Draws the visible rows. Elements of lines are reused; other rows are created by the view.
import { rowKey, type Row } from '../../lib/diff/rows';
import type { RowMeasurer } from '../base/row-measurer';
import { LineElement, type LineAppearance } from './line';

/** The component of a row that is not a line. */
export interface MountedRow {
  readonly root: HTMLElement;
  /** Shows another row of the same kind, or the same row with another height in px. */
  show(row: Row, height: number): void;
  destroy(): void;
}

export interface Drawing {
  rows: readonly Row[];
  /** The index of the first row. */
  from: number;
  appearance: LineAppearance;
  /** The estimated height of a row, in px. */
  heightOf: (row: Row) => number;
  varies: (row: Row) => boolean;
  measures: RowMeasurer;
}

interface Entry {
  /** The key of the row. */
  key: string;
  kind: Row['kind'];
  root: HTMLElement;
  line: LineElement | null;
  other: MountedRow | null;
  watched: boolean;
  /** Whether a line is shown without colours and marks for now. */
  plain: boolean;
  /** Whether the current drawing contains the entry. Used only while drawing. */
  drawn: boolean;
}

/** The maximum number of unused elements for each kind. */
const MAX_SPARE = 150;
/** The share of new rows in one drawing from which scrolling counts as fast. It is low because fewer rows are drawn where lines wrap. */
const FAST_SHARE = 1 / 6;
/** The time without fast steps after which scrolling counts as resting, in milliseconds. */
const REST_MS = 80;
/** Kinds of rows without state, whose elements can show another row. */
const stateless: ReadonlySet<Row['kind']> = new Set([
  'line',
  'pair',
  'file',
  'hunk',
  'tail',
  'fold',
  'chapter',
]);

export class Painter {
  #host: HTMLElement | null = null;
  #last: Drawing | null = null;
  #entries = new Map<Row, Entry>();
  #spare = new Map<Row['kind'], Entry[]>();
  #make: (row: Row, height: number) => MountedRow;
  #fastAt = -Infinity;
  #resting: ReturnType<typeof setTimeout> | undefined;

  constructor(make: (row: Row, height: number) => MountedRow) {
    this.#make = make;
  }

  draw(host: HTMLElement, drawing: Drawing): void {
    if (host !== this.#host) this.clear();
    this.#host = host;
    this.#last = drawing;
    const { rows, from, appearance, heightOf, varies, measures } = drawing;
    const before = this.#entries;
    const entries = this.#reuse(rows);
    const fast = this.#isFast(rows.length - entries.size > rows.length * FAST_SHARE);
    for (const entry of before.values()) {
      if (entry.drawn) continue;
      if (entry.watched) measures.forget(entry.root);
      this.#release(entry);
    }
    this.#entries = new Map();
    let next = host.firstChild;
    rows.forEach((row, at) => {
      const entry = entries.get(row) ?? this.#take(row, heightOf, fast);
      this.#entries.set(row, entry);
      entry.drawn = false;
      entry.plain &&= fast;
      const may = varies(row);
      if (row.kind === 'pair') entry.line!.show(row.left, row.right, from + at, appearance, entry.plain, may);
      else if (row.kind === 'line') entry.line!.show(null, row.line, from + at, appearance, entry.plain, may);
      else entry.other!.show(row, heightOf(row));
      if (next === entry.root) next = next.nextSibling;
      else host.insertBefore(entry.root, next);
      if (may) measures.watch(entry.root, entry.key, from + at);
      else if (entry.watched) measures.forget(entry.root);
      entry.watched = may;
    });
  }

  /** Returns the entries that exist for these rows: the entries of the same rows, or of rows with the same key after a rebuild. */
  #reuse(rows: readonly Row[]): Map<Row, Entry> {
    const reused = new Map<Row, Entry>();
    const missing: Row[] = [];
    for (const row of rows) {
      const entry = this.#entries.get(row);
      if (entry) reused.set(row, entry);
      else missing.push(row);
      if (entry) entry.drawn = true;
    }
    if (missing.length === 0) return reused;
    const others = new Map<string, Entry>();
    for (const entry of this.#entries.values()) if (!entry.drawn) others.set(entry.key, entry);
    for (const row of missing) {
      const entry = others.get(rowKey(row));
      if (entry?.kind !== row.kind) continue;
      entry.drawn = true;
      reused.set(row, entry);
    }
    return reused;
  }

  /**
   * Returns whether two drawings with many new rows follow each other quickly. Lines are then drawn without colours until scrolling
   * rests.
   */
  #isFast(manyNew: boolean): boolean {
    if (!manyNew) return this.#resting !== undefined;
    const now = performance.now();
    const first = now - this.#fastAt > REST_MS;
    this.#fastAt = now;
    if (first) return false;
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => {
      this.#resting = undefined;
      if (this.#host && this.#last) this.draw(this.#host, this.#last);
    }, REST_MS);
    return true;
  }

  /** Removes all elements. */
  clear(): void {
    clearTimeout(this.#resting);
    this.#resting = undefined;
    this.#last = null;
    const all = [...this.#entries.values(), ...[...this.#spare.values()].flat()];
    this.#entries.clear();
    this.#spare.clear();
    for (const entry of all) {
      entry.root.remove();
      entry.other?.destroy();
    }
  }

  #take(row: Row, heightOf: Drawing['heightOf'], plain: boolean): Entry {
    const key = rowKey(row);
    const spare = this.#spare.get(row.kind)?.pop();
    if (spare) return Object.assign(spare, { key, plain });
    const isLine = row.kind === 'line' || row.kind === 'pair';
    const line = isLine ? new LineElement(row.kind === 'pair') : null;
    const other = isLine ? null : this.#make(row, heightOf(row));
    return {
      key,
      kind: row.kind,
      root: (line ?? other)!.root,
      line,
      other,
      watched: false,
      plain,
      drawn: false,
    };
  }

  #release(entry: Entry): void {
    entry.root.remove();
    entry.watched = false;
    const spare = this.#spare.get(entry.kind) ?? [];
    if (!stateless.has(entry.kind) || spare.length >= MAX_SPARE) return entry.other?.destroy();
    spare.push(entry);
    this.#spare.set(entry.kind, spare);
  }
}
