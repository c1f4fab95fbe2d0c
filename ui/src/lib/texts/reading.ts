// Folded lines and the reading order. Loaded at the start.
import type { FoldReason, OrderKind, ShownChapter, UnreadFile, UnreadReason } from '../../rpc/types.gen';
import { plural } from '../text/format';
import type { LineFold } from '../diff/noise';

const reasons: Record<FoldReason, string> = {
  moved: 'Moved',
  whitespace: 'Whitespace',
  formatting: 'Formatting',
  renamed: 'Renamed',
  imports: 'Import order',
  comments: 'Comments',
};

const unreadReasons: Record<UnreadReason, string> = {
  too_large: 'not read: larger than 1 MB',
  not_text: 'not read: not UTF-8',
  unavailable: 'not read: only the hunks are known',
  no_grammar: 'without a grammar: compared by lines',
};

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export const readingTexts = {
  // A row in place of folded lines
  fold: {
    title: ({ reason, renames, other }: Pick<LineFold, 'reason' | 'renames' | 'other'>): string => {
      if (reason === 'renamed') return renames.map(({ from, to }) => `Renamed ${from} to ${to}`).join(', ');
      if (reason === 'moved') return other?.side === 'old' ? 'Moved from' : other ? 'Moved to' : 'Moved';
      return reasonTitles[reason];
    },
    place: (path: string, line: number) => `${path}:${line}`,
    go: (path: string, line: number) => `Go to ${path}:${line}`,
    show: (lines: number) => `Show ${plural(lines, 'line')}`,
    hide: (lines: number) => `Fold ${plural(lines, 'line')}`,
  },

  // Toolbar
  toolbar: {
    folded: ' folded',
    foldable: ' shown',
    title: (
      folding: boolean,
      counts: readonly (readonly [FoldReason, number])[],
      unread: readonly Pick<UnreadFile, 'reason'>[],
    ): string =>
      [
        folding ? 'Show lines without new meaning (q)' : 'Fold lines without new meaning (q)',
        ...counts.map(([reason, lines]) => `${reasons[reason]}: ${plural(lines, 'line')}`),
        ...readingTexts.toolbar.unread(unread),
      ].join('\n'),
    unread: (files: readonly Pick<UnreadFile, 'reason'>[]) =>
      Object.entries(unreadReasons).flatMap(([reason, words]) => {
        const count = files.filter((one) => one.reason === reason).length;
        return count > 0 ? [`${plural(count, 'file')} ${words}`] : [];
      }),
    notFolded: 'not folded',
    tooLarge: 'The change is too large to fold lines without new meaning.',
    order: 'Reading order',
  },

  // Chapters of the reading order
  chapter: {
    name: ({ kind, name }: Pick<ShownChapter, 'kind' | 'name'>): string =>
      kind === 'rest' ? 'Files without code' : name === '' ? 'Root folder' : name,
    why: (kind: ShownChapter['kind'], first: OrderKind): string =>
      kind === 'rest'
        ? 'Read last'
        : first === 'entry'
          ? 'Entry point, then the code that it calls, then its tests'
          : 'Not connected to other changed code',
    sentence: (sentence: string, agent: string) =>
      `${sentence}\nWritten by ${agent}. Go to the code that it quotes`,
  },

  // The reason of a hunk's place
  step: {
    entry: 'Entry point',
    called: (name: string, by: string) => `Defines ${name}, used in ${by}`,
    test: 'Test',
    unread: (reason: UnreadReason): string => capitalised(unreadReasons[reason]),
  },

  hunks: (hunks: number) => plural(hunks, 'hunk'),

  message: {
    notLoaded: 'Lines without new meaning could not be folded.',
  },
} as const;

const reasonTitles: Record<Exclude<FoldReason, 'moved' | 'renamed'>, string> = {
  whitespace: 'Only whitespace changed',
  formatting: 'Only formatting changed',
  imports: 'Only the order of imports changed',
  comments: 'Only comments changed',
};
