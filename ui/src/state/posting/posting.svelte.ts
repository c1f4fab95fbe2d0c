// The posting sheet: the selected comments, their preview, and the results.
import { fromInfo, toCoreError, type CoreError } from '../../rpc/errors';
import type {
  ItemResult,
  PlannedComment,
  PlanView,
  PostingEvent,
  PostOutcome,
  PostVerdict,
} from '../../rpc/types.gen';
import { change } from '../change/change.svelte';
import { connection } from '../app/connection.svelte';
import { desk } from '../desk/desk.svelte';
import { openChange } from '../change/open-change.svelte';
import { mergeRequest } from './merge-request.svelte';
import { review } from '../review/review.svelte';
import { CommentTexts, SUMMARY } from './comment-texts.svelte';
import { offeredFindings } from '../../lib/findings/offered';
import { resultsOf, waitingResults } from '../../lib/posting';
import { postingTexts } from '../../lib/texts/posting';

/** The time to wait for another tick before a new plan is requested. */
const TICKS_MS = 150;

class Posting {
  /** The plan of the selected comments. */
  plan = $state.raw<PlanView | null>(null);
  /** All offered comments, with their position. */
  comments = $state.raw<PlannedComment[]>([]);
  /** The plan of all offered findings. It alone names the findings that belong to lower layers of the stack. */
  firstPlan = $state.raw<PlanView | null>(null);
  /** The keys of the comments that are not selected. */
  unticked = $state.raw<ReadonlySet<string>>(new Set());
  readonly texts = new CommentTexts();
  /** The selected verdict. Opening the sheet resets it. */
  verdict = $state<PostVerdict>('comment');
  /** Whether a comment whose line GitLab rejects is moved to its file or the summary. Otherwise it is left out. */
  degrade = $state(true);
  /** Whether the summary lists the requirements of the authors. Null for the setting. */
  requirements = $state<boolean | null>(null);
  planning = $state(false);
  running = $state(false);
  message = $state('');
  results = $state.raw<Record<string, ItemResult>>({});
  outcome = $state.raw<PostOutcome | null>(null);
  error = $state.raw<CoreError | null>(null);
  #turn = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The results before the running attempt. */
  #before: Record<string, ItemResult> = {};
  /** Whether the selection has been posted. */
  #spent = false;

  get offered(): string[] {
    return offeredFindings(review.findings);
  }

  get ticked(): PlannedComment[] {
    return this.comments.filter((comment) => !this.unticked.has(comment.key));
  }

  get can(): boolean {
    return mergeRequest.view !== null;
  }

  /** Whether a selected comment has an edit that is not saved. */
  get editing(): boolean {
    return this.ticked.some((comment) => this.texts.typed[comment.key] !== undefined);
  }

  /**
   * Opens the sheet with a new plan. The edits of a review stay, and so does a selection that was not posted. The
   * verdict is selected anew each time.
   */
  async open(): Promise<void> {
    if (!this.can) return;
    desk.overlay = 'post';
    if (this.running) return;
    // The head, and the verdicts that GitLab accepts, may have changed since the merge request was opened.
    void mergeRequest.refresh();
    this.#reset();
    await this.#loadFirstPlan();
  }

  /** Removes the plan and the verdict of the last time, and what belongs to another review. */
  #reset(): void {
    const id = review.view?.review_id ?? '';
    const isOther = id !== this.texts.reviewId;
    if (isOther || this.#spent) this.unticked = new Set();
    if (isOther) this.texts.open(id);
    clearTimeout(this.#timer);
    this.#spent = false;
    this.plan = null;
    this.comments = [];
    this.firstPlan = null;
    this.verdict = 'comment';
  }

  async #loadFirstPlan(): Promise<void> {
    await this.loadPlan();
    // Comments that are already posted are not selected.
    const off = this.comments.filter((comment) => comment.already_posted || this.unticked.has(comment.key));
    this.unticked = new Set(off.map((comment) => comment.key));
    if (off.length > 0) await this.loadPlan();
  }

