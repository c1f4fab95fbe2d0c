// Texts of the view that reads a change commit by commit.
import { count, plural } from '../text/format';

export const commitsTexts = {
  title: 'Commit by commit',
  list: 'Commits, the oldest first',
  place: (number: number, all: number) => `Commit ${count(number)} of ${count(all)}`,
  range: (first: number, last: number, all: number) =>
    `Commits ${count(first)} to ${count(last)} of ${count(all)}`,
  until: 'up to',
  next: 'Next commit',
  previous: 'Previous commit',
  fixes: (number: number) => `fixes ${count(number)}`,
  fixedBy: (numbers: readonly number[]) => `fixed by ${numbers.map(count).join(', ')}`,
  findings: (findings: number) => plural(findings, 'finding'),
  message: 'Message',
  comment: 'Write a finding about the message',
  commentLine: (line: number) => `Write a finding about line ${count(line)} of the message`,
  edits: 'Lines that the commit changes',
  noFiles: 'No files',
  noFilesText: 'This commit changes no files.',
  none: 'No commits',
  noneText: 'The change has no commits that can be read here.',
  loading: 'Reading the commits…',
  loadingMore: (left: number) => `${plural(left, 'more file')} loading…`,
  failed: 'The commits could not be read',
};
