// Actions that go through the findings, decide about them and edit them.
import { actionTexts } from '../../lib/texts/actions';
import { groupings } from '../../lib/findings/findings';
import { isOwn } from '../../lib/findings/finding-words';
import { desk } from '../desk/desk.svelte';
import { decide, dismissWithReason, redoLatest, toggleSuggestion, undoLatest } from './commands';
import { prefs } from '../app/prefs.svelte';
import { removeFinding, restoreFinding } from '../findings/edit-finding';
import { review } from '../review/review.svelte';
import { undo } from '../app/undo.svelte';
import type { Action } from './view-actions';
import { requirements } from '../findings/requirements.svelte';
import { secondOpinion } from '../findings/second-opinion.svelte';
import { findingEditor } from '../findings/finding-editor.svelte';

const hasFindings = () => review.findings.length > 0;
const selected = () => review.find(desk.selected);
const isSelected = () => selected() !== undefined;

const hasTargets = () => desk.targetIds.length > 0;

export const triageActions: Action[] = [
  {
    id: 'next',
    title: actionTexts.findings.next,
    group: 'findings',
    keys: ['j'],
    can: hasFindings,
    run: () => desk.step(1),
  },
  {
    id: 'previous',
    title: actionTexts.findings.previous,
    group: 'findings',
    keys: ['k'],
    can: hasFindings,
    run: () => desk.step(-1),
  },
  {
    id: 'next-open',
    title: actionTexts.findings.nextOpen,
    group: 'findings',
    keys: ['.'],
    can: hasFindings,
    run: () => desk.stepOpen(1),
  },
  {
    id: 'previous-open',
    title: actionTexts.findings.previousOpen,
    group: 'findings',
    keys: [','],
    can: hasFindings,
    run: () => desk.stepOpen(-1),
  },
  {
    id: 'accept',
    title: actionTexts.findings.accept,
    group: 'findings',
    keys: ['a'],
    can: hasTargets,
    run: () => decide('accepted'),
  },
  {
    id: 'dismiss',
    title: actionTexts.findings.dismiss,
    group: 'findings',
    keys: ['x'],
    can: hasTargets,
    run: () => decide('dismissed'),
  },
  {
    id: 'accept-stay',
    title: actionTexts.findings.acceptStay,
    group: 'findings',
    keys: ['A'],
    can: hasTargets,
    run: () => decide('accepted', true),
  },
  {
    id: 'dismiss-why',
    title: actionTexts.findings.dismissWhy,
    group: 'findings',
    keys: ['X'],
    can: isSelected,
    run: dismissWithReason,
  },
  {
    id: 'filter',
    title: actionTexts.findings.filter,
    group: 'findings',
    keys: ['/'],
    can: hasFindings,
    run: () => desk.focusFilter(),
  },
  {
    id: 'group',
    title: actionTexts.findings.group,
    group: 'findings',
    keys: ['g'],
    can: hasFindings,
    run: () => {
      const at = groupings.indexOf(prefs.values.grouping);
      prefs.values.grouping = groupings[(at + 1) % groupings.length]!;
    },
  },
  {
    id: 'edit',
    title: actionTexts.findings.edit,
    group: 'findings',
    keys: ['e'],
    can: isSelected,
    run: () => {
      desk.select(desk.selected);
      if (desk.selected) findingEditor.edit(desk.selected);
    },
  },
  {
    id: 'go-on',
    title: actionTexts.findings.goOn,
    group: 'findings',
    keys: [],
    can: () => findingEditor.unsaved.length > 0,
    run: () => findingEditor.resume(),
  },
  {
    id: 'suggestion',
    title: actionTexts.findings.suggestion,
    group: 'findings',
    keys: ['s'],
    can: () => selected()?.finding.fix != null,
    run: () => void toggleSuggestion(desk.selected ?? ''),
  },
  {
    id: 'original',
    title: actionTexts.findings.original,
    group: 'findings',
    keys: [],
    can: () => selected()?.finding.original != null,
    run: () => void restoreFinding(desk.selected ?? ''),
  },
  {
    id: 'remove',
    title: actionTexts.findings.remove,
    group: 'findings',
    keys: [],
    can: () => isOwn(selected()),
    run: () => void removeFinding(desk.selected ?? ''),
  },
  {
    id: 'undo',
    title: actionTexts.findings.undo,
    group: 'findings',
    keys: ['u', 'Mod+z'],
    can: () => undo.can,
    run: () => void undoLatest(),
  },
  {
    id: 'redo',
    title: actionTexts.findings.redo,
    group: 'findings',
    keys: ['U', 'Mod+Shift+z', 'Mod+y'],
    can: () => undo.canRedo,
    run: () => void redoLatest(),
  },
  {
    id: 'choose-next',
    title: actionTexts.findings.chooseNext,
    group: 'findings',
    keys: ['J'],
    can: hasFindings,
    run: () => desk.extendSelection(1),
  },
  {
    id: 'choose-previous',
    title: actionTexts.findings.choosePrevious,
    group: 'findings',
    keys: ['K'],
    can: hasFindings,
    run: () => desk.extendSelection(-1),
  },
  {
    id: 'choose-all',
    title: actionTexts.findings.chooseAll,
    group: 'findings',
    keys: ['Mod+a'],
    can: hasFindings,
    run: () => desk.chooseAll(),
  },
  {
    id: 'only-open',
    title: actionTexts.findings.onlyOpen,
    group: 'findings',
    keys: ['f'],
    can: hasFindings,
    run: () => (desk.onlyOpen = !desk.onlyOpen),
  },
  {
    id: 'second-opinion',
    title: actionTexts.findings.secondOpinion,
    group: 'findings',
    keys: ["'"],
    can: hasTargets,
    run: () => void secondOpinion.open(desk.targetIds),
  },
  {
    id: 'next-evidence',
    title: actionTexts.findings.nextEvidence,
    group: 'findings',
    keys: ['#'],
    can: () => requirements.evidence.length > 0,
    run: () => requirements.showNext(),
  },
];
