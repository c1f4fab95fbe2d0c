// The marks of the overview ruler: places in the whole diff as shares of its height.
import { rowKey, type Row } from './rows';
import { diffTexts } from '../texts/diff';

export interface RulerMark {
  /** The key of the row. */
  key: string;
  /** A severity, `thread`, `match` or `viewed`. */
  kind: string;
  title: string;
  from: number;
  /** Equal to `from` for a mark of one row. */
  to: number;
}

/** A row to mark. */
export type MarkedRow = Pick<RulerMark, 'kind' | 'title'>;

/** The smallest distance between two marks of one kind, as a share of the height. Closer ones would only cover each other. */
const MIN_DISTANCE = 1 / 500;

/** The rows to mark by index. Computed once for an array of rows, because it reads all of them. */
export interface Marked {
  index: number;
  key: string;
  mark: MarkedRow;
  /** The index after the last row, for a mark of several rows. */
  end: number | null;
}

export function markedRows(
  rows: readonly Row[],
  ofCard: (id: string) => MarkedRow | null,
  isViewed: (file: number) => boolean,
  matches: ReadonlySet<string>,
): Marked[] {
  const all: Marked[] = [];
  let viewed: Marked | null = null;
  const add = (index: number, mark: MarkedRow): Marked => {
    const made = { index, key: rowKey(rows[index]!), mark, end: null };
    all.push(made);
    return made;
  };
  rows.forEach((row, index) => {
    if (row.kind === 'file') {
      if (viewed) viewed.end = index;
      viewed = isViewed(row.file) ? add(index, { kind: 'viewed', title: '' }) : null;
    } else if (row.kind === 'card') {
      const mark = ofCard(row.id);
      if (mark) add(index, mark);
    } else if (matches.size > 0 && matches.has(rowKey(row)))
      add(index, { kind: 'match', title: diffTexts.ruler.searchMatch });
  });
  if (viewed) (viewed as Marked).end = rows.length;
  return all;
}

/** Converts rows to places in the diff. `offsets` has the start of each row, and the total height as its last entry. */
export function rulerMarks(marked: readonly Marked[], offsets: Float64Array): RulerMark[] {
  const total = offsets.at(-1) ?? 0;
  if (total === 0) return [];
  const last = new Map<string, RulerMark>();
  return marked.flatMap(({ index, key, mark, end }) => {
    const from = (offsets[index] ?? total) / total;
    const to = end === null ? from : (offsets[end] ?? total) / total;
    const before = last.get(mark.kind);
    if (before && from - before.to < MIN_DISTANCE) {
      if (end !== null) before.to = to;
      return [];
    }
    const made = { ...mark, key, from, to };
    last.set(mark.kind, made);
    return [made];
  });
}
