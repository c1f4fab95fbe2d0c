// Unsaved form values. They survive a restart.
import { untrack } from 'svelte';
import { prefs } from './prefs.svelte';

export const drafts = {
  /** Returns a copy of the draft, or of `usual` without one. Not reactive: it does not follow later edits. */
  read<T>(key: string, usual: T): T {
    const left = untrack(() => prefs.values.drafts[key]);
    return parsed<T>(left) ?? (JSON.parse(JSON.stringify(usual)) as T);
  },

  /** Stores a form's value as a draft, or removes the draft if the value is empty or equal to `usual`. */
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
