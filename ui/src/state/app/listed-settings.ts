// The page's settings as `diffsan config` lists them: the appearance and the user's key bindings. The core stores the list and does not
// know the settings.
import type { Preferences } from './prefs.svelte';

/** A setting for display. The core reads this format. */
export interface ListedSetting {
  key: string;
  value: unknown;
  is_default: boolean;
}

/** The names of the listed preferences. */
const NAMES = {
  theme: 'appearance.theme',
  scale: 'appearance.text_size',
  density: 'appearance.density',
  codeFont: 'appearance.diff_font',
  codeSize: 'appearance.diff_font_size',
  menu: 'appearance.menu_bar',
  selectNextOpen: 'triage.select_next_open',
} satisfies Partial<Record<keyof Preferences, string>>;

export function listedSettings(values: Preferences, defaults: Preferences): ListedSetting[] {
  const names = Object.entries(NAMES) as [keyof typeof NAMES, string][];
  const appearance = names.map(([name, key]) => ({
    key,
    value: values[name],
    is_default: values[name] === defaults[name],
  }));
  const keys = Object.entries(values.keys).map(([action, value]) => ({
    key: `keys.${action}`,
    value,
    is_default: false,
  }));
  return [...appearance, ...keys];
}
