// Actions that go through the findings, decide about them and edit them.
import { groupings } from '../../lib/findings/findings';
import { isOwn } from '../../lib/findings/finding-words';
import { desk } from '../desk/desk.svelte';
import { decide, dismissWithReason, redoLatest, toggleSuggestion, undoLatest } from './commands';
import { prefs } from '../app/prefs.svelte';
import { removeFinding, restoreFinding } from '../findings/edit-finding';
import { review } from '../review/review.svelte';
import { undo } from '../app/undo.svelte';
import type { Action } from './view-actions';
import { findingEditor } from '../findings/finding-editor.svelte';

const hasFindings = () => review.findings.length > 0;
const selected = () => review.find(desk.selected);
const isSelected = () => selected() !== undefined;

const hasTargets = () => desk.targetIds.length > 0;

export const triageActions: Action[] = [
  {
    id: 'next',
    title: 'Next finding',
    group: 'Findings',
    keys: ['j'],
    can: hasFindings,
    run: () => desk.step(1),
  },
  {
    id: 'previous',
    title: 'Previous finding',
    group: 'Findings',
    keys: ['k'],
    can: hasFindings,
    run: () => desk.step(-1),
  },
  {
    id: 'next-open',
    title: 'Next open finding',
    group: 'Findings',
    keys: ['.'],
    can: hasFindings,
    run: () => desk.stepOpen(1),
  },
  {
    id: 'previous-open',
    title: 'Previous open finding',
    group: 'Findings',
    keys: [','],
    can: hasFindings,
    run: () => desk.stepOpen(-1),
  },
  {
    id: 'accept',
    title: 'Accept the finding',
    group: 'Findings',
    keys: ['a'],
    can: hasTargets,
    run: () => decide('accepted'),
  },
  {
    id: 'dismiss',
    title: 'Dismiss the finding',
    group: 'Findings',
    keys: ['x'],
    can: hasTargets,
    run: () => decide('dismissed'),
  },
  {
    id: 'accept-stay',
    title: 'Accept the finding and keep it selected',
    group: 'Findings',
    keys: ['A'],
    can: hasTargets,
    run: () => decide('accepted', true),
  },
  {
    id: 'dismiss-why',
    title: 'Dismiss the finding with a reason and keep it selected',
    group: 'Findings',
    keys: ['X'],
    can: isSelected,
    run: dismissWithReason,
  },
  {
    id: 'filter',
    title: 'Filter findings',
    group: 'Findings',
    keys: ['/'],
    can: hasFindings,
    run: () => desk.focusFilter(),
  },
  {
    id: 'group',
    title: 'Group findings by severity, file or agent',
    group: 'Findings',
    keys: ['g'],
    can: hasFindings,
    run: () => {
      const at = groupings.indexOf(prefs.values.grouping);
      prefs.values.grouping = groupings[(at + 1) % groupings.length]!;
    },
  },
  {
    id: 'edit',
    title: 'Edit the finding',
    group: 'Findings',
    keys: ['e'],
    can: isSelected,
    run: () => {
      desk.select(desk.selected);
      if (desk.selected) findingEditor.edit(desk.selected);
    },
  },
  {
    id: 'go-on',
    title: 'Continue an unsaved finding',
    group: 'Findings',
    keys: [],
    can: () => findingEditor.unsaved.length > 0,
    run: () => findingEditor.resume(),
  },
  {
    id: 'suggestion',
    title: 'Apply or revert the suggested patch in the work tree',
    group: 'Findings',
    keys: ['s'],
    can: () => selected()?.finding.fix != null,
    run: () => void toggleSuggestion(desk.selected ?? ''),
  },
  {
    id: 'original',
    title: 'Restore the original finding',
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
    title: 'Undo',
    group: 'Findings',
    keys: ['u', 'Mod+z'],
    can: () => undo.can,
    run: () => void undoLatest(),
  },
  {
    id: 'redo',
    title: 'Redo',
    group: 'Findings',
    keys: ['U', 'Mod+Shift+z', 'Mod+y'],
    can: () => undo.canRedo,
    run: () => void redoLatest(),
  },
  {
    id: 'choose-next',
    title: 'Extend the selection to the next finding',
    group: 'Findings',
    keys: ['J'],
    can: hasFindings,
    run: () => desk.extendSelection(1),
  },
  {
    id: 'choose-previous',
    title: 'Extend the selection to the previous finding',
    group: 'Findings',
    keys: ['K'],
    can: hasFindings,
    run: () => desk.extendSelection(-1),
  },
  {
    id: 'choose-all',
    title: 'Select all listed findings',
    group: 'Findings',
    keys: ['Mod+a'],
    can: hasFindings,
    run: () => desk.chooseAll(),
  },
  {
    id: 'only-open',
    title: 'Show only open findings, or all',
    group: 'Findings',
    keys: ['f'],
    can: hasFindings,
    run: () => (desk.onlyOpen = !desk.onlyOpen),
  },
];
