// Actions of the conversation.
import { actionTexts } from '../../lib/texts/actions';
import type { Action } from './view-actions';
import { chat } from '../chat/chat.svelte';
import { discuss, discussFile, toggleSnippets } from './commands';
import { desk } from '../desk/desk.svelte';
import { openChange } from '../change/open-change.svelte';
import { prefs } from '../app/prefs.svelte';
import { run } from '../review/run.svelte';
import { settings } from '../settings/settings.svelte';

const hasChange = () => openChange.view !== null;
const hasFiles = () => (openChange.view?.files.length ?? 0) > 0;

export const chatActions: Action[] = [
  {
    id: 'cancel',
    title: actionTexts.review.cancel,
    group: 'review',
    keys: ['Mod+.'],
    can: () => run.running || chat.busy,
    run: () => (run.running ? run.cancel() : chat.stop()),
  },
  {
    id: 'discuss',
    title: actionTexts.conversation.discuss,
    group: 'conversation',
    keys: ['c'],
    can: hasChange,
    run: discuss,
  },
  {
    id: 'discuss-file',
    title: actionTexts.conversation.discussFile,
    group: 'conversation',
    keys: ['F'],
    can: hasFiles,
    run: discussFile,
  },
  {
    id: 'conversation',
    title: actionTexts.conversation.conversation,
    group: 'conversation',
    keys: ['C'],
    can: hasChange,
    run: () => (prefs.values.chatOpen = !prefs.values.chatOpen),
  },
  {
    id: 'new-conversation',
    title: actionTexts.conversation.newConversation,
    group: 'conversation',
    keys: [],
    can: hasChange,
    run: () => {
      prefs.values.chatOpen = true;
      chat.startNew();
    },
  },
  {
    id: 'snippets',
    title: actionTexts.conversation.snippets,
    group: 'conversation',
    keys: ['Mod+/'],
    can: hasChange,
    run: toggleSnippets,
  },
  {
    id: 'edit-snippets',
    title: actionTexts.conversation.editSnippets,
    group: 'conversation',
    keys: [],
    can: () => true,
    run: () => settings.open('snippets'),
  },
  {
    id: 'prompt-files',
    title: actionTexts.review.promptFiles,
    group: 'review',
    keys: [],
    can: () => true,
    run: () => settings.open('prompts'),
  },
  {
    id: 'commit-message',
    title: actionTexts.change.commitMessage,
    group: 'change',
    keys: [],
    can: () => hasFiles() && ['unstaged', 'staged', 'all'].includes(openChange.target?.kind ?? ''),
    run: () => (desk.overlay = 'commit'),
  },
];
