import { escapeHtml, escapeText } from '../../documents/markdown/escape-html.ts';
import type { Edition } from '../../knowledge/edition/open-edition.ts';
import { analyseQuery } from '../../knowledge/search/analyse-query.ts';
import { DOMAIN_THRESHOLD } from '../../knowledge/search/relevance.ts';
import type { SearchOutcome } from '../../knowledge/search/search-edition.ts';
import { detectLanguage } from '../../language/detect-language.ts';
import { namesNoSubject, referenceIn } from '../../language/refers-back.ts';
import { writtenWords } from '../../language/spaced-words.ts';
import type { FoundAnswer } from '../passages/find-answer.ts';
import { passageMarkdown } from '../passages/render-passage.ts';
import { type AnswerPhrases, answerPhrases, filled, listed } from './answer-phrases.ts';
import { linksTo, oneLine } from './cite-sources.ts';
import { relatedTopics, strategyOf } from './compose-answer.ts';
import type { ArticleHit, ClosestArticle, NavigatorAnswer } from './navigator-answer.ts';

interface DeclineInput {
  edition: Edition;
  outcome: SearchOutcome;
  result: FoundAnswer;
  /** Those that are about the devices of the question. */
  hits: readonly ArticleHit[];
  closest: readonly ClosestArticle[];
  /** The language of who asks; undefined when nothing tells it. */
  language: string | undefined;
  /** It refers back to a question before, so its own words do not tell what it is about. */
  isFollowUp: boolean;
  /** The passages answer with sufficient probability. */
  isAnswered: boolean;
  /** A model found that the question is about something else than the articles. */
  isOffTopic: boolean;
  /** A model that read the articles chose `closest`. */
  isChosen: boolean;
}

/** A question is out of domain below this share of the threshold. */
const OUT_OF_DOMAIN_BELOW = 0.15;
/** A question is called out of domain only below this probability of an answer. */
const OUT_OF_DOMAIN_PROBABILITY = 0.05;

/** Upper bound of the probability without an answer. */
const UNANSWERED_LIMIT = 0.2;

/**
 * Less probable articles share only single words with the question, and are not named. Of 101 declines
 * of foreign documentations eight lose their links by this, one of them a right one.
 */
const CLOSE_FROM = 0.1;

/**
 * States in one sentence that there is no answer and why, and links the closest articles; asks for details when the question has too few.
 * Undefined when there is an answer.
 */
export function decline(input: DeclineInput): NavigatorAnswer | undefined {
  const { edition, result, isAnswered } = input;
  const isClose = input.isChosen || result.probability >= CLOSE_FROM;
  const closest = isClose ? input.closest : [];
  const { languages } = edition;
  const asker = input.language ?? languages[0];
  const phrases = answerPhrases(asker);
  const lack = { verdict: 'no-information', says: phrases.lack, closest } as const;
  const offTopic = {
    verdict: 'out-of-domain',
    says: `${phrases.lack} ${phrases.offTopic}`,
    // An out-of-domain question has no close article.
    closest: [],
  } as const;
  // A question without a subject is not about something else.
  const isOpen = !input.isFollowUp && isUnderspecified(edition, result);
  if (input.isOffTopic && !isOpen) return declineWith(input, phrases, offTopic);
  if (isOpen)
    return declineWith(input, phrases, {
      verdict: 'underspecified',
      says: askBack(edition, phrases),
      closest: [],
    });
  const isOther = isOtherLanguage(result.question, { asker, languages, isAnswered });
  // An embedding model also matches passages in another language.
  if (isOther && result.nearness === 0)
    return declineWith(input, phrases, {
      verdict: 'no-information',
      says: inLanguage(phrases, languages),
      closest,
      isOtherLanguage: true,
    });
  if (isAnswered) return undefined;
  const isOff = isOffTopic(edition, result) || (!input.isFollowUp && knowsNoWord(edition, result));
  return declineWith(input, phrases, isOff ? offTopic : lack);
}

/** By the estimate of the search. A question in another language than the articles is not. */
export function isOffTopic(edition: Edition, { domain, probability }: FoundAnswer): boolean {
  return (
    edition.articleCount > 0 &&
    domain < OUT_OF_DOMAIN_BELOW * DOMAIN_THRESHOLD &&
    probability < OUT_OF_DOMAIN_PROBABILITY
  );
}

/** The question has words, and none of them occurs in the knowledge base. */
const knowsNoWord = ({ articleCount }: Edition, { question: { query } }: FoundAnswer): boolean =>
  articleCount > 0 &&
  query.terms.length > 0 &&
  query.terms.every(({ postings }) => postings.length === 0);

interface Declination {
  verdict: Exclude<NavigatorAnswer['verdict'], 'answer'>;
  says: string;
  /** The articles that are linked. */
  closest: readonly ClosestArticle[];
  /** The articles are in another language, as `says` states: which words are unknown means nothing. */
  isOtherLanguage?: boolean;
}

