// Threads and approval of the merge request. Loaded at the start.

export const mergeRequestTexts = {
  // Revoke the approval
  revoke: {
    title: (number: number) => `Revoke your approval of !${number}?`,
    meaning: 'The change is visible to everyone who can see the merge request.',
    revoke: 'Revoke',
    notRevoked: 'The approval was not revoked',
  },

  // Errors
  error: {
    notRead: 'The merge request could not be read',
    replyNotSent: 'The reply was not sent',
    notResolved: 'The thread was not resolved',
    notReopened: 'The thread was not reopened',
  },
} as const;
