import { wordsOf } from '../../language/analyse-text.ts';
import { detectLanguage } from '../../language/detect-language.ts';
import { withSpacedWords } from '../../language/spaced-words.ts';
import { clausesIn } from '../../language/split-questions.ts';
import type { AnswerReply, AnswerRequest, Passage } from '../model/answer-prompt.ts';
import { hasPromptInjection } from '../model/prompt-injection.ts';
import type { JudgedStatement } from './judge-statements.ts';
import { isBoundLiteral, missingLiterals } from './literals.ts';
import { readSentence } from './statement-words.ts';

/** A part of the question, after the check. */
export interface AnsweredPart {
  /** In the words of the question alone, so that it can be repeated; empty when those do not tell it. */
  asked: string;
  /** In the model's words: to search with, never shown. */
  wording: string;
  state: 'answered' | 'in_part' | 'open';
  /** The articles may have something about it: statements about it were removed, or the model has forgotten it. */
  isLost: boolean;
}

/** The parts as they are answered by what is left, with those that the model forgot. */
export function partsAfter(
  reply: AnswerReply,
  {
    answered: answeredParts,
    request,
  }: {
    /** Numbers of the parts about which the answer has something. */
    answered: ReadonlySet<number>;
    request: Pick<AnswerRequest, 'question' | 'history' | 'parts'>;
  },
): AnsweredPart[] {
  const { question, history, parts: proposed = [] } = request;
  if (reply.parts.length === 0)
    return [{ asked: '', wording: '', state: 'answered', isLost: false }];
  const own = [
    question,
    ...history.flatMap(({ speaker, text }) => (speaker === 'user' ? [text] : [])),
  ].join('\n');
  const repeatable = (asked: string): string =>
    isShortPhraseOf(asked, own) ? asked : clauseAbout(asked, question);
  const parts = reply.parts.map(({ asked, answered }, at): AnsweredPart => {
    const isLeft = answeredParts.has(at + 1);
    const state = !isLeft ? 'open' : answered === 'yes' ? 'answered' : 'in_part';
    const isLost =
      !isLeft && answered !== 'no' && reply.statements.some(({ part }) => part === at + 1);
    return { asked: repeatable(asked), wording: asked, state, isLost };
  });
  if (proposed.length <= parts.length) return parts;
  const forgotten = proposed.filter(
    (part) => !reply.parts.some(({ asked }) => shareWord(part, asked)),
  );
  return [
    ...parts,
    ...forgotten.map(
      (asked): AnsweredPart => ({
        asked: repeatable(asked),
        wording: asked,
        state: 'open',
        isLost: true,
      }),
    ),
  ];
}

const MAX_ASKED_WORDS = 8;

const shareWord = (one: string, other: string): boolean => {
  const language = detectLanguage(`${one} ${other}`) ?? 'en';
  const { forms } = readSentence(other, language);
  return readSentence(one, language).words.some((word) => forms.has(word.forms[0] ?? ''));
};

/** The clause of a question that shares most words with a part of it; empty when none does, or when it is all of the question. */
const clauseAbout = (part: string, question: string): string => {
  const language = detectLanguage(question) ?? 'en';
  const { words } = readSentence(part, language);
  const [best, next] = clausesIn(question)
    .map(({ start, end }) => {
      const text = question.slice(start, end).replace(TRAILING_MARKS, '');
      const { forms } = readSentence(text, language);
      return { text, shared: words.filter((word) => forms.has(word.forms[0] ?? '')).length };
    })
    .sort((one, other) => other.shared - one.shared);
  if (best === undefined || next === undefined || best.shared === next.shared) return '';
  return MARKUP.test(best.text) ? '' : best.text;
};
const TRAILING_MARKS = /^\s+|[\s.!?。！？]+$/gu;
const MARKUP = /[[\]<>`|]|:\/\//;

/** Whether a text is a short phrase of words of another; a sentence would claim something. */
const isShortPhraseOf = (text: string, other: string): boolean => {
  if (MARKUP.test(text) || /[.!。！]\s*$/.test(text)) return false;
  if (wordsOf(withSpacedWords(text)).length > MAX_ASKED_WORDS) return false;
  const language = detectLanguage(other) ?? 'en';
  const { forms } = readSentence(other, language);
  return readSentence(text, language).words.every((word) => forms.has(word.forms[0] ?? ''));
};

/** What the model says is missing: it may claim nothing, so it has no number, address or name of a thing but those of the question. */
export function missingOf<P extends Passage>(
  { missing, parts }: AnswerReply,
  {
    question,
    passages,
    related,
  }: { question: string; passages: readonly P[]; related: readonly P[] },
): JudgedStatement | undefined {
  const open = parts.filter(({ answered }) => answered !== 'yes');
  if (missing === '' || open.length === 0 || missing.length > MAX_MISSING) return undefined;
  const known = [question, ...parts.map(({ asked }) => asked)];
  const strange = missingLiterals(missing, known).some(
    (each) => isBoundLiteral(each) || each.kind === 'number',
  );
  if (strange || /!\[|<[a-z/!?]|\]\(/i.test(missing) || hasPromptInjection(missing))
    return undefined;
  const named = passages.filter(({ id }) => open.some((part) => part.passages.includes(id)));
  const also = [...new Set([...named, ...related])];
  return {
    text: missing,
    quotes: [],
    also: also.length > 0 ? also.slice(0, 4) : passages.slice(0, 2),
    doubt: '',
  };
}

const MAX_MISSING = 400;
