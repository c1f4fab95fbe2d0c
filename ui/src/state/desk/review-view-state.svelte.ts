// Where each review was left: the chosen finding, the filter, the place. (Where its diff was scrolled to is kept by the diff.)
import { untrack } from 'svelte';
import type { Severity } from '../../rpc/types.gen';
import { desk } from './desk.svelte';
import { prefs, type Left as Kept } from '../app/prefs.svelte';
import { review } from '../review/review.svelte';

const KEPT = 30;

class Left {
  #shown: string | null = null;

  /** Call in an effect: it reads what may change. */
  follow(): void {
    const id = review.view?.review_id ?? null;
    const { selected, filter, place, onlyOpen } = desk;
    const now = [selected, filter, place, [...desk.severities].sort(), onlyOpen] as const;
    untrack(() => {
      if (id !== this.#shown) {
        this.#shown = id;
        if (id) this.#restore(id);
      } else if (id) this.#keep([id, ...now]);
    });
  }

  #restore(id: string): void {
    const left = prefs.kept.left.find((one) => one[0] === id);
    if (!left || desk.selected) return;
    const [, selected, filter, place, severities = [], onlyOpen = false] = left;
    desk.filter = filter;
    desk.onlyOpen = onlyOpen;
    for (const severity of severities) desk.severities.add(severity as Severity);
    if (review.find(selected)) desk.selected = selected;
    if (place === 'diff' || place === 'summary') desk.place = place;
  }

  #keep(now: Kept): void {
    const [had, ...older] = prefs.kept.left;
    if (JSON.stringify(had) === JSON.stringify(now)) return;
    const others = had?.[0] === now[0] ? older : prefs.kept.left.filter((one) => one[0] !== now[0]);
    prefs.kept.left = [now, ...others].slice(0, KEPT);
  }
}

export const left = new Left();
