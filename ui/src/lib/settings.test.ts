import { describe, expect, it } from 'vitest';
import { bySection, bytes, keyPart, matches, sectionOf, titleOf, splitCommand } from './settings';

describe('presentation of settings', () => {
  it('names keys and their sections', () => {
    expect(titleOf('limits.max_diff_chars')).toBe('Maximum diff characters');
    expect(titleOf('agents."my.model".url')).toBe('URL');
    expect(sectionOf('agents."my.model".url')).toBe('agents."my.model"');
    expect(sectionOf('limits.max_files')).toBe('limits');
    const groups = bySection([
      { key: 'a.x', about: '' },
      { key: 'a.y', about: '' },
      { key: 'b.x', about: '' },
    ]);
    expect(groups.map((group) => [group.section, group.entries.length])).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
  });
  it('finds settings by every word of the key or description', () => {
    const one = { key: 'limits.max_files', about: 'Files of the prepared diff.' };
    expect(matches(one, 'max files')).toBe(true);
    expect(matches(one, 'PREPARED limits')).toBe(true);
    expect(matches(one, 'tokens')).toBe(false);
  });
  it('formats sizes', () => {
    expect([0, 999, 1400, 123_456, 2_500_000_000].map(bytes)).toEqual([
      '0 bytes',
      '999 bytes',
      '1.4 kB',
      '123 kB',
      '2.5 GB',
    ]);
  });
  it('formats keys and parses commands', () => {
    expect([keyPart('mine'), keyPart('my.model')]).toEqual(['mine', '"my.model"']);
    expect(splitCommand(`/opt/a b --flag "two words" 'x'`)).toEqual([
      '/opt/a',
      'b',
      '--flag',
      'two words',
      'x',
    ]);
  });
});
