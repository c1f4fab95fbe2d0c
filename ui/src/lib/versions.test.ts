import { describe, expect, it } from 'vitest';
import type { CommitRow, ComparedFile, ComparedLine, VersionItem } from '../rpc/types.gen';
import {
  commitCounts,
  defaultVersion,
  editedLines,
  editRows,
  hiddenWords,
  noteWords,
  placeOfRow,
  revisionOf,
  stepRow,
  versionName,
} from './versions';

const version = (number: number, more: Partial<VersionItem> = {}): VersionItem => ({
  ...{ number, base: null, head: `${number}`.repeat(40), origin: 'opened', time: null },
  ...{ reviewed: false, current: false, ...more },
});
const none = { target_files: 0, target_added: 0, target_removed: 0, in_target: 0 };
const line = (
  sign: string,
  old: number | null,
  now: number | null,
  more: Partial<ComparedLine> = {},
): ComparedLine => ({
  ...{ sign, source: 'both', old, base: null, new: now, conflict: false, text: 'code', no_newline: false },
  ...more,
});
const file = (lines: ComparedLine[], path = 'src/a.rs'): ComparedFile => ({
  ...{ path, old_path: null, conflict: false, notes: [], hidden: none },
  hunks: lines.length > 0 ? [{ conflict: lines.some((one) => one.conflict), lines }] : [],
});

describe('the version to compare with', () => {
  it('is that of the last review', () => {
    expect(
      defaultVersion([version(1), version(2, { reviewed: true }), version(3), version(4, { current: true })])
        ?.number,
    ).toBe(2);
  });

  it('is the one before the opened one without a review', () => {
    expect(defaultVersion([version(1), version(2), version(3, { current: true })])?.number).toBe(2);
    expect(defaultVersion([version(1, { current: true }), version(2)])?.number).toBe(2);
  });

  it('does not exist if only the opened one is known', () => {
    expect(defaultVersion([version(1, { current: true })])).toBeNull();
    expect(defaultVersion([])).toBeNull();
  });

  it('is named by its commits for the core', () => {
    expect(revisionOf(version(1, { base: 'b'.repeat(40) }))).toBe(`${'b'.repeat(40)}..${'1'.repeat(40)}`);
    expect(revisionOf(version(1))).toBe('1'.repeat(40));
  });

  it('has a name with its number, commit and what is special about it', () => {
    expect(versionName(version(3, { reviewed: true, size: { commits: 1, files: 3 } }))).toBe(
      'v3 · 33333333 · 1 commit, 3 files · your last review',
    );
    expect(versionName(version(4, { origin: 'server', current: true }))).toBe(
      'v4 · 44444444 · from GitLab · shown now',
    );
  });
});

describe('what is hidden', () => {
  it('is counted by reason', () => {
    expect(hiddenWords(none)).toBeNull();
    expect(hiddenWords({ ...none, target_added: 200, target_removed: 40 })).toBe(
      '240 lines from the target branch hidden',
    );
    expect(hiddenWords({ target_files: 2, target_added: 1, target_removed: 0, in_target: 3 })).toBe(
      '1 line from the target branch, 2 files that only the target branch changed, 3 lines that the target branch has now, too hidden',
    );
    expect(hiddenWords({ ...none, in_target: 1 })).toBe(
      '1 line of the author that the target branch has now, too hidden',
    );
  });
});

describe('rows', () => {
  const rows = editRows(
    [file([line(' ', 1, 1), line('-', 2, null), line('+', null, 2, { conflict: true })]), file([], 'b.png')],
    5,
  );

  it('are files with their hunks and lines, numbered from the first file of the page', () => {
    expect(rows.map((row) => row.key)).toEqual(['f5', 'h5-0', 'l5-0-0', 'l5-0-1', 'l5-0-2', 'f6']);
    expect(editedLines(rows)).toBe(2);
  });

  it('mark conflicts and pair changed lines', () => {
    const hunk = rows[1]!.kind === 'hunk' ? rows[1]!.hunk : null;
    expect(hunk?.conflict).toBe(true);
    expect(hunk?.conflicts).toEqual([false, false, true]);
    expect(hunk?.lines[1]?.mate).toBe(hunk?.lines[2]);
  });

  it('stand for places of the new version', () => {
    expect(rows.map(placeOfRow)).toEqual([
      { path: 'src/a.rs', line: 2 },
      { path: 'src/a.rs', line: 1 },
      { path: 'src/a.rs', line: 1 },
      { path: 'src/a.rs', line: 2 },
      { path: 'src/a.rs', line: 2 },
      { path: 'b.png', line: null },
    ]);
    const removedAtEnd = editRows([file([line(' ', 7, 8), line('-', 8, null)])]);
    expect(placeOfRow(removedAtEnd.at(-1)!)).toEqual({ path: 'src/a.rs', line: 8 });
  });

  it('are walked without the bars above hunks', () => {
    expect(stepRow(rows, 0, 1)).toBe(2);
    expect(stepRow(rows, 2, -1)).toBe(0);
    expect(stepRow(rows, 5, 1)).toBe(5);
    expect(stepRow(rows, 0, -1)).toBe(0);
  });
});

describe('words', () => {
  it('name what lines do not show', () => {
    expect(noteWords({ kind: 'mode', from: 0o100644, to: 0o100755 })).toBe('mode 100644 → 100755');
    expect(noteWords({ kind: 'renamed', from: 'old.rs' })).toBe('moved from old.rs');
  });

  it('count commits by state', () => {
    const commit = (state: CommitRow['state'], reordered = false): CommitRow => ({
      state,
      reordered,
      message_changed: false,
    });
    expect(commitCounts([commit('unchanged'), commit('unchanged', true), commit('new')])).toEqual([
      '2 unchanged',
      '1 new',
      '1 reordered',
    ]);
  });
});
