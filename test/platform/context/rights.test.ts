import { expect, it } from 'vitest';
import {
  covers,
  intersectCapabilities,
  mayRead,
  mayReadAsked,
} from '../../../src/platform/context/capabilities.ts';

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
])('mayRead() %j reads an article for %j: %s', (held, named, expected) =>
  expect(mayRead(held, named)).toBe(expected),
);

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
])('mayReadAsked() %j reads an answer for %j: %s', (held, askedWith, expected) => {
  expect(mayReadAsked(held, askedWith)).toBe(expected);
});

it.each([
  [['kb:read'], 'kb:read', true],
  [['kb:*'], 'kb:read', true],
  [['kb:*'], 'kb:hr:read', true],
  [['kb:*'], 'kb:hr:*', true],
  [['*'], 'anything:at:all', true],
  [['sql:read', 'kb:*'], 'kb:*', true],
  [[], 'kb:read', false],
  [['kb:read'], 'kb:*', false],
  [['kb:hr:*'], 'kb:*', false],
  [['kb:*'], 'kb', false],
  [['kb:*'], 'kb:', false],
  [['kb:*'], 'kbx:read', false],
  [['kb:*'], '*', false],
  [['kb:read'], 'kb:read:all', false],
])('covers() %j over %s: %s', (held, wanted, expected) =>
  expect(covers(held, wanted)).toBe(expected),
);

it.each([
  [['kb:*', 'sql:read'], ['kb:read', 'web:search'], ['kb:read']],
  [['kb:read', 'sql:read'], ['kb:*'], ['kb:read']],
  [['kb:*'], ['*'], ['kb:*']],
  [['kb:*'], [], []],
  [['kb:read'], ['kb:read', 'kb:read'], ['kb:read']],
])('intersectCapabilities() of %j with %j is %j', (held, wanted, expected) =>
  expect(intersectCapabilities(held, wanted)).toEqual(expected),
);
