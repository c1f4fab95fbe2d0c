// The open merge request: threads, replies, the user's verdict.
import { toCoreError, type CoreError } from '../../rpc/errors';
import type { PostVerdict, RequestView, ThreadView } from '../../rpc/types.gen';
import { confirmation } from '../app/confirmation.svelte';
import { connection } from '../app/connection.svelte';
import { desk } from '../desk/desk.svelte';
import { notices } from '../app/notices.svelte';
import { openChange } from '../change/open-change.svelte';
import { prefs } from '../app/prefs.svelte';
import { mergeRequestTexts } from '../../lib/texts/merge-request';

/** The minimum interval between two checks of the server, in milliseconds. */
const CHECK_EVERY_MS = 60_000;

class MergeRequest {
  view = $state.raw<RequestView | null>(null);
  busy = $state(false);
  /** The error of revoking the approval, for the posting sheet. */
  revocationError = $state.raw<{ error: CoreError; heading: string } | null>(null);

  get threads(): ThreadView[] {
    return this.view?.threads ?? [];
  }

  /** The threads that the diff shows. A posted finding without replies is shown only as a finding. */
  get shown(): ThreadView[] {
    return this.threads.filter((thread) => thread.finding == null || thread.notes.length > 1);
  }

  /** Returns whether a finding was posted, and whether its thread is resolved. Null if it was not posted. */
  postingOf(finding: string): 'posted' | 'resolved' | null {
    const thread = this.threads.find((one) => one.finding === finding);
    if (!thread) return null;
    return thread.resolved ? 'resolved' : 'posted';
  }

  find(id: string): ThreadView | undefined {
    return this.threads.find((thread) => thread.id === id);
  }

  adopt(view: RequestView | null): void {
    this.view = view;
  }

  /** Returns the unsent reply to a thread. */
  draftOf(thread: string): string {
    return prefs.values.drafts[this.#draftKey(thread)] ?? '';
  }

  draft(thread: string, text: string): void {
    prefs.setDraft(this.#draftKey(thread), text);
  }

  #draftKey(thread: string): string {
    return `reply ${this.view?.base ?? ''} ${thread}`;
  }

  /** Reloads the threads, the verdict, and whether the head has moved. */
  async refresh(): Promise<void> {
    if (!this.view) return;
    this.#checkedAt = Date.now();
    await this.#do(mergeRequestTexts.error.notRead, (change_id) =>
      connection.client.call('request.refresh', { change_id }),
    );
  }

  #checkedAt = 0;

  /**
   * Reloads the threads and whether the head has moved, if that was not done for a while. A failure is not shown: nobody asked for the
   * check, the next one follows soon, and `refresh` reports its own failures.
   */
  async check(now = Date.now()): Promise<void> {
    if (!this.view || this.busy || now - this.#checkedAt < CHECK_EVERY_MS) return;
    this.#checkedAt = now;
    await this.#do(null, (change_id) => connection.client.call('request.refresh', { change_id }));
  }

  async reply(thread: string): Promise<void> {
    const body = this.draftOf(thread).trim();
    if (!body) return;
    const sent = await this.#do(mergeRequestTexts.error.replyNotSent, (change_id) =>
      connection.client.call('thread.reply', { change_id, thread, body }),
    );
    // The draft stays until GitLab has accepted the reply.
    if (sent) this.draft(thread, '');
  }

  async resolve(thread: string, resolved: boolean): Promise<void> {
    await this.#do(
      resolved ? mergeRequestTexts.error.notResolved : mergeRequestTexts.error.notReopened,
      (change_id) => connection.client.call('thread.resolve', { change_id, thread, resolved }),
    );
  }

  /** Returns the reason why a verdict cannot be given. Null if it can be given, or if that is not known yet. */
  unavailable(verdict: PostVerdict): string | null {
    return this.view?.verdicts.find((choice) => choice.verdict === verdict)?.unavailable ?? null;
  }

  /** Revokes the approval after a confirmation, because others see it. */
  async revokeApproval(): Promise<void> {
    const view = this.view;
    if (view?.approved !== true || this.busy) return;
    const agreed = await confirmation.ask({
      title: mergeRequestTexts.revoke.title(view.iid),
      subject: `!${view.iid} ${view.title}\n${view.source_branch} → ${view.target_branch}`,
      text: [mergeRequestTexts.revoke.meaning],
      agree: mergeRequestTexts.revoke.revoke,
      testid: 'confirm-revocation',
    });
    const now = this.view;
    if (!agreed || now?.base !== view.base || now.iid !== view.iid) return;
    this.revocationError = null;
    const heading = mergeRequestTexts.revoke.notRevoked;
    await this.#do(
      (error) => {
        // A notice would be hidden below the sheet.
        if (desk.overlay === 'post') this.revocationError = { error, heading };
        else notices.fail(error, heading);
      },
      (change_id) => connection.client.call('request.revoke_approval', { change_id }),
    );
  }

  /** Reports a failure as a notice with this heading, or to this function. Null shows nothing. */
  async #do(
    failing: string | ((error: CoreError) => void) | null,
    ask: (changeId: string) => Promise<RequestView>,
  ): Promise<boolean> {
    const before = this.view;
    this.busy = true;
    try {
      const view = await openChange.call(ask);
      if (this.view?.iid !== before?.iid) return true;
      // Only some requests return the verdict, and whether the head has moved.
      this.view =
        view.approved == null && before
          ? {
              ...view,
              approved: before.approved ?? null,
              verdicts: before.verdicts,
              moved: view.moved || before.moved,
            }
          : view;
      return true;
    } catch (thrown) {
      const error = toCoreError(thrown);
      if (typeof failing === 'string') notices.fail(error, failing);
      else failing?.(error);
      return false;
    } finally {
      this.busy = false;
    }
  }
}

export const mergeRequest = new MergeRequest();
