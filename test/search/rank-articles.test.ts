import { expect, it } from 'vitest';
import { rankArticles } from '../../src/grounding/candidate-articles.ts';
import { analyseQuery } from '../../src/search/analyse-query.ts';
import { editionOf } from './edition-fixture.ts';

const OTHER = 'Cups are washed by hand in warm soap.';

/** Ranks articles, given by the texts of their chunks. */
const rank = (articles: Record<string, string[]>, question: string, isAllowed?: (chunk: number) => boolean) => {
  const sketches = Object.entries(articles).map(([id, texts]) => ({
    id,
    title: '',
    sections: texts.map((text) => ({ text })),
  }));
  const edition = editionOf(...sketches);
  const ranked = rankArticles(edition, analyseQuery(edition, question).terms, { isAllowed });
  return ranked.map(({ article, score }) => ({ id: edition.article(article).id, score }));
};
const idsOf = (...given: Parameters<typeof rank>) => rank(...given).map(({ id }) => id);

it('rankArticles() ranks an article that contains all the words, spread over chunks, above one with a single word', () => {
  const spread = ['The pump hums.', 'A valve leaks.', 'The gasket dries.'];
  const articles = { b: ['The pump hums.', OTHER], a: spread, c: [OTHER, OTHER] };
  expect(idsOf(articles, 'pump valve gasket')).toEqual(['a', 'b']);
});

it('rankArticles() adds up occurrences in all chunks, with less weight for a second one than for another word', () => {
  const articles = {
    'b-often': ['The pump hums.', 'The pump leaks.', 'The pump dries.'],
    'a-once': ['The pump hums.', OTHER, OTHER],
    both: ['The pump meets the valve.', OTHER, OTHER],
  };
  expect(idsOf(articles, 'pump')[0]).toBe('b-often');
  expect(idsOf(articles, 'pump valve')[0]).toBe('both');
});

it('rankArticles() ranks a short article above a long one with the same matches', () => {
  const long = ['The pump hums.', ...Array.from({ length: 9 }, () => OTHER)];
  expect(idsOf({ long, short: ['The pump hums.'] }, 'pump')).toEqual(['short', 'long']);
});

it('rankArticles() ignores chunks that are not allowed', () => {
  const articles = { a: ['The pump hums.', 'A valve leaks.'], b: ['The pump leaks.'] };
  expect(idsOf(articles, 'pump', (chunk) => chunk === 2)).toEqual(['b']);
  const [all] = rank(articles, 'pump valve');
  const [part] = rank(articles, 'pump valve', (chunk) => chunk === 0);
  expect([all?.id, part?.id]).toEqual(['a', 'a']);
  expect(part?.score).toBeLessThan(all?.score ?? 0);
});

it('rankArticles() keeps the order of the edition for ties, and finds no article without a matching word', () => {
  const articles = { a: ['The pump hums.'], b: ['The pump hums.'] };
  expect(['pump', 'mortgage', ''].map((question) => idsOf(articles, question))).toEqual([['a', 'b'], [], []]);
});
