import { WORD_VECTORS_MODEL } from '../../ai/embeddings/word-vectors.ts';
import {
  cachedChunk,
  type Edition,
  type EditionArticle,
} from '../../knowledge/edition/open-edition.ts';
import { type Piece, type Section, stemsIn, stemsOf } from '../../knowledge/edition/sections.ts';
import { applyLogistic } from '../../knowledge/search/logistic.ts';
import {
  DOMAIN_THRESHOLD,
  domainProbability,
  keynessOf,
  relevanceOfHits,
} from '../../knowledge/search/relevance.ts';
import type { SearchOutcome } from '../../knowledge/search/search-edition.ts';
import { joined, semanticRelevances } from '../../knowledge/search/semantic-calibration.ts';
import { isCode } from '../../language/analyse-text.ts';
import type { QuestionPart } from '../../language/split-questions.ts';
import { oncePer } from '../../platform/once-per.ts';
import {
  type ParsedQuestion,
  parseQuestion,
  type QuestionTerm,
  type TextVectors,
} from '../understand/parse-question.ts';
import MODEL from './answer-model.json' with { type: 'json' };
import OFF_TOPIC_QUESTIONS from './off-topic-questions.json' with { type: 'json' };
import {
  type CandidateOptions,
  type CandidateUnit,
  candidateUnits,
  UNIT_FEATURES,
} from './unit-features.ts';
import { cellAskedFor, type Unit, type UnitPart, withNamedRows } from './units.ts';
import { closeWordsIn } from './word-closeness.ts';

/** A unit to show, with its article. */
export interface AnswerPassage {
  source: EditionArticle;
  unit: Unit;
  /** Probability that this candidate, of all, answers, 0 to 1. */
  share: number;
  /** Devices that it applies to, in lower case; empty when it applies to all. */
  devices: readonly string[];
  isOtherDevice: boolean;
}

/** A candidate and the probability that it, of all, answers, 0 to 1. */
export interface RankedUnit extends CandidateUnit {
  share: number;
}

/** The result of looking for an answer in an edition. */
export interface FoundAnswer {
  question: ParsedQuestion;
  /** The passages to show, the article of the best unit first; empty when nothing was found. */
  passages: AnswerPassage[];
  /** Probability that these passages answer the question, 0 to 1. */
  probability: number;
  /** The same by the similarity of a configured embedding model alone; 0 without one. */
  nearness: number;
  /** Probability that the question is in the domain of the knowledge base, 0 to 1. */
  domain: number;
  /** The closest articles, best first, at most six, with the best heading (none for the text before the first heading). */
  closest: { source: EditionArticle; heading: string | undefined }[];
  /** All candidate articles with their share of the probability, best first. */
  articles: { source: EditionArticle; share: number }[];
  /** All units that count, best first. */
  units: readonly RankedUnit[];
  /** The parts of the question that the passages do not answer, as asked. */
  open: readonly string[];
  /** The words of the question and of the previous turns, with how close the passages come to each. */
  held: readonly HeldWord[];
}

/** A question that is asked together with others. */
interface AnswerPart extends QuestionPart {
  /** Searches for the part alone, and for its context together with it. */
  searches: readonly SearchOutcome[];
}

export interface FindOptions extends CandidateOptions {
  /** The questions that this one asks at once; none for a single question. */
  parts?: readonly AnswerPart[] | undefined;
  /** Devices that the user is known to have. */
  devices?: readonly string[] | undefined;
}

/**
 * Less probable answers are not shown; the closest articles are linked. On eight documentations three of five questions without an answer are
 * declined, and one of seven with one (docs/answers.md).
 */
export const DECLINED_BELOW = 0.25;
/** Maximum length of all passages together as Markdown, in UTF-16 units. */
const ROOM = 1200;
/** Maximum number of passages. */
const LIMIT = 3;
/** Maximum length of a first passage that exceeds the limit of all. */
const MIN_ROOM = 600;
/** Length of the heading of a passage. */
const HEADING_ROOM = 45;
/** Units considered when passages are chosen. */
const CONSIDERED = 60;
/** Least probability of a further passage, as a share of the first one's; half of it within the same article. */
const FURTHER_SHARE = 0.05;
/** Three that are shown, and three others. */
const CLOSEST = 6;
/**
 * An article is close from this share of the best one's probability. On six knowledge bases a fifth of the links of declined questions are
 * below, and one of the 36 articles that hold the answer.
 */
