import { describe, expect, it } from 'vitest';
import type { AnswerPassage } from '../../src/grounding/find-answer.ts';
import { parseQuestion } from '../../src/grounding/parse-question.ts';
import { cachedSection, sectionRanges } from '../../src/grounding/sections.ts';
import { unitsOf } from '../../src/grounding/units.ts';
import { composeAnswer, HEDGE } from '../../src/navigator/compose-answer.ts';
import { type ArticleSketch, editionOf } from '../grounding/articles-for-test.ts';

/** The first section of each article as a passage, in descending probability. */
const passagesOf = (articles: readonly ArticleSketch[], more: Partial<AnswerPassage> = {}) => {
  const edition = editionOf(...articles);
  const passages = articles.map(({ id }, rank): AnswerPassage => {
    const source = edition.article(edition.findArticle(id) ?? -1);
    const [unit] = unitsOf(sectionRanges(edition, source.index).map((range) => cachedSection(edition, range)));
    if (unit === undefined) throw new Error(`${id} has no unit`);
    return { source, unit, share: 1 / (rank + 2), devices: [], isOtherDevice: false, ...more };
  });
  return { passages, question: parseQuestion(edition, 'How do I clean it?') };
};
const compose = (
  articles: readonly ArticleSketch[],
  {
    closest = [],
    isDoubtful = closest.length > 0,
    ...more
  }: Partial<Parameters<typeof composeAnswer>[1]> & Partial<AnswerPassage> = {},
): string => composeAnswer(passagesOf(articles, more), { isDoubtful, closest }).text;

const WARRANTY = { id: 'w.md', title: 'Warranty', text: '# Terms\n\n## What is not covered\n\nCrashes.\n' };
const link = (at: number, length = 10) => ({
  title: `Article ${at}`,
  url: `https://docs.example.com/${at}/${'x'.repeat(length)}`,
  heading: 'Care',
});

describe('composeAnswer()', () => {
  it('names the article once, and shows the headings above a passage', () => {
    expect(compose([WARRANTY])).toBe('From “Warranty” (w.md):\n\n**Terms › What is not covered**\n\nCrashes.');
  });
  it('names an article by its file when it has no title', () => {
    expect(compose([{ id: 'a.md', title: '', text: 'Wipe it.' }])).toBe('From “a.md” (a.md):\n\nWipe it.');
  });
  it('starts an uncertain answer with a warning, and links the other close articles', () => {
    expect(compose([WARRANTY], { closest: [link(1), { title: 'No [link]' }] })).toBe(
      `${HEDGE}\n\nFrom “Warranty” (w.md):\n\n**Terms › What is not covered**\n\nCrashes.\n\nOther articles that come close:\n\n- [Article 1](https://docs.example.com/1/xxxxxxxxxx) – Care\n- No link`,
    );
  });

  it('links the rest of a long procedure', () => {
    const steps = Array.from(
      { length: 40 },
      (_, at) => `${at + 1}. Turn the wheel ${at} times, then wait for it to stop.`,
    );
    const url = 'https://docs.example.com/wheel_(large)';
    const text = compose([{ id: 'wheel.md', title: 'Wheel', url, text: `To reset the wheel:\n\n${steps.join('\n')}` }]);
    expect(text).toMatch(
      / times, then wait for it to stop\.\n\n…\n\nThe steps go on in \[Wheel\]\(https:\/\/docs\.example\.com\/wheel_%28large%29\)\.$/,
    );
    expect(compose([{ id: 'w.md', title: 'Wheel', text: steps.slice(0, 5).join('\n') }])).not.toContain('go on');
  });

  it('starts with a warning when all passages are about other devices', () => {
    expect(compose([WARRANTY], { isOtherDevice: true })).toMatch(
      /^I don't have information about this for [^\n]*; what follows is about other devices\.\n\nFrom/,
    );
  });

  it('drops the least likely passages, then the links, to stay within 1,500 characters', () => {
    const long = (at: number, size: number) => ({
      id: `${at}.md`,
      text: `${`Words ${at} on cleaning. `.repeat(size)}`,
    });
    const closest = [link(1), link(2), link(3)];
    const both = compose([long(0, 20), long(1, 20)], { closest });
    expect(both).toMatch(/Words 0.*Words 1.*\n- \[Article 1\]/s);
    const tight = compose([long(0, 26), long(1, 26)], { closest: [link(1, 200), link(2, 200)] });
    expect(tight).toMatch(/Words 0.*Words 1.*come close: “Article 1” and “Article 2”\.$/s);
    const tooMuch = compose([long(0, 27), long(1, 27), long(2, 27)], { closest });
    expect(tooMuch).toContain('Words 0');
    expect(tooMuch).not.toContain('Words 2');
    for (const text of [both, tight, tooMuch]) expect(text.length).toBeLessThanOrEqual(1500);
  });

  it('links only pages, and keeps each name on its line', () => {
    const text = compose(
      [{ id: 'a.md', title: 'One\n\n# Two <b>', text: 'Wipe <img src=x> it. [x](javascript:alert(1))' }],
      {
        closest: [
          { title: '](https://evil.example) [', url: 'https://docs.example.com/a) [b](javascript:alert(1)' },
          { title: 'Script', url: 'javascript:alert(1)' },
        ],
      },
    );
    expect(text).toContain('From “One # Two \\<b>”');
    expect(text).not.toMatch(/(?<!\\)<(?:b|img)/);
    expect(text).not.toMatch(/(?<!\\)\]\((?!https:\/\/docs\.example\.com\/)/);
  });
});
