import { describe, expect, it } from 'vitest';
import { unsentTexts, UnsentStore, withUnsentTexts } from './unsent-texts';

describe('texts that were typed while the core could not be reached', () => {
  const confirmed = { drafts: { chat: 'one', gone: 'x', same: 's' }, unsavedFindings: {} };
  const own = { drafts: { chat: 'two', same: 's' }, unsavedFindings: { 'own a.ts': { body: 'new' } } };
  const unsent = unsentTexts(confirmed, own);

  it('are those that the core does not have', () => {
    expect(unsent).toEqual({
      drafts: { chat: ['one', 'two'], gone: ['x', null] },
      unsavedFindings: { 'own a.ts': [null, { body: 'new' }] },
    });
    expect(unsentTexts(own, own)).toEqual({});
  });

  it('return when the page is opened again', () => {
    expect(withUnsentTexts(confirmed, unsent)).toEqual(own);
    expect(withUnsentTexts({ theme: 'dark' }, unsent)).toMatchObject({ theme: 'dark' });
  });

  it('do not replace a text that was saved since', () => {
    const newer = {
      drafts: { chat: 'newer', same: 's' },
      unsavedFindings: { 'own a.ts': { body: 'newer' } },
    };
    expect(withUnsentTexts(newer, unsent)).toEqual(newer);
  });

  it('stay in the browser until the core has them', () => {
    const stored: Record<string, string> = { theme: 'dark' };
    const hidden = (value: unknown) => ({ value, enumerable: false });
    const storage = Object.defineProperties(stored, {
      getItem: hidden((key: string) => stored[key] ?? null),
      setItem: hidden((key: string, value: string) => (stored[key] = value)),
      removeItem: hidden((key: string) => delete stored[key]),
    }) as unknown as Storage;
    new UnsentStore(storage).keep(unsent);
    const next = new UnsentStore(storage);
    expect(next.take()).toEqual([unsent]);
    // Another failure before the texts are saved.
    expect(new UnsentStore(storage).take()).toEqual([unsent]);
    next.saved();
    expect(stored).toEqual({ theme: 'dark' });
  });
});
