import type { AnalysedQuery, QueryTerm } from './analyse-query.ts';
import { analyseText } from './analyse-text.ts';
import { type AnswerType, answerTypeOf, offersType } from './answer-type.ts';
import { type Block, splitBlocks } from './split-blocks.ts';
import { type Span, splitSentences } from './split-sentences.ts';
import { stem } from './stem.ts';

/** A question, ready to be compared with texts. */
export interface Question {
  text: string;
  /** As the search analysed it, so that a corrected typing mistake is found here too. */
  query: Pick<AnalysedQuery, 'neighbours' | 'total'> & { terms: readonly QuestionTerm[] };
}

/** What quoting reads of a query term. */
export type QuestionTerm = Pick<QueryTerm, 'word' | 'stem' | 'corrections' | 'idf'>;

/** A chunk that may hold the answer. */
export interface Passage {
  text: string;
  title: string;
  headingPath: readonly string[];
  /** How well it fits the question as a whole, on any scale above 0. */
  score: number;
}

/** What is quoted: `passages[passage].text.slice(start, end)`. */
export interface Quote extends Span {
  passage: number;
  text: string;
  kind: 'prose' | 'list' | 'table' | 'code';
  /** Higher is better; comparable among the quotes of one question only. */
  score: number;
  /** Share of the question's idf that stands in the quote or above it (title, headings), 0 to 1. */
  coverage: number;
}

/** A list, table or code block longer than this is quoted by its items around the best one. */
export const MAX_BLOCK_LENGTH = 1200;
/** Sentences are cut here; the longest of 17,000 measured has 1,222 characters. */
export const MAX_SENTENCE_LENGTH = 1600;
/** A second sentence joins only when its score is this close to the first (at 2, 3 and 4: 85, 86 and 87 % of spans in 254, 279 and 302 characters). */
const SECOND_WITHIN = 3;

/**
 * Picks what answers a question best: one or two sentences of prose, or a whole list, table or code block with the line
 * that introduces it. The weights are those of the recipe, section 4.
 *
 * @param passages Best first; three are enough (the fourth and fifth add nothing measurable).
 * @returns One or two quotes, in the order they should be read; empty when nothing shares a word with the question.
 */
export const quotePassages = (question: Question, passages: readonly Passage[]): Quote[] => {
  const scorer = createScorer(question, passages);
  const candidates = passages.flatMap((passage, index) => candidatesOf(passage, index, scorer));
  const best = candidates.reduce<Candidate | undefined>(
    (top, each) => (top && top.score >= each.score ? top : each),
    undefined,
  );
  if (!best) return [];
  if (best.kind !== 'prose') return [quoteOf(best, passages)];
  const second = candidates
    .filter((each) => each.kind === 'prose' && each !== best && each.score >= best.score - SECOND_WITHIN)
    .reduce<Candidate | undefined>((top, each) => (top && top.score >= each.score ? top : each), undefined);
  if (!second) return [quoteOf(best, passages)];
  return joinQuotes(best, second, passages);
};

/** A quotable span with its score. */
interface Candidate extends Omit<Quote, 'text'> {
  /** Where in its paragraph it stands; neighbours are read as one quote. */
  next: number | undefined;
}

const quoteOf = ({ passage, start, end, kind, score, coverage }: Candidate, passages: readonly Passage[]): Quote => ({
  passage,
  start,
  end,
  text: passages[passage]?.text.slice(start, end) ?? '',
  kind,
  score,
  coverage,
});

const joinQuotes = (best: Candidate, second: Candidate, passages: readonly Passage[]): Quote[] => {
  if (best.passage !== second.passage) return [best, second].map((each) => quoteOf(each, passages));
  const [first, last] = best.start < second.start ? [best, second] : [second, best];
  if (first.next !== last.start) return [first, last].map((each) => quoteOf(each, passages));
  return [
    quoteOf(
      { ...best, start: first.start, end: last.end, coverage: Math.max(best.coverage, second.coverage) },
      passages,
    ),
  ];
};

