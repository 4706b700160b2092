import { describe, expect, it } from 'vitest';
import { excerptOf } from '../../../src/knowledge/retrieval/excerpt.ts';
import { editionOf, entryOf } from './sample-edition.ts';

const excerptFrom = (content: string, text: string): string => {
  const edition = editionOf([entryOf('a.md', { title: 'Care' }, content)]);
  const chunks = Array.from({ length: Math.min(3, edition.chunkCount) }, (_, chunk) => chunk);
  return excerptOf(edition, { article: 0, chunks, text });
};

const CRASH = 'Damage after a crash of the machine.';
const SCRATCHES = 'Scratches of the case and the lid of any kind. ';

describe('excerptOf()', () => {
  it.each<[string, string, string, string]>([
    [
      'the sentence that answers, not the first one',
      `The brewer came out in 2021. ${'Many people like it. '.repeat(8)}Descale the boiler every 60 days. The lid is grey.`,
      'How often must I descale the boiler?',
      'Descale the boiler every 60 days. The lid is grey.',
    ],
    [
      'whole sentences, under their heading',
      `## What is covered\n\nA boiler that leaks.\n\n## What is not covered\n\n${CRASH} ${SCRATCHES.repeat(4)}`,
      'Is a crash covered?',
      `What is not covered: ${CRASH} ${SCRATCHES.trim()}`,
    ],
    [
      'a procedure from what announces it and its first step',
      'The boiler is hot.\n\n## Cleaning\n\nTo descale the boiler:\n\n1. Empty the tank.\n2. Pour in citric acid and rinse.\n3. Wait.\n',
      'How much citric acid do I rinse with?',
      'Cleaning: To descale the boiler: 1. Empty the tank. 2. Pour in citric acid and rinse. 3. Wait.',
    ],
    [
      'plain text, without marks of Markdown and addresses of links',
      'To descale, press **Rinse** and see [the *manual*](https://example.com/manual), then `start`.',
      'descale rinse',
      'To descale, press Rinse and see the manual, then start.',
    ],
    ['plain text of a quoted list', '> - **Rinse** it\n> - Wait\n', 'rinse', 'Rinse it Wait'],
    [
      'the columns of a table row',
      `| Code | Meaning |\n| --- | --- |\n| E20 | ${'hot '.repeat(30)}|\n| E40 | the voltage is low |\n`,
      'What is low with E40?',
      'Code: E40, Meaning: the voltage is low.',
    ],
    [
      'only the cell when the question names its row and column',
      'Noise at one metre.\n\n| Mode | Barista | Barista II |\n| --- | --- | --- |\n| Eco | 30 dB | 35 dB |\n| Turbo | 40 dB | 45 dB |\n',
      'How loud is the Barista II in turbo mode?',
      'Barista II, Turbo: 45 dB',
    ],
  ])('returns %s', (_what, text, question, excerpt) => expect(excerptFrom(text, question)).toBe(excerpt));

  it('adds no colon after a heading that is a question', () => {
    expect(excerptFrom('## How often?\n\nDescale it every 60 days.', 'descale')).toMatch(/^How often\? Descale/);
  });

  it('shows the matching row of a long table, with its columns', () => {
    const rows = Array.from({ length: 500 }, (_, at) => `| E${at} | the part number ${at} is worn |\n`);
    const edition = editionOf([
      entryOf('a.md', { title: 'Care' }, `| Code | Meaning |\n| --- | --- |\n${rows.join('')}`),
    ]);
    const chunk = Array.from({ length: edition.chunkCount }, (_, at) => at).find((at) =>
      edition.chunk(at).text.includes('| E450 |'),
    );
    const excerpt = excerptOf(edition, { article: 0, chunks: [chunk ?? 0], text: 'Which part is worn with E450?' });
    expect(excerpt).toMatch(/^Code: E450, Meaning: the part number 450 is worn\./);
  });

  it.each([
    ['very hot and ', /(?:is|very|hot|and)…$/],
    ['hot, red, ', /[a-z]…$/],
  ])('cuts at a word, with an ellipsis and no comma before it, within 150 characters: %j', (words, end) => {
    const excerpt = excerptFrom(`The boiler is ${words.repeat(30)}heavy.`, 'Is the boiler hot?');
    expect(excerpt.length).toBeLessThanOrEqual(150);
    expect(excerpt).toMatch(end);
  });

  it('never splits a surrogate pair', () => {
    for (const shift of ['', 'x']) {
      const excerpt = excerptFrom(`boiler ${shift}${'😀'.repeat(200)}`, 'boiler');
      expect(excerpt.length).toBeLessThanOrEqual(150);
      expect(excerpt.isWellFormed()).toBe(true);
    }
  });
});
