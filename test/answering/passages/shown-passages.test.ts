import { expect, it } from 'vitest';
import { showPassages } from '../../../src/answering/passages/shown-passages.ts';
import { openSmallKb } from '../write/small-kb.ts';

const filler = (name: string) => `${`The ${name} is described here in some detail. `.repeat(40)}`;

/** An article that is too long to be shown whole: an introduction, and sections below it. */
const LONG = [
  filler('manual'),
  '## Commands',
  'Each command is run as `cafe run <command>`.',
  ...['clean', 'rinse', 'drain', 'fill', 'heat', 'grind', 'steam', 'stop'].flatMap((name) => [
    `### The command ${name}`,
    filler(name),
  ]),
  '## Licences',
  filler('licence'),
].join('\n\n');

it('shows with a section what stands directly under the headings above it', () => {
  const { edition } = openSmallKb([
    {
      id: 'manual',
      title: 'Manual',
      url: 'https://docs.example.com/manual',
      text: LONG,
      devices: [],
      intents: [],
      lastUpdated: '2026-01-01T00:00:00Z',
    },
  ]);
  const source = edition.article(0);
  const chunkOf = (heading: string): number => {
    const chunks = Array.from(
      { length: source.endChunk - source.firstChunk },
      (_, at) => source.firstChunk + at,
    );
    return chunks.find((chunk) => edition.headingPath(chunk).at(-1) === heading) ?? -1;
  };
  const textFor = (heading: string): string =>
    showPassages(edition, [{ hits: [{ chunk: chunkOf(heading), source, relevance: 0.5 }] }], {
      room: 6000,
    })
      .map(({ text }) => text)
      .join('\n\n');
  expect(textFor('The command steam')).toContain('cafe run <command>');
  expect(textFor('The command steam')).toContain('The steam is described here');
  expect(textFor('Licences')).not.toContain('cafe run <command>');
});

it('shows what looks like a comment in code, and no comment elsewhere', () => {
  const text =
    'Join the braces:\n\n```\n{{c1::{x<!-- -->}}}\n```\n\nOr write `<!-- a -->`. <!-- b -->';
  const { edition } = openSmallKb([
    {
      id: 'braces',
      title: 'Braces',
      url: 'https://docs.example.com/braces',
      text,
      devices: [],
      intents: [],
      lastUpdated: '2026-01-01T00:00:00Z',
    },
  ]);
  const source = edition.article(0);
  const [passage] = showPassages(edition, [{ hits: [{ chunk: source.firstChunk, source }] }]);
  expect(passage?.text).toContain('{{c1::{x<!-- -->}}}');
  expect(passage?.text).toContain('`<!-- a -->`');
  expect(passage?.text).not.toContain('<!-- b');
});
