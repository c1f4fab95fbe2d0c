// The file and hunk that actions in the diff apply to.
import { cursor } from './cursor.svelte';
import { desk } from '../desk/desk.svelte';

/** Returns the file that was last requested; or else the file of the cursor's line, if it is in view; or else the file at the top. */
export function currentPosition(): { file: number; hunk: number } {
  const { requestedFile, topFile, topHunk } = desk;
  const line = requestedFile === null ? cursor.inView : null;
  const file = line?.file ?? topFile;
  // Context lines outside of the hunks belong to no hunk.
  const hunk = line && line.hunk >= 0 ? line.hunk : file === topFile && requestedFile === null ? topHunk : 0;
  return { file, hunk: Math.max(hunk, 0) };
}
