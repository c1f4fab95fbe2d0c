// Running reviews and agent checks. Loaded at the start.
import { duration, short } from '../text/format';

export const runTexts = {
  // Reviews
  run: {
    notStarted: 'The review was not started',
    notCancelled: 'The review was not cancelled',
    notClosed: 'The error could not be dismissed',
    open: 'Open',
    complete: (change: string) => `The review of ${change} is complete.`,
  },

  // Agent checks
  check: {
    testing: 'Testing…',
    works: (milliseconds: number, tokens: number | null, version: string | null, note: string | null) => {
      const used = tokens === null ? '' : `, ${short(tokens)} tokens`;
      return `Works: ${duration(milliseconds)}${used}.${version ? ` Version: ${version}.` : ''}${note ? ` Note: ${note}.` : ''}`;
    },
    checked: (when: string, result: string) => `Checked ${when}: ${result}`,
  },
} as const;
