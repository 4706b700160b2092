import { groundingProblems, prepareGrounds } from '../../knowledge/answers/grounding/check-grounding.ts';
import { plainOf, statementSpans } from '../../knowledge/answers/support/statements.ts';

/** Texts that may make promises. */
export interface PromiseSources {
  /** Whether one of them says all that a sentence says, with the same figures. */
  haveSaid(sentence: string): boolean;
}

export const prepareSources = (texts: readonly string[]): PromiseSources => {
  const bounded = texts.slice(0, MAX_TEXTS).map((text) => text.slice(0, MAX_LENGTH));
  const sentences = new Set(
    bounded.flatMap((text) => statementSpans(text).map(({ start, end }) => said(text.slice(start, end)))),
  );
  const grounds = prepareGrounds(bounded.map((text) => ({ text, headings: [] })));
  return {
    haveSaid: (sentence) => sentences.has(said(sentence)) || groundingProblems(sentence, grounds).length === 0,
  };
};

const MAX_TEXTS = 20;
const MAX_LENGTH = 32_000;

const said = (sentence: string): string => plainOf(sentence.replace(/\[([^\]\n]{0,200})\]\([^)\n]{0,500}\)/g, '$1'));
