import { expect, it } from 'vitest';
import { notices } from './notices.svelte';

it('keeps an unread error when messages follow, and lets messages with a button expire', () => {
  notices.fail(new Error('disk full'), 'Not saved', () => {});
  for (const text of ['one', 'two', 'three']) notices.info(text, { label: 'Show', run: () => {} });
  expect(notices.all.map(({ text }) => text)).toEqual(['Not saved', 'two', 'three']);
  for (const { id } of notices.all) notices.expire(id);
  expect(notices.all.map(({ text }) => text)).toEqual(['Not saved']);
});

it('drops the oldest error where only errors are left', () => {
  notices.closeAll();
  for (const text of ['1', '2', '3', '4']) notices.fail(new Error(text), text);
  expect(notices.all.map(({ text }) => text)).toEqual(['2', '3', '4']);
  notices.info('5');
  expect(notices.all.map(({ text }) => text)).toEqual(['3', '4', '5']);
});
