import { expect, it } from 'vitest';
import { saidOf } from './suggestion';

it('takes suggestions out of a text, and leaves everything else as it was', () => {
  expect(saidOf('So:\n\n```ts\nx\n```\n\nEnd.')).toEqual([
    { kind: 'prose', text: 'So:\n\n```ts\nx\n```\n\nEnd.' },
  ]);
  expect(saidOf('So:\n\n```suggestion:-1+2\na\nb\n```\n\nEnd.')).toEqual([
    { kind: 'prose', text: 'So:\n\n' },
    { kind: 'suggestion', above: 1, below: 2, text: 'a\nb' },
    { kind: 'prose', text: '\nEnd.' },
  ]);
  expect(saidOf('````suggestion\n```\n````')).toEqual([
    { kind: 'suggestion', above: 0, below: 0, text: '```' },
  ]);
  // Taking lines away is one, too; what has not ended is none yet.
  expect(saidOf('```suggestion:-0+1\n```')).toEqual([{ kind: 'suggestion', above: 0, below: 1, text: '' }]);
  expect(saidOf('```suggestion\na')).toEqual([{ kind: 'prose', text: '```suggestion\na' }]);
});
