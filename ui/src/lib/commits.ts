// The commits of a change in the order of the list: each fixup below the commit that it fixes.
import type { CommitEntry } from '../rpc/types.gen';

export interface ListedCommit {
  commit: CommitEntry;
  /** The index in the change. */
  index: number;
  /** Whether it stands below the commit that it fixes. */
  fixup: boolean;
  /** The numbers of the commits that fix it. */
  fixedBy: number[];
}

/** Returns the commits with each fixup below the commit that it fixes. */
export function withFixups(commits: readonly CommitEntry[]): ListedCommit[] {
  const listed = commits.map((commit, index): ListedCommit => ({
    commit,
    index,
    fixup: commit.fixes != null,
    fixedBy: commits.filter((other) => other.fixes === commit.number).map((other) => other.number),
  }));
  const below = (number: number) => listed.filter((one) => one.commit.fixes === number);
  return listed.filter((one) => !one.fixup).flatMap((one) => [one, ...below(one.commit.number)]);
}

const MESSAGE = /^message of commit [0-9a-f]{7,}$/;

/** Returns whether the path of a finding names the message of a commit. */
export const isMessagePath = (path: string): boolean => MESSAGE.test(path);
