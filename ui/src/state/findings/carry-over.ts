// Keeps the selection and unsaved edits when another review of the same change is shown, and resets them for another change.
import { isTyping } from '../../lib/text/keys';
import { wordsOf } from '../../lib/findings/finding-words';
import { change } from '../change/change.svelte';
import { desk } from '../desk/desk.svelte';
import { prefs } from '../app/prefs.svelte';
import { prompt } from '../prompt/prompt.svelte';
import { dismissalReason } from './dismissal-reason.svelte';
import { reopening } from '../history/reopen.svelte';
import { review } from '../review/review.svelte';
import { run } from '../review/run.svelte';
import { sentPrompt } from '../prompt/sent-prompt.svelte';
import { editKey, findingEditor } from './finding-editor.svelte';

export function carryOverState(): void {
  change.onShown((other) => {
    reopening.cancel();
    prompt.forget();
    if (!other) return;
    sentPrompt.forget();
    dismissalReason.close();
    findingEditor.close();
  });
  run.onReviewed = () => {
    // The view does not change while the user reads another one, or writes.
    const writes = findingEditor.open || isTyping(document.activeElement);
    if (desk.view === 'diff' && !writes && desk.selected === null) desk.stepOpen(1);
  };
  review.onReplaced = (before, now) => {
    findingEditor.keepEditsOf(before);
    if (!review.find(dismissalReason.findingId)) dismissalReason.close();
    desk.keepKnown((key) => review.find(key) !== undefined);
    const earlier = new Map(before.findings.map((view) => [view.finding.key, view]));
    for (const view of now.findings) {
      const { key } = view.finding;
      const then = earlier.get(key);
      if (!then) continue;
      dismissalReason.moveDraft(key, before.review_id, now.review_id);
      const unsaved = prefs.values.unsavedFindings;
      const words = unsaved[editKey(before.review_id, key)];
      if (!words) continue;
      delete unsaved[editKey(before.review_id, key)];
      // An unsaved edit follows the code, unless the user changed its lines.
      const [was, is] = [wordsOf(then), wordsOf(view)];
      const follows = words.line_start === was.line_start && words.line_end === was.line_end;
      const lines = { side: is.side, line_start: is.line_start, line_end: is.line_end };
      unsaved[editKey(now.review_id, key)] = follows ? { ...words, ...lines } : words;
    }
  };
}