const LEAST_CLOSE = 0.1;

/**
 * Finds the passages that answer a question, and the probability that they do. Ranks all units of the candidate articles with a linear
 * model (a softmax over the units of a question), picks those with most of the probability, and rates the pick with a logistic model
 * (docs/answers.md). Pure and deterministic.
 */
export function findAnswer(edition: Edition, text: string, options: FindOptions): FoundAnswer {
  const question = parseQuestion(edition, text, options);
  const candidates = candidateUnits(edition, question, options);
  const parts = (options.parts ?? []).map((part) => readPart(edition, part, options));
  const picked = pickAnswer(edition, {
    question,
    candidates,
    options,
    others: parts.filter(knowsWords).map(({ ranked }) => ranked),
  });
  const { ranked, articles, passages, held } = picked;
  const nearnessOf = nearnessIn(edition, options.searches[0]);
  const nearness = Math.max(0, ...passages.map(({ unit }) => nearnessOf(unit)));
  const domain = domainOf(edition, options);
  const combined = joined(rate(edition, { question, domain, ...picked }), nearness);
  const rated = parts.map((part) => ({
    text: part.text,
    probability: ratePart(edition, part, { passages, combined }),
  }));
  return {
    question,
    passages: inReadingOrder(passages, question),
    probability: parts.length > 0 ? weakest(rated.map(({ probability }) => probability)) : combined,
    nearness,
    domain: Math.max(domain, nearness),
    closest: closestArticles(ranked, articles),
    articles: articles.map(({ source, share }) => ({ source, share })),
    units: ranked,
    held,
    open: rated.filter(({ probability }) => probability < DECLINED_BELOW).map((part) => part.text),
  };
}

interface Rated {
  question: ParsedQuestion;
  /** Probability that the question is in the domain of the knowledge base. */
  domain: number;
  held: readonly HeldWord[];
  gate: readonly number[];
}

const rate = (edition: Edition, { question, domain, held, gate }: Rated): number =>
  // A passage without any word of the question or the previous turns, or one close to them, answers by chance at most.
  held.some(({ idf, closeness }) => idf * closeness > 0)
    ? applyLogistic(GATE, gate) * familiarity(edition, domain) * (1 - unknownCodes(question))
    : 0;

interface ReadPart extends AnswerPart {
  question: ParsedQuestion;
  options: FindOptions;
  ranked: readonly RankedUnit[];
}

const readPart = (
  edition: Edition,
  part: AnswerPart,
  { devices, vectors, isShown }: FindOptions,
): ReadPart => {
  const { text, context, searches } = part;
  const history = [{ speaker: 'user' as const, text: context }];
  const options = { devices, vectors, isShown, history, searches };
  const question = parseQuestion(edition, text, options);
  const candidates = candidateUnits(edition, question, options);
  return {
    ...part,
    question,
    options,
    ranked: rankUnits(candidates, WEIGHTS, nearnessIn(edition, searches[0])),
  };
};

/** The probability of the weakest part that is answered, times the share of those. */
const weakest = (probabilities: readonly number[]): number => {
  const answered = probabilities.filter((probability) => probability >= DECLINED_BELOW);
  return answered.length === 0
    ? Math.max(...probabilities)
    : (Math.min(...answered) * answered.length) / probabilities.length;
};

/** Some word of its own occurs in the knowledge base: else what it finds is its context's. */
const knowsWords = ({ question: { terms } }: ReadPart): boolean =>
  terms.some(({ weight, isKnown }) => weight === 1 && isKnown);

/**
 * The probability that passages answer a part of a question. One that names no subject is judged with
 * the whole question, as far as the passages hold its own words.
 */
const ratePart = (
  edition: Edition,
  { question, options, ranked, lacksSubject }: ReadPart,
  { passages, combined }: { passages: readonly RankedUnit[]; combined: number },
): number => {
  const words = heldWords(edition, question.terms, passages, options.vectors);
  const gate = gateFeatures(edition, {
    question,
    options,
    articles: articleShares(ranked),
    held: words,
  });
  const own = words.filter(({ weight }) => weight === 1);
  const total = own.reduce((sum, { idf }) => sum + idf, 0);
  const heldShare =
    own.reduce((sum, { idf, closeness }) => sum + idf * closeness, 0) /
    Math.max(Number.EPSILON, total);
  const alone = rate(edition, { question, domain: domainOf(edition, options), held: own, gate });
  return lacksSubject ? Math.max(alone, heldShare * combined) : alone;
};

