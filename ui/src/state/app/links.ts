// Opens an address in the system's browser, and reports a failure as a notice.
import { openOutside } from '../../rpc/desktop';
import { notices } from './notices.svelte';
import { changeTexts } from '../../lib/texts/change';

export function openLink(href: string): void {
  openOutside(href).catch((thrown: unknown) => notices.fail(thrown, changeTexts.message.linkNotOpened));
}
