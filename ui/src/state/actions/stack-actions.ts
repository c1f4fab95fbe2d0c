// Actions that go through the layers of a stack.
import { actionTexts } from '../../lib/texts/actions';
import { stack } from '../stacks/stack.svelte';
import type { Action } from './view-actions';

export const stackActions: Action[] = [
  {
    id: 'lower-layer',
    title: actionTexts.change.lowerLayer,
    group: 'change',
    keys: [':'],
    can: () => stack.lower !== undefined,
    run: () => stack.open(stack.lower),
  },
  {
    id: 'upper-layer',
    title: actionTexts.change.upperLayer,
    group: 'change',
    keys: ['"'],
    can: () => stack.upper !== undefined,
    run: () => stack.open(stack.upper),
  },
];