/** The mean of the probabilities by several questions. */
const merged = (lists: readonly (readonly RankedUnit[])[]): RankedUnit[] => {
  const byUnit = new Map<Unit, RankedUnit>();
  for (const list of lists) {
    for (const each of list) {
      const share = (byUnit.get(each.unit)?.share ?? 0) + each.share / lists.length;
      byUnit.set(each.unit, { ...each, share });
    }
  }
  return [...byUnit.values()].sort((left, right) => right.share - left.share);
};

/** From this share of the best article's probability on, another article fits almost as well. */
export const CLOSE_SECOND = 0.7;
/** Ranks and picks from given candidates; separate so that fitting can try other weights. */
export function pickAnswer(
  edition: Edition,
  {
    question,
    candidates,
    options,
    weights = WEIGHTS,
    others = [],
  }: {
    question: ParsedQuestion;
    candidates: readonly CandidateUnit[];
    options: FindOptions;
    weights?: Float64Array;
    others?: readonly (readonly RankedUnit[])[];
  },
) {
  const own = rankUnits(candidates, weights, nearnessIn(edition, options.searches[0]));
  const ranked = others.length === 0 ? own : merged([own, ...others]);
  const articles = articleShares(ranked);
  const passages = pickUnits(ranked, question);
  const held = heldWords(edition, question.terms, passages, options.vectors);
  const gate = gateFeatures(edition, { question, options, articles, held });
  return { ranked, articles, passages, held, gate };
}

const WEIGHTS = Float64Array.from(UNIT_FEATURES, (name) => MODEL.units[name]);

/**
 * The units with their softmax probability, best first. Units about another device or far out of date count only when nothing else was found.
 */
const rankUnits = (
  candidates: readonly CandidateUnit[],
  weights: Float64Array,
  nearnessOf: (unit: Unit) => number,
): RankedUnit[] => {
  const fitting = candidates.filter(
    ({ isOtherDevice, isOutdated }) => !isOtherDevice && !isOutdated,
  );
  const kept = fitting.length > 0 ? fitting : candidates;
  const scores = kept.map(({ features, unit, named }) => {
    let score = NEARNESS_WEIGHT * nearnessOf(unit) + NAMED_WEIGHT * named;
    for (let at = 0; at < weights.length; at++)
      score += (features[at] as number) * (weights[at] as number);
    return score;
  });
  const top = Math.max(...scores);
  const odds = scores.map((score) => Math.exp(score - top));
  const total = odds.reduce((sum, each) => sum + each, 0);
  return kept
    .map((candidate, at) => ({ ...candidate, share: (odds[at] ?? 0) / total }))
    .sort((left, right) => right.share - left.share);
};

interface ArticleShare {
  source: EditionArticle;
  share: number;
}

const articleShares = (ranked: readonly RankedUnit[]): ArticleShare[] => {
  const shares = new Map<number, ArticleShare>();
  for (const { source, share } of ranked) {
    const known = shares.get(source.index);
    if (known) known.share += share;
    else shares.set(source.index, { source, share });
  }
  return [...shares.values()].sort((left, right) => right.share - left.share);
};

type Spans = readonly (readonly [start: number, end: number])[];

/** Ranges of a unit's parts in their article. */
export function spansOf({ parts }: Unit): Spans {
  return parts.map(({ section, pieces }) => [
    section.start + (pieces[0]?.start ?? 0),
    section.start + (pieces.at(-1)?.end ?? 0),
  ]);
}

export function overlaps(one: Spans, other: Spans): boolean {
  return one.some(([start, end]) => other.some(([from, to]) => start < to && from < end));
}

const isInside = (one: Spans, other: Spans): boolean =>
  one.every(([start, end]) => other.some(([from, to]) => start >= from && end <= to));

