// Counts the requirements of the authors, and steps through their evidence.
import type { CheckedQuote, IntentVerdict, Requirement } from '../../rpc/types.gen';

/** All verdicts, those that need attention first. */
export const intentVerdicts: readonly IntentVerdict[] = ['contradicted', 'not_found', 'met'];

export function countRequirements(requirements: readonly Requirement[]): Record<IntentVerdict, number> {
  const counts = { contradicted: 0, not_found: 0, met: 0 };
  for (const one of requirements) counts[one.verdict] += 1;
  return counts;
}

/** Returns the requirements, those that need attention first. */
export const byAttention = (requirements: readonly Requirement[]): Requirement[] =>
  intentVerdicts.flatMap((verdict) => requirements.filter((one) => one.verdict === verdict));

/** Returns the evidence of all requirements in the order in which they are listed. */
export const allEvidence = (requirements: readonly Requirement[]): CheckedQuote[] =>
  byAttention(requirements).flatMap((one) => one.evidence ?? []);

/** Returns the place as text, for example `src/a.rs:3–5`. */
export const quotePlace = ({ path, line_start: from, line_end: to }: CheckedQuote): string =>
  `${path}:${from}${to > from ? `–${to}` : ''}`;