const declineWith = (
  { edition, outcome, result, hits }: DeclineInput,
  phrases: AnswerPhrases,
  { verdict, says, closest, isOtherLanguage = false }: Declination,
): NavigatorAnswer => {
  const count = String(edition.articleCount);
  const searched =
    edition.articleCount === 1 ? phrases.searchedOne : filled(phrases.searchedAll, { count });
  const reason = isOtherLanguage
    ? `${says} ${searched}; ${phrases.uncovered}`
    : `${searched}; ${unknownWords(outcome, phrases)}, ${phrases.uncovered}`;
  const isOutOfDomain = verdict === 'out-of-domain';
  // That a question is outside of the domain is itself sure; how well the answer answers it is another matter.
  const level = isOutOfDomain
    ? `${phrases.sureHigh}: ${phrases.outside}`
    : `${phrases.sureLow}: ${phrases.noAnswer}`;
  const frame = closest.length === 0 ? [says] : [says, phrases.closest, linksTo(closest)];
  const linkedFiles = new Set(closest.map(({ file }) => file));
  return {
    response: {
      answer: escapeHtml(frame.join('\n\n')),
      sources: [],
      confidence: isOutOfDomain ? 'high' : 'low',
      confidenceReason: escapeText(`${level}. ${reason}.`, 1000),
      outOfDomain: isOutOfDomain,
      // Only of the articles that are linked: the others have nothing to do with an off-topic question.
      relatedTopics: relatedTopics(
        edition,
        hits.filter(({ source }) => linkedFiles.has(source.id)),
        [],
      ),
      edition: edition.id,
      searchStrategy: strategyOf(outcome),
    },
    verdict,
    probability: Math.min(result.probability, UNANSWERED_LIMIT),
    sources: [],
    closest: [...closest],
    frame,
  };
};

/** A word in a larger share of the passages is not specific. */
const COMMON_SHARE = 0.08;
const FEW_WORDS = 3;

/** No word of the question, or of the previous turns, distinguishes passages. */
const isUnderspecified = (
  { chunkTotal }: Edition,
  { question: { text, query, terms } }: FoundAnswer,
): boolean => {
  const own = query.terms.filter(({ origin }) => origin === 'question');
  const tells = own.some(
    ({ isKnown, chunkCount: holding, postings }) =>
      postings.length > 0 && isKnown && holding < COMMON_SHARE * chunkTotal,
  );
  const isShort = own.length <= FEW_WORDS && terms.length === own.length;
  const refersToNothing = own.length === 0 || referenceIn(text) === 'question';
  return (
    namesNoSubject(text) ||
    (isShort && !tells && own.every(({ isKnown }) => isKnown) && refersToNothing)
  );
};

/** Asks for what the knowledge base distinguishes, such as the device. */
const askBack = (
  edition: Edition,
  { tooLittle, askBack: ask, askWhich, or }: AnswerPhrases,
): string => {
  const all = Array.from(
    { length: Math.min(200, edition.articleCount) },
    (_, at) => edition.article(at).devices,
  );
  const devices = [...new Set(all.flat())]
    .slice(0, MAX_DEVICES)
    .map((device) => oneLine(device, 60));
  return `${tooLittle} ${devices.length > 1 ? filled(askWhich, { devices: listed(devices, or) }) : ask}`;
};

const MAX_DEVICES = 6;

/**
 * Whether a question is in another language than all articles. If passages seem to answer, only when less than half of its words are
 * known.
 */
const isOtherLanguage = (
  { query }: FoundAnswer['question'],
  {
    asker,
    languages,
    isAnswered,
  }: { asker: string | undefined; languages: readonly string[]; isAnswered: boolean },
): boolean => {
  if (asker === undefined || languages.length === 0 || languages.includes(asker)) return false;
  return !(isAnswered && isMostlyKnown(query.terms.filter(({ origin }) => origin === 'question')));
};

/**
 * The language to answer in: that of who asks, else that of the knowledge base. A few words are easily taken for another language: when the
 * knowledge base knows most of them, it is its own.
 */
export function spokenLanguage(
  edition: Edition,
  question: string,
  asker: string | undefined,
  result?: Pick<FoundAnswer, 'passages'>,
): string | undefined {
  const [own] = edition.languages;
  if (asker === undefined && edition.languages.length > 1)
    return detectLanguage(question, edition.languages) ?? languageOfPassages(result) ?? own;
  if (asker === undefined || own === undefined || edition.languages.includes(asker))
    return asker ?? own;
  // Otherwise the conversation tells it.
  if (detectLanguage(question) !== asker) return asker;
  const likely = detectLanguage(question, edition.languages);
  if (likely !== undefined && (isSentence(question) || edition.languages.includes(likely)))
    return likely;
  return isMostlyKnown(analyseQuery(edition, question).terms) ? own : asker;
}

/** Whether it has enough words to tell its language. */
const isSentence = (question: string): boolean => writtenWords(question).length >= SENTENCE_WORDS;
const SENTENCE_WORDS = 5;

/** A question of a name or two is in the language of what it finds. */
const languageOfPassages = (
  { passages: [first] }: Pick<FoundAnswer, 'passages'> = { passages: [] },
): string | undefined => first && detectLanguage(passageMarkdown(first.unit));

const isMostlyKnown = (words: readonly { isKnown: boolean }[]): boolean =>
  2 * words.filter(({ isKnown }) => isKnown).length >= Math.max(1, words.length);

/** Says that the articles are in another language. */
const inLanguage = (
  { inLanguage: lack, onlyEnglish }: AnswerPhrases,
  languages: readonly string[],
): string =>
  languages.length === 1 && languages[0] === 'en' && onlyEnglish !== ''
    ? `${onlyEnglish} ${lack}`
    : lack;

const unknownWords = ({ query }: SearchOutcome, phrases: AnswerPhrases): string => {
  const unknown = query.terms
    .filter(({ postings }) => postings.length === 0)
    .map(({ word }) => `"${oneLine(word, 40)}"`);
  if (query.terms.length === 0) return phrases.noWord;
  if (unknown.length === 0) return phrases.apart;
  return filled(phrases.unknown, { words: listed(unknown.slice(0, 3), phrases.or) });
};