/** Units that do not overlap and hold most of the probability; a unit that contains another gets its probability too. */
const pickUnits = (ranked: readonly RankedUnit[], question: ParsedQuestion): RankedUnit[] => {
  const considered = ranked
    .slice(0, CONSIDERED)
    .map((each) => ({ ...each, spans: spansOf(each.unit) }));
  const ofArticle = Map.groupBy(considered, ({ source }) => source.index);
  const within = considered.map(({ source, spans }) =>
    (ofArticle.get(source.index) ?? []).filter((other) => isInside(other.spans, spans)),
  );
  const narrowedUnit = oncePer((unit: Unit) => withNamedRows(unit, question));
  const counted = new Set<RankedUnit>();
  const picked: (RankedUnit & { mass: number })[] = [];
  const usedSpans: { source: EditionArticle; spans: Spans }[] = [];
  let left = ROOM;
  /** The first passage may be cut. */
  const fits = (unit: Unit, room: number): boolean =>
    lengthOf(unit) <= room ||
    lengthOf(picked.length > 0 ? narrowedUnit(unit) : firstPieceOf(narrowedUnit(unit))) <= room;
  while (picked.length < LIMIT) {
    let best: (RankedUnit & { mass: number; at: number }) | undefined;
    for (const [at, unit] of considered.entries()) {
      const isTaken = usedSpans.some(
        ({ source, spans }) => source.index === unit.source.index && overlaps(spans, unit.spans),
      );
      if (isTaken || !fits(unit.unit, left)) continue;
      let mass = 0;
      for (const other of within[at] ?? []) if (!counted.has(other)) mass += other.share;
      if (mass > (best?.mass ?? 0)) best = { ...unit, mass, at };
    }
    const [first] = picked;
    if (best === undefined) break;
    const least =
      first === undefined
        ? 0
        : FURTHER_SHARE * first.mass * (best.source.index === first.source.index ? 0.5 : 1);
    if (best.mass < least) break;
    for (const other of within[best.at] ?? []) counted.add(other);
    const unit = shortened(narrowedUnit(best.unit), Math.max(left, MIN_ROOM));
    left -= lengthOf(unit) + HEADING_ROOM;
    picked.push({ ...best, unit });
    usedSpans.push({ source: best.source, spans: spansOf(unit) });
  }
  return picked.map(({ mass, ...unit }) => ({ ...unit, share: mass }));
};

const firstPieceOf = (unit: Unit): Unit => {
  const [first] = unit.parts;
  return { ...unit, parts: [{ ...first, pieces: first.pieces.slice(0, 1) }] };
};

/** Length as Markdown, in UTF-16 units. */
export function lengthOf({ parts }: Unit): number {
  return parts.reduce(
    (sum, { pieces }) => sum + pieces.reduce((own, { start, end }) => own + end - start + 1, 0),
    0,
  );
}

/**
 * Drops the last pieces of a unit that long link targets make too long. An announcing paragraph keeps at least the first lines of what it
 * announces.
 */
export function shortened(unit: Unit, room: number): Unit {
  if (lengthOf(unit) <= room) return unit;
  const kept: { section: Section; pieces: Piece[] }[] = [];
  let left = room;
  for (const { section, pieces } of unit.parts) {
    for (const piece of pieces) {
      const before = kept.at(-1)?.pieces.at(-1);
      const isOpen = before === undefined || before.announces || before.kind === 'head';
      const fitting =
        piece.end - piece.start < left
          ? piece
          : isOpen
            ? firstLines(section, piece, left)
            : undefined;
      if (fitting === undefined) return { ...unit, parts: withParts(kept, unit), isCut: true };
      const part = kept.at(-1);
      if (part?.section === section) part.pieces.push(fitting);
      else kept.push({ section, pieces: [fitting] });
      left -= fitting.end - fitting.start + 1;
      if (fitting !== piece) return { ...unit, parts: withParts(kept, unit), isCut: true };
    }
  }
  return unit;
}

/** The whole piece when it has no line breaks to cut at and nothing else can be shown. */
const firstLines = ({ text }: Section, piece: Piece, room: number): Piece => {
  const end = text.lastIndexOf('\n', piece.start + Math.max(0, room));
  return end > piece.start && end < piece.end ? { ...piece, end } : piece;
};

const withParts = ([first, ...rest]: readonly UnitPart[], { parts }: Unit): Unit['parts'] =>
  first === undefined ? parts : [first, ...rest];

/**
 * Grouped by article; the article of the best passage, and in each the best one, come first. A table with the very cell that the question asks
 * for is the best.
 */
