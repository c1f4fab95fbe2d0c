import { beforeEach, describe, expect, it } from 'vitest';
import type { Target } from '../../rpc/types.gen';
import { openChange } from '../change/open-change.svelte';
import { prefs } from '../app/prefs.svelte';
import { chooseSkills, chosenSkills } from './skills.svelte';

const open = (path: string, target: Target) => {
  openChange.repo = { path, name: path, local: [], branches: [], commits: [] };
  openChange.target = target;
};
const patch = (path: string): Target => ({ kind: 'patch', path });
const request = (project: string, iid: number): Target => ({
  kind: 'merge_request',
  base: 'https://gitlab.example.com',
  project,
  iid,
});

describe('selected skills', () => {
  beforeEach(() => (prefs.values.skills = {}));

  it('apply to the repository', () => {
    open('/one', { kind: 'unstaged' });
    chooseSkills(['sql']);
    open('/two', { kind: 'unstaged' });
    expect(chosenSkills()).toBe(null);
    open('/one', patch('/a.patch'));
    expect(chosenSkills()).toEqual(['sql']);
    chooseSkills(null);
    expect(chosenSkills()).toBe(null);
  });

  it('apply to the project of a merge request without a clone', () => {
    open('', request('group/one', 7));
    chooseSkills(['sql']);
    open('', request('group/two', 7));
    expect(chosenSkills()).toBe(null);
    open('', request('group/one', 8));
    expect(chosenSkills()).toEqual(['sql']);
  });

  it('apply to a patch while it is open', () => {
    open('', patch('/a.patch'));
    chooseSkills(['sql']);
    expect(chosenSkills()).toEqual(['sql']);
    open('', patch('/b.patch'));
    expect(chosenSkills()).toBe(null);
    open('', patch('/a.patch'));
    expect(chosenSkills()).toBe(null);
    expect(prefs.values.skills).toEqual({});
  });
});
