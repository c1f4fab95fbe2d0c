// @codemirror/merge: one editor with a unified view per file, below each other; editors draw only the lines in view.
// One editor for all would be quicker, but for a text of that length it stops to compare, and takes all of it for changed.
import { javascript } from '@codemirror/lang-javascript';
import { defaultHighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { filesOf, root, show } from '../page.js';

const extensions = [
  lineNumbers(),
  javascript({ typescript: true }),
  syntaxHighlighting(defaultHighlightStyle),
  EditorState.readOnly.of(true),
];

await show('.cm-changedLine, .cm-deletedChunk', (patch) => {
  for (const { name, before, after } of filesOf(patch)) {
    root.append(Object.assign(document.createElement('h4'), { textContent: name }));
    const merge = unifiedMergeView({ original: before, mergeControls: false });
    new EditorView({ parent: root, doc: after, extensions: [...extensions, merge] });
  }
});
