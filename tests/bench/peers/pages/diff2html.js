// diff2html: its own interface with its colours, line by line, without matching of lines, which it advises for large changes.
import { Diff2HtmlUI } from 'diff2html/lib-esm/ui/js/diff2html-ui.js';
import 'diff2html/bundles/css/diff2html.min.css';
import 'highlight.js/styles/github.css';
import { root, show } from '../page.js';

await show('.d2h-ins, .d2h-del', (patch) =>
  new Diff2HtmlUI(root, patch, { outputFormat: 'line-by-line', matching: 'none', drawFileList: false }).draw(),
);
