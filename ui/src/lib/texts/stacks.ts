// Texts of stacks: the strip above the change, and findings of lower layers in the posting sheet.
import { plural } from '../text/format';

export const stacksTexts = {
  label: 'Stack',
  review: { none: 'not reviewed', current: 'reviewed', outdated: 'new commits since your review' },
  draft: 'draft',
  conflicts: 'conflicts',
  behind: 'needs a rebase onto the layer below',
  here: 'shown now',
  own: 'Only this layer',
  ownTitle: (source: string, onto: string) => `Show only the commits of ${source} that ${onto} does not have`,
  open: (name: string) => `Open ${name}`,
  elsewhere: 'On lower layers of the stack',
  elsewhereText: (name: string) =>
    `${name} introduced the lines of these findings, so they are posted there.`,
  move: (name: string) => `Move to ${name} and post there`,
  moved: (added: number, known: number) =>
    known > 0
      ? `${plural(added, 'finding')} added; the review of the layer already had ${plural(known, 'finding')}.`
      : `${plural(added, 'finding')} added to the review of the layer.`,
  notMoved: 'The findings could not be moved',
  unread: (why: string) => `The stack could not be read, so all findings are listed here: ${why}`,
};
