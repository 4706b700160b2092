import fc from 'fast-check';
import { dump } from 'js-yaml';
import { expect, it } from 'vitest';
import { splitFrontMatter } from '../../src/documents/front-matter.ts';
import cases from './front-matter.json' with { type: 'json' };

const split = (source: string) => splitFrontMatter(`---\n${source}\n---\nBody.`);
const NOT_A_MAPPING = 'Left out the front matter: it is not a YAML mapping';

it.each(cases.titles as [string, string | null][])('reads the title of %j', (source, title) => {
  expect(split(source)).toMatchObject({
    front: { title: title ?? undefined, url: source.includes('\nurl') ? 'x' : undefined },
    body: 'Body.',
    warnings: [],
  });
});
it.each(cases.lists)('reads a list written as %j', (list) =>
  expect(split(`intent: ${list}`).front.intents).toEqual(['a', 'b', 'c']),
);
it('takes the backslashes of Markdown from a title', () => {
  expect(split('title: Netplay \\(online\\) \\[new\\]').front.title).toBe('Netplay (online) [new]');
  expect(split('title: C:\\temp').front.title).toBe('C:\\temp');
});
it.each([
  ['ms.date: 07/25/2023', '2023-07-25'],
  ['updated_at: 1688169600', '2023-07-01'],
  ['git_revision_date: 2023-07-01\ndate: 2020-01-01', '2023-07-01'],
  ['last-modified: 2023-07-01', '2023-07-01'],
  ['version: 3', undefined],
])('reads the date of %j', (source, day) => {
  const { lastUpdated = '' } = split(source).front;
  const time = Date.parse(/Z$/.test(lastUpdated) ? lastUpdated : `${lastUpdated} UTC`);
  expect(Number.isNaN(time) ? undefined : new Date(time).toISOString().slice(0, 10)).toBe(day);
});
it.each([';;;\n{"title": "Pump"}\n;;;\n\nBody.', ';;;\n"title": "Pump"\n;;;\nBody.'])(
  'reads JSON between lines: %j',
  (text) => {
    expect(splitFrontMatter(text)).toMatchObject({
      front: { title: 'Pump' },
      body: 'Body.',
      warnings: [],
    });
  },
);

it('reads TOML that its first line names', () => {
  expect(splitFrontMatter('---toml\ntitle = "Pump"\n---\nBody.')).toMatchObject({
    front: { title: 'Pump' },
    body: 'Body.',
  });
});
it('reads back what a YAML writer writes', () => {
  const text = fc
    .stringMatching(/^[!-~]([ -~]{0,80}[!-~])?$/)
    .map((words) => words.replace(/\s+/g, ' '));
  // A backslash before a mark is an escape of Markdown.
  const title = text.filter((words) => !words.includes('\\'));
  fc.assert(
    fc.property(
      fc.record({ title, url: fc.webUrl(), devices: fc.array(text, { maxLength: 4 }) }),
      (fields) => {
        expect(split(dump(fields).trimEnd()).front).toMatchObject(fields);
      },
    ),
  );
});
it.each([
  ...cases.notMappings,
  `a: ${'['.repeat(16_000)}`,
  'a: [\n'.padEnd(16_000, '\n['),
  `a: "${'\\'.repeat(16_000)}`,
  'a:\n'.repeat(5000),
  `a: ${"''".repeat(7990)}'`,
  'x: {a: '.repeat(2000),
  `a: ${'&a '.repeat(5000)}x`,
])('names what is not a YAML mapping, and never shows it: %.40j', (source) => {
  const { body, warnings } = split(source);
  expect(body).toBe('Body.');
  expect(warnings).toEqual([NOT_A_MAPPING]);
});
it('looks for the end of front matter in its first 16,384 characters', () => {
  const noteOf = (length: number) => split(`title: T\nnote: ${'x'.repeat(length)}`);
  expect(noteOf(16_000)).toMatchObject({ front: { title: 'T' }, body: 'Body.', warnings: [] });
  expect(noteOf(16_400).warnings).toEqual([
    'Kept the front matter as text: it has no closing line',
  ]);
});
