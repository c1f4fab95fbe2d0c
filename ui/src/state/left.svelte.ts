// Where each review was left: the chosen finding, the filter, the place. (Where its diff was scrolled to is kept by the diff.)
import { untrack } from 'svelte';
import { desk, type Place } from './desk.svelte';
import { prefs } from './prefs.svelte';
import { review } from './review.svelte';

const KEPT = 30;

class Left {
  #shown: string | null = null;

  /** Call in an effect: it reads what may change. */
  follow(): void {
    const id = review.view?.review_id ?? null;
    const now: [string | null, string, Place] = [desk.selected, desk.filter, desk.place];
    untrack(() => {
      if (id !== this.#shown) {
        this.#shown = id;
        if (id) this.#restore(id);
      } else if (id) this.#keep(id, now);
    });
  }

  #restore(id: string): void {
    const left = prefs.kept.left.find((one) => one[0] === id);
    if (!left || desk.selected) return;
    const [, selected, filter, place] = left;
    desk.filter = filter;
    if (review.find(selected)) desk.selected = selected;
    if (place === 'diff' || place === 'summary') desk.place = place;
  }

  #keep(id: string, [selected, filter, place]: [string | null, string, Place]): void {
    const had = prefs.kept.left[0];
    if (had?.[0] === id && had[1] === selected && had[2] === filter && had[3] === place) return;
    const others = prefs.kept.left.filter((one) => one[0] !== id);
    prefs.kept.left = [[id, selected, filter, place], ...others].slice(0, KEPT) as typeof prefs.kept.left;
  }
}

export const left = new Left();
