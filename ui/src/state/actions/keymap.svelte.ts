// Maps keys to actions: default keys and the reviewer's own.
import { actions } from './actions';
import { prefs } from '../app/prefs.svelte';
import type { Action } from './view-actions';

/** The keys of an action: the reviewer's own, else the usual ones. */
export function keysOf(action: Action): string[] {
  const own = prefs.values.keys[action.id];
  if (own === undefined) return action.keys.filter((key) => !taken.has(key) || taken.get(key) === action.id);
  return own === '' ? [] : [own];
}

/** Keys that the reviewer gave away, with the actions that have them now. */
const taken = $derived(
  new Map(Object.entries(prefs.values.keys).flatMap(([id, key]) => (key ? [[key, id] as const] : []))),
);
const byKey = $derived(
  new Map(actions.flatMap((action) => keysOf(action).map((key) => [key, action] as const))),
);

/** The action that a key means, if it can be done now. */
export function actionFor(key: string): Action | null {
  const action = byKey.get(key);
  return action?.can() ? action : null;
}

/** Gives an action a key, and takes it from the one that had it; none gives back the usual one. */
export function rebind(id: string, key: string | null): void {
  const others = Object.entries(prefs.values.keys).filter(
    ([other, had]) => other !== id && (had !== key || !key),
  );
  prefs.values.keys = { ...Object.fromEntries(others), ...(key === null ? {} : { [id]: key }) };
}

export const keyOf = (id: string): string | undefined => {
  const action = actions.find((one) => one.id === id);
  return action && keysOf(action)[0];
};

/** The key that is now what was an action's usual one; one that is no action's stays. None where the reviewer took it away. */
export function keyNow(usual: string): string | undefined {
  const action = actions.find((one) => one.keys[0] === usual);
  return action ? keysOf(action)[0] : usual;
}
