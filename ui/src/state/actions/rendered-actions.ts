// Actions for rendered files and images in the diff.
import { nextImageView } from '../../lib/diff/image-view';
import { actionTexts } from '../../lib/texts/actions';
import { prefs } from '../app/prefs.svelte';
import { currentPosition } from '../change/current-position';
import { openChange } from '../change/open-change.svelte';
import { rendered } from '../change/rendered.svelte';
import { desk } from '../desk/desk.svelte';
import type { Action } from './view-actions';

const inDiff = () => desk.view === 'diff';

export const renderedActions: Action[] = [
  {
    id: 'rendered',
    title: actionTexts.change.rendered,
    group: 'change',
    keys: ['*'],
    can: () => inDiff() && rendered.kindOf(currentPosition().file) !== null,
    run: () => rendered.toggle(currentPosition().file),
  },
  {
    id: 'image-view',
    title: actionTexts.change.imageView,
    group: 'change',
    keys: ['&'],
    can: () => inDiff() && (openChange.view?.files.some((file) => file.image) ?? false),
    run: () => (prefs.values.imageView = nextImageView(prefs.values.imageView)),
  },
];
