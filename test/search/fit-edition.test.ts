import { describe, expect, it } from 'vitest';
import { chunkArticle } from '../../src/knowledge/articles/chunk-article.ts';
import {
  answeringModelOf,
  DEFAULT_MODEL,
  decodeKey,
  domainFeatures,
  encodeKey,
  relevanceOfHits,
} from '../../src/search/answering-model.ts';
import { buildEdition } from '../../src/search/build-edition.ts';
import { fitEdition, madeUpQuestions, OFF_TOPIC_QUESTIONS } from '../../src/search/fit-edition.ts';
import { applyLogistic } from '../../src/search/fit-logistic.ts';
import { openEdition } from '../../src/search/open-edition.ts';
import { searchEdition } from '../../src/search/search-edition.ts';
import { IDENTITY } from './edition-fixture.ts';

const PARTS = 'valve rotor stator gasket manifold impeller flange bearing coupling spindle nozzle piston'.split(' ');
const STATES = 'vibration cavitation corrosion leakage overheating misalignment'.split(' ');
const REMEDIES = 'lubricate polish replace realign deburr anneal'.split(' ');

/** 72 sections on machine parts, each about one part and one fault. */
const entries = PARTS.map((part, at) => {
  const sections = STATES.map(
    (state, number) =>
      `## ${part} and ${state}\n\nWhen ${state} of the ${part} exceeds ${10 + number + at} microns, ${REMEDIES[(at + number) % 6]} the ${part} and inspect the adjoining ${PARTS[(at + number + 1) % 12]}. ` +
      `Technicians record ${state} readings of the ${part} in logbook ${part}-${number} before they restart turbine section ${at}.`,
  );
  const article = {
    ...{ id: `${part}.md`, title: `The ${part} of the turbine`, url: `https://docs.example.com/${part}` },
    ...{ text: sections.join('\n\n'), intents: [], devices: [], lastUpdated: '2026-01-01T00:00:00Z' },
  };
  return { article, chunks: chunkArticle(article) };
});
const build = () => buildEdition(entries, IDENTITY);
const fitted = openEdition(fitEdition(build()));
const model = answeringModelOf(fitted);
/** Whether the fitted model classifies a question as out of domain. */
const isOutOfDomain = (question: string): boolean =>
  applyLogistic(model.domain, domainFeatures(searchEdition(fitted, question), model.keys)) <= model.domainThreshold;

describe('fitEdition()', () => {
  it('writes the same bytes for the same edition, with its model', () => {
    expect(Buffer.from(fitEdition(build())).equals(Buffer.from(fitEdition(build())))).toBe(true);
    expect(fitted.chunkCount).toBe(openEdition(build()).chunkCount);
    expect(model.keys.length).toBe(fitted.index.terms.count);
    expect(model.domain).not.toEqual(DEFAULT_MODEL.domain);
    expect(model.topics).toContain('turbine');
  });
  it('classifies nine in ten out-of-domain questions as out of domain, and none that its articles answer', () => {
    expect(OFF_TOPIC_QUESTIONS.filter(isOutOfDomain).length / OFF_TOPIC_QUESTIONS.length).toBeGreaterThan(0.9);
    expect(isOutOfDomain('What do I do about cavitation of the impeller?')).toBe(false);
    expect(isOutOfDomain('In which logbook do technicians record corrosion of the flange?')).toBe(false);
  });
  it('uses the default for an edition that is too small, and for one without a fit', () => {
    const tiny = openEdition(fitEdition(buildEdition([], IDENTITY)));
    expect(answeringModelOf(tiny)).toMatchObject({ relevance: DEFAULT_MODEL.relevance, domain: DEFAULT_MODEL.domain });
    expect(answeringModelOf(openEdition(build()))).toBe(DEFAULT_MODEL);
  });
});

it('madeUpQuestions() returns questions of 2 to 7 words, most of which find their chunk', () => {
  const questions = madeUpQuestions(fitted, 100);
  expect(questions.length).toBe(100);
  const lengths = questions.map(({ text }) => text.split(' ').length);
  expect([Math.min(...lengths), Math.max(...lengths) <= 7]).toEqual([2, true]);
  const found = questions.filter(({ text, chunk }) =>
    searchEdition(fitted, text).hits.some((hit) => hit.chunk === chunk),
  );
  expect(found.length).toBeGreaterThan(50);
});

it('relevanceOfHits() scores the best source of a clear question above 0.7 and the others below', () => {
  const outcome = searchEdition(fitted, 'Who records cavitation readings of the impeller in logbook impeller-1?');
  const [best = 0, ...others] = relevanceOfHits(outcome, model);
  expect(best).toBeGreaterThan(0.7);
  expect(Math.max(...others)).toBeLessThan(best);
});

it('encodeKey() encodes keys from -2 to 5 within 0.02', () => {
  for (const key of [-2, -0.5, 0, 1.25, 4.99]) expect(Math.abs(decodeKey(encodeKey(key)) - key)).toBeLessThan(0.02);
  expect([decodeKey(encodeKey(99)), decodeKey(undefined)]).toEqual([5, -2]);
});
