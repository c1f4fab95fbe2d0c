import { expect, it } from 'vitest';
import type { NewFinding } from '../../rpc/types.gen';
import { unsavedFindings } from './finding-words';

const words = (path: string): NewFinding => ({
  severity: 'medium',
  category: 'correctness',
  path,
  side: 'new',
  line_start: 3,
  line_end: 5,
  title: '',
  body: 'x',
});

it('finds unsaved findings of this change only, also for a path with spaces', () => {
  const saved = {
    'own /r a…b src/a b.ts new 5': words('src/a b.ts'),
    'own /r a…c src/x.ts new 5': words('src/x.ts'),
    'own /other a…b src/x.ts new 5': words('src/x.ts'),
    'edit review finding': words('src/x.ts'),
  };
  const found = unsavedFindings(saved, 'own /r a…b ');
  expect(found.map((one) => one.place)).toEqual([
    { path: 'src/a b.ts', side: 'new', line_start: 3, line_end: 5 },
  ]);
});
