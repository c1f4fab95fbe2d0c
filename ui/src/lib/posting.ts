// Groups the pieces of a posting by their position, and words their results and verdicts.
import { plural } from './text/format';
import type { ItemResult, Placement, PlannedComment, PostOutcome, PostVerdict } from '../rpc/types.gen';

const titles: Record<Placement, string> = {
  inline: 'Inline',
  range: 'Multiple lines',
  file: 'Files',
  in_summary: 'In the summary',
  summary: 'Summary',
  replaced: 'Summary, replaces the earlier one',
};
const order: readonly Placement[] = ['inline', 'range', 'file', 'in_summary', 'summary', 'replaced'];

/** Returns the groups that are not empty, in order. */
export function landingGroups(
  pieces: readonly PlannedComment[],
): { title: string; pieces: PlannedComment[] }[] {
  return order
    .map((placement) => ({
      title: titles[placement],
      pieces: pieces.filter((piece) => piece.placement === placement),
    }))
    .filter((group) => group.pieces.length > 0);
}

export function stateWords({ state }: ItemResult): string {
  switch (state) {
    case 'waiting':
      return 'waiting';
    case 'sending':
      return 'sending…';
    case 'prepared':
      return 'saved as draft';
    case 'already_there':
      return 'already posted';
    case 'landed':
      return 'posted';
    case 'on_file':
      return 'moved to the file';
    case 'in_summary':
      return 'moved to the summary';
    case 'failed':
      return 'failed';
  }
}

/** The verdicts, in the order in which they are offered. */
export const verdicts: readonly { verdict: PostVerdict; text: string }[] = [
  { verdict: 'comment', text: 'Comment' },
  { verdict: 'approve', text: 'Approve' },
  { verdict: 'request_changes', text: 'Request changes' },
];

/** Returns the label of the button that posts comments and gives a verdict. */
export function actionLabel(verdict: PostVerdict, comments: number): string {
  if (verdict === 'comment') return 'Post';
  if (comments === 0) return verdict === 'approve' ? 'Approve' : 'Request changes';
  return verdict === 'approve' ? 'Post and approve' : 'Post and request changes';
}

/** Returns whether all comments of a posting are posted. */
export const hasAllComments = (outcome: PostOutcome): boolean =>
  !outcome.error && outcome.items.every((item) => item.state !== 'failed');

/** Returns whether a posting has nothing left to do, with the verdict that is selected now. */
export const isDone = (outcome: PostOutcome, verdict: PostVerdict): boolean =>
  hasAllComments(outcome) &&
  (verdict === 'comment' || (outcome.verdict?.verdict === verdict && isGiven(outcome)));

const isGiven = ({ verdict }: PostOutcome): boolean =>
  verdict?.state === 'given' || verdict?.state === 'already_given';

/** Describes the result of the comments of a posting in one or two sentences. */
export function commentsResult(outcome: PostOutcome): string {
  const { items } = outcome;
  if (items.length === 0) return '';
  const failed = items.filter((item) => item.state === 'failed').length;
  const moved = items.filter((item) => item.state === 'on_file' || item.state === 'in_summary').length;
  const posted = failed > 0 ? `${plural(failed, 'comment')} failed.` : 'Everything is posted.';
  return moved > 0 ? `${posted} ${plural(moved, 'comment')} moved.` : posted;
}

/** Describes the result of the verdict of a posting in one sentence. Empty if none was selected. */
export function verdictResult({ verdict }: PostOutcome): string {
  if (!verdict) return '';
  const approve = verdict.verdict === 'approve';
  switch (verdict.state) {
    case 'given':
      return approve ? 'Approved.' : 'Changes requested.';
    case 'already_given':
      return approve ? 'Already approved.' : 'Changes were already requested.';
    case 'not_sent':
      return approve
        ? 'Not approved, because not all comments are posted.'
        : 'Changes not requested, because not all comments are posted.';
    case 'failed':
      return approve ? 'Not approved.' : 'Changes not requested.';
  }
}
