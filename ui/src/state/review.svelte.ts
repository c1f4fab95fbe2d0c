// The review of the open change: its findings, what was decided about them, and how to undo it.
import type { Decision, FindingView, ReviewView, RunItem } from '../rpc/types.gen';
import { connection } from './connection.svelte';
import { notices } from './notices.svelte';

interface Before {
  reviewId: string;
  finding: string;
  decision: Decision;
  reason: string | null;
}

class ReviewState {
  view = $state.raw<ReviewView | null>(null);
  interrupted = $state.raw<RunItem[]>([]);
  #undo = $state.raw<Before[]>([]);
  /** Decisions that the core has not confirmed yet. */
  saving = $state(0);
  #asked = 0;

  get findings(): FindingView[] {
    return this.view?.findings ?? [];
  }

  get canUndo(): boolean {
    return this.#undo.length > 0;
  }

  /** Takes a review that the core gave (or that there is none). */
  adopt(view: ReviewView | null, interrupted: RunItem[]): void {
    if (view?.review_id !== this.view?.review_id) this.#undo = [];
    this.view = view;
    this.interrupted = interrupted;
  }

  find(id: string | null): FindingView | undefined {
    return id === null ? undefined : this.findings.find((view) => view.finding.id === id);
  }

  /** Shows the decision at once; takes it back if the core could not keep it. */
  async decide(id: string, decision: Decision, reason: string | null = null): Promise<void> {
    const now = this.find(id);
    const view = this.view;
    if (!now || !view || (now.decision === decision && (now.reason ?? null) === reason)) return;
    const before = {
      reviewId: view.review_id,
      finding: id,
      decision: now.decision,
      reason: now.reason ?? null,
    };
    this.#undo = [...this.#undo, before];
    await this.#send(id, decision, reason, before);
  }

  /** Takes back the latest decision; returns the finding that it was about. */
  undo(): string | null {
    const before = this.#undo.at(-1);
    if (!before || before.reviewId !== this.view?.review_id) return null;
    this.#undo = this.#undo.slice(0, -1);
    const now = this.find(before.finding);
    if (!now) return null;
    const back = { ...before, decision: now.decision, reason: now.reason ?? null };
    void this.#send(before.finding, before.decision, before.reason, back);
    return before.finding;
  }

  async #send(id: string, decision: Decision, reason: string | null, before: Before): Promise<void> {
    const asked = ++this.#asked;
    this.#set(id, decision, reason);
    this.saving += 1;
    try {
      const review_id = before.reviewId;
      const kept = await connection.client.call('finding.decide', {
        review_id,
        findings: [id],
        decision,
        reason,
      });
      // A later decision is already shown: its own answer will hold both.
      if (asked === this.#asked && this.view?.review_id === review_id) this.view = kept;
    } catch (thrown) {
      if (this.view?.review_id !== before.reviewId) return;
      this.#set(id, before.decision, before.reason);
      this.#undo = this.#undo.filter((one) => one !== before);
      notices.fail(thrown, 'The decision was not kept', () => void this.decide(id, decision, reason));
    } finally {
      this.saving -= 1;
    }
  }

  #set(id: string, decision: Decision, reason: string | null): void {
    if (!this.view) return;
    const findings = this.view.findings.map((one) =>
      one.finding.id === id ? { ...one, decision, reason } : one,
    );
    this.view = { ...this.view, findings };
  }
}

export const review = new ReviewState();
