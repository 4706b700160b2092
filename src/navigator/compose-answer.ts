import { MAX_STATEMENTS, type Statement } from '../contract/ask.ts';
import {
  type AlternativeAnswer,
  type ConfidenceComponents,
  type ConfidenceFactor,
  type ConfidenceLevel,
  levelOf,
  type NavigatorResponse,
  PARTIAL_BELOW,
  type ResponseQuality,
} from '../contract/navigator-response.ts';
import { CLOSE_SECOND, type FoundAnswer } from '../grounding/find-answer.ts';
import { stemsOf } from '../grounding/sections.ts';
import { type AnswerPhrases, filled } from '../runtime/answer-phrases.ts';
import { escapeText } from '../runtime/escape-html.ts';
import { oncePer } from '../runtime/once-per.ts';
import { type CachedChunk, cachedChunk, type Edition } from '../search/open-edition.ts';
import type { SearchOutcome } from '../search/search-edition.ts';
import type { Comparison } from './alternatives.ts';
import headings from './common-headings.json' with { type: 'json' };
import { citeSources, oneLine, type PlacedQuote, sectionOf } from './compose-answer.ts';
import type { ArticleHit, ChosenHits, NavigatorAnswer } from './navigator-answer.ts';

export interface AnswerParts {
  edition: Edition;
  /** Markdown, safe to render as HTML. */
  text: string;
  outcome: SearchOutcome;
  chosen: ChosenHits;
  quotes: readonly PlacedQuote[];
  statements: Statement[];
  assessed: Assessment;
  alternatives: AlternativeAnswer[];
}

/** Builds an answer, quoted or written by a model; its sources and related topics come from its quotes. */
export const assembleAnswer = (parts: AnswerParts): Omit<NavigatorAnswer, 'closest'> => {
  const { edition, text, outcome, chosen, quotes, statements, assessed, alternatives } = parts;
  const sources = citeSources(quotes, edition.id);
  const response: NavigatorResponse = {
    answer: text,
    sources,
    ...(alternatives.length > 0 ? { alternatives } : {}),
    quality: qualityOf({ statements, sources, assessed, removed: 0 }),
    statements,
    confidence: assessed.confidence,
    confidenceReason: assessed.confidenceReason,
    relatedTopics: relatedTopics(edition, chosen.hits, quotes),
    outOfDomain: false,
    confidenceComponents: assessed.components,
    edition: edition.id,
    searchStrategy: strategyOf(outcome),
  };
  return {
    response,
    verdict: 'answer',
    probability: assessed.probability,
    sources: readersSources(response, quotes),
  };
};

/**
 * How well an answer is founded.
 *
 * @param removed Number of statements that were written and removed.
 */
export const qualityOf = ({
  statements,
  sources,
  assessed: { agreement, factors },
  removed,
}: {
  statements: readonly Statement[];
  sources: NavigatorResponse['sources'];
  assessed: Pick<Assessment, 'agreement' | 'factors'>;
  removed: number;
}): ResponseQuality => {
  const stating = statements.filter((statement) => statement.sources.length > 0).slice(0, MAX_STATEMENTS);
  const lengthOf = (those: readonly Statement[]) => those.reduce((sum, { text }) => sum + text.length, 0);
  const quoted = lengthOf(stating.filter(({ check }) => check === 'quoted'));
  return {
    statements: stating.length,
    supported: rounded(stating.length / Math.max(1, stating.length + removed)),
    quoted: rounded(quoted / Math.max(1, lengthOf(stating))),
    sources: new Set(sources.map(({ file }) => file)).size,
    agreement,
    factors: factors.map((factor) => ({ ...factor, explanation: escapeText(factor.explanation, 500) })),
  };
};

export const strategyOf = ({ query, hits }: SearchOutcome): NonNullable<NavigatorResponse['searchStrategy']> => ({
  terms: query.terms.map(({ word }) => word).slice(0, 64),
  corrections: query.terms
    .flatMap(({ word, corrections: [read] }) => (read === undefined ? [] : [{ typed: word, read }]))
    .slice(0, 64),
  candidates: hits.length,
});

