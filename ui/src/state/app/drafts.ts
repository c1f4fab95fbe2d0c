// Unsaved form values. They survive a restart.
import { untrack } from 'svelte';
import { prefs } from './prefs.svelte';

export const drafts = {
  /** What was left under a name; `usual` where nothing was. A copy of either, which does not follow what is typed. */
  read<T>(key: string, usual: T): T {
    const left = untrack(() => prefs.values.drafts[key]);
    return parsed<T>(left) ?? (JSON.parse(JSON.stringify(usual)) as T);
  },

  /** Remembers what is in a form, unless it says nothing more than what stands there anyway. */
  write(key: string, now: unknown, usual: unknown): void {
    const text = JSON.stringify(now);
    const hasText = typeof now !== 'string' || now.trim() !== '';
    prefs.setDraft(key, hasText && text !== JSON.stringify(usual) ? text : '');
  },

  has: (key: string): boolean => key in prefs.values.drafts,

  drop: (key: string): void => prefs.setDraft(key, ''),
};

function parsed<T>(text: string | undefined): T | null {
  try {
    return text ? (JSON.parse(text) as T) : null;
  } catch {
    return null;
  }
}
