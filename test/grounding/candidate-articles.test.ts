import { expect, it } from 'vitest';
import { shippedWordVectors } from '../../src/dev/run/shipped-word-vectors.ts';
import { ARTICLE_FEATURES, articlesFound, rankArticles } from '../../src/grounding/candidate-articles.ts';
import { parseQuestion } from '../../src/grounding/parse-question.ts';
import { findTerm } from '../../src/search/open-index.ts';
import { stem } from '../../src/text/stem.ts';
import { editionOf } from './articles-for-test.ts';

const edition = editionOf(
  { id: 'a.md', title: 'Price and cost', text: 'The money for a lamp, a price and a cost.' },
  { id: 'b.md', title: 'Cost and price', text: 'The money for a door.' },
  { id: 'c.md', title: 'Doors', text: 'A door is made of wood.' },
);

it('counts the word of a title that is closest to a word of the question, wherever it stands', () => {
  const vectors = shippedWordVectors();
  const question = parseQuestion(edition, 'What is the price?', { vectors });
  const found = articlesFound(edition, question, { searches: [], vectors });
  const inTitle = new Map(
    found.map(({ source, features }) => [source.id, features[ARTICLE_FEATURES.indexOf('closeWordsInTitle')]]),
  );
  expect(inTitle).toEqual(
    new Map([
      ['a.md', 1],
      ['b.md', 1],
    ]),
  );
});

it('counts the best of the close words of a word', () => {
  const posting = (word: string, weight: number) => ({ termId: findTerm(edition.index, stem(word)), weight, idf: 1 });
  const [price, cost] = [posting('price', 1), posting('cost', 0.1)];
  const alone = rankArticles(edition, [{ postings: [price] }]);
  expect(alone.map(({ article }) => edition.article(article).id).sort()).toEqual(['a.md', 'b.md']);
  expect(rankArticles(edition, [{ postings: [price, cost] }])).toEqual(alone);
  expect(rankArticles(edition, [{ postings: [price] }, { postings: [cost] }])[0]?.score).toBeGreaterThan(
    alone[0]?.score ?? 0,
  );
});
