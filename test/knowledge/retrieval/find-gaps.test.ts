import { describe, expect, it } from 'vitest';
import { editionOf, entryOf, retrieved, SAMPLE } from './sample-edition.ts';

const gapsOf = async (question: Parameters<typeof retrieved>[0], options: Parameters<typeof retrieved>[1] = {}) =>
  (await retrieved(question, options)).foundGaps ?? [];

describe('gaps of kind product', () => {
  it('names the product and topic when only other devices have an article', async () => {
    const [gap, ...more] = await gapsOf({ intent: 'network_issue', message: 'wifi on apollo 3?' });
    expect(gap).toMatchObject({ kind: 'product', product: 'Apollo III', intent: 'network_issue' });
    expect(gap?.gap).toBe('No Apollo III specific guide for this issue: network issue, “wifi”');
    expect(more).toEqual([]);
  });

  it.each([
    ['Apollo IV', 'My new Apollo IV shows 0 H/s although the pool is connected.', undefined],
    ['Apollo Nano', 'It shows 0 H/s. What should I check?', 'Apollo Nano'],
    ['BitAxe Gamma', 'It gets 1.1 TH/s and drops to zero.', 'BitAxe Gamma'],
  ])('names a product without any article: %s', async (name, message, product) => {
    const metadata = product === undefined ? {} : { product };
    const gaps = await gapsOf({ intent: 'not_hashing', message, metadata });
    expect(gaps).toMatchObject([{ kind: 'product', product: name }]);
    expect(gaps[0]?.gap).toContain(`No ${name} specific guide for this issue`);
  });

  it('is none when an article names the product among others', async () => {
    const message = 'Which mode should I choose for a quiet room, Eco or Turbo?';
    expect(await gapsOf({ intent: 'noise', message, metadata: { product: 'Apollo II' } })).toEqual([]);
  });
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

  it('is none in a knowledge base that has no intents at all', async () => {
    const edition = editionOf(SAMPLE.map((entry) => ({ ...entry, article: { ...entry.article, intents: [] } })));
    const gaps = await gapsOf({ intent: 'wallet_payout', message: 'Which UPS should I buy?' }, { edition });
    expect(gaps.map(({ kind }) => kind)).not.toContain('intent');
  });
});

describe('gaps of kind question', () => {
  it("names what no article covers in the customer's own words", async () => {
    const message = 'Hello,\nIs there a rack mount kit for the Apollo III, 19 inch?\nBest regards\nJo';
    const gaps = await gapsOf({ intent: 'general_info', message });
    expect(gaps).toMatchObject([{ kind: 'question', product: 'Apollo III', intent: 'general_info' }]);
    expect(gaps[0]?.gap).toContain('“rack mount kit”');
    expect(gaps[0]?.gap).not.toContain('Jo');
  });

  it('names the question of a message whose other part is covered', async () => {
    const message = 'My Apollo shows 0 H/s for 3 days. Does the Stratum proxy of Braiins speak Noise encryption?';
    const gaps = await gapsOf({ intent: 'not_hashing', message });
    expect(gaps).toMatchObject([{ kind: 'question' }]);
    expect(gaps[0]?.gap).toMatch(/^No source covers this part of the question: .*“Braiins/);
  });

  it('contains neither the name of the customer nor masked data', async () => {
    const message = 'Can Margarethe Olsen get a Zigbee coupler at [email]?';
    const [gap] = await gapsOf({ intent: 'general_info', message, customer_name: 'Margarethe Olsen' });
    expect(gap?.gap).toContain('Zigbee coupler');
    expect(gap?.gap).not.toMatch(/Margarethe|Olsen|email/);
  });

  it('names neither people in the message, nor units, nor generic questions', async () => {
    const message = 'My name is Hans Gruber and my Apollo II sings at 3 TH/s, my neighbour Ellis Holtzmann complains';
    const [gap] = await gapsOf({ intent: 'noise', message });
    expect(gap?.gap).toContain('“sings”');
    expect(gap?.gap).not.toMatch(/name|Hans|Gruber|Ellis|Holtzmann|neighbour|TH|check/);
    const other = { intent: 'not_hashing', message: 'It shows 0 H/s. What should I check?' };
    const gaps = await gapsOf({ ...other, metadata: { product: 'Apollo Nano' } });
    expect(gaps.map((each) => each.gap)).toEqual(['No Apollo Nano specific guide for this issue: not hashing']);
  });

  it('omits words that any request may have', async () => {
    const message =
      'Where is the 3rd part of my order? The screen of my Apollo II stays black, and the parcel had no spork.';
    for (const { gap } of await gapsOf({ intent: 'shipping_status', message }))
      expect(gap).not.toMatch(/3rd|order|part|black/);
  });

  it('is none for a narrative, only for its questions', async () => {
    const story =
      "It's now five days. I did the reset with the paper clip and chose another password, but my scripts get 401.";
    expect(await gapsOf({ intent: 'api_access', message: story })).toEqual([]);
    const asking = `${story} Does a zirconium flux coupler help?`;
    const [gap, ...more] = await gapsOf({ intent: 'api_access', message: asking });
    expect(gap?.gap).toMatch(/“zirconium flux coupler”/);
    expect(more).toEqual([]);
  });

  it('is none for a single synonym in a question', async () => {
    const message = 'My Apollo shows 0 H/s for 3 days. Did I kill the chip with Turbo mode?';
    expect(await gapsOf({ intent: 'not_hashing', message })).toEqual([]);
  });
  it('is reported to a customer with an order, even without a topic', async () => {
    const message = 'Our accountant needs the VAT invoice of order 19822.';
    expect((await gapsOf({ intent: 'unknown', message }))[0]?.gap).toContain('VAT invoice');
    expect(await gapsOf({ intent: 'unknown', message: 'Send your accountant our VAT newsletter.' })).toEqual([]);
  });

  it.each([
    'We are a marketing agency and can bring your shop to page 1 of the search engines.',
    'Where can I watch the football match tonight?',
    'Please unsubscribe me from the newsletter.',
  ])('is none for a message out of domain: %s', async (message) => {
    expect(await gapsOf({ intent: 'unknown', message })).toEqual([]);
  });

  it('is none for words in another language than the articles', async () => {
    const message = 'Guten Tag, mein Gerät macht seit gestern komische Geräusche. Was kann ich dagegen tun?';
    expect(await gapsOf({ intent: 'noise', message, metadata: { product: 'Apollo II' } })).not.toContainEqual(
      expect.objectContaining({ kind: 'question' }),
    );
  });

  it('is none when the message has no question', async () => {
    expect(await gapsOf({ intent: 'not_hashing', message: 'still the same' })).toEqual([]);
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

  it('is none when a newer article covers the message too', async () => {
    const message = 'My Apollo shows 0 H/s for 3 days. Already tried restarting.';
    const question = { intent: 'not_hashing', message, metadata: { product: 'Apollo' } };
    expect(await gapsOf(question)).toEqual([]);
  });
});
