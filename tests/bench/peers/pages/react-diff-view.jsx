// react-diff-view: one Diff per file. It has no colours unless tokens are made for it, so it draws without.
import { createRoot } from 'react-dom/client';
import { Diff, Hunk, parseDiff } from 'react-diff-view';
import 'react-diff-view/style/index.css';
import { root, show } from '../page.js';

const File = ({ file }) => (
  <section>
    <h4>{file.newPath}</h4>
    <Diff viewType="unified" diffType={file.type} hunks={file.hunks}>
      {(hunks) => hunks.map((hunk) => <Hunk key={hunk.content} hunk={hunk} />)}
    </Diff>
  </section>
);

await show('.diff-code-insert, .diff-code-delete', (patch) =>
  createRoot(root).render(parseDiff(patch).map((file) => <File key={file.newPath} file={file} />)),
);
