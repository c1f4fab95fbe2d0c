// The menu bar of the window, with the current keys.
import { onMenu, showMenu } from '../../rpc/desktop';
import { actions } from './actions';
import { keyOf } from './keymap.svelte';
import { menuLayout } from './menu-layout';
import { desk } from '../desk/desk.svelte';
import { keyLabel } from '../../lib/text/keys';
import type { Action } from './view-actions';

/** Shows the menu bar with the current keys, or hides it. */
export function drawMenu(shown: boolean, mac: boolean): void {
  const titled = ({ id, title }: Action) => {
    const key = keyOf(id);
    return { id, title: key ? `${title}\t${keyLabel(key, mac)}` : title };
  };
  const groups = menuLayout(actions).map(({ title, items }) => ({
    title,
    items: items.map((item) => item && titled(item)),
  }));
  // A failure is ignored, because the palette has every action too.
  showMenu(groups, shown).catch(() => {});
}

export function followMenu(): void {
  const run = (id: string) => {
    const action = actions.find((one) => one.id === id);
    if (desk.overlay === null && action?.can()) action.run();
  };
  onMenu(run).catch(() => {});
}
