import { describe, expect, it } from 'vitest';
import { referredIn } from '../../../src/knowledge/retrieval/rank-sources.ts';
import { searchEdition } from '../../../src/search/search-edition.ts';
import { editionOf, entryOf, retrieved, SAMPLE } from './sample-edition.ts';

const referredOf = (text: string, question: string) => {
  const edition = editionOf([entryOf('a.md', { title: 'Forward a port' }, text), ...SAMPLE.slice(0, 6)]);
  const { hits, query } = searchEdition(edition, question);
  const hit = hits.find(({ article }) => edition.article(article).id === 'a.md');
  return hit === undefined ? undefined : referredIn(edition, hit, query.terms);
};

describe('referredIn()', () => {
  it.each([
    'Open the hatch first, see *Calibrate the zirconium nozzle*.',
    'Open the hatch first, see “Calibrate the zirconium nozzle”.',
    'Open the hatch first (see also [Calibrate the zirconium nozzle](https://kb.example/nozzle)).',
    'Zuerst die Klappe öffnen, siehe auch *Calibrate the zirconium nozzle*.',
    'Najpierw otwórz pokrywę, zob. „Dysza” i **Calibrate the zirconium nozzle**.',
    '- [Calibrate the zirconium nozzle](https://kb.example/nozzle)\n- [Open the hatch](https://kb.example/hatch)',
  ])('recognises words in the name of another page: %s', (text) => {
    expect(referredOf(text, 'calibrate the zirconium nozzle')).toBeCloseTo(1);
  });
  it("counts the passage's own words even if it names another page", () => {
    const text = 'Calibrate the zirconium nozzle by turning it, see *Turn the zirconium nozzle*.';
    expect(referredOf(text, 'calibrate the zirconium nozzle')).toBe(0);
    expect(referredOf('Choose **Settings > Zirconium > Nozzle > Calibrate**.', 'calibrate the zirconium nozzle')).toBe(
      0,
    );
    expect(referredOf('You see *Calibrate* on a screen of the zirconium nozzle.', 'zirconium nozzle')).toBe(0);
  });
});

it('a page that only refers to another does not cover its subject', async () => {
  const edition = editionOf(SAMPLE.filter(({ article }) => article.id !== 'network/static-ip-address.md'));
  const message =
    'Give the device a static IP address: A fixed address is useful when you forward a port, query the API from a script, or are tired of looking the device up.';
  const { sources_consulted, gaps } = await retrieved({ intent: 'network_issue', message }, { edition });
  expect([sources_consulted, gaps.length]).toEqual([[], 1]);
});

it('an article of another intent is no source for one common sentence of a message', async () => {
  const message =
    "Hi there, can I send back my Apollo III if I simply don't like it? I opened it and let it mine for four days. What will it cost me?";
  const titles = async (...given: Parameters<typeof retrieved>) =>
    (await retrieved(...given)).sources_consulted.map(({ title }) => title);
  const question = { intent: 'return_refund', message, metadata: { product: 'Apollo III' } };
  expect(await titles(question)).not.toContain('Estimate the cost of electricity');
  expect((await titles({ intent: 'unknown', message: 'What will electricity cost me?' }))[0]).toContain('electricity');
});
