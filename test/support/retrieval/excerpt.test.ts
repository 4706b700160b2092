import { expect, it } from 'vitest';
import { excerptOf } from '../../../src/support/retrieval/excerpt.ts';
import cases from './excerpt.json' with { type: 'json' };
import { editionOf, entryOf } from './sample-edition.ts';

const excerptFrom = (
  content: string,
  text: string,
  isShown = (_: string, chunk: number) => chunk < 3,
): string => {
  const edition = editionOf([entryOf('a.md', { title: 'Care' }, content)]);
  const chunks = Array.from({ length: edition.chunkCount }, (_, chunk) => chunk);
  const shown = chunks.filter((chunk) => isShown(edition.chunk(chunk).text, chunk));
  return excerptOf(edition, { article: 0, chunks: shown, text });
};

it.each(cases.excerpts)('excerptOf() returns %s', (_, text, question, excerpt) =>
  expect(excerptFrom(text!, question!)).toBe(excerpt),
);

it('excerptOf() shows the matching row of a long table, with its columns', () => {
  const rows = Array.from(
    { length: 500 },
    (_, at) => `| E${at} | the part number ${at} is worn |\n`,
  );
  const table = `| Code | Meaning |\n| --- | --- |\n${rows.join('')}`;
  const excerpt = excerptFrom(table, 'Which part is worn with E450?', (text) =>
    text.includes('| E450 |'),
  );
  expect(excerpt).toMatch(/^Code: E450, Meaning: the part number 450 is worn\./);
});

it.each([
  ['very hot and ', /(?:is|very|hot|and)…$/],
  ['hot, red, ', /[a-z]…$/],
])(
  'excerptOf() cuts at a word, with an ellipsis and no comma before it, within 150 characters: %j',
  (words, end) => {
    const excerpt = excerptFrom(`The boiler is ${words.repeat(30)}heavy.`, 'Is the boiler hot?');
    expect(excerpt.length).toBeLessThanOrEqual(150);
    expect(excerpt).toMatch(end);
  },
);

it.each(['', 'x'])('excerptOf() never splits a surrogate pair, after %j', (shift) => {
  const excerpt = excerptFrom(`boiler ${shift}${'😀'.repeat(200)}`, 'boiler');
  expect(excerpt.length).toBeLessThanOrEqual(150);
  expect(excerpt.isWellFormed()).toBe(true);
});
