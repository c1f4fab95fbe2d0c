import { expect, it } from 'vitest';
import { namesIn, selectedName } from './names';

it('finds each name of a line once', () => {
  expect(namesIn('  let user = decode(user, größe1);')).toEqual([
    { name: 'let', column: 2 },
    { name: 'user', column: 6 },
    { name: 'decode', column: 13 },
    { name: 'größe1', column: 26 },
  ]);
});

it('takes a selection only if it is one name', () => {
  expect(selectedName('a.run(b)', ' run ')).toEqual({ name: 'run', column: 2 });
  expect(selectedName('a.run(b)', 'run(b')).toBeNull();
  expect(selectedName('a.run(b)', '')).toBeNull();
});
