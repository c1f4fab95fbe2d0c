// Actions of the history, rounds and interrupted runs.
import type { Action } from './view-actions';
import { desk } from '../desk/desk.svelte';
import { openChange } from '../change/open-change.svelte';
import { openNow } from '../history/reopen.svelte';
import { resume } from '../history/resume.svelte';
import { review } from '../review/review.svelte';
import { run } from '../review/run.svelte';

export const historyActions: Action[] = [
  {
    id: 'history',
    title: 'Show the history of reviews and conversations',
    group: 'General',
    keys: ['H', 'Mod+h'],
    can: () => true,
    run: () => desk.toggle('history'),
  },
  {
    id: 'rounds',
    title: 'Compare with another review of this change',
    group: 'Review',
    keys: ['h'],
    can: () => review.view !== null,
    run: () => desk.toggle('rounds'),
  },
  {
    id: 'resume',
    title: 'Resume the interrupted review',
    group: 'Review',
    keys: [],
    can: () => review.interrupted.length > 0 && !run.running,
    run: () => void resume.prepare(review.interrupted[0]!),
  },
  {
    id: 'as-it-is-now',
    title: 'Open the current state of the change',
    group: 'Change',
    keys: [],
    can: () => openChange.currentTarget !== null,
    run: openNow,
  },
];
