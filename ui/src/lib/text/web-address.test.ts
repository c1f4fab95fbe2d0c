import { describe, expect, it } from 'vitest';
import { parseWebAddress } from './web-address';

describe('addressOf', () => {
  it('shows the real host of an address', () => {
    expect(parseWebAddress('https://example.com/a?b#c')).toEqual({
      whole: 'https://example.com/a?b#c',
      host: 'example.com',
      warnings: [],
    });
    expect(parseWebAddress('https://gitlab.com@evil.example/x')?.host).toBe('evil.example');
    expect(parseWebAddress('https://gitlab.com@evil.example/x')?.warnings).toHaveLength(1);
    expect(parseWebAddress('https://gitl\u0430b.com/')?.host).toMatch(/^xn--/);
    expect(parseWebAddress('https://gitl\u0430b.com/')?.warnings).toHaveLength(1);
    expect(parseWebAddress('http://2130706433/')).toMatchObject({ host: '127.0.0.1' });
    expect(parseWebAddress('http://2130706433/')?.warnings).toHaveLength(2);
    expect(parseWebAddress('https:\\\\evil.example\\x')?.whole).toBe('https://evil.example/x');
  });

  it('accepts only web addresses', () => {
    for (const bad of [
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'diffsan://open',
      'x',
      '//x.y',
      'ftp://a.b',
    ])
      expect(parseWebAddress(bad), bad).toBeNull();
  });
});
