import { expect, it, vi } from 'vitest';
import { FakeTransport } from '../../rpc/fake';
import type { ChangeView } from '../../rpc/types.gen';

vi.stubGlobal('window', {});
vi.stubGlobal('requestAnimationFrame', () => 0);
vi.stubGlobal('cancelAnimationFrame', () => {});

const [{ selectDefaultView }, { connection }, { openChange }, { change }, { desk }] = await Promise.all([
  import('./default-view'),
  import('../app/connection.svelte'),
  import('../change/open-change.svelte'),
  import('../change/change.svelte'),
  import('../desk/desk.svelte'),
]);

it('opens an empty merge request with its overview, and the next change with its lines', async () => {
  connection.start(new FakeTransport());
  const listeners: ((other: boolean) => void)[] = [];
  vi.spyOn(change, 'onShown').mockImplementation((listener) => void listeners.push(listener));
  selectDefaultView();
  const show = (view: Partial<ChangeView>) => {
    openChange.view = { target: { kind: 'unstaged' }, ...view } as ChangeView;
    for (const listener of listeners) listener(true);
    return desk.view;
  };
  const files = [{ path: 'a.ts' }] as ChangeView['files'];
  const request = { iid: 7 } as NonNullable<ChangeView['request']>;
  expect(show({ files, request })).toBe('diff');
  expect(show({ files: [], request })).toBe('overview');
  desk.view = 'diff';
  expect(show({ files: [], request })).toBe('diff');
  desk.view = 'overview';
  expect(show({ files, request })).toBe('diff');
  expect(show({ files: [] })).toBe('diff');
  // An overview that the reviewer selected stays.
  desk.view = 'overview';
  expect(show({ files, request })).toBe('overview');
});
