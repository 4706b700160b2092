import { describe, expect, it } from 'vitest';
import { findAnswer } from '../../src/grounding/find-answer.ts';
import { passageMarkdown } from '../../src/grounding/render-passage.ts';
import type { Edition } from '../../src/search/open-edition.ts';
import { searchEdition } from '../../src/search/search-edition.ts';
import { editionOf } from './articles-for-test.ts';

const QUESTION = 'How does the boiler pump work?';
const lines = (size: number, line: (at: number) => string): string => {
  let text = '';
  for (let at = 0; text.length < size; at++) text += `${line(at)}\n`;
  return text;
};

const ask = (edition: Edition, question: string): string[] => {
  const { passages } = findAnswer(edition, question, { searches: [searchEdition(edition, question)] });
  return passages.map(({ unit }) => passageMarkdown(unit));
};

describe('an answer from a large article', () => {
  it('is found among three million characters', () => {
    const text = `${lines(1_500_000, (at) => `Paragraph ${at} on other things.\n`)}\nThe pump of the boiler works by pressure.\n\n${lines(1_500_000, (at) => `| ${at} | [x](y |`)}`;
    const edition = editionOf({ id: 'a.md', title: 'Pumps', text });
    expect(ask(edition, QUESTION).join('\n')).toContain('works by pressure');
  });

  it('is found by a second question in the same article', () => {
    const rows = lines(300_000, (at) => `| pump ${at} | boiler ${at * 7} |`);
    const edition = editionOf({ id: 'a.md', title: 'Pumps', text: `| Pump | Boiler |\n| --- | --- |\n${rows}` });
    ask(edition, QUESTION);
    expect(ask(edition, 'Which boiler has pump 77?')[0]).toContain('| pump 77 | boiler 539 |');
  });
});
