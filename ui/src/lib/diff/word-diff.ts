// Word diff of two lines: the spans of one line that differ from the other.
import type { Span } from './segments';

/** The maximum number of words to compare. Longer lines are compared only at both ends. */
const MAX_WORDS = 300;
/** A word, blanks, an emoji with all its parts, or another character. */
const WORDS =
  /[\p{L}\p{N}_]+|\s+|\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?(?:\u200d\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)*|[^\p{L}\p{N}_\s]/gu;

interface Word {
  text: string;
  at: number;
}

/**
 * Returns the parts of `text` that differ from `mate`, word by word. Empty if nothing differs, or if the lines have too little in
 * common (less than two fifths of the text without blanks).
 */
export function differingWords(text: string, mate: string): Span[] {
  if (text === mate) return [];
  const mine = words(text);
  const other = words(mate);
  let start = 0;
  const least = Math.min(mine.length, other.length);
  while (start < least && mine[start]!.text === other[start]!.text) start++;
  let end = 0;
  while (end < least - start && mine.at(-1 - end)!.text === other.at(-1 - end)!.text) end++;
  const common = commonWords(mine.slice(start, mine.length - end), other.slice(start, other.length - end));
  const differing = mine.slice(start, mine.length - end).filter((_, index) => !common.has(index));
  const size = (all: Word[]) => all.reduce((sum, word) => sum + word.text.trim().length, 0);
  const whole = size(mine);
  if ((whole - size(differing)) * 5 < Math.max(whole, 1) * 2) return [];
  return joined(differing, text);
}

const words = (text: string): Word[] =>
  [...text.matchAll(WORDS)].map((found) => ({ text: found[0], at: found.index }));

/** Returns the indices of the words of `mine` in a longest common subsequence. Blanks have less weight than words. */
function commonWords(mine: Word[], other: Word[]): Set<number> {
  const common = new Set<number>();
  const [rows, columns] = [mine.length, other.length];
  if (rows === 0 || columns === 0 || rows > MAX_WORDS || columns > MAX_WORDS) return common;
  const wide = columns + 1;
  const lengths = new Uint32Array((rows + 1) * wide);
  const weight = (word: Word) => (word.text.trim() === '' ? 1 : 2 + word.text.length);
  for (let i = rows - 1; i >= 0; i--)
    for (let j = columns - 1; j >= 0; j--) {
      const both = mine[i]!.text === other[j]!.text ? weight(mine[i]!) + lengths[(i + 1) * wide + j + 1]! : 0;
      lengths[i * wide + j] = Math.max(both, lengths[(i + 1) * wide + j]!, lengths[i * wide + j + 1]!);
    }
  for (let i = 0, j = 0; i < rows && j < columns;) {
    const here = lengths[i * wide + j]!;
    if (mine[i]!.text === other[j]!.text && here === weight(mine[i]!) + lengths[(i + 1) * wide + j + 1]!) {
      common.add(i);
      i++;
      j++;
    } else if (here === lengths[(i + 1) * wide + j]) i++;
    else j++;
  }
  return common;
}

/** Joins adjacent spans, and spans with a single blank between them. */
function joined(differing: Word[], text: string): Span[] {
  const spans: [number, number][] = [];
  for (const { text: word, at } of differing) {
    const last = spans.at(-1);
    if (last && text.slice(last[1], at).trim() === '' && at - last[1] <= 1) last[1] = at + word.length;
    else spans.push([at, at + word.length]);
  }
  return spans.filter(([from, to]) => text.slice(from, to).trim() !== '' || to - from > 0);
}
