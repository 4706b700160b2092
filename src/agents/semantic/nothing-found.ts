import { oneLine } from '../format/plain-text.ts';
import { citationOf, type FoundDocument } from './find-documents.ts';

/** What is said where no document reaches the threshold: how near the best came, and what to do. */
export const nothingFound = (best: FoundDocument | undefined, threshold: number): string => {
  if (best === undefined)
    return 'I found no document that shares a word with the question. Ask in the words that the documents use, or about another subject.';
  const score = (Math.floor(best.score * 100) / 100).toFixed(2);
  return `I found no document that reaches a similarity of ${threshold}. The nearest, ${oneLine(citationOf(best), 300)}, has ${score}. Ask more precisely and in the words that the documents use, or set similarity_threshold lower to see it.`;
};
