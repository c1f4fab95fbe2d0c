// The Action type, and the actions that export a review or change the layout.
import { actionTexts, type ActionGroup } from '../../lib/texts/actions';
import { inWindow } from '../../rpc/desktop';
import { exportFormats } from '../../rpc/types.gen';
import { nextTheme } from './commands';
import { printReview, saveReview } from '../review/export';
import { notices } from '../app/notices.svelte';
import { desk } from '../desk/desk.svelte';
import { openChange } from '../change/open-change.svelte';
import { prefs } from '../app/prefs.svelte';
import { reading } from '../change/reading.svelte';
import { review } from '../review/review.svelte';
import { nextTabWidth, stepContext } from '../change/view-options';

export interface Action {
  id: string;
  title: string;
  group: ActionGroup;
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
    title: actionTexts.review.save(title),
    group: 'review',
    keys: name === 'html' ? ['Mod+s'] : [],
    can: () => review.view !== null,
    run: () => void saveReview(name),
  })),
  {
    id: 'print',
    title: actionTexts.review.print,
    group: 'review',
    keys: [],
    can: () => review.view !== null,
    run: printReview,
  },
];

export const viewActions: Action[] = [
  {
    id: 'mode',
    title: actionTexts.view.mode,
    group: 'view',
    keys: ['v'],
    can: () => openChange.view !== null,
    run: () => (prefs.values.mode = prefs.values.mode === 'unified' ? 'split' : 'unified'),
  },
  {
    id: 'overview',
    title: actionTexts.change.overview,
    group: 'change',
    keys: ['b'],
    can: () => (openChange.view?.files.length ?? 0) > 0 || openChange.view?.request != null,
    run: () => (desk.view = desk.view === 'overview' ? 'diff' : 'overview'),
  },
  {
    id: 'wrap',
    title: actionTexts.view.wrap,
    group: 'view',
    keys: ['W'],
    can: () => openChange.view !== null,
    run: () => (prefs.values.wrap = !prefs.values.wrap),
  },
  {
    id: 'whitespace',
    title: actionTexts.view.whitespace,
    group: 'view',
    keys: ['w'],
    can: () => openChange.view !== null,
    run: () => (prefs.values.ignoreWhitespace = !prefs.values.ignoreWhitespace),
  },
  {
    id: 'fold-lines',
    title: actionTexts.view.foldLines,
    group: 'view',
    keys: ['q'],
    can: () => openChange.view !== null,
    run: () => reading.toggleAll(),
  },
  {
    id: 'reading-order',
    title: actionTexts.view.readingOrder,
    group: 'view',
    keys: ['S'],
    can: () => openChange.view !== null,
    run: () => reading.toggleOrder(),
  },
  {
    id: 'more-context',
    title: actionTexts.view.moreContext,
    group: 'view',
    keys: ['+'],
    can: () => openChange.view !== null,
    run: () => void stepContext(1),
  },
  {
    id: 'less-context',
    title: actionTexts.view.lessContext,
    group: 'view',
    keys: ['-'],
    can: () => openChange.view !== null,
    run: () => void stepContext(-1),
  },
  {
    id: 'tab-width',
    title: actionTexts.view.tabWidth,
    group: 'view',
    keys: ['>'],
    can: () => openChange.view !== null,
    run: nextTabWidth,
  },
  {
    id: 'function-bar',
    title: actionTexts.view.functionBar,
    group: 'view',
    keys: ['_'],
    can: () => openChange.view !== null,
    run: () => (prefs.values.functionBar = !prefs.values.functionBar),
  },
  {
    id: 'facts-in-diff',
    title: actionTexts.view.facts,
    group: 'view',
    keys: ['Q'],
    can: () => openChange.view !== null,
    run: () => (prefs.values.facts = !prefs.values.facts),
  },
  {
    id: 'callers-in-diff',
    title: actionTexts.view.callers,
    group: 'view',
    keys: ['Alt+Shift+F12'],
    can: () => openChange.view !== null,
    run: () => (prefs.values.callers = !prefs.values.callers),
  },
  {
    id: 'file-tree',
    title: actionTexts.view.fileTree,
    group: 'view',
    keys: ['t'],
    can: () => openChange.view !== null,
    run: () => (prefs.values.fileTree = !prefs.values.fileTree),
  },
  {
    id: 'close-messages',
    title: actionTexts.view.closeMessages,
    group: 'view',
    keys: [],
    can: () => notices.all.length > 0,
    run: () => notices.closeAll(),
  },
  {
    id: 'menu',
    title: actionTexts.view.menu,
    group: 'view',
    keys: ['F10'],
    can: inWindow,
    run: () => (prefs.values.menu = !prefs.values.menu),
  },
  {
    id: 'theme',
    title: actionTexts.view.theme,
    group: 'view',
    keys: ['T'],
    can: () => true,
    run: nextTheme,
  },
  {
    id: 'larger',
    title: actionTexts.view.larger,
    group: 'view',
    keys: ['Mod+=', 'Mod+Shift++', 'Mod++'],
    can: () => true,
    run: () => prefs.resize(prefs.values.scale + 0.1),
  },
  {
    id: 'smaller',
    title: actionTexts.view.smaller,
    group: 'view',
    keys: ['Mod+-'],
    can: () => true,
    run: () => prefs.resize(prefs.values.scale - 0.1),
  },
  {
    id: 'usual',
    title: actionTexts.view.usual,
    group: 'view',
    keys: ['Mod+0'],
    can: () => true,
    run: () => prefs.resize(1),
  },
];
