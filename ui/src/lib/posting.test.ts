import { describe, expect, it } from 'vitest';
import type {
  ItemState,
  Placement,
  PlannedComment,
  PostOutcome,
  PostVerdict,
  VerdictState,
} from '../rpc/types.gen';
import { actionLabel, commentsResult, isDone, postRowKey, postRows, verdictResult } from './posting';

const outcome = (states: ItemState[], verdict?: [PostVerdict, VerdictState]): PostOutcome => ({
  complete: false,
  way: { drafts: false, together: false, summary_along: false, reason: '' },
  items: states.map((state, at) => ({ key: `${at}`, title: `Comment ${at}`, state })),
  verdict: verdict ? { verdict: verdict[0], state: verdict[1] } : null,
});

describe('a posting', () => {
  it('names its action by what others will see', () => {
    expect(actionLabel('comment', 3)).toBe('Post');
    expect(actionLabel('approve', 3)).toBe('Post and approve');
    expect(actionLabel('approve', 0)).toBe('Approve');
    expect(actionLabel('request_changes', 1)).toBe('Post and request changes');
    expect(actionLabel('request_changes', 0)).toBe('Request changes');
  });

  it('is done only with all comments and the selected verdict', () => {
    expect(isDone(outcome(['landed', 'on_file']), 'comment')).toBe(true);
    expect(isDone(outcome(['landed', 'failed']), 'comment')).toBe(false);
    expect(isDone(outcome(['landed'], ['approve', 'given']), 'approve')).toBe(true);
    expect(isDone(outcome([], ['approve', 'already_given']), 'approve')).toBe(true);
    expect(isDone(outcome(['landed'], ['approve', 'failed']), 'approve')).toBe(false);
    expect(isDone(outcome(['failed'], ['approve', 'not_sent']), 'approve')).toBe(false);
    // After a failure, the reviewer may select another verdict, or none.
    expect(isDone(outcome(['landed'], ['approve', 'failed']), 'comment')).toBe(true);
    expect(isDone(outcome(['landed'], ['approve', 'given']), 'request_changes')).toBe(false);
  });

  it('reports the comments and the verdict separately', () => {
    expect(commentsResult(outcome(['landed', 'on_file', 'in_summary']))).toBe('Posted. 2 comments moved.');
    expect(commentsResult(outcome(['landed', 'failed']))).toBe('1 comment failed.');
    const journal_error = {
      error_code: 'STORE_FAILED' as const,
      message: 'disk full',
      retryable: false,
      context: {},
    };
    expect(commentsResult({ ...outcome(['landed']), journal_error })).toBe(
      'Posted. The result could not be saved on this machine.',
    );
    expect(commentsResult(outcome([]))).toBe('');
    expect(verdictResult(outcome(['landed']))).toBe('');
    expect(verdictResult(outcome(['landed'], ['approve', 'failed']))).toBe('Not approved.');
    expect(verdictResult(outcome(['failed'], ['request_changes', 'not_sent']))).toBe(
      'Changes not requested, because not all comments are posted.',
    );
  });
});

describe('the list of comments', () => {
  const comment = (key: string, placement: Placement) => ({ key, placement }) as PlannedComment;
  const shown = (comments: PlannedComment[], elsewhere: boolean) =>
    postRows(comments, elsewhere).map((row) =>
      row.kind === 'group'
        ? `${row.title} ${row.count}`
        : row.kind === 'comment'
          ? `${row.number} ${row.comment.key}`
          : row.kind,
    );

  it('has a row for each group and comment, numbered as they are read', () => {
    const comments = [comment('a', 'file'), comment('b', 'inline'), comment('c', 'file')];
    expect(shown(comments, true)).toEqual(['Inline 1', '1 b', 'Files 2', '2 a', '3 c', 'elsewhere']);
    expect(shown([], false)).toEqual([]);
    const keys = postRows([...comments, comment('elsewhere', 'inline')], true).map(postRowKey);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
