// Matches the findings of two reviews of the same change. Ids cannot be compared: each review counts from f1.
import type { FindingView } from '../../rpc/types.gen';

/** In: findings before and now. Out: the names now, by the names before; those that are not found again are left out. */
export function matchFindings(
  before: readonly FindingView[],
  now: readonly FindingView[],
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  // On the same code first; a headline that moved with its lines is the same remark, too.
  for (const keyOf of [commentKey, headline]) {
    const free = new Map<string, string>();
    const taken = new Set(found.values());
    for (const view of now) {
      const key = keyOf(view);
      if (!taken.has(view.finding.id) && !free.has(key)) free.set(key, view.finding.id);
    }
    for (const view of before) {
      const id = found.has(view.finding.id) ? undefined : free.get(keyOf(view));
      if (id === undefined) continue;
      found.set(view.finding.id, id);
      free.delete(keyOf(view));
    }
  }
  return found;
}

const commentKey = (view: FindingView): string => JSON.stringify([headline(view), view.finding.code ?? null]);

/** In the agent's words, whatever the reviewer made of them. */
function headline({ finding }: FindingView): string {
  const { title, body_markdown } = finding.original ?? finding;
  return JSON.stringify([finding.anchor.path, title ?? body_markdown]);
}
