import { analyseText, isCode, letterMask, type WordKind } from '../../language/analyse-text.ts';
import { detectLanguage } from '../../language/detect-language.ts';
import { languageNamed } from '../../language/language.ts';
import { isUnspaced, withSpacedWords } from '../../language/spaced-words.ts';
import { editDistance } from '../../platform/edit-distance.ts';
import { memo, SHORT_TEXTS } from '../../platform/lru-cache.ts';
import { oncePer } from '../../platform/once-per.ts';
import { findWordOf, languagesOf } from '../edition/edition-stems.ts';
import type { Edition } from '../edition/open-edition.ts';
import { type EditionIndex, findWord, inverseFrequency } from '../edition/open-index.ts';
import { entryText, firstEntryFrom } from '../edition/text-table.ts';
import { BACKGROUND_WORDS } from './background-words.ts';
import { relatedByParts } from './compounds.ts';

/** Conversation turns before the question, oldest first; only the last turn of each speaker is used. */
export interface Turn {
  speaker: 'user' | 'assistant';
  text: string;
}

/** A postings list that a query term reads. */
interface TermPosting {
  termId: number;
  /** 1; lower for corrected words and for words from the conversation. */
  weight: number;
  idf: number;
}

/** One search term, from the question or from the conversation before it. */
export interface QueryTerm {
  /** As typed, in lower case. */
  word: string;
  stem: string;
  origin: 'question' | 'conversation';
  /** Whether the knowledge base contains the stem. */
  isKnown: boolean;
  /** Spelling corrections of an unknown word: at most 3, likeliest first. */
  corrections: string[];
  /** Inverse chunk frequency times posting weight; the largest possible value for unknown words. */
  idf: number;
  /** Chunks that contain the term, labels excluded; those of the likeliest correction for a corrected word. */
  chunkCount: number;
  /** Empty for an unknown word without corrections. */
  postings: TermPosting[];
  /** Ids of the words themselves, before stemming; empty when only the stem is known. */
  wordIds: number[];
}

export interface AnalysedQuery {
  terms: QueryTerm[];
  /** Pairs of indexes into `terms` of question words that are adjacent after stop words are removed, each pair once. */
  adjacentPairs: [number, number][];
  /** Sum of all idf: the maximum that a chunk can match. */
  total: number;
  /** Like `total`, with the share of the conversation capped; used to judge how well a chunk answers. */
  judged: number;
}

/** Longer texts are cut here, in UTF-16 units: the rest of a pasted log adds time, not meaning. */
const MAX_TEXT = 8_000;
const MAX_WORDS = 512;
/** Maximum number of terms searched per text: codes first, then the rarest. 99.98 % of the ten best hits stay the same. */
const MAX_TERMS = 12;
const MAX_CORRECTED_WORDS = 8;
const CORRECTION_WEIGHTS = [1, 0.8, 0.6];
/**
 * Maximum idf of the whole conversation as a share of the question's idf when an answer is judged. Of 81 answerable
 * conversational questions of mtrag-un, 91 % are answered, the same share as without conversation (83 % without this cap);
 * of unanswerable ones 9 % and 4 %.
 */
const CONVERSATION_SHARE = 0.5;
const CONVERSATION_WEIGHTS = { user: 0.2, assistant: 0.1 };

/** Turns a question and its conversation into weighted terms of an edition. Callers do not change the result. */
export function analyseQuery(
  edition: Edition,
  question: string,
  history: readonly Turn[] = [],
): AnalysedQuery {
  return history.length === 0 ? queriesOf(edition)(question) : analyse(edition, question, history);
}

/** The search, the ranking of passages and the choice of a language read the same question. */
const queriesOf = oncePer((edition: Edition) =>
  memo((question: string) => analyse(edition, question, []), SHORT_TEXTS),
);

const analyse = (edition: Edition, question: string, history: readonly Turn[]): AnalysedQuery => {
  const sequence = questionTerms(edition, question);
  const kept = rarest([...new Set(sequence)]);
  const terms = [...kept];
  for (const speaker of ['user', 'assistant'] as const) {
    const turn = history.findLast((candidate) => candidate.speaker === speaker);
    if (turn !== undefined) terms.push(...conversationTerms(edition, turn, terms));
  }
  const total = terms.reduce((sum, { idf }) => sum + idf, 0);
  const questionIdf = kept.reduce((sum, { idf }) => sum + idf, 0);
  const judged = Math.min(total, questionIdf * (1 + CONVERSATION_SHARE));
  return { terms, adjacentPairs: adjacentPairsIn(sequence, kept), total, judged };
};

