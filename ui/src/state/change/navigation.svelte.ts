// Definitions, references and unchanged callers, shown in a list from which the user jumps: below the line that the question is about, or
// in a dialog.
import type { Missing, NamePlace, Side } from '../../rpc/types.gen';
import { columnOf, selectedName, type NameInLine } from '../../lib/diff/names';
import type { Line } from '../../lib/diff/lines';
import { navigationTexts as texts } from '../../lib/texts/navigation';
import { connection } from '../app/connection.svelte';
import { notices } from '../app/notices.svelte';
import { desk } from '../desk/desk.svelte';
import { cursor } from './cursor.svelte';
import { JumpList, type JumpPlace } from './jump-list';
import { itemOfCaller, itemOfPlace, itemOfUsage, type NavigationItem } from './navigation-items';
import { openChange } from './open-change.svelte';
import { peek } from './peek.svelte';
import { isOnSide, openInEditor, revealPlace } from './places';

export type Question = 'definition' | 'references';

class Navigation {
  title = $state('');
  /** A remark about the list as a whole. */
  note = $state('');
  items = $state.raw<NavigationItem[]>([]);
  empty = $state('');
  busy = $state(false);
  #number = 0;
  #jumps = new JumpList();
  #jumpsOf = '';

  /** Asks about the selected name, or lets the user choose a name of the line. */
  ask(question: Question): void {
    const [line] = cursor.lines;
    if (!line) return;
    const place = placeOf(line);
    peek.open(line.file, place.side, place.line);
    const selected = selectedName(line.text, document.getSelection()?.toString() ?? '');
    void (selected ? this.#find(question, place, selected) : this.#choose(question, place));
  }

  async #choose(question: Question, place: JumpPlace): Promise<void> {
    this.#open(texts.title.names[question]);
    let names: NameInLine[] = [];
    const current = await this.#fill(async () => {
      const found = await openChange.call((change_id) =>
        connection.client.call('navigation.names', { change_id, name_place: { ...place, column: 0 } }),
      );
      return () => {
        this.empty = missingText(found.missing);
        this.note = found.partial ? texts.note.partial : '';
        names = found.names;
        this.items = names.map((name) => ({
          ...place,
          title: name.name,
          ask: () => void this.#find(question, place, name),
        }));
      };
    });
    if (current && names.length === 1) await this.#find(question, place, names[0]!);
  }

  async #find(question: Question, place: JumpPlace, name: NameInLine): Promise<void> {
    const at: NamePlace = { ...place, column: name.column };
    this.#open(texts.title[question](name.name));
    await this.#fill(() =>
      question === 'definition' ? this.#definition(at, name.name) : this.#references(at, name.name),
    );
  }

  async #definition(at: NamePlace, name: string): Promise<() => void> {
    const found = await openChange.call((change_id) =>
      connection.client.call('navigation.definition', { change_id, name_place: at }),
    );
    return () => {
      if (!found.certain && found.places.length > 0) {
        this.title = texts.title.candidates(name);
        this.note = texts.note.candidates;
      }
      this.empty = missingText(found.missing);
      this.items = found.places.map((place) => itemOfPlace(place, at.side));
    };
  }

  async #references(at: NamePlace, name: string): Promise<() => void> {
    const found = await openChange.call((change_id) =>
      connection.client.call('navigation.references', { change_id, name_place: at }),
    );
    return () => {
      const uncertain = found.candidates.length > 0;
      if (uncertain) this.title = texts.title.possibleReferences(name);
      this.note = notes(uncertain ? texts.note.references : '', found.more, found.stopped);
      this.empty = found.missing ? missingText(found.missing) : texts.none.references;
      const candidates = found.candidates.map((place) => ({
        ...itemOfPlace(place, at.side),
        detail: `${place.path}:${place.line} · ${place.kind}`,
        section: texts.section.candidates,
        ask: () => {
          const column = columnOf(place.lines[0] ?? '', place.column);
          void this.#find('references', { ...place, side: at.side }, { name: place.name, column });
        },
      }));
      const section = uncertain ? texts.section.references : '';
      const usages = found.references.map((usage) => ({ ...itemOfUsage(usage, at.side), section }));
      this.items = [...candidates, ...usages];
    };
  }

  /** Lists the unchanged callers of the signatures that the change edits or removes. */
  async signatures(): Promise<void> {
    peek.close();
    desk.overlay = 'navigation';
    this.#open(texts.title.signatures);
    await this.#fill(async () => {
      const { signatures } = await openChange.call((change_id) =>
        connection.client.call('navigation.signatures', { change_id }),
      );
      return () => {
        const more = signatures.reduce((sum, changed) => sum + changed.more, 0);
        this.note = notes(
          '',
          more,
          signatures.some((changed) => changed.stopped),
        );
        this.empty = texts.none.signatures;
        this.items = signatures.flatMap((changed) =>
          changed.callers.map((caller) => ({
            ...itemOfCaller(caller),
            section: changed.after ?? `${changed.before} (${texts.removed})`,
          })),
        );
      };
    });
  }

  /** Fills the list, unless another question was asked or the list was closed meanwhile. Resolves with whether it did. */
  async #fill(load: () => Promise<() => void>): Promise<boolean> {
    const number = this.#number;
    const isCurrent = () =>
      number === this.#number && (peek.anchor !== null || desk.overlay === 'navigation');
    try {
      const show = await load();
      if (isCurrent()) show();
      peek.reveal();
    } catch (thrown) {
      if (!isCurrent()) return false;
      this.close();
      notices.fail(thrown, texts.failed);
    } finally {
      if (number === this.#number) this.busy = false;
    }
    return isCurrent();
  }

  #open(title: string): void {
    this.#number += 1;
    this.title = title;
    this.note = '';
    this.items = [];
    this.empty = '';
    this.busy = true;
  }

  /** Closes the list. */
  close(): void {
    peek.close();
    if (desk.overlay === 'navigation') desk.overlay = null;
  }

  jump(to: JumpPlace): void {
    if (!isOnSide(to.path, to.side)) return openInEditor(to.path, to.line);
    const from = here();
    if (from) this.#list().leave(from);
    void revealPlace(to.path, to.line, to.side);
  }

  back(): void {
    this.#show(this.#list().back(here()));
  }

  forward(): void {
    this.#show(this.#list().forward(here()));
  }

  #show(place: JumpPlace | null): void {
    if (place) void revealPlace(place.path, place.line, place.side);
    else notices.info(texts.noPlace);
  }

  /** Returns the places of the open change. Those of another change are forgotten. */
  #list(): JumpList {
    const of = openChange.view?.fingerprint ?? '';
    if (of !== this.#jumpsOf) this.#jumps.clear();
    this.#jumpsOf = of;
    return this.#jumps;
  }
}

function notes(first: string, more: number, stopped: boolean): string {
  const parts = [first, more > 0 ? texts.note.more(more) : '', stopped ? texts.note.stopped : ''];
  return parts.filter(Boolean).join(' ');
}

function missingText(missing: Missing | null | undefined): string {
  switch (missing?.reason) {
    case 'external':
      return texts.none.external(missing.detail);
    case 'undefined':
      return texts.none.undefined(missing.detail);
    case 'unread':
      return texts.none.unread;
    default:
      return texts.none.no_name;
  }
}

/** Returns the place of a line on the side that the cursor is on, if the line exists there. */
function placeOf(line: Line): JumpPlace {
  const file = openChange.view?.files[line.file];
  const side: Side = line.new === null || (cursor.side === 'old' && line.old !== null) ? 'old' : 'new';
  const path = (side === 'old' ? file?.old_path : null) ?? file?.path ?? '';
  return { path, line: line[side] ?? 1, side };
}

function here(): JumpPlace | null {
  const [line] = cursor.lines;
  return line ? placeOf(line) : null;
}

export const navigation = new Navigation();
