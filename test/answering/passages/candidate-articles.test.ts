import { expect, it } from 'vitest';
import { candidateArticles } from '../../../src/answering/passages/candidate-articles.ts';
import { searchEdition } from '../../../src/knowledge/search/search-edition.ts';
import { editionOf } from '../check/articles-for-test.ts';

const lamps = Array.from({ length: 12 }, (_, at) => ({
  id: `lamp-${String(at).padStart(2, '0')}.md`,
  title: `Model ${at}`,
  text: `A lamp of ${'glass '.repeat(at + 1)}and some wood.`,
}));
const edition = editionOf(
  { id: 'door.md', title: 'Doors', text: 'A lamp beside the door, a bell above the door.' },
  ...lamps,
);
const idsOf = (query: string, always?: readonly number[]) =>
  candidateArticles(edition, [searchEdition(edition, query, { limit: 30 })], always).map(
    ({ source }) => source.id,
  );

it('takes the ten articles with the best passages, best first', () => {
  const ids = idsOf('lamp at the door');
  expect(ids).toHaveLength(10);
  expect(ids[0]).toBe('door.md');
});

it('keeps an article that is asked for at any rank, if something of it was found', () => {
  const all = searchEdition(edition, 'lamp', { limit: 30 }).hits.map(({ article }) => article);
  const last = all.at(-1) as number; // Thirteen articles have a lamp.
  expect(
    candidateArticles(edition, [searchEdition(edition, 'lamp', { limit: 30 })]).map(
      ({ source }) => source.index,
    ),
  ).not.toContain(last);
  expect(idsOf('lamp', [last])).toContain(edition.article(last).id);
  expect(idsOf('bell', [last])).toEqual(['door.md']);
});

it('counts the best passage of several searches', () => {
  const searches = ['wood', 'bell'].map((query) => searchEdition(edition, query, { limit: 30 }));
  expect(candidateArticles(edition, searches)[0]?.best).toBe(1);
  expect(candidateArticles(edition, searches).map(({ source }) => source.id)).toContain('door.md');
});
