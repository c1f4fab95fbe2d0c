import { describe, expect, it } from 'vitest';
import { mergedPreferences } from './merged-preferences';
import { defaults } from './prefs.svelte';

describe('the preferences of several windows', () => {
  it('keep the texts of each other', () => {
    const base = { ...defaults, drafts: { shared: 'one', gone: 'x' } };
    const own = { ...base, drafts: { shared: 'one', mine: 'new' } };
    const stored = { ...base, drafts: { shared: 'edited', gone: 'x', theirs: 'unsent' } };
    expect(mergedPreferences(base, own, stored).drafts).toEqual({
      shared: 'edited',
      mine: 'new',
      theirs: 'unsent',
    });
  });

  it('change only what this window changed', () => {
    const own = { ...defaults, theme: 'dark' as const };
    const stored = { ...defaults, density: 'compact', theme: 'light' };
    expect(mergedPreferences(defaults, own, stored)).toMatchObject({ theme: 'dark', density: 'compact' });
  });

  it('have own values where nothing is stored', () => {
    expect(mergedPreferences({}, defaults, {})).toEqual(defaults);
  });
});
