// Adds, rewrites, restores and removes findings. Each operation can be undone.
import { isOwn, wordsOf } from '../../lib/findings/finding-words';
import { triageTexts } from '../../lib/texts/triage';
import type { EditFindingParams, FindingView, NewFinding, ReviewView } from '../../rpc/types.gen';
import { change } from '../change/change.svelte';
import { connection } from '../app/connection.svelte';
import { notices } from '../app/notices.svelte';
import { openChange } from '../change/open-change.svelte';
import { review } from '../review/review.svelte';
import { undo, type Step } from '../app/undo.svelte';
import { queueWrite } from '../app/write-queue';

type Edit = EditFindingParams['edit'];

/** Adds a finding of the user. Resolves with its key; empty if another change or review is shown by then. */
export async function addFinding(words: NewFinding): Promise<string> {
  const key = await add(words);
  if (key) undo.push({ what: triageTexts.edit.added, finding: key, back: () => removed(key, words) });
  return key;
}

/** Replaces the fields of a finding. */
export async function rewriteFinding(key: string, words: NewFinding): Promise<string> {
  const before = review.find(key);
  const was = before ? wordsOf(before) : words;
  const untouched = before?.finding.original == null && !isOwn(before);
  const sameReview = await send(key, { kind: 'rewrite', words });
  if (sameReview)
    undo.push({ what: triageTexts.edit.edited, finding: key, back: () => rewritten(key, was, !untouched) });
  return key;
}

/** Removes one of the user's findings. */
export async function removeFinding(key: string): Promise<void> {
  const view = review.find(key);
  if (!view) return;
  const words = wordsOf(view);
  try {
    if (await send(key, { kind: 'remove' })) undo.push(backFromRemoval(words, view));
  } catch (thrown) {
    notices.fail(thrown, triageTexts.error.notRemoved);
  }
}

/** Restores the original fields of a finding. */
export async function restoreFinding(key: string): Promise<void> {
  const view = review.find(key);
  if (!view) return;
  const words = wordsOf(view);
  try {
    const sameReview = await send(key, { kind: 'restore' });
    if (sameReview)
      undo.push({ what: triageTexts.edit.restored, finding: key, back: () => rewritten(key, words, true) });
  } catch (thrown) {
    notices.fail(thrown, triageTexts.error.notRestored);
  }
}

/** Replaces the fields of a finding, or restores the original ones. Resolves with the step that undoes it. */
async function rewritten(key: string, words: NewFinding, rewrite: boolean): Promise<Step | null> {
  const now = review.find(key);
  if (!now) return null;
  const was = wordsOf(now);
  const again = now.finding.original != null || isOwn(now);
  try {
    await send(key, rewrite ? { kind: 'rewrite', words } : { kind: 'restore' });
  } catch (thrown) {
    notices.fail(thrown, triageTexts.error.notChanged);
    return null;
  }
  return { what: triageTexts.edit.edited, finding: key, back: () => rewritten(key, was, again) };
}

async function removed(key: string, words: NewFinding): Promise<Step | null> {
  const view = review.find(key);
  if (!view) return null;
  try {
    await send(key, { kind: 'remove' });
  } catch (thrown) {
    notices.fail(thrown, triageTexts.error.notRemoved);
    return null;
  }
  return backFromRemoval(words, view);
}

/** Returns the step that adds a removed finding again. It keeps its key, which earlier steps refer to. */
function backFromRemoval(words: NewFinding, view: FindingView): Step {
  const { key } = view.finding;
  return {
    what: triageTexts.edit.removed,
    back: async () => {
      try {
        if (!(await add(words, key))) return null;
        await review.restore(key, view.decision, view.reason ?? null);
        return { what: triageTexts.edit.removed, finding: key, back: () => removed(key, words) };
      } catch (thrown) {
        notices.fail(thrown, triageTexts.error.notRestored);
        return null;
      }
    },
  };
}

async function add(words: NewFinding, again: string | null = null): Promise<string> {
  const known = new Set(review.findings.map((one) => one.finding.key));
  const { target } = openChange;
  const before = review.view?.review_id;
  const view = await queueWrite(() =>
    openChange.call((change_id) => connection.client.call('finding.add', { change_id, again, ...words })),
  );
  if (openChange.target !== target || !adopt(view, before)) return '';
  return review.findings.find((one) => !known.has(one.finding.key))?.finding.key ?? '';
}

async function send(finding_key: string, edit: Edit): Promise<boolean> {
  const review_id = review.view?.review_id ?? '';
  const view = await queueWrite(() =>
    openChange.call((change_id) =>
      connection.client.call('finding.edit', { change_id, review_id, finding_key, edit }),
    ),
  );
  return adopt(view, review_id);
}

/** Shows the new state of a review. If another review is shown by now, reloads the change and returns false. */
function adopt(view: ReviewView, before: string | undefined): boolean {
  const now = review.view?.review_id;
  const sameReview = now === before || now === view.review_id;
  if (sameReview) review.adopt(view);
  else void change.refresh();
  return sameReview;
}
