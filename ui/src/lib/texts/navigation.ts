// Texts of navigation: definitions, references, callers.
import { plural } from '../text/format';

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
  removed: 'removed',
  possible: 'possible',
  outside: 'not in the diff, opens in the editor',
  outsideNoEditor: 'not in the diff',
  within: (name: string) => `in ${name}`,
  noPlace: 'There is no further place.',
  failed: 'The name was not found',
};
