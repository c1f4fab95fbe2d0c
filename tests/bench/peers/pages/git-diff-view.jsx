// @git-diff-view/react: one DiffView per file, with its colours. Its worker would spare the page work, but nothing comes sooner by it.
import { createRoot } from 'react-dom/client';
import { DiffModeEnum, DiffView } from '@git-diff-view/react';
import '@git-diff-view/react/styles/diff-view-pure.css';
import { filesOf, root, show } from '../page.js';

const File = ({ name, text }) => {
  const side = { fileName: name, fileLang: 'typescript' };
  return (
    <section>
      <h4>{name}</h4>
      <DiffView data={{ oldFile: side, newFile: side, hunks: [text] }} diffViewMode={DiffModeEnum.Unified} diffViewHighlight />
    </section>
  );
};

await show('.diff-line[data-state="diff"]', (patch) =>
  createRoot(root).render(filesOf(patch).map((file) => <File key={file.name} {...file} />)),
);
