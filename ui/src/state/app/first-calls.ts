// The calls that the page makes first at its next start. The window makes them while the web view starts, and puts the results into the
// page (rpc/tauri.ts). A list that does not match the page's calls costs time, but changes nothing.
import type { Methods, ReviewScope } from '../../rpc/types.gen';
import type { Preferences } from './prefs.svelte';

export interface FirstCall {
  method: keyof Methods;
  params: unknown;
}

/** Returns the calls for the preferences under `key` and the last change. `app.info` is always called first. */
export function firstCalls(key: string, last: Preferences['last']): FirstCall[] {
  const calls: FirstCall[] = [{ method: 'state.get', params: { key } }];
  if (last?.repo) calls.push({ method: 'repo.open', params: { path: last.repo } });
  if (last) calls.push({ method: 'change.open', params: changeParams(last.repo, last.target) });
  return calls;
}

/** Returns the parameters of `change.open`. The order of the fields matters, because the window finds results by their text. */
export const changeParams = (
  repo: string,
  target: Methods['change.open']['params']['target'],
  since: string | null = null,
  review_id: string | null = null,
  scope: ReviewScope | null = null,
  current = false,
): Methods['change.open']['params'] => ({
  repo,
  target,
  since,
  review_id,
  ...(scope ? { scope } : {}),
  ...(current ? { current } : {}),
});
