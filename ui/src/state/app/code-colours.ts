// Requests the syntax colours of code in texts and patches, and caches them, because cards are drawn again when they are scrolled into view.
import type { HighlightView } from '../../rpc/types.gen';
import { connection } from './connection.svelte';

/** The maximum number of cached texts. The oldest is removed first. */
const MAX_TEXTS = 200;
const cached = new Map<string, Promise<HighlightView>>();

/** Highlights code. Rejects if the core does not answer. */
export function highlight(language: string, text: string): Promise<HighlightView> {
  const key = `${language}\n${text}`;
  const known = cached.get(key);
  if (known) return known;
  const asked = connection.client.call('code.highlight', { language, text });
  cached.set(key, asked);
  asked.catch(() => cached.delete(key));
  if (cached.size > MAX_TEXTS) cached.delete(cached.keys().next().value!);
  return asked;
}
