// Views that are loaded after the first paint, so that the diff is visible sooner.
import { afterPaint } from '../../lib/after-paint';

class DeferredViews {
  views = $state.raw<typeof import('./deferred') | null>(null);
  failed = $state(false);
  #begun = false;

  /** Loads the views after the next paint. */
  load(): void {
    afterPaint(() => this.loadNow());
  }

  /** Loads the views at once, for a page that begins with one of them. */
  loadNow(): void {
    if (this.#begun) return;
    this.#begun = true;
    import('./deferred').then(
      (views) => (this.views = views),
      () => (this.failed = true),
    );
  }
}

export const deferredViews = new DeferredViews();
