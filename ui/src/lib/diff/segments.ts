// Splits a line's text at the borders of its colours and marks.

/** A span of UTF-16 units: start (inclusive) and end (exclusive). */
export type Span = readonly [from: number, to: number];

/** Spans with a name. Marks may overlap. */
export interface Mark {
  name: string;
  spans: readonly Span[];
}

/** A segment of a line: its text, its syntax class, and its marks. */
export interface Segment {
  text: string;
  type: string;
  marks: string;
}

/** Splits a line at the borders of its colours (`[length, class, …]`) and of its marks. */
export function segmentsOf(
  text: string,
  colours: readonly number[],
  names: readonly string[],
  marks: readonly Mark[] = [],
): Segment[] {
  const cuts = new Set([0, text.length]);
  const types: [number, number, string][] = [];
  let at = 0;
  for (let i = 0; i + 1 < colours.length && at < text.length; i += 2) {
    const end = Math.min(at + colours[i]!, text.length);
    types.push([at, end, names[colours[i + 1]!] ?? '']);
    cuts.add((at = end));
  }
  if (at < text.length) types.push([at, text.length, '']);
  for (const { spans } of marks)
    for (const [from, to] of spans) {
      cuts.add(Math.min(from, text.length));
      cuts.add(Math.min(to, text.length));
    }
  const borders = marks.length > 0 ? [...cuts].sort((a, b) => a - b) : null;
  if (!borders) return types.map(([from, to, type]) => ({ text: text.slice(from, to), type, marks: '' }));
  const segments: Segment[] = [];
  let which = 0;
  for (let i = 0; i + 1 < borders.length; i++) {
    const [from, to] = [borders[i]!, borders[i + 1]!];
    while (which + 1 < types.length && types[which]![1] <= from) which++;
    const on = marks.filter(({ spans }) => spans.some((span) => span[0] <= from && to <= span[1]));
    segments.push({
      text: text.slice(from, to),
      type: types[which]?.[2] ?? '',
      marks: on.map((mark) => mark.name).join(' '),
    });
  }
  return segments;
}
