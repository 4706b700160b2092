import { expect, it } from 'vitest';
import type { AnswerPassage } from '../../../src/answering/passages/find-answer.ts';
import { unitsOf } from '../../../src/answering/passages/units.ts';
import { parseQuestion } from '../../../src/answering/understand/parse-question.ts';
import { answerPhrases } from '../../../src/answering/write/answer-phrases.ts';
import { showPassages } from '../../../src/answering/write/show-passages.ts';
import { cachedSection, sectionRanges } from '../../../src/knowledge/edition/sections.ts';
import { type ArticleSketch, editionOf, listOf } from '../check/articles-for-test.ts';

/** The answer with the first section of each article as a passage, in descending probability. */
const compose = (
  articles: readonly ArticleSketch[],
  {
    closest = [],
    ...more
  }: Partial<Pick<Parameters<typeof showPassages>[1], 'closest'>> & Partial<AnswerPassage> = {},
): string => {
  const edition = editionOf(...articles);
  const passages = articles.map(({ id }, rank): AnswerPassage => {
    const source = edition.article(edition.findArticle(id)!);
    const [unit] = unitsOf(
      sectionRanges(edition, source.index).map((range) => cachedSection(edition, range)),
    );
    return {
      source,
      unit: unit!,
      share: 1 / (rank + 2),
      devices: [],
      isOtherDevice: false,
      ...more,
    };
  });
  const question = parseQuestion(edition, 'How do I clean it?');
  return showPassages({ passages, question }, { isDoubtful: closest.length > 0, closest, phrases })
    .text;
};

const WARRANTY = {
  id: 'w.md',
  title: 'Warranty',
  text: '# Terms\n\n## What is not covered\n\nCrashes.\n',
};
const phrases = answerPhrases('en');
const SHOWN = 'From “Warranty”:\n\n**Terms › What is not covered**\n\nCrashes.';
const link = (at: number, length = 10) => ({
  title: `Article ${at}`,
  url: `https://docs.example.com/${at}/${'x'.repeat(length)}`,
  heading: 'Care',
});
it('names the article once, by its title or file, and shows the headings above a passage', () => {
  expect(compose([WARRANTY])).toBe(SHOWN);
  expect(compose([{ id: 'a.md', title: '', text: 'Wipe it.' }])).toBe('From “A”:\n\nWipe it.');
});
it('starts an uncertain answer with a warning, and links the other close articles', () => {
  const links = '[Article 1](https://docs.example.com/1/xxxxxxxxxx) and “No link”.';
  expect(compose([WARRANTY], { closest: [link(1), { title: 'No [link]' }] })).toBe(
    `${phrases.hedge}\n\n${SHOWN}\n\nOther articles that come close: ${links}`,
  );
});
it('starts with a warning when all passages are about other devices', () => {
  expect(compose([WARRANTY], { isOtherDevice: true })).toMatch(
    /^I don't have information about this for [^\n]*; what follows is about other devices\.\n\nFrom/,
  );
});
it('links the rest of a long procedure', () => {
  const steps = (count: number) =>
    listOf(count, (at) => `${at + 1}. Turn the wheel ${at} times, then wait for it.`);
  const wheel = { id: 'wheel.md', title: 'Wheel', url: 'https://docs.example.com/wheel_(large)' };
  expect(compose([{ ...wheel, text: `To reset the wheel:\n\n${steps(40)}` }])).toMatch(
    / times, then wait for it\.\n\n…\n\nThe steps go on in \[Wheel\]\(https:\/\/docs\.example\.com\/wheel_%28large%29\)\.$/,
  );
  expect(compose([{ ...wheel, text: steps(5) }])).not.toContain('go on');
});
it('drops the least likely passages, then the links, to stay within 1,500 characters', () => {
  const composed = (sizes: readonly number[], closest: ReturnType<typeof link>[]) => {
    const text = (at: number, size: number) => `Words ${at} on cleaning. `.repeat(size);
    const answer = compose(
      sizes.map((size, at) => ({ id: `${at}.md`, text: text(at, size) })),
      { closest },
    );
    expect(answer.length).toBeLessThanOrEqual(1500);
    return answer;
  };
  const links = [link(1), link(2), link(3)];
  expect(composed([20, 20], links)).toMatch(/Words 0.*Words 1.*come close: \[Article 1\]/s);
  expect(composed([26, 26], [link(1, 200), link(2, 200)])).toMatch(
    /Words 0.*Words 1.*come close: “Article 1” and “Article 2”\.$/s,
  );
  const tooMuch = composed([27, 27, 27], links);
  expect(tooMuch).toContain('Words 0');
  expect(tooMuch).not.toContain('Words 2');
});
it('links only pages, and keeps each name on its line', () => {
  const closest = [
    {
      title: '](https://evil.example) [',
      url: 'https://docs.example.com/a) [b](javascript:alert(1)',
    },
    { title: 'Script', url: 'javascript:alert(1)' },
  ];
  const text = 'Wipe <img src=x> it. [x](javascript:alert(1))';
  const answer = compose([{ id: 'a.md', title: 'One\n\n# Two <b>', text }], { closest });
  expect(answer).toContain('From “One # Two \\<b>”');
  expect(answer).not.toMatch(/(?<!\\)<(?:b|img)/);
  expect(answer).not.toMatch(/(?<!\\)\]\((?!https:\/\/docs\.example\.com\/)/);
});
