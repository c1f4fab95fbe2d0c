// Views that are loaded once the first one is painted, so that a change is seen sooner.
import { afterPaint } from '../../lib/after-paint';

class Later {
  views = $state.raw<typeof import('./deferred') | null>(null);
  failed = $state(false);

  /** Loads them when what is there by now is painted. */
  load(): void {
    afterPaint(() => {
      import('./deferred').then(
        (views) => (this.views = views),
        () => (this.failed = true),
      );
    });
  }
}

export const later = new Later();
