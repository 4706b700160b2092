import { describe, expect, it } from 'vitest';
import { mayRead, mayReadAsked } from '../../src/signing/capabilities.ts';

describe('mayRead()', () => {
  it.each([
    [[], undefined, true],
    [[], [], true],
    [['staff'], [], true],
    [[], ['staff'], false],
    [['sales'], ['staff'], false],
    [['sales'], ['staff', 'sales'], true],
    [['staff'], ['staff.hr'], false],
    [['*'], ['staff'], true],
    [['*'], ['none'], true],
    [['staff'], ['none'], false],
    [['staff'], ['*'], false],
  ])('%j reads an article for %j: %s', (held, named, expected) => {
    expect(mayRead(held, named)).toBe(expected);
  });
});

describe('mayReadAsked()', () => {
  it.each([
    [[], undefined, true],
    [[], [], true],
    [['staff'], [], true],
    [[], ['staff'], false],
    [['sales'], ['staff', 'sales'], false],
    [['sales', 'staff'], ['staff', 'sales'], true],
    [['*'], ['staff', 'sales'], true],
    [['staff'], ['*'], false],
    [['*'], ['*'], true],
  ])('%j reads an answer for %j: %s', (held, askedWith, expected) => {
    expect(mayReadAsked(held, askedWith)).toBe(expected);
  });
});
