// The number of runs that found a finding, and the agreement of an agent's runs.
import type { RunCount, RunsResult } from '../../rpc/types.gen';
import { findingsTexts } from '../texts/findings';

/** `3 of 3 runs`, or with the agents if there are several: `claude: 2 of 2 runs, one run failed; gemini: 1 of 3 runs`. */
export function runsText(counts: readonly RunCount[]): string {
  const one = ({ found, of, failed = 0 }: RunCount) =>
    findingsTexts.card.runs(found, of) + (failed > 0 ? findingsTexts.card.failedRuns(failed) : '');
  if (counts.length === 1) return one(counts[0]!);
  return counts.map((count) => `${count.agent}: ${one(count)}`).join('; ');
}

/** `2 of 3 runs answered, 1 of 4 findings in every run, pairwise agreement 44%`. */
export function agreementText({
  answered,
  failed = [],
  findings,
  in_every_run,
  agreement,
}: RunsResult): string {
  const percent = agreement == null ? null : Math.round(agreement * 100);
  return findingsTexts.facts.agreement(answered, answered + failed.length, in_every_run, findings, percent);
}
