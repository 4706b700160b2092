import { type Coverage, RETRIEVAL_MIN_SCORE } from '../../contract/wire/knowledge.ts';
import { findWordOf } from '../../knowledge/edition/edition-stems.ts';
import { cachedArticle, type Edition } from '../../knowledge/edition/open-edition.ts';
import type { QueryTerm } from '../../knowledge/search/analyse-query.ts';
import { DOMAIN_THRESHOLD, domainProbability } from '../../knowledge/search/relevance.ts';
import type { SearchOutcome } from '../../knowledge/search/search-edition.ts';
import { wordsOf } from '../../language/analyse-text.ts';
import { detectLanguage } from '../../language/detect-language.ts';
import { stem } from '../../language/stem.ts';
import { oncePer } from '../../platform/once-per.ts';
import { type AskedText, COVERAGE_FROM, type FoundGap } from './knowledge.ts';
import type { NamedProducts } from './named-products.ts';
import { isRareWord, joinTopics, type Topic, topicOf } from './problem-text.ts';
import { isOutdatedFor, OTHER_PRODUCT, type RankedSource } from './rank-sources.ts';

interface GapInput {
  /** The whole problem first, then its sentences. */
  asked: readonly AskedText[];
  /** Best first. */
  ranked: readonly RankedSource[];
  coverage: Coverage;
  /** Undefined if unknown. */
  intent: string | undefined;
  /** Article intents that answer the ticket's intent. */
  intents: readonly string[];
  named: NamedProducts;
  /** Names of people, which are never part of a topic. */
  people: readonly string[];
}

const MAX_GAPS = 5;

/**
 * What the knowledge base lacks for a message, as sentences: a product without its own article on the topic, an intent without an article, a
 * part of the question that no source covers, sources that are all far older than most articles. Empty for what is covered and for off-topic messages.
 */
export function findGaps(edition: Edition, input: GapInput): FoundGap[] {
  if (edition.articleCount === 0 || !isOfDomain(edition, input)) return [];
  const isCovered = input.coverage === 'high' || input.coverage === 'medium';
  const gaps = isCovered
    ? [...uncoveredQuestions(edition, input), ...outdatedSources(edition, input)]
    : missing(edition, input);
  return gaps.slice(0, MAX_GAPS);
}

/** A product, an order or a known intent marks a customer; otherwise the words must be those of the knowledge base. */
const isOfDomain = (edition: Edition, { asked: [whole], intent, named }: GapInput): boolean => {
  if (intent !== undefined || named.known.length + named.unknown.length > 0) return true;
  if (whole === undefined) return false;
  if (OWN_NUMBER.test(whole.text)) return true;
  return domainProbability(edition, whole.outcome) >= DOMAIN_THRESHOLD;
};

/** The number of an order or a customer, and no year. */
const OWN_NUMBER =
  /(?<![\p{L}\p{N}.,:/-])(?!(?:19|20)\d\d(?!\d))\d{4,12}(?!\p{L}|\p{N}|[.,:/-]\p{N})/u;

const missing = (edition: Edition, input: GapInput): FoundGap[] => {
  const { asked, intent, named } = input;
  const topic = isForeignTo(edition, asked[0]?.text)
    ? { phrases: [], stems: [] }
    : uncoveredTopic(edition, input);
  const topics = telling(edition, topic).map(quoted);
  const products = [...named.unknown, ...named.known].filter((product) =>
    lacksProduct(edition, product, input),
  );
  const productGaps = products.map((product): FoundGap => {
    const name = nameOf(edition, product);
    const details = [...(intent === undefined ? [] : [spoken(intent)]), ...topics].slice(0, 5);
    return {
      kind: 'product',
      gap: `No ${name} specific guide for this issue${details.length === 0 ? '' : `: ${details.join(', ')}`}`,
      product: name,
      intent,
      // For a product without any article, a guide on the intent is missing, whatever the words.
      stems: named.unknown.includes(product) && intent !== undefined ? [] : topic.stems,
    };
  });
  const gaps = [...productGaps, ...lackingIntent(edition, input)];
  if (isStory(input, topic)) return gaps;
  if (productGaps.length > 0 || topic.phrases.length === 0) return gaps;
  const product = productOf(edition, named);
  return [
    ...gaps,
    {
      kind: 'question',
      gap: `No article answers what is asked about ${(topics.length > 0 ? topics : topic.phrases.map(quoted)).join(', ')}`,
      product,
      intent,
      stems: topic.stems,
    },
  ];
};

/**
 * A story contains words that are in no article. If something was found, they are no evidence of a gap; otherwise those of its questions are, or
 * in a message without any those that the knowledge base lacks.
 */
