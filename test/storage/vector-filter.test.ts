import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filterText } from '../../src/storage/upstash-vector-index.ts';
import { meetsFilter, type VectorFilter } from '../../src/storage/vector-index.ts';

const equals = (value: string | number | boolean): VectorFilter => ({ field: 'type', is: '=', value });

describe('filterText()', () => {
  it('puts every clause into parentheses, as AND binds tighter than OR', () => {
    const filter: VectorFilter = { and: [{ or: [equals('a'), equals('b')] }, { field: 'at', is: '>=', value: 5 }] };
    expect(filterText(filter)).toBe("(((type = 'a') OR (type = 'b')) AND (at >= 5))");
  });

  it('chooses the quotes that the value lacks', () => {
    expect(filterText(equals("it's"))).toBe(`(type = "it's")`);
    expect(filterText(equals('say "no"'))).toBe(`(type = 'say "no"')`);
  });

  it.each(['both \' and "', 'back\\slash', 'new\nline', 'nul\0', '\u2028', '\ud800', 'x'.repeat(257)])(
    'refuses the value %j, and does not repeat it',
    (value) => {
      expect(() => filterText(equals(value))).toThrow('the filter has a text that cannot be quoted');
      expect(() => filterText({ field: 'type', in: ['a', value] })).toThrow(RangeError);
    },
  );

  it.each(['', 'a b', 'a=1 OR b', 'naïve', '1a', 'a.b', 'AND', 'true', 'x'.repeat(65)])(
    'refuses the field %j',
    (field) => {
      expect(() => filterText({ field, is: '=', value: 1 })).toThrow(RangeError);
    },
  );

  it('refuses what is too long, too deep, not finite, or compared in an unknown way', () => {
    expect(() => filterText({ field: 'id', in: Array.from({ length: 200 }, (_, at) => `id-${at}`) })).toThrow(
      RangeError,
    );
    let deep: VectorFilter = equals('a');
    for (let depth = 0; depth < 10; depth += 1) deep = { and: [deep, equals('b')] };
    expect(() => filterText(deep)).toThrow(RangeError);
    expect(() => filterText(equals(Number.NaN))).toThrow(RangeError);
    expect(() => filterText({ field: 'a', is: '= 1 OR a' as '=', value: 1 })).toThrow(RangeError);
  });

  it('writes numbers without an exponent, so that they read as the same', () => {
    const property = fc.property(
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e200, max: 1e200 }),
      (value) => {
        const [, written = ''] = /^\(type = (-?\d+(?:\.\d+)?)\)$/.exec(String(filterText(equals(value)))) ?? [];
        expect(Number(written)).toBe(value === 0 ? 0 : value);
      },
    );
    fc.assert(property, { numRuns: 500, examples: [[1e-10], [1e21], [-1.5e-7], [-0]] });
  });

  it('tells where a filter holds for all or for none', () => {
    expect(filterText({ and: [] })).toBe(true);
    expect(filterText({ or: [] })).toBe(false);
    expect(filterText({ field: 'type', in: [] })).toBe(false);
    expect(filterText({ and: [equals('a'), { or: [] }] })).toBe(false);
    expect(filterText({ or: [equals('a'), { and: [] }] })).toBe(true);
    expect(filterText({ or: [equals('a'), { field: 'type', in: [] }] })).toBe("(type = 'a')");
  });

  it('never lets a text end its quotes', () => {
    const property = fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (value) => {
      let text: string | boolean;
      try {
        text = filterText(equals(value));
      } catch {
        return;
      }
      const [, quote = '', inside] = /^\(type = (['"])(.*)\1\)$/u.exec(String(text)) ?? [];
      expect(inside).toBe(value);
      expect(value).not.toContain(quote);
    });
    fc.assert(property, { numRuns: 300, examples: [["' OR type = 'x"], ['" OR "" = "'], ["'"], ['"']] });
  });
});

describe('meetsFilter()', () => {
  it('finds no condition met by a field that is missing, of another type, or inherited', () => {
    expect(meetsFilter({}, { field: 'type', is: '!=', value: 'a' })).toBe(false);
    expect(meetsFilter(undefined, equals('a'))).toBe(false);
    expect(meetsFilter({ type: 1 }, equals('1'))).toBe(false);
    expect(meetsFilter({ type: '5' }, { field: 'type', is: '>', value: 1 })).toBe(false);
    expect(meetsFilter({}, { field: 'constructor', is: '!=', value: 'a' })).toBe(false);
  });
});
