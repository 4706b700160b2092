import { splitBlocks } from '../../markup/split-blocks.ts';
import { isSought, readWords } from '../support/read-words.ts';
import { plainOf, statementSpans } from '../support/statements.ts';
import { isBorne } from './is-borne.ts';
import { type Ground, type GroundText, readGrounds } from './read-grounds.ts';
import { strangers, strangeWords } from './strange-words.ts';

/** Passages made ready, so that many statements can be held against them. */
export interface Grounds {
  texts: readonly GroundText[];
  grounds: readonly Ground[];
  /** What else may be named: addresses and files of the passages. */
  known: readonly string[];
}

export const prepareGrounds = (texts: readonly GroundText[], known: readonly string[] = []): Grounds => ({
  texts,
  grounds: texts.flatMap(readGrounds),
  known,
});

/**
 * What speaks against a model's statement, for the one who has to write it again; empty where nothing does. Stricter than the
 * support check, which weighs: here each thing that is said needs a sentence, item or row that says it, with the same denials,
 * names and numbers. What a passage says in other words than the statement's is refused at times, and quotes are at hand then.
 */
export const groundingProblems = (statement: string, { texts, grounds, known }: Grounds): string[] => {
  const said = JSON.stringify(statement.slice(0, 120));
  if (splitBlocks(statement).some(({ kind }) => kind === 'raw') || /<[a-z/!?]/i.test(withoutCode(statement)))
    return [`${said} has markup that nobody sees`];
  const unknown = [...strangeWords(statement, grounds), ...strangers(statement, texts, known)];
  return [
    ...statementSpans(statement).flatMap(({ start, end }) => unborneIn(statement.slice(start, end), grounds)),
    ...[...new Set(unknown)].map((word) => `The named passages do not have ${JSON.stringify(word)}`),
  ];
};

/** Whether a sentence of it is denied, or denies, where the passages that fit best do the contrary. */
export const isDeniedBy = (statement: string, { grounds }: Grounds): boolean =>
  statementSpans(statement).some(({ start, end }) => {
    const sentence = statement.slice(start, end);
    const words = readWords(sentence);
    const unborne = words.some(isSought) ? isBorne(sentence, words, grounds) : undefined;
    return unborne !== undefined && 'denied' in unborne;
  });

const withoutCode = (text: string): string => text.replace(/(`{1,3})[^`]*\1/g, ' ');

/** What agrees or denies, and leaves it to the question what. */
const JUDGING = /\b(?:yes|yeah|no|not|never|neither|cannot)\b|n['’]t\b/i;

/** A semicolon ends what is said as a full stop does. */
const unborneIn = (sentence: string, grounds: readonly Ground[]): string[] => {
  const plain = plainOf(sentence);
  if (grounds.some((ground) => plainOf(ground.sentence.text) === plain && ground.deniedAbove.length === 0)) return [];
  return sentence.split(/;\s+/).flatMap((part) => {
    const words = readWords(part);
    if (!words.some(isSought)) return JUDGING.test(part) ? [`${JSON.stringify(part)} states nothing by itself`] : [];
    const unborne = isBorne(part, words, grounds);
    if (unborne === undefined) return [];
    const quoted = JSON.stringify(part.trim().slice(0, 120));
    if ('denied' in unborne)
      return [`The named passages deny, or do not deny, ${quoted} (${unborne.denied.slice(0, 5).join(', ')})`];
    const where = unborne.apart.length === 0 ? '' : ` (${unborne.apart.slice(0, 5).join(', ')} stands elsewhere)`;
    return [`No one sentence or row of the named passages says ${quoted}${where}`];
  });
};
