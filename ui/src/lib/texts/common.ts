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
  delete: 'Delete',
  edit: 'Edit',
  open: 'Open',
  refresh: 'Refresh',
  remove: 'Remove',
  retry: 'Retry',
  save: 'Save',
  show: 'Show',
  test: 'Test',
  tryAgain: 'Retry',
  // Lists and searches
  noMatches: 'No matches',
  searching: 'Searching…',
  searchAgain: 'Refresh',
  // Errors
  details: 'Details',
  confirmRemoval: (question: string) => `${question} This cannot be undone.`,
  nothingMatches: 'Nothing matches.',
  currentOption: 'current',
} as const;
