import { expect, it } from 'vitest';
import { commentParts } from './comment-parts';

it('splits suggestions from the text', () => {
  expect(commentParts('So:\n\n```ts\nx\n```\n\nEnd.')).toEqual([
    { kind: 'prose', text: 'So:\n\n```ts\nx\n```\n\nEnd.' },
  ]);
  expect(commentParts('So:\n\n```suggestion:-1+2\na\nb\n```\n\nEnd.')).toEqual([
    { kind: 'prose', text: 'So:\n\n' },
    { kind: 'suggestion', above: 1, below: 2, text: 'a\nb' },
    { kind: 'prose', text: '\nEnd.' },
  ]);
  expect(commentParts('````suggestion\n```\n````')).toEqual([
    { kind: 'suggestion', above: 0, below: 0, text: '```' },
  ]);
  // A suggestion may only remove lines. An unclosed block is not a suggestion.
  expect(commentParts('```suggestion:-0+1\n```')).toEqual([
    { kind: 'suggestion', above: 0, below: 1, text: '' },
  ]);
  expect(commentParts('```suggestion\na')).toEqual([{ kind: 'prose', text: '```suggestion\na' }]);
});

it('ignores suggestions beyond the range that GitLab allows', () => {
  for (const info of ['suggestion:-0+2000000000', 'suggestion:-101+0', `suggestion:-0+${'9'.repeat(400)}`])
    expect(commentParts('```' + info + '\nx\n```').map((one) => one.kind)).toEqual(['prose']);
  expect(commentParts('```suggestion:-100+100\nx\n```')[0]?.kind).toBe('suggestion');
});
