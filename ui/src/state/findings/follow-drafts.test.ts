import { expect, it, vi } from 'vitest';
import type { ChangeView } from '../../rpc/types.gen';
import type { Hunk } from '../../lib/diff/lines';

vi.stubGlobal('window', {});
vi.stubGlobal('requestAnimationFrame', () => 0);
vi.stubGlobal('cancelAnimationFrame', () => {});

const hunk = (...lines: [number, string][]): Hunk =>
  ({ lines: lines.map(([number, text]) => ({ old: null, new: number, text })) }) as unknown as Hunk;

it('moves an unsaved finding to the new place of its line', async () => {
  const [{ findingEditor }, { change }, { openChange }, { prefs }, { followDrafts }] = await Promise.all([
    import('./finding-editor.svelte'),
    import('../change/change.svelte'),
    import('../change/open-change.svelte'),
    import('../app/prefs.svelte'),
    import('./follow-drafts'),
  ]);
  openChange.repo = { path: '/one', name: 'one', local: [], branches: [], commits: [] };
  openChange.view = { change_id: 'a', title: 'T', files: [{ path: 'a.ts' }] } as unknown as ChangeView;
  findingEditor.begin({ path: 'a.ts', side: 'new', line_start: 33, line_end: 33 }, 'let x;');
  prefs.values.unsavedFindings[findingEditor.key]!.body = 'Why?';

  change.loaded = { hunks: [[hunk([36, 'first'], [37, 'let x;'])]], counts: [2] };
  followDrafts();
  expect(findingEditor.place).toMatchObject({ line_start: 37, line_end: 37 });
  const words = () => prefs.values.unsavedFindings[findingEditor.key]!;
  expect(words()).toMatchObject({ body: 'Why?', line_start: 37, line_end: 37 });
  expect(words().stale).toBeUndefined();

  change.loaded = { hunks: [[hunk([37, 'other'])]], counts: [1] };
  followDrafts();
  expect(findingEditor.place).toMatchObject({ line_start: 37 });
  expect(words().stale).toBe(true);
});
