import { wordsOf } from './analyse-text.ts';
import fillers from './filler-words.json' with { type: 'json' };
import { stem } from './stem.ts';

/** Whether a text refers back to the text before it, or continues it. */
export const pointsBack = (text: string): boolean => POINTER.test(text) || CONTINUATION.test(text);

/** Whether a text names a subject: at least two content words, or one within a sentence. */
export const namesItsSubject = (text: string): boolean => {
  const subjects = wordsOf(text).filter((word) => !FILLERS.has(word)).length;
  return subjects >= 2 || (subjects === 1 && text.trim().split(/\s+/).length >= LONG_ENOUGH);
};

/** Whether a word, in lower case, carries no subject. */
const isFiller = (word: string): boolean => FILLERS.has(word);

const LONG_ENOUGH = 6;

/** Pronouns that refer back; not the ones in `this week`, `is there` and `the page that shows`. */
const POINTER = new RegExp(
  '\\b(?:it|its|itself|they|them|their|theirs|he|him|his|she|her|hers|ones|same|such|both|others|those|these(?! days)|' +
    'this(?! (?:week|month|year|quarter|morning|evening|weekend|day))|' +
    '(?:is|was|does|did|do|can|will|would|about|for|of|like|with|after|before|from|to|than|and|why|how|if|fix|use) that|' +
    '(?:which|the|this|that|each|every|used|new|cheaper|cheapest) one|(?:from|in|over|to) there|' +
    '(?:another|the (?:former|latter|rest|two|first|second|last)|(?:any|the|some) other)(?=[ ?.,]*$))\\b',
  'i',
);

const CONTINUATION =
  /^(?:(?:and|or|but|so|then) )?(?:what|how) about\b|^(?:if (?:so|not|yes|no)|or|otherwise|why not|because|since when|what else|anything else)\b/i;

const FILLERS: ReadonlySet<string> = new Set(fillers);

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
