// Finding text in the lines of a change.
import { gapKey, noGap, type Gaps } from './gaps';
import type { Line, Loaded } from './lines';
import type { Span } from './segments';

/** More places than this are not listed. */
export const MAX_MATCHES = 10_000;

/** How a text is looked for: capitals count as soon as one is typed. */
export function pattern(typed: string): RegExp | null {
  if (typed === '') return null;
  const plain = typed.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(plain, /\p{Lu}/u.test(typed) ? 'gu' : 'giu');
}

/** Where it stands in a line. */
export function matchSpans(text: string, wanted: RegExp): Span[] {
  wanted.lastIndex = 0;
  return [...text.matchAll(wanted)].map((found) => [found.index, found.index + found[0].length] as const);
}

/** A place in the change. */
export interface Match {
  line: Line;
  /** Which of the line's places it is. */
  at: number;
}

/** Every place, in the order of the lines. */
export function findAll(loaded: Loaded, gaps: Gaps, wanted: RegExp | null): Match[] {
  const all: Match[] = [];
  if (!wanted) return all;
  const look = (lines: readonly Line[]): void => {
    for (const line of lines) {
      if (all.length >= MAX_MATCHES) return;
      wanted.lastIndex = 0;
      if (wanted.test(line.text)) matchSpans(line.text, wanted).forEach((_, at) => all.push({ line, at }));
    }
  };
  loaded.hunks.forEach((hunks, file) => {
    hunks.forEach((hunk, index) => {
      const gap = gaps.get(gapKey(file, index)) ?? noGap;
      look(gap.above);
      look(gap.below);
      look(hunk.lines);
    });
    look((gaps.get(gapKey(file, hunks.length)) ?? noGap).above);
  });
  return all.slice(0, MAX_MATCHES);
}
