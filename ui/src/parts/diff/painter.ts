// Draws the rows in view: lines as plain elements that are used again, all else as the view makes it.
import { rowKey, type Row } from '../../pure/rows';
import type { Measures } from '../measures';
import { LineElement, type Look } from './line';

/** A row that is no line, as the view shows it. */
export interface OtherRow {
  readonly root: HTMLElement;
  /** Shows another row of the same kind. */
  show(row: Row): void;
  destroy(): void;
}

export interface Drawing {
  rows: readonly Row[];
  /** The index of the first one. */
  from: number;
  look: Look;
  varies: (row: Row) => boolean;
  measures: Measures;
}

interface Entry {
  kind: Row['kind'];
  root: HTMLElement;
  line: LineElement | null;
  other: OtherRow | null;
  watched: boolean;
  /** Whether a line is shown as its text alone for now. */
  plain: boolean;
}

/** Elements that are kept for later, of each kind. */
const SPARE = 150;
/** As many new rows at once are a fast scroll. */
const MANY = 15;
/** After so long without, it rests. */
const REST_MS = 80;
/** Kinds that show nothing of their own state, so that they may show another row. */
const again: ReadonlySet<Row['kind']> = new Set(['line', 'pair', 'file', 'hunk', 'tail']);

export class Painter {
  #host: HTMLElement | null = null;
  #entries = new Map<string, Entry>();
  #spare = new Map<Row['kind'], Entry[]>();
  #make: (row: Row) => OtherRow;
  #fastAt = -Infinity;
  #resting: ReturnType<typeof setTimeout> | undefined;

  constructor(make: (row: Row) => OtherRow) {
    this.#make = make;
  }

  draw(host: HTMLElement, drawing: Drawing): void {
    if (host !== this.#host) this.clear();
    this.#host = host;
    const { rows, from, look, varies, measures } = drawing;
    const wanted = new Map(rows.map((row) => [rowKey(row), row]));
    const flies = this.#flies(wanted, () => this.draw(host, drawing));
    for (const [key, entry] of this.#entries) {
      if (wanted.get(key)?.kind === entry.kind) continue;
      if (entry.watched) measures.forget(entry.root);
      this.#entries.delete(key);
      this.#release(entry);
    }
    let next = host.firstChild;
    let index = from;
    for (const [key, row] of wanted) {
      let entry = this.#entries.get(key);
      if (!entry) {
        entry = this.#take(row);
        entry.plain = flies;
        this.#entries.set(key, entry);
      }
      entry.plain &&= flies;
      if (entry.line) {
        if (row.kind === 'pair') entry.line.show(row.left, row.right, index, look, entry.plain);
        else if (row.kind === 'line') entry.line.show(null, row.line, index, look, entry.plain);
      } else entry.other!.show(row);
      if (next === entry.root) next = next.nextSibling;
      else host.insertBefore(entry.root, next);
      if (varies(row)) measures.watch(entry.root, key, index);
      else if (entry.watched) measures.forget(entry.root);
      entry.watched = varies(row);
      index += 1;
    }
  }

  /**
   * Whether so many new rows come one frame after the other that nobody reads them: they are their text alone
   * until the scroll rests.
   */
  #flies(wanted: ReadonlyMap<string, Row>, again: () => void): boolean {
    let fresh = 0;
    for (const key of wanted.keys()) if (!this.#entries.has(key)) fresh += 1;
    if (fresh <= MANY) return this.#resting !== undefined;
    const now = performance.now();
    const first = now - this.#fastAt > REST_MS;
    this.#fastAt = now;
    if (first) return false;
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => {
      this.#resting = undefined;
      again();
    }, REST_MS);
    return true;
  }

  /** Takes everything away. */
  clear(): void {
    clearTimeout(this.#resting);
    this.#resting = undefined;
    const all = [...this.#entries.values(), ...[...this.#spare.values()].flat()];
    this.#entries.clear();
    this.#spare.clear();
    for (const entry of all) {
      entry.root.remove();
      entry.other?.destroy();
    }
  }

  #take(row: Row): Entry {
    const spare = this.#spare.get(row.kind)?.pop();
    if (spare) return spare;
    const isLine = row.kind === 'line' || row.kind === 'pair';
    const line = isLine ? new LineElement(row.kind === 'pair') : null;
    const other = isLine ? null : this.#make(row);
    return { kind: row.kind, root: (line ?? other)!.root, line, other, watched: false, plain: false };
  }

  #release(entry: Entry): void {
    entry.root.remove();
    entry.watched = false;
    const spare = this.#spare.get(entry.kind) ?? [];
    if (!again.has(entry.kind) || spare.length >= SPARE) return entry.other?.destroy();
    spare.push(entry);
    this.#spare.set(entry.kind, spare);
  }
}
