// Words of buttons and lists that many screens share.

export const commonTexts = {
  // Buttons
  add: 'Add',
  cancel: 'Cancel',
  clear: 'Clear',
  close: 'Close',
  copied: 'Copied',
  copy: 'Copy',
  discardChanges: 'Discard changes',
  edit: 'Edit',
  open: 'Open',
  refresh: 'Refresh',
  remove: 'Remove',
  retry: 'Retry',
  save: 'Save',
  show: 'Show',
  test: 'Test',
  tryAgain: 'Try again',
  // Lists and searches
  noMatches: 'No matches',
  searching: 'Searching…',
  searchAgain: 'Search again',
  // Errors
  details: 'Details',
  confirmRemoval: (question: string) => `${question} This cannot be undone.`,
  nothingMatches: 'Nothing matches.',
  currentOption: 'open',
} as const;
