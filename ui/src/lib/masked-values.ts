// Groups the matches of a redaction report by value.
import type { RedactionMatch } from '../rpc/types.gen';

export interface MaskedValue {
  /** The keyed digest of the value. */
  value: string;
  rule: string;
  places: string[];
}

export function groupMaskedValues(matches: readonly RedactionMatch[]): MaskedValue[] {
  const groups = new Map<string, MaskedValue>();
  for (const match of matches) {
    const place = match.line_hint == null ? match.path : `${match.path}:${match.line_hint}`;
    const group = groups.get(match.match_sha256);
    if (!group)
      groups.set(match.match_sha256, {
        value: match.match_sha256,
        rule: match.pattern_name,
        places: [place],
      });
    else if (!group.places.includes(place)) group.places.push(place);
  }
  return [...groups.values()];
}
