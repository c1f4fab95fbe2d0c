// The list of files, the search in the change, and images.
import { count, plural } from '../text/format';

export const filesTexts = {
  // Files
  pane: {
    title: 'Files',
    shownOf: (shown: number, all: number) => `${shown} of ${all}`,
    viewed: (files: number) => `${files} viewed`,
    showTree: 'Show as a tree',
    noMatch: 'No file matches the filter.',
  },

  // Filter of the list
  filter: {
    placeholder: 'Filter files',
    label: 'Filter files',
    more: 'More filters',
    notViewed: 'Not viewed',
    withFindings: 'With findings',
    type: 'Type',
    allTypes: 'All types',
    owner: 'Owner',
    allOwners: 'All owners',
  },

  // A file or folder in the list
  row: {
    fold: (folder: string, files: number) => `Fold ${folder}, ${plural(files, 'file')}`,
    unfold: (folder: string, files: number) => `Unfold ${folder}, ${plural(files, 'file')}`,
    owners: (names: readonly string[]) => `Owners: ${names.join(', ')}`,
    viewed: 'Viewed',
    viewedLabel: 'viewed',
    findings: (count: number, worst: string) => `${plural(count, 'finding')}, highest severity ${worst}`,
  },

  // Search in the change
  search: {
    label: 'Find in the change',
    position: (at: number, total: number) => `${count(at)} of ${count(total)}`,
    cut: (matches: number) => `${plural(matches, 'match', 'matches')} in cut lines`,
    partly: (lines: number) => `${plural(lines, 'line')} searched only in part`,
    partlyMeaning: 'Only the first 20,000 bytes of such a line are searched.',
    previous: 'Previous match',
    next: 'Next match',
  },

  // Images
  image: {
    before: 'Before',
    after: 'After',
    notShown: 'The image cannot be shown.',
    view: 'Comparison of the images',
    views: { sides: 'Side by side', swipe: 'Swipe', difference: 'Difference' },
    position: 'Share of the old image',
    differenceOf: 'Black where both images are equal',
  },

  // Suggested patches
  patch: {
    suggested: 'Suggested patch',
  },

  // Legend of the gutter
  legend: {
    coverage: 'Coverage',
    lines: (meaning: string, lines: number) => `${meaning} ${plural(lines, 'line')}.`,
  },
} as const;
