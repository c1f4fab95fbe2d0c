// The posting sheet: what is ticked, how each piece will land, and how it went.
import { fromInfo, toCoreError, type CoreError } from '../../rpc/errors';
import type { ItemResult, PieceView, PlanView, PostingEvent, PostOutcome } from '../../rpc/types.gen';
import { change } from '../change/change.svelte';
import { connection } from '../app/connection.svelte';
import { desk } from '../desk/desk.svelte';
import { openChange } from '../change/open-change.svelte';
import { mergeRequest } from './merge-request.svelte';
import { review } from '../review/review.svelte';

class Posting {
  /** What would be posted as it is ticked now. */
  plan = $state.raw<PlanView | null>(null);
  /** Every piece that is offered, as it would land. */
  pieces = $state.raw<PieceView[]>([]);
  /** Keys that are not posted. */
  unticked = $state.raw<ReadonlySet<string>>(new Set());
  /** Remarks in the reviewer's own words, by finding. */
  edited = $state.raw<Record<string, string>>({});
  /** Words that are being typed and not used yet, by finding. */
  drafts = $state<Record<string, string>>({});
  planning = $state(false);
  running = $state(false);
  message = $state('');
  results = $state.raw<Record<string, ItemResult>>({});
  outcome = $state.raw<PostOutcome | null>(null);
  error = $state.raw<CoreError | null>(null);
  #turn = 0;
  /** The review that all of it is about. */
  #of = '';
  /** Whether the ticks were posted. */
  #spent = false;

  /** Findings that are offered: the accepted ones; where nothing was accepted, all that were not dismissed. */
  get offered(): string[] {
    const accepted = review.findings.filter((one) => one.decision === 'accepted');
    const open = review.findings.filter(
      (one) => one.decision === 'open' && one.finding.verdict !== 'contradicted',
    );
    return (accepted.length > 0 ? accepted : open).map((one) => one.finding.key);
  }

  get ticked(): PieceView[] {
    return this.pieces.filter((piece) => !this.unticked.has(piece.key));
  }

  get can(): boolean {
    return mergeRequest.view !== null && review.view !== null;
  }

  /** Opens the sheet on what would be posted now. Words and ticks of the same review are as they were left. */
  async open(): Promise<void> {
    if (!this.can) return;
    desk.overlay = 'post';
    if (this.running) return;
    const id = review.view?.review_id ?? '';
    if (id !== this.#of || this.#spent) this.unticked = new Set();
    if (id !== this.#of) {
      this.edited = {};
      this.drafts = {};
    }
    this.#of = id;
    this.#spent = false;
    this.pieces = [];
    await this.look();
    // What is there already is not ticked.
    const off = this.pieces.filter((piece) => piece.there || this.unticked.has(piece.key));
    this.unticked = new Set(off.map((piece) => piece.key));
    if (off.length > 0) await this.look();
  }

  /** Asks the core how what is ticked would land: the summary counts it. */
  async look(): Promise<void> {
    const view = review.view;
    if (!view) return;
    const turn = ++this.#turn;
    this.planning = true;
    this.error = null;
    this.outcome = null;
    this.results = {};
    const first = this.pieces.length === 0;
    const findings = first
      ? this.offered
      : this.ticked.flatMap((piece) => (piece.finding ? [piece.finding] : []));
    const chosen = findings.map((finding) => ({ finding, body: this.edited[finding] ?? null }));
    const summary = first || !this.unticked.has('summary');
    try {
      const plan = await openChange.call((change_id) =>
        connection.client.call('post.plan', { change_id, review_id: view.review_id, chosen, summary }),
      );
      if (turn !== this.#turn) return;
      this.plan = plan;
      const now = new Map(plan.pieces.map((piece) => [piece.key, piece]));
      this.pieces = first ? plan.pieces : this.pieces.map((piece) => now.get(piece.key) ?? piece);
    } catch (thrown) {
      if (turn === this.#turn) this.error = toCoreError(thrown);
    } finally {
      if (turn === this.#turn) this.planning = false;
    }
  }

  async tick(key: string, on: boolean): Promise<void> {
    const others = [...this.unticked].filter((one) => one !== key);
    this.unticked = new Set(on ? others : [...others, key]);
    await this.look();
  }

  /** Begins to edit: with the reviewer's own words, or with what the remark says. */
  begin(finding: string): void {
    this.drafts[finding] ??= this.edited[finding] ?? review.find(finding)?.finding.body_markdown ?? '';
  }

  async edit(finding: string, body: string): Promise<void> {
    delete this.drafts[finding];
    this.edited = { ...this.edited, [finding]: body };
    await this.look();
  }

  /** Posts what is ticked, as it is shown. */
  async post(degrade = false): Promise<void> {
    const plan = this.plan;
    if (!plan || this.running || this.planning) return;
    this.running = true;
    this.error = null;
    this.outcome = null;
    this.message = 'Beginning';
    this.results = { ...waiting(this.ticked), ...this.results };
    try {
      const params = { plan_id: plan.plan_id, degrade };
      await connection.client.subscribe('post.start', params, (event) => this.#hear(event));
    } catch (thrown) {
      this.running = false;
      this.error = toCoreError(thrown);
    }
  }

  #hear(event: PostingEvent): void {
    switch (event.kind) {
      case 'step':
        this.message = event.message;
        return;
      case 'item':
        this.results = { ...this.results, [event.item.key]: event.item };
        return;
      case 'failed':
        this.running = false;
        this.error = fromInfo(event.error);
        return;
      case 'done':
        this.running = false;
        // What was left out this time may go with the next one.
        this.#spent = true;
        this.outcome = event.outcome;
        this.results = Object.fromEntries(event.outcome.items.map((item) => [item.key, item]));
        this.error = event.outcome.error ? fromInfo(event.outcome.error) : null;
        void mergeRequest.refresh();
    }
  }

  /** Opens the merge request as it is now, and places the review on it. */
  async reanchor(): Promise<void> {
    const view = review.view;
    if (!view) return;
    this.planning = true;
    this.error = null;
    try {
      await change.refresh();
      const placed = await openChange.call((change_id) =>
        connection.client.call('review.reanchor', { change_id, review_id: view.review_id }),
      );
      review.adopt(placed, []);
      await this.open();
    } catch (thrown) {
      this.error = toCoreError(thrown);
      this.planning = false;
    }
  }
}

/** Pieces that are still to be sent; what is inside the summary comes with it. */
const waiting = (pieces: readonly PieceView[]): Record<string, ItemResult> =>
  Object.fromEntries(
    pieces
      .filter((piece) => piece.lands !== 'in_summary')
      .map(({ key, finding = null, title }) => [key, { key, finding, title, state: 'waiting' }]),
  );

export const posting = new Posting();
