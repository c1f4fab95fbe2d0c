// Every action of the desk, with its key: what the keyboard, the palette and the keys sheet share.
import { agents } from './agents.svelte';
import { change } from './change.svelte';
import { desk } from './desk.svelte';
import { opened } from './opened.svelte';
import { prefs, type Theme } from './prefs.svelte';
import { repos } from './repos.svelte';
import { review } from './review.svelte';
import { run } from './run.svelte';

export interface Action {
  id: string;
  title: string;
  group: 'Findings' | 'Change' | 'Review' | 'View' | 'General';
  /** Names as `keyName` gives them; the first is shown. */
  keys: string[];
  /** Whether it can be done now. */
  can: () => boolean;
  run: () => void;
}

const always = () => true;
const hasChange = () => opened.view !== null;
const hasFindings = () => review.findings.length > 0;
const hasSelected = () => review.find(desk.selected) !== undefined;

function decide(decision: 'accepted' | 'dismissed'): void {
  const now = review.find(desk.selected);
  if (!now) return;
  // The same key again takes it back.
  void review.decide(now.finding.id, now.decision === decision ? 'open' : decision);
}

function stepFile(by: 1 | -1): void {
  const most = (opened.view?.files.length ?? 0) - 1;
  const from = desk.place === 'diff' ? desk.topFile + by : desk.topFile;
  if (most >= 0) desk.goToFile(Math.min(Math.max(from, 0), most));
}

/** Starts a review, or shows why none can start. */
export function startReview(): void {
  if (!agents.chosen) desk.overlay = 'agents';
  else void run.start();
}

function nextTheme(): void {
  const order: Theme[] = ['system', 'light', 'dark'];
  prefs.kept.theme = order[(order.indexOf(prefs.kept.theme) + 1) % order.length]!;
}

export const actions: Action[] = [
  { id: 'next', title: 'Next finding', group: 'Findings', keys: ['j'], can: hasFindings, run: () => desk.step(1) },
  { id: 'previous', title: 'Previous finding', group: 'Findings', keys: ['k'], can: hasFindings, run: () => desk.step(-1) },
  { id: 'accept', title: 'Accept the finding', group: 'Findings', keys: ['a'], can: hasSelected, run: () => decide('accepted') },
  { id: 'dismiss', title: 'Dismiss the finding', group: 'Findings', keys: ['x'], can: hasSelected, run: () => decide('dismissed') },
  {
    id: 'dismiss-why',
    title: 'Dismiss the finding with a reason',
    group: 'Findings',
    keys: ['X'],
    can: hasSelected,
    run: () => {
      const id = desk.selected;
      if (!id) return;
      if (review.find(id)?.decision !== 'dismissed') void review.decide(id, 'dismissed');
      desk.reasoning = id;
    },
  },
  {
    id: 'undo',
    title: 'Undo the latest decision',
    group: 'Findings',
    keys: ['u'],
    can: () => review.canUndo,
    run: () => desk.select(review.undo() ?? desk.selected),
  },
  { id: 'filter', title: 'Filter findings', group: 'Findings', keys: ['/'], can: hasFindings, run: () => desk.focusFilter() },
  {
    id: 'group',
    title: 'Group findings by severity or file',
    group: 'Findings',
    keys: ['g'],
    can: hasFindings,
    run: () => (prefs.kept.grouping = prefs.kept.grouping === 'severity' ? 'file' : 'severity'),
  },
  { id: 'review', title: 'Review the change', group: 'Review', keys: ['r'], can: () => hasChange() && !run.running, run: startReview },
  { id: 'cancel', title: 'Cancel the review', group: 'Review', keys: ['Mod+.'], can: () => run.running, run: () => run.cancel() },
  {
    id: 'prompt',
    title: 'Show the prompt, or the changes again',
    group: 'Review',
    keys: ['p'],
    can: hasChange,
    run: () => (desk.place = desk.place === 'prompt' ? 'diff' : 'prompt'),
  },
  {
    id: 'summary',
    title: 'Show the summary, or the changes again',
    group: 'Review',
    keys: ['i'],
    can: () => review.view !== null,
    run: () => (desk.place = desk.place === 'summary' ? 'diff' : 'summary'),
  },
  { id: 'agents', title: 'Choose the agent', group: 'Review', keys: ['m'], can: always, run: () => desk.toggle('agents') },
  { id: 'next-file', title: 'Next file', group: 'Change', keys: ['n'], can: hasChange, run: () => stepFile(1) },
  { id: 'previous-file', title: 'Previous file', group: 'Change', keys: ['N'], can: hasChange, run: () => stepFile(-1) },
  {
    id: 'fold',
    title: 'Fold or unfold the file',
    group: 'Change',
    keys: ['z'],
    can: hasChange,
    run: () => change.fold(desk.topFile, !change.isFolded(desk.topFile)),
  },
  { id: 'change', title: 'Open another change', group: 'Change', keys: ['o'], can: () => opened.repo !== null, run: () => desk.toggle('change') },
  { id: 'refresh', title: 'Read the change again', group: 'Change', keys: ['R'], can: hasChange, run: () => void change.refresh() },
  { id: 'repo', title: 'Open a repository', group: 'General', keys: ['O', 'Mod+o'], can: always, run: () => desk.toggle('repo') },
  {
    id: 'sample',
    title: 'Open the sample',
    group: 'General',
    keys: [],
    can: () => repos.info?.sample === true,
    run: () => void repos.openSample(),
  },
  {
    id: 'mode',
    title: 'Unified or split',
    group: 'View',
    keys: ['v'],
    can: hasChange,
    run: () => (prefs.kept.mode = prefs.kept.mode === 'unified' ? 'split' : 'unified'),
  },
  { id: 'theme', title: 'Light, dark or the system’s theme', group: 'View', keys: ['t'], can: always, run: nextTheme },
  { id: 'larger', title: 'Larger text', group: 'View', keys: ['Mod+=', 'Mod+Shift++', 'Mod++'], can: always, run: () => prefs.resize(prefs.kept.scale + 0.1) },
  { id: 'smaller', title: 'Smaller text', group: 'View', keys: ['Mod+-'], can: always, run: () => prefs.resize(prefs.kept.scale - 0.1) },
  { id: 'usual', title: 'Usual text size', group: 'View', keys: ['Mod+0'], can: always, run: () => prefs.resize(1) },
  { id: 'palette', title: 'All actions', group: 'General', keys: ['Mod+k'], can: always, run: () => desk.toggle('palette') },
  { id: 'keys', title: 'Keys', group: 'General', keys: ['?'], can: always, run: () => desk.toggle('keys') },
];

const byKey = new Map(actions.flatMap((action) => action.keys.map((key) => [key, action] as const)));

/** The action that a key means, if it can be done now. */
export function actionFor(key: string): Action | null {
  const action = byKey.get(key);
  return action?.can() ? action : null;
}

export const keyOf = (id: string): string | undefined => actions.find((action) => action.id === id)?.keys[0];
