// The open merge request: threads, replies, approval.
import { toCoreError, type CoreError } from '../../rpc/errors';
import type { RequestView, ThreadView } from '../../rpc/types.gen';
import { confirmation } from '../app/confirmation.svelte';
import { connection } from '../app/connection.svelte';
import { desk } from '../desk/desk.svelte';
import { notices } from '../app/notices.svelte';
import { openChange } from '../change/open-change.svelte';
import { prefs } from '../app/prefs.svelte';

class MergeRequest {
  view = $state.raw<RequestView | null>(null);
  busy = $state(false);
  /** Why it was not approved, or the approval not taken back, where the posting sheet shows that. */
  unapproved = $state.raw<{ error: CoreError; heading: string } | null>(null);

  get threads(): ThreadView[] {
    return this.view?.threads ?? [];
  }

  /** Those that stand between the lines: a finding that was posted and that nobody answered is shown as a finding alone. */
  get shown(): ThreadView[] {
    return this.threads.filter((thread) => thread.finding == null || thread.notes.length > 1);
  }

  /** How the posting of a finding stands, if it was posted. */
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

  /** What was typed as a reply and not sent. */
  draftOf(thread: string): string {
    return prefs.values.drafts[this.#draftKey(thread)] ?? '';
  }

  draft(thread: string, text: string): void {
    prefs.setDraft(this.#draftKey(thread), text);
  }

  #draftKey(thread: string): string {
    return `reply ${this.view?.base ?? ''} ${thread}`;
  }

  /** Reads threads, approval and whether the head moved. */
  async refresh(): Promise<void> {
    if (!this.view) return;
    await this.#do('The merge request could not be read', (change_id) =>
      connection.client.call('request.refresh', { change_id }),
    );
  }

  async reply(thread: string): Promise<void> {
    const body = this.draftOf(thread).trim();
    if (!body) return;
    const sent = await this.#do('The reply was not sent', (change_id) =>
      connection.client.call('thread.reply', { change_id, thread, body }),
    );
    // What was typed is kept until GitLab has it.
    if (sent) this.draft(thread, '');
  }

  async resolve(thread: string, resolved: boolean): Promise<void> {
    await this.#do(
      resolved ? 'The thread was not resolved' : 'The thread was not opened again',
      (change_id) => connection.client.call('thread.resolve', { change_id, thread, resolved }),
    );
  }

  /** Asks first: others see an approval, and GitLab may merge on it. Does the opposite of what is so now. */
  async askApproval(): Promise<void> {
    const view = this.view;
    if (view?.approved == null || this.busy) return;
    const approve = !view.approved;
    const agreed = await confirmation.ask({
      title: approve ? `Approve !${view.iid}?` : `Take your approval of !${view.iid} back?`,
      subject: `!${view.iid} ${view.title}\n${view.source_branch} → ${view.target_branch}\ncommit ${view.head}`,
      text: [
        approve
          ? 'Everyone who can see the merge request sees your approval, and GitLab may merge on it.'
          : 'Everyone who can see the merge request sees that you no longer approve it.',
      ],
      agree: approve ? 'Approve' : 'Take it back',
      testid: 'confirm-approval',
    });
    const now = this.view;
    if (agreed && now?.base === view.base && now.iid === view.iid && now.head === view.head)
      await this.#approve(approve);
  }

  async #approve(approve: boolean): Promise<void> {
    this.unapproved = null;
    await this.#do(
      approve ? 'It was not approved' : 'The approval was not taken back',
      (change_id) => connection.client.call('request.approve', { change_id, approve }),
      (error, heading) => {
        // A notice lies under the sheet, where nobody sees or hears it.
        if (desk.overlay === 'post') this.unapproved = { error, heading };
        else notices.fail(error, heading);
      },
    );
  }

  async #do(
    failing: string,
    ask: (changeId: string) => Promise<RequestView>,
    tell: (error: CoreError, failing: string) => void = (error) => notices.fail(error, failing),
  ): Promise<boolean> {
    const before = this.view;
    this.busy = true;
    try {
      const view = await openChange.call(ask);
      if (this.view?.iid !== before?.iid) return true;
      // Only asking for it tells of the approval.
      this.view = { ...view, approved: view.approved ?? before?.approved ?? null };
      return true;
    } catch (thrown) {
      tell(toCoreError(thrown), failing);
      return false;
    } finally {
      this.busy = false;
    }
  }
}

export const mergeRequest = new MergeRequest();
