// The ways to review a change that exceeds the limits of one prompt.
import type { Budget, BudgetOption, Limits } from '../rpc/types.gen';
import { reviewTexts } from './texts/review';

export type BudgetChoice = BudgetOption['choice'] | 'files';

/** The cost of sending a change once, to one agent. */
export interface Cost {
  prompts: number;
  tokens: number;
  dollars: number | null;
}

/** Returns a share in percent as text, rounded down. It is 0% only if there is nothing. */
export function percent(part: number, whole: number): string {
  if (whole === 0 || part >= whole) return '100%';
  if (part === 0) return '0%';
  const exact = (100 * part) / whole;
  return exact < 1 ? reviewTexts.budget.underOnePercent : `${Math.floor(exact)}%`;
}

/** `14 requests, 640k tokens, about $1.10`. `times` is the number of agents, multiplied by the runs of each. */
export function costText(cost: Cost, times: number): string {
  const money = cost.dollars === null ? null : cost.dollars * times;
  return reviewTexts.budget.cost(cost.prompts * times, cost.tokens * times, money);
}

export const costOf = (option: BudgetOption): Cost => ({
  prompts: option.prompts,
  tokens: option.tokens,
  dollars: option.cost_usd ?? null,
});

/** Returns the limits as text: `200,000 characters, 60 files`. */
export function limitsText(limits: Limits): string {
  const { max_diff_chars: chars, max_diff_tokens: tokens, max_files: files } = limits;
  const all = [
    chars > 0 ? reviewTexts.budget.characters(chars) : '',
    tokens > 0 ? reviewTexts.budget.tokens(tokens) : '',
    files > 0 ? reviewTexts.budget.fileLimit(files) : '',
    limits.max_hunks_per_file > 0 ? reviewTexts.budget.hunks(limits.max_hunks_per_file) : '',
  ];
  return all.filter((one) => one !== '').join(', ');
}

/** Estimates the cost of reviewing some files, by their sizes. The number of prompts is a lower bound. */
export function costOfFiles(budget: Budget, files: readonly number[]): Cost {
  const sum = (sizes: number[]) => files.reduce((all, file) => all + (sizes[file] ?? 0), 0);
  const { max_diff_chars, max_diff_tokens, max_files } = budget.limits;
  const [chars, tokens] = [sum(budget.file_chars), sum(budget.file_tokens)];
  const parts = (size: number, most: number) => (most > 0 ? Math.ceil(size / most) : 1);
  const prompts = Math.max(
    1,
    parts(chars, max_diff_chars),
    parts(tokens, max_diff_tokens),
    parts(files.length, max_files),
  );
  return { prompts, tokens: tokens + prompts * budget.overhead, dollars: priceOf(budget, prompts, tokens) };
}

/** Returns the price, by the prices of the options: their difference gives the price of a token and of a request. */
function priceOf(budget: Budget, prompts: number, tokens: number): number | null {
  const find = (choice: BudgetOption['choice']) => budget.options.find((one) => one.choice === choice);
  const [split, whole] = [find('split'), find('whole')];
  if (split?.cost_usd == null || whole?.cost_usd == null || whole.tokens === 0) return null;
  const all = tokens + prompts * budget.overhead;
  if (split.prompts === whole.prompts) return (whole.cost_usd * all) / whole.tokens;
  // cost = perToken * tokens + perRequest * prompts
  const by = whole.prompts * split.tokens - split.prompts * whole.tokens;
  if (by === 0) return null;
  const perToken = (whole.prompts * split.cost_usd - split.prompts * whole.cost_usd) / by;
  const perRequest = (whole.cost_usd - perToken * whole.tokens) / whole.prompts;
  return perToken * all + perRequest * prompts;
}
