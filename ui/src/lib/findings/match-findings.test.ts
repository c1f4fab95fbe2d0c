import { expect, it } from 'vitest';
import type { FindingView } from '../../rpc/types.gen';
import { matchFindings } from './match-findings';

const finding = (id: string, title: string, code: string, original?: string): FindingView =>
  ({
    finding: {
      id,
      title,
      code,
      body_markdown: 'text',
      anchor: { path: 'a.rs' },
      original: original ? { title: original, body_markdown: 'text' } : null,
    },
    decision: 'open',
  }) as unknown as FindingView;

it('finds the same remarks under other names, each once', () => {
  const before = [
    finding('f1', 'One', 'a'),
    finding('f2', 'My words', 'b', 'Two'),
    finding('f3', 'Three', 'c'),
  ];
  const now = [finding('f1', 'Three', 'd'), finding('f2', 'One', 'a'), finding('f3', 'Two', 'b')];
  expect([...matchFindings(before, now)]).toEqual([
    ['f1', 'f2'],
    ['f2', 'f3'],
    ['f3', 'f1'],
  ]);
});

it('prefers the same code where headlines are the same, and leaves out what is gone', () => {
  const before = [finding('f1', 'Again', 'a'), finding('f2', 'Again', 'b'), finding('f3', 'Gone', 'c')];
  const now = [finding('f1', 'Again', 'b'), finding('f2', 'Again', 'x'), finding('f3', 'New', 'c')];
  expect([...matchFindings(before, now)].sort()).toEqual([
    ['f1', 'f2'],
    ['f2', 'f1'],
  ]);
});
