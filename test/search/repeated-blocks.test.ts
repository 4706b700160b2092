import { describe, expect, it } from 'vitest';
import { buildEdition } from '../../src/search/build-edition.ts';
import { type Edition, openEdition } from '../../src/search/open-edition.ts';
import { attachRepeatedBlocks, isRepeatedIn } from '../../src/search/repeated-blocks.ts';
import { entryOf, IDENTITY } from './edition-fixture.ts';

const HELP = 'Still need help? Write to us.';
/** One article per list of blocks. */
const editionOf = (...articles: string[][]): Edition => {
  const entries = articles.map((blocks, at) => entryOf({ id: `${at}.md`, sections: [{ text: blocks.join('\n\n') }] }));
  return openEdition(attachRepeatedBlocks(buildEdition(entries, IDENTITY)));
};
const withHelp = (count: number, others = 0): string[][] => [
  ...Array.from({ length: count }, (_, at) => [`Text ${at}.`, HELP]),
  ...Array.from({ length: others }, (_, at) => [`Other text ${at}.`]),
];

describe('isRepeatedIn()', () => {
  it('detects blocks in four articles or more, and not in fewer', () => {
    expect(isRepeatedIn(editionOf(...withHelp(4)))(HELP)).toBe(true);
    expect(isRepeatedIn(editionOf(...withHelp(3)))(HELP)).toBe(false);
  });
  it('requires a hundredth of the articles of a large knowledge base', () => {
    expect(isRepeatedIn(editionOf(...withHelp(6, 600)))(HELP)).toBe(false);
    expect(isRepeatedIn(editionOf(...withHelp(7, 600)))(HELP)).toBe(true);
  });

  it('compares words, ignoring punctuation, case and white space', () => {
    const isRepeated = isRepeatedIn(
      editionOf(['**Still** need help? Write to us.'], ['STILL need\nhelp - write to us'], [HELP], [`> ${HELP}`]),
    );
    expect(isRepeated(HELP)).toBe(true);
    expect(isRepeated('Still need help? Write to them.')).toBe(false);
  });

  it('counts an article once, however often it repeats a block', () => {
    expect(isRepeatedIn(editionOf([HELP, HELP, HELP, HELP, HELP], ['Other.']))(HELP)).toBe(false);
  });
  it('returns false for an edition without the section', () => {
    const sketches = withHelp(9).map((blocks, at) => ({ id: `${at}`, sections: blocks.map((text) => ({ text })) }));
    const plain = openEdition(buildEdition(sketches.map(entryOf), IDENTITY));
    expect(isRepeatedIn(plain)(HELP)).toBe(false);
  });
});

it('attachRepeatedBlocks() leaves the edition unchanged', () => {
  const edition = editionOf(...withHelp(5));
  expect(edition.articleCount).toBe(5);
  expect(edition.chunk(0).text).toBe(`Text 0.\n\n${HELP}`);
});
