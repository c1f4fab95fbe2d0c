// Arithmetic of the virtual list: row heights and a scroll position give the visible rows.

/** The maximum height of an element that all supported browsers handle, in px. */
export const MAX_PX = 15_000_000;

/** Returns the start of each row, and the total height as the last entry. */
export function offsetsOf(count: number, heightOf: (index: number) => number): Float64Array {
  const offsets = new Float64Array(count + 1);
  let sum = 0;
  for (let index = 0; index < count; index++) {
    offsets[index] = sum;
    sum += heightOf(index);
  }
  offsets[count] = sum;
  return offsets;
}

/** Returns the offsets after some rows have changed their height. */
export function shiftOffsets(
  offsets: Float64Array,
  changed: readonly { index: number; height: number }[],
): Float64Array {
  const sorted = [...changed].sort((a, b) => a.index - b.index);
  const next = offsets.slice();
  let by = 0;
  for (let at = 0; at < sorted.length; at++) {
    const { index, height } = sorted[at]!;
    by += height - (offsets[index + 1]! - offsets[index]!);
    const until = sorted[at + 1]?.index ?? offsets.length - 1;
    for (let row = index + 1; row <= until; row++) next[row] = offsets[row]! + by;
  }
  return next;
}

/** Returns the row at a position: the last one that starts at or before it. */
export function rowAt(offsets: Float64Array, position: number): number {
  let low = 0;
  let high = Math.max(0, offsets.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (offsets[middle]! <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}

export interface Range {
  from: number;
  /** The end of the range, exclusive. */
  to: number;
}

/** Returns the rows that touch the view, extended by `over` px and then by a number of rows on both sides. */
export function rangeOf(
  offsets: Float64Array,
  top: number,
  height: number,
  over: number,
  extra: number,
): Range {
  const count = offsets.length - 1;
  if (count <= 0) return { from: 0, to: 0 };
  return {
    from: Math.max(0, rowAt(offsets, top - over) - extra),
    to: Math.min(count, rowAt(offsets, top + height + over) + 1 + extra),
  };
}

/** Converts between positions in the list and scroll positions. They are equal unless the list is higher than `MAX_PX`. */
export interface Scale {
  /** The height of the scrolled element. */
  px: number;
  toList(scrollTop: number): number;
  toScroll(position: number): number;
}

export function scaleOf(total: number, height: number): Scale {
  const px = Math.min(total, MAX_PX);
  const ratio = px < total ? (total - height) / (px - height) : 1;
  return {
    px,
    toList: (scrollTop) => scrollTop * ratio,
    toScroll: (position) => position / ratio,
  };
}

export type Align = 'start' | 'center' | 'nearest';

/** Returns the scroll position that shows a row. `nearest` moves only if the row is out of view, or covered by `headroom` px. */
export function revealPosition(
  offsets: Float64Array,
  index: number,
  top: number,
  height: number,
  align: Align,
  headroom = 0,
): number {
  const start = offsets[index] ?? 0;
  const end = offsets[index + 1] ?? start;
  const size = end - start;
  const most = Math.max(0, (offsets.at(-1) ?? 0) - height);
  const clamp = (position: number) => Math.min(Math.max(0, position), most);
  if (align === 'start') return clamp(start);
  if (align === 'center')
    return clamp(
      size > height - headroom ? start - headroom : start - Math.max(headroom, (height - size) / 3),
    );
  if (start < top + headroom) return clamp(start - headroom);
  if (end > top + height) return clamp(size > height - headroom ? start - headroom : end - height);
  return top;
}

/** Returns the index of the row with a key, or -1. The search begins at the index `near`. */
export function indexNear<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  key: string,
  near: number,
): number {
  for (let step = 0; step < rows.length; step++) {
    const [up, down] = [rows[near + step], rows[near - step]];
    if (up !== undefined && keyOf(up) === key) return near + step;
    if (down !== undefined && keyOf(down) === key) return near - step;
    if (near + step >= rows.length && near - step < 0) return -1;
  }
  return -1;
}

/** The rows of a list with the start of each, and the total height as the last entry. */
export interface Layout<Row> {
  rows: readonly Row[];
  offsets: Float64Array;
}

/**
 * Returns the scroll position in `now` at which the row at the top of `before` is at the top again. If it has been removed, the next
 * remaining row takes its place. Returns null if none of the next rows remains.
 */
export function anchoredTop<Row>(
  before: Layout<Row>,
  now: Layout<Row>,
  top: number,
  keyOf: (row: Row) => string,
): number | null {
  const { rows, offsets } = now;
  const first = rowAt(before.offsets, top);
  for (let index = first; index < Math.min(first + 30, before.rows.length); index++) {
    const key = keyOf(before.rows[index]!);
    const found = before.rows === rows ? index : indexNear(rows, keyOf, key, index);
    if (found < 0) continue;
    const inside =
      index === first ? Math.min(top - before.offsets[index]!, offsets[found + 1]! - offsets[found]!) : 0;
    return offsets[found]! + inside;
  }
  return null;
}
