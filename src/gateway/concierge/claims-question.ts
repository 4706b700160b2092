import type { LibrarianInfo } from '../../contract/librarian.ts';
import { oncePer } from '../../runtime/once-per.ts';
import { wordsOf } from '../../text/analyse-text.ts';
import { stem } from '../../text/stem.ts';
import { withoutPleasantries } from './asks-nothing.ts';
import { isFiller } from './question-words.ts';

/** How many of a question's words, and what share of them, the examples have to know; read on the development questions. */
const WORDS = 2;
const SHARE = 0.55;

/** Whether a librarian speaks of what a question is about in what it gives as examples of what it answers. */
export const claimsQuestion = (librarian: LibrarianInfo, question: string): boolean => {
  const asked = subjectsOf(withoutPleasantries(question));
  const known = asked.filter((word) => vocabularyOf(librarian).has(word)).length;
  return known >= WORDS && known >= SHARE * asked.length;
};

const vocabularyOf = oncePer(
  ({ examples = [] }: LibrarianInfo): ReadonlySet<string> => new Set(examples.flatMap(subjectsOf)),
);

/** The stems of the words that say what a text is about, each once. */
const subjectsOf = (text: string): string[] => [
  ...new Set(wordsOf(text.slice(0, MAX_LENGTH)).filter(isSubject).map(stem)),
];

/** In UTF-16 units. */
const MAX_LENGTH = 2000;

const isSubject = (word: string): boolean => word !== 'not' && !isFiller(word);
