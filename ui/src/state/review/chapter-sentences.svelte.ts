// The agents' sentences about the chapters of the reading order.
import type { ChapterSentence, CheckedQuote } from '../../rpc/types.gen';
import { change } from '../change/change.svelte';
import { fileOn, revealPlace } from '../change/places';
import { reading } from '../change/reading.svelte';
import { review } from './review.svelte';

/** Returns the index of the chapter whose hunks contain the first line of quoted code, or -1. */
function chapterOf({ path, line_start, side }: CheckedQuote): number {
  const file = fileOn(path, side);
  const hunks = change.loaded.hunks[file] ?? [];
  const hunk = hunks.findIndex(({ lines }) => lines.some((line) => line[side] === line_start));
  const chapters = reading.view?.chapters ?? [];
  return hunk < 0
    ? -1
    : chapters.findIndex(({ steps }) =>
        steps.some((step) => step.hunk.file === file && step.hunk.hunk === hunk),
      );
}

class ChapterSentences {
  /** The first sentence about each chapter. */
  readonly byChapter = $derived.by((): ReadonlyMap<number, ChapterSentence> => {
    const found: [number, ChapterSentence][] = [];
    for (const sentence of change.complete ? (review.view?.chapters ?? []) : []) {
      const chapter = sentence.evidence[0] ? chapterOf(sentence.evidence[0]) : -1;
      if (chapter >= 0) found.push([chapter, sentence]);
    }
    return new Map(found.reverse());
  });

  /** Shows the code that a sentence quotes. */
  show(sentence: ChapterSentence | null): void {
    const quote = sentence?.evidence[0];
    if (quote) void revealPlace(quote.path, quote.line_start, quote.side);
  }
}

export const chapterSentences = new ChapterSentences();
