import { expect, it } from 'vitest';
import { buildEdition } from '../../../src/knowledge/edition/build-edition.ts';
import { openEdition } from '../../../src/knowledge/edition/open-edition.ts';
import {
  attachRepeatedBlocks,
  isRepeatedIn,
} from '../../../src/knowledge/edition/repeated-blocks.ts';
import { entryOf, IDENTITY } from '../search/edition-fixture.ts';

const HELP = 'Still need help? Write to us.';
/** An edition with one article per list of blocks, before the repeated ones are attached. */
const built = (articles: string[][]) =>
  buildEdition(
    articles.map((blocks, at) =>
      entryOf({ id: `${at}.md`, sections: [{ text: blocks.join('\n\n') }] }),
    ),
    IDENTITY,
  );
const editionOf = (articles: string[][]) => openEdition(attachRepeatedBlocks(built(articles)));
const withHelp = (count: number, others = 0): string[][] => [
  ...Array.from({ length: count }, (_, at) => [`Text ${at}.`, HELP]),
  ...Array.from({ length: others }, (_, at) => [`Other text ${at}.`]),
];
const VARIANTS = [
  ['**Still** need help? Write to us.'],
  ['STILL need\nhelp - write to us'],
  [HELP],
  [`> ${HELP}`],
];

it.each<[string, string[][], boolean, block?: string]>([
  ['a block of four articles', withHelp(4), true],
  ['a block of three', withHelp(3), false],
  ['less than a hundredth of many articles', withHelp(6, 600), false],
  ['a hundredth of many articles', withHelp(7, 600), true],
  ['other punctuation, case and white space', VARIANTS, true],
  ['another word', VARIANTS, false, 'Still need help? Write to them.'],
  ['repetitions within one article', [[HELP, HELP, HELP, HELP, HELP], ['Other.']], false],
])('isRepeatedIn() with %s', (_, articles, expected, block = HELP) => {
  expect(isRepeatedIn(editionOf(articles))(block)).toBe(expected);
});

it('isRepeatedIn() returns false for an edition without the section', () => {
  expect(isRepeatedIn(openEdition(built(withHelp(9))))(HELP)).toBe(false);
});

it('attachRepeatedBlocks() leaves the edition unchanged', () => {
  const edition = editionOf(withHelp(5));
  expect([edition.articleCount, edition.chunk(0).text]).toEqual([5, `Text 0.\n\n${HELP}`]);
});
