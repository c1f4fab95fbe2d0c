// Actions for reading the diff.
import { fileFolds } from '../change/file-folds.svelte';
import { comment, copyLines, fileViewed, goToUnviewed } from './commands';
import { expandedContext } from '../change/context-lines.svelte';
import { cursor } from '../change/cursor.svelte';
import { desk } from '../desk/desk.svelte';
import { find } from '../change/find.svelte';
import { currentPosition } from '../change/current-position';
import { openChange } from '../change/open-change.svelte';
import { canEdit, copyPermalink, copyPlace, openEditor, permalink } from '../change/places';
import { prefs } from '../app/prefs.svelte';
import { viewed } from '../change/viewed.svelte';
import type { Action } from './view-actions';

const hasFiles = () => (openChange.view?.files.length ?? 0) > 0;
const inDiff = () => hasFiles() && desk.view === 'diff';

export const diffActions: Action[] = [
  {
    id: 'jump',
    title: 'Go to a file or a symbol',
    group: 'Change',
    keys: ['Mod+p', '@'],
    can: hasFiles,
    run: () => desk.toggle('jump'),
  },
  {
    id: 'find',
    title: 'Find in the change',
    group: 'Change',
    keys: ['Mod+f'],
    can: hasFiles,
    run: () => find.show(),
  },
  {
    id: 'find-next',
    title: 'Next match',
    group: 'Change',
    keys: ['Mod+g', 'F3'],
    can: () => find.open && find.places.length > 0,
    run: () => find.step(1),
  },
  {
    id: 'find-previous',
    title: 'Previous match',
    group: 'Change',
    keys: ['Mod+Shift+g'],
    can: () => find.open && find.places.length > 0,
    run: () => find.step(-1),
  },
  {
    id: 'next-hunk',
    title: 'Next hunk',
    group: 'Change',
    keys: [')', 'F7'],
    can: inDiff,
    run: () => cursor.stepHunk(1),
  },
  {
    id: 'previous-hunk',
    title: 'Previous hunk',
    group: 'Change',
    keys: ['(', 'Shift+F7'],
    can: inDiff,
    run: () => cursor.stepHunk(-1),
  },
  {
    id: 'next-unviewed',
    title: 'Next file that is not viewed',
    group: 'Change',
    keys: ['V'],
    can: hasFiles,
    run: goToUnviewed,
  },
  {
    id: 'line-down',
    title: 'Next line',
    group: 'Change',
    keys: ['ArrowDown'],
    can: inDiff,
    run: () => cursor.step(1, false),
  },
  {
    id: 'line-up',
    title: 'Previous line',
    group: 'Change',
    keys: ['ArrowUp'],
    can: inDiff,
    run: () => cursor.step(-1, false),
  },
  {
    id: 'side-old',
    title: 'Go to the old side, in split view',
    group: 'Change',
    keys: ['ArrowLeft'],
    can: () => inDiff() && prefs.values.mode === 'split' && cursor.any,
    run: () => cursor.cross('old'),
  },
  {
    id: 'side-new',
    title: 'Go to the new side, in split view',
    group: 'Change',
    keys: ['ArrowRight'],
    can: () => inDiff() && prefs.values.mode === 'split' && cursor.any,
    run: () => cursor.cross('new'),
  },
  {
    id: 'stretch-down',
    title: 'Extend the selection to the next line',
    group: 'Change',
    keys: ['Shift+ArrowDown'],
    can: inDiff,
    run: () => cursor.step(1, true),
  },
  {
    id: 'stretch-up',
    title: 'Extend the selection to the previous line',
    group: 'Change',
    keys: ['Shift+ArrowUp'],
    can: inDiff,
    run: () => cursor.step(-1, true),
  },
  {
    id: 'comment',
    title: 'Write a finding on the selected lines',
    group: 'Findings',
    keys: ['l'],
    can: hasFiles,
    run: comment,
  },
  {
    id: 'copy-lines',
    title: 'Copy the selected lines',
    group: 'Change',
    keys: ['y'],
    can: () => cursor.any,
    run: copyLines,
  },
  {
    id: 'copy-place',
    title: 'Copy the path and line',
    group: 'Change',
    keys: ['Y'],
    can: () => cursor.place !== null,
    run: copyPlace,
  },
  {
    id: 'copy-permalink',
    title: 'Copy a permalink to the line in GitLab',
    group: 'Change',
    keys: ['L'],
    can: () => permalink() !== null,
    run: copyPermalink,
  },
  {
    id: 'open-editor',
    title: 'Open the line in the editor',
    group: 'Change',
    keys: ['Enter'],
    can: () => inDiff() && canEdit(),
    run: openEditor,
  },
  {
    id: 'viewed',
    title: 'Mark the file as viewed and go to the next, or unmark it',
    group: 'Change',
    keys: ['d'],
    can: inDiff,
    run: fileViewed,
  },
  {
    id: 'viewed-hunk',
    title: 'Mark the hunk as viewed, or unmark it',
    group: 'Change',
    keys: ['D'],
    can: inDiff,
    run: () => {
      const { file, hunk } = currentPosition();
      viewed.mark(file, hunk, !viewed.isHunk(file, hunk));
    },
  },
  {
    id: 'more-above',
    title: 'Show more lines above the hunk',
    group: 'Change',
    keys: ['['],
    can: () => inDiff() && expandedContext.can(currentPosition().file),
    run: () => void expandedContext.expand(currentPosition().file, currentPosition().hunk, 'up'),
  },
  {
    id: 'more-below',
    title: 'Show more lines below the hunk',
    group: 'Change',
    keys: [']'],
    can: () => inDiff() && expandedContext.can(currentPosition().file),
    run: () => void expandedContext.expand(currentPosition().file, currentPosition().hunk + 1, 'down'),
  },
  {
    id: 'whole-file',
    title: 'Show the whole file',
    group: 'Change',
    keys: ['Z'],
    can: () =>
      inDiff() && expandedContext.can(currentPosition().file) && !fileFolds.isFolded(currentPosition().file),
    run: () => void expandedContext.whole(currentPosition().file),
  },
];
