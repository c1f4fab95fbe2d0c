// The file and hunk that actions in the diff apply to.
import { cursor } from './cursor.svelte';
import { desk } from '../desk/desk.svelte';

/** The file that was gone to; else that of the line that the keyboard is on, if it is in view; else what is at the top. */
export function currentPosition(): { file: number; hunk: number } {
  const { requestedFile, topFile, topHunk } = desk;
  const line = requestedFile === null ? cursor.inView : null;
  const file = line?.file ?? topFile;
  // Lines around the hunks are of none.
  const hunk = line && line.hunk >= 0 ? line.hunk : file === topFile && requestedFile === null ? topHunk : 0;
  return { file, hunk: Math.max(hunk, 0) };
}
