import { expect, it } from 'vitest';
import { splitNumber } from './target';

it('separates the number of a merge request from its project', () => {
  expect(splitNumber('group/sub/project!7')).toEqual(['group/sub/project', '!7']);
  expect(splitNumber('!12')).toEqual(['!12', '']);
  expect(splitNumber('main...wow!')).toEqual(['main...wow!', '']);
});
