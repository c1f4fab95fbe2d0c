// A change that was reviewed before opens with the edits since that review, once for each of its states.
import { change } from '../change/change.svelte';
import { openChange } from '../change/open-change.svelte';
import { desk } from '../desk/desk.svelte';
import { versions } from './versions.svelte';

/** The fingerprints of the states that opened with the edits since the review. */
const shown = new Set<string>();

/** Whether the open change has commits that its latest review has not seen. */
function hasNewCommits(): boolean {
  const { view, pinnedReview } = openChange;
  const reviewed = view?.review?.meta.head_sha;
  if (!view?.head || !reviewed || pinnedReview !== null) return false;
  return view.review?.outdated === true && !reviewed.startsWith(view.head);
}

/** Makes the edits since the last review the first view of a change that was reviewed before. */
export function showNewEditsFirst(): void {
  const show = () => {
    const { view } = openChange;
    if (!view || !versions.can || !hasNewCommits() || shown.has(view.fingerprint)) return;
    shown.add(view.fingerprint);
    versions.opened = true;
    desk.view = 'since';
  };
  change.onShown(show);
  // The first change is shown before this module is loaded.
  show();
}
