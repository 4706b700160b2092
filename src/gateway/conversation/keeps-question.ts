import { NO_NOUNS } from '../../knowledge/questions/word-lists.ts';
import { wordsOf } from '../../text/analyse-text.ts';
import { stem } from '../../text/stem.ts';

/**
 * Whether a question that was written for another one asks the same: it brings in no content word that was not said, and it keeps
 * all content words of the question (as stems) in their order, its names and numbers as whole words, what it asks for and under
 * which condition, and its denials before what they deny. A denial that the question does not have has to come from a question
 * before, and must not turn round what this one says.
 *
 * @param before.questions Of the turns before, as they were asked or understood.
 * @param before.answers Of the same turns.
 */
export const keepsQuestion = (
  written: string,
  question: string,
  { questions, answers }: { questions: readonly string[]; answers: readonly string[] },
): boolean => {
  const asked = stemsOf(question);
  const kept = stemsOf(written);
  const said = new Set([...asked, ...[...questions, ...answers].flatMap(stemsOf)]);
  return (
    kept.every((word) => said.has(word)) &&
    isInOrder(
      asked.filter((word) => !GAPS.has(word)),
      kept,
    ) &&
    keepsTokens(written, question) &&
    keepsDenials(kept, { asked, before: questions.map(stemsOf) })
  );
};

const MAX_READ = 8000;
const stemsOf = (text: string): string[] => wordsOf(text.slice(0, MAX_READ)).map(stem);
const stemsIn = (words: string): ReadonlySet<string> => new Set(words.split(' ').map(stem));

/** What a complete question says otherwise. */
const GAPS = stemsIn('one ones same too also ok okay then here there about instead please thanks thank');

const isInOrder = (words: readonly string[], all: readonly string[]): boolean => {
  let at = 0;
  for (const word of all) if (at < words.length && word === words[at]) at++;
  return at === words.length;
};

/** Names, numbers, and the little words that a question turns on; what is one name, such as `Apollo II`, stays together. */
const keepsTokens = (written: string, question: string): boolean => {
  const tokens = tokensOf(written);
  const asked = tokensOf(question.replace(/\b(?:what|how) about\b/gi, ''));
  const lowered = new Set(tokens.map(({ token }) => token.toLowerCase()));
  return (
    namesIn(asked).every((name) =>
      tokens.some((_, at) => name.every((mark, next) => isSame(mark, tokens[at + next]))),
    ) && asked.every(({ token }) => !HINGES.has(token.toLowerCase()) || lowered.has(token.toLowerCase()))
  );
};

/** The US is not us. */
const isSame = (mark: string, { token }: Token = { token: '', isFirst: false }): boolean =>
  mark === token || (!NO_NOUNS.has(mark.toLowerCase()) && mark.toLowerCase() === token.toLowerCase());

const HINGES: ReadonlySet<string> = new Set(
  'when where why who whose how if or with from should must may might can could will would'.split(' '),
);

interface Token {
  token: string;
  isFirst: boolean;
}

const tokensOf = (text: string): Token[] => {
  const tokens: Token[] = [];
  let isFirst = true;
  const spelled = text
    .slice(0, MAX_READ)
    .replace(/\bcan['’]t\b/gi, 'can not')
    .replace(/\bwon['’]t\b/gi, 'will not')
    .replace(/n['’]t\b/gi, ' not');
  for (const [, token] of spelled.matchAll(/([\p{L}\p{N}]+)|[.!?]/gu)) {
    if (token !== undefined) tokens.push({ token, isFirst });
    isFirst = token === undefined;
  }
  return tokens;
};

/**
 * Runs of capitalised words and of what has a digit in it, but for the ordinary word that begins a sentence, and for who asks.
 */
const namesIn = (tokens: readonly Token[]): string[][] => {
  const names: string[][] = [];
  let name: string[] = [];
  for (const { token, isFirst } of tokens) {
    const isSelf = token === 'I' && name.length === 0;
    const isMark = /^\p{Lu}|\p{N}/u.test(token) && !isSelf && !(isFirst && NO_NOUNS.has(token.toLowerCase()));
    if (isMark && name.length === 0) names.push(name);
    if (isMark) name.push(token);
    else name = [];
  }
  return names;
};

const DENIALS = stemsIn('not no never none nothing nobody neither nor cannot without unless except hardly');

interface Denial {
  word: string;
  after: string | undefined;
}

const denialsIn = (stems: readonly string[]): Denial[] => {
  const words = stems.filter((word) => !GAPS.has(word));
  return words.flatMap((word, at) => (DENIALS.has(word) ? [{ word, after: words[at + 1] }] : []));
};

const keepsDenials = (
  kept: readonly string[],
  { asked, before }: { asked: readonly string[]; before: readonly (readonly string[])[] },
): boolean => {
  const inKept = denialsIn(kept);
  const inAsked = denialsIn(asked);
  const isKept = (one: Denial) =>
    inKept.some(({ word, after }) => word === one.word && (one.after === undefined || after === one.after));
  const isOwn = (one: Denial) =>
    inAsked.some(({ word, after }) => word === one.word && (after === undefined || after === one.after));
  const isEarlier = (one: Denial) =>
    before.some((words) => denialsIn(words).some(({ word, after }) => word === one.word && after === one.after)) &&
    !(one.after !== undefined && asked.includes(one.after));
  return inAsked.every(isKept) && inKept.every((one) => isOwn(one) || isEarlier(one));
};
