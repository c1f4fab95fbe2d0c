// Rows of the diff that are no lines, as components that are told of another row to show.
import { mount, unmount } from 'svelte';
import type { OtherRow } from '../../components/diff/painter';
import type { Row } from '../../lib/diff/rows';
import DiffRow from './DiffRow.svelte';

class Shown {
  row = $state.raw<Row>();
  height = $state(0);
}

/** Makes the element of a row, in the context of the view that shows it. */
export function otherRow(first: Row, height: number, context: Map<unknown, unknown>): OtherRow {
  const shown = new Shown();
  shown.row = first;
  shown.height = height;
  const root = document.createElement('div');
  const made = mount(DiffRow, {
    target: root,
    context,
    props: {
      get row() {
        return shown.row!;
      },
      get height() {
        return shown.height;
      },
    },
  });
  return {
    root,
    show(row, height) {
      shown.row = row;
      shown.height = height;
    },
    destroy: () => void unmount(made),
  };
}
