// Saves the view state of each review (selected finding, filter, view) and restores it. The diff saves its scroll position itself.
import { untrack } from 'svelte';
import type { Severity } from '../../rpc/types.gen';
import { desk } from './desk.svelte';
import { prefs, type SavedReviewView } from '../app/prefs.svelte';
import { review } from '../review/review.svelte';

const MAX_SAVED = 30;

class ReviewViewState {
  #shown: string | null = null;

  /** Saves or restores the view state. Call it in an effect: it reads the values that may change. */
  sync(): void {
    const id = review.view?.review_id ?? null;
    const { selected, filter, view, onlyOpen } = desk;
    const now = [selected, filter, view, [...desk.severities].sort(), onlyOpen] as const;
    untrack(() => {
      if (id !== this.#shown) {
        this.#shown = id;
        if (id) this.#restore(id);
      } else if (id) this.#save([id, ...now]);
    });
  }

  #restore(id: string): void {
    const saved = prefs.values.reviewViews.find((one) => one[0] === id);
    if (!saved || desk.selected) return;
    const [, selected, filter, view, severities = [], onlyOpen = false] = saved;
    desk.filter = filter;
    desk.onlyOpen = onlyOpen;
    for (const severity of severities) desk.severities.add(severity as Severity);
    if (review.find(selected)) desk.selected = selected;
    // A change with new commits opens with the edits since the review.
    if (desk.view !== 'since' && (view === 'diff' || view === 'summary')) desk.view = view;
  }

  #save(now: SavedReviewView): void {
    const [had, ...older] = prefs.values.reviewViews;
    if (JSON.stringify(had) === JSON.stringify(now)) return;
    const others = had?.[0] === now[0] ? older : prefs.values.reviewViews.filter((one) => one[0] !== now[0]);
    prefs.values.reviewViews = [now, ...others].slice(0, MAX_SAVED);
  }
}

export const reviewViewState = new ReviewViewState();
