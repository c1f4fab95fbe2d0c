// Labels of the context that is attached to a message.
import type { About, FindingView } from '../../rpc/types.gen';
import { placeOf, titleOf } from '../findings/findings';
import { chatTexts } from '../texts/chat';

const name = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

export function aboutWords(about: About, finding?: FindingView): string {
  if (about.kind === 'finding')
    return finding
      ? chatTexts.composer.finding(titleOf(finding.finding))
      : chatTexts.composer.findingKey(about.key);
  if (about.kind === 'file') return name(about.path);
  const { line_start: from, line_end: to } = about;
  return `${name(about.path)}:${from}${to > from ? `–${to}` : ''}${about.side === 'old' ? chatTexts.composer.oldSide : ''}`;
}

export function aboutTitle(about: About, finding?: FindingView): string {
  if (about.kind === 'finding') return finding ? placeOf(finding.finding) : chatTexts.composer.aFinding;
  return about.path;
}
