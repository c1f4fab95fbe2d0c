import { expect, it, vi } from 'vitest';
import { menuLayout, unknownIds } from './menu-layout';

vi.stubGlobal('window', {});
const { actions } = await import('./actions');

it('shows every action once, except the pages of the settings', () => {
  const shown = menuLayout(actions).flatMap(({ items }) => items.flatMap((item) => item?.id ?? []));
  const expected = actions.map(({ id }) => id).filter((id) => !id.startsWith('settings-'));
  expect(shown.toSorted()).toEqual(expected.toSorted());
});

it('names only actions that exist', () => {
  expect(unknownIds(actions)).toEqual([]);
});

it('separates sections, and nothing else', () => {
  for (const { title, items } of menuLayout(actions)) {
    expect(items.at(0), title).not.toBeNull();
    expect(items.at(-1), title).not.toBeNull();
    expect(
      items.some((item, at) => item === null && items[at + 1] === null),
      title,
    ).toBe(false);
  }
});

it('adds an action that has no place to the menu of its group', () => {
  const menus = menuLayout([...actions, { ...actions[0]!, id: 'new', group: 'view' }]);
  expect(menus.find(({ items }) => items.some((item) => item?.id === 'new'))?.title).toBe('View');
});

it('gives a key to one action only', () => {
  const keys = actions.flatMap(({ keys }) => keys ?? []);
  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
});
