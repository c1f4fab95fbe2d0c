// What screen readers are told after a key: the selected finding, file or line, and decisions.
import { untrack } from 'svelte';
import { announcement, type ReadingState } from '../../lib/announcement';
import { placeOf, titleOf } from '../../lib/findings/findings';
import { escapeInvisible } from '../../lib/text/invisible-characters';
import { cursor } from '../change/cursor.svelte';
import { openChange } from '../change/open-change.svelte';
import { inbox } from '../inbox/inbox.svelte';
import { review } from '../review/review.svelte';
import { desk } from './desk.svelte';

class Announcer {
  text = $state('');
  #before: ReadingState | null = null;
  #decisions = $derived(new Map(review.findings.map((view) => [view.finding.key, view.decision])));

  /** Announces the changes since the last call. Call it in an effect: it reads the state of the desk. */
  follow(): void {
    const now = this.#now();
    const text = inbox.shown ? '' : announcement(this.#before, now);
    this.#before = now;
    if (text) untrack(() => (this.text = escapeInvisible(text)));
  }

  #now(): ReadingState {
    const { view } = openChange;
    const found = review.find(desk.selected);
    // Each request to show a file is a new object. Scrolling requests nothing.
    const requested = desk.reveal && desk.requestedFile;
    const path = requested === null ? undefined : view?.files[requested]?.path;
    return {
      of: `${view?.change_id} ${review.view?.review_id}`,
      finding: found
        ? { key: found.finding.key, title: titleOf(found.finding), place: placeOf(found.finding) }
        : null,
      file:
        path === undefined
          ? (this.#before?.file ?? null)
          : { path, number: requested! + 1, count: view?.files.length ?? 0 },
      lines: this.#lines(),
      decisions: this.#decisions,
    };
  }

  #lines(): ReadingState['lines'] {
    const { place, lines } = cursor;
    const [first] = lines;
    if (!place || !first) return null;
    const { path, side, line_start: from, line_end: to } = place;
    return { path, side, from, to, kind: first.kind, text: first.text };
  }
}

export const announcer = new Announcer();
