// In: a line's pieces. Out: plain DOM inside a `code` element. The text is data and never becomes markup.
import type { Segment } from '../pure/segments';

/** For `use:`; paints again when the pieces change. */
export function paint(element: HTMLElement, segments: readonly Segment[]) {
  draw(element, segments);
  return { update: (next: readonly Segment[]) => draw(element, next) };
}

function draw(element: HTMLElement, segments: readonly Segment[]): void {
  const nodes = segments.map(({ text, type, marks }) => {
    if (!type && !marks) return document.createTextNode(text);
    const span = document.createElement('span');
    span.textContent = text;
    span.className = (type ? `s-${type} ` : '') + marks;
    return span;
  });
  element.replaceChildren(...nodes);
}
