import { describe, expect, it } from 'vitest';
import cases from './find-gaps.json' with { type: 'json' };
import { editionOf, entryOf, retrieved, SAMPLE } from './sample-edition.ts';

const gapsOf = async (question: Parameters<typeof retrieved>[0], options: Parameters<typeof retrieved>[1] = {}) =>
  (await retrieved(question, options)).foundGaps ?? [];

/** Gaps of questions to the sample: texts that each gap contains, in order, and texts that none contains. */
interface Labelled {
  name: string;
  question: Parameters<typeof retrieved>[0];
  kind?: string;
  product?: string;
  gaps?: string[][];
  without?: string[];
}

it.each(cases as Labelled[])('findGaps() $name', async ({ question, kind, product, gaps, without = [] }) => {
  const found = await gapsOf(question);
  const { intent } = question;
  if (kind !== undefined) expect(found).toMatchObject([{ kind, intent, ...(product && { product }) }]);
  for (const [at, parts] of (gaps ?? []).entries()) for (const part of parts) expect(found[at]?.gap).toContain(part);
  if (gaps !== undefined) expect(found).toHaveLength(gaps.length);
  for (const part of without) expect(found.map(({ gap }) => gap).join()).not.toContain(part);
});

describe('gaps of kind intent', () => {
  const entries = SAMPLE.filter(({ article }) => !article.intents.includes('wallet_payout'));
  const message = 'Where do I change the bitcoin address I am paid to?';
  it('names the intent that no article is about', async () => {
    const gaps = await gapsOf({ intent: 'wallet_payout', message }, { edition: editionOf(entries) });
    expect(gaps).toContainEqual({
      ...{ kind: 'intent', gap: 'No article is about wallet payout', intent: 'wallet_payout' },
      ...{ product: undefined, stems: [] },
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
    const edition = editionOf([...entries, entryOf('money.md', article, 'Money is sent once a day to your address.')]);
    const gaps = await gapsOf({ intent: 'wallet_payout', message }, { edition });
    expect(gaps.map(({ kind }) => kind)).not.toContain('intent');
  });
  it('is none in a knowledge base that has no intents at all', async () => {
    const edition = editionOf(SAMPLE.map((entry) => ({ ...entry, article: { ...entry.article, intents: [] } })));
    const gaps = await gapsOf({ intent: 'wallet_payout', message: 'Which UPS should I buy?' }, { edition });
    expect(gaps.map(({ kind }) => kind)).not.toContain('intent');
  });
});

describe('gaps of a version', () => {
  const question = (version: string) => ({
    intent: 'solo_mining',
    message: `What do I need for solo mining with firmware ${version}?`,
  });
  const without = SAMPLE.filter(({ article }) => !article.title.includes('firmware 2.x'));
  it('name the version when the sources are only about newer ones', async () => {
    const edition = editionOf(without);
    const gaps = await gapsOf(question('2.4'), { edition });
    expect(gaps).toMatchObject([
      { kind: 'question', gap: 'No source covers this part of the question: “firmware 2.4”', intent: 'solo_mining' },
    ]);
    expect(gaps[0]?.stems.length).toBeGreaterThan(1);
  });
  it('are none when a source is about that version, or names no version', async () => {
    expect(await gapsOf(question('2.4'), { edition: editionOf(SAMPLE) })).toEqual([]);
    expect(await gapsOf(question('3.4'), { edition: editionOf(without) })).toEqual([]);
    const noise = { intent: 'noise', message: 'How do I make the fan quieter? I have firmware 2.8.' };
    expect(await gapsOf(noise, { edition: editionOf(SAMPLE) })).toEqual([]);
    const update = { intent: 'firmware_update', message: 'How do I update from firmware 2.8?' };
    expect(await gapsOf(update, { edition: editionOf(SAMPLE) })).toEqual([]);
  });
});

describe('gaps of kind outdated', () => {
  const STEPS = 'Descale the boiler every 60 days with citric acid. Hold the rinse button for five seconds.';
  const message = 'How often do I descale the boiler with citric acid?';
  const filler = SAMPLE.slice(0, 6).map(({ article }) => entryOf(article.id, { title: article.title }, article.text));
  it('names an article about an older version than others on its product', async () => {
    const edition = editionOf([
      entryOf('old.md', { title: 'Descale the boiler (firmware 2.x)', devices: ['Brewer'] }, STEPS),
      entryOf('new.md', { title: 'Update the brewer', devices: ['Brewer'] }, 'Install firmware 3.4.1 from the menu.'),
      ...filler,
    ]);
    const gaps = await gapsOf({ intent: 'unknown', message, metadata: { product: 'Brewer' } }, { edition });
    expect(gaps.map(({ gap }) => gap)).toEqual([
      'The article “Descale the boiler (firmware 2.x)” is about firmware 2.x, and there is firmware 3.4.1',
    ]);
  });
  it('names a general article that is older than all on the product', async () => {
    const lately = { devices: ['Brewer'], lastUpdated: '2026-06-01T00:00:00Z' };
    const on = (id: string) => entryOf(id, { title: `Brewer ${id}`, ...lately }, 'The lid is grey.');
    const old = entryOf('old.md', { title: 'Descale the boiler', lastUpdated: '2021-01-01T00:00:00Z' }, STEPS);
    const question = { intent: 'unknown', message, metadata: { product: 'Brewer' } };
    const edition = editionOf([old, on('a'), on('b'), ...filler]);
    const gap = 'The article “Descale the boiler” was last changed before anything was written on brewer';
    expect(await gapsOf(question, { edition })).toMatchObject([{ kind: 'outdated', gap }]);
    // One article may itself have been changed lately.
    expect(await gapsOf(question, { edition: editionOf([old, on('a'), ...filler]) })).toEqual([]);
  });
});
