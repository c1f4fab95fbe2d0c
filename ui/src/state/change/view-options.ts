// Options of the diff that need more than a changed preference: tab width and lines of context.
import { retab, setTabWidth } from '../../lib/diff/lines';
import { changeTexts } from '../../lib/texts/change';
import { change } from './change.svelte';
import { expandedContext } from './context-lines.svelte';
import { notices } from '../app/notices.svelte';
import { prefs } from '../app/prefs.svelte';
import { settings } from '../settings/settings.svelte';

/** The tab widths, in the order of the action. */
export const tabWidths = [2, 3, 4, 8] as const;

/** The numbers of context lines, in the order of the actions. */
const CONTEXT_LINES = [0, 1, 3, 5, 10, 25, 50, 100] as const;
const SETTING = 'limits.context_lines';

/** Applies the preferred tab width to the lines that are loaded now and later. */
export function applyTabWidth(width: number): void {
  // A saved preference may have any number.
  if (!setTabWidth(width >= 1 && width <= 16 ? width : 4)) return;
  for (const hunks of change.loaded.hunks) for (const hunk of hunks) retab(hunk.lines);
  for (const gap of expandedContext.gaps.values()) {
    retab(gap.above);
    retab(gap.below);
  }
  change.version += 1;
}

/** Selects the next tab width. */
export function nextTabWidth(): void {
  const at = tabWidths.findIndex((width) => width === prefs.values.tabWidth);
  prefs.values.tabWidth = tabWidths[(at + 1) % tabWidths.length]!;
  applyTabWidth(prefs.values.tabWidth);
  notices.info(changeTexts.message.tabWidth(prefs.values.tabWidth));
}

/** Shows more (1) or fewer (-1) lines around each change, which an agent then sees, too. */
export async function stepContext(by: 1 | -1): Promise<void> {
  if (settings.busy) return;
  if (!settings.entry(SETTING)) await settings.load();
  const now = settings.value(SETTING, 3);
  const next =
    by > 0 ? CONTEXT_LINES.find((lines) => lines > now) : CONTEXT_LINES.findLast((lines) => lines < now);
  if (next === undefined) return notices.info(changeTexts.message.contextLines(now));
  const changed = await settings.set([{ key: SETTING, value: next }]);
  if (changed) notices.info(changeTexts.message.contextLines(next));
  else if (settings.refused) notices.fail(settings.refused.error, changeTexts.message.contextNotChanged);
}
