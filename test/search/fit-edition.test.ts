import { beforeAll, describe, expect, it } from 'vitest';
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
import { type Edition, openEdition } from '../../src/search/open-edition.ts';
import { searchEdition } from '../../src/search/search-edition.ts';

const PARTS = 'valve rotor stator gasket manifold impeller flange bearing coupling spindle nozzle piston'.split(' ');
const STATES = 'vibration cavitation corrosion leakage overheating misalignment'.split(' ');
const REMEDIES = 'lubricate polish replace realign deburr anneal'.split(' ');

/** 72 sections on machine parts, each about one part and one fault. */
const articles = PARTS.map((part, at) => ({
  id: `${part}.md`,
  title: `The ${part} of the turbine`,
  url: `https://docs.example.com/${part}`,
  text: STATES.map(
    (state, number) =>
      `## ${part} and ${state}\n\nWhen ${state} of the ${part} exceeds ${10 + number + at} microns, ${REMEDIES[(at + number) % 6]} the ${part} and inspect the adjoining ${PARTS[(at + number + 1) % 12]}. ` +
      `Technicians record ${state} readings of the ${part} in logbook ${part}-${number} before they restart turbine section ${at}.`,
  ).join('\n\n'),
  intents: [],
  devices: [],
  lastUpdated: '2026-01-01T00:00:00Z',
}));
const build = () =>
  buildEdition(
    articles.map((article) => ({ article, chunks: chunkArticle(article) })),
    { id: 'e1', workspace: 'default', createdAt: '2026-01-01T00:00:00Z' },
  );

let fitted: Edition;
beforeAll(() => {
  fitted = openEdition(fitEdition(build()));
});
/** Whether the fitted model classifies a question as out of domain. */
const isOutOfDomain = (question: string): boolean => {
  const { domain, domainThreshold, keys } = answeringModelOf(fitted);
  return applyLogistic(domain, domainFeatures(searchEdition(fitted, question), keys)) <= domainThreshold;
};

describe('fitEdition()', () => {
  it('writes the same bytes for the same edition', () => {
    expect(Buffer.from(fitEdition(build())).equals(Buffer.from(fitEdition(build())))).toBe(true);
  });

  it('adds its model to the edition', () => {
    expect(fitted.chunkCount).toBe(openEdition(build()).chunkCount);
    const model = answeringModelOf(fitted);
    expect(model.keys.length).toBe(fitted.index.terms.count);
    expect(model.domain).not.toEqual(DEFAULT_MODEL.domain);
  });

  it('classifies at least nine in ten out-of-domain questions as out of domain', () => {
    const questions = OFF_TOPIC_QUESTIONS;
    expect(questions.filter(isOutOfDomain).length / questions.length).toBeGreaterThan(0.9);
  });
  it('classifies questions that its articles answer as in domain', () => {
    expect(isOutOfDomain('What do I do about cavitation of the impeller?')).toBe(false);
    expect(isOutOfDomain('In which logbook do technicians record corrosion of the flange?')).toBe(false);
  });
  it('lists the topics of the knowledge base', () => expect(answeringModelOf(fitted).topics).toContain('turbine'));

  it('uses the default for an edition that is too small, and for one without a fit', () => {
    const tiny = openEdition(
      fitEdition(buildEdition([], { id: 'e0', workspace: 'default', createdAt: '2026-01-01T00:00:00Z' })),
    );
    expect(answeringModelOf(tiny)).toMatchObject({ relevance: DEFAULT_MODEL.relevance, domain: DEFAULT_MODEL.domain });
    expect(answeringModelOf(openEdition(build()))).toBe(DEFAULT_MODEL);
  });
});

it('madeUpQuestions() returns questions of 2 to 7 words, most of which find their chunk', () => {
  const questions = madeUpQuestions(fitted, 100);
  expect(questions.length).toBe(100);
  for (const { text } of questions) expect(text.split(' ').length).toBeLessThanOrEqual(7);
  expect(Math.min(...questions.map(({ text }) => text.split(' ').length))).toBe(2);
  const found = questions.filter(({ text, chunk }) =>
    searchEdition(fitted, text).hits.some((hit) => hit.chunk === chunk),
  );
  expect(found.length).toBeGreaterThan(50);
});

it('relevanceOfHits() scores the best source of a clear question above 0.7 and the others below', () => {
  const outcome = searchEdition(fitted, 'Who records cavitation readings of the impeller in logbook impeller-1?');
  const [best = 0, ...others] = relevanceOfHits(outcome, answeringModelOf(fitted));
  expect(best).toBeGreaterThan(0.7);
  expect(Math.max(...others)).toBeLessThan(best);
});

it('encodeKey() encodes keys from -2 to 5 within 0.02', () => {
  for (const key of [-2, -0.5, 0, 1.25, 4.99]) expect(Math.abs(decodeKey(encodeKey(key)) - key)).toBeLessThan(0.02);
  expect(decodeKey(encodeKey(99))).toBe(5);
  expect(decodeKey(undefined)).toBe(-2);
});