const inReadingOrder = (
  picked: readonly RankedUnit[],
  question: ParsedQuestion,
): AnswerPassage[] => {
  const hasCell = ({ unit }: RankedUnit): number =>
    Number(cellAskedFor(unit, question) !== undefined);
  const groups = Map.groupBy(
    picked.toSorted((left, right) => hasCell(right) - hasCell(left)),
    ({ source }) => source.index,
  );
  const [first, ...rest] = [...groups.values()].flatMap((group) =>
    group.toSorted((left, right) => hasCell(right) - hasCell(left) || right.share - left.share),
  );
  // What comes first counts as the best in the list of sources, too.
  return first === undefined
    ? []
    : [{ ...first, share: Math.max(...picked.map(({ share }) => share)) }, ...rest];
};

const closestArticles = (
  ranked: readonly RankedUnit[],
  articles: readonly ArticleShare[],
): FoundAnswer['closest'] => {
  const least = LEAST_CLOSE * (articles[0]?.share ?? 0);
  const close = articles.filter(({ share }) => share >= least);
  return close.slice(0, CLOSEST).map(({ source }) => {
    const best = ranked.find((unit) => unit.source.index === source.index);
    return { source, heading: best?.unit.parts[0].section.path.at(-1) };
  });
};

const domainOf = (edition: Edition, { searches: [search] }: CandidateOptions): number =>
  search === undefined ? 0 : domainProbability(edition, search);

/** How far codes that the knowledge base lacks are more than half of the question's own words, by idf, 0 to 1: others answer nothing then. */
const unknownCodes = ({ terms }: ParsedQuestion): number => {
  const own = terms.filter(({ weight }) => weight === 1);
  const sum = (those: readonly QuestionTerm[]) => those.reduce((all, { idf }) => all + idf, 0);
  const share =
    sum(own.filter(({ isKnown, word }) => !isKnown && isCode(word))) /
    Math.max(Number.EPSILON, sum(own));
  return Math.max(0, 2 * share - 1);
};

/** Share of the domain threshold from which the domain probability counts in full, in a small knowledge base; smaller in a larger one. */
const FAMILIAR_FROM = 0.2;
const FEW_ARTICLES = 10;

/**
 * Reliability of the domain gate, 0 to 1. The gate compares what was found with the rest and was fitted on large knowledge bases; among few
 * articles one always stands out.
 */
const familiarity = (edition: Edition, domain: number): number => {
  const share = FAMILIAR_FROM * Math.min(1, FEW_ARTICLES / edition.articleCount);
  return Math.min(1, domain / (share * DOMAIN_THRESHOLD));
};

/** What a code of the question names outranks what only mentions it. Not fitted: few questions have one. */
const NAMED_WEIGHT = 4;

/** A semantic match outranks chance overlap of words. Not fitted, as no such model was available. */
const NEARNESS_WEIGHT = 6;

/** Per word of the question: closeness of the closest word of the passages; 1 when they contain it. */
interface HeldWord extends QuestionTerm {
  closeness: number;
}

const heldWords = (
  edition: Edition,
  terms: readonly QuestionTerm[],
  passages: readonly RankedUnit[],
  vectors: CandidateOptions['vectors'],
): HeldWord[] => {
  const words = new Set(
    passages.flatMap(({ source, unit }) => [
      ...stemsIn(
        edition,
        [source.title, ...unit.parts.flatMap(({ section }) => section.path)].join('\n'),
      ),
      ...unit.parts.flatMap(({ pieces }) => pieces.flatMap(({ stems }) => stems)),
    ]),
  );
  const closeWords = closeWordsIn(edition, vectors);
  return terms.map((term) => {
    const closest = closeWords(term.forms).find(({ word }) => words.has(word));
    return { ...term, closeness: closest?.closeness ?? 0 };
  });
};

/**
 * Features of the probability of an answer, in their order, with the sign of the weight of each. A sign that is known beforehand and few
 * features keep the fit from learning what holds for its own knowledge bases alone (docs/answers.md).
 */
export const GATE_SIGNS = {
  relevance: 1,
  'share of the article': 1,
  'idf held': 1,
  'most typical word held': 1,
  'off topic': -1,
} as const;

type GateFeature = keyof typeof GATE_SIGNS;
/** Exactly the keys above. */
const GATE_FEATURES = Object.keys(GATE_SIGNS) as GateFeature[];
const GATE = { weights: GATE_FEATURES.map((name) => MODEL.gate[name]), bias: MODEL.gateBias };

