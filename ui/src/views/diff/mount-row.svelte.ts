// Mounts rows of the diff that are not lines as Svelte components.
import { mount, unmount } from 'svelte';
import type { MountedRow } from '../../components/diff/painter';
import type { Row } from '../../lib/diff/rows';
import DiffRow from './DiffRow.svelte';

class RowProps {
  row = $state.raw<Row>();
  height = $state(0);
}

/** Mounts the component of a row, with the context of the view that shows it. */
export function mountRow(first: Row, height: number, context: Map<unknown, unknown>): MountedRow {
  const shown = new RowProps();
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
