// Opens a change and loads its lines page by page; coverage.
import { coverageLookup } from '../../lib/diff/coverage';
import { addPage, emptyLines, type Loaded } from '../../lib/diff/lines';
import { afterPaint } from '../../lib/after-paint';
import { toCoreError, type CoreError } from '../../rpc/errors';
import type { ChangeView, HunkPage, PreparedView, RepoView, Target } from '../../rpc/types.gen';
import { highlighting } from './highlighting.svelte';
import { connection } from '../app/connection.svelte';
import { changeParams } from '../app/first-calls';
import { desk } from '../desk/desk.svelte';
import { writeCount, writesSettled } from '../app/write-queue';
import { fileFolds } from './file-folds.svelte';
import { openChange, type OpenOptions } from './open-change.svelte';
import { prefs } from '../app/prefs.svelte';
import { mergeRequest } from '../posting/merge-request.svelte';
import { review } from '../review/review.svelte';
import { reviewReload } from '../review/review-reload';
import { undo } from '../app/undo.svelte';
import { viewed } from './viewed.svelte';

const PAGE_LINES = 4_000;
/** The minimum interval between two rebuilds of the rows while pages arrive, in milliseconds. */
const SHOW_EVERY_MS = 150;

class ChangeState {
  /** The loaded lines. Changed in place; `version` is increased after each change. */
  loaded: Loaded = emptyLines(0);
  version = $state(0);
  complete = $state(false);
  opening = $state(false);
  /** The target that is being opened. */
  openingTarget = $state.raw<Target | null>(null);
  error = $state.raw<CoreError | null>(null);
  /** The target that could not be opened, and its repository. */
  #failed = $state.raw<{ target: Target; repo: RepoView } | null>(null);
  prepared = $state.raw<PreparedView | null>(null);
  /** Resolves when the prepared change is known, or could not be read. */
  preparing: Promise<void> = Promise.resolve();
  coverageOf = $derived(this.prepared ? coverageLookup(this.prepared.coverage) : null);
  /** Counters of requested and of shown changes. The shown change continues to load while another one is requested. */
  #asked = 0;
  #shown = 0;
  /** The number of writes before the latest request. */
  #writes = 0;
  /** Cancels the change that is being opened. */
  #controller = new AbortController();
  #shownListeners: ((other: boolean) => void)[] = [];

  constructor() {
    openChange.onReplaced = (view) => this.#show(view, openChange.isSameTarget(view));
  }

  /** Registers a callback for each shown change, before its rows are built. `other` is false for a new state of the same change. */
  onShown(listener: (other: boolean) => void): void {
    this.#shownListeners.push(listener);
  }

