import { beforeAll, expect, it, vi } from 'vitest';
import type { ChangeView, FindingView, ReviewView } from '../../rpc/types.gen';

vi.stubGlobal('window', {});
vi.stubGlobal('document', { activeElement: null });
vi.stubGlobal('requestAnimationFrame', () => 0);
vi.stubGlobal('cancelAnimationFrame', () => {});

const finding = (key: string): FindingView =>
  ({
    finding: {
      key,
      severity: 'low',
      category: 'style',
      title: 'One',
      body_markdown: 'Text',
      line_start: 3,
      anchor: { path: 'a.ts', side: 'new', line_start: 3, line_end: 3 },
      sources: ['agent'],
    },
    decision: 'open',
  }) as unknown as FindingView;
const reviewOf = (review_id: string, ...keys: string[]): ReviewView =>
  ({ review_id, findings: keys.map(finding) }) as unknown as ReviewView;

async function desk() {
  const [{ findingEditor }, { review }, { run }, { prefs }, { openChange }, { desk }, { carryOverState }] =
    await Promise.all([
      import('./finding-editor.svelte'),
      import('../review/review.svelte'),
      import('../review/run.svelte'),
      import('../app/prefs.svelte'),
      import('../change/open-change.svelte'),
      import('../desk/desk.svelte'),
      import('./carry-over'),
    ]);
  return { findingEditor, review, run, prefs, openChange, desk, carryOverState };
}

beforeAll(async () => {
  const { openChange, carryOverState } = await desk();
  openChange.repo = { path: '/one', name: 'one', local: [], branches: [], commits: [] };
  openChange.view = { change_id: 'a', title: 'T', files: [{ path: 'a.ts' }] } as unknown as ChangeView;
  carryOverState();
});

it('keeps the form of a new finding open when a review ends', async () => {
  const { findingEditor, review, run, desk: view } = await desk();
  review.adopt(reviewOf('first', 'x'));
  findingEditor.begin({ path: 'a.ts', side: 'new', line_start: 7, line_end: 7 });
  review.adopt(reviewOf('second', 'x', 'y'));
  run.onReviewed();
  expect(findingEditor.place?.line_end).toBe(7);
  expect(view.selected).toBeNull();
  findingEditor.discard();
});

it('keeps the text of an edit whose finding is not in the next review', async () => {
  const { findingEditor, review, prefs } = await desk();
  review.adopt(reviewOf('third', 'x', 'y'));
  for (const id of ['y', 'x']) {
    findingEditor.edit(id);
    prefs.values.unsavedFindings[findingEditor.key]!.body = `My text about ${id}`;
    prefs.values.unsavedFindings[findingEditor.key]!.line_end = id === 'y' ? 5 : 3;
  }
  review.adopt(reviewOf('fourth', 'z'));
  expect(findingEditor.place).toMatchObject({ path: 'a.ts', line_end: 3 });
  expect(prefs.values.unsavedFindings[findingEditor.key]?.body).toBe('My text about x');
  expect(findingEditor.unsaved.map(({ place }) => place?.line_end)).toEqual([5]);
  // A posting contains neither of them.
  expect(findingEditor.unposted).toBe(2);
});
