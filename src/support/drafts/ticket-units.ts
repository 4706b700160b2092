import MODEL from '../../answering/passages/answer-model.json' with { type: 'json' };
import { findAnswer, type RankedUnit } from '../../answering/passages/find-answer.ts';
import {
  type CandidateUnit,
  candidateUnits,
  UNIT_FEATURES,
} from '../../answering/passages/unit-features.ts';
import {
  type ParsedQuestion,
  parseQuestion,
  type TextVectors,
} from '../../answering/understand/parse-question.ts';
import { RETRIEVAL_MIN_SCORE } from '../../contract/wire/knowledge.ts';
import type { EditionArticle } from '../../knowledge/edition/open-edition.ts';
import { devicesNamedIn } from '../../knowledge/search/devices-named-in.ts';
import { applyLogistic, type LogisticModel } from '../../knowledge/search/logistic.ts';
import { coverageOf, type Evidence, type Knowledge } from '../retrieval/knowledge.ts';
import { textOf } from './quote-passage.ts';

/** The units that could answer a ticket, the likeliest first, and the parsed message. */
export interface TicketUnits {
  question: ParsedQuestion;
  units: readonly RankedUnit[];
  /** Probability that an article answers, 0 to 1, by its place in the edition. */
  relevance: ReadonlyMap<number, number>;
  /** Codes of the message that the articles know, such as `E40`, in lower case. */
  codes: readonly string[];
}

/**
 * Weight of an article's label with the intent. The relevance of the article gets none: with it, the development half of the sample tickets
 * fits worse at every weight tried.
 */
const LABEL_WEIGHT = 3;
/** Weights of the features of a unit, in their order. */
const WEIGHTS = UNIT_FEATURES.map(
  (name) => (MODEL.units as Readonly<Record<string, number>>)[name] ?? 0,
);

interface TicketOptions {
  product?: string | undefined;
  vectors?: TextVectors | undefined;
}

/** Ranks the units as those of a question; by the labels of their articles as well when the intent is known. */
export function rankTicketUnits(evidence: Evidence, options: TicketOptions): TicketUnits {
  const ranked =
    evidence.intents.length === 0
      ? rankAsQuestion(evidence, options)
      : rankByIntent(evidence, options);
  const codes = ranked.question.terms.flatMap(({ word, isKnown, weight }) =>
    isKnown && word.length > 2 && /\d/.test(word) && weight === 1 ? word : [],
  );
  const relevance = new Map(ranked.relevance);
  for (const { unit, source } of ranked.units) {
    const before = relevance.get(source.index) ?? 0;
    if (before >= CODE_FROM && hasCode(unit, codes))
      relevance.set(source.index, Math.max(before, RETRIEVAL_MIN_SCORE));
  }
  return { ...ranked, relevance, codes };
}

/** Least relevance of an article that counts as one that answers because it explains a code of the message. */
const CODE_FROM = 0.02;

/** Whether a unit explains a code: as inline code, or as the first cell of a row. */
export function hasCode({ parts }: RankedUnit['unit'], codes: readonly string[]): boolean {
  if (codes.length === 0) return false;
  const text = parts.map(textOf).join('\n').toLowerCase();
  return codes.some((code) => text.includes(`\`${code}\``) || text.includes(`\n| ${code} |`));
}

/**
 * Log-odds that an article answers beyond those of the passages that would be shown: what is needed may stand elsewhere in it. Fitted on
 * the questions of `research/eval/answer-questions`, sent as mails: of 142 with a source above the threshold, the first one is right for 110.
 * On eight documentations (`research/eval/foreign`) it is for 83 of 110; with 0.6, for 59 of 75.
 */
const ELSEWHERE = 0.9;

