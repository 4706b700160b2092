import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findPromises } from '../../../src/support/draft/promise-check.ts';
import { bestTime } from '../../best-time.ts';
import last from './last-promise-sentences.json' with { type: 'json' };
import later from './later-promise-sentences.json' with { type: 'json' };
import present from './present-promise-sentences.json' with { type: 'json' };
import sentences from './promise-sentences.json' with { type: 'json' };

const promises = (text: string, allowedBy: readonly string[] = []) => findPromises(text, { allowedBy });

const POLICY = `# Returns and shipping

You may return a device within 30 days of delivery, for whatever reason.

- Refunds go to the original means of payment within 10 business days of arrival.
- We replace the fan free of charge if it fails within 12 months.
- A refused parcel comes back to us; we refund the price of the goods without postage.

An order that has not been dispatched can be cancelled free of charge. We answer within 2 business days.

| Product | Warranty term |
| --- | --- |
| New device | 24 months |
| Refurbished device | 12 months |

Lost mining income is not covered by the warranty.`;

describe('findPromises()', () => {
  const ALL = [sentences, later, last];

  it.each([
    ['at hand while the patterns were written', 0],
    ['held out', 1],
  ])('finds the promises of sentences %s, and hardly anything else', (name, half) => {
    const pick = (texts: readonly string[]) => texts.filter((_, at) => at % 2 === half);
    const made = ALL.flatMap((set) => pick(set.promises));
    const harmless = ALL.flatMap((set) => pick(set.harmless));
    const missed = made.filter((text) => promises(text).length === 0);
    const wrong = harmless.filter((text) => promises(text).length > 0);
    const found = made.length - missed.length;
    const [recall, precision] = [found / made.length, found / (found + wrong.length)];
    console.log(
      `promises ${name}: recall ${recall.toFixed(3)} of ${made.length}, precision ${precision.toFixed(3)} beside ${harmless.length} others`,
    );
    expect(missed.slice(0, recall < 0.95 ? 5 : 0)).toEqual([]);
    expect(wrong.slice(0, precision < 0.9 ? 5 : 0)).toEqual([]);
    expect(made.length + harmless.length).toBeGreaterThanOrEqual(120);
  });

  it('finds what is promised in the present tense, as done, as owed and as near, and nothing beside it', () => {
    expect(present.promises.filter((text) => promises(text).length === 0)).toEqual([]);
    expect(present.harmless.filter((text) => promises(text).length > 0)).toEqual([]);
  });

  it('tells what is promised, in which sentence and where', () => {
    const text = 'Thank you for the photo. We will refund you in full.\n\n- Your order will arrive by Friday.';
    expect(promises(text)).toEqual([
      { kind: 'refund', sentence: 'We will refund you in full.', start: 25, end: 52 },
      expect.objectContaining({ kind: 'date', sentence: '- Your order will arrive by Friday.' }),
    ]);
  });

  it.each([
    'You may return a device within 30 days of delivery, for whatever reason.',
    'You may return a device within 30 days of delivery.',
    '**Refunds** go to the original means of payment within 10 business days of arrival.',
    '1. Refunds go to the original means of payment within 10 business days.',
    'We replace the fan free of charge if it fails within 12 months.',
    'An order that has not been dispatched can be cancelled free of charge.',
    'We answer within 2 business days.',
    'We refund the price of the goods without postage.',
  ])('lets a source say: %s', (sentence) => {
    expect(promises(sentence, [POLICY])).toEqual([]);
  });

  it.each([
    ['with other figures', 'You may return a device within 60 days of delivery.'],
    ['with another unit', 'You may return a device within 30 weeks of delivery.'],
    [
      'with days of the calendar for those of business',
      'Refunds go to the original means of payment within 10 days of arrival.',
    ],
    ['without its condition', 'We replace the fan free of charge.'],
    ['without what it leaves out', 'We refund the price of the goods.'],
    ['of other things', 'We replace the power supply free of charge if it fails within 12 months.'],
    ['without what was not done', 'An order can be cancelled free of charge.'],
    ['to one person', 'We will refund you the full price.'],
    ['where the source denies it', 'Lost mining income is covered by the warranty.'],
  ])('lets no source be quoted %s', (_, sentence) => {
    expect(promises(sentence, [POLICY])).toHaveLength(1);
  });

  it('lets a template say what it says, whatever stands in its places but for a promise', () => {
    const template = 'Hello {customer_name},\n\nwe will call you about {product} within 2 days.\n\nYour team';
    expect(promises('Hello Jane,\n\nwe will call you about Apollo II within 2 days.\n\nYour team', [template])).toEqual(
      [],
    );
    expect(promises('we will call you about Apollo II within 3 days.', [template])).toHaveLength(1);
    expect(
      promises('we will call you about Apollo II, and we will refund you $500, within 2 days.', [template]),
    ).toHaveLength(1);
  });

  it('finds nothing in an article that the same article does not say', () => {
    const files = readdirSync('src/dev/sample-kb', { recursive: true, withFileTypes: true }).filter(({ name }) =>
      name.endsWith('.md'),
    );
    for (const { parentPath, name } of files) {
      const article = readFileSync(`${parentPath}/${name}`, 'utf8').replace(/^---\n[\s\S]*?\n---\n/, '');
      expect(promises(article, [article]), name).toEqual([]);
      if (!/warranty|shipping|rma|faq|electricity|safety/.test(name))
        expect(promises(article).length, name).toBeLessThan(2);
    }
  });

  it('takes any text, and a time that grows with its length', () => {
    const part = fc.oneof(
      fc.constantFrom(...sentences.promises, ...sentences.harmless),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('{', '}', '**', '\n- ', '| a |', ' if ', ', '),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const text = parts.join(' ');
        for (const { sentence, start, end } of promises(text, [POLICY])) expect(text.slice(start, end)).toBe(sentence);
      }),
      { numRuns: 300 },
    );
    for (const unit of [
      'we will ',
      'a ',
      'will be ',
      'within 2 ',
      'We will refund you. ',
      'you ',
      "we'll we'll and ",
      'wir ',
      'nous ',
      'it is ',
      'your fan is ',
      'next update ',
      'delivery in ',
      'expect it ',
      'a,',
    ]) {
      const of = (length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
      const [one, four] = [of(5000), of(20_000)].map((text) => bestTime(() => promises(text), 3)) as [number, number];
      expect(four, unit).toBeLessThan(Math.max(12 * one, 250));
    }
  });
});
