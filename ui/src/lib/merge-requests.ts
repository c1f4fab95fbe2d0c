// Sorts merge requests by their relation to the user.
import type { RequestItem } from '../rpc/types.gen';
import { pickersTexts } from './texts/pickers';

const sections: Record<string, string> = {
  reviewer: pickersTexts.change.waiting,
  assigned: pickersTexts.change.assigned,
  mine: pickersTexts.change.yours,
};
const order = ['reviewer', 'assigned', 'mine'];

export const relationTitle = (item: RequestItem): string =>
  sections[item.relation ?? ''] ?? pickersTexts.change.requests;

/** Sorts the merge requests that wait for the user first. The order is stable. */
export function sortByRelation(items: RequestItem[]): RequestItem[] {
  const rank = (item: RequestItem) => {
    const at = order.indexOf(item.relation ?? '');
    return at < 0 ? order.length : at;
  };
  return [...items].sort((a, b) => rank(a) - rank(b));
}
