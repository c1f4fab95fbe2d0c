// Second opinions on request: the preview of what is sent, and the question to the agent.
import { toCoreError, type CoreError } from '../../rpc/errors';
import type { OpinionPreview } from '../../rpc/types.gen';
import { opinionsTexts } from '../../lib/texts/opinions';
import { notices } from '../app/notices.svelte';
import { connection } from '../app/connection.svelte';
import { openChange } from '../change/open-change.svelte';
import { desk } from '../desk/desk.svelte';
import { review } from '../review/review.svelte';

class SecondOpinionRequest {
  /** What would be sent about the findings of the open sheet. */
  preview = $state.raw<OpinionPreview | null>(null);
  error = $state.raw<CoreError | null>(null);
  /** Whether an agent is being asked. */
  asking = $state(false);
  findings = $state.raw<string[]>([]);
  #controller = new AbortController();
  #turn = 0;

  /** Opens the sheet with the preview. It continues to show a question that is being asked. */
  async open(findings: string[]): Promise<void> {
    desk.overlay = 'opinion';
    if (this.asking) return;
    this.findings = findings;
    await this.load();
  }

  async load(): Promise<void> {
    const turn = ++this.#turn;
    this.preview = null;
    this.error = null;
    try {
      const preview = await this.#call((params) => connection.client.call('opinion.preview', params));
      if (turn === this.#turn) this.preview = preview;
    } catch (thrown) {
      if (turn === this.#turn) this.error = toCoreError(thrown);
    }
  }

  /** Sends the prompts that the sheet shows. */
  async send(): Promise<void> {
    if (this.asking || !this.preview) return;
    this.asking = true;
    this.error = null;
    this.#controller = new AbortController();
    const { signal } = this.#controller;
    const id = review.view?.review_id;
    try {
      const view = await this.#call((params) => connection.client.call('opinion.ask', params, signal));
      if (review.view?.review_id === id) review.adopt(view);
      if (desk.overlay === 'opinion') desk.overlay = null;
      const given = view.findings.filter((one) => one.opinion && this.findings.includes(one.finding.key));
      if (given.length < this.findings.length) notices.info(opinionsTexts.opinion.none);
    } catch (thrown) {
      if (!signal.aborted) {
        this.error = toCoreError(thrown);
        if (desk.overlay !== 'opinion') notices.fail(thrown, opinionsTexts.opinion.failed);
      }
    } finally {
      this.asking = false;
    }
  }

  cancel(): void {
    this.#controller.abort();
  }

  #call<R>(
    ask: (params: { change_id: string; review_id: string; findings: string[] }) => Promise<R>,
  ): Promise<R> {
    const review_id = review.view?.review_id ?? '';
    return openChange.call((change_id) => ask({ change_id, review_id, findings: this.findings }));
  }
}

export const secondOpinion = new SecondOpinionRequest();
