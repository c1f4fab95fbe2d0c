// The receipt of an agent's sandbox as one line.
import type { MessageView, SandboxReceipt } from '../../rpc/types.gen';
import { sandboxTexts } from '../texts/sandbox';

/** Describes how an agent was confined, which hosts it used, and which ones were refused. */
export function describeSandbox(receipt: SandboxReceipt): string {
  const hosts = (allowed: boolean) =>
    (receipt.connections ?? []).flatMap(({ allowed: is, host }) => (is === allowed && host ? [host] : []));
  const used = hosts(true);
  const refused = hosts(false);
  const facts = [describeMechanism(receipt)];
  if (used.length > 0) facts.push(sandboxTexts.connected(used));
  if (refused.length > 0) facts.push(sandboxTexts.refused(refused));
  if (receipt.saved?.length) facts.push(sandboxTexts.saved(receipt.saved));
  if (receipt.not_covered?.length) facts.push(sandboxTexts.notCovered(receipt.not_covered));
  return facts.join('; ');
}

function describeMechanism({ mechanism, reason }: SandboxReceipt): string {
  switch (mechanism) {
    case 'bubblewrap':
      return mechanism;
    case 'seatbelt':
      return sandboxTexts.seatbelt;
    case 'landlock':
      return sandboxTexts.landlock(reason ?? null);
    default:
      return sandboxTexts.none(reason ?? null);
  }
}

/** Returns the lines of the answers that differ from the line of the answer before, by the number of the message. */
export function changedSandboxes(messages: readonly MessageView[]): ReadonlyMap<number, string> {
  const changed = new Map<number, string>();
  let before = '';
  for (const { number, agent, sandbox } of messages) {
    if (!sandbox) continue;
    const line = describeSandbox(sandbox);
    const one = `${agent}: ${line}`;
    if (one !== before) changed.set(number, line);
    before = one;
  }
  return changed;
}