  /**
   * Opens a change of the open repository, or of `repo`. With `since`, only changes after that commit are sent. With `review_id`, it
   * shows that review in place of the latest one. `asked` is a request that has already been sent. With `scope`, only that part is sent.
   * With `current`, a merge request is read from its server. After a failure, the old change stays.
   */
  async open(
    target: Target,
    since: string | null = null,
    review_id: string | null = null,
    {
      repo = openChange.repo,
      asked,
      scope = openChange.target === target ? openChange.scope : null,
      current = false,
    }: OpenOptions = {},
  ): Promise<void> {
    if (!repo) return;
    const turn = ++this.#asked;
    this.opening = true;
    this.openingTarget = target;
    this.dismissError();
    try {
      const view = await (asked ?? this.ask(repo.path, target, since, review_id, scope, current));
      if (turn !== this.#asked) return;
      const sameRepo = openChange.repo?.path === repo.path;
      const again =
        sameRepo &&
        openChange.target === target &&
        openChange.pinnedReview === review_id &&
        openChange.isSameTarget(view);
      if (!sameRepo) {
        this.close();
        openChange.repo = repo;
      }
      openChange.target = target;
      openChange.since = since;
      openChange.scope = scope;
      openChange.pinnedReview = review_id;
      openChange.note = openChange.currentTarget = null;
      prefs.values.last = { repo: repo.path, target };
      this.#show(view, again, writeCount() !== this.#writes);
      // Another tab or a restart opens this change, so it is saved without the usual delay.
      prefs.flush();
    } catch (thrown) {
      if (turn !== this.#asked) return;
      this.#failed = { target, repo };
      this.error = toCoreError(thrown);
    } finally {
      if (turn === this.#asked) this.opening = false;
    }
  }

  /** The target that could not be opened. */
  get failedTarget(): Target | null {
    return this.#failed?.target ?? null;
  }

  /** Cancels the opening of a change. The shown change stays. */
  stop(): void {
    this.#asked += 1;
    this.#controller.abort();
    this.opening = false;
  }

  /** Requests a change without showing it. Cancels an earlier request. */
  async ask(...request: Parameters<typeof changeParams>): Promise<ChangeView> {
    this.#controller.abort();
    const { signal } = (this.#controller = new AbortController());
    await writesSettled();
    this.#writes = writeCount();
    return connection.client.call('change.open', changeParams(...request), signal);
  }

  /** Reads the open change again, because files may have been edited, or a new version pushed. */
  async refresh(): Promise<void> {
    const { target, pinnedReview, note, currentTarget } = openChange;
    if (!target) return;
    await this.open(target, null, pinnedReview, { current: true });
    if (openChange.target !== target) return;
    [openChange.note, openChange.currentTarget] = [note, currentTarget];
    openChange.nameAsReviewed();
  }

  close(): void {
    this.#asked += 1;
    this.#shown += 1;
    this.opening = false;
    openChange.view = this.prepared = null;
    this.dismissError();
    this.loaded = emptyLines(0);
    this.version += 1;
    review.adopt(null, []);
    mergeRequest.adopt(null);
  }

  /** Closes the error. */
  dismissError(): void {
    this.error = null;
    this.#failed = null;
  }

  /** Tries the failed action again. With `partial`, opens the readable part of an incomplete patch. */
  async retry(partial = false): Promise<void> {
    const { target, repo } = this.#failed ?? openChange;
    const again = target?.kind === 'patch' && partial ? { ...target, partial } : target;
    if (again) await this.open(again, null, null, { repo });
  }

  /**
   * Shows a change. `again` means that it is a new state of the open change, whose view state is preserved. `outdated` means that the
   * user has decided, edited or marked something since the request.
   */
  #show(view: ChangeView, again: boolean, outdated = false): void {
    this.#asked += 1;
    const turn = ++this.#shown;
    performance.mark('change-there');
    const before = openChange.view;
    const same = before?.fingerprint === view.fingerprint;
    const other = !same && !(again && before);
    openChange.view = view;
    this.opening = false;
    this.loaded = emptyLines(view.files.length);
    addPage(this.loaded, view.first);
    this.complete = view.first.next == null;
    this.version += 1;
    desk.requestedFile = null;
    if (!same) {
      highlighting.reset();
      if (!other) {
        fileFolds.carry(before!, view);
        prefs.carryScroll(before!.fingerprint, view.fingerprint);
      } else {
        fileFolds.reset();
        desk.reset();
        undo.clear();
      }
    }
    if (other || !outdated) viewed.adopt(view);
    for (const listener of this.#shownListeners) listener(other);
    this.prepared = null;
    review.adopt(view.review ?? null, view.interrupted, same || again);
    if (outdated) void reviewReload.load();
    desk.keepKnown((id) => review.find(id) !== undefined);
    mergeRequest.adopt(view.request ?? null);
    if (view.request) void mergeRequest.refresh();
    this.preparing = new Promise((resolve) =>
      afterPaint(() => {
        if (turn !== this.#shown) return resolve();
        void this.#loadRest(turn, view.first);
        void this.#loadPrepared(turn).then(resolve);
      }),
    );
  }

  async #loadRest(turn: number, first: HunkPage): Promise<void> {
    let from = first.next;
    let shownAt = performance.now();
    try {
      while (from) {
        const at = from;
        const page = await openChange.call((change_id) =>
          connection.client.call('change.hunks', { change_id, from: at, max_lines: PAGE_LINES }),
        );
        if (turn !== this.#shown) return;
        addPage(this.loaded, page);
        from = page.next;
        const now = performance.now();
        if (from && now - shownAt < SHOW_EVERY_MS) continue;
        shownAt = now;
        this.version += 1;
      }
      this.complete = true;
    } catch (thrown) {
      if (turn === this.#shown) this.error = toCoreError(thrown);
    }
  }

  async #loadPrepared(turn: number): Promise<void> {
    try {
      const prepared = await openChange.call((change_id) =>
        connection.client.call('change.prepared', { change_id }),
      );
      if (turn === this.#shown) this.prepared = prepared;
    } catch {
      // The prompt view makes the same request and shows its error.
    }
  }
}

export const change = new ChangeState();
