// Views that are loaded once the first one is painted, so that a change is seen sooner.
import { notices } from '../state/notices.svelte';

class Later {
  views = $state.raw<typeof import('./more') | null>(null);

  /** Loads them when what is there by now is painted. */
  load(): void {
    requestAnimationFrame(() =>
      setTimeout(() => {
        import('./more').then(
          (views) => (this.views = views),
          () => notices.tell('A part of the page could not be loaded. Load the page again.'),
        );
      }),
    );
  }
}

export const later = new Later();
