// Which file and hunk an action in the diff is about.
import { cursor } from './cursor.svelte';
import { desk } from '../desk/desk.svelte';

/** The file that was gone to; else that of the line that the keyboard is on, if it is in view; else what is at the top. */
export function here(): { file: number; hunk: number } {
  const { asked, topFile, topHunk } = desk;
  const line = asked === null ? cursor.inView : null;
  const file = line?.file ?? topFile;
  // Lines around the hunks are of none.
  const hunk = line && line.hunk >= 0 ? line.hunk : file === topFile && asked === null ? topHunk : 0;
  return { file, hunk: Math.max(hunk, 0) };
}
