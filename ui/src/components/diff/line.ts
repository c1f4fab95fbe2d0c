// One line of the diff (unified) or two side by side (split), with the coverage gutter. Plain DOM elements that are reused:
// creating a component per line is too slow for fast scrolling.
import { FactMark } from './fact-mark';
import { coverageWords } from '../../lib/diff/coverage';
import { codePoint, splitInvisible, hasInvisible } from '../../lib/text/invisible-characters';
import { hangingIndent, lineEndingChanged, MAX_LINE_LENGTH, type Line } from '../../lib/diff/lines';
import { segmentsOf, type Mark, type Span } from '../../lib/diff/segments';
import { differingWords } from '../../lib/diff/word-diff';
import { diffTexts } from '../../lib/texts/diff';
import type { LineFact } from '../../lib/diff/line-facts';
import type { Coverage } from '../../rpc/types.gen';

export interface Colours {
  spans: readonly number[];
  names: readonly string[];
}

/** The appearance of lines apart from their text. A new object for each change. */
export interface LineAppearance {
  coloursOf: (line: Line) => Colours;
  /** Returns the marks of a line, in addition to the word diff. Null without a search. */
  marksOf: ((line: Line) => Mark[]) | null;
  coverageOf: (line: Line) => Coverage | null;
  /** Returns a fact of the pipeline about a line, such as that no test ran it. */
  factOf: (line: Line) => LineFact | null;
  /** Whether a line belongs to the selected finding. */
  isHighlighted: (line: Line) => boolean;
  /** Whether the cursor is on a row, or the row is selected. */
  isChosen: (index: number) => boolean;
}

const none: readonly Mark[] = [];
const colourless: Colours = { spans: [], names: [] };

const shortened = ({ text }: Line): string =>
  text.length > MAX_LINE_LENGTH ? text.slice(0, MAX_LINE_LENGTH) : text;

/** The word diffs of lines, each computed once for its mate. */
const differences = new WeakMap<Line, { mate: Line; spans: readonly Span[] }>();

function differing(line: Line): readonly Span[] {
  if (!line.mate) return [];
  let known = differences.get(line);
  if (known?.mate !== line.mate) {
    known = { mate: line.mate, spans: differingWords(shortened(line), shortened(line.mate)) };
    differences.set(line, known);
  }
  return known.spans;
}

function element<K extends keyof HTMLElementTagNameMap>(name: K, type: string): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  made.className = type;
  return made;
}

/** Splits code into text and elements. Each invisible or bidirectional character becomes an element that shows its code point. */
const shown = (code: string): (string | HTMLElement)[] =>
  splitInvisible(code).map((piece, at) => {
    if (at % 2 === 0) return piece;
    const made = element('span', 'hidden-char');
    made.dataset.code = codePoint(piece);
    made.textContent = piece;
    return made;
  });

const types = { '+': 'add', '-': 'del', ' ': 'same' } as const;
const signNames: Partial<Record<string, string>> = { add: diffTexts.sign.added, del: diffTexts.sign.removed };

/** One side of a line: its numbers, its sign and its code. */
class Cell {
  readonly root: HTMLElement;
  #type = '';
  #numbers: Text[];
  #sign = document.createTextNode('');
  #signBox = element('span', 'sign');
  #code = element('code', '');
  /** The number of columns by which continued lines are indented. */
  #hang = 0;
  /** The shown line. Undefined before the first one. */
  #line: Line | null | undefined;
  #spans: readonly number[] | null = null;
  #marks = '';

