// Posting to the merge request, and its threads.
import { plural } from '../text/format';

export const postingTexts = {
  // Posting sheet
  sheet: {
    label: 'Post to the merge request',
    comments: 'Comments',
    title: (number: number | undefined, title: string | undefined) => `Post to !${number} ${title}`,
    as: (user: string) => `as ${user}`,
    newCommits: 'The merge request has new commits since this review.',
    newCommitsAdvice: 'Place the findings in the new version, or review the new commits first.',
    updatePositions: 'Update positions',
    interrupted: (posted: number, all: number) =>
      `A posting was interrupted after ${posted} of ${plural(all, 'comment')}. Posting again sends only the missing ones.`,
    unsaved: (findings: number) => `${plural(findings, 'unsaved finding')} will not be posted.`,
    preparing: 'Preparing the comments…',
    noComments: 'There are no comments to post.',
    editing: 'Save or cancel the edit first.',
    toPost: (comments: number, summary: boolean) => {
      if (!summary) return `${plural(comments, 'comment')} to post`;
      return comments > 0 ? `${plural(comments, 'comment')} and a summary to post` : 'A summary to post';
    },
    starting: 'Starting',
    running: 'Posting…',
    posted: 'Posted',
    done: 'Done',
    retry: (action: string) => `Retry: ${action}`,
  },

  // Groups of comments
  placement: {
    inline: 'Inline',
    range: 'Multiple lines',
    file: 'Files',
    inSummary: 'In the summary',
    summary: 'Summary',
    replaced: 'Summary, replaces the earlier one',
  },

  // One comment
  comment: {
    post: (title: string) => `Post ${title}`,
    suggestion: 'suggestion',
    already: 'already posted',
    moved: (toFile: boolean) =>
      `GitLab rejected the line, so the comment is ${toFile ? 'on the file' : 'in the summary'}.`,
    comment: 'Comment',
    placeholder: 'Your text, posted instead of the agent’s',
    restore: 'Restore original',
  },

  // Result of a comment
  state: {
    waiting: 'waiting',
    sending: 'sending…',
    draft: 'saved as draft',
    already: 'already posted',
    posted: 'posted',
    onFile: 'moved to the file',
    inSummary: 'moved to the summary',
    failed: 'failed',
  },

  // Verdict
  verdict: {
    title: 'Verdict',
    forCommit: 'for commit',
    comment: 'Comment',
    approve: 'Approve',
    requestChanges: 'Request changes',
    revoke: 'Revoke approval…',
    requirements: 'List the requirements of the authors in the summary',
    ifRejected: 'If GitLab rejects a line:',
    moveComment: 'Move the comment to the file or the summary',
    omitComment: 'Leave the comment out',
  },

  // Main button
  action: {
    post: 'Post',
    approve: 'Approve',
    requestChanges: 'Request changes',
    postAndApprove: 'Post and approve',
    postAndRequestChanges: 'Post and request changes',
  },

  // Result of the posting
  result: {
    failed: (comments: number) => `${plural(comments, 'comment')} failed.`,
    all: 'Posted.',
    oneNotification: 'One notification sent.',
    moved: (result: string, comments: number) => `${result} ${plural(comments, 'comment')} moved.`,
    notRecorded: (result: string) => `${result} The result could not be saved on this machine.`,
    approved: 'Approved.',
    changesRequested: 'Changes requested.',
    alreadyApproved: 'Already approved.',
    alreadyRequested: 'Changes were already requested.',
    notApprovedYet: 'Not approved, because not all comments are posted.',
    notRequestedYet: 'Changes not requested, because not all comments are posted.',
    notApproved: 'Not approved.',
    notRequested: 'Changes not requested.',
  },

  // Thread of the merge request
  thread: {
    label: 'Thread',
    own: 'diffsan',
    outdated: 'on an earlier version',
    codeMoved: 'code moved',
    codeEdited: 'code edited',
    codeRemoved: 'code removed',
    fileRemoved: 'file removed',
    resolved: 'Resolved',
    fold: 'Fold',
    continueReply: 'Continue reply',
    reply: 'Reply',
    send: 'Send',
    resolve: 'Resolve',
    notFoundAgain: 'Not found by the latest review.',
    reopen: 'Reopen',
  },

  // Reply
  reply: {
    label: 'Reply',
    placeholder: 'Reply… (Ctrl+Enter to send)',
  },
} as const;
