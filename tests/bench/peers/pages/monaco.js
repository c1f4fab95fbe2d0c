// monaco-editor: one inline diff editor for the files below each other, with its worker for the comparison. Its editor for several
// files cannot be given any in the published package.
import { editor } from 'monaco-editor/editor.js';
import 'monaco-editor/features/codicon/register.js';
import 'monaco-editor/languages/definitions/typescript/register.js';
import { filesOf, root, show } from '../page.js';

self.MonacoEnvironment = { getWorker: () => new Worker('/workers/monaco.js', { type: 'module' }) };

await show('.line-insert, .line-delete', (patch) => {
  const files = filesOf(patch);
  const model = (side) => editor.createModel(files.map((file) => `// ${file.name}\n${file[side]}`).join(''), 'typescript');
  const view = editor.createDiffEditor(root, { renderSideBySide: false, readOnly: true });
  view.setModel({ original: model('before'), modified: model('after') });
  const inner = view.getModifiedEditor();
  // It scrolls by itself, not by an element.
  window.scroller = Object.defineProperties(
    {},
    {
      scrollTop: { get: () => inner.getScrollTop(), set: (top) => inner.setScrollTop(top) },
      scrollHeight: { get: () => inner.getScrollHeight() },
      clientHeight: { get: () => inner.getLayoutInfo().height },
    },
  );
});
