import { describe, expect, it } from 'vitest';
import cases from './find-gaps.json' with { type: 'json' };
import { editionOf, entryOf, retrieved, SAMPLE } from './sample-edition.ts';

const gapsOf = async (
  question: Parameters<typeof retrieved>[0],
  options: Parameters<typeof retrieved>[1] = {},
) => (await retrieved(question, options)).foundGaps ?? [];

/** Gaps of questions to the sample: texts that each gap contains, in order, and texts that none contains. */
interface Labelled {
  name: string;
  question: Parameters<typeof retrieved>[0];
  kind?: string;
  product?: string;
  gaps?: string[][];
  without?: string[];
}

it.each(cases as Labelled[])(
  'findGaps() $name',
  async ({ question, kind, product, gaps, without = [] }) => {
    const found = await gapsOf(question);
    const { intent } = question;
    if (kind !== undefined)
      expect(found).toMatchObject([{ kind, intent, ...(product && { product }) }]);
    for (const [at, parts] of (gaps ?? []).entries())
      for (const part of parts) expect(found[at]?.gap).toContain(part);
    if (gaps !== undefined) expect(found).toHaveLength(gaps.length);
    for (const part of without) expect(found.map(({ gap }) => gap).join()).not.toContain(part);
  },
);

describe('gaps of kind intent', () => {
  const entries = SAMPLE.filter(({ article }) => !article.intents.includes('wallet_payout'));
  const message = 'Where do I change the bitcoin address I am paid to?';
  it('names the intent that no article is about', async () => {
    const gaps = await gapsOf(
      { intent: 'wallet_payout', message },
      { edition: editionOf(entries) },
    );
    expect(gaps).toContainEqual({
      kind: 'intent',
      gap: 'No article is about wallet payout',
      intent: 'wallet_payout',
      product: undefined,
      stems: [],
    });
  });
  it('is none when articles of another intent are configured to answer it', async () => {
    const edition = editionOf(entries);
    const options = { edition, articleIntents: ['pool_configuration'] };
    const gaps = await gapsOf({ intent: 'wallet_payout', message }, options);
    expect(gaps.map(({ kind }) => kind)).not.toContain('intent');
  });
  it.each([
    ['a label', { title: 'Money', intents: ['wallet_payout_address'] }],
    ['a title', { title: 'Wallets and payouts', intents: ['payments'] }],
  ])('is none when %s of an article has the words of the intent', async (_, article) => {
    const edition = editionOf([
      ...entries,
      entryOf('money.md', article, 'Money is sent once a day to your address.'),
    ]);
    const gaps = await gapsOf({ intent: 'wallet_payout', message }, { edition });
    expect(gaps.map(({ kind }) => kind)).not.toContain('intent');
  });
  it('is none in a knowledge base that has no intents at all', async () => {
    const edition = editionOf(
      SAMPLE.map((entry) => ({ ...entry, article: { ...entry.article, intents: [] } })),
    );
    const gaps = await gapsOf(
      { intent: 'wallet_payout', message: 'Which UPS should I buy?' },
      { edition },
    );
    expect(gaps.map(({ kind }) => kind)).not.toContain('intent');
  });
});

it('names an article that is far older than the others, unless the question names its version', async () => {
  const STEPS =
    'Descale the boiler every 60 days with citric acid. Hold the rinse button for five seconds.';
  const filler = SAMPLE.slice(0, 12).map(({ article }) =>
    entryOf(article.id, { title: article.title }, article.text),
  );
  const old = {
    title: 'Descale the boiler (2.4)',
    devices: ['Brewer'],
    lastUpdated: '2021-01-01T00:00:00Z',
  };
  const edition = editionOf([entryOf('old.md', old, STEPS), ...filler]);
  const message = 'How often do I descale the boiler with citric acid?';
  const of = (text: string) => ({
    intent: 'unknown',
    message: text,
    metadata: { product: 'Brewer' },
  });
  const gap =
    'The article “Descale the boiler (2.4)” was last changed in 2021, long before most others';
  expect(await gapsOf(of(message), { edition })).toMatchObject([{ kind: 'outdated', gap }]);
  expect(await gapsOf(of(`${message} I have 2.4.`), { edition })).toEqual([]);
});