const gateFeatures = (
  edition: Edition,
  {
    question,
    options: { searches, vectors },
    articles,
    held,
  }: {
    question: ParsedQuestion;
    options: CandidateOptions;
    articles: readonly ArticleShare[];
    held: readonly HeldWord[];
  },
): number[] => {
  const [search] = searches;
  const own = held.filter(({ weight }) => weight === 1);
  const said = new Set(own.flatMap(({ stem, closeness }) => (closeness === 1 ? [stem] : [])));
  const features: Record<GateFeature, number> = {
    relevance: logitOf(search === undefined ? 0 : bestRelevance(search)),
    'share of the article': articles[0]?.share ?? 0,
    'idf held':
      own.reduce((sum, { idf, closeness }) => sum + idf * closeness, 0) /
      Math.log(1 + edition.chunkTotal),
    'most typical word held': keynessOf(
      edition,
      question.query.terms.filter(({ stem }) => said.has(stem)),
    ).highest,
    'off topic': offTopicSimilarity(question.vector, vectors),
  };
  return GATE_FEATURES.map((name) => features[name]);
};

const logitOf = (probability: number): number =>
  Math.log((probability + 1e-4) / (1.0001 - probability));

/** Relevance of the best hit, by words and by word vectors. A configured embedding model counts as `nearness`. */
const bestRelevance = ({ model, ...search }: SearchOutcome): number => {
  const byMeaning = model === WORD_VECTORS_MODEL ? { model } : {};
  return Math.max(0, ...relevanceOfHits({ ...search, ...byMeaning }));
};

/** How many of the off-topic questions that are closest to a question count. */
const CLOSEST_OFF_TOPIC = 5;

/** Mean similarity of the training questions, for a question without a vector. */
const TYPICAL_OFF_TOPIC = 0.3;

/** Mean similarity of a question to the closest questions of customers of unrelated services. */
const offTopicSimilarity = (
  question: Float32Array | undefined,
  vectors: TextVectors | undefined,
): number => {
  if (question === undefined || vectors === undefined) return TYPICAL_OFF_TOPIC;
  const closest = new Float64Array(CLOSEST_OFF_TOPIC).fill(-1);
  const { numbers } = offTopicVectors(vectors);
  for (let row = 0; row < numbers.length; row += question.length) {
    let similarity = 0;
    // In range: every row is as long as the question's vector.
    for (let at = 0; at < question.length; at++)
      similarity += (question[at] as number) * (numbers[row + at] as number);
    if (similarity <= (closest[0] as number)) continue;
    closest[0] = similarity;
    closest.sort();
  }
  return closest.reduceRight((sum, each) => sum + each, 0) / CLOSEST_OFF_TOPIC;
};

/** One after the other; zeros for a question without a vector. */
const offTopicVectors = oncePer((vectors: TextVectors) => {
  const texts = Object.values(OFF_TOPIC_QUESTIONS).flat();
  const rows = texts.map((text) => vectors.vectorOf(new Set(stemsOf(text))));
  const dimensions = rows.find((row) => row !== undefined)?.length ?? 0;
  const numbers = new Float32Array(rows.length * dimensions);
  rows.forEach((row, at) => void (row && numbers.set(row, at * dimensions)));
  return { numbers };
});

/** Less similar passages carry no information. */
const NEAR_FROM = 0.5;

/**
 * Probability that a unit answers by its embedding similarity alone, 0 to 1, for a configured embedding model. The table of word vectors
 * is not one: its similarities are among the features of units.
 */
const nearnessIn = (
  edition: Edition,
  search: SearchOutcome | undefined,
): ((unit: Unit) => number) => {
  if (search?.model === undefined || search.model === WORD_VECTORS_MODEL) return () => 0;
  const near = semanticRelevances(search).flatMap((relevance = 0, at) => {
    const hit = search.hits[at];
    return hit === undefined || relevance < NEAR_FROM
      ? []
      : [{ relevance, chunk: cachedChunk(edition, hit.chunk) }];
  });
  return ({ parts }) =>
    near.reduce((most, { relevance, chunk }) => {
      const isWithin = parts.some(
        ({ section, pieces }) =>
          chunk.index >= section.firstChunk &&
          chunk.index < section.endChunk &&
          pieces.some(
            ({ start, end }) =>
              section.start + start < chunk.end && section.start + end > chunk.start,
          ),
      );
      return isWithin ? Math.max(most, relevance) : most;
    }, 0);
};