const candidatesOf = (passage: Passage, index: number, scorer: Scorer): Candidate[] => {
  const blocks = splitBlocks(passage.text);
  const above = scorer.look([passage.title, ...passage.headingPath].join('\n')).matched;
  const units: Unit[] = [];
  blocks.forEach((block, at) => {
    if (block.kind === 'prose') units.push(...sentenceUnits(passage.text, block, blocks[at + 1]));
    else if (block.kind !== 'heading' && block.kind !== 'raw')
      units.push(...itemUnits(passage.text, block, units.at(-1)));
  });
  const seen = units.map(({ start, end }) => scorer.look(passage.text.slice(start, end)));
  const candidates: Candidate[] = [];
  units.forEach((unit, at) => {
    const text = passage.text.slice(unit.start, unit.end);
    const look = seen[at];
    if (!look || look.matched.size === 0 || !isQuotable(text)) return;
    const neighbours = { previous: seen[at - 1], next: seen[at + 1] };
    const steps = unit.isSteps && scorer.asksHow ? STEPS_WEIGHT : 0;
    const score = steps + scorer.score(look, { ...neighbours, above, text, isFirst: at === 0, passage });
    const coverage = scorer.shareOf(look.matched, above);
    candidates.push({ passage: index, kind: unit.kind, score, coverage, ...unit.quoted, next: units[at + 1]?.start });
  });
  return candidates;
};

/** A place to score, and what is quoted when it is the best. */
interface Unit extends Span {
  kind: Quote['kind'];
  /** It is, or introduces, numbered steps or code: what "How do I ...?" asks for. */
  isSteps: boolean;
  quoted: Span;
}

const sentenceUnits = (text: string, block: Block, next: Block | undefined): Unit[] => {
  const sentences = splitSentences(text, block).map(({ start, end }) => ({
    start,
    end: Math.min(end, start + MAX_SENTENCE_LENGTH),
  }));
  const opensNext = next !== undefined && isWhole(next) && /:[*_]{0,2}$/.test(text.slice(block.start, block.end));
  return sentences.map((sentence, at) => {
    const introduces = opensNext && at === sentences.length - 1 && next.end - sentence.start <= MAX_BLOCK_LENGTH;
    const quoted = introduces ? { start: sentence.start, end: next.end } : sentence;
    const kind = introduces && next.kind !== 'heading' && next.kind !== 'raw' ? next.kind : 'prose';
    return { ...sentence, kind, isSteps: introduces && isSteps(text, next), quoted };
  });
};

const isSteps = (text: string, { kind, start }: Block) =>
  kind === 'code' || (kind === 'list' && /\d/.test(text[start] ?? ''));

const isWhole = ({ kind }: Block) => kind === 'list' || kind === 'table' || kind === 'code';

const itemUnits = (text: string, block: Block, before: Unit | undefined): Unit[] => {
  const kind = block.kind === 'list' || block.kind === 'table' ? block.kind : 'code';
  const items = block.items.length > 0 ? block.items : [{ start: block.start, end: block.end }];
  const lead = before?.quoted.end === block.end ? before.start : block.start;
  return items.map((item) => {
    const whole = { start: lead, end: block.end };
    const quoted = whole.end - whole.start <= MAX_BLOCK_LENGTH ? whole : aroundItem(text, items, item);
    return { ...item, kind, isSteps: isSteps(text, block), quoted };
  });
};

/** Whole items before and after one, as many as fit; an item too long by itself is cut at a line. */
const aroundItem = (text: string, items: readonly Span[], item: Span): Span => {
  let { start, end } = item;
  let first = items.indexOf(item);
  let last = first;
  for (;;) {
    const after = items[last + 1];
    const before = items[first - 1];
    if (after && after.end - start <= MAX_BLOCK_LENGTH) {
      end = after.end;
      last += 1;
    } else if (before && end - before.start <= MAX_BLOCK_LENGTH) {
      start = before.start;
      first -= 1;
    } else break;
  }
  if (end - start <= MAX_BLOCK_LENGTH) return { start, end };
  const line = text.lastIndexOf('\n', start + MAX_BLOCK_LENGTH);
  return { start, end: line > start ? line : start + MAX_BLOCK_LENGTH };
};

