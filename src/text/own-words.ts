import { wordsOf } from './analyse-text.ts';
import { isFiller } from './question-forms.ts';
import { stem } from './stem.ts';

/** Whether each content word of a text, as a stem, occurs in one of the others: then it says nothing that they do not say. */
export const hasOnlyWordsOf = (text: string, others: readonly string[]): boolean => {
  if (others.includes(text)) return true;
  const said = new Set(others.flatMap(stemsOf));
  return stemsOf(text).every((word) => said.has(word));
};

const stemsOf = (text: string): string[] =>
  wordsOf(text)
    .filter((word) => !isFiller(word))
    .map(stem);