  constructor(
    root: HTMLElement,
    readonly sides: readonly ('old' | 'new')[],
  ) {
    this.root = root;
    this.#numbers = sides.map(() => document.createTextNode(''));
    this.#signBox.append(this.#sign);
    for (const number of this.#numbers) {
      const box = element('span', 'no');
      box.append(number);
      root.append(box);
    }
    root.append(this.#signBox, this.#code);
  }

  show(line: Line | null, appearance: LineAppearance, plain: boolean, wraps: boolean): void {
    this.#indent(wraps && line ? hangingIndent(line.text) : 0);
    const { spans, names } = line && !plain ? appearance.coloursOf(line) : colourless;
    const marks = (line && !plain && appearance.marksOf?.(line)) || none;
    const marked = plain ? 'plain' : marks.length > 0 ? JSON.stringify(marks) : '';
    if (line === this.#line && marked === this.#marks && spans === this.#spans) return;
    if (line !== this.#line) this.#write(line);
    this.#line = line;
    this.#spans = spans;
    this.#marks = marked;
    if (!line) this.#code.replaceChildren();
    else if (plain) this.#say(shortened(line));
    else this.#paint(line, spans, names, marks);
  }

  #indent(hang: number): void {
    if (hang === this.#hang) return;
    this.#hang = hang;
    this.#code.style.paddingLeft = hang > 0 ? `${hang}ch` : '';
    this.#code.style.textIndent = hang > 0 ? `-${hang}ch` : '';
  }

  #write(line: Line | null): void {
    const type = line ? types[line.kind] : 'void';
    if (type !== this.#type) {
      if (this.#type) this.root.classList.replace(this.#type, type);
      else this.root.classList.add(type);
      this.#type = type;
      // Screen readers read a plus or minus sign as punctuation, or not at all.
      const name = signNames[type];
      if (name) {
        this.#signBox.setAttribute('role', 'img');
        this.#signBox.setAttribute('aria-label', name);
      } else {
        this.#signBox.removeAttribute('role');
        this.#signBox.removeAttribute('aria-label');
      }
    }
    this.sides.forEach((side, at) => (this.#numbers[at]!.data = String(line?.[side] ?? '')));
    this.#sign.data = line?.kind ?? '';
    const after = [];
    if (line?.bytes) after.push(diffTexts.line.partOf(line.bytes));
    else if (line && line.text.length > MAX_LINE_LENGTH)
      after.push(diffTexts.line.more(line.text.length - MAX_LINE_LENGTH));
    if (line && lineEndingChanged(line))
      after.push(line.cr ? diffTexts.line.endsInCrLf : diffTexts.line.endsInLf);
    if (line?.noEol) after.push(diffTexts.line.noNewline);
    // The note follows the code as CSS content, so that it is neither selected nor copied.
    if (after.length > 0) this.#code.dataset.after = after.join(', ');
    else if (this.#code.dataset.after) delete this.#code.dataset.after;
  }

  #paint(line: Line, spans: readonly number[], names: readonly string[], marks: readonly Mark[]): void {
    const text = shortened(line);
    const differs = differing(line);
    const all = differs.length > 0 ? [{ name: 'differs', spans: differs }, ...marks] : marks;
    if (spans.length === 0 && all.length === 0) return this.#say(text);
    const nodes = segmentsOf(text, spans, names, all).map(({ text, type, marks }) => {
      if (!type && !marks && !hasInvisible(text)) return text;
      const span = document.createElement('span');
      span.append(...shown(text));
      span.className = (type ? `s-${type} ` : '') + marks;
      return span;
    });
    this.#code.replaceChildren(...nodes);
  }

  #say(text: string): void {
    if (hasInvisible(text)) return this.#code.replaceChildren(...shown(text));
    const only = this.#code.firstChild;
    if (only instanceof Text && only === this.#code.lastChild) only.data = text;
    else this.#code.textContent = text;
  }
}

/** An element that shows a row of lines, and can be reused for other rows. */
export class LineElement {
  readonly root = element('div', 'diff-line');
  #cover = element('span', 'cover');
  #coverage: Coverage | null = null;
  #fact = new FactMark();
  #cells: Cell[];
  #shown: Line | null = null;
  #index = -1;
  #highlighted = false;
  #chosen = false;
  #wraps = false;

  constructor(readonly split: boolean) {
    this.root.dataset.testid = 'diff-line';
    this.root.append(this.#cover);
    if (split) {
      this.#cells = [
        new Cell(element('div', 'half'), ['old']),
        new Cell(element('div', 'half right'), ['new']),
      ];
      this.root.classList.add('halves');
      this.root.append(...this.#cells.map((cell) => cell.root));
    } else this.#cells = [new Cell(this.root, ['old', 'new'])];
  }

  /**
   * Shows a line, or two of which one may be missing. A plain line has no colours and marks. A line that does not wrap has a fixed
   * height, which browsers lay out faster.
   */
  show(
    left: Line | null,
    right: Line | null,
    index: number,
    appearance: LineAppearance,
    plain: boolean,
    wraps: boolean,
  ): void {
    const line = (right ?? left)!;
    const [first, second] = this.#cells;
    if (second) {
      first!.show(left, appearance, plain, wraps);
      second.show(right, appearance, plain, wraps);
    } else first!.show(line, appearance, plain, wraps);
    if (line !== this.#shown) this.#name(line);
    if (index !== this.#index) this.root.dataset.row = String((this.#index = index));
    const coverage = appearance.coverageOf(line);
    if (coverage !== this.#coverage) {
      this.#coverage = coverage;
      this.#cover.className = `cover ${coverage ?? ''}`;
      this.#cover.title = coverage ? coverageWords[coverage].meaning : '';
    }
    this.#fact.show(this.root, right ? appearance.factOf(right) : null);
    const highlighted =
      (left !== null && appearance.isHighlighted(left)) ||
      (right !== null && appearance.isHighlighted(right));
    if (highlighted !== this.#highlighted)
      this.root.classList.toggle('highlighted', (this.#highlighted = highlighted));
    if (wraps !== this.#wraps) this.root.classList.toggle('wraps', (this.#wraps = wraps));
    const chosen = appearance.isChosen(index);
    if (chosen !== this.#chosen) this.root.classList.toggle('chosen', (this.#chosen = chosen));
  }

  #name(line: Line): void {
    this.#shown = line;
    const { dataset } = this.root;
    dataset.line = String(line.new ?? line.old);
    dataset.file = String(line.file);
    dataset.side = line.new === null ? 'old' : 'new';
  }
}
