// Syntax highlighting. Blocks of lines are requested as they come into view and cached while the change is open.
import type { Line } from '../../lib/diff/lines';
import type { HighlightView } from '../../rpc/types.gen';
import { connection } from '../app/connection.svelte';
import { openChange } from './open-change.svelte';

const BLOCK = 200;
/** The delay before a request, in milliseconds. Lines that have left the view by then are skipped. */
const REST_MS = 40;
/** The maximum number of cached blocks. The oldest are removed first. */
const MAX_BLOCKS = 1_000;

const none: LineHighlight = { spans: [], names: [] };

interface LineHighlight {
  spans: readonly number[];
  names: readonly string[];
}

class Highlighting {
  #blocks = new Map<string, HighlightView | null>();
  /** Increased when more colours are loaded. */
  version = $state(0);
  #inView: readonly Line[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  reset(): void {
    this.#blocks.clear();
    this.#inView = [];
    this.version += 1;
  }

  /** Requests the colours of lines that stay in view, unless they are cached or already requested. */
  request(lines: readonly Line[]): void {
    this.#inView = lines;
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;

      const before = new Set(lines);
      this.#ask(this.#inView.filter((line) => before.has(line)));
      if (this.#inView.some((line) => !before.has(line))) this.request(this.#inView);
    }, REST_MS);
  }

  of(line: Line): LineHighlight {
    if (line.colours) return line.colours;
    const block = this.#blocks.get(keyOf(line));
    const spans = block?.lines[line.index % BLOCK];
    return block && spans ? { spans, names: block.classes } : none;
  }

  #ask(lines: Line[]): void {
    // eslint-disable-next-line svelte/prefer-svelte-reactivity -- lives only here
    const firsts = new Map<string, Line>();
    for (const line of lines) {
      if (line.colours) continue;
      const key = keyOf(line);
      if (!firsts.has(key) && !this.#blocks.has(key)) firsts.set(key, line);
    }
    for (const [key, line] of firsts) void this.#fetch(key, line);
  }

  async #fetch(key: string, line: Line): Promise<void> {
    const fingerprint = openChange.view?.fingerprint;
    this.#blocks.set(key, null);
    const first_line = line.index - (line.index % BLOCK);
    const { file, hunk } = line;
    try {
      const view = await openChange.call((change_id) =>
        connection.client.call('change.highlight', { change_id, file, hunk, first_line, count: BLOCK }),
      );
      if (openChange.view?.fingerprint !== fingerprint) return;
      this.#blocks.set(key, view);
      for (const oldest of this.#blocks.keys()) {
        if (this.#blocks.size <= MAX_BLOCKS) break;
        this.#blocks.delete(oldest);
      }
      this.version += 1;
    } catch {
      // The text is readable without colours. They are requested again when the lines next come into view.
      if (openChange.view?.fingerprint === fingerprint) this.#blocks.delete(key);
    }
  }
}

const keyOf = (line: Line): string => `${line.file}.${line.hunk}.${Math.floor(line.index / BLOCK)}`;

export const highlighting = new Highlighting();
