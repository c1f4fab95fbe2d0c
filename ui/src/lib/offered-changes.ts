// The branches and commits of a repository, as changes that the user can open.
import { ago } from './text/format';
import type { RepoView, Target } from '../rpc/types.gen';
import { deskTexts } from './texts/desk';

/** A change that can be opened. */
export interface OfferedChange {
  target: Target;
  section: string;
  title: string;
  detail: string;
  side: string;
  dim?: boolean;
}

export const branchChanges = (repo: RepoView): OfferedChange[] =>
  repo.branches.map((branch) => ({
    target: { kind: 'branch', name: branch.name, base: null },
    section: repo.default_branch
      ? deskTexts.empty.branchesAgainst(repo.default_branch)
      : deskTexts.empty.branches,
    title: branch.name,
    detail: `${branch.subject} · ${ago(branch.time)}`,
    side: branch.ahead > 0 ? deskTexts.empty.ahead(branch.ahead) : deskTexts.empty.noCommits,
    dim: branch.ahead === 0,
  }));

export const commitChanges = (repo: RepoView): OfferedChange[] =>
  repo.commits.map((commit) => ({
    target: { kind: 'commit', rev: commit.id },
    section: repo.branch ? deskTexts.empty.commitsOf(repo.branch) : deskTexts.empty.commits,
    title: commit.subject,
    detail: `${commit.author} · ${ago(commit.time)}`,
    side: commit.id,
  }));