  /** Requests a plan of the selected comments. The text of the summary depends on them. */
  async loadPlan(): Promise<void> {
    const review_id = review.view?.review_id ?? null;
    const turn = ++this.#turn;
    clearTimeout(this.#timer);
    this.planning = true;
    this.error = null;
    this.outcome = null;
    this.results = {};
    const first = this.comments.length === 0;
    const findings = first
      ? this.offered
      : this.ticked.flatMap((comment) => (comment.finding ? [comment.finding] : []));
    const chosen = findings.map((finding) => ({ finding, body: this.texts.saved[finding] ?? null }));
    const summary = review_id !== null && (first || !this.unticked.has(SUMMARY));
    try {
      const plan = await openChange.call((change_id) =>
        connection.client.call('post.plan', {
          change_id,
          review_id,
          chosen,
          summary,
          summary_text: this.texts.saved[SUMMARY] ?? null,
          requirements: this.requirements,
          replan: !first,
        }),
      );
      if (turn !== this.#turn) return;
      this.plan = plan;
      const now = new Map(plan.comments.map((comment) => [comment.key, comment]));
      if (first) this.firstPlan = plan;
      this.comments = first ? plan.comments : this.comments.map((comment) => now.get(comment.key) ?? comment);
    } catch (thrown) {
      if (turn === this.#turn) this.error = toCoreError(thrown);
    } finally {
      if (turn === this.#turn) this.planning = false;
    }
  }

  async listRequirements(on: boolean): Promise<void> {
    this.requirements = on;
    await this.loadPlan();
  }

  /** Selects a comment, or not. A plan of many comments is large, so ticks in a row ask for one plan together. */
  tick(key: string, on: boolean): void {
    const others = [...this.unticked].filter((one) => one !== key);
    this.unticked = new Set(on ? others : [...others, key]);
    // Until the new plan is there, nothing can be posted, and an answer to an earlier request is outdated.
    this.#turn += 1;
    this.planning = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.loadPlan(), TICKS_MS);
  }

  /** Saves the text that is typed for a comment. */
  async saveText(key: string): Promise<void> {
    this.texts.save(key);
    await this.loadPlan();
  }

  /** Puts the agent's text of a comment back. */
  async restoreText(key: string): Promise<void> {
    this.texts.restore(key);
    await this.loadPlan();
  }

  /** Posts the current plan, and gives the verdict. */
  async post(): Promise<void> {
    const plan = this.plan;
    if (!plan || this.running || this.planning) return;
    this.running = true;
    this.error = null;
    this.outcome = null;
    this.message = postingTexts.sheet.starting;
    this.#before = this.results;
    this.results = { ...waitingResults(this.ticked), ...this.results };
    try {
      const params = { plan_id: plan.plan_id, degrade: this.degrade, verdict: this.verdict };
      await connection.client.subscribe('post.start', params, (event) => this.#onEvent(event));
    } catch (thrown) {
      this.running = false;
      this.error = toCoreError(thrown);
    }
  }

  #onEvent(event: PostingEvent): void {
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
        // Comments that were left out are selected again the next time.
        this.#spent = true;
        this.outcome = event.outcome;
        this.results = resultsOf(event.outcome, this.#before);
        this.error = event.outcome.error ? fromInfo(event.outcome.error) : null;
        void mergeRequest.refresh();
    }
  }

  /** Refreshes the merge request, and places the review's findings on its current state. */
  async reanchor(): Promise<void> {
    const view = review.view;
    this.planning = true;
    this.error = null;
    // Before the first await: a verdict that the user selects from here on is about the new head.
    this.#reset();
    try {
      await change.refresh();
      if (view) {
        const placed = await openChange.call((change_id) =>
          connection.client.call('review.relocate', { change_id, review_id: view.review_id }),
        );
        review.adopt(placed, []);
        this.texts.moveTo(placed.review_id);
      }
      await this.#loadFirstPlan();
    } catch (thrown) {
      this.error = toCoreError(thrown);
      this.planning = false;
    }
  }
}

export const posting = new Posting();
