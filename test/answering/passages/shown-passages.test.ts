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

const article = (id: string, text: string) => ({
  id,
  title: id,
  url: `https://docs.example.com/${id}`,
  text,
  devices: [],
  intents: [],
  lastUpdated: '2026-01-01T00:00:00Z',
});

const openManual = () => {
  const { edition } = openSmallKb([article('Manual', LONG)]);
  const source = edition.article(0);
  const chunkOf = (heading: string): number => {
    const chunks = Array.from(
      { length: source.endChunk - source.firstChunk },
      (_, at) => source.firstChunk + at,
    );
    return chunks.find((chunk) => edition.headingPath(chunk).at(-1) === heading) ?? -1;
  };
  return {
    /** What is shown for hits under these headings, one list each. */
    textFor: (headings: readonly string[], room = 6000): string =>
      showPassages(
        edition,
        headings.map((heading) => ({
          hits: [{ chunk: chunkOf(heading), source, relevance: 0.5 }],
        })),
        { room },
      )
        .map(({ text }) => text)
        .join('\n\n'),
  };
};

it('shows with a section what stands directly under the headings above it', () => {
  const { textFor } = openManual();
  expect(textFor(['The command steam'])).toContain('cafe run <command>');
  expect(textFor(['The command steam'])).toContain('The steam is described here');
  expect(textFor(['Licences'])).not.toContain('cafe run <command>');
});

it('shows what several searches found before what stands around one of them', () => {
  const text = openManual().textFor(['The command clean', 'Licences'], 8000);
  expect(text).toContain('The clean is described here');
  expect(text).toContain('The licence is described here');
});

it('seats first what a sure search finds, not what an unsure one finds first', () => {
  const names = ['Parking', 'Tickets', 'Lost keys'];
  const { edition } = openSmallKb(names.map((name) => article(name, `${name} are described.`)));
  const hitIn = (name: string, relevance: number) => {
    const source = edition.article(edition.findArticle(name));
    return { chunk: source.firstChunk, source, relevance };
  };
  const unsure = { hits: [hitIn('Parking', 0.04), hitIn('Tickets', 0.03)] };
  const sure = { hits: [hitIn('Lost keys', 0.6)], part: 0 };
  const titles = showPassages(edition, [unsure, unsure, sure]).map(({ title }) => title);
  expect(titles).toEqual(['Lost keys', 'Parking', 'Tickets']);
});

it('shows what looks like a comment in code, and no comment elsewhere', () => {
  const text =
    'Join the braces:\n\n```\n{{c1::{x<!-- -->}}}\n```\n\nOr write `<!-- a -->`. <!-- b -->';
  const { edition } = openSmallKb([article('Braces', text)]);
  const source = edition.article(0);
  const [passage] = showPassages(edition, [{ hits: [{ chunk: source.firstChunk, source }] }]);
  expect(passage?.text).toContain('{{c1::{x<!-- -->}}}');
  expect(passage?.text).toContain('`<!-- a -->`');
  expect(passage?.text).not.toContain('<!-- b');
});
