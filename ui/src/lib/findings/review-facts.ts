// Facts about a review as pairs of name and value.
import type { AgentResult, ReviewView } from '../../rpc/types.gen';
import { count, dollars, duration, moment, plural } from '../text/format';

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
  if (!isReviewed(view)) return [['Not reviewed', `your own findings, since ${moment(created_at)}`]];
  const several = meta.agents ?? [];
  const all: [string, string | null | undefined][] = [
    ['Reviewed', moment(created_at)],
    ['Agent', titleOf(meta.agent) + (meta.model ? `, ${meta.model}` : '')],
    [
      'Duration',
      `${duration(meta.timings.total_ms)}${meta.attempts > 1 ? `, ${meta.attempts} attempts` : ''}`,
    ],
    [
      'Tokens',
      tokens
        ? `${count(tokens.input)} read (${count(tokens.cached_input)} from the cache), ${count(tokens.output)} written`
        : null,
    ],
    ['Cost', meta.cost_usd ? dollars(meta.cost_usd) : null],
    ...(several.length > 1 ? several : []).map((one): [string, string] => [titleOf(one.name), resultOf(one)]),
    ['Coverage', meta.coverage],
    ['Answer read as', meta.read_as],
    [
      'Commits',
      meta.head_sha ? `${meta.base_sha?.slice(0, 10) ?? 'nothing'} → ${meta.head_sha.slice(0, 10)}` : null,
    ],
    ['Run folder', run_dir],
  ];
  return all.filter((fact): fact is [string, string] => Boolean(fact[1]));
}

function resultOf(one: AgentResult): string {
  if (one.findings == null) return one.error ?? 'No review.';
  const tokens = one.token_usage ? `, ${count(one.token_usage.input + one.token_usage.output)} tokens` : '';
  return `${plural(one.findings, 'finding')}${tokens}${one.cost_usd ? `, ${dollars(one.cost_usd)}` : ''}`;
}
