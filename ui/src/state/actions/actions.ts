// All actions with their default keys. The keyboard, the command palette and the key list read them from here.
import { actionTexts } from '../../lib/texts/actions';
import { fileFolds } from '../change/file-folds.svelte';
import { reviewedBefore, reviewNew, startReview, stepFile } from './commands';
import { commitActions } from './commit-actions';
import { chatActions } from './chat-actions';
import { desk } from '../desk/desk.svelte';
import { historyActions } from './history-actions';
import { inboxActions } from './inbox-actions';
import { currentPosition } from '../change/current-position';
import { openChange } from '../change/open-change.svelte';
import { posting } from '../posting/posting.svelte';
import { diffActions } from './diff-actions';
import { repos } from '../app/repos.svelte';
import { mergeRequest } from '../posting/merge-request.svelte';
import { review } from '../review/review.svelte';
import { run } from '../review/run.svelte';
import { settingsActions } from './settings-actions';
import { navigationActions } from './navigation-actions';
import { renderedActions } from './rendered-actions';
import { stackActions } from './stack-actions';
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
    title: actionTexts.review.review,
    group: 'review',
    keys: ['r'],
    can: hasFiles,
    run: startReview,
  },
  {
    id: 'review-new',
    title: actionTexts.review.reviewNew,
    group: 'review',
    keys: [],
    can: () => reviewedBefore() !== null && !run.running,
    run: () => void reviewNew(),
  },
  {
    id: 'prompt',
    title: actionTexts.review.prompt,
    group: 'review',
    keys: ['p'],
    can: hasChange,
    run: () => (desk.view = desk.view === 'prompt' ? 'diff' : 'prompt'),
  },
  {
    id: 'summary',
    title: actionTexts.review.summary,
    group: 'review',
    keys: ['i'],
    can: () => review.view !== null,
    run: () => (desk.view = desk.view === 'summary' ? 'diff' : 'summary'),
  },
  {
    id: 'post',
    title: actionTexts.review.post,
    group: 'review',
    keys: ['P'],
    can: () => posting.can,
    run: () => void posting.open(),
  },
  {
    id: 'revoke-approval',
    title: actionTexts.review.revokeApproval,
    group: 'review',
    keys: [],
    can: () => mergeRequest.view?.approved === true,
    run: () => void mergeRequest.revokeApproval(),
  },
  {
    id: 'agents',
    title: actionTexts.review.agents,
    group: 'review',
    keys: ['m'],
    can: always,
    run: () => desk.toggle('agents'),
  },
  ...documentActions,
  ...chatActions,
  ...diffActions,
  ...threadActions,
  ...navigationActions,
  ...renderedActions,
  ...historyActions,
  ...commitActions,
  ...stackActions,
  ...inboxActions,
  {
    id: 'next-file',
    title: actionTexts.change.nextFile,
    group: 'change',
    keys: ['n'],
    can: hasChange,
    run: () => stepFile(1),
  },
  {
    id: 'previous-file',
    title: actionTexts.change.previousFile,
    group: 'change',
    keys: ['N'],
    can: hasChange,
    run: () => stepFile(-1),
  },
  {
    id: 'fold',
    title: actionTexts.change.fold,
    group: 'change',
    keys: ['z'],
    can: hasChange,
    run: () => fileFolds.set(currentPosition().file, !fileFolds.isFolded(currentPosition().file)),
  },
  {
    id: 'change',
    title: actionTexts.change.change,
    group: 'change',
    keys: ['o'],
    can: () => openChange.repo !== null,
    run: () => desk.toggle('change'),
  },
  {
    id: 'refresh',
    title: actionTexts.change.refresh,
    group: 'change',
    keys: ['R'],
    can: hasChange,
    run: () => void repoWatch.refresh(),
  },
  {
    id: 'repo',
    title: actionTexts.general.repo,
    group: 'general',
    keys: ['O', 'Mod+o'],
    can: always,
    run: () => desk.toggle('repo'),
  },
  {
    id: 'sample',
    title: actionTexts.general.sample,
    group: 'general',
    keys: [],
    can: () => repos.info?.sample === true,
    run: () => void repos.openSample(),
  },
  ...viewActions,
  ...settingsActions,
  {
    id: 'palette',
    title: actionTexts.general.palette,
    group: 'general',
    keys: ['Mod+k'],
    can: always,
    run: () => desk.toggle('palette'),
  },
  {
    id: 'about',
    title: actionTexts.general.about,
    group: 'general',
    keys: [],
    can: always,
    run: () => desk.toggle('about'),
  },
  {
    id: 'keys',
    title: actionTexts.general.keys,
    group: 'general',
    keys: ['?'],
    can: always,
    run: () => desk.toggle('keys'),
  },
];
