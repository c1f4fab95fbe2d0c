// Actions for reading a change commit by commit.
import { actionTexts } from '../../lib/texts/actions';
import { desk } from '../desk/desk.svelte';
import { commits } from '../versions/commits.svelte';
import type { Action } from './view-actions';

const reading = () => desk.view === 'commits';

export const commitActions: Action[] = [
  {
    id: 'commits',
    title: actionTexts.change.commits,
    group: 'change',
    keys: [';'],
    can: () => commits.can,
    run: () => (desk.view = reading() ? 'diff' : 'commits'),
  },
  {
    id: 'next-commit',
    title: actionTexts.change.nextCommit,
    group: 'change',
    keys: ['Alt+ArrowDown'],
    can: reading,
    run: () => commits.step(1),
  },
  {
    id: 'previous-commit',
    title: actionTexts.change.previousCommit,
    group: 'change',
    keys: ['Alt+ArrowUp'],
    can: reading,
    run: () => commits.step(-1),
  },
];