/** Terms of the question in order; repeated words share one object. */
const questionTerms = (edition: Edition, question: string): QueryTerm[] => {
  const terms = new Map<string, QueryTerm>();
  let correctable = MAX_CORRECTED_WORDS;
  const sequence: QueryTerm[] = [];
  for (const { word, written, mustBeKnown } of wordsToSearch(edition, question)) {
    const found = lookUp(edition, word, written);
    if (!found.isKnown && mustBeKnown) continue;
    const same = terms.get(found.stem);
    if (same !== undefined) {
      same.wordIds.push(...found.wordIds.filter((id) => !same.wordIds.includes(id)));
      sequence.push(same);
      continue;
    }
    // A common English word that the knowledge base lacks is not a misspelling.
    if (!found.isKnown && correctable > 0 && !backgroundShares().has(found.stem)) {
      replaceBy(edition, found, correctSpelling(edition.index, word));
      correctable -= 1;
    }
    addRelated(edition, found);
    terms.set(found.stem, found);
    sequence.push(found);
  }
  return sequence;
};

/** "F 07" and "F-07" are read as "F07" where the knowledge base writes that. */
const SPACED_CODE = /(?<![\p{L}\p{N}])(\p{L}{1,4})[ -](\d{1,6})(?![\p{L}\p{N}])/gu;

/** The words that a question leaves out: those of its language, or of that of most articles when it is too short to detect. */
const stopWordsFor = (edition: Edition, text: string): ReadonlySet<string> => {
  const [usual] = languagesOf(edition);
  const isOnlyEnglish = edition.languages.length <= 1 && usual.tag === 'en';
  const own = isOnlyEnglish ? undefined : detectLanguage(text, edition.languages);
  return (own === undefined ? usual : languageNamed(own)).stopWords;
};

interface WordToSearch {
  word: string;
  /** With its diacritics. */
  written: string;
  mustBeKnown: boolean;
}

/**
 * The words of a text without stop words. Derived words (compounds and their parts), single characters of scripts
 * without spaces, and stop words in capitals count only if the knowledge base contains them.
 */
const wordsToSearch = (edition: Edition, text: string): WordToSearch[] => {
  const read = text
    .slice(0, MAX_TEXT)
    .replace(SPACED_CODE, (spaced, letters: string, digits: string) =>
      findWord(edition.index, `${letters}${digits}`.toLowerCase()) < 0
        ? spaced
        : `${letters}${digits}`,
    );
  const stopWords = stopWordsFor(edition, read);
  const words: WordToSearch[] = [];
  let partsCount = false;
  const visit = (word: string, kind: WordKind, written: string): void => {
    if (kind === 'compound') partsCount = findWord(edition.index, word) < 0;
    const isDerived = kind === 'joined' || kind === 'compound' || (kind === 'part' && !partsCount);
    const isCharacter = word.length === 1 && isUnspaced(word);
    const mustBeKnown = isDerived || isCharacter || stopWords.has(word);
    if (words.length < MAX_WORDS) words.push({ word, written, mustBeKnown });
  };
  analyseText(withSpacedWords(read, stopWords), visit, stopWords);
  return words;
};

const lookUp = (edition: Edition, word: string, written: string): QueryTerm => {
  const { index, chunkTotal } = edition;
  const { place, termId } = findWordOf(edition, word, written);
  const posting = postingOf(edition, termId, 1);
  return {
    word,
    stem: termId < 0 ? languagesOf(edition)[0].stem(written) : entryText(index.terms, termId),
    origin: 'question',
    isKnown: termId >= 0,
    corrections: [],
    idf: posting?.idf ?? inverseFrequency(0, chunkTotal),
    chunkCount: chunkCountOf(edition, termId),
    postings: posting === undefined ? [] : [posting],
    wordIds: place < 0 ? [] : [index.wordIds[place] ?? 0],
  };
};

const chunkCountOf = ({ index, chunkTotal }: Edition, termId: number): number =>
  Math.min(chunkTotal, index.termChunks[termId] ?? 0);

