import { describe, expect, it } from 'vitest';
import { excerptOf } from '../../../src/knowledge/retrieval/excerpt.ts';
import { editionOf, entryOf } from './sample-edition.ts';

const excerptFrom = (content: string, text: string): string => {
  const edition = editionOf([entryOf('a.md', { title: 'Care' }, content)]);
  const chunks = Array.from({ length: Math.min(3, edition.chunkCount) }, (_, chunk) => chunk);
  return excerptOf(edition, { article: 0, chunks, text });
};

describe('excerptOf()', () => {
  it('gives the sentence that answers, not the first one', () => {
    const text = `The brewer came out in 2021. ${'Many people like it. '.repeat(8)}Descale the boiler every 60 days. The lid is grey.`;
    const excerpt = excerptFrom(text, 'How often must I descale the boiler?');
    expect(excerpt).toBe('Descale the boiler every 60 days. The lid is grey.');
  });

  it('gives whole sentences, under their heading', () => {
    const crash = 'Damage after a crash of the machine.';
    const text = `## What is covered\n\nA boiler that leaks.\n\n## What is not covered\n\n${crash} ${'Scratches of the case and the lid of any kind. '.repeat(4)}`;
    expect(excerptFrom(text, 'Is a crash covered?')).toBe(
      `What is not covered: ${crash} Scratches of the case and the lid of any kind.`,
    );
  });

  it('needs no colon after a heading that asks', () => {
    expect(excerptFrom('## How often?\n\nDescale it every 60 days.', 'descale')).toMatch(/^How often\? Descale/);
  });

  it('begins a procedure with what announces it and its first step', () => {
    const text =
      'The boiler is hot.\n\n## Cleaning\n\nTo descale the boiler:\n\n1. Empty the tank.\n2. Pour in citric acid and rinse.\n3. Wait.\n';
    expect(excerptFrom(text, 'How much citric acid do I rinse with?')).toBe(
      'Cleaning: To descale the boiler: 1. Empty the tank. 2. Pour in citric acid and rinse. 3. Wait.',
    );
  });

  it('gives plain text: no marks of Markdown, no addresses of links', () => {
    const text = 'To descale, press **Rinse** and see [the *manual*](https://example.com/manual), then `start`.';
    expect(excerptFrom(text, 'descale rinse')).toBe('To descale, press Rinse and see the manual, then start.');
    expect(excerptFrom('> - **Rinse** it\n> - Wait\n', 'rinse')).toBe('Rinse it Wait');
  });

  it('names the columns of a table row', () => {
    const text = `| Code | Meaning |\n| --- | --- |\n| E20 | ${'hot '.repeat(30)}|\n| E40 | the voltage is low |\n`;
    expect(excerptFrom(text, 'What is low with E40?')).toBe('Code: E40, Meaning: the voltage is low.');
  });

  it('gives the cell alone where the question names its row and column', () => {
    const text =
      'Noise at one metre.\n\n| Mode | Barista | Barista II |\n| --- | --- | --- |\n| Eco | 30 dB | 35 dB |\n| Turbo | 40 dB | 45 dB |\n';
    expect(excerptFrom(text, 'How loud is the Barista II in turbo mode?')).toBe('Barista II, Turbo: 45 dB');
  });

  it('looks where the passage was found in a long table, and names its columns', () => {
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
