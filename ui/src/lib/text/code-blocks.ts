// Adds syntax colours to the code blocks of rendered Markdown.
import { segmentsOf } from '../diff/segments';

type Highlight = (
  language: string,
  text: string,
) => Promise<{ lines: readonly (readonly number[])[]; classes: readonly string[] }>;

/** Colours each block whose language is known, when its colours arrive. Until then, and without an answer, the code is plain. */
export function colourBlocks(nodes: ParentNode, highlight: Highlight): void {
  for (const block of nodes.querySelectorAll<HTMLElement>('pre[data-lang]')) {
    const code = block.querySelector('code');
    const text = code?.textContent;
    const language = block.dataset.lang;
    if (!code || !text || !language || language === 'diff') continue;
    highlight(language, text).then(
      ({ lines, classes }) => {
        if (lines.length > 0) code.replaceChildren(coloured(text, lines, classes));
      },
      () => {},
    );
  }
}

function coloured(
  text: string,
  lines: readonly (readonly number[])[],
  classes: readonly string[],
): DocumentFragment {
  const all = document.createDocumentFragment();
  text.split('\n').forEach((line, at) => {
    if (at > 0) all.append('\n');
    for (const { text, type } of segmentsOf(line, lines[at] ?? [], classes)) {
      if (!type) {
        all.append(text);
        continue;
      }
      const span = document.createElement('span');
      span.className = `s-${type}`;
      span.textContent = text;
      all.append(span);
    }
  });
  return all;
}