/** For each cited source: title, address and relevance. */
const readersSources = ({ sources }: NavigatorResponse, quotes: readonly PlacedQuote[]): NavigatorAnswer['sources'] =>
  sources.map(({ file }) => {
    const own = quotes.filter(({ article }) => article.id === file);
    const relevance = Math.max(0, ...own.map((quote) => quote.relevance));
    return { title: own[0]?.article.title || file, url: own[0]?.article.url ?? '', relevance };
  });

interface ConfidenceEvidence {
  outcome: SearchOutcome;
  found: FoundAnswer;
  /** What other sources state about the passages. */
  comparisons: readonly Comparison[];
  phrases: AnswerPhrases;
}

export interface Assessment extends Pick<NavigatorResponse, 'confidence' | 'confidenceReason'> {
  /** 0 to 1; `confidence` is derived from it. */
  probability: number;
  components: ConfidenceComponents;
  agreement: ResponseQuality['agreement'];
  /** What the reason says, one by one. */
  factors: ConfidenceFactor[];
}

/** Upper bound when sources contradict each other: `low`, as the contract requires (docs/contract.md#navigator). */
const CONFLICT_LIMIT = 0.55;
/** Share of the remaining doubt that a second, agreeing source removes. */
const AGREEMENT_GAIN = 0.3;
/** Factor for passages about devices that the question does not name. */
const OTHER_DEVICE_FACTOR = 0.5;

/**
 * The probability that the passages answer, and the reason: how much of the question they cover, whether other sources agree, and what else
 * fits.
 */
export const assessConfidence = ({ outcome, found, comparisons, phrases }: ConfidenceEvidence): Assessment => {
  const agreeing = comparisons.find(({ verdict }) => verdict === 'agrees');
  const conflicting = comparisons.find(({ verdict }) => verdict === 'conflicts');
  const isOtherDevice = found.passages.every((passage) => passage.isOtherDevice);
  let probability = found.probability * (isOtherDevice ? OTHER_DEVICE_FACTOR : 1);
  if (conflicting) probability = Math.min(probability, CONFLICT_LIMIT);
  else if (agreeing && probability >= PARTIAL_BELOW) probability = 1 - (1 - probability) * (1 - AGREEMENT_GAIN);
  const coverage = coverageOf(found, phrases);
  const confidence = levelOf(probability);
  const [best, second] = found.articles;
  const isClose = best !== undefined && second !== undefined && second.share >= CLOSE_SECOND * best.share;
  const percent = String(Math.round(10 * found.probability) * 10);
  const factors: ConfidenceFactor[] = [
    { name: 'coverage', effect: coverage.share < 1 ? 'lowers' : 'raises', explanation: coverage.reason },
    ...factorIf(isClose, {
      name: 'close_second',
      effect: 'lowers',
      explanation: phrases.closeSecond,
    }),
    { name: 'calibration', effect: 'sets', explanation: filled(phrases.calibration, { percent }) },
    ...factorIf(isOtherDevice, {
      name: 'other_device',
      effect: 'lowers',
      explanation: phrases.otherDevices,
    }),
    ...agreementFactors({ conflicting, agreeing }, phrases),
  ];
  return {
    confidence,
    confidenceReason: reasonFrom(confidence, factors, phrases),
    factors,
    agreement: agreementOf(conflicting, agreeing),
    probability,
    components: {
      probability: rounded(probability),
      coverage: rounded(coverage.share),
      margin: rounded(outcome.margin),
      agreement: conflicting ? 0 : agreeing ? 1 : 0.5,
      domain: rounded(found.domain),
    },
  };
};

export const factorIf = (holds: boolean, factor: ConfidenceFactor): ConfidenceFactor[] => (holds ? [factor] : []);

/** What other sources say, as a factor. */
export const agreementFactors = (
  { conflicting, agreeing }: Readonly<Record<'conflicting' | 'agreeing', Comparison | undefined>>,
  phrases: AnswerPhrases,
): ConfidenceFactor[] => {
  if (conflicting !== undefined) {
    const { citation, difference } = conflicting;
    const explanation = filled(phrases.conflict, { citation, difference });
    return [{ name: 'conflict', effect: 'limits', explanation }];
  }
  if (agreeing === undefined) return [];
  return [
    { name: 'agreement', effect: 'raises', explanation: filled(phrases.agrees, { citation: agreeing.citation }) },
  ];
};

