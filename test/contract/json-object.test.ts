import { describe, expect, it } from 'vitest';
import { readAs } from '../../src/contract/issue.ts';
import { jsonObject } from '../../src/contract/json-object.ts';

/** Counts how often something in it is read. */
const watched = <T extends object>(value: T) => {
  const seen = { reads: 0 };
  const get = (target: T, name: string | symbol) => {
    seen.reads += 1;
    return Reflect.get(target, name);
  };
  return { seen, value: new Proxy(value, { get }) };
};

const bounded = jsonObject({ maxDepth: 4, maxLength: 100 });

describe('jsonObject()', () => {
  it('accepts objects within the bounds, counting keys, strings and values', () => {
    expect(readAs(bounded, { list: [1, null, { deep: 'x'.repeat(80) }] }).ok).toBe(true);
    expect(readAs(bounded, { list: [1, null, { deep: 'x'.repeat(90) }] }).ok).toBe(false);
    expect(readAs(bounded, { list: [() => 1] }).ok).toBe(false);
    expect(readAs(bounded, { below: JSON.parse('{"__proto__":1}') }).ok).toBe(false);
  });

  it('refuses a list that is too long without reading its members', () => {
    const { value, seen } = watched(Array(300_000).fill(1));
    expect(readAs(bounded, { list: value })).toMatchObject({ issues: [{ message: 'is larger than 100 characters' }] });
    expect(seen.reads).toBeLessThan(10);
  });

  it('stops reading the members of an object at the bound', () => {
    const { value, seen } = watched(Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`m${index}`, 1])));
    expect(readAs(bounded, { object: value }).ok).toBe(false);
    expect(seen.reads).toBeLessThan(110);
  });
});
