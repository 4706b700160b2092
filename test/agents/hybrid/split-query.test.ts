import { describe, expect, it } from 'vitest';
import { splitQuery } from '../../../src/agents/hybrid/split-query.ts';
import { bestTime } from '../../best-time.ts';
import { DEVELOPMENT, HELD_OUT, LATER, type SplitCase } from './split-cases.ts';

const itSplits = (cases: readonly SplitCase[]) =>
  it.each(cases.map((each) => [each.question, each.parts] as const))('splits %s', (question, parts) => {
    const found = splitQuery(question);
    expect(found.map(({ type }) => type)).toEqual(parts.map(([type]) => type));
    for (const [place, [, ...words]] of parts.entries())
      for (const word of words) expect(found[place]?.query.toLowerCase()).toContain(word.toLowerCase());
  });

describe('splitQuery()', () => {
  itSplits(DEVELOPMENT);
  itSplits(HELD_OUT);

  it.each([
    [
      'How many Apollo III are in stock and what does the warranty cover?',
      'what does the warranty cover for the Apollo III?',
    ],
    ['What do we charge for the iPhone 17 and is it cheaper elsewhere?', 'is the iPhone 17 cheaper elsewhere?'],
    [
      'Which of our accessories sell best and what do other shops ask for the same ones?',
      'what do other shops ask for our accessories?',
    ],
    ['How many Apollo II are left and can a used one be returned?', 'can a used Apollo II be returned?'],
    ['Find reviews of the Apollo III on the web and tell me how many we sold.', 'tell me how many Apollo III we sold.'],
    [
      'How many AP2-FAN120 are left and what do customers say when they order it online?',
      'what do customers say when they order the AP2-FAN120 online?',
    ],
    [
      'How many AP1-PSU240 are in stock and which products are below their reorder level?',
      'which products are below their reorder level?',
    ],
    ['Show Q1 sales and summarize the return policy', 'summarize the return policy'],
    ['Show Q1 2026 revenue and summarize the return policy', 'summarize the return policy'],
    ['Show March sales and summarize the return policy', 'summarize the return policy'],
    ['Show Monday orders and explain the warranty', 'explain the warranty'],
    ['Show FY25 profit and explain the warranty', 'explain the warranty'],
    ['Show 2025 Sales and explain the warranty', 'explain the warranty'],
    ['Show Q1 sales of the Apollo II and explain the warranty', 'explain the warranty for the Apollo II'],
  ])('names in the second part of %s what it is about', (question, second) => {
    expect(splitQuery(question)[1]?.query).toBe(second);
  });

  it.each([
    'Explain what pruning is and how it works.',
    'Where can I find and replace the fuse?',
    'What do our terms say about returns and online orders?',
    'How do I open the page and check the version?',
    'I bought an Apollo II last week, which is now broken, and want to return it.',
    'How loud is the Apollo III and how can I make it quieter?',
    'I moved house, can I still change the address of my parcel?',
    'A customer asks who pays postage for a repair. What do I tell him?',
    'In which cities do our customers live? Please sort by number.',
    'How can I mine at night only, when electricity is cheap?',
    'When is the next version expected, check online please',
    'and',
    '?!',
    'a, b, c and d',
  ])('leaves %s whole', (question) => {
    expect(splitQuery(question)).toEqual([{ type: expect.any(String), query: question }]);
  });

  it('keeps each of two full questions of one kind, as an agent answers one at a time', () => {
    expect(splitQuery('How many Apollo II do we have and how many customers are from Austria?')).toHaveLength(2);
  });

  it.each<readonly [string, readonly string[]]>([
    ['My LED blinks amber. Also, what do other shops want for an Apollo II?', ['semantic', 'web_search']],
    ['Which is louder, the Apollo II or the Apollo III, and what does each cost with us?', ['semantic', 'analytics']],
    ['What does error E40 mean and is there a cheaper power supply on the web?', ['semantic', 'web_search']],
    ['How many watts does the node need?', ['semantic']],
    ['How do I get the tracking number of my parcel?', ['semantic']],
    ['What was our cheapest accessory?', ['analytics']],
    ...LATER.map(([question, ...types]) => [question, types] as const),
  ])('tells the kinds of %s', (question, types) => {
    expect(splitQuery(question).map(({ type }) => type)).toEqual(types);
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
  ])('is done with 4,000 characters of %s within 300 ms', (_, text) => {
    expect(bestTime(() => splitQuery(text.slice(0, 4000)))).toBeLessThan(300);
    const parts = splitQuery(text.slice(0, 4000));
    expect(parts.length).toBeLessThanOrEqual(61);
    expect(parts.every(({ query }) => query.length <= 4000)).toBe(true);
  });
});
