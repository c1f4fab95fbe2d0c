// Groups the matches of a redaction report by value.
import type { RedactionMatch, RedactionReason } from '../rpc/types.gen';

export interface MaskedValue {
  /** The keyed digest of the value. */
  value: string;
  rule: string;
  reason: RedactionReason;
  places: MaskedPlace[];
}

export interface MaskedPlace {
  path: string;
  /** Null for a place without lines, such as the name of a file. */
  line: number | null;
  /** `path:line` */
  text: string;
}

export function groupMaskedValues(matches: readonly RedactionMatch[]): MaskedValue[] {
  const groups = new Map<string, MaskedValue>();
  for (const match of matches) {
    const { path, line_hint: line = null } = match;
    const place = { path, line, text: line === null ? path : `${path}:${line}` };
    const group = groups.get(match.match_sha256);
    if (!group)
      groups.set(match.match_sha256, {
        value: match.match_sha256,
        rule: match.pattern_name,
        reason: match.reason,
        places: [place],
      });
    else if (!group.places.some(({ text }) => text === place.text)) group.places.push(place);
  }
  return [...groups.values()];
}
