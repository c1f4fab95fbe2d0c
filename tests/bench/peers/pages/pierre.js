// @pierre/diffs: its CodeView, meant for one scroll region of any length, with its worker pool; colours by Shiki's JavaScript engine.
import { CodeView, parsePatchFiles } from '@pierre/diffs';
import { getOrCreateWorkerPoolSingleton } from '@pierre/diffs/worker';
import { root, show } from '../page.js';

const pool = getOrCreateWorkerPoolSingleton({
  // Eight by default, which is more than a small machine has cores.
  poolOptions: {
    workerFactory: () => new Worker('/workers/pierre.js', { type: 'module' }),
    poolSize: Math.min(8, navigator.hardwareConcurrency),
  },
  highlighterOptions: { langs: ['typescript'] },
});
await pool.initialize();

await show('[data-line-type^="change-"]', (patch) => {
  const view = new CodeView({ diffStyle: 'unified' }, pool);
  view.setup(root);
  const files = parsePatchFiles(patch).flatMap((one) => one.files);
  view.setItems(files.map((fileDiff) => ({ id: fileDiff.name, type: 'diff', fileDiff })));
});
