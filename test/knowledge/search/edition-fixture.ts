import type { Article, EditionEntry } from '../../../src/knowledge/articles/article.ts';
import { buildEdition } from '../../../src/knowledge/edition/build-edition.ts';
import { type Edition, openEdition } from '../../../src/knowledge/edition/open-edition.ts';

/** A test article: texts of its chunks, and fields that differ from the defaults. */
export interface Sketch extends Partial<Omit<Article, 'text'>> {
  id: string;
  sections: { heading?: string[]; text: string }[];
}

export const IDENTITY = { id: 'e1', workspace: 'default', createdAt: '2026-01-02T03:04:05Z' };

/** The article with its chunks, joined by empty lines. */
export function entryOf({ id, sections, ...rest }: Sketch): EditionEntry {
  let start = 0;
  const chunks = sections.map(({ heading = [], text }, position) => {
    const end = start + text.length;
    const chunk = {
      articleId: id,
      position,
      headingPath: heading,
      text,
      start,
      end,
      tokenCount: 7,
    };
    start = end + 2;
    return chunk;
  });
  const text = sections.map((section) => section.text).join('\n\n');
  const facts = {
    title: `Article ${id}`,
    url: `https://kb.example/${id}`,
    lastUpdated: '2026-01-01T00:00:00Z',
  };
  const article: Article = { id, text, ...facts, intents: [], devices: [], ...rest };
  return { article, chunks };
}

export function editionOf(...sketches: Sketch[]): Edition {
  return openEdition(buildEdition(sketches.map(entryOf), IDENTITY));
}

/** One article per text, with ids a, b, c, ... and empty titles. */
export function editionOfTexts(...texts: string[]): Edition {
  return editionOf(
    ...texts.map((text, at) => ({
      id: String.fromCharCode(97 + at),
      title: '',
      sections: [{ text }],
    })),
  );
}
