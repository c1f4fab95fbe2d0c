// Texts of navigation: definitions, references, callers.

export const navigationTexts = {
  title: {
    names: 'Names on the line',
    definition: (name: string) => `Definition of ${name}`,
    candidates: (name: string) => `Possible definitions of ${name}`,
    references: (name: string) => `References to ${name}`,
    signatures: 'Unchanged callers of changed signatures',
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
  within: (name: string) => `in ${name}`,
  failed: 'The name was not found',
};
