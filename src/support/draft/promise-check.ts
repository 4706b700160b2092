import { statementSpans } from '../../grounding/support/statements.ts';
import { promiseIn } from './promise-in.ts';
import type { PromiseKind } from './promise-language.ts';
import { prepareSources } from './promise-sources.ts';

/** A sentence of a draft that binds somebody, and that nobody with a say has written. */
export interface UnbackedPromise {
  /** What is promised first of all. */
  kind: PromiseKind;
  sentence: string;
  /** Where it stands in the draft, in UTF-16 units. */
  start: number;
  end: number;
}

/**
 * Finds the sentences of a draft that promise something: money back, a replacement, a repair, a credit, a date, a price, that a
 * warranty covers it, or what somebody is going to do. English, German, French and Spanish are read.
 *
 * What one of `allowedBy` says with the same figures and under the same conditions is no promise of the draft's own, and neither
 * is a question, a denial, a condition, or what says only that somebody will have a look.
 *
 * @param text Plain text or Markdown; the work is linear in its length.
 * @param options.allowedBy Texts of sources, and templates with or without their `{places}`.
 * @returns In the order of the text.
 */
export const findPromises = (text: string, { allowedBy }: { allowedBy: readonly string[] }): UnbackedPromise[] => {
  const promises = statementSpans(text).flatMap(({ start, end }): UnbackedPromise[] => {
    const sentence = text.slice(start, end);
    const kind = promiseIn(sentence);
    return kind === undefined ? [] : [{ kind, sentence, start, end }];
  });
  if (promises.length === 0) return [];
  const sources = prepareSources(allowedBy);
  return promises.filter(({ sentence }) => !sources.haveSaid(sentence));
};
