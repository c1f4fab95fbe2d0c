// Facts about a review as pairs of name and value.
import type { AgentResult, ReviewView } from '../../rpc/types.gen';
import { dollars, moment } from '../text/format';
import { countOpinions } from './opinions';
import { describeSandbox } from '../text/sandbox';
import { agreementText } from './stability';
import { findingsTexts } from '../texts/findings';
import { opinionsTexts } from '../texts/opinions';

/** The agent of a review that contains only the user's findings. */
const REVIEWER = 'you';

/** Returns whether an agent made the review. */
export const isReviewed = (view: ReviewView | null): boolean => view !== null && view.meta.agent !== REVIEWER;

export function reviewFacts(
  view: ReviewView,
  titleOf: (agents: string) => string,
): [name: string, value: string][] {
  const { meta, tokens, created_at, run_dir } = view;
  // Without an agent, there are no tokens, costs or times.
  if (!isReviewed(view)) return [[findingsTexts.facts.notReviewed, findingsTexts.facts.own(created_at)]];
  const several = meta.agents ?? [];
  const all: [string, string | null | undefined][] = [
    [findingsTexts.facts.reviewed, moment(created_at)],
    [findingsTexts.facts.agent, titleOf(meta.agent) + (meta.model ? `, ${meta.model}` : '')],
    [findingsTexts.facts.duration, findingsTexts.facts.durationOf(meta.timings.total_ms, meta.attempts)],
    [
      findingsTexts.facts.tokens,
      tokens ? findingsTexts.facts.tokensOf(tokens.input, tokens.cached_input, tokens.output) : null,
    ],
    [findingsTexts.facts.cost, meta.cost_usd ? dollars(meta.cost_usd) : null],
    ...(several.length > 1 ? several : []).map((one): [string, string] => [titleOf(one.name), resultOf(one)]),
    ...several.map((one): [string, string | null] => [
      findingsTexts.facts.sandbox(several.length > 1 ? titleOf(one.name) : null),
      one.sandbox ? describeSandbox(one.sandbox) : null,
    ]),
    ...several.map((one): [string, string | null] => [
      findingsTexts.facts.stability(titleOf(one.name)),
      one.runs ? agreementText(one.runs) : null,
    ]),
    [opinionsTexts.opinion.title, opinionFact(view)],
    [findingsTexts.facts.coverage, meta.coverage],
    [findingsTexts.facts.reading, view.reading?.map((sentence) => `${sentence}.`).join(' ')],
    [
      findingsTexts.facts.commits,
      meta.head_sha
        ? `${meta.base_sha?.slice(0, 10) ?? findingsTexts.facts.nothing} → ${meta.head_sha.slice(0, 10)}`
        : null,
    ],
    [findingsTexts.facts.runFolder, run_dir],
  ];
  return all.filter((fact): fact is [string, string] => Boolean(fact[1]));
}

/** Returns the second opinions in numbers, and why some are missing. */
function opinionFact({ second_opinion: given, findings }: ReviewView): string | null {
  if (!given) return null;
  const { holds, refuted, unsure } = countOpinions(findings);
  const { unanswered = 0, left_out = 0, error } = given;
  const parts = [opinionsTexts.opinion.facts(holds, refuted, unsure)];
  if (unanswered > 0) parts.push(opinionsTexts.opinion.unanswered(unanswered));
  if (left_out > 0) parts.push(opinionsTexts.opinion.leftOut(left_out));
  if (error) parts.push(error);
  return parts.join('; ');
}

function resultOf(one: AgentResult): string {
  if (one.findings == null) return one.error ?? findingsTexts.facts.noReview;
  const { findings, token_usage: tokens, cost_usd } = one;
  return findingsTexts.facts.result(findings, tokens ? tokens.input + tokens.output : null, cost_usd ?? null);
}
