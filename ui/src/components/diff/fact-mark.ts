// The mark of a line's fact in the gutter, such as that no test ran it.
import type { LineFact } from '../../lib/diff/line-facts';

export class FactMark {
  #fact: LineFact | null = null;
  #mark: HTMLElement | null = null;

  /** Shows a fact in the element of a line, or removes the mark. */
  show(line: HTMLElement, fact: LineFact | null): void {
    if (fact?.kind === this.#fact?.kind && fact?.title === this.#fact?.title) return;
    this.#fact = fact;
    if (!fact) return void this.#mark?.remove();
    const mark = (this.#mark ??= document.createElement('span'));
    mark.className = `fact ${fact.kind}`;
    mark.title = fact.title;
    mark.setAttribute('role', 'img');
    mark.setAttribute('aria-label', fact.title);
    line.append(mark);
  }
}
