import { quotePassages } from '../../grounding/quote-passages.ts';
import { readingOf } from '../../grounding/read-passage.ts';
import { proseOf } from '../format/plain-text.ts';
import { tablesAsLines } from '../format/tables-as-lines.ts';
import { citationOf, type Found, type FoundDocument } from './find-documents.ts';

/** Documents that are quoted from; further ones add nothing measurable (see `quotePassages`). */
const QUOTED = 3;
const MAX_QUOTE = 1200;

/** The sentences of the best documents that fit the question best, word by word and each with its citation; plain text. */
export const quoteSummary = ({ documents, query, subject }: Found): string => {
  const sources = documents.slice(0, QUOTED);
  const passages = sources.map(({ chunk, rank, isNear }) => ({
    text: chunk.text,
    title: chunk.source.title,
    headingPath: chunk.headingPath,
    score: rank,
    isNear,
    reading: readingOf(chunk),
  }));
  const quotes = quotePassages({ text: subject, query }, passages).flatMap(({ passage, text }) => {
    const source = sources[passage];
    return source === undefined ? [] : [cited(text, source)];
  });
  // Where only a title fits, the passage's beginning speaks for it.
  const [first] = sources;
  if (quotes.length === 0 && first !== undefined) return cited(proseOf(first.chunk.text, 300), first);
  return quotes.join('\n\n');
};

const cited = (text: string, source: FoundDocument): string =>
  `${proseOf(tablesAsLines(text), MAX_QUOTE)} (${citationOf(source)})`;