/** As a question is answered: the units and the probability of the ranker of answers, whatever the language. */
const rankAsQuestion = (
  evidence: Evidence,
  { product, vectors }: TicketOptions,
): Omit<TicketUnits, 'codes'> => {
  const { edition, text, search, articles: always } = evidence;
  const devices = product === undefined ? [] : [product];
  const answer = findAnswer(edition, text, { searches: [search], devices, vectors, always });
  const best = answer.articles[0]?.share ?? 1;
  const shares = new Map(answer.articles.map(({ source, share }) => [source.index, share / best]));
  const relevance = [...evidence.relevance].map(([article, before]) => {
    const share = Math.log(Math.max(LEAST_SHARE, shares.get(article) ?? 0));
    const own = applyLogistic({ weights: [1], bias: ELSEWHERE + share }, [
      logit(answer.probability),
    ]);
    return [article, Math.max(before, own)] as const;
  });
  return { question: answer.question, units: answer.units, relevance: new Map(relevance) };
};

const rankByIntent = (
  evidence: Evidence,
  { product, vectors }: TicketOptions,
): Omit<TicketUnits, 'codes'> => {
  const { edition, text, search, articles: always } = evidence;
  const question = parseQuestion(edition, text, {
    devices: product === undefined ? [] : [product],
    vectors,
  });
  const scored = candidateUnits(edition, question, { searches: [search], vectors, always }).map(
    (unit) => ({
      ...unit,
      score: scoreOf(unit, evidence),
    }),
  );
  const top = Math.max(...scored.map(({ score }) => score));
  const sum = scored.reduce((total, { score }) => total + Math.exp(score - top), 0);
  const units = scored
    .map(({ score, ...unit }) => ({ ...unit, share: Math.exp(score - top) / sum }))
    .toSorted((one, other) => other.share - one.share);
  return { question, units, relevance: raisedByUnits(evidence, units) };
};

const scoreOf = ({ source, features }: CandidateUnit, { intents }: Evidence): number => {
  const own = features.reduce((sum, value, at) => sum + value * (WEIGHTS[at] ?? 0), 0);
  return own + (isAbout(source, intents) ? LABEL_WEIGHT : 0);
};

/** Whether an article is labelled with one of the intents. */
const isAbout = ({ intents: own }: CandidateUnit['source'], intents: readonly string[]): boolean =>
  own.some((intent) => intents.includes(intent));

/**
 * Probability that an article with the intent's label answers, from its relevance by search, the probability that its units share, and the
 * share of the message's words in its best unit. Fitted on the development half of the sample tickets (`research/eval/fit-tickets.ts`),
 * then lowered: from 0.7 on, 52 of 55 articles answer there, and 50 of 56 in the held-out half.
 */
const ANSWERS: LogisticModel = { weights: [0.79, 0.79, 1.68], bias: 1.21 };
const COVERAGE = UNIT_FEATURES.indexOf('softCoverage');
/** Least relevance by search of an article that may be raised. */
const RAISED_FROM = 0.2;
const LEAST_SHARE = 0.005;

/**
 * Raises the relevance of articles whose units answer: search ranks passages, but does not know whether one of them answers. Only articles
 * with a least relevance that are about the intent are raised.
 */
const raisedByUnits = (evidence: Evidence, units: readonly RankedUnit[]): Map<number, number> => {
  const signs = signsOfArticles(evidence, units);
  return new Map(
    [...evidence.relevance].map(([article, before]) => {
      const own = signs.get(article);
      return [article, own === undefined ? before : Math.max(before, applyLogistic(ANSWERS, own))];
    }),
  );
};

/** The inputs of `ANSWERS` for the articles that may be raised, by place in the edition. */
export function signsOfArticles(
  { relevance, intents }: Pick<Evidence, 'relevance' | 'intents'>,
  units: readonly RankedUnit[],
): Map<number, number[]> {
  const signs = new Map<number, number[]>();
  for (const [article, before] of relevance) {
    const own = units.filter(({ source }) => source.index === article);
    const [best] = own;
    if (best === undefined || before < RAISED_FROM || !isAbout(best.source, intents)) continue;
    const share = own.reduce((sum, unit) => sum + unit.share, 0);
    signs.set(article, [
      logit(before),
      Math.log(Math.max(LEAST_SHARE, share)),
      best.features[COVERAGE] ?? 0,
    ]);
  }
  return signs;
}

