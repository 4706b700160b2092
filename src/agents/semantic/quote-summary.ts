import { type AnswerPassage, findAnswer } from '../../grounding/find-answer.ts';
import { passageMarkdown } from '../../grounding/render-passage.ts';
import type { Unit } from '../../grounding/units.ts';
import type { Edition } from '../../search/open-edition.ts';
import { proseOf } from '../format/plain-text.ts';
import { tablesAsLines } from '../format/tables-as-lines.ts';
import { citationOf, type Found } from './find-documents.ts';

const MAX_QUOTE = 1500;

/**
 * The passages of the documents that answer the question best, word by word, each under the headings that frame it and with its
 * citation; plain text.
 */
export const quoteSummary = (edition: Edition, { documents, outcome, subject }: Found): string => {
  const isShown = ({ parts }: Unit): boolean =>
    parts.every(({ section: { firstChunk, endChunk } }) =>
      documents.some(({ chunk }) => chunk.index >= firstChunk && chunk.index < endChunk),
    );
  const { passages } = findAnswer(edition, subject, { searches: [outcome], isShown });
  // Where only a title fits, the best passage's beginning speaks for it.
  const [first] = documents;
  if (passages.length === 0 && first !== undefined) return `${proseOf(first.chunk.text, 300)} (${citationOf(first)})`;
  return passages.map(cited).join('\n\n');
};

const cited = (passage: AnswerPassage): string => {
  const { section } = passage.unit.parts[0];
  const heading = proseOf(section.path.join(' › '), 300);
  const text = proseOf(tablesAsLines(passageMarkdown(passage.unit)), MAX_QUOTE);
  return `${heading === '' ? '' : `${heading}:\n`}${text} (${citationOf({ chunk: { source: passage.source, headingPath: section.path } })})`;
};
