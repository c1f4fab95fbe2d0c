// The second opinions on findings, for badges, the filter and the facts of a review.
import type { FindingView, OpinionVerdict } from '../../rpc/types.gen';

/** All verdicts, in the order in which the filter offers them. */
export const opinionVerdicts: readonly OpinionVerdict[] = ['refuted', 'unsure', 'holds'];

export function countOpinions(findings: readonly FindingView[]): Record<OpinionVerdict, number> {
  const counts = { refuted: 0, unsure: 0, holds: 0 };
  for (const { opinion } of findings) if (opinion) counts[opinion.verdict] += 1;
  return counts;
}
