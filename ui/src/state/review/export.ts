// Exports the review: saves it as a file, or prints it.
import { saveText } from '../../rpc/desktop';
import type { ExportFormat } from '../../rpc/types.gen';
import { connection } from '../app/connection.svelte';
import { desk } from '../desk/desk.svelte';
import { notices } from '../app/notices.svelte';
import { review } from './review.svelte';
import { reviewTexts } from '../../lib/texts/review';

/** Saves the shown review as a file. */
export async function saveReview(format: ExportFormat): Promise<void> {
  const view = review.view;
  if (!view) return;
  try {
    const { name, text } = await connection.client.call('review.export', {
      review_id: view.review_id,
      format,
    });
    const path = await saveText(name, text);
    if (path) notices.info(reviewTexts.export.saved(path));
  } catch (thrown) {
    notices.fail(thrown, reviewTexts.export.notSaved, () => void saveReview(format));
  }
}

/** Prints the shown review. Its print view is mounted for that only. */
export function printReview(): void {
  if (!review.view) return;
  desk.printing = true;
  addEventListener('afterprint', () => (desk.printing = false), { once: true });
  // The view is mounted in the next frame.
  requestAnimationFrame(() => requestAnimationFrame(() => print()));
}
