// Decisions about findings, edits and their messages. Loaded at the start.
import { count } from '../text/format';

export const triageTexts = {
  // Why a finding has its badge
  badge: {
    verified: 'The quoted code is on these lines.',
    moved: 'The agent gave other lines. The finding was moved to the quoted code.',
    unverified: 'The lines exist, but the finding quotes no code to verify them.',
    file: 'No line was found. The finding is about the file.',
    unplaced: 'Its file is not part of the change.',
    disputed: 'The code contradicts a claim of this finding.',
  },

  // Mark of a finding on lines that the author has not edited since an earlier version
  before: {
    badge: 'was there before',
    title: (since: string) => `The author has not edited these lines since ${since}.`,
  },

  // The place of a finding in a list of its file
  place: {
    file: 'File',
    lines: (start: number, end: number) => `Lines ${start}–${end}`,
    line: (line: number) => `Line ${line}`,
  },

  // Decisions, as the subject of the undo notice
  decision: {
    reopened: 'Reopening',
    accepted: 'Acceptance',
    dismissed: 'Dismissal',
    made: (decision: string, findings: number) =>
      findings === 1 ? decision : `${decision} of ${count(findings)} findings`,
    notSaved: 'The decision was not saved',
  },

  // Edits of findings, as the subject of the undo notice
  edit: {
    added: 'New finding',
    edited: 'Edit',
    restored: 'Restoration of the original',
    removed: 'Removal',
  },

  // Errors
  error: {
    notRemoved: 'The finding was not removed',
    notRestored: 'The finding was not restored',
    notChanged: 'The finding was not changed',
    notAdded: 'The finding was not added',
    replaced:
      'Another review replaced this one. Your text is now an unsaved edit of its finding. Save it there.',
    findingGone:
      'The new review does not contain this finding. Your text is now an unsaved finding of your own.',
  },
} as const;
