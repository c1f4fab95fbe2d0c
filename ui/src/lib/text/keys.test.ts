import { expect, it } from 'vitest';
import { keyLabel, keyName } from './keys';

const press = (
  key: string,
  held: Partial<Record<'ctrlKey' | 'altKey' | 'shiftKey' | 'metaKey', true>> = {},
) => ({
  ...{ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false },
  ...held,
});

it('names keys with Alt, but not characters that Alt types', () => {
  expect(keyName(press('ArrowLeft', { altKey: true }), false)).toBe('Alt+ArrowLeft');
  expect(keyName(press('F12', { altKey: true }), true)).toBe('Alt+F12');
  expect(keyName(press('F12', { altKey: true, shiftKey: true }), false)).toBe('Alt+Shift+F12');
  expect(keyName(press('F12', { shiftKey: true }), false)).toBe('Shift+F12');
  expect(keyName(press('@', { altKey: true }), true)).toBeNull();
  expect(keyName(press('F12', { altKey: true, ctrlKey: true }), false)).toBeNull();
  expect(keyName(press('Alt', { altKey: true }), false)).toBeNull();
});

it('labels keys with Alt', () => {
  expect(keyLabel('Alt+ArrowLeft', false)).toBe('Alt+←');
  expect(keyLabel('Alt+ArrowLeft', true)).toBe('⌥←');
});
