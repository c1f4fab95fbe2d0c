// The commits of the open change, one by one: the shown one or a range of them, its message, its diff and its findings.
import { withRemarks, type RemarkPlace } from '../../lib/versions';
import type { CommitEntry, CommitFinding } from '../../rpc/types.gen';
import { connection } from '../app/connection.svelte';
import { openChange } from '../change/open-change.svelte';
import { desk } from '../desk/desk.svelte';
import { EditPages } from './edit-pages.svelte';

class Commits extends EditPages {
  /** The commits, the oldest first. */
  all = $state.raw<CommitEntry[]>([]);
  findings = $state.raw<CommitFinding[]>([]);
  /** The indices of the first and the last shown commit. */
  first = $state(0);
  last = $state(0);
  rows = $derived(withRemarks(this.edits, this.#places()));

  /** Whether the open change has commits that can be read. */
  get can(): boolean {
    const kind = openChange.view?.target.kind;
    return (
      openChange.repo !== null &&
      openChange.view?.head != null &&
      (kind === 'branch' || kind === 'merge_request' || kind === 'range' || kind === 'commit')
    );
  }

  /** The commit whose message is shown. Null for a range. */
  get shown(): CommitEntry | null {
    return this.first === this.last ? (this.all[this.first] ?? null) : null;
  }

  /** The number of findings on a commit. */
  countOf(id: string): number {
    return this.findings.filter((finding) => finding.commit === id).length;
  }

  /** The findings about the message of the shown commit. */
  get messageFindings(): CommitFinding[] {
    return this.findings.filter(({ commit, path }) => path == null && commit === this.shown?.id);
  }

  #places(): RemarkPlace[] {
    const ids = new Set(this.all.slice(this.first, this.last + 1).map((commit) => commit.id));
    const single = ids.size === 1;
    return this.findings.flatMap(({ key, commit, path, side, line }): RemarkPlace[] => {
      if (path == null || !ids.has(commit)) return [];
      const remark = { id: key, of: 'finding' as const, status: null, path };
      // In a range, the lines have other numbers than in their commit.
      return [single ? { ...remark, side, line } : { ...remark, hunk: null }];
    });
  }

  /** Lists the commits. The shown commit stays if the change still has it. */
  load(): Promise<void> {
    const shown = this.all[this.first]?.id;
    return this.attempt(async (turn) => {
      await this.#list(turn);
      if (turn !== this.turn) return;
      this.first = this.last = Math.max(
        this.all.findIndex((commit) => commit.id === shown),
        0,
      );
      await this.#read(turn);
    });
  }

  /** Reads again which commits the findings belong to. */
  async reloadFindings(): Promise<void> {
    if (this.all.length === 0 || this.loading) return;
    // The list that is shown stays if this fails.
    await this.#list(this.turn).catch(() => {});
  }

  async #list(turn: number): Promise<void> {
    const view = await openChange.call((change_id) =>
      connection.client.call('change.commits', { change_id }),
    );
    if (turn === this.turn) [this.all, this.findings] = [view.commits, view.findings];
  }

  /** Shows a commit; with `until`, all commits between both. */
  show(index: number, until = index): Promise<void> {
    const [first, last] = [Math.min(index, until), Math.max(index, until)];
    if (!this.all[first] || !this.all[last]) return Promise.resolve();
    [this.first, this.last] = [first, last];
    return this.attempt((turn) => this.#read(turn));
  }

  /** Shows the next or the previous commit. */
  step(by: 1 | -1): void {
    const next = by === 1 ? this.last + 1 : this.first - 1;
    if (this.all[next]) void this.show(next);
  }

  /** Shows the commit whose message a finding is about. */
  showMessageOf(key: string): void {
    const found = this.findings.find((finding) => finding.key === key && finding.path == null);
    const index = this.all.findIndex((commit) => commit.id === found?.commit);
    desk.view = 'commits';
    if (index >= 0 && (index !== this.first || index !== this.last)) void this.show(index);
  }

  /** Tries what failed again. */
  again(): Promise<void> {
    return this.all.length > 0 ? this.show(this.first, this.last) : this.load();
  }

  async #read(turn: number): Promise<void> {
    const [commit, last] = [this.all[this.first]?.id, this.all[this.last]?.id];
    if (!commit) return;
    const until = last === commit ? null : last;
    await this.read(turn, (from) =>
      openChange.call((change_id) =>
        connection.client.call('change.commit', { change_id, commit, until, from }),
      ),
    );
  }
}

export const commits = new Commits();

/** Shows a line of the last shown commit in the whole change. Its number is that of the head only in the last commit. */
export const isLastCommit = (): boolean => commits.last === commits.all.length - 1;
