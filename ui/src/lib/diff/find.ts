// Searches text in the lines of a change.
import { gapKey, noGap, type Gaps } from './gaps';
import { MAX_LINE_LENGTH, type Line, type Loaded } from './lines';
import type { Span } from './segments';

/** The maximum number of matches. */
export const MAX_MATCHES = 100_000;

/** Returns the pattern for a typed text. The search ignores case unless the text contains a capital letter. */
export function pattern(typed: string): RegExp | null {
  if (typed === '') return null;
  const plain = typed.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(plain, /\p{Lu}/u.test(typed) ? 'gu' : 'giu');
}

/** Returns the spans of all matches in a line. */
export function matchSpans(text: string, wanted: RegExp): Span[] {
  wanted.lastIndex = 0;
  return [...text.matchAll(wanted)].map((found) => [found.index, found.index + found[0].length] as const);
}

/** A match in the change. */
export interface Match {
  line: Line;
  /** The index of the match among those of its line. */
  at: number;
  /** Whether the match is not, or not whole, in the shown part of its line. */
  cut: boolean;
}

/** Returns all matches, in the order of the lines. */
export function findAll(loaded: Loaded, gaps: Gaps, wanted: RegExp | null): Match[] {
  const all: Match[] = [];
  if (!wanted) return all;
  const search = (lines: readonly Line[]): void => {
    for (const line of lines) {
      if (all.length >= MAX_MATCHES) return;
      wanted.lastIndex = 0;
      if (wanted.test(line.text)) {
        matchSpans(line.text, wanted).forEach(([, end], at) =>
          all.push({ line, at, cut: end > MAX_LINE_LENGTH }),
        );
      }
    }
  };
  loaded.hunks.forEach((hunks, file) => {
    hunks.forEach((hunk, index) => {
      const gap = gaps.get(gapKey(file, index)) ?? noGap;
      search(gap.above);
      search(gap.below);
      search(hunk.lines);
    });
    search((gaps.get(gapKey(file, hunks.length)) ?? noGap).above);
  });
  return all.slice(0, MAX_MATCHES);
}

/** Returns the number of matches that the diff does not show, because their lines are cut. */
export const countCut = (matches: readonly Match[]): number =>
  matches.reduce((sum, { cut }) => sum + Number(cut), 0);

/** Returns the number of lines of the hunks whose end cannot be searched, because the core sent only their beginning. */
export function partlySearched({ hunks }: Loaded): number {
  let count = 0;
  for (const file of hunks) {
    for (const hunk of file) for (const line of hunk.lines) if (line.bytes !== null) count++;
  }
  return count;
}
