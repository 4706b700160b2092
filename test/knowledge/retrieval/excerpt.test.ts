import { describe, expect, it } from 'vitest';
import { excerptOf } from '../../../src/knowledge/retrieval/excerpt.ts';
import { searchEdition } from '../../../src/search/search-edition.ts';
import { editionOf, entryOf } from './sample-edition.ts';

const excerptFrom = (content: string, text: string): string => {
  const edition = editionOf([entryOf('a.md', { title: 'Care' }, content)]);
  return excerptOf(edition, { chunks: [0], text, asked: searchEdition(edition, text).query });
};

describe('excerptOf()', () => {
  it('gives the sentence that answers, not the first one', () => {
    const text = 'The brewer came out in 2021. Descale the boiler every 60 days. The lid is grey.';
    expect(excerptFrom(text, 'How often must I descale the boiler?')).toContain('Descale the boiler every 60 days.');
  });

  it('gives plain text: no marks of Markdown, no addresses of links', () => {
    const text = 'To descale, press **Rinse** and see [the *manual*](https://example.com/manual), then `start`.';
    expect(excerptFrom(text, 'descale rinse')).toBe('To descale, press Rinse and see the manual, then start.');
  });

  it('tells rows of a table apart', () => {
    const text = '| Code | Meaning |\n| --- | --- |\n| E40 | the voltage is low |\n';
    expect(excerptFrom(text, 'What does E40 mean?')).toBe('Code, Meaning E40, the voltage is low');
  });

  it('cuts at a word, with a sign for it, within 150 characters', () => {
    const excerpt = excerptFrom(`The boiler ${'is very hot and '.repeat(20)}heavy.`, 'Is the boiler hot?');
    expect(excerpt.length).toBeLessThanOrEqual(150);
    expect(excerpt).toMatch(/(?:is|very|hot|and)…$/);
  });

  it('leaves no comma before the sign that it was cut', () => {
    const excerpt = excerptFrom(`The boiler is ${'hot, red, '.repeat(30)}and heavy.`, 'Is the boiler hot?');
    expect(excerpt).toMatch(/[a-z]…$/);
  });

  it('cuts never within a pair of units', () => {
    for (const shift of ['', 'x']) {
      const excerpt = excerptFrom(`boiler ${shift}${'😀'.repeat(200)}`, 'boiler');
      expect(excerpt.length).toBeLessThanOrEqual(150);
      expect(excerpt.isWellFormed()).toBe(true);
    }
  });
});
