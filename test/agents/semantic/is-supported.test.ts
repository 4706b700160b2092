import { describe, expect, it } from 'vitest';
import { isSupported } from '../../../src/agents/semantic/is-supported.ts';
import { splitSentences } from '../../../src/text/split-sentences.ts';
import { ARTICLES } from '../../navigator/small-kb.ts';

const textOf = (text: string, heading = '') => ({ heading, text });
const DOCUMENTS = [
  'The warranty lasts for 24 months from the day of purchase. Send a broken machine to the workshop in its original box.',
  'Never open the boiler while it is under pressure. Barista II machines have two boilers, see https://docs.example.com/boiler.',
].map((text) => textOf(text));

describe('isSupported()', () => {
  it('takes every sentence of an article as supported by it', () => {
    for (const { text } of ARTICLES.filter(({ text }) => !/[|`<#]/.test(text))) {
      for (const { start, end } of splitSentences(text))
        expect(isSupported(`${text.slice(start, end)} [1]`, [textOf(text)])).toBe(true);
    }
  });

  it.each([
    'The warranty lasts 24 months [1].',
    'From the day of purchase, the warranty lasts for 24 months [1]. A broken machine is sent to the workshop in its box [1].',
    'The boiler is never to be opened under pressure [2].',
    'Barista II machines have two boilers (see https://docs.example.com/boiler) [2].',
    'The warranty lasts 24 months. [1] Never open the boiler while it is under pressure. [2]',
  ])('takes %j', (summary) => {
    expect(isSupported(summary, DOCUMENTS)).toBe(true);
  });

  it.each([
    ['another number', 'The warranty lasts 36 months [1].'],
    ['a number in words', 'The warranty lasts twelve months from the day of purchase [1].'],
    ['a name from elsewhere', 'The Gaggia warranty lasts 24 months from the day of purchase [1].'],
    ['what is denied', 'Open the boiler while it is under pressure [2].'],
    ['a denial of its own', 'The warranty does not last 24 months from the day of purchase [1].'],
    ['another address', 'Barista II machines have two boilers (see https://evil.example/boiler) [2].'],
    ['words from elsewhere', 'Our certified technicians offer comprehensive maintenance plans for the machine [1].'],
    ['one such sentence among others', 'The warranty lasts 24 months [1]. Call 555 1234 for a refund [1].'],
    ['the number of another document', 'The warranty lasts 24 months [2].'],
    ['a document of two that does not say it', 'The warranty lasts 24 months [1, 2].'],
    ['no citation', 'The warranty lasts 24 months.'],
    ['a sentence without one among others', 'The warranty lasts 24 months. Send a broken machine to the workshop [1].'],
    ['a half sentence without one', 'The warranty lasts 24 months [1] and a broken machine goes to the workshop.'],
    ['a citation of no document', 'The warranty lasts 24 months [9].'],
    ['a citation of no document among others', 'The warranty lasts 24 months [1, 9].'],
    ['document 0', 'The warranty lasts 24 months [0].'],
    ['nothing', ' '],
    ['a citation alone', '[1]'],
  ])('refuses %s', (_, summary) => {
    expect(isSupported(summary, DOCUMENTS)).toBe(false);
  });

  it.each<[string, string, string, string?]>([
    [
      'a number of the next sentence',
      'Returns are accepted within 30 days. Shipping takes 14 days.',
      'Returns are accepted within 14 days [1].',
    ],
    [
      'the number of another product',
      'The grinder has a warranty of 24 months. The boiler has a warranty of 12 months.',
      'The grinder has a warranty of 12 months [1].',
    ],
    [
      'the same the other way round',
      'The warranty of the grinder is 24 months. The warranty of the boiler is 12 months.',
      'The warranty of the boiler is 24 months [1].',
    ],
    [
      'the number of another half sentence',
      'The warranty is 24 months for the grinder and 12 months for the boiler.',
      'The warranty is 12 months for the grinder [1].',
    ],
    [
      'two numbers swapped',
      'The warranty is 24 months for the grinder and 12 months for the boiler.',
      'The warranty is 12 months for the grinder and 24 months for the boiler [1].',
    ],
    [
      'two names swapped',
      'The Apollo II has a warranty of 24 months, the Apollo III of 12 months.',
      'The Apollo II has a warranty of 12 months, the Apollo III of 24 months [1].',
    ],
    [
      'a name of the heading',
      'The Apollo III has a warranty of 12 months.',
      'The Apollo II has a warranty of 12 months [1].',
      'Apollo II and Apollo III',
    ],
    [
      'a thing of the heading',
      'The boiler has a warranty of 12 months.',
      'The grinder has a warranty of 12 months [1].',
      'Grinder and boiler',
    ],
    ['a number of the heading', 'Shipping takes 14 days.', 'Shipping takes 30 days [1].', 'Returns within 30 days'],
    [
      'another row',
      '| Product | Warranty | Weight |\n| --- | --- | --- |\n| Grinder | 24 months | 3 kg |\n| Boiler | 12 months | 5 kg |',
      'The grinder has a warranty of 12 months [1].',
    ],
    [
      'another column',
      '| Product | Warranty | Test |\n| --- | --- | --- |\n| Grinder | 24 months | 3 months |',
      'The grinder has a warranty of 3 months [1].',
    ],
    [
      'a number without its condition',
      'Descale it every 60 days, or every 30 days with hard water.',
      'Descale it every 30 days [1].',
    ],
    [
      'what "respectively" tells apart',
      'The Apollo II and the Apollo III have 24 and 12 months respectively.',
      'The Apollo III has 24 months [1].',
    ],
    ['a property of another name', 'The Apollo II is quiet. The Apollo III is loud.', 'The Apollo II is loud [1].'],
    ['a part of a name', 'The Apollo III is loud.', 'The Apollo II is loud [1].'],
  ])('refuses %s', (_, text, summary, heading) => {
    expect(isSupported(summary, [textOf(text, heading)])).toBe(false);
  });

  it.each<[string, string, string?]>([
    [
      'The warranty is 24 months for the grinder and 12 months for the boiler.',
      'The warranty is 24 months for the grinder [1].',
    ],
    [
      'The warranty is 24 months for the grinder and 12 months for the boiler.',
      'For the boiler the warranty is 12 months [1].',
    ],
    [
      'The Apollo II has a warranty of 24 months, the Apollo III of 12 months.',
      'The warranty of the Apollo II is 24 months [1].',
    ],
    ['The Apollo II is a miner. It has a warranty of 24 months.', 'The Apollo II has a warranty of 24 months [1].'],
    ['The term is 24 months.', 'The term of the Apollo II is 24 months [1].', 'Apollo II warranty'],
    ['Restart the node.', 'Error 40: restart the node [1].', 'Error 40'],
    [
      '| Product | Warranty | Weight |\n| --- | --- | --- |\n| Grinder | 24 months | 3 kg |\n| Boiler | 12 months | 5 kg |',
      'The boiler has a warranty of 12 months [1].',
    ],
    [
      'Steps:\n\n1. Write to orders.\n2. Send it within 14 days of our answer.',
      'Send it within 14 days of our answer [1].',
    ],
    ['Descale it every 60 days, or every 30 days with hard water.', 'With hard water, descale it every 30 days [1].'],
  ])('takes of %j that %j', (text, summary, heading) => {
    expect(isSupported(summary, [textOf(text, heading)])).toBe(true);
  });

  it('is quick whatever it is given', () => {
    const startedMs = performance.now();
    for (const piece of ['a. ', '[1] ', '[1].', '| a ', '1, ', 'Apollo 2 and ', '\n', 'it, '])
      isSupported(piece.repeat(3000 / piece.length), [textOf(piece.repeat(4000 / piece.length), piece.repeat(50))]);
    expect(performance.now() - startedMs).toBeLessThan(2000);
  });
});
