// Syntax colours of the hunks of a comparison. Both sides are highlighted; the unchanged lines are in both.
import type { EditedHunk } from '../../lib/versions';
import type { Line } from '../../lib/diff/lines';
import type { Highlight } from '../base/code-colours';
import type { Colours } from '../diff/line';

export type HunkColours = ReadonlyMap<Line, Colours>;

const known = new WeakMap<EditedHunk, Promise<HunkColours>>();

/** Returns the colours of a hunk's lines. Each hunk is highlighted once. */
export function coloursOfHunk(highlight: Highlight, hunk: EditedHunk): Promise<HunkColours> {
  const asked = known.get(hunk) ?? ask(highlight, hunk);
  known.set(hunk, asked);
  return asked;
}

async function ask(highlight: Highlight, { path, lines }: EditedHunk): Promise<HunkColours> {
  const sides = (['+', '-'] as const).map((other) => lines.filter((line) => line.kind !== other));
  const answers = await Promise.all(
    sides.map((side) => highlight(path, side.map((line) => line.text).join('\n'))),
  );
  return new Map(
    answers.flatMap(({ classes: names, lines: spans }, which) =>
      sides[which]!.map((line, at) => [line, { spans: spans[at] ?? [], names }] as const),
    ),
  );
}
