// All actions with their default keys. The keyboard, the command palette and the key list read them from here.
import { fileFolds } from '../change/file-folds.svelte';
import { reviewedBefore, reviewNew, startReview, stepFile } from './commands';
import { chatActions } from './chat-actions';
import { desk } from '../desk/desk.svelte';
import { historyActions } from './history-actions';
import { currentPosition } from '../change/current-position';
import { openChange } from '../change/open-change.svelte';
import { posting } from '../posting/posting.svelte';
import { diffActions } from './diff-actions';
import { repos } from '../app/repos.svelte';
import { mergeRequest } from '../posting/merge-request.svelte';
import { review } from '../review/review.svelte';
import { run } from '../review/run.svelte';
import { settingsActions } from './settings-actions';
import { threadActions } from './thread-actions';
import { repoWatch } from '../change/repo-watch.svelte';
import { triageActions } from './triage-actions';
import { documentActions, viewActions, type Action } from './view-actions';

export type { Action };

const always = () => true;
const hasChange = () => openChange.view !== null;
const hasFiles = () => (openChange.view?.files.length ?? 0) > 0;

export const actions: Action[] = [
  ...triageActions,
  {
    id: 'review',
    title: 'Review the change',
    group: 'Review',
    keys: ['r'],
    can: hasFiles,
    run: startReview,
  },
  {
    id: 'review-new',
    title: 'Review only changes since the last review',
    group: 'Review',
    keys: [],
    can: () => reviewedBefore() !== null && !run.running,
    run: () => void reviewNew(),
  },
  {
    id: 'prompt',
    title: 'Show or hide the prompt',
    group: 'Review',
    keys: ['p'],
    can: hasChange,
    run: () => (desk.view = desk.view === 'prompt' ? 'diff' : 'prompt'),
  },
  {
    id: 'summary',
    title: 'Show or hide the summary',
    group: 'Review',
    keys: ['i'],
    can: () => review.view !== null,
    run: () => (desk.view = desk.view === 'summary' ? 'diff' : 'summary'),
  },
  {
    id: 'post',
    title: 'Post, approve or request changes',
    group: 'Review',
    keys: ['P'],
    can: () => posting.can,
    run: () => void posting.open(),
  },
  {
    id: 'revoke-approval',
    title: 'Revoke your approval',
    group: 'Review',
    keys: [],
    can: () => mergeRequest.view?.approved === true,
    run: () => void mergeRequest.revokeApproval(),
  },
  {
    id: 'agents',
    title: 'Select the agent',
    group: 'Review',
    keys: ['m'],
    can: always,
    run: () => desk.toggle('agents'),
  },
  ...documentActions,
  ...chatActions,
  ...diffActions,
  ...threadActions,
  ...historyActions,
  {
    id: 'next-file',
    title: 'Next file',
    group: 'Change',
    keys: ['n'],
    can: hasChange,
    run: () => stepFile(1),
  },
  {
    id: 'previous-file',
    title: 'Previous file',
    group: 'Change',
    keys: ['N'],
    can: hasChange,
    run: () => stepFile(-1),
  },
  {
    id: 'fold',
    title: 'Fold or unfold the file',
    group: 'Change',
    keys: ['z'],
    can: hasChange,
    run: () => fileFolds.set(currentPosition().file, !fileFolds.isFolded(currentPosition().file)),
  },
  {
    id: 'change',
    title: 'Open another change',
    group: 'Change',
    keys: ['o'],
    can: () => openChange.repo !== null,
    run: () => desk.toggle('change'),
  },
  {
    id: 'refresh',
    title: 'Refresh the change',
    group: 'Change',
    keys: ['R'],
    can: hasChange,
    run: () => void repoWatch.refresh(),
  },
  {
    id: 'repo',
    title: 'Open a repository',
    group: 'General',
    keys: ['O', 'Mod+o'],
    can: always,
    run: () => desk.toggle('repo'),
  },
  {
    id: 'sample',
    title: 'Open the sample',
    group: 'General',
    keys: [],
    can: () => repos.info?.sample === true,
    run: () => void repos.openSample(),
  },
  ...viewActions,
  ...settingsActions,
  {
    id: 'palette',
    title: 'Show all actions',
    group: 'General',
    keys: ['Mod+k'],
    can: always,
    run: () => desk.toggle('palette'),
  },
  {
    id: 'about',
    title: 'About diffsan',
    group: 'General',
    keys: [],
    can: always,
    run: () => desk.toggle('about'),
  },
  {
    id: 'keys',
    title: 'Show all keys',
    group: 'General',
    keys: ['?'],
    can: always,
    run: () => desk.toggle('keys'),
  },
];
