// The review queue: its budget in words.
import type { QueueBudget } from '../rpc/types.gen';
import { count } from './text/format';
import { inboxTexts } from './texts/inbox';

/** Returns the used part of each budget, with the limits that there are. */
export function budgetText(budget: QueueBudget): string {
  const { units } = inboxTexts.queue;
  const part = ([used = 0, limit = 0]: number[], unit: string) =>
    limit > 0 ? inboxTexts.queue.used(count(used), count(limit), unit) : `${count(used)} ${unit}`;
  const all = [
    part(budget.reviews, units.reviews),
    part(budget.tokens, units.tokens),
    part(budget.cents, units.cents),
    part(budget.minutes, units.minutes),
  ];
  return inboxTexts.queue.today(all.join(', '));
}
