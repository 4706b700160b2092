import { type AnsweringModel, answerFeatures, decodeKey, domainFeatures } from '../search/answering-model.ts';
import { applyLogistic } from '../search/fit-logistic.ts';
import type { SearchOutcome } from '../search/search-edition.ts';
import { joined, semanticRelevances } from '../search/semantic-calibration.ts';
import { wordsOf } from '../text/analyse-text.ts';
import { STOP_WORDS } from '../text/stop-words.ts';

/** What can be said about a question before a word of an answer is chosen. */
export interface Decision {
  /**
   * `answer`: the best chunk may hold the answer. `no-information`: the subject is right, but nothing is written. `out-of-domain`:
   * the knowledge base is about something else. `no-words`: the question has no word to search for, or none is known.
   */
  verdict: 'answer' | 'no-information' | 'out-of-domain' | 'no-words';
  /** Probability that the question is in the domain, 0 to 1. */
  domain: number;
  /** Probability that the best chunk holds the answer, 0 to 1; calibrated on questions made up from the knowledge base. */
  answer: number;
  /** The meaning of what is quoted carries it, more than its words. */
  isByMeaning?: boolean;
}

/**
 * Below this nothing is quoted at all: not one answer in twenty would be right. Between this and 0.6 an answer is given
 * with low confidence and says so (seed 004, pattern 3).
 */
const SILENT_BELOW = 0.05;

/** So sure of an answer, a question may be a little foreign and is answered all the same: refusals of right answers fall by a tenth. */
const SURE_FROM = 0.5;
const SURE_DOMAIN = 0.25;
/**
 * In any knowledge base something is closest, and may lead by chance: where the words are foreign, meaning has to be so sure,
 * and an answer is no surer than this.
 */
const SURE_WHATEVER_WORDS = 0.9;
const OVERRULED_LIMIT = 0.7;
/** Foreign for certain below this share of the threshold; between them the subject may be right, and nothing is written. */
const FOREIGN_BELOW = 0.5;

/**
 * First whether the question is in the domain, then whether anything answers it (recipe, section 5).
 *
 * @param options.question As asked; only read where none of its words is known.
 * @param options.quoted Chunks that the answer is from: what the best one means says nothing of others. Where absent, the
 *   best is taken to be among them.
 * @param options.named Devices of the knowledge base that the question names.
 */
export const decideAnswer = (
  outcome: SearchOutcome,
  model: AnsweringModel,
  {
    question = '',
    named = [],
    quoted,
  }: { question?: string; named?: readonly string[]; quoted?: readonly number[] | undefined } = {},
): Decision => {
  const fitted = applyLogistic(model.domain, domainFeatures(outcome, model.keys));
  // Who names a thing that only this knowledge base knows is not out of place here, whatever else is said about it.
  const domain = namesKnownThing(outcome, model, named) ? Math.max(fitted, model.domainThreshold) : fitted;
  const byWords = applyLogistic(model.answer, answerFeatures(outcome));
  const byMeaning = meaningOf(outcome, quoted);
  const answer = joined(byWords, byMeaning);
  const isForeign = domain < FOREIGN_BELOW * model.domainThreshold;
  // What means the same is in the domain and answers.
  if (byMeaning !== undefined && byMeaning >= (isForeign ? SURE_WHATEVER_WORDS : SURE_FROM)) {
    const raised = Math.max(domain, model.domainThreshold);
    const limited = isForeign ? Math.min(answer, OVERRULED_LIMIT) : answer;
    return { verdict: 'answer', domain: raised, answer: limited, isByMeaning: byMeaning > byWords };
  }
  if (!outcome.query.terms.some(({ postings, origin }) => postings.length > 0 && origin === 'question')) {
    const isReadable = outcome.query.terms.length > 0 && readsAsEnglish(question);
    return { verdict: isReadable ? 'out-of-domain' : 'no-words', domain: 0, answer: 0 };
  }
  if (outcome.hits.length === 0) return { verdict: 'no-information', domain, answer: 0 };
  return { verdict: verdictOf({ domain, answer: byWords, threshold: model.domainThreshold }), domain, answer };
};

/** How probably the best of what is quoted answers by its meaning. */
const meaningOf = (outcome: SearchOutcome, quoted: readonly number[] | undefined): number | undefined => {
  const relevances = semanticRelevances(outcome);
  if (quoted === undefined) return relevances[0];
  const own = outcome.hits.flatMap(({ chunk }, at) => (quoted.includes(chunk) ? (relevances[at] ?? []) : []));
  return own.length === 0 ? undefined : Math.max(...own);
};

/** A device, or a code such as E40 that stands in the knowledge base. A word that everybody uses is no such name. */
const namesKnownThing = (
  { query }: Pick<SearchOutcome, 'query'>,
  { keys }: AnsweringModel,
  named: readonly string[],
): boolean => {
  const names = new Set(named.flatMap(wordsOf));
  return query.terms.some(({ word, origin, isKnown, postings: [posting] }) => {
    if (origin !== 'question' || !isKnown || posting === undefined) return false;
    const isTelling = keys.length === 0 || decodeKey(keys[posting.termId]) >= NAME_KEY;
    return isTelling && (names.has(word) || IDENTIFIER.test(word));
  });
};

/** Names occur here more than seven times as often as in English at large (a key is a natural logarithm). */
const NAME_KEY = 2;
/** Letters, then digits: E40, HB0, S19j. */
const IDENTIFIER = /^[a-z]{1,6}\d{1,6}[a-z]{0,2}$/;

/** A sentence with two function words is one; what it speaks of is then foreign, not unreadable. */
const readsAsEnglish = (question: string): boolean =>
  (
    question
      .slice(0, 1000)
      .toLowerCase()
      .match(/[a-z]+/g) ?? []
  ).filter((word) => STOP_WORDS.has(word)).length >= 2;

const verdictOf = ({
  domain,
  answer,
  threshold,
}: {
  domain: number;
  answer: number;
  threshold: number;
}): Decision['verdict'] => {
  if (answer < SILENT_BELOW && domain >= threshold) return 'no-information';
  if (domain >= threshold || (answer >= SURE_FROM && domain >= SURE_DOMAIN * threshold)) return 'answer';
  return domain < FOREIGN_BELOW * threshold ? 'out-of-domain' : 'no-information';
};
