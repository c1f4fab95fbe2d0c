// Groups the comments of a posting by their position, and words their results and verdicts.
import type {
  FindingElsewhere,
  ItemResult,
  LayerOfFinding,
  Placement,
  PlannedComment,
  PostOutcome,
  PostVerdict,
} from '../rpc/types.gen';
import { postingTexts } from './texts/posting';

const titles: Record<Placement, string> = {
  inline: postingTexts.placement.inline,
  range: postingTexts.placement.range,
  file: postingTexts.placement.file,
  in_summary: postingTexts.placement.inSummary,
  summary: postingTexts.placement.summary,
  replaced: postingTexts.placement.replaced,
};
const order: readonly Placement[] = ['inline', 'range', 'file', 'in_summary', 'summary', 'replaced'];

/** Returns the groups that are not empty, in order. */
export function landingGroups(
  comments: readonly PlannedComment[],
): { title: string; comments: PlannedComment[] }[] {
  return order
    .map((placement) => ({
      title: titles[placement],
      comments: comments.filter((comment) => comment.placement === placement),
    }))
    .filter((group) => group.comments.length > 0);
}

/** A row of the list of comments. */
export type PostRow =
  | { kind: 'group'; title: string; count: number }
  | { kind: 'comment'; comment: PlannedComment; number: number }
  | { kind: 'elsewhere' };

/** Returns the rows of the list: the groups with their comments, which are numbered from 1, and the findings of other layers. */
export function postRows(comments: readonly PlannedComment[], elsewhere: boolean): PostRow[] {
  const rows: PostRow[] = [];
  let number = 0;
  for (const group of landingGroups(comments)) {
    rows.push({ kind: 'group', title: group.title, count: group.comments.length });
    for (const comment of group.comments) rows.push({ kind: 'comment', comment, number: ++number });
  }
  if (elsewhere) rows.push({ kind: 'elsewhere' });
  return rows;
}

export const postRowKey = (row: PostRow): string =>
  row.kind === 'comment' ? `c ${row.comment.key}` : row.kind === 'group' ? `g ${row.title}` : row.kind;

export function stateWords({ state }: ItemResult): string {
  switch (state) {
    case 'waiting':
      return postingTexts.state.waiting;
    case 'sending':
      return postingTexts.state.sending;
    case 'prepared':
      return postingTexts.state.draft;
    case 'already_there':
      return postingTexts.state.already;
    case 'landed':
      return postingTexts.state.posted;
    case 'on_file':
      return postingTexts.state.onFile;
    case 'in_summary':
      return postingTexts.state.inSummary;
    case 'failed':
      return postingTexts.state.failed;
  }
}

/** Returns a waiting result for each comment. Comments in the summary are posted with it. */
export const waitingResults = (comments: readonly PlannedComment[]): Record<string, ItemResult> =>
  Object.fromEntries(
    comments
      .filter((comment) => comment.placement !== 'in_summary')
      .map(({ key, finding = null, title }) => [key, { key, finding, title, state: 'waiting' }]),
  );

/** Returns the results of a posting by comment. A retry does not hide where an earlier attempt posted a comment. */
export const resultsOf = (
  { items }: PostOutcome,
  before: Readonly<Record<string, ItemResult>>,
): Record<string, ItemResult> =>
  Object.fromEntries(
    items.map((item) => {
      const earlier = before[item.key];
      return [item.key, item.state === 'already_there' && earlier?.url ? earlier : item];
    }),
  );

/** The verdicts, in the order in which they are offered. */
export const verdicts: readonly { verdict: PostVerdict; text: string }[] = [
  { verdict: 'comment', text: postingTexts.verdict.comment },
  { verdict: 'approve', text: postingTexts.verdict.approve },
  { verdict: 'request_changes', text: postingTexts.verdict.requestChanges },
];

/** Returns the label of the button that posts comments and gives a verdict. */
export function actionLabel(verdict: PostVerdict, comments: number): string {
  if (verdict === 'comment') return postingTexts.action.post;
  if (comments === 0)
    return verdict === 'approve' ? postingTexts.action.approve : postingTexts.action.requestChanges;
  return verdict === 'approve'
    ? postingTexts.action.postAndApprove
    : postingTexts.action.postAndRequestChanges;
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
  const posted = failed > 0 ? postingTexts.result.failed(failed) : postingTexts.result.all;
  const result = moved > 0 ? postingTexts.result.moved(posted, moved) : posted;
  return outcome.journal_error ? postingTexts.result.notRecorded(result) : result;
}

/** Describes the result of the verdict of a posting in one sentence. Empty if none was selected. */
export function verdictResult({ verdict }: PostOutcome): string {
  if (!verdict) return '';
  const approve = verdict.verdict === 'approve';
  switch (verdict.state) {
    case 'given':
      return approve ? postingTexts.result.approved : postingTexts.result.changesRequested;
    case 'already_given':
      return approve ? postingTexts.result.alreadyApproved : postingTexts.result.alreadyRequested;
    case 'not_sent':
      return approve ? postingTexts.result.notApprovedYet : postingTexts.result.notRequestedYet;
    case 'failed':
      return approve ? postingTexts.result.notApproved : postingTexts.result.notRequested;
  }
}

/** Returns findings of lower layers by their layer. */
export function byLayer(
  findings: readonly FindingElsewhere[],
): { layer: LayerOfFinding; findings: FindingElsewhere[] }[] {
  const groups = new Map<string, { layer: LayerOfFinding; findings: FindingElsewhere[] }>();
  for (const finding of findings) {
    const group = groups.get(finding.layer.name) ?? { layer: finding.layer, findings: [] };
    group.findings.push(finding);
    groups.set(finding.layer.name, group);
  }
  return [...groups.values()];
}
