// Actions of the history, rounds and interrupted runs.
import { actionTexts } from '../../lib/texts/actions';
import type { Action } from './view-actions';
import { desk } from '../desk/desk.svelte';
import { openChange } from '../change/open-change.svelte';
import { openNow } from '../history/reopen.svelte';
import { resume } from '../history/resume.svelte';
import { review } from '../review/review.svelte';
import { run } from '../review/run.svelte';
import { versions } from '../versions/versions.svelte';

export const historyActions: Action[] = [
  {
    id: 'history',
    title: actionTexts.general.history,
    group: 'general',
    keys: ['H', 'Mod+h'],
    can: () => true,
    run: () => desk.toggle('history'),
  },
  {
    id: 'rounds',
    title: actionTexts.review.rounds,
    group: 'review',
    keys: ['h'],
    can: () => review.view !== null,
    run: () => desk.toggle('rounds'),
  },
  {
    id: 'resume',
    title: actionTexts.review.resume,
    group: 'review',
    keys: [],
    can: () => review.interrupted.length > 0 && !run.running,
    run: () => void resume.prepare(review.interrupted[0]!),
  },
  {
    id: 'since',
    title: actionTexts.change.since,
    group: 'change',
    keys: ['='],
    can: () => versions.can,
    run: () => (desk.view = desk.view === 'since' ? 'diff' : 'since'),
  },
  {
    id: 'as-it-is-now',
    title: actionTexts.change.asItIsNow,
    group: 'change',
    keys: [],
    can: () => openChange.currentTarget !== null,
    run: openNow,
  },
];