const isStory = (
  { asked: [whole, ...sentences], coverage }: GapInput,
  { stems }: Topic,
): boolean => {
  if (sentences.length === 0) return false;
  const isUnknown = (word: string) =>
    whole?.outcome.query.terms.some((term) => term.stem === word && term.postings.length === 0) ===
    true;
  const sought = sentences.some(({ text }) => isQuestion(text))
    ? stems
    : stems.filter(([word]) => isUnknown(word));
  return coverage === 'low' || sought.length < MIN_UNKNOWN;
};

const lackingIntent = (edition: Edition, { intent, intents }: GapInput): FoundGap[] =>
  intent === undefined ||
  !usesIntents(edition).has ||
  intents.some((each) => edition.articlesTagged('intent', each).length > 0) ||
  isNamedByArticle(edition, intent)
    ? []
    : [
        {
          kind: 'intent',
          gap: `No article is about ${spoken(intent)}`,
          product: undefined,
          intent,
          stems: [],
        },
      ];

/** Phrases with a rare word, if possible one that is in no article. */
const telling = (edition: Edition, { phrases }: Topic): readonly string[] => {
  const rare = phrases.filter((phrase) => wordsOf(phrase).some(isRareWord));
  const unknown = rare.filter((phrase) =>
    wordsOf(phrase).some((word) => isRareWord(word) && !knowsWord(edition, word)),
  );
  return unknown.length > 0 ? unknown : rare;
};

/** Nothing was found on the product; or only sources on other products with a low relevance; or a weak source without a product. */
const lacksProduct = (edition: Edition, product: string, { named, ranked }: GapInput): boolean => {
  if (named.unknown.includes(product)) return true;
  const best = ranked.find(({ isOfOtherProduct }) => !isOfOtherProduct);
  const other = ranked.find(({ isOfOtherProduct }) => isOfOtherProduct);
  const relevance = best?.relevance ?? 0;
  const ofOthers = (other?.relevance ?? 0) / OTHER_PRODUCT;
  if (ofOthers >= COVERAGE_FROM.low && relevance < HARDLY * ofOthers) return true;
  const isGeneral = best !== undefined && cachedArticle(edition, best.article).devices.length === 0;
  return isGeneral && relevance >= COVERAGE_FROM.low;
};
const HARDLY = 0.25;

/**
 * Informative words in the questions of a message, else in the sentence that found the best source, since the rest is a story: those that no
 * relevant source contains; all of them if the sources contain every word and still do not answer.
 */
const uncoveredTopic = (edition: Edition, input: GapInput): Topic => {
  const { asked, ranked } = input;
  const relevantArticles = new Set(
    ranked.flatMap(({ article, relevance }) => (relevance >= COVERAGE_FROM.low ? [article] : [])),
  );
  const best = ranked.find(({ isOfOtherProduct }) => !isOfOtherProduct) ?? ranked[0];
  const questions = asked.slice(1).filter(({ text }) => isQuestion(text));
  const parts =
    questions.length > 0 ? questions : [asked.find(({ text }) => text === best?.text) ?? asked[0]];
  const topicBy = (isAsked: (term: QueryTerm, outcome: SearchOutcome) => boolean): Topic =>
    joinTopics(
      parts.flatMap((part) =>
        part ? topicIn(edition, part, input, (term) => isAsked(term, part.outcome)) : [],
      ),
    );
  const uncovered = topicBy(
    (term, { query, hits }) =>
      !hits.some(
        ({ article, matched }) =>
          relevantArticles.has(article) && matched.includes(query.terms.indexOf(term)),
      ),
  );
  return uncovered.phrases.length > 0 ? uncovered : topicBy(() => true);
};

const topicIn = (
  edition: Edition,
  { text, outcome: { query } }: AskedText,
  { named, people }: GapInput,
  isAsked: (term: QueryTerm) => boolean,
): Topic => {
  const names = [...named.known, ...named.unknown, ...people];
  return topicOf(text, { terms: query.terms, chunkCount: edition.chunkTotal, names, isAsked });
};

