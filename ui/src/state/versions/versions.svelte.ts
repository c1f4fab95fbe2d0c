// The author’s edits between two versions of the open change.
import { defaultVersion, editedLines, revisionOf, withRemarks, type RemarkPlace } from '../../lib/versions';
import { versionsTexts } from '../../lib/texts/versions';
import { changeTexts } from '../../lib/texts/change';
import type { ComparedRemark, SinceView, VersionItem } from '../../rpc/types.gen';
import { notices } from '../app/notices.svelte';
import { connection } from '../app/connection.svelte';
import { openChange } from '../change/open-change.svelte';
import { isInChange, revealPlace } from '../change/places';
import { desk } from '../desk/desk.svelte';
import { mergeRequest } from '../posting/merge-request.svelte';
import { review } from '../review/review.svelte';
import { EditPages } from './edit-pages.svelte';

class Versions extends EditPages {
  /** The known versions, the oldest first. */
  all = $state.raw<VersionItem[]>([]);
  /** The version to compare with. Null if there is no earlier one. */
  chosen = $state.raw<VersionItem | null>(null);
  /** The later version. Null for the opened one. */
  until = $state.raw<VersionItem | null>(null);
  /** The first page of the comparison. */
  view = $state.raw<SinceView | null>(null);
  /** The rows with the earlier findings and threads beside the edits that answered them. */
  shown = $derived(withRemarks(this.edits, this.#places()));
  /** The number of earlier findings and threads on code that was not edited. */
  unanswered = $derived(this.#remarks().filter((remark) => remark.hunk == null).length);
  lines = $derived(editedLines(this.edits));
  /** Whether the view opened by itself, because the change was reviewed before. */
  opened = $state(false);

  /** The remarks that are shown: a posted finding without replies is shown only as a finding. */
  #remarks(): ComparedRemark[] {
    const threads = new Set(mergeRequest.shown.map((thread) => thread.id));
    return (this.view?.remarks ?? []).filter(({ kind, id }) =>
      kind === 'finding' ? review.find(id) !== undefined : threads.has(id),
    );
  }

  #places(): RemarkPlace[] {
    return this.#remarks().flatMap(({ kind, id, status, path, hunk }): RemarkPlace[] =>
      path == null || hunk == null ? [] : [{ id, of: kind, status: status.status, path, hunk }],
    );
  }

  /** Whether the open change can have earlier versions. */
  get can(): boolean {
    const kind = openChange.view?.target.kind;
    return openChange.repo !== null && (kind === 'branch' || kind === 'merge_request');
  }

  /** Lists the versions, and compares with the last reviewed one or the one before. */
  load(): Promise<void> {
    this.all = [];
    this.chosen = this.until = null;
    return this.attempt(async (turn) => {
      const { versions } = await openChange.call((change_id) =>
        connection.client.call('change.versions', { change_id }),
      );
      if (turn !== this.turn) return;
      this.all = versions;
      this.chosen = defaultVersion(versions);
      if (this.chosen) await this.#compare(this.chosen, turn);
    });
  }

  /** Compares with another version. */
  async choose(number: number): Promise<void> {
    const chosen = this.all.find((version) => version.number === number);
    if (!chosen) return;
    this.chosen = chosen;
    await this.attempt((turn) => this.#compare(chosen, turn));
  }

  /** Compares up to another version. */
  async chooseUntil(number: number): Promise<void> {
    const until = this.all.find((version) => version.number === number);
    this.until = until?.current ? null : (until ?? null);
    await this.again();
  }

  /** Tries what failed again. */
  again(): Promise<void> {
    return this.chosen ? this.choose(this.chosen.number) : this.load();
  }

  /** Drops the comparison, and the answers that are still to come. */
  close(): void {
    this.opened = false;
    this.begin();
    this.loading = false;
  }

  protected override begin(): number {
    this.view = null;
    return super.begin();
  }

  #compare(version: VersionItem, turn: number): Promise<void> {
    const [since, until] = [revisionOf(version), this.until && revisionOf(this.until)];
    const page = (from: number) =>
      openChange.call((change_id) =>
        connection.client.call('change.since', { change_id, since, until, from }),
      );
    return this.read(turn, page, (page) => (this.view ??= page));
  }
}

/** Shows a line of the new version in the whole change; without a line, its file. */
export async function openInChange(path: string, line: number | null): Promise<void> {
  if (!isInChange(path)) {
    notices.info(versionsTexts.file.gone(path));
    return;
  }
  desk.view = 'diff';
  // The lines of an earlier version have other numbers in the opened one.
  if (line === null || versions.until)
    desk.goToFile(openChange.view!.files.findIndex((file) => file.path === path));
  else
    await revealPlace(path, line, 'new').catch((thrown: unknown) =>
      notices.fail(thrown, changeTexts.message.notInChange(path, line)),
    );
}

/** Leaves the comparison for the whole change. */
export function showWholeChange(): void {
  desk.view = 'diff';
}

export const versions = new Versions();
