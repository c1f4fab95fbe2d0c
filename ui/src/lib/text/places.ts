// Finds places such as `src/main.rs:12` in text.
import { changeTexts } from '../texts/change';

export interface TextPlace {
  path: string;
  line: number;
  /** The indices of the first character and of the one after the last. */
  from: number;
  to: number;
}

const PLACE = /(?<![\w/.@-])((?:[\w.@+-]+\/)*[\w.@+-]*\w):(\d{1,7})(?:-\d{1,7})?(?![\w/])/g;

/** Returns the places in a text whose path is known. */
export function findPlaces(text: string, isKnown: (path: string) => boolean): TextPlace[] {
  const found: TextPlace[] = [];
  for (const match of text.matchAll(PLACE)) {
    const path = match[1]!.replace(/^\.\//, '');
    if (isKnown(path))
      found.push({ path, line: Number(match[2]), from: match.index, to: match.index + match[0].length });
  }
  return found;
}

/** Turns places in rendered text into links. A link has its place in `data-place`. Existing links and code blocks stay. */
export function linkPlaces(root: DocumentFragment, isKnown: (path: string) => boolean): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) {
    const text = walker.currentNode as Text;
    if (text.data.includes(':') && !text.parentElement?.closest('a, pre')) texts.push(text);
  }
  for (const text of texts) {
    const places = findPlaces(text.data, isKnown);
    const pieces: (string | HTMLElement)[] = [];
    let at = 0;
    for (const { path, line, from, to } of places) {
      const link = document.createElement('a');
      link.dataset.place = `${path}:${line}`;
      link.setAttribute('role', 'link');
      link.tabIndex = 0;
      link.title = changeTexts.page.showInDiff;
      link.textContent = text.data.slice(from, to);
      pieces.push(text.data.slice(at, from), link);
      at = to;
    }
    if (places.length > 0) text.replaceWith(...pieces, text.data.slice(at));
  }
}
