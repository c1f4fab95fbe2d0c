// The key hints of buttons: default keys, unless the page provides the reviewer's own.
import { getContext, setContext } from 'svelte';

const KEY = Symbol('hint');
type Label = (usual: string) => string;

/** Says how the key is printed that an action has now, by its usual one; empty where it has none. Call where a component is made. */
export const labelHints = (label: Label): Label => setContext(KEY, label);

/** How keys are printed here. Call where a component is made. */
export const hintLabels = (): Label => getContext<Label | undefined>(KEY) ?? ((usual) => usual);
