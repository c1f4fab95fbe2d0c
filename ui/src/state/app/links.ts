// Opening an address outside, with a word where that fails.
import { openOutside } from '../../rpc/desktop';
import { notices } from './notices.svelte';

export function openLink(href: string): void {
  openOutside(href).catch((thrown: unknown) => notices.fail(thrown, 'The address could not be opened'));
}
