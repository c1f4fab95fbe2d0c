// The open repository and change. Calls that need the change's id go through here.
import { CHANGE_EXPIRED, toCoreError } from '../../rpc/errors';
import type { ChangeView, RepoView, Target } from '../../rpc/types.gen';
import { sameTarget, targetTitle } from '../../lib/target';
import { connection } from '../app/connection.svelte';

class OpenChange {
  repo = $state.raw<RepoView | null>(null);
  target = $state.raw<Target | null>(null);
  view = $state.raw<ChangeView | null>(null);
  /** The reviewed commit, where only what is newer is sent. */
  since = $state<string | null>(null);
  /** The review that it is looked at with, where that is not its latest. */
  pinnedReview = $state<string | null>(null);
  /** What is not as it was when it was reviewed. */
  note = $state<string | null>(null);
  /** The change as it is now, where what is shown is what it was. */
  currentTarget = $state.raw<Target | null>(null);
  /** Names what is shown as it was by the change that it was of, not by the commits or the folder that it comes from. */
  nameAsReviewed(): void {
    if (this.currentTarget && this.view)
      this.view = { ...this.view, title: `${targetTitle(this.currentTarget)}, as reviewed` };
  }

  /** Whether a view is of the change that is shown: "current branch" may mean another one by now. */
  isSameTarget = (view: ChangeView): boolean => sameTarget(this.view?.target, view.target);

  /** Told when a reopened change turned out to be another one by now. */
  onReplaced: (view: ChangeView) => void = () => {};

  /** Calls with the open change's id. If the core has forgotten it, opens it anew, silently, and calls once more. */
  async call<T>(use: (changeId: string) => Promise<T>, view = this.view): Promise<T> {
    if (!view) throw new Error('No change is open.');
    try {
      return await use(view.change_id);
    } catch (thrown) {
      if (toCoreError(thrown).code !== CHANGE_EXPIRED || this.view?.fingerprint !== view.fingerprint)
        throw thrown;
      return use(await this.#reopen(view));
    }
  }

  #reopening: Promise<string> | null = null;

  #reopen(expired: ChangeView): Promise<string> {
    // Several calls may find it expired at once; one of them opens it.
    if (this.view && this.view.change_id !== expired.change_id) return Promise.resolve(this.view.change_id);
    this.#reopening ??= this.#openAgain(expired).finally(() => (this.#reopening = null));
    return this.#reopening;
  }

  async #openAgain(expired: ChangeView): Promise<string> {
    const { repo, target, since, pinnedReview: review_id } = this;
    if (!repo || !target) throw new Error('No change is open.');
    const view = await connection.client.call('change.open', {
      repo: repo.path,
      target,
      since,
      review_id,
    });
    if (this.target !== target) throw new Error('Another change was opened meanwhile.');
    const same = view.fingerprint === expired.fingerprint && this.isSameTarget(view);
    if (same) this.view = { ...expired, change_id: view.change_id };
    else this.onReplaced(view);
    return view.change_id;
  }
}

export const openChange = new OpenChange();
