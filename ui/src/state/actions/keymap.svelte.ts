// Maps keys to actions: the default keys and the user's key bindings.
import { actions } from './actions';
import { prefs } from '../app/prefs.svelte';
import type { Action } from './view-actions';

/** Returns the keys of an action: the user's key binding, or else the default keys. */
export function keysOf(action: Action): string[] {
  const own = prefs.values.keys[action.id];
  if (own === undefined) return action.keys.filter((key) => !taken.has(key) || taken.get(key) === action.id);
  return own === '' ? [] : [own];
}

/** Keys that the user has bound, with the actions that have them now. */
const taken = $derived(
  new Map(Object.entries(prefs.values.keys).flatMap(([id, key]) => (key ? [[key, id] as const] : []))),
);
const byKey = $derived(
  new Map(actions.flatMap((action) => keysOf(action).map((key) => [key, action] as const))),
);

/** Returns the action of a key, if it is available now. */
export function actionFor(key: string): Action | null {
  const action = byKey.get(key);
  return action?.can() ? action : null;
}

/** Binds a key to an action, and removes the key from other actions. Null restores the default keys. */
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

/** Returns the current key for an action's default key, or undefined where the user removed it. Other keys are returned unchanged. */
export function keyNow(usual: string): string | undefined {
  const action = actions.find((one) => one.keys[0] === usual);
  return action ? keysOf(action)[0] : usual;
}
