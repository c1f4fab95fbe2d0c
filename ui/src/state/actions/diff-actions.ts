// Actions for reading the diff.
import { actionTexts } from '../../lib/texts/actions';
import { fileFolds } from '../change/file-folds.svelte';
import { comment, copyLines, fileViewed, goToUnviewed } from './commands';
import { expandedContext } from '../change/context-lines.svelte';
import { facts } from '../change/facts.svelte';
import { cursor } from '../change/cursor.svelte';
import { desk } from '../desk/desk.svelte';
import { find } from '../change/find.svelte';
import { currentPosition } from '../change/current-position';
import { openChange } from '../change/open-change.svelte';
import { canEdit, copyPermalink, copyPlace, openEditor, permalink } from '../change/places';
import { prefs } from '../app/prefs.svelte';
import { foldHere, toggleFoldHere } from '../change/reading-steps';
import { reading } from '../change/reading.svelte';
import { viewed } from '../change/viewed.svelte';
import type { Action } from './view-actions';

const hasFiles = () => (openChange.view?.files.length ?? 0) > 0;
const inDiff = () => hasFiles() && desk.view === 'diff';

export const diffActions: Action[] = [
  {
    id: 'jump',
    title: actionTexts.change.jump,
    group: 'change',
    keys: ['Mod+p', '@'],
    can: hasFiles,
    run: () => desk.toggle('jump'),
  },
  {
    id: 'find',
    title: actionTexts.change.find,
    group: 'change',
    keys: ['Mod+f'],
    can: hasFiles,
    run: () => find.show(),
  },
  {
    id: 'find-next',
    title: actionTexts.change.findNext,
    group: 'change',
    keys: ['Mod+g', 'F3'],
    can: () => find.open && find.places.length > 0,
    run: () => find.step(1),
  },
  {
    id: 'find-previous',
    title: actionTexts.change.findPrevious,
    group: 'change',
    keys: ['Mod+Shift+g'],
    can: () => find.open && find.places.length > 0,
    run: () => find.step(-1),
  },
  {
    id: 'next-hunk',
    title: actionTexts.change.nextHunk,
    group: 'change',
    keys: [')', 'F7'],
    can: inDiff,
    run: () => cursor.stepHunk(1),
  },
  {
    id: 'previous-hunk',
    title: actionTexts.change.previousHunk,
    group: 'change',
    keys: ['(', 'Shift+F7'],
    can: inDiff,
    run: () => cursor.stepHunk(-1),
  },
  {
    id: 'next-unviewed',
    title: actionTexts.change.nextUnviewed,
    group: 'change',
    keys: ['V'],
    can: hasFiles,
    run: goToUnviewed,
  },
  {
    id: 'line-down',
    title: actionTexts.change.lineDown,
    group: 'change',
    keys: ['ArrowDown'],
    can: inDiff,
    run: () => cursor.step(1, false),
  },
  {
    id: 'line-up',
    title: actionTexts.change.lineUp,
    group: 'change',
    keys: ['ArrowUp'],
    can: inDiff,
    run: () => cursor.step(-1, false),
  },
  {
    id: 'side-old',
    title: actionTexts.change.sideOld,
    group: 'change',
    keys: ['ArrowLeft'],
    can: () => inDiff() && prefs.values.mode === 'split' && cursor.any,
    run: () => cursor.cross('old'),
  },
  {
    id: 'side-new',
    title: actionTexts.change.sideNew,
    group: 'change',
    keys: ['ArrowRight'],
    can: () => inDiff() && prefs.values.mode === 'split' && cursor.any,
    run: () => cursor.cross('new'),
  },
  {
    id: 'stretch-down',
    title: actionTexts.change.stretchDown,
    group: 'change',
    keys: ['Shift+ArrowDown'],
    can: inDiff,
    run: () => cursor.step(1, true),
  },
  {
    id: 'stretch-up',
    title: actionTexts.change.stretchUp,
    group: 'change',
    keys: ['Shift+ArrowUp'],
    can: inDiff,
    run: () => cursor.step(-1, true),
  },
  {
    id: 'comment',
    title: actionTexts.findings.comment,
    group: 'findings',
    keys: ['l'],
    can: hasFiles,
    run: comment,
  },
  {
    id: 'copy-lines',
    title: actionTexts.change.copyLines,
    group: 'change',
    keys: ['y'],
    can: () => cursor.any,
    run: copyLines,
  },
  {
    id: 'copy-place',
    title: actionTexts.change.copyPlace,
    group: 'change',
    keys: ['Y'],
    can: () => cursor.place !== null,
    run: copyPlace,
  },
  {
    id: 'copy-permalink',
    title: actionTexts.change.copyPermalink,
    group: 'change',
    keys: ['L'],
    can: () => permalink() !== null,
    run: copyPermalink,
  },
  {
    id: 'open-editor',
    title: actionTexts.change.openEditor,
    group: 'change',
    keys: ['Enter'],
    can: () => inDiff() && canEdit(),
    run: openEditor,
  },
  {
    id: 'facts',
    title: actionTexts.change.facts,
    group: 'change',
    keys: ['E'],
    can: hasFiles,
    run: () => desk.toggle('facts'),
  },
  {
    id: 'facts-again',
    title: actionTexts.change.factsAgain,
    group: 'change',
    keys: [],
    can: hasFiles,
    run: () => void facts.load(true),
  },
  {
    id: 'line-history',
    title: actionTexts.change.lineHistory,
    group: 'change',
    keys: ['B'],
    can: () => inDiff() && cursor.any,
    run: () => desk.toggle('line-history'),
  },
  {
    id: 'viewed',
    title: actionTexts.change.viewed,
    group: 'change',
    keys: ['d'],
    can: inDiff,
    run: fileViewed,
  },
  {
    id: 'viewed-hunk',
    title: actionTexts.change.viewedHunk,
    group: 'change',
    keys: ['D'],
    can: inDiff,
    run: () => {
      const { file, hunk } = currentPosition();
      viewed.mark(file, hunk, !viewed.isHunk(file, hunk));
    },
  },
  {
    id: 'more-above',
    title: actionTexts.change.moreAbove,
    group: 'change',
    keys: ['['],
    can: () => inDiff() && expandedContext.can(currentPosition().file),
    run: () => void expandedContext.expand(currentPosition().file, currentPosition().hunk, 'up'),
  },
  {
    id: 'more-below',
    title: actionTexts.change.moreBelow,
    group: 'change',
    keys: [']'],
    can: () => inDiff() && expandedContext.can(currentPosition().file),
    run: () => void expandedContext.expand(currentPosition().file, currentPosition().hunk + 1, 'down'),
  },
  {
    id: 'fold-here',
    title: actionTexts.change.foldHere,
    group: 'change',
    keys: ['M'],
    can: () => inDiff() && reading.folding && foldHere() !== null,
    run: toggleFoldHere,
  },
  {
    id: 'whole-file',
    title: actionTexts.change.wholeFile,
    group: 'change',
    keys: ['Z'],
    can: () =>
      inDiff() && expandedContext.can(currentPosition().file) && !fileFolds.isFolded(currentPosition().file),
    run: () => void expandedContext.whole(currentPosition().file),
  },
];
