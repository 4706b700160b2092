import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutName } from '../../../src/support/draft/fill-template.ts';

describe('withoutName()', () => {
  it.each([
    ['Dana Whitfield', 'I am dana  whitfield and it is broken', 'I am [name] and it is broken'],
    ['Dana Whitfield', 'It is broken.\n\nRegards,\nDana', 'It is broken.\n\nRegards,\n[name]'],
    ['Dana Whitfield', "Hi, I'm Dana from Leeds.\n- Dana.", "Hi, I'm [name] from Leeds.\n- [name]."],
    ['dev-ops-dan', 'Thanks\ndev-ops-dan', 'Thanks\n[name]'],
    ['Jürgen', 'Ich bin Jürgen, hallo', 'Ich bin [name], hallo'],
  ])('leaves out %j: %j', (name, text, left) => {
    expect(withoutName(text, name)).toBe(left);
  });

  it.each([
    ['Will', 'Will it work?'],
    ['Apollo', 'My Apollo shows 0 H/s'],
    ['Dana Whitfield', 'The Dana-3 cable of Whitfield Ltd'],
    ['', 'nobody'],
    ['...', 'a ... b'],
    ['(a+)+$ x', 'aaaa'],
  ])('leaves words that are no name of %j: %j', (name, text) => {
    expect(withoutName(text, name)).toBe(text);
  });

  it('takes any name and any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (name, text) => {
        withoutName(`${text} ${name}\n${name}`, name);
      }),
    );
  });
});
