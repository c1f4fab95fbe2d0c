// In: a line's text, its colours and the part that differs from its mate. Out: pieces to put into the page.

/** A piece of a line: its text, its syntax class, whether it differs. */
export interface Segment {
  text: string;
  type: string;
  differs: boolean;
}

/** From (inclusive) and to (exclusive), in UTF-16 units. */
export type Span = readonly [from: number, to: number];

/** Cuts a line at the borders of its colours (`[length, class, …]`) and of the part that differs. */
export function segmentsOf(
  text: string,
  colours: readonly number[],
  names: readonly string[],
  differs: Span | null,
): Segment[] {
  const segments: Segment[] = [];
  const push = (from: number, to: number, type: string) => {
    if (from >= to) return;
    if (!differs) return void segments.push({ text: text.slice(from, to), type, differs: false });
    const cuts = [from, clamp(differs[0], from, to), clamp(differs[1], from, to), to];
    cuts.slice(1).forEach((end, i) => {
      const start = cuts[i]!;
      if (start < end) segments.push({ text: text.slice(start, end), type, differs: i === 1 });
    });
  };
  let at = 0;
  for (let i = 0; i + 1 < colours.length && at < text.length; i += 2) {
    const end = Math.min(at + colours[i]!, text.length);
    push(at, end, names[colours[i + 1]!] ?? '');
    at = end;
  }
  push(at, text.length, '');
  return segments;
}

const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

/** What is between the equal beginning and the equal end of two lines; null if too little is equal to be worth it. */
export function differingSpan(text: string, mate: string): Span | null {
  const shorter = Math.min(text.length, mate.length);
  let start = 0;
  while (start < shorter && text[start] === mate[start]) start++;
  let end = 0;
  while (end < shorter - start && text[text.length - 1 - end] === mate[mate.length - 1 - end]) end++;
  const equal = text.slice(0, start).trimStart().length + end;
  if (equal * 3 < Math.max(text.trim().length, 1) || (start === text.length && text === mate)) return null;
  return start < text.length - end ? wholeWords(text, start, text.length - end) : null;
}

/** Widened to whole words, so that `getName` → `getNames` does not mark a lone letter. */
function wholeWords(text: string, from: number, to: number): Span {
  const word = /[\p{L}\p{N}_]/u;
  let start = from;
  let end = to;
  while (start > 0 && word.test(text[start]!) && word.test(text[start - 1]!)) start--;
  while (end < text.length && word.test(text[end - 1]!) && word.test(text[end]!)) end++;
  return [start, end];
}
