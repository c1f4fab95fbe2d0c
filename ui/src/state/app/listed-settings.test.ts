import { expect, it } from 'vitest';
import { listedSettings } from './listed-settings';
import { defaults } from './prefs.svelte';

it('lists the appearance with its defaults, and changed keys', () => {
  const values = { ...defaults, theme: 'dark' as const, scale: 1.2, keys: { history: 'Mod+j' } };
  const listed = listedSettings(values, defaults);
  expect(listed.filter(({ is_default }) => !is_default)).toEqual([
    { key: 'appearance.theme', value: 'dark', is_default: false },
    { key: 'appearance.text_size', value: 1.2, is_default: false },
    { key: 'keys.history', value: 'Mod+j', is_default: false },
  ]);
  expect(listed.filter(({ is_default }) => is_default).map(({ key, value }) => [key, value])).toEqual([
    ['appearance.density', 'usual'],
    ['appearance.diff_font', ''],
    ['appearance.diff_font_size', 1],
    ['appearance.menu_bar', false],
    ['triage.select_next_open', true],
  ]);
});
