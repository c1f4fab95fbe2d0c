// Places findings and threads between the lines of the diff.
import type { FindingView, Side, ThreadView } from '../../rpc/types.gen';
import { gapKey, noGap, type Gaps } from './gaps';
import type { Line, Loaded } from './lines';

export interface FileCards {
  /** Cards above the file's lines. Their anchor is the file, or a line that the change does not show. */
  top: string[];
  /** Cards after a line. */
  after: Map<Line, string[]>;
  /** All cards after lines, in order. They are shown together when the file is folded. */
  inLines: string[];
}

/** The cards by the index of the file. */
export type CardPlacement = Map<number, FileCards>;

/** A card between lines: its id and its anchor. */
export interface CardAnchor {
  id: string;
  file: number | null | undefined;
  side: Side;
  line: number | null | undefined;
  /** Whether the card is shown only after its line, not above the file's lines. */
  onlyAtLine?: boolean;
}

export const findingPlaces = (findings: FindingView[]): CardAnchor[] =>
  findings.map(({ finding, file }) => ({
    id: finding.key,
    file,
    side: finding.anchor.side,
    line: finding.anchor.line_end,
  }));

/** The key of a thread's card. Keys of findings never have this prefix. */
export const threadKey = (id: string): string => `t:${id}`;
export const threadIdOf = (key: string): string | null => (key.startsWith('t:') ? key.slice(2) : null);
export const threadPlaces = (threads: ThreadView[]): CardAnchor[] =>
  threads.map(({ id, file, side, line }) => ({ id: threadKey(id), file, side, line }));

/** The key of a card with facts about a line. */
export const factKey = (file: number, line: number): string => `x:${file}:${line}`;
export const isFactKey = (key: string): boolean => key.startsWith('x:');

/** The key of the card with the results of a question about a name. */
export const peekKey = 'p:';

/** The key of a card with the unchanged callers of a signature. */
export const callersKey = (file: number, side: Side, line: number): string => `s:${file}:${side}:${line}`;
export const isCallersKey = (key: string): boolean => key.startsWith('s:');

/** Places the cards of all files of the change. Cards without a file are shown in the summary. */
export function placeCards(all: CardAnchor[], loaded: Loaded, gaps: Gaps = new Map()): CardPlacement {
  const byFile = groupBy(all, (view) => view.file ?? -1);
  const places: CardPlacement = new Map();
  for (const [file, views] of byFile) {
    if (file < 0) continue;
    const hunks = loaded.hunks[file] ?? [];
    const lines = hunks.flatMap((hunk) => hunk?.lines ?? []);
    for (let before = 0; gaps.size > 0 && before <= hunks.length; before++) {
      const gap = gaps.get(gapKey(file, before)) ?? noGap;
      lines.push(...gap.above, ...gap.below);
    }
    places.set(file, placeInFile(views, lines));
  }
  return places;
}

function placeInFile(views: CardAnchor[], lines: Line[]): FileCards {
  const place: FileCards = { top: [], after: new Map(), inLines: [] };
  const bySide = { old: new Map<number, Line>(), new: new Map<number, Line>() };
  for (const line of lines) {
    if (line.old !== null) bySide.old.set(line.old, line);
    if (line.new !== null) bySide.new.set(line.new, line);
  }
  for (const { id, line: end, side, onlyAtLine } of views) {
    const line = end == null ? undefined : bySide[side].get(end);
    if (!line) {
      if (!onlyAtLine) place.top.push(id);
      continue;
    }
    const there = place.after.get(line);
    if (there) there.push(id);
    else place.after.set(line, [id]);
    place.inLines.push(id);
  }
  return place;
}

export function groupBy<T, K>(items: T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
