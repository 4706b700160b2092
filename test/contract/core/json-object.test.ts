import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readAs } from '../../../src/contract/core/error-info.ts';
import { jsonObject } from '../../../src/contract/core/json-object.ts';

/** Counts reads of its members. */
const watched = <T extends object>(value: T) => {
  const seen = { reads: 0 };
  const get = (target: T, name: string | symbol) => {
    seen.reads += 1;
    return Reflect.get(target, name);
  };
  return { seen, value: new Proxy(value, { get }) };
};

const bounded = jsonObject({ maxDepth: 4, maxLength: 100 });

it('refuses a list that is too long without reading its members', () => {
  const { value, seen } = watched(Array(300_000).fill(1));
  expect(readAs(bounded, { list: value })).toMatchObject({
    issues: [{ message: 'is larger than 100 characters' }],
  });
  expect(seen.reads).toBeLessThan(10);
});
it('stops reading the members of an object at the bound', () => {
  const { value, seen } = watched(
    Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`m${index}`, 1])),
  );
  expect(readAs(bounded, { object: value }).ok).toBe(false);
  expect(seen.reads).toBeLessThan(110);
});

const Small = jsonObject({ maxDepth: 3, maxLength: 200 });

it('accepts values that JSON reproduces', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const result = Small.safeParse(value);
      Reflect.deleteProperty(value, '__proto__');
      if (result.success)
        expect(JSON.parse(JSON.stringify(result.data))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
it('never accepts more than its length', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ minLength: 1 }), fc.string({ maxLength: 100 }), { maxKeys: 8 }),
      (value) => {
        const characters = Object.entries(value).flat().join('').length;
        if (Small.safeParse(value).success) expect(characters).toBeLessThanOrEqual(200);
        else expect(characters).toBeGreaterThan(200 - 2 * 8 - 1);
      },
    ),
  );
});
it('never returns a member called __proto__', () => {
  expect(Small.parse(JSON.parse('{"__proto__":{"admin":true},"a":1}'))).toEqual({ a: 1 });
  expect(Small.safeParse(JSON.parse('{"a":{"__proto__":{"admin":true}}}')).success).toBe(false);
});
it('counts 1 for each value, plus the length of strings and names', () => {
  const Exact = jsonObject({ maxDepth: 2, maxLength: 10 });
  expect(Exact.safeParse({ ab: [1, true], c: 'de' }).success).toBe(true);
  expect(Exact.safeParse({ ab: [1, true], c: 'def' }).success).toBe(false);
  expect(Exact.safeParse({ ab: [() => 1] }).success).toBe(false);
});
it('accepts three levels, not four', () => {
  expect(Small.safeParse({ a: { b: { c: 1 } } }).success).toBe(true);
  expect(Small.safeParse({ a: { b: [1] } }).success).toBe(true);
  expect(Small.safeParse({ a: { b: { c: {} } } }).success).toBe(false);
});
