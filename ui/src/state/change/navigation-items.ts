// The entries of the list of definitions, references and callers.
import { escapeInvisible } from '../../lib/text/invisible-characters';
import { navigationTexts as texts } from '../../lib/texts/navigation';
import type { ShownPlace, ShownUsage, Side, UnchangedCaller } from '../../rpc/types.gen';
import type { JumpPlace } from './jump-list';
import { openChange } from './open-change.svelte';
import { isOnSide } from './places';

/** An entry of the list. */
export interface NavigationItem extends JumpPlace {
  title: string;
  detail?: string;
  section?: string;
  /** The code at the place. */
  code?: string[];
  /** Asks about another name, in place of a jump. */
  ask?: () => void;
}

const detail = (...parts: (string | false)[]): string => parts.filter(Boolean).join(' · ');

/** Says what selecting a place does if the diff does not have its file. */
function outside(path: string, side: Side): string {
  if (isOnSide(path, side)) return '';
  return openChange.repo ? texts.outside : texts.outsideNoEditor;
}

export const itemOfPlace = ({ path, line, name, kind, lines }: ShownPlace, side: Side): NavigationItem => ({
  ...{ path, line, side, title: name },
  detail: detail(`${path}:${line}`, kind, outside(path, side)),
  code: lines.map(escapeInvisible),
});

export const itemOfUsage = (usage: ShownUsage, side: Side): NavigationItem => {
  const { path, line, within, certain, text } = usage;
  const possible = !certain && texts.possible;
  return {
    ...{ path, line, side, title: escapeInvisible(text) },
    detail: detail(`${path}:${line}`, within && texts.within(within), possible, outside(path, side)),
  };
};

export const itemOfCaller = ({ usage, text }: UnchangedCaller): NavigationItem =>
  itemOfUsage({ ...usage, text }, 'new');
