// Actions that decide about findings and edit them.
import { isOwn } from '../../lib/findings/finding-words';
import { desk } from '../desk/desk.svelte';
import { redoLatest, toggleSuggestion, undoLatest } from './commands';
import { removeFinding, restoreFinding } from '../findings/edit-finding';
import { review } from '../review/review.svelte';
import { undo } from '../app/undo.svelte';
import type { Action } from './view-actions';
import { findingEditor } from '../findings/finding-editor.svelte';

const hasFindings = () => review.findings.length > 0;
const selected = () => review.find(desk.selected);

export const triageActions: Action[] = [
  {
    id: 'edit',
    title: 'Edit the finding',
    group: 'Findings',
    keys: ['e'],
    can: () => selected() !== undefined,
    run: () => {
      desk.select(desk.selected);
      if (desk.selected) findingEditor.edit(desk.selected);
    },
  },
  {
    id: 'go-on',
    title: 'Go on with a finding that was begun',
    group: 'Findings',
    keys: [],
    can: () => findingEditor.unsaved.length > 0,
    run: () => findingEditor.resume(),
  },
  {
    id: 'suggestion',
    title: 'Apply the suggested patch to the work tree, or take it back',
    group: 'Findings',
    keys: ['s'],
    can: () => selected()?.finding.fix != null,
    run: () => void toggleSuggestion(desk.selected ?? ''),
  },
  {
    id: 'original',
    title: 'Give the finding its original words',
    group: 'Findings',
    keys: [],
    can: () => selected()?.finding.original != null,
    run: () => void restoreFinding(desk.selected ?? ''),
  },
  {
    id: 'remove',
    title: 'Remove your own finding',
    group: 'Findings',
    keys: [],
    can: () => isOwn(selected()),
    run: () => void removeFinding(desk.selected ?? ''),
  },
  {
    id: 'undo',
    title: 'Undo the latest step',
    group: 'Findings',
    keys: ['u', 'Mod+z'],
    can: () => undo.can,
    run: () => void undoLatest(),
  },
  {
    id: 'redo',
    title: 'Do again what was undone',
    group: 'Findings',
    keys: ['U', 'Mod+Shift+z', 'Mod+y'],
    can: () => undo.canRedo,
    run: () => void redoLatest(),
  },
  {
    id: 'choose-next',
    title: 'Choose the next finding along',
    group: 'Findings',
    keys: ['J'],
    can: hasFindings,
    run: () => desk.extendSelection(1),
  },
  {
    id: 'choose-previous',
    title: 'Choose the previous finding along',
    group: 'Findings',
    keys: ['K'],
    can: hasFindings,
    run: () => desk.extendSelection(-1),
  },
  {
    id: 'choose-all',
    title: 'Choose all findings that are listed',
    group: 'Findings',
    keys: ['Mod+a'],
    can: hasFindings,
    run: () => desk.chooseAll(),
  },
  {
    id: 'only-open',
    title: 'List only findings that are open, or all',
    group: 'Findings',
    keys: ['f'],
    can: hasFindings,
    run: () => (desk.onlyOpen = !desk.onlyOpen),
  },
];