export const agreementOf = (
  conflicting: Comparison | undefined,
  agreeing: Comparison | undefined,
): ResponseQuality['agreement'] => {
  if (conflicting !== undefined) return 'conflict';
  return agreeing === undefined ? 'none' : 'agree';
};

/** "High confidence: ...": the factors as sentences. */
export const reasonFrom = (
  level: ConfidenceLevel,
  factors: readonly ConfidenceFactor[],
  phrases: AnswerPhrases,
): string =>
  escapeText(`${sureness(level, phrases)}: ${factors.map(({ explanation }) => explanation).join('. ')}.`, 1000);

const sureness = (level: ConfidenceLevel, { sureHigh, sureMedium, sureLow }: AnswerPhrases): string =>
  ({ high: sureHigh, medium: sureMedium, low: sureLow })[level];

const coverageOf = ({ question, passages }: FoundAnswer, phrases: AnswerPhrases): { share: number; reason: string } => {
  const words = new Set(
    passages.flatMap(({ source, unit }) => [
      ...stemsOf(source.title),
      ...unit.parts.flatMap(({ section, pieces }) => [
        ...stemsOf(section.path.join('\n')),
        ...pieces.flatMap(({ stems }) => stems),
      ]),
    ]),
  );
  const own = question.terms.filter(({ weight }) => weight === 1);
  const missing = own.filter(({ forms }) => ![...forms].some((form) => words.has(form)));
  const total = own.reduce((sum, { idf }) => sum + idf, 0);
  const share = total > 0 ? 1 - missing.reduce((sum, { idf }) => sum + idf, 0) / total : 0;
  if (missing.length === 0) return { share, reason: phrases.heldAll };
  const rarest = missing.toSorted((left, right) => right.idf - left.idf).slice(0, 3);
  const rare = rarest.map(({ word }) => `"${oneLine(word, 40)}"`).join(', ');
  const held = String(own.length - missing.length);
  return { share, reason: filled(phrases.heldSome, { held, total: String(own.length), words: rare }) };
};

const rounded = (value: number): number => Math.round(Math.min(1, Math.max(0, value)) * 1000) / 1000;

const MAX_TOPICS = 5;

/** Headings that many articles share, which are no topics by themselves. */
const COMMON_HEADINGS: ReadonlySet<string> = new Set(headings);

/** Related topics: headings or titles of matching passages that were not quoted. Without duplicates, and without cited sections. */
export const relatedTopics = (
  edition: Edition,
  hits: readonly ArticleHit[],
  quotes: readonly PlacedQuote[],
): string[] => {
  const topics = new Map<string, string>();
  const taken = new Set(quotes.flatMap(({ chunk }) => subjectOf(chunk).keys));
  for (const hit of hits) {
    const { topic, key: own } = subjectOf(cachedChunk(edition, hit.chunk));
    if (topic !== '' && !taken.has(own) && !topics.has(own)) topics.set(own, topic);
    if (topics.size === MAX_TOPICS) break;
  }
  return [...topics.values()].map((topic) => escapeText(topic, 200));
};

/** The topic of a chunk, and the section that makes it superfluous when quoted. */
const subjectOf = oncePer((chunk: CachedChunk) => {
  const section = sectionOf(chunk, chunk.source);
  const topic = oneLine(isTelling(section) ? section.replace(ITEM_NUMBER, '') : chunk.source.title, 200);
  return { topic, key: key(topic), keys: [key(section), key(chunk.source.title)] };
});

/** The number of a heading: "2. ", "3.1 ", "4) ". */
const ITEM_NUMBER = /^\d{1,3}(?:(?:\.\d{1,3})*[.)]|(?:\.\d{1,3})+)\s+(?=\S*\p{L})/u;

/** It names a subject: more than a date, a version or a heading that many articles share. */
const isTelling = (heading: string): boolean =>
  /\p{L}{2}|\p{Lo}/u.test(heading) &&
  !/^\p{L}*\s?\d*$/u.test(heading) &&
  !heading
    .toLowerCase()
    .match(/[a-z]+/g)
    ?.every((word) => COMMON_HEADINGS.has(word));

const key = (topic: string) =>
  topic
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
