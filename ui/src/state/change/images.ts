// Loads the images of the change.
import type { ImageView, Side } from '../../rpc/types.gen';
import { toCoreError } from '../../rpc/errors';
import { connection } from '../app/connection.svelte';
import { openChange } from './open-change.svelte';

export async function loadImage(file: number, side: Side): Promise<ImageView> {
  try {
    return await openChange.call((change_id) =>
      connection.client.call('change.image', { change_id, file, side }),
    );
  } catch (thrown) {
    throw new Error(toCoreError(thrown).message, { cause: thrown });
  }
}
