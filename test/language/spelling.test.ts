import { expect, it } from 'vitest';
import { spellingIn } from '../../src/language/spelling.ts';

const spellings = spellingIn(['plans', 'plane', 'parcel', 'password', 'past', 'étage'], {
  leastLength: 5,
});

it.each([
  ['a letter less', 'pasword', ['password']],
  ['a letter more', 'passsword', ['password']],
  ['another letter', 'passwird', ['password']],
  ['two letters swapped', 'parcle', ['parcel']],
  ['several candidates, in the order of the vocabulary', 'plant', ['plans', 'plane']],
  ['a letter beyond ASCII', 'étege', ['étage']],
  ['a word of the vocabulary', 'parcel', []],
  ['another first letter', 'apssword', []],
  ['two mistakes', 'pasword1', []],
  ['a short word', 'pasd', []],
  ['a word too long to be one', 'p'.repeat(33), []],
])('spellingIn() corrects %s', (_what, word, expected) =>
  expect(spellings(word)).toEqual(expected),
);
