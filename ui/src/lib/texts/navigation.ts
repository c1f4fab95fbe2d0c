// Texts of navigation: definitions, references, callers.
import type { ChangedSignature } from '../../rpc/types.gen';
import { plural } from '../text/format';
import { escapeInvisible } from '../text/invisible-characters';

export const navigationTexts = {
  title: {
    names: { definition: 'Definition of a name on the line', references: 'References to a name on the line' },
    definition: (name: string) => `Definition of ${name}`,
    candidates: (name: string) => `Possible definitions of ${name}`,
    references: (name: string) => `References to ${name}`,
    possibleReferences: (name: string) => `Possible references to ${name}`,
    signatures: 'Unchanged callers of changed signatures',
  },
  section: { candidates: 'Possible definitions', references: 'Possible references' },
  note: {
    candidates: 'The definition is not certain. Select one.',
    references: 'The definition is not certain. Select one to list only its references.',
    more: (count: number) => `${plural(count, 'further place')} not listed.`,
    partial: 'The file has syntax errors, so names can be missing.',
    stopped: 'The search stopped at its limit of 2,000 places, so there can be more.',
  },
  filter: 'Filter by path or text',
  searching: 'Searching…',
  none: {
    unread: 'The file has no grammar, or is larger than a megabyte or binary.',
    no_name: 'There is no name at this place.',
    external: (module: string) => `It is defined outside of the repository, in ${module}.`,
    undefined: (name: string) => `No file of the repository defines ${name}.`,
    references: 'Nothing refers to it.',
    signatures: 'No unchanged code calls a signature that the change edits.',
  },
  callers: (count: number, name: string) =>
    `${plural(count, 'unchanged caller')} of ${escapeInvisible(name)}`,
  callersNote: ({ before, more, stopped }: Pick<ChangedSignature, 'before' | 'more' | 'stopped'>) =>
    [
      `The signature was ${escapeInvisible(before.replace(/\s+/g, ' '))}`,
      more > 0 ? navigationTexts.note.more(more) : '',
      stopped ? navigationTexts.note.stopped : '',
    ]
      .filter(Boolean)
      .join('. '),
  close: 'Close',
  removed: 'removed',
  possible: 'possible',
  outside: 'not in the diff, opens in the editor',
  outsideNoEditor: 'not in the diff',
  within: (name: string) => `in ${name}`,
  noPlace: 'There is no further place.',
  failed: 'The name was not found',
};
