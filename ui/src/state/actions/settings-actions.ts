// Actions that open the settings: as a whole, and each page.
import { PAGES, settings } from '../settings/settings.svelte';
import { trust } from '../settings/trust.svelte';
import type { Action } from './view-actions';

export const settingsActions: Action[] = [
  {
    id: 'settings',
    title: 'Settings',
    group: 'General',
    keys: ['Mod+,'],
    can: () => true,
    run: () => settings.open(),
  },
  ...PAGES.map((page): Action => ({
    id: `settings-${page.id}`,
    title: `Settings: ${page.title}`,
    group: 'General',
    keys: [],
    can: () => true,
    run: () => settings.open(page.id),
  })),
  {
    id: 'trust',
    title: 'Show this repository’s trust requests',
    group: 'General',
    keys: [],
    can: () => trust.requested !== null,
    run: () => settings.open('trust'),
  },
];