/** Links that run code have no place in an answer, whatever shows it. */
const isQuotable = (text: string) => !/\]\(\s*<?\s*(?:javascript|vbscript|data):/i.test(text);

/** What a question finds in a text: places of its terms. */
interface Look {
  matched: Set<number>;
  exact: Set<number>;
  /** Sum over neighbouring terms of the question that are neighbours here too. */
  pairs: number;
  tightness: number;
}

interface Surroundings {
  previous: Look | undefined;
  next: Look | undefined;
  above: ReadonlySet<number>;
  text: string;
  isFirst: boolean;
  passage: Passage;
}

interface Scorer {
  asksHow: boolean;
  look(text: string): Look;
  score(look: Look, surroundings: Surroundings): number;
  shareOf(matched: ReadonlySet<number>, above: ReadonlySet<number>): number;
}

/** For steps where the question asks how. Not in the recipe, whose data has no steps. */
const STEPS_WEIGHT = 2;

const TYPE_WEIGHTS: Record<AnswerType, number> = { person: 1.7, time: 2.7, number: 2.1, place: 1.3, reason: 1.6 };

const createScorer = ({ text: questionText, query }: Question, passages: readonly Passage[]): Scorer => {
  const { terms, neighbours } = query;
  const find = termFinder(terms);
  const written = terms.map(({ word, corrections }) => new Set([word, ...corrections]));
  const total = query.total || 1;
  const idfOf = (at: number) => terms[at]?.idf ?? 0;
  const share = (places: Iterable<number>) => [...places].reduce((sum, at) => sum + idfOf(at), 0) / total;
  const bestScore = passages.reduce((top, { score }) => Math.max(top, score), 0) || 1;
  const type = answerTypeOf(questionText);
  const isKnown = knownWords(questionText);

  const look = (text: string): Look => {
    const positions: [number, number][] = [];
    const matched = new Set<number>();
    const exact = new Set<number>();
    let position = 0;
    let previous = -1;
    const pairs = new Set<number>();
    analyseText(text, (word, kind) => {
      const at = find(word);
      if (at >= 0) {
        matched.add(at);
        positions.push([position, at]);
        if (written[at]?.has(word)) exact.add(at);
        const pair = previous < 0 ? -1 : neighbours.findIndex(([left, right]) => left === previous && right === at);
        if (pair >= 0) pairs.add(pair);
      }
      if (kind !== 'joined') previous = at;
      if (kind === 'word') position += 1;
    });
    let pairWeight = 0;
    for (const pair of pairs) {
      const [left = -1, right = -1] = neighbours[pair] ?? [];
      pairWeight += Math.min(idfOf(left), idfOf(right)) / total;
    }
    return { matched, exact, pairs: pairWeight, tightness: tightnessOf(positions, matched.size) };
  };

  const score = (seen: Look, { previous, next, above, text, isFirst, passage }: Surroundings): number => {
    const lacking = (neighbour: Look | undefined) =>
      neighbour ? share([...neighbour.matched].filter((at) => !seen.matched.has(at))) : 0;
    return (
      5.7 * share(seen.matched) +
      3.1 * share(new Set([...seen.matched, ...above])) +
      5.65 * lacking(previous) +
      1.65 * lacking(next) +
      1.7 * share(seen.exact) +
      1.7 * seen.pairs +
      (6.6 * passage.score) / bestScore +
      0.5 * seen.tightness +
      (isFirst ? 0.5 : 0) +
      (type && offersType(type, text.slice(0, MAX_SENTENCE_LENGTH), isKnown) ? TYPE_WEIGHTS[type] : 0)
    );
  };
  const asksHow = /\bhow (?:do|can|could|should|would|to|does one|might|may)\b/i.test(questionText);
  return { asksHow, look, score, shareOf: (matched, above) => share(new Set([...matched, ...above])) };
};

/** Finds the term of a word; stems only words that begin like a term, since stemming leaves two letters untouched. */
const termFinder = (terms: readonly QuestionTerm[]): ((word: string) => number) => {
  const places = new Map<string, number>();
  const beginnings = new Set<string>();
  terms.forEach((term, at) => {
    for (const stemmed of [term.stem, ...term.corrections.map(stem)]) {
      if (!places.has(stemmed)) places.set(stemmed, at);
      beginnings.add(stemmed.slice(0, 2));
    }
  });
  return (word) => (beginnings.has(word.slice(0, 2)) ? (places.get(stem(word)) ?? -1) : -1);
};

/** Distinct terms over the shortest run of content words that holds them all; 0 below two. */
const tightnessOf = (positions: readonly [number, number][], distinct: number): number => {
  if (distinct < 2) return 0;
  const counts = new Map<number, number>();
  let shortest = Number.POSITIVE_INFINITY;
  let left = 0;
  for (const [position, at] of positions) {
    counts.set(at, (counts.get(at) ?? 0) + 1);
    while (counts.size === distinct) {
      const [from, leftmost] = positions[left] ?? [position, at];
      shortest = Math.min(shortest, Math.max(distinct, position - from + 1));
      const rest = (counts.get(leftmost) ?? 1) - 1;
      if (rest === 0) counts.delete(leftmost);
      else counts.set(leftmost, rest);
      left += 1;
    }
  }
  return distinct / shortest;
};

const knownWords = (question: string): ((word: string) => boolean) => {
  const words = new Set(question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  return (word) => (word.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).every((part) => words.has(part));
};
