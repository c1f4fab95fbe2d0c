// In: findings with their anchors and the lines that have come. Out: between which rows each finding stands.
import type { FindingView } from '../rpc/types.gen';
import type { Line, Loaded } from './lines';

export interface FilePlaces {
  /** Above the file's lines: they speak of the file, or of lines that the change does not show. */
  top: string[];
  /** Behind a line. */
  after: Map<Line, string[]>;
  /** All that stand behind lines, in order; shown together when the file is folded. */
  inLines: string[];
}

/** By index of the file. */
export type Places = Map<number, FilePlaces>;

/** Gives every finding of a file of the change its place; the others are shown with the summary. */
export function placeFindings(findings: FindingView[], loaded: Loaded): Places {
  const byFile = groupBy(findings, (view) => view.file ?? -1);
  const places: Places = new Map();
  for (const [file, views] of byFile) {
    if (file >= 0)
      places.set(file, placeInFile(views, loaded.hunks[file]?.flatMap((hunk) => hunk?.lines ?? []) ?? []));
  }
  return places;
}

function placeInFile(views: FindingView[], lines: Line[]): FilePlaces {
  const place: FilePlaces = { top: [], after: new Map(), inLines: [] };
  const bySide = { old: new Map<number, Line>(), new: new Map<number, Line>() };
  for (const line of lines) {
    if (line.old !== null) bySide.old.set(line.old, line);
    if (line.new !== null) bySide.new.set(line.new, line);
  }
  for (const { finding } of views) {
    const { line_end: end, side } = finding.anchor;
    const line = end == null ? undefined : bySide[side].get(end);
    if (!line) {
      place.top.push(finding.id);
      continue;
    }
    const there = place.after.get(line);
    if (there) there.push(finding.id);
    else place.after.set(line, [finding.id]);
    place.inLines.push(finding.id);
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
