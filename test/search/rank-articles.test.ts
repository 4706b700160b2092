import { describe, expect, it } from 'vitest';
import { rankArticles } from '../../src/grounding/candidate-articles.ts';
import { analyseQuery } from '../../src/search/analyse-query.ts';
import type { Edition } from '../../src/search/open-edition.ts';
import { editionOf } from './edition-fixture.ts';

const article = (id: string, ...texts: string[]) => ({ id, title: '', sections: texts.map((text) => ({ text })) });
const OTHER = 'Cups are washed by hand in warm soap.';
const rank = (edition: Edition, question: string, isAllowed?: (chunk: number) => boolean) =>
  rankArticles(edition, analyseQuery(edition, question).terms, { isAllowed }).map(({ article: at, score }) => ({
    id: edition.article(at).id,
    score,
  }));
const idsOf = (ranked: readonly { id: string }[]) => ranked.map(({ id }) => id);

describe('rankArticles()', () => {
  it('ranks an article that contains all the words, spread over chunks, above one with a single word', () => {
    const edition = editionOf(
      article('b', 'The pump hums.', OTHER),
      article('a', 'The pump hums.', 'A valve leaks.', 'The gasket dries.'),
      article('c', OTHER, OTHER),
    );
    expect(idsOf(rank(edition, 'pump valve gasket'))).toEqual(['a', 'b']);
  });

  it('adds up occurrences in all chunks, with less weight for a second one than for another word', () => {
    const edition = editionOf(
      article('b-often', 'The pump hums.', 'The pump leaks.', 'The pump dries.'),
      article('a-once', 'The pump hums.', OTHER, OTHER),
      article('both', 'The pump meets the valve.', OTHER, OTHER),
    );
    expect(idsOf(rank(edition, 'pump'))[0]).toBe('b-often');
    expect(idsOf(rank(edition, 'pump valve'))[0]).toBe('both');
  });

  it('ranks a short article above a long one with the same matches', () => {
    const edition = editionOf(
      article('long', 'The pump hums.', ...Array.from({ length: 9 }, () => OTHER)),
      article('short', 'The pump hums.'),
    );
    expect(idsOf(rank(edition, 'pump'))).toEqual(['short', 'long']);
  });

  it('ignores chunks that are not allowed', () => {
    const edition = editionOf(article('a', 'The pump hums.', 'A valve leaks.'), article('b', 'The pump leaks.'));
    expect(idsOf(rank(edition, 'pump', (chunk) => edition.index.articleOf(chunk) === 1))).toEqual(['b']);
    const [all] = rank(edition, 'pump valve');
    const [part] = rank(edition, 'pump valve', (chunk) => chunk === 0);
    expect([all?.id, part?.id]).toEqual(['a', 'a']);
    expect(part?.score).toBeLessThan(all?.score ?? 0);
  });

  it('keeps the order of the edition for ties, and finds no article without a matching word', () => {
    const edition = editionOf(article('a', 'The pump hums.'), article('b', 'The pump hums.'));
    expect(idsOf(rank(edition, 'pump'))).toEqual(['a', 'b']);
    expect(rank(edition, 'mortgage')).toEqual([]);
    expect(rank(edition, '')).toEqual([]);
  });
});
