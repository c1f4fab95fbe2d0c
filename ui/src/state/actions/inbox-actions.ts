// Actions of the inbox that work everywhere. The inbox itself has its own keys.
import { actionTexts } from '../../lib/texts/actions';
import { inbox } from '../inbox/inbox.svelte';
import type { Action } from './view-actions';

export const inboxActions: Action[] = [
  {
    id: 'inbox',
    title: actionTexts.general.inbox,
    group: 'general',
    keys: ['I'],
    can: () => true,
    run: () => inbox.toggle(),
  },
  {
    id: 'inbox-next',
    title: actionTexts.general.inboxNext,
    group: 'general',
    keys: ['G'],
    can: () => inbox.used,
    run: () => void inbox.openNext(),
  },
];
