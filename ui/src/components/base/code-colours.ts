// Syntax colours of code in texts and patches. The page provides them; without them, code is shown plain.
import { getContext, setContext } from 'svelte';
import type { HighlightView } from '../../rpc/types.gen';

const KEY = Symbol('code colours');

/** Highlights code. `language` is the name of a language, the extension of a file, or a path. */
export type Highlight = (language: string, text: string) => Promise<HighlightView>;

/** Sets the highlighting. Call it during component initialization. */
export const provideHighlight = (highlight: Highlight): Highlight => setContext(KEY, highlight);

/** Returns the highlighting. Call it during component initialization. */
export const useHighlight = (): Highlight | undefined => getContext<Highlight | undefined>(KEY);