const postingOf = (edition: Edition, termId: number, weight: number): TermPosting | undefined => {
  if (termId < 0) return undefined;
  return {
    termId,
    weight,
    idf: inverseFrequency(chunkCountOf(edition, termId), edition.chunkTotal),
  };
};

const replaceBy = (edition: Edition, term: QueryTerm, corrections: readonly Correction[]): void => {
  const { index } = edition;
  for (const { place, distance } of corrections) {
    const wordId = index.wordIds[place] ?? 0;
    const posting = postingOf(
      edition,
      index.wordTerms[wordId] ?? -1,
      CORRECTION_WEIGHTS[distance] ?? 0,
    );
    if (posting === undefined) continue;
    if (term.corrections.length === 0) term.chunkCount = chunkCountOf(edition, posting.termId);
    term.corrections.push(entryText(index.words, place));
    term.wordIds.push(wordId);
    if (!term.postings.some(({ termId }) => termId === posting.termId)) term.postings.push(posting);
  }
  if (term.postings.length > 0) term.idf = highestIdf(term);
};

const highestIdf = ({ postings }: QueryTerm): number =>
  Math.max(...postings.map(({ idf, weight }) => idf * weight));

/** Weight of a part of a compound, or of a compound for one of its parts. */
const PART_WEIGHT = 0.5;

/** Adds the parts of a compound, and the compounds of a part; none counts as rarer than the word itself. */
const addRelated = (edition: Edition, term: QueryTerm): void => {
  const { index } = edition;
  const isUnknown = term.postings.length === 0;
  for (const place of relatedByParts(edition, term.word)) {
    const termId = index.wordTerms[index.wordIds[place] ?? -1] ?? -1;
    const posting = postingOf(edition, termId, PART_WEIGHT);
    if (posting === undefined || term.postings.some((each) => each.termId === termId)) continue;
    term.postings.push({ ...posting, idf: Math.min(posting.idf, term.idf) });
  }
  if (isUnknown && term.postings.length > 0) term.idf = highestIdf(term);
};

/** At most `MAX_TERMS` known and `MAX_TERMS` unknown terms. */
const rarest = (terms: readonly QueryTerm[]): QueryTerm[] => {
  const known = terms.filter(({ postings }) => postings.length > 0);
  if (known.length <= MAX_TERMS && terms.length <= 2 * MAX_TERMS) return [...terms];
  const byRarity = known
    .toSorted(
      (left, right) =>
        Number(isCode(right.word)) - Number(isCode(left.word)) || right.idf - left.idf,
    )
    .slice(0, MAX_TERMS);
  return [
    ...byRarity,
    ...terms.filter(({ postings }) => postings.length === 0).slice(0, MAX_TERMS),
  ];
};

const conversationTerms = (
  edition: Edition,
  turn: Turn,
  present: readonly QueryTerm[],
): QueryTerm[] => {
  const taken = new Set(present.flatMap(({ postings }) => postings.map(({ termId }) => termId)));
  const weight = CONVERSATION_WEIGHTS[turn.speaker];
  const terms: QueryTerm[] = [];
  for (const { word, written } of wordsToSearch(edition, turn.text)) {
    const found = lookUp(edition, word, written);
    const [posting] = found.postings;
    if (posting === undefined || taken.has(posting.termId)) continue;
    taken.add(posting.termId);
    terms.push({
      ...found,
      origin: 'conversation',
      idf: posting.idf * weight,
      postings: [{ ...posting, weight }],
    });
  }
  return terms;
};

const adjacentPairsIn = (
  sequence: readonly QueryTerm[],
  kept: readonly QueryTerm[],
): [number, number][] => {
  const pairs = new Map<string, [number, number]>();
  for (let at = 1; at < sequence.length; at++) {
    const left = kept.indexOf(sequence[at - 1] as QueryTerm); // in range by the loop
    const right = kept.indexOf(sequence[at] as QueryTerm);
    if (left >= 0 && right >= 0 && left !== right) pairs.set(`${left} ${right}`, [left, right]);
  }
  return [...pairs.values()];
};

/** A word of the knowledge base that a misspelt word may stand for. */
interface Correction {
  /** Index into the edition's sorted words. */
  place: number;
  /** Number of letters inserted, deleted, substituted or transposed: 1 or 2. */
  distance: number;
}

