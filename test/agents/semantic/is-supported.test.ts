import { describe, expect, it } from 'vitest';
import { isSupported } from '../../../src/agents/semantic/is-supported.ts';
import { splitSentences } from '../../../src/knowledge/answers/split-sentences.ts';
import { ARTICLES } from '../../navigator/small-kb.ts';

const DOCUMENTS = [
  'The warranty lasts for 24 months from the day of purchase. Send a broken machine to the workshop in its original box.',
  'Never open the boiler while it is under pressure. Barista II machines have two boilers, see https://docs.example.com/boiler.',
];

describe('isSupported()', () => {
  it('takes every sentence of an article as supported by it', () => {
    for (const { text } of ARTICLES.filter(({ text }) => !/[|`<#]/.test(text))) {
      for (const { start, end } of splitSentences(text)) expect(isSupported(text.slice(start, end), [text])).toBe(true);
    }
  });

  it.each([
    'The warranty lasts 24 months [1].',
    'From the day of purchase, the warranty lasts for 24 months. A broken machine is sent to the workshop in its box [1].',
    'The boiler is never to be opened under pressure [2].',
    'Barista II machines have two boilers (see https://docs.example.com/boiler).',
  ])('takes %j', (summary) => {
    expect(isSupported(summary, DOCUMENTS)).toBe(true);
  });

  it.each([
    ['another number', 'The warranty lasts 36 months [1].'],
    ['a number in words', 'The warranty lasts twelve months from the day of purchase [1].'],
    ['a name from elsewhere', 'The Gaggia warranty lasts 24 months from the day of purchase [1].'],
    ['what is denied', 'Open the boiler while it is under pressure [2].'],
    ['a denial of its own', 'The warranty does not last 24 months from the day of purchase [1].'],
    ['another address', 'Barista II machines have two boilers (see https://evil.example/boiler).'],
    ['words from elsewhere', 'Our certified technicians offer comprehensive maintenance plans for the machine [1].'],
    ['one such sentence among others', 'The warranty lasts 24 months. Call 555 1234 for a refund.'],
    ['nothing', ' '],
    ['a citation alone', '[1]'],
  ])('refuses %s', (_, summary) => {
    expect(isSupported(summary, DOCUMENTS)).toBe(false);
  });
});
