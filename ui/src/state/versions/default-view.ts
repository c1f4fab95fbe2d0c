// The first view of a change. One that was reviewed before opens with the edits since that review, once for each of its states; an empty
// merge request opens with its overview.
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

/** Whether the overview is shown because the change is empty. The next change does not open with it. */
let emptyShown = false;

function showOverviewOfEmpty(): void {
  const { view } = openChange;
  const empty = view?.request != null && view.files.length === 0;
  if (empty && !emptyShown && desk.view === 'diff') desk.view = 'overview';
  else if (!empty && emptyShown && desk.view === 'overview') desk.view = 'diff';
  emptyShown = empty && (emptyShown || desk.view === 'overview');
}

/** Selects the first view of each change that is shown. */
export function selectDefaultView(): void {
  const show = () => {
    const { view } = openChange;
    showOverviewOfEmpty();
    if (!view || !versions.can || !hasNewCommits() || shown.has(view.fingerprint)) return;
    shown.add(view.fingerprint);
    versions.opened = true;
    desk.view = 'since';
  };
  change.onShown(show);
  // The first change is shown before this module is loaded.
  show();
}
