// The places that texts can link to. The page provides them; without it, places stay text.
import { getContext, setContext } from 'svelte';

const KEY = Symbol('places');

export interface PlaceLinks {
  isKnown: (path: string) => boolean;
  show: (path: string, line: number) => void;
}

/** Sets the places. Call it during component initialization. */
export const providePlaceLinks = (links: PlaceLinks): PlaceLinks => setContext(KEY, links);

/** Returns the places. Call it during component initialization. */
export const placeLinks = (): PlaceLinks | undefined => getContext<PlaceLinks | undefined>(KEY);
