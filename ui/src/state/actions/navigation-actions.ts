// Actions that go from a name to its definition, references and callers.
import { actionTexts } from '../../lib/texts/actions';
import { cursor } from '../change/cursor.svelte';
import { navigation } from '../change/navigation.svelte';
import { openChange } from '../change/open-change.svelte';
import { desk } from '../desk/desk.svelte';
import type { Action } from './view-actions';

const atLine = () => desk.view === 'diff' && cursor.any;
const hasFiles = () => (openChange.view?.files.length ?? 0) > 0;

export const navigationActions: Action[] = [
  {
    id: 'definition',
    title: actionTexts.change.definition,
    group: 'change',
    keys: ['F12'],
    can: atLine,
    run: () => navigation.ask('definition'),
  },
  {
    id: 'references',
    title: actionTexts.change.references,
    group: 'change',
    keys: ['Shift+F12'],
    can: atLine,
    run: () => navigation.ask('references'),
  },
  {
    id: 'unchanged-callers',
    title: actionTexts.change.unchangedCallers,
    group: 'change',
    keys: ['Alt+F12'],
    can: hasFiles,
    run: () => void navigation.signatures(),
  },
  {
    id: 'jump-back',
    title: actionTexts.change.jumpBack,
    group: 'change',
    keys: ['Alt+ArrowLeft'],
    can: hasFiles,
    run: () => navigation.back(),
  },
  {
    id: 'jump-forward',
    title: actionTexts.change.jumpForward,
    group: 'change',
    keys: ['Alt+ArrowRight'],
    can: hasFiles,
    run: () => navigation.forward(),
  },
];
