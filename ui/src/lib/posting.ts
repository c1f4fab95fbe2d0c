// Groups the pieces of a posting by their position, and words their results.
import type { ItemResult, Placement, PlannedComment } from '../rpc/types.gen';

const titles: Record<Placement, string> = {
  inline: 'On their lines',
  range: 'On several lines',
  file: 'On their files',
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
      return 'posted on its file';
    case 'in_summary':
      return 'in the summary';
    case 'failed':
      return 'failed';
  }
}
