import { type Coverage, RETRIEVAL_MIN_SCORE } from '../../contract/knowledge.ts';
import { oncePer } from '../../runtime/once-per.ts';
import { backgroundShares, type QueryTerm } from '../../search/analyse-query.ts';
import { answeringModelOf, domainFeatures } from '../../search/answering-model.ts';
import { findWordOf } from '../../search/edition-stems.ts';
import { applyLogistic } from '../../search/fit-logistic.ts';
import { cachedArticle, type Edition } from '../../search/open-edition.ts';
import { wordsOf } from '../../text/analyse-text.ts';
import { detectLanguage } from '../../text/detect-language.ts';
import { stem } from '../../text/stem.ts';
import { type AskedText, COVERAGE_FROM, cutText, type FoundGap } from './knowledge.ts';
import type { NamedProducts } from './named-products.ts';
import { outdatedReason, versionNotMeant } from './prefer-current.ts';
import { joinTopics, type Topic, topicOf } from './problem-text.ts';
import { OTHER_PRODUCT, type RankedSource } from './rank-sources.ts';

export interface GapInput {
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
 * What the knowledge base lacks for a message, as sentences: a product without its own article on the topic, an intent without an article, a part of
 * the question that no source covers, a source that is older than the product. Empty for what is covered and for off-topic messages.
 */
export const findGaps = (edition: Edition, input: GapInput): FoundGap[] => {
  if (edition.articleCount === 0 || !isOfDomain(edition, input)) return [];
  const isCovered = input.coverage === 'high' || input.coverage === 'medium';
  const gaps = isCovered
    ? [...uncoveredQuestions(edition, input), ...uncoveredVersion(edition, input), ...outdatedSources(edition, input)]
    : missing(edition, input);
  return gaps.slice(0, MAX_GAPS);
};

/** A product, an order or a known intent marks a customer; otherwise the words must be those of the knowledge base. */
const isOfDomain = (edition: Edition, { asked: [whole], intent, named }: GapInput): boolean => {
  if (intent !== undefined || named.known.length + named.unknown.length > 0) return true;
  if (whole === undefined) return false;
  if (ORDER.test(whole.text)) return true;
  const model = answeringModelOf(edition);
  return applyLogistic(model.domain, domainFeatures(whole.outcome, model.keys)) >= model.domainThreshold;
};

/** `order 19822`, `RMA #2231`, `Bestellung Nr. 19822`, `serial number A2-0031`. */
const ORDER =
  /(?<!\p{L})(?:order|invoice|purchase|rma|serial|tracking|customer|bestell(?:ung|nummer)|rechnung|seriennummer|auftrag|commande|facture|pedido|factura|ordine|fattura|bestelling|factuur)(?: (?:number|no|nr|id))?[ .:]{0,2}(?:#|№|nº|n°)?[ ]?[a-z0-9-]{0,6}\d{3}/iu;

const missing = (edition: Edition, input: GapInput): FoundGap[] => {
  const { intent, intents, named } = input;
  const isForeign = isForeignTo(edition, input.asked[0]?.text);
  const topic = isForeign ? NO_TOPIC : uncoveredTopic(edition, input);
  const products = [...named.unknown, ...named.known].filter((product) => lacksProduct(edition, product, input));
  const wanted = products.length === 0 || isForeign ? topic : informativeTopic(edition, input);
  const wantedTopics = topicsIn(edition, wanted);
  const productGaps = products.map((product): FoundGap => {
    const name = nameOf(edition, product);
    const isUnknown = named.unknown.includes(product);
    const about = [...(intent === undefined ? [] : [spoken(intent)]), ...wantedTopics.map(quoted)].slice(0, 5);
    return {
      kind: 'product',
      gap: `No ${name} specific guide for this issue${about.length === 0 ? '' : `: ${about.join(', ')}`}`,
      product: name,
      intent,
      // For a product without any article, a guide on the intent is missing, whatever the words.
      stems: isUnknown && intent !== undefined ? [] : wanted.stems,
    };
  });
  const lacksIntent =
    intent !== undefined &&
    usesIntents(edition).has &&
    intents.every((each) => edition.articlesTagged('intent', each).length === 0) &&
    !isNamedByArticle(edition, intent);
  const intentGap: FoundGap[] = lacksIntent
    ? [{ kind: 'intent', gap: `No article is about ${spoken(intent)}`, product: undefined, intent, stems: [] }]
    : [];
  if (productGaps.length > 0 || topic.phrases.length === 0 || isOnlyStory(input, topic)) {
    return [...productGaps, ...intentGap];
  }
  const topics = topicsIn(edition, topic);
  if (topics.length === 0 && intentGap.length > 0) return intentGap;
  const about = topics.length > 0 ? topics.map(quoted).join(', ') : intent && spoken(intent);
  const gap = about
    ? `No article answers what is asked about ${about}`
    : `No article answers ${quoted(shortQuestion(input))}`;
  return [...intentGap, { kind: 'question', gap, product: productOf(edition, named), intent, stems: topic.stems }];
};

/**
 * Prefers phrases with a word that is in no article and rare in English; then those with a rare word, then those with a word that is not among the
 * commonest, then those of several words.
 */
const topicsIn = (edition: Edition, { phrases }: Topic): string[] => {
  const having = (isRare: (word: string) => boolean) => phrases.filter((phrase) => wordsOf(phrase).some(isRare));
  const tiers = [
    having((word) => shareOf(word) < RARE_SHARE && !knowsWord(edition, word)),
    having((word) => shareOf(word) < RARE_SHARE),
    having((word) => shareOf(word) < COMMON_SHARE),
    phrases.filter((phrase) => wordsOf(phrase).length > 1),
  ];
  return tiers.find((tier) => tier.length > 0) ?? [];
};

/** Rare in running English; a word with a digit could be any number. */
const shareOf = (word: string): number => (/\d/.test(word) ? 1 : (backgroundShares().get(stem(word)) ?? 0));

/** Some thousand English words are more frequent than the first limit, some three hundred more than the second. */
const RARE_SHARE = Math.exp(-17 / 2);
const COMMON_SHARE = Math.exp(-15 / 2);

/**
 * A story contains words that are in no article. If something was found, they are no evidence of a gap; otherwise only words of its questions are, or
 * words unknown to the knowledge base.
 */
const isOnlyStory = ({ asked, coverage }: GapInput, { stems }: Topic): boolean => {
  if (asked.length < 2) return false;
  if (coverage === 'low') return true;
  const questions = asked.slice(1).filter(({ text }) => QUESTION.test(text));
  const sought = new Set(
    (questions.length > 0 ? questions : asked.slice(0, 1)).flatMap(({ outcome: { query } }) =>
      query.terms.flatMap((term) => (questions.length > 0 || term.postings.length === 0 ? term.stem : [])),
    ),
  );
  return stems.filter(([stem]) => sought.has(stem)).length < MIN_SOUGHT;
};
const MIN_SOUGHT = 2;

/** If no word of it names a topic, the question itself is the topic. */
const shortQuestion = (input: GapInput): string => {
  const [{ text = '' } = {}] = tellingParts(input);
  return cutText(text.replace(/\s+/g, ' ').trim(), MAX_QUESTION);
};
const MAX_QUESTION = 120;

const NO_TOPIC: Topic = { phrases: [], stems: [] };

/** Nothing was found on the product; or only sources on other products with a low relevance; or a weak source without a product. */
const lacksProduct = (edition: Edition, product: string, { named, ranked }: GapInput): boolean => {
  if (named.unknown.includes(product)) return true;
  const [best] = ranked.filter(({ isOfOtherProduct }) => !isOfOtherProduct);
  const other = ranked.find(({ isOfOtherProduct }) => isOfOtherProduct);
  const relevance = best?.relevance ?? 0;
  const ofOthers = (other?.relevance ?? 0) / OTHER_PRODUCT;
  if (ofOthers >= COVERAGE_FROM.low && relevance < HARDLY * ofOthers) return true;
  const isGeneral = best !== undefined && cachedArticle(edition, best.article).devices.length === 0;
  return isGeneral && relevance >= COVERAGE_FROM.low;
};
const HARDLY = 0.25;

/** Informative words in the questions of a message and in the sentence that found the best source; the rest is a story. */
const informativeTopic = (edition: Edition, input: GapInput): Topic =>
  joinTopics(
    tellingParts(input).map(({ text, outcome: { query } }) =>
      topicOf(text, { terms: query.terms, chunkCount: edition.chunkCount, names: namesOf(input), isAsked: () => true }),
    ),
  );

/** Those words that no relevant source contains; all of them if the sources contain every word and still do not answer. */
const uncoveredTopic = (edition: Edition, input: GapInput): Topic => {
  const { ranked } = input;
  const some = new Set(ranked.flatMap(({ article, relevance }) => (relevance >= COVERAGE_FROM.low ? [article] : [])));
  const topics = tellingParts(input).map(({ text, outcome: { query, hits } }) => {
    const held = new Set(hits.flatMap(({ article, matched }) => (some.has(article) ? matched : [])));
    const isAsked = (term: QueryTerm) => !held.has(query.terms.indexOf(term));
    return topicOf(text, { terms: query.terms, chunkCount: edition.chunkCount, names: namesOf(input), isAsked });
  });
  const uncovered = joinTopics(topics);
  return uncovered.phrases.length > 0 ? uncovered : informativeTopic(edition, input);
};

const tellingParts = ({ asked, ranked }: GapInput): readonly AskedText[] => {
  const best = ranked.find(({ isOfOtherProduct }) => !isOfOtherProduct) ?? ranked[0];
  const parts = asked.length === 1 ? asked : asked.filter(({ text }) => QUESTION.test(text) || text === best?.text);
  return parts.length === 0 ? asked.slice(0, 1) : parts;
};

const namesOf = ({ named, people }: GapInput): string[] => [...named.known, ...named.unknown, ...people];

const QUESTION =
  /\?["'”’)\]]{0,3}\s{0,20}$|^\s{0,20}(?:how|what|which|where|when|why|who|can|could|do|does|is|are|will|would|should|may|please tell)\b/i;
/** Share of a question's words that are unknown to the knowledge base. */
const UNKNOWN_SHARE = 0.4;
const MIN_WORDS = 3;
/** A single word may be a synonym. */
const MIN_UNKNOWN = 2;

/** Questions of a message that no article covers, while its other parts are covered. */
const uncoveredQuestions = (edition: Edition, input: GapInput): FoundGap[] => {
  const { asked, named, intent } = input;
  if (isForeignTo(edition, input.asked[0]?.text)) return [];
  const names = namesOf(input);
  return asked.slice(1).flatMap(({ text, outcome: { query } }): FoundGap[] => {
    if (!QUESTION.test(text)) return [];
    const options = { terms: query.terms, chunkCount: edition.chunkCount, names };
    const whole = topicOf(text, { ...options, isAsked: () => true });
    const unknown = topicOf(text, { ...options, isAsked: ({ postings }) => postings.length === 0 });
    if (
      whole.stems.length < MIN_WORDS ||
      unknown.phrases.length === 0 ||
      unknown.stems.length < MIN_UNKNOWN ||
      weightOf(unknown) < UNKNOWN_SHARE * weightOf(whole)
    )
      return [];
    const gap = `No source covers this part of the question: ${unknown.phrases.map(quoted).join(', ')}`;
    return [{ kind: 'question', gap, product: productOf(edition, named), intent, stems: whole.stems }];
  });
};

const weightOf = ({ stems }: Topic): number => stems.reduce((sum, [, weight]) => sum + weight, 0);

/** A version that the customer names, if every source is on newer ones. */
const uncoveredVersion = (edition: Edition, input: GapInput): FoundGap[] => {
  const { asked, ranked, named, intent } = input;
  const text = asked[0]?.text ?? '';
  const covering = ranked.filter(({ relevance }) => relevance >= RETRIEVAL_MIN_SCORE);
  const versions = covering.map(({ article }) => versionNotMeant(edition, article, text));
  const [version] = versions;
  if (version === undefined || versions.includes(undefined)) return [];
  const gap = `No source covers this part of the question: ${quoted(version)}`;
  const { stems } = informativeTopic(edition, input);
  return [{ kind: 'question', gap, product: productOf(edition, named), intent, stems }];
};

/** Only if no newer source covers the message. */
const outdatedSources = (edition: Edition, { asked, ranked, named, intent }: GapInput): FoundGap[] => {
  const covering = ranked.filter(({ relevance }) => relevance >= RETRIEVAL_MIN_SCORE);
  const text = asked[0]?.text ?? '';
  const reasons = covering.map(({ article, chunks }) =>
    outdatedReason(edition, { article, chunks, text, products: named.known }),
  );
  const [first] = covering;
  const [reason] = reasons;
  if (first === undefined || reason === undefined || reasons.includes(undefined)) return [];
  const { title } = cachedArticle(edition, first.article);
  return [
    {
      kind: 'outdated',
      gap: `The article ${quoted(title.slice(0, 200))} ${reason}`,
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
  return words.length > 0 && namesOfArticles(edition).some((names) => words.every((word) => names.has(word)));
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
  for (let at = 0; at < edition.articleCount; at++) if (edition.article(at).intents.length > 0) return { has: true };
  return { has: false };
});

/** In the language of the articles, most words of a text are known to them; in another language, names and numbers are. */
const OWN_SHARE = 0.65;

/** Whether a text is in another language than the articles: it looks like one, and few of its words occur in them. */
export const isForeignTo = (edition: Edition, text: string | undefined): boolean => {
  const detected = text === undefined ? undefined : detectLanguage(text);
  if (text === undefined || detected === undefined || edition.languages.length === 0) return false;
  if (edition.languages.includes(detected)) return false;
  const words = [...new Set(wordsOf(text.slice(0, MAX_READ)))];
  const known = words.filter((word) => knowsWord(edition, word)).length;
  return known < OWN_SHARE * words.length;
};
const MAX_READ = 4000;

/** Whether an article contains a word in any inflected form. */
export const knowsWord = (edition: Edition, word: string): boolean => findWordOf(edition, word).termId >= 0;

/** The language of the articles that a text is answered from (BCP 47): its own if there are some, else that of most; undefined if unknown. */
export const languageOfArticles = (edition: Edition, text: string): string | undefined => {
  const [usual, ...others] = edition.languages;
  if (others.length === 0) return usual;
  const own = detectLanguage(text);
  return own !== undefined && others.includes(own) ? own : usual;
};
