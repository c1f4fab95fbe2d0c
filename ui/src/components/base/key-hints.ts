// The key hints of buttons: the default keys, unless the page provides the user's key bindings.
import { getContext, setContext } from 'svelte';

const KEY = Symbol('hint');
type Label = (usual: string) => string;

/**
 * Sets the function that turns an action's default key into the label of its current key; empty without a key. Call it during component
 * initialization.
 */
export const labelHints = (label: Label): Label => setContext(KEY, label);

/** Returns the function that labels keys. Call it during component initialization. */
export const hintLabels = (): Label => getContext<Label | undefined>(KEY) ?? ((usual) => usual);
