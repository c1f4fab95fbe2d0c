// What a redaction report says, by value: one entry for each secret with all its places.
import type { RedactionMatch } from '../rpc/types.gen';

export interface Masked {
  /** The value's keyed digest. */
  value: string;
  rule: string;
  places: string[];
}

export function groupMasked(matches: readonly RedactionMatch[]): Masked[] {
  const groups = new Map<string, Masked>();
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
