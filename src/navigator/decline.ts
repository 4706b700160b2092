import type { NavigatorResponse } from '../contract/navigator-response.ts';
import type { FoundAnswer } from '../grounding/find-answer.ts';
import { passageMarkdown } from '../grounding/render-passage.ts';
import { type AnswerPhrases, answerPhrases, filled, listed } from '../runtime/answer-phrases.ts';
import { escapeHtml, escapeText } from '../runtime/escape-html.ts';
import { analyseQuery } from '../search/analyse-query.ts';
import { type AnsweringModel, answeringModelOf } from '../search/answering-model.ts';
import type { Edition } from '../search/open-edition.ts';
import type { SearchOutcome } from '../search/search-edition.ts';
import { detectLanguage } from '../text/detect-language.ts';
import { namesNoSubject, referenceIn } from '../text/refers-back.ts';
import { linksTo, oneLine } from './compose-answer.ts';
import type { ClosestArticle, NavigatorAnswer } from './navigator-answer.ts';

/** An answer without passages. */
export interface Declination
  extends Pick<NavigatorResponse, 'answer' | 'confidence' | 'confidenceReason' | 'outOfDomain'> {
  verdict: Exclude<NavigatorAnswer['verdict'], 'answer'>;
  /** The articles that are linked. */
  closest: readonly ClosestArticle[];
}

interface DeclineInput {
  edition: Edition;
  outcome: SearchOutcome;
  found: FoundAnswer;
  closest: readonly ClosestArticle[];
  model: Pick<AnsweringModel, 'domainThreshold'>;
  /** The language of who asks; undefined when nothing tells it. */
  language: string | undefined;
  /** It refers back to a question before, so its own words do not tell what it is about. */
  isFollowUp: boolean;
  /** The passages answer with sufficient probability. */
  isAnswered: boolean;
  /** Whoever was asked about it sees nothing in it that the articles are about. */
  isOffTopic?: boolean | undefined;
  /** Whoever read the articles chose `closest`. */
  isChosen?: boolean | undefined;
  /** But they break a rule of the contract. */
  isWithheld?: boolean | undefined;
}

/** A question is out of domain below this share of the threshold. */
const OUT_OF_DOMAIN_BELOW = 0.15;
/** A question is called out of domain only below this probability of an answer. */
const OUT_OF_DOMAIN_PROBABILITY = 0.05;

/**
 * States in one sentence that there is no answer and why, and links the closest articles; asks for details when the question has too few.
 * Undefined when there is an answer.
 */
export const decline = (input: DeclineInput): Declination | undefined => {
  const { edition, found, closest, model, isAnswered } = input;
  const [own] = edition.languages;
  const asked = input.language ?? own;
  const phrases = answerPhrases(asked);
  const offTopic = { verdict: 'out-of-domain' as const, says: [`${phrases.lack} ${phrases.offTopic}`] };
  // A question without a subject is not about something else.
  const isOpen = !input.isFollowUp && isUnderspecified(edition, found);
  if (input.isOffTopic && !isOpen) return declineWith(input, offTopic);
  const isOther = isOtherLanguage(found.question, { asked, languages: edition.languages, isAnswered });
  // An embedding model also matches passages in another language.
  if (isOther && found.nearness === 0) {
    const linked = input.isChosen ? closest : closestInLanguage(input);
    const says = [inLanguage(phrases, edition.languages), links(linked, phrases)];
    return declineWith({ ...input, closest: linked }, { verdict: 'no-information', says, why: phrases.uncovered });
  }
  if (isOpen)
    return declineWith(input, {
      verdict: 'underspecified',
      says: [askBack(edition, phrases), links(closest, phrases)],
    });
  if (input.isWithheld)
    return declineWith(input, { verdict: 'no-information', says: [phrases.lack, links(closest, phrases)] });
  if (isAnswered) return undefined;
  if (isOutOfDomain(edition, found, model) || (!input.isFollowUp && knowsNoWord(edition, found)))
    return declineWith(input, offTopic);
  return declineWith(input, { verdict: 'no-information', says: [phrases.lack, links(closest, phrases)] });
};

/** By the estimate of the search. A question in another language than the articles is not. */
export const isOffTopic = (edition: Edition, found: FoundAnswer): boolean =>
  isOutOfDomain(edition, found, answeringModelOf(edition));

const isOutOfDomain = (
  { articleCount }: Edition,
  { domain, probability }: FoundAnswer,
  { domainThreshold }: Pick<AnsweringModel, 'domainThreshold'>,
): boolean =>
  articleCount > 0 && domain < OUT_OF_DOMAIN_BELOW * domainThreshold && probability < OUT_OF_DOMAIN_PROBABILITY;

/** The question has words, and none of them occurs in the knowledge base. */
const knowsNoWord = ({ articleCount }: Edition, { question: { query } }: FoundAnswer): boolean =>
  articleCount > 0 && query.terms.length > 0 && query.terms.every(({ postings }) => postings.length === 0);

const declineWith = (
  { edition, outcome, closest, isWithheld, language }: DeclineInput,
  { verdict, says, why: known }: { verdict: Declination['verdict']; says: readonly string[]; why?: string },
): Declination => {
  const phrases = answerPhrases(language ?? edition.languages[0]);
  const count = String(edition.articleCount);
  const searched = edition.articleCount === 1 ? phrases.searchedOne : filled(phrases.searchedAll, { count });
  const why = isWithheld ? phrases.withheld : (known ?? `${unknownWords(outcome, phrases)}, ${phrases.uncovered}`);
  const isOutOfDomain = verdict === 'out-of-domain';
  // That a question is outside of the domain is itself sure; how well the answer answers it is another matter.
  const level = isOutOfDomain ? `${phrases.sureHigh}: ${phrases.outside}` : `${phrases.sureLow}: ${phrases.noAnswer}`;
  const reason = `${level}. ${searched}; ${why}.`;
  return {
    answer: escapeHtml(says.filter((part) => part !== '').join('\n\n')),
    confidence: isOutOfDomain ? 'high' : 'low',
    confidenceReason: escapeText(reason, 1000),
    outOfDomain: isOutOfDomain,
    verdict,
    // An out-of-domain question has no close article.
    closest: isOutOfDomain ? [] : closest,
  };
};

