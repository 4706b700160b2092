import { describe, expect, it } from 'vitest';
import { splitQuery } from '../../../src/agents/hybrid/split-query.ts';

describe('splitQuery()', () => {
  it.each<[question: string, parts: [type: string, query: string][]]>([
    // The example of the agent contract.
    [
      'Show Q1 sales and summarize the return policy',
      [
        ['analytics', 'Show Q1 sales'],
        ['semantic', 'summarize the return policy'],
      ],
    ],
    [
      'How many orders are open and which customers live in Austria?',
      [
        ['analytics', 'How many orders are open'],
        ['analytics', 'which customers live in Austria?'],
      ],
    ],
    [
      'Hi there! How many iPhone 17 were sold in June? Also, how long do customers have to return one?',
      [
        ['analytics', 'How many iPhone 17 were sold in June?'],
        ['semantic', 'how long do customers have to return the iPhone 17?'],
      ],
    ],
    [
      'What is the price and the warranty of the Apollo II?',
      [
        ['analytics', 'What is the price for the Apollo II'],
        ['semantic', 'the warranty of the Apollo II?'],
      ],
    ],
    [
      'Is the iPhone 17 in stock, how does our return policy work for phones and what is the cheapest offer on the internet?',
      [
        ['analytics', 'Is the iPhone 17 in stock'],
        ['semantic', 'how does our return policy work for phones'],
        ['web_search', 'what is the cheapest offer on the internet?'],
      ],
    ],
  ])('splits %s', (question, parts) => {
    expect(splitQuery(question)).toEqual(parts.map(([type, query]) => ({ type, query })));
  });

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
    ['a pronoun', 'Explain what pruning is and how it works.'],
    ['a shared verb', 'Where can I find and replace the fuse?'],
    ['a shared object', 'What do our terms say about returns and online orders?'],
    ['a second verb', 'How do I open the page and check the version?'],
    ['a relative clause', 'I bought an Apollo II last week, which is now broken, and want to return it.'],
    ['a follow-up question', 'How loud is the Apollo III and how can I make it quieter?'],
    ['an introduction', 'I moved house, can I still change the address of my parcel?'],
    ['a pronoun behind an introduction', 'A customer asks who pays postage for a repair. What do I tell him?'],
    ['an instruction for the answer', 'In which cities do our customers live? Please sort by number.'],
    ['a condition', 'How can I mine at night only, when electricity is cheap?'],
    ['a pair of words', 'How do I drag and drop a file in the dashboard?'],
    ['two names', 'How many units of the iPhone 17 and the Apollo II are in stock?'],
    ['only a joint', 'and'],
    ['only marks', '?!'],
    ['a list of letters', 'a, b, c and d'],
  ])('leaves a question with %s whole', (_, question) => {
    expect(splitQuery(question)).toEqual([{ type: expect.any(String), query: question }]);
  });

  it.each([
    ['What does a Bitcoin ASIC cost at Amazon and eBay?', 'web_search'],
    ['How many watts does the node need?', 'semantic'],
    ['How do I get the tracking number of my parcel?', 'semantic'],
    ['What was our cheapest accessory?', 'analytics'],
    ['Something that no cue knows', 'semantic'],
  ])('puts %s to one kind of source', (query, type) => {
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
  ])('bounds the parts of 4,000 characters of %s', (_, text) => {
    const parts = splitQuery(text.slice(0, 4000));
    expect(parts.length).toBeLessThanOrEqual(61);
    expect(parts.every(({ query }) => query.length <= 4000)).toBe(true);
  });
});