const MIN_LENGTH = 4;
const MIN_LENGTH_OF_TWO = 8;
/** A short word with a different first letter is more often another word than a misspelling. */
const MIN_LENGTH_ELSEWHERE = 5;
const MAX_LENGTH = 32;
const MAX_CORRECTIONS = 3;

/**
 * Finds the words closest to one that the knowledge base lacks: one edit away or, from 8 letters on and with the same
 * first letter, two. At most three, all at the same distance, most frequent first; words one edit away with the same first
 * letter take precedence over all others. Only words made of letters are corrected: a different number or error code is a
 * different thing.
 */
export function correctSpelling(index: EditionIndex, word: string): Correction[] {
  if (word.length < MIN_LENGTH || word.length > MAX_LENGTH || !/^\p{L}+$/u.test(word)) return [];
  const { words, wordCounts } = index;
  const wanted = new TextEncoder().encode(word);
  const initial = new TextEncoder().encode(String.fromCodePoint(word.codePointAt(0) ?? 0));
  const start = firstEntryFrom(words, initial);
  const end = firstEntryFrom(words, initial.with(-1, (initial.at(-1) ?? 0) + 1));
  let found = wordsNear(index, wanted, {
    start,
    end,
    limit: word.length >= MIN_LENGTH_OF_TWO ? 2 : 1,
  });
  if (found[0]?.distance !== 1 && word.length >= MIN_LENGTH_ELSEWHERE) {
    const elsewhere = [
      ...wordsNear(index, wanted, {
        start: 0,
        end: start,
        limit: 1,
        isShort: word.length < MIN_LENGTH_OF_TWO,
      }),
      ...wordsNear(index, wanted, {
        start: end,
        end: words.count,
        limit: 1,
        isShort: word.length < MIN_LENGTH_OF_TWO,
      }),
    ];
    if (elsewhere.length > 0) found = elsewhere;
  }
  return found
    .sort(
      (left, right) =>
        (wordCounts[right.place] ?? 0) - (wordCounts[left.place] ?? 0) || left.place - right.place,
    )
    .slice(0, MAX_CORRECTIONS);
}

/**
 * The words in `[start, end)` nearest to `wanted`, all at the same distance of at most `limit`.
 *
 * @param isShort They begin with another letter, which must be missing, added or swapped with the next: a short word with another letter in
 *   its place is another word ("lock" and "rock").
 */
const wordsNear = (
  { words, wordMasks, wordCounts }: EditionIndex,
  wanted: Uint8Array,
  {
    start,
    end,
    limit,
    isShort = false,
  }: { start: number; end: number; limit: number; isShort?: boolean },
): Correction[] => {
  const mask = letterMask(wanted);
  let nearest = limit;
  let found: Correction[] = [];
  for (let place = start; place < end; place++) {
    // One edit changes at most two letters: clear all but one of the allowed bits and check whether more than that remain.
    let differing = mask ^ (wordMasks[place] ?? 0);
    differing &= differing - 1;
    if (nearest > 1) {
      differing &= differing - 1;
      differing &= differing - 1;
    }
    if ((differing & (differing - 1)) !== 0) continue;
    if (wordCounts[place] === 0) continue;
    const from = words.starts[place] ?? 0;
    const to = words.starts[place + 1] ?? 0;
    if (Math.abs(to - from - wanted.length) > nearest) continue;
    const distance = editDistance(wanted, words.bytes, { from, to, limit: nearest });
    if (distance > nearest || (isShort && to - from === wanted.length && mask !== wordMasks[place]))
      continue;
    if (distance < nearest) found = [];
    nearest = distance;
    found.push({ place, distance });
  }
  return found;
};

/** Share of each listed stem in general English; parsed once. */
export function backgroundShares(): ReadonlyMap<string, number> {
  known ??= readShares();
  return known;
}
let known: ReadonlyMap<string, number> | undefined;

const readShares = (): Map<string, number> => {
  const shares = new Map<string, number>();
  for (const [step, stems] of Object.entries(BACKGROUND_WORDS)) {
    let previous = '';
    for (const [, shared, rest] of stems.matchAll(/(\d)([a-z]+)/g)) {
      previous = previous.slice(0, Number(shared)) + rest;
      shares.set(previous, Math.exp(-Number(step) / 2));
    }
  }
  return shares;
};
