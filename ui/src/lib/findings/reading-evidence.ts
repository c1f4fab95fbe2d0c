// Evidence of reading for the diff: the prompts of a hunk, and the agents that opened a file.
import type { Reading } from '../../rpc/types.gen';
import { diffTexts } from '../texts/diff';

/** Returns who opened a file. Null if nobody did, or if it is not known. */
export function openedBy(
  reading: Reading | null | undefined,
  path: string,
  titleOf: (agent: string) => string,
): string | null {
  const agents = (reading?.agents ?? []).filter((agent) => agent.opened?.includes(path));
  return agents.length > 0
    ? diffTexts.reading.openedBy(agents.map((agent) => titleOf(agent.agent ?? '')))
    : null;
}

/**
 * Returns how a hunk was delivered: its prompts if there are several, or the missing lines. Null if it was delivered in the only prompt, or
 * if it is not known. A hunk that is not the reviewed one has other first lines.
 */
export function deliveryOf(
  reading: Reading | null | undefined,
  path: string,
  first: { old: number; new: number },
): string | null {
  const file = reading?.files?.find((one) => one.path === path);
  const hunk = file?.hunks?.find((one) => one.old_start === first.old && one.new_start === first.new);
  if (!hunk) return null;
  const { changed = 0, delivered = 0, prompts = [] } = hunk;
  if (delivered < changed) {
    const opened = (reading?.agents ?? []).some((agent) => agent.opened?.includes(path));
    if (delivered > 0) return diffTexts.reading.partly(delivered, changed);
    return opened ? diffTexts.reading.onlyOpened : diffTexts.reading.unread;
  }
  const all = Math.max(0, ...(reading?.files ?? []).flatMap((one) => one.prompts ?? []));
  return all > 1 && prompts.length > 0 ? diffTexts.reading.prompts(prompts, all) : null;
}
