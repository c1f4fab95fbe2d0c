// The user's choice of skills. Without a choice, the settings apply. A choice is stored for the open repository, or for the project of
// a merge request without a clone. For a patch, it lasts as long as the patch is open.
import type { Target } from '../../rpc/types.gen';
import { openChange } from '../change/open-change.svelte';
import { prefs } from '../app/prefs.svelte';

class TemporaryChoice {
  chosen = $state.raw<{ target: Target | null; names: string[] } | null>(null);
}
const temporary = new TemporaryChoice();

/** Returns the key of a stored choice. Null where the choice is not stored. */
function key(): string | null {
  const { repo, target } = openChange;
  if (repo?.path) return repo.path;
  return target?.kind === 'merge_request' ? `${target.base} ${target.project}` : null;
}

export function chosenSkills(): string[] | null {
  const storedKey = key();
  if (storedKey !== null) return prefs.values.skills[storedKey] ?? null;
  return temporary.chosen?.target === openChange.target ? (temporary.chosen?.names ?? null) : null;
}

/** Sets the choice. Null restores the skills of the settings. */
export function chooseSkills(names: string[] | null): void {
  const storedKey = key();
  if (storedKey === null) {
    temporary.chosen = names && { target: openChange.target, names };
    return;
  }
  const others = Object.entries(prefs.values.skills).filter(([name]) => name !== storedKey);
  prefs.values.skills = Object.fromEntries(names ? [...others, [storedKey, names]] : others);
}
