// Decisions about findings, edits and their messages. Loaded at the start.
import { plural } from '../text/format';

export const triageTexts = {
  // Why a finding has its badge
  badge: {
    verified: 'The quoted code is at these lines.',
    moved: 'The quoted code is at other lines than the agent gave. The finding was moved there.',
    unverified: 'The lines exist, but the finding quotes no code to verify them.',
    file: 'No line was found. The finding is about the file.',
    unplaced: 'Its file is not part of the change.',
    disputed: 'The code contradicts a claim of this finding.',
  },

  // The place of a finding in a list of its file
  place: {
    file: 'File',
    lines: (start: number, end: number) => `Lines ${start}–${end}`,
    line: (line: number) => `Line ${line}`,
  },

  // Decisions
  decision: {
    reopened: 'reopened',
    accepted: 'accepted',
    dismissed: 'dismissed',
    made: (verb: string, findings: number) => `${verb} ${plural(findings, 'finding')}`,
    notSaved: 'The decision was not saved',
  },

  // Edits of findings, as the undo notice shows them
  edit: {
    added: 'added a finding',
    edited: 'edited a finding',
    restored: 'restored a finding',
    removed: 'removed a finding',
  },

  // Errors
  error: {
    notRemoved: 'The finding was not removed',
    notRestored: 'The finding was not restored',
    notChanged: 'The finding was not changed',
    notAdded: 'The finding was not added',
    replaced:
      'Another review replaced this one. Your text is now an unsaved edit of its finding. Save it there.',
  },
} as const;
