// Actions of the inbox that work everywhere. The inbox itself has its own keys.
import { actionTexts } from '../../lib/texts/actions';
import { inboxTexts } from '../../lib/texts/inbox';
import { allowNotifications } from '../../rpc/desktop';
import { notices } from '../app/notices.svelte';
import { inbox } from '../inbox/inbox.svelte';
import { reviewQueue } from '../inbox/queue.svelte';
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
  {
    id: 'inbox-notify',
    title: actionTexts.general.inboxNotify,
    group: 'general',
    keys: [],
    can: () => inbox.used,
    run: () => void allow(),
  },
  {
    id: 'queue-show',
    title: actionTexts.general.queueShow,
    group: 'general',
    keys: [],
    can: () => inbox.used,
    run: () => {
      if (!inbox.shown) inbox.show();
      reviewQueue.shown = true;
    },
  },
  {
    id: 'queue-switch',
    title: actionTexts.general.queueSwitch,
    group: 'general',
    keys: [],
    can: () => inbox.used,
    run: () => void reviewQueue.switch(!reviewQueue.view?.on),
  },
  {
    id: 'queue-all',
    title: actionTexts.general.queueAll,
    group: 'general',
    keys: [],
    can: () => inbox.used,
    run: () => void reviewQueue.add([], true),
  },
];

async function allow(): Promise<void> {
  const { message } = inboxTexts;
  notices.info((await allowNotifications()) ? message.allowed : message.notAllowed);
}
