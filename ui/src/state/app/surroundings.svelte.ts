// What goes on around the desk: the repository changes, another start of the program asks for something, files are dropped.
import { onDropped } from '../../rpc/desktop';
import { CoreError, toCoreError } from '../../rpc/errors';
import type { LaunchEvent, Target } from '../../rpc/types.gen';
import { looksLikePatch } from '../../lib/diff/patch-text';
import { change } from '../change/change.svelte';
import { connection } from './connection.svelte';
import { guard } from './navigation-guard';
import { notices } from './notices.svelte';
import { opened } from '../change/open-change.svelte';
import { repos } from './repos.svelte';

/** A dropped patch is read here; a longer one is opened by its path. */
const LONGEST_DROP = 48 * 1024 * 1024;

class Surroundings {
  /** What a link asks to be shown, until the reviewer says. */
  asking = $state.raw<LaunchEvent | null>(null);
  /** Whether something is dragged over the window. */
  over = $state(false);
  /** The change that was found to be another one by now. */
  #moved = $state<string | null>(null);
  #watched: { path: string; stop: () => Promise<void> } | null = null;
  #turn = 0;

  /** Whether the open change is another one by now. Nothing moves until the reviewer asks. */
  get moved(): boolean {
    return this.#moved !== null && this.#moved === opened.view?.change_id;
  }

  /** Follows one repository; none stops that. */
  async follow(path: string | null): Promise<void> {
    const turn = ++this.#turn;
    const before = this.#watched;
    this.#watched = null;
    if (before) void before.stop().catch(() => {});
    if (!path) return;
    try {
      const stop = await connection.client.subscribe('repo.watch', { path }, ({ repo }) => {
        if (turn !== this.#turn || opened.repo?.path !== repo.path) return;
        opened.repo = repo;
        void this.#compare();
      });
      if (turn !== this.#turn) return void stop().catch(() => {});
      this.#watched = { path, stop };
      // It may have been edited before anyone listened.
      void this.#compare();
    } catch {
      // Without it, `R` reads the change again.
    }
  }

  async #compare(): Promise<void> {
    const id = opened.view?.change_id;
    if (!id || this.#moved === id) return;
    try {
      const { moved } = await connection.client.call('change.moved', { change_id: id });
      if (moved && opened.view?.change_id === id) this.#moved = id;
    } catch {
      // A repository in the middle of something is compared at its next change.
    }
  }

  async refresh(): Promise<void> {
    this.#moved = null;
    await change.refresh();
  }

  /** Hears what other starts of the program ask for. */
  async listen(): Promise<void> {
    await connection.client.subscribe('app.launches', {}, (event) => {
      if (event.error) {
        const { message, hint } = event.error;
        notices.fail(new CoreError(message, 0, { hint: hint ?? undefined }), 'It was not opened');
      } else if (event.ask) this.asking = event;
      else this.show(event);
    });
  }

  show({ repo, target, sample }: LaunchEvent): void {
    this.asking = null;
    if (sample) void repos.openSample();
    else if (repo) void repos.open(repo, target ?? null);
    else if (target) void this.#openTarget(target);
  }

  /** Files of the window's shell, by path. */
  async dropped(paths: string[]): Promise<void> {
    const [path] = paths;
    if (!path) return;
    if (/\.(patch|diff|mbox|eml|txt)$/i.test(path)) await this.#openTarget({ kind: 'patch', path });
    else if (!(await repos.open(path))) await this.#openTarget({ kind: 'patch', path });
  }

  /** A file of the browser, which tells no path. */
  async droppedFile(file: File): Promise<void> {
    if (file.size > LONGEST_DROP) {
      notices.tell('That file is too large to be dropped here. Open it with `diffsan serve` started on it.');
      return;
    }
    const text = await file.text().catch(() => '');
    await this.openText(file.name, text);
  }

  /** A patch that has no file: dropped or pasted. */
  async openText(name: string, text: string): Promise<void> {
    if (!looksLikePatch(text)) {
      notices.tell('That is no patch. Drop what `git diff` or `git format-patch` wrote.');
      return;
    }
    try {
      const { path } = await connection.client.call('patch.keep', { name, text });
      await this.#openTarget({ kind: 'patch', path });
    } catch (thrown) {
      notices.fail(thrown, 'The patch could not be opened');
    }
  }

  async #openTarget(target: Target): Promise<void> {
    if (opened.repo) await change.open(target);
    else await repos.openLoose(target);
  }

  /** Opens what is dropped onto the window. */
  followDrops(): void {
    guard.onDragged = (over) => (this.over = over);
    guard.onFile = (file) => void this.droppedFile(file);
    onDropped((over, paths) => {
      this.over = over;
      if (paths) void this.dropped(paths);
    }).catch((thrown: unknown) => notices.fail(toCoreError(thrown), 'Files cannot be dropped here'));
  }
}

export const surroundings = new Surroundings();
