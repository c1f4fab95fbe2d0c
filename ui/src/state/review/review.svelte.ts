// The review of the open change: its findings and decisions.
import type { Decision, FindingView, ReviewView, InterruptedRun } from '../../rpc/types.gen';
import { triageTexts } from '../../lib/texts/triage';
import { connection } from '../app/connection.svelte';
import { queueWrite } from '../app/write-queue';
import { notices } from '../app/notices.svelte';
import { undo, type Step } from '../app/undo.svelte';

interface Decided {
  decision: Decision;
  reason: string | null;
}
/** Decisions by the finding's key. */
type Decisions = ReadonlyMap<string, Decided>;

const decisionNames: Record<Decision, string> = {
  open: triageTexts.decision.reopened,
  accepted: triageTexts.decision.accepted,
  dismissed: triageTexts.decision.dismissed,
};

class ReviewState {
  view = $state.raw<ReviewView | null>(null);
  interrupted = $state.raw<InterruptedRun[]>([]);
  #byId = $derived(new Map(this.findings.map((view) => [view.finding.key, view])));

  get findings(): FindingView[] {
    return this.view?.findings ?? [];
  }

  /** Sets the review that the core has returned, or null for none. `sameChange` says whether the open change is still the same. */
  adopt(view: ReviewView | null, interrupted: InterruptedRun[] = this.interrupted, sameChange = true): void {
    const before = this.view;
    const other = view?.review_id !== before?.review_id;
    if (other) undo.clear();
    this.view = view;
    this.interrupted = interrupted;
    if (other && before && view && sameChange) this.onReplaced(before, view);
  }

  /** Called after another review of the same change is shown. */
  onReplaced: (before: ReviewView, now: ReviewView) => void = () => {};

  find(id: string | null): FindingView | undefined {
    return id === null ? undefined : this.#byId.get(id);
  }

  /** Shows a decision at once, and reverts it if the core cannot save it. */
  async decide(ids: readonly string[], decision: Decision, reason: string | null = null): Promise<void> {
    const changed = ids.filter((id) => {
      const now = this.find(id);
      return now && (now.decision !== decision || (now.reason ?? null) !== reason);
    });
    if (changed.length === 0) return;
    const wanted: Decisions = new Map(changed.map((id) => [id, { decision, reason }]));
    const what = triageTexts.decision.made(decisionNames[decision], changed.length);
    await this.#save(wanted, what, (step) => undo.push(step));
  }

  /** Restores a decision after an undo, without a new undo step. */
  async restore(id: string, decision: Decision, reason: string | null): Promise<void> {
    const now = this.find(id);
    if (!now || (now.decision === decision && (now.reason ?? null) === reason)) return;
    await this.#save(new Map([[id, { decision, reason }]]), decisionNames[decision], () => {});
  }

  /** Saves decisions. Calls `remember` with the undo step before the core has answered. */
  async #save(wanted: Decisions, what: string, remember: (step: Step) => void): Promise<boolean> {
    const review_id = this.view?.review_id;
    if (!review_id) return false;
    const before: Decisions = new Map(
      [...wanted.keys()].map((id) => {
        const now = this.find(id);
        return [id, { decision: now?.decision ?? 'open', reason: now?.reason ?? null }];
      }),
    );
    const step: Step = {
      what,
      finding: [...wanted.keys()][0],
      back: async () => {
        if (this.view?.review_id !== review_id) return null;
        let again: Step | null = null;
        return (await this.#save(before, what, (step) => (again = step))) ? again : null;
      },
    };
    this.#show(wanted);
    remember(step);
    try {
      await queueWrite(async () => {
        for (const [one, findings] of grouped(wanted))
          await connection.client.call('finding.decide', { review_id, findings, ...one });
      });
      return true;
    } catch (thrown) {
      undo.forget(step);
      if (this.view?.review_id === review_id) this.#show(before);
      const first = [...wanted.values()][0]!;
      notices.fail(
        thrown,
        triageTexts.decision.notSaved,
        () => void this.decide([...wanted.keys()], first.decision, first.reason),
      );
      return false;
    }
  }

  #show(decisions: Decisions): void {
    if (!this.view) return;
    const findings = this.view.findings.map((one) => {
      const decided = decisions.get(one.finding.key);
      return decided ? { ...one, ...decided } : one;
    });
    this.view = { ...this.view, findings };
  }
}

/** Groups findings with the same decision, so that each group is saved in one call. */
function grouped(decisions: Decisions): [Decided, string[]][] {
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- lives only here
  const groups = new Map<string, [Decided, string[]]>();
  for (const [id, decided] of decisions) {
    const key = JSON.stringify([decided.decision, decided.reason]);
    const group = groups.get(key);
    if (group) group[1].push(id);
    else groups.set(key, [decided, [id]]);
  }
  return [...groups.values()];
}

export const review = new ReviewState();
