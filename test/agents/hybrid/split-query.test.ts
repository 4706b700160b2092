import { describe, expect, it } from 'vitest';
import { splitQuery } from '../../../src/agents/hybrid/split-query.ts';
import CASES from './split-query.json' with { type: 'json' };

describe('splitQuery()', () => {
  it.each(Object.entries(CASES.splits))('splits %s', (question, parts) => {
    expect(splitQuery(question)).toEqual(parts);
  });

  it.each(CASES.second)('completes the second part of %s with its subject', (question, second) => {
    expect(splitQuery(question)[1]?.query).toBe(second);
  });

  it.each(CASES.whole)('does not split a question with %s', (_, question) => {
    expect(splitQuery(question)).toEqual([{ type: expect.any(String), query: question }]);
  });

  it.each([
    ['What does a Bitcoin ASIC cost at Amazon and eBay?', 'web_search'],
    ['How many watts does the node need?', 'semantic'],
    ['How do I get the tracking number of my parcel?', 'semantic'],
    ['What was our cheapest accessory?', 'analytics'],
    ['Something without a known word', 'semantic'],
  ])('sends %s to one kind of source', (query, type) => {
    expect(splitQuery(query)).toEqual([{ type, query }]);
  });

  it.each([
    ['words', 'and what is it, '.repeat(250)],
    ['names', 'and how many A1 are there in Rome, '.repeat(115)],
    ['pronouns', 'and what do customers say about it, '.repeat(112)],
    ['sentences', 'How many? '.repeat(400)],
    ['numbered lines', 'A1 1. '.repeat(660)],
    ['spaces', `${' '.repeat(3990)}and`],
    ['commas', ','.repeat(4000)],
    ['capitals', 'A B '.repeat(1000)],
    ['one word', 'a'.repeat(4000)],
  ])('limits the parts of 4,000 characters of %s', (_, text) => {
    const parts = splitQuery(text.slice(0, 4000));
    expect(parts.length).toBeLessThanOrEqual(61);
    expect(parts.every(({ query }) => query.length <= 4000)).toBe(true);
  });
});
