import { describe, expect, it } from 'vitest';
import { showPassages } from '../../../src/answering/passages/shown-passages.ts';
import { withLinked } from '../../../src/answering/write/choose-passages.ts';
import type { Article } from '../../../src/knowledge/articles/article.ts';
import { openSmallKb } from '../write/small-kb.ts';

const article = (id: string, title: string, text: string): Article => ({
  devices: [],
  id,
  title,
  text,
  url: `https://docs.example.com/${id}`,
  intents: [],
  lastUpdated: '2026-01-01T00:00:00Z',
});

/** An article that points to another, that one, and two that share words with the question; in the order of the search. */
const editionWith = (pointer: string) => {
  const { edition } = openSmallKb([
    article('a', 'Errors of the browser', `The browser needs a safe connection. ${pointer}`),
    article('b', 'Release notes', 'The browser error is shown once.'),
    article('c', 'Build from source', 'The browser opens the server.'),
    article('d', 'Turn on HTTPS', 'Acquire a certificate and enter its path.'),
  ]);
  const hits = ['a', 'b', 'c', 'd'].map((id) => {
    const source = edition.article(edition.findArticle(id));
    return { chunk: source.firstChunk, source, relevance: 0.3 };
  });
  const titlesFor = (lists = [{ hits }]) =>
    showPassages(edition, withLinked(edition, lists)).map(({ source }) => source.title);
  return { edition, hits, titlesFor };
};

describe('withLinked()', () => {
  it.each([
    ['its title in words', 'See Turn on HTTPS for more.'],
    ['its title as it is written elsewhere', 'See “turn on https”.'],
    ['a link', 'See [this page](https://docs.example.com/d/?from=a#steps).'],
  ])('shows an article to which the best one points by %s before others', (_, pointer) => {
    expect(editionWith(pointer).titlesFor().slice(0, 2)).toEqual([
      'Errors of the browser',
      'Turn on HTTPS',
    ]);
  });
  it.each([
    ['nothing', ''],
    ['a part of its title', 'Turn on the light.'],
    ['another address', 'See [this page](https://docs.example.com/dd).'],
    ['itself', 'See Errors of the browser.'],
  ])('leaves the order of the search with %s', (_, pointer) => {
    expect(editionWith(pointer).titlesFor()).toEqual([
      'Errors of the browser',
      'Release notes',
      'Build from source',
      'Turn on HTTPS',
    ]);
  });
  it('adds no article that no search has found', () => {
    const { hits, titlesFor } = editionWith('See Turn on HTTPS.');
    expect(titlesFor([{ hits: hits.slice(0, 3) }])).not.toContain('Turn on HTTPS');
    expect(titlesFor([])).toEqual([]);
  });
});
