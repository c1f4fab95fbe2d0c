// Carries selections and drafts over when the shown review is replaced, and resets them when another change is opened.
import { wordsOf } from '../../lib/findings/finding-words';
import { matchFindings } from '../../lib/findings/match-findings';
import { change } from '../change/change.svelte';
import { desk } from '../desk/desk.svelte';
import { prefs } from '../app/prefs.svelte';
import { prompt } from '../prompt/prompt.svelte';
import { dismissalReason } from './dismissal-reason.svelte';
import { reopening } from '../history/reopen.svelte';
import { review } from '../review/review.svelte';
import { sentPrompt } from '../prompt/sent-prompt.svelte';
import { findingEditor } from './finding-editor.svelte';

export function carryOverState(): void {
  change.onShown((other) => {
    reopening.cancel();
    prompt.forget();
    if (!other) return;
    sentPrompt.forget();
    dismissalReason.close();
    findingEditor.close();
  });
  review.onReplaced = (before, now) => {
    const became = matchFindings(before.findings, now.findings);
    const { editing } = findingEditor;
    const { findingId } = dismissalReason;
    if (editing) findingEditor.close();
    dismissalReason.close();
    const chosen = [...desk.chosen];
    const { selected } = desk;
    const byId = new Map(now.findings.map((view) => [view.finding.id, view]));
    for (const view of before.findings) {
      const id = became.get(view.finding.id);
      const next = id === undefined ? undefined : byId.get(id);
      if (!next) continue;
      hand(prefs.values.words, `edit ${before.review_id} ${view.finding.id}`, `edit ${now.review_id} ${id}`);
      dismissalReason.moveDraft(before.review_id, view.finding.id, now.review_id, became);
      const words = prefs.values.words[`edit ${now.review_id} ${id}`];
      // Words go where the code is now, unless the reviewer gave them other lines.
      const [was, is] = [wordsOf(view), wordsOf(next)];
      if (words && words.line_start === was.line_start && words.line_end === was.line_end)
        Object.assign(words, { side: is.side, line_start: is.line_start, line_end: is.line_end });
    }
    return () => {
      const named = (id: string | null) => (id === null ? null : (became.get(id) ?? null));
      desk.chosen.clear();
      for (const id of chosen) {
        const next = named(id);
        if (next) desk.chosen.add(next);
      }
      desk.selected = named(selected);
      const edited = named(editing);
      if (edited) findingEditor.edit(edited);
      const reasoned = named(findingId);
      if (reasoned) dismissalReason.open(reasoned);
    };
  };
}

function hand<T>(of: Record<string, T>, from: string, to: string): void {
  const left = of[from];
  if (left === undefined) return;
  of[to] = left;
  delete of[from];
}
