// Actions of the conversation.
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
    title: 'Cancel the review, or stop the answer',
    group: 'Review',
    keys: ['Mod+.'],
    can: () => run.running || chat.busy,
    run: () => (run.running ? run.cancel() : chat.stop()),
  },
  {
    id: 'discuss',
    title: 'Discuss the finding, the selected lines or the change',
    group: 'Conversation',
    keys: ['c'],
    can: hasChange,
    run: discuss,
  },
  {
    id: 'discuss-file',
    title: 'Discuss the file',
    group: 'Conversation',
    keys: ['F'],
    can: hasFiles,
    run: discussFile,
  },
  {
    id: 'conversation',
    title: 'Show or hide the conversation',
    group: 'Conversation',
    keys: ['C'],
    can: hasChange,
    run: () => (prefs.values.chatOpen = !prefs.values.chatOpen),
  },
  {
    id: 'new-conversation',
    title: 'Start a new conversation',
    group: 'Conversation',
    keys: [],
    can: hasChange,
    run: () => {
      prefs.values.chatOpen = true;
      chat.startNew();
    },
  },
  {
    id: 'snippets',
    title: 'Snippets',
    group: 'Conversation',
    keys: ['Mod+/'],
    can: hasChange,
    run: toggleSnippets,
  },
  {
    id: 'edit-snippets',
    title: 'Edit the snippets',
    group: 'Conversation',
    keys: [],
    can: () => true,
    run: () => settings.open('snippets'),
  },
  {
    id: 'prompt-files',
    title: 'Edit the prompt files',
    group: 'Review',
    keys: [],
    can: () => true,
    run: () => settings.open('prompts'),
  },
  {
    id: 'commit-message',
    title: 'Write a commit message',
    group: 'Change',
    keys: [],
    can: () => hasFiles() && ['unstaged', 'staged', 'all'].includes(openChange.target?.kind ?? ''),
    run: () => (desk.overlay = 'commit'),
  },
];
