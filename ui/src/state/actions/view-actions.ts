// The Action type, and the actions that export a review or change the layout.
import { inWindow } from '../../rpc/desktop';
import { exportFormats } from '../../rpc/types.gen';
import { nextTheme } from './commands';
import { printReview, saveReview } from '../review/export';
import { notices } from '../app/notices.svelte';
import { desk } from '../desk/desk.svelte';
import { openChange } from '../change/open-change.svelte';
import { prefs } from '../app/prefs.svelte';
import { review } from '../review/review.svelte';

export interface Action {
  id: string;
  title: string;
  group: 'Findings' | 'Change' | 'Review' | 'Conversation' | 'View' | 'General';
  /** Key names as `keyName` returns them. The first one is shown. */
  keys: string[];
  /** Whether the action is available now. */
  can: () => boolean;
  run: () => void;
}

/** Actions that export the review. */
export const documentActions: Action[] = [
  ...exportFormats.map(({ name, title }): Action => ({
    id: `save-${name}`,
    title: `Save the review as ${title}`,
    group: 'Review',
    keys: name === 'html' ? ['Mod+s'] : [],
    can: () => review.view !== null,
    run: () => void saveReview(name),
  })),
  {
    id: 'print',
    title: 'Print the review',
    group: 'Review',
    keys: [],
    can: () => review.view !== null,
    run: printReview,
  },
];

export const viewActions: Action[] = [
  {
    id: 'mode',
    title: 'Switch between unified and split view',
    group: 'View',
    keys: ['v'],
    can: () => openChange.view !== null,
    run: () => (prefs.values.mode = prefs.values.mode === 'unified' ? 'split' : 'unified'),
  },
  {
    id: 'overview',
    title: 'Show or hide the overview of the change',
    group: 'Change',
    keys: ['b'],
    can: () => (openChange.view?.files.length ?? 0) > 0,
    run: () => (desk.view = desk.view === 'overview' ? 'diff' : 'overview'),
  },
  {
    id: 'wrap',
    title: 'Wrap long lines, or scroll them',
    group: 'View',
    keys: ['W'],
    can: () => openChange.view !== null,
    run: () => (prefs.values.wrap = !prefs.values.wrap),
  },
  {
    id: 'whitespace',
    title: 'Ignore or show whitespace changes',
    group: 'View',
    keys: ['w'],
    can: () => openChange.view !== null,
    run: () => (prefs.values.ignoreWhitespace = !prefs.values.ignoreWhitespace),
  },
  {
    id: 'file-tree',
    title: 'List the files as a tree or flat',
    group: 'View',
    keys: ['t'],
    can: () => openChange.view !== null,
    run: () => (prefs.values.fileTree = !prefs.values.fileTree),
  },
  {
    id: 'close-messages',
    title: 'Close all messages',
    group: 'View',
    keys: [],
    can: () => notices.all.length > 0,
    run: () => notices.closeAll(),
  },
  {
    id: 'menu',
    title: 'Show or hide the menu bar',
    group: 'View',
    keys: ['F10'],
    can: inWindow,
    run: () => (prefs.values.menu = !prefs.values.menu),
  },
  {
    id: 'theme',
    title: 'Switch between light, dark and system theme',
    group: 'View',
    keys: ['T'],
    can: () => true,
    run: nextTheme,
  },
  {
    id: 'larger',
    title: 'Increase the text size',
    group: 'View',
    keys: ['Mod+=', 'Mod+Shift++', 'Mod++'],
    can: () => true,
    run: () => prefs.resize(prefs.values.scale + 0.1),
  },
  {
    id: 'smaller',
    title: 'Decrease the text size',
    group: 'View',
    keys: ['Mod+-'],
    can: () => true,
    run: () => prefs.resize(prefs.values.scale - 0.1),
  },
  {
    id: 'usual',
    title: 'Reset the text size',
    group: 'View',
    keys: ['Mod+0'],
    can: () => true,
    run: () => prefs.resize(1),
  },
];
