import { describe, expect, it } from 'vitest';
import type { Knowledge, KnowledgePassage } from '../../../src/knowledge/retrieval/knowledge.ts';
import { withWholeArticles } from '../../../src/support/draft/whole-articles.ts';
import { openSampleKb } from '../../navigator/sample-kb.ts';
import { knowledgeOf, passage } from './tickets.ts';

const edition = openSampleKb();
const ARTICLE = 'troubleshooting/apollo-ii-not-hashing.md';
const { firstChunk, endChunk, index } = edition.article(edition.findArticle(ARTICLE));
const chunks = Array.from({ length: endChunk - firstChunk }, (_, at) => edition.chunk(firstChunk + at));
const found = (chunk: (typeof chunks)[number] | undefined, relevance = 0.9) =>
  passage(chunk?.text ?? '', { articleId: ARTICLE, headingPath: chunk?.headingPath ?? [], relevance });
const known = (...passages: KnowledgePassage[]): Knowledge => ({
  ...knowledgeOf(...passages),
  edition: edition.id,
});

describe('withWholeArticles()', () => {
  it('adds what stands beside a passage, in the order of the article, and worth less', () => {
    expect(index).toBeGreaterThanOrEqual(0);
    const { passages = [] } = withWholeArticles(known(found(chunks[1])), edition);
    expect(passages.map(({ text }) => text)).toEqual(chunks.map(({ text }) => text));
    expect(passages[1]?.relevance).toBe(0.9);
    expect(passages[2]?.relevance).toBeLessThan(0.9);
  });

  it('keeps all that was found, each once', () => {
    const { passages = [] } = withWholeArticles(known(found(chunks[2]), found(chunks[0], 0.8)), edition);
    expect(passages.map(({ relevance }) => relevance).filter((each) => each >= 0.8)).toEqual([0.8, 0.9]);
    expect(passages).toHaveLength(chunks.length);
  });

  it.each<[string, Knowledge]>([
    ['another edition', { ...known(found(chunks[1])), edition: 'other' }],
    ['an article that is gone', known(passage('x', { articleId: 'gone.md' }))],
    [
      'a passage that the article does not have',
      known(found({ ...(chunks[0] as (typeof chunks)[number]), text: 'other' })),
    ],
    ['no passages', { ...known(), passages: undefined }],
  ])('adds nothing for %s', (_, knowledge) => {
    expect(withWholeArticles(knowledge, edition).passages ?? []).toEqual(knowledge.passages ?? []);
  });
});
