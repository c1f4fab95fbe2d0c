// Actions that open the settings: as a whole, and each page.
import { actionTexts } from '../../lib/texts/actions';
import { PAGES, settings } from '../settings/settings.svelte';
import { trust } from '../settings/trust.svelte';
import type { Action } from './view-actions';

export const settingsActions: Action[] = [
  {
    id: 'settings',
    title: actionTexts.general.settings,
    group: 'general',
    keys: ['Mod+,'],
    can: () => true,
    run: () => settings.open(),
  },
  ...PAGES.map((page): Action => ({
    id: `settings-${page.id}`,
    title: actionTexts.general.settingsPage(page.title),
    group: 'general',
    keys: [],
    can: () => true,
    run: () => settings.open(page.id),
  })),
  {
    id: 'trust',
    title: actionTexts.general.trust,
    group: 'general',
    keys: [],
    can: () => trust.requested !== null,
    run: () => settings.open('trust'),
  },
];
