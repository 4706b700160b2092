import type { AnalysedQuery, QueryTerm } from '../search/analyse-query.ts';
import { stem } from '../text/stem.ts';
import { type AnswerType, answerTypeOf, offersType } from './answer-type.ts';
import { MAX_SENTENCE_LENGTH, type Reading, type Words } from './read-passage.ts';

/**
 * Scores sentences as answers to one question, linearly; weights fitted crosswise on a public set (recipe, section 4).
 *
 * @param passages All that will be scored: the best of them sets the scale of the chunk score.
 */
export const createScorer = ({ text: questionText, query }: Question, passages: readonly Passage[]): Scorer => {
  const { terms, neighbours } = query;
  const places = placesOf(terms);
  const written = terms.map(({ word, corrections }) => new Set([word, ...corrections]));
  const total = query.total || 1;
  const idfOf = (at: number) => terms[at]?.idf ?? 0;
  const bestScore = passages.reduce((top, { score }) => Math.max(top, score), 0) || 1;
  const type = answerTypeOf(questionText);
  const isKnown = knownWords(questionText);
  const asksHow = /\bhow (?:do|can|could|should|would|to|does one|might|may)\b/i.test(questionText);

  const look = ({ words, stems, kinds }: Words): Look => {
    let seen: Findings | undefined;
    let position = 0;
    let previous = -1;
    for (let place = 0; place < stems.length; place++) {
      const at = places.get(stems[place] ?? '') ?? -1;
      if (at >= 0) {
        seen ??= { positions: [], matched: new Set(), exact: new Set(), pairs: new Set() };
        seen.matched.add(at);
        seen.positions.push([position, at]);
        if (written[at]?.has(words[place] ?? '')) seen.exact.add(at);
        const pair = previous < 0 ? -1 : neighbours.findIndex(([left, right]) => left === previous && right === at);
        if (pair >= 0) seen.pairs.add(pair);
      }
      if (kinds[place] !== 'joined') previous = at;
      if (kinds[place] === 'word') position += 1;
    }
    return seen === undefined ? NOTHING_SEEN : lookOf(seen);
  };
  const lookOf = ({ matched, exact, pairs, positions }: Findings): Look => {
    let pairWeight = 0;
    for (const pair of pairs) {
      const [left = -1, right = -1] = neighbours[pair] ?? [];
      pairWeight += Math.min(idfOf(left), idfOf(right)) / total;
    }
    return { matched, exact, pairs: pairWeight, tightness: tightnessOf(positions, matched.size) };
  };

  /** Share of the question's idf in `places`, and in those of `others` that are not among them. */
  const share = (places: ReadonlySet<number>, others: ReadonlySet<number> = NO_PLACES): number =>
    idfIn(places) / total + lacking(places, others);
  const idfIn = (places: ReadonlySet<number>): number => {
    let sum = 0;
    for (const at of places) sum += idfOf(at);
    return sum;
  };
  const lacking = (places: ReadonlySet<number>, others: ReadonlySet<number>): number => {
    let sum = 0;
    for (const at of others) if (!places.has(at)) sum += idfOf(at);
    return sum / total;
  };

  const score = (seen: Look, { previous, next, above, text, isFirst, isSteps, passage }: Surroundings): number =>
    5.7 * share(seen.matched) +
    3.1 * share(seen.matched, above) +
    5.65 * lacking(seen.matched, previous?.matched ?? NO_PLACES) +
    1.65 * lacking(seen.matched, next?.matched ?? NO_PLACES) +
    1.7 * share(seen.exact) +
    1.7 * seen.pairs +
    (6.6 * passage.score) / bestScore +
    0.5 * seen.tightness +
    (isFirst ? 0.5 : 0) +
    (isSteps && asksHow ? STEPS_WEIGHT : 0) +
    (type && offersType(type, text.slice(0, MAX_SENTENCE_LENGTH), isKnown) ? TYPE_WEIGHTS[type] : 0);
  return { look, score, shareOf: share };
};

/** A question, ready to be compared with texts. */
export interface Question {
  text: string;
  /** As the search analysed it, so that a corrected typing mistake is found here too. */
  query: Pick<AnalysedQuery, 'neighbours' | 'total'> & { terms: readonly QuestionTerm[] };
}

/** What quoting reads of a query term. */
type QuestionTerm = Pick<QueryTerm, 'word' | 'stem' | 'corrections' | 'idf'>;

/** A chunk that may hold the answer. */
export interface Passage {
  text: string;
  title: string;
  headingPath: readonly string[];
  /** How well it fits the question as a whole, on any scale above 0. */
  score: number;
  /** What `readPassage` gives for it, where that is at hand. */
  reading?: Reading | undefined;
  /** It very probably answers by its meaning, whatever its words. */
  isNear?: boolean | undefined;
}

/** What a question finds in a text: places of its terms. */
interface Look {
  matched: ReadonlySet<number>;
  exact: ReadonlySet<number>;
  /** Sum over neighbouring terms of the question that are neighbours here too. */
  pairs: number;
  tightness: number;
}

interface Findings {
  /** Where which term stands, in content words. */
  positions: [number, number][];
  matched: Set<number>;
  exact: Set<number>;
  /** Places in the question's `neighbours`. */
  pairs: Set<number>;
}

const NO_PLACES: ReadonlySet<number> = new Set();
const NOTHING_SEEN: Look = { matched: NO_PLACES, exact: NO_PLACES, pairs: 0, tightness: 0 };

/** What stands around a sentence. */
interface Surroundings {
  previous: Look | undefined;
  next: Look | undefined;
  above: ReadonlySet<number>;
  text: string;
  isFirst: boolean;
  /** It is, or introduces, numbered steps or code. */
  isSteps: boolean;
  passage: Passage;
}

/** Compares texts with one question. */
export interface Scorer {
  /** Finds the question's terms among the words of a text. */
  look(words: Words): Look;
  /** How likely the sentence is the answer: higher is better, on a scale of this question's own. */
  score(look: Look, surroundings: Surroundings): number;
  /** Share of the question's idf that two sets of terms hold together, 0 to 1. */
  shareOf(matched: ReadonlySet<number>, above?: ReadonlySet<number>): number;
}

/** For steps where the question asks how. Not in the recipe, whose data has no steps. */
const STEPS_WEIGHT = 2;
const TYPE_WEIGHTS: Record<AnswerType, number> = { person: 1.7, time: 2.7, number: 2.1, place: 1.3, reason: 1.6 };

/** The term of each stem: its own, or that of a word it was corrected to. */
const placesOf = (terms: readonly QuestionTerm[]): ReadonlyMap<string, number> => {
  const places = new Map<string, number>();
  terms.forEach((term, at) => {
    for (const stemmed of [term.stem, ...term.corrections.map(stem)]) {
      if (!places.has(stemmed)) places.set(stemmed, at);
    }
  });
  return places;
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
