import type { ContentWords } from './content-words.ts';
import { quantitiesOf } from './quantities-of.ts';
import type { Quantity } from './quantity.ts';
import { type Subject, subjectOf } from './subject-of.ts';

/** A statement as it is held against another. */
export interface Assertion {
  text: string;
  /** What it is about, without numbers and denial (`createContentWords`). */
  words: readonly number[];
  quantities: readonly Quantity[];
  /** Read only when asked for. */
  subject: () => Subject;
  isDenied: boolean;
  /** A step of a numbered list, or a row of three and more cells; what it is about stands around it. */
  place: 'prose' | 'step' | 'row';
  /** Of a row: the head of its table. */
  head: string;
  /** Of the statement that opens an answer: whether it begins with "Yes" or "No". */
  verdict: 'yes' | 'no' | undefined;
}

/** What an answer asserts, by its sentences in their order. Questions and headings assert nothing. */
export const assertionsOf = (
  sentences: readonly string[],
  contentWordsOf: (statement: string) => ContentWords,
): Assertion[] => {
  const assertions: Assertion[] = [];
  let head = '';
  let isOpen = true;
  sentences.forEach((sentence, at) => {
    if (ASSERTS_NOTHING.test(sentence)) {
      if (DELIMITER.test(sentence)) head = headOf(sentences[at - 1] ?? '');
      else isOpen = false;
      return;
    }
    if (!sentence.startsWith('|')) head = '';
    const assertion = assertionOf(sentence.slice(0, MAX_LENGTH), { head, contentWordsOf });
    assertions.push(isOpen ? assertion : { ...assertion, verdict: undefined });
    // What only introduces, as "According to guide.md:", leaves it to the next to open the answer.
    isOpen &&= sentence.endsWith(':');
  });
  return withVerdict(assertions);
};

const ASSERTS_NOTHING = /\?["'”’)*_]*$|^\s*#{1,6}\s|^\s*\|?[\s|:-]+$/;
const DELIMITER = /^\s*\|?[\s|:-]+$/;

/** Of one statement, in UTF-16 units; a longer one is no sentence. */
const MAX_LENGTH = 600;

const headOf = (row: string): string =>
  row
    .toLowerCase()
    .replace(/[\s|*_`]+/g, ' ')
    .trim();

const assertionOf = (
  text: string,
  { head, contentWordsOf }: { head: string; contentWordsOf: (statement: string) => ContentWords },
): Assertion => {
  const bare = bareOf(text);
  const verdict = /^(yes|no)\b(?=[\s]*(?:[.,!:;–—-]|$))/i.exec(bare)?.[1]?.toLowerCase() as Assertion['verdict']; // the pattern knows no other words
  const plain = verdict === undefined ? bare : bare.replace(/^\w+[\s.,!:;–—-]*/, '');
  const { quantities, rest } = quantitiesOf(plain);
  return {
    text,
    ...contentWordsOf(rest),
    quantities,
    subject: () => subjectOf(plain, rest),
    place: placeOf(text),
    head,
    verdict,
  };
};

/** Without what stands around the words: marks, addresses, citations. */
const bareOf = (text: string): string => {
  const unlinked = text.includes('](') ? text.replace(/\]\([^)\s]{0,2000}\)/g, '] ') : text;
  return unlinked
    .replace(/\s\([^()]{0,300}\)(?=[.!?]?$)/, '')
    .replace(/^\s*(?:[-+*>]+|\d{1,3}[.)])\s+/, '')
    .replace(/\[\^?\d{1,3}\]|[*_`|]+/g, ' ')
    .trim();
};

const placeOf = (text: string): Assertion['place'] => {
  if (/^\s*\d{1,3}[.)]\s/.test(text)) return 'step';
  return /^\s*\|(?:[^|]*\|){3}/.test(text) ? 'row' : 'prose';
};

/** "Yes. The API is free": the word belongs to the sentence after it. */
const withVerdict = (assertions: readonly Assertion[]): Assertion[] => {
  const at = assertions.findIndex(({ verdict, words }) => verdict !== undefined && words.length === 0);
  const [word, next] = [assertions[at], assertions[at + 1]];
  if (word === undefined || next === undefined) return [...assertions];
  return assertions.toSpliced(at, 2, { ...next, verdict: word.verdict, text: `${word.text} ${next.text}` });
};