const links = (closest: readonly ClosestArticle[], phrases: AnswerPhrases): string =>
  closest.length === 0 ? '' : `${phrases.closest}\n\n${linksTo(closest)}`;

/** A word in a larger share of the passages is not specific. */
const COMMON_SHARE = 0.08;
const FEW_WORDS = 3;

/** No word of the question, or of the previous turns, distinguishes passages. */
const isUnderspecified = ({ chunkCount }: Edition, { question: { text, query, terms } }: FoundAnswer): boolean => {
  const own = query.terms.filter(({ origin }) => origin === 'question');
  const tells = own.some(
    ({ isKnown, chunkCount: holding, postings }) =>
      postings.length > 0 && isKnown && holding < COMMON_SHARE * chunkCount,
  );
  const isShort = own.length <= FEW_WORDS && terms.length === own.length;
  const refersToNothing = own.length === 0 || referenceIn(text) === 'question';
  return namesNoSubject(text) || (isShort && !tells && own.every(({ isKnown }) => isKnown) && refersToNothing);
};

/** Asks for what the knowledge base distinguishes, such as the device. */
const askBack = (edition: Edition, { tooLittle, askBack: ask, askWhich, or }: AnswerPhrases): string => {
  const all = Array.from({ length: Math.min(200, edition.articleCount) }, (_, at) => edition.article(at).devices);
  const devices = [...new Set(all.flat())].slice(0, MAX_DEVICES).map((device) => oneLine(device, 60));
  return `${tooLittle} ${devices.length > 1 ? filled(askWhich, { devices: listed(devices, or) }) : ask}`;
};

const MAX_DEVICES = 6;

/**
 * Whether a question is in another language than all articles. If passages seem to answer, only when less than half of its words are
 * known.
 */
const isOtherLanguage = (
  { query }: FoundAnswer['question'],
  { asked, languages, isAnswered }: { asked: string | undefined; languages: readonly string[]; isAnswered: boolean },
): boolean => {
  if (asked === undefined || languages.length === 0 || languages.includes(asked)) return false;
  return !(isAnswered && isMostlyKnown(query.terms.filter(({ origin }) => origin === 'question')));
};

/**
 * The language to answer in: that of who asks, else that of the knowledge base. A few words are easily taken for another language: when the
 * knowledge base knows most of them, it is its own.
 */
export const spokenLanguage = (
  edition: Edition,
  question: string,
  asked: string | undefined,
  found?: Pick<FoundAnswer, 'passages'>,
): string | undefined => {
  const [own] = edition.languages;
  if (asked === undefined && edition.languages.length > 1)
    return detectLanguage(question, edition.languages) ?? languageOfPassages(found) ?? own;
  if (asked === undefined || own === undefined || edition.languages.includes(asked)) return asked ?? own;
  // Otherwise the conversation tells it.
  if (detectLanguage(question) !== asked) return asked;
  const likely = detectLanguage(question, edition.languages);
  if (likely !== undefined && edition.languages.includes(likely)) return likely;
  return isMostlyKnown(analyseQuery(edition, question).terms) ? own : asked;
};

/** A question of a name or two is in the language of what it finds. */
const languageOfPassages = (
  { passages: [first] }: Pick<FoundAnswer, 'passages'> = { passages: [] },
): string | undefined => first && detectLanguage(passageMarkdown(first.unit));

const isMostlyKnown = (words: readonly { isKnown: boolean }[]): boolean =>
  2 * words.filter(({ isKnown }) => isKnown).length >= Math.max(1, words.length);

/** Says that the articles are in another language. */
const inLanguage = ({ inLanguage: lack, onlyEnglish }: AnswerPhrases, languages: readonly string[]): string =>
  languages.length === 1 && languages[0] === 'en' && onlyEnglish !== '' ? `${onlyEnglish} ${lack}` : lack;

/** An article in another language is linked from this share of the best one's probability on. */
const LINKED_FROM = 0.3;
/** And only if the knowledge base contains at least this share of the question's words, by idf: names and loan words. */
const LEAST_KNOWN = 0.05;

/** The articles that are close to a question in another language: few of its words tell which. */
const closestInLanguage = ({ found, closest }: DeclineInput): readonly ClosestArticle[] => {
  const { terms, total } = found.question;
  const known = terms.reduce((sum, { idf, isKnown }) => sum + (isKnown ? idf : 0), 0);
  if (known < LEAST_KNOWN * total) return [];
  const least = LINKED_FROM * (found.articles[0]?.share ?? 0);
  return closest.filter((_, at) => (found.articles[at]?.share ?? 0) >= least);
};

const unknownWords = ({ query }: SearchOutcome, phrases: AnswerPhrases): string => {
  const unknown = query.terms
    .filter(({ postings }) => postings.length === 0)
    .map(({ word }) => `"${oneLine(word, 40)}"`);
  if (query.terms.length === 0) return phrases.noWord;
  if (unknown.length === 0) return phrases.apart;
  return filled(phrases.unknown, { words: listed(unknown.slice(0, 3), phrases.or) });
};
