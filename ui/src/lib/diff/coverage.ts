// Converts the core's coverage map to a lookup by line, and to counts.
import type { Coverage, CoverageMap, FileCoverage, HunkCoverage } from '../../rpc/types.gen';
import { diffTexts } from '../texts/diff';

export const coverages: readonly Coverage[] = ['sent', 'folded', 'redacted', 'cut', 'ignored'];

/** The name and meaning of each coverage state, for the legend. */
export const coverageWords: Record<Coverage, { name: string; meaning: string }> = {
  sent: { name: diffTexts.coverage.sent, meaning: diffTexts.coverage.sentMeaning },
  redacted: { name: diffTexts.coverage.masked, meaning: diffTexts.coverage.maskedMeaning },
  folded: { name: diffTexts.coverage.folded, meaning: diffTexts.coverage.foldedMeaning },
  cut: { name: diffTexts.coverage.overLimit, meaning: diffTexts.coverage.overLimitMeaning },
  ignored: { name: diffTexts.coverage.notReviewed, meaning: diffTexts.coverage.notReviewedMeaning },
};

export type CoverageOf = (path: string, hunk: number, line: number) => Coverage | null;

/** Returns a function that looks up a line by path, hunk and index in the hunk. */
export function coverageLookup(map: CoverageMap): CoverageOf {
  const files = new Map(map.files.map((file) => [file.path, file]));
  return (path, hunk, line) => {
    const file = files.get(path);
    const found = file?.hunks[hunk];
    return found ? inRuns(found, line) : (file?.state ?? null);
  };
}

function inRuns({ runs }: HunkCoverage, line: number): Coverage | null {
  let end = 0;
  for (const run of runs) {
    end += run.lines;
    if (line < end) return run.state;
  }
  return null;
}

/** Counts the lines of the whole change by coverage state. */
export function countCoverage(map: CoverageMap): Record<Coverage, number> {
  const counts = { sent: 0, folded: 0, redacted: 0, cut: 0, ignored: 0 };
  for (const file of map.files) {
    for (const hunk of file.hunks) for (const run of hunk.runs) counts[run.state] += run.lines;
  }
  return counts;
}

/** Returns the mark of a file in the list. Null for a file that is sent completely and unmasked. */
export function fileMark(
  file: FileCoverage | undefined,
): 'over limit' | 'partly over limit' | 'not reviewed' | 'masked' | null {
  if (!file || file.state === 'sent' || file.state === 'folded') return null;
  if (file.state === 'ignored') return diffTexts.mark.notReviewed;
  if (file.state === 'redacted') return diffTexts.mark.masked;
  const seen = file.hunks.some((hunk) =>
    hunk.runs.some((run) => run.state === 'sent' || run.state === 'redacted'),
  );
  return seen ? diffTexts.mark.partlyOverLimit : diffTexts.mark.overLimit;
}
