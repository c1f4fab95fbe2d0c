// The open repository and change. Calls that need the change's id go through here.
import { CHANGE_EXPIRED, toCoreError } from '../../rpc/errors';
import type { ChangeView, RepoView, ReviewScope, Target } from '../../rpc/types.gen';
import { sameTarget, targetTitle } from '../../lib/target';
import { changeTexts } from '../../lib/texts/change';
import { connection } from '../app/connection.svelte';
import { changeParams } from '../app/first-calls';

/** How a change is opened. */
export interface OpenOptions {
  repo?: RepoView | null;
  /** A request that has already been sent. */
  asked?: Promise<ChangeView> | undefined;
  /** The part that is sent. */
  scope?: ReviewScope | null;
  /** Whether a merge request is read from its server. */
  current?: boolean;
}

class OpenChange {
  repo = $state.raw<RepoView | null>(null);
  target = $state.raw<Target | null>(null);
  view = $state.raw<ChangeView | null>(null);
  /** The reviewed commit, if only newer changes are sent. */
  since = $state<string | null>(null);
  /** The part of the change that is sent, if the user chose it for this change. */
  scope = $state.raw<ReviewScope | null>(null);
  /** The shown review, if it is not the latest one. */
  pinnedReview = $state<string | null>(null);
  /** A note about differences from the reviewed state. */
  note = $state<string | null>(null);
  /** The target of the current state, while a reviewed state is shown. */
  currentTarget = $state.raw<Target | null>(null);
  /** Sets the title of a reviewed state to the title of its change, in place of its commits or folder. */
  nameAsReviewed(): void {
    if (this.currentTarget && this.view)
      this.view = { ...this.view, title: changeTexts.title.asReviewed(targetTitle(this.currentTarget)) };
  }

  /** Returns whether a view has the target that is shown. "Current branch" may have another target by now. */
  isSameTarget = (view: ChangeView): boolean => sameTarget(this.view?.target, view.target);

  /** Called when a reopened change differs from the shown one. */
  onReplaced: (view: ChangeView) => void = () => {};

  /** Calls a method with the id of the open change. If the core no longer knows the id, opens the change again and retries once. */
  async call<T>(use: (changeId: string) => Promise<T>, view = this.view): Promise<T> {
    if (!view) throw new Error(changeTexts.message.noChange);
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
    // Several calls may find the id expired at the same time. Only one of them opens the change.
    if (this.view && this.view.change_id !== expired.change_id) return Promise.resolve(this.view.change_id);
    this.#reopening ??= this.#openAgain(expired).finally(() => (this.#reopening = null));
    return this.#reopening;
  }

  async #openAgain(expired: ChangeView): Promise<string> {
    const { repo, target, since, pinnedReview, scope } = this;
    if (!repo || !target) throw new Error(changeTexts.message.noChange);
    const params = changeParams(repo.path, target, since, pinnedReview, scope);
    const view = await connection.client.call('change.open', params);
    if (this.target !== target) throw new Error(changeTexts.message.replaced);
    const same = view.fingerprint === expired.fingerprint && this.isSameTarget(view);
    if (same) this.view = { ...expired, change_id: view.change_id };
    else this.onReplaced(view);
    return view.change_id;
  }
}

export const openChange = new OpenChange();