/** Whether a sentence, or the last one of a text, ends with a question mark. */
export function isQuestion(text: string): boolean {
  return /[?？]["'”’)\]]{0,3}\s{0,20}$/.test(text);
}

/** Share of a question's words that are unknown to the knowledge base. */
const UNKNOWN_SHARE = 0.4;
const MIN_WORDS = 3;
/** A single word may be a synonym. */
const MIN_UNKNOWN = 2;

/** Questions of a message that no article covers, while its other parts are covered. */
const uncoveredQuestions = (edition: Edition, input: GapInput): FoundGap[] => {
  const { asked, named, intent } = input;
  if (isForeignTo(edition, asked[0]?.text)) return [];
  return asked.slice(1).flatMap((part): FoundGap[] => {
    if (!isQuestion(part.text)) return [];
    const topic = topicIn(edition, part, input, () => true);
    const unknown = topicIn(edition, part, input, ({ postings }) => postings.length === 0);
    const isKnown =
      topic.stems.length < MIN_WORDS ||
      unknown.stems.length < MIN_UNKNOWN ||
      unknown.phrases.length === 0;
    if (isKnown || weightOf(unknown) < UNKNOWN_SHARE * weightOf(topic)) return [];
    const gap = `No source covers this part of the question: ${unknown.phrases.map(quoted).join(', ')}`;
    return [
      { kind: 'question', gap, product: productOf(edition, named), intent, stems: topic.stems },
    ];
  });
};

const weightOf = ({ stems }: Topic): number => stems.reduce((sum, [, weight]) => sum + weight, 0);

/** Only if no newer source covers the message. */
const outdatedSources = (
  edition: Edition,
  { asked, ranked, named, intent }: GapInput,
): FoundGap[] => {
  const covering = ranked.filter(({ relevance }) => relevance >= RETRIEVAL_MIN_SCORE);
  const text = asked[0]?.text ?? '';
  const [first] = covering;
  if (
    first === undefined ||
    !covering.every(({ article }) => isOutdatedFor(edition, article, text))
  )
    return [];
  const { title, lastUpdated } = cachedArticle(edition, first.article);
  return [
    {
      kind: 'outdated',
      gap: `The article ${quoted(title.slice(0, 200))} was last changed in ${lastUpdated.slice(0, 4)}, long before most others`,
      product: productOf(edition, named),
      intent,
      stems: [...new Set(wordsOf(title).map(stem))].slice(0, 12).map((each) => [each, 1] as const),
    },
  ];
};

const productOf = (edition: Edition, { known, unknown }: NamedProducts): string | undefined => {
  const [product] = [...unknown, ...known];
  return product === undefined ? undefined : nameOf(edition, product);
};

/** As articles write it, otherwise as the ticket does. */
const nameOf = (edition: Edition, product: string): string => {
  const [article] = edition.articlesTagged('device', product);
  const devices = article === undefined ? [] : cachedArticle(edition, article).devices;
  return devices.find((device) => device.toLowerCase() === product) ?? product;
};

const quoted = (phrase: string): string => `“${phrase}”`;
/** `not_hashing` -> `not hashing`. */
const spoken = (intent: string): string => intent.replace(/[_-]+/g, ' ');

/** Whether a title or a label has all words of an intent: labels of others are often more exact (`warranty_claim` for `warranty`). */
const isNamedByArticle = (edition: Edition, intent: string): boolean => {
  const words = wordsOf(spoken(intent)).map(stem);
  return (
    words.length > 0 &&
    namesOfArticles(edition).some((names) => words.every((word) => names.has(word)))
  );
};

/** The stems of each title and of each label. */
const namesOfArticles = oncePer((edition: Edition): readonly ReadonlySet<string>[] => {
  const names = new Set<string>();
  for (let at = 0; at < edition.articleCount; at++) {
    const { title, intents } = edition.article(at);
    for (const name of [title, ...intents]) names.add(spoken(name));
  }
  return [...names].map((name) => new Set(wordsOf(name).map(stem)));
});

/** Sources without intents, as in most helpdesks, are never reported as lacking one. */
const usesIntents = oncePer((edition: Edition) => {
  for (let at = 0; at < edition.articleCount; at++)
    if (edition.article(at).intents.length > 0) return { has: true };
  return { has: false };
});

/** In the language of the articles, most words of a text are known to them; in another language, names and numbers are. */
const OWN_SHARE = 0.65;

/** Whether a text is in another language than the articles: it looks like one, and few of its words occur in them. */
export function isForeignTo(edition: Edition, text: string | undefined): boolean {
  const detected = text === undefined ? undefined : detectLanguage(text);
  if (text === undefined || detected === undefined || edition.languages.length === 0) return false;
  if (edition.languages.includes(detected)) return false;
  const words = [...new Set(wordsOf(text.slice(0, MAX_READ)))];
  const known = words.filter((word) => knowsWord(edition, word)).length;
  return known < OWN_SHARE * words.length;
}
const MAX_READ = 4000;

/** Whether an article contains a word in any inflected form. */
export function knowsWord(edition: Edition, word: string): boolean {
  return findWordOf(edition, word).termId >= 0;
}

/** The language of the articles that a text is answered from (BCP 47): its own if there are some, else that of most; undefined if unknown. */
export function languageOfArticles(edition: Edition, text: string): string | undefined {
  const [usual, ...others] = edition.languages;
  if (others.length === 0) return usual;
  const own = detectLanguage(text);
  return own !== undefined && others.includes(own) ? own : usual;
}