/** The knowledge with the raised relevance of its sources; a question that they surely answer is no gap. */
export function withUnits(
  knowledge: Knowledge,
  { relevance }: Pick<TicketUnits, 'relevance'>,
): Knowledge {
  const { evidence, foundGaps = [] } = knowledge;
  if (evidence === undefined) return knowledge;
  const raised = withScores(knowledge, (_, at) => relevance.get(evidence.articles[at] ?? -1) ?? 0);
  const remainingGaps =
    raised.coverage === 'high' && !isCovered(knowledge)
      ? foundGaps.filter(({ kind }) => kind !== 'question')
      : foundGaps;
  const gaps =
    knowledge.foundGaps === undefined ? knowledge.gaps : remainingGaps.map(({ gap }) => gap);
  return { ...raised, gaps, foundGaps: remainingGaps };
}

type Source = Knowledge['sources_consulted'][number];

/** Raises the sources to these relevances; best first. */
const withScores = (
  knowledge: Knowledge,
  scoreOf: (source: Source, at: number) => number,
): Knowledge => {
  const sources = knowledge.sources_consulted
    .map((source, at) => ({
      ...source,
      relevance_score: Math.max(
        source.relevance_score,
        Math.floor(scoreOf(source, at) * 1000) / 1000,
      ),
    }))
    .toSorted((one, other) => other.relevance_score - one.relevance_score);
  return {
    ...knowledge,
    sources_consulted: sources,
    coverage: coverageOf(sources[0]?.relevance_score ?? 0),
  };
};

/** The sources of a draft that a model is sure of count as sources that answer: its statements were checked against them. */
export function coveredBy(
  found: Knowledge,
  passages: readonly Pick<Source, 'title' | 'url'>[],
): Knowledge {
  const isUsed = (source: Source) =>
    passages.some(({ title, url }) => title === source.title && url === source.url);
  const raised = withScores(found, (source) => (isUsed(source) ? RETRIEVAL_MIN_SCORE : 0));
  return isCovered(raised) ? raised : { ...raised, coverage: 'medium' };
}

/** Whether the note calls a message covered by the knowledge base. */
export function isCovered({ coverage }: Pick<Knowledge, 'coverage'>): boolean {
  return coverage === 'high' || coverage === 'medium';
}

/** Bounded, so that no relevance outweighs all other signs. */
const logit = (share: number): number => {
  const bounded = Math.min(0.995, Math.max(0.002, share));
  return Math.log(bounded / (1 - bounded));
};

/** Decides by the headings (outermost first) and the article of a section. */
export type DeviceFilter = (section: {
  path: readonly string[];
  source: EditionArticle;
}) => boolean;

/**
 * Decides whether a section may be shown to a customer. A section about certain devices is shown only to customers with one of them; when
 * the device is unknown, a section about a single device is not shown.
 *
 * @param options.product The customer's product; undefined when none is named.
 * @param options.isProductExact False when several products share the name.
 * @param options.devices All devices that articles are labelled with.
 */
export function deviceFilter({
  product,
  isProductExact,
  devices,
}: {
  product: string | undefined;
  isProductExact: boolean;
  devices: readonly string[];
}): DeviceFilter {
  return ({ path, source }) => {
    const own = devicesOf(path, source, devices);
    // A section for several devices may be for the customer's.
    if (product === undefined || !isProductExact) return own.length !== 1;
    return own.length === 0 || own.includes(product.toLowerCase());
  };
}

/** The devices that a section is for, in lower case: those of the innermost heading that names any, else the article's; empty for all. */
const devicesOf = (
  path: readonly string[],
  source: EditionArticle,
  devices: readonly string[],
): string[] => {
  const named = path
    .map((heading) => devicesNamedIn(heading, devices))
    .findLast((each) => each.length > 0);
  const own = named ?? (source.devices.length < devices.length ? source.devices : []);
  return own.map((device) => device.toLowerCase());
};
