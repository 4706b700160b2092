import type { TranslatedArticle } from '../../documents/group-translations.ts';
import { analyseText, STOP_WORDS, utf8Length } from '../../language/analyse-text.ts';
import { detectLanguage } from '../../language/detect-language.ts';
import { type Language, languageNamed } from '../../language/language.ts';
import type { Article, Chunk, EditionEntry } from '../articles/article.ts';
import { type EditionPages, pageWriter } from './text-pages.ts';
import {
  compareByBytes,
  encodeStrings,
  type GrowingNumbers,
  type GrowingTable,
  growingNumbers,
  growingTable,
  type NumberedTexts,
  numberedTexts,
  varintLength,
} from './text-table.ts';

/** Result of the first pass over the articles. Words and terms are numbered in order of appearance. */
export interface CollectedWords {
  words: NumberedTexts;
  /** By word: its term and its number of occurrences. */
  wordTerms: GrowingNumbers;
  wordCounts: GrowingNumbers;
  terms: NumberedTexts;
  /** By term: the number of chunks that contain it in any field, and its total occurrences. */
  termChunks: GrowingNumbers;
  /** By term: the number of chunks that contain it in title, headings or text. */
  termTextChunks: GrowingNumbers;
  termCounts: GrowingNumbers;
  /** By term: its last chunk so far, counted from 1, and the bytes of its postings. */
  termLasts: GrowingNumbers;
  postingBytes: GrowingNumbers;
  /** Number of content words of all chunks by field; titles and labels count once per chunk of their article. */
  fieldLengths: FieldLengths;
  articles: GrowingTable;
  titleWords: GrowingTable;
  labelWords: GrowingTable;
  /** By article: the number of chunks up to and including its last one. */
  articleChunkEnds: GrowingNumbers;
  headings: GrowingTable;
  headingWords: GrowingTable;
  /** Empty where the words of the chunks are on pages. */
  chunkWords: GrowingTable;
  /** By page: the chunks up to its end; empty without pages. */
  pageEnds: GrowingNumbers;
  /** By chunk: article, start, end, tokens and heading, consecutively. */
  chunkNumbers: GrowingNumbers;
  /** By chunk: the end of its text in UTF-8 bytes. The second pass writes the texts themselves, unless they are on pages. */
  textEnds: GrowingNumbers;
  /** By list of audiences, as JSON: its number; 0 is the empty one, of articles for everybody. */
  audienceSets: Map<string, number>;
  /** By article: the number of its audiences. */
  articleSets: GrowingNumbers;
  /** By word: a bit for each list of audiences whose articles have it (`audienceBit`). */
  wordSets: GrowingNumbers;
  /** By tag (`intent setup`, `device apollo`): the articles that have it. */
  tags: Map<string, number[]>;
  /** Languages of the articles (BCP 47), each with the number of its articles. */
  languages: Map<string, number>;
  /** Languages in which words are stemmed: also the usual one, for articles in which none can be detected. */
  stemmedIn: Set<string>;
  /** By article, for finding which are translations of each other, and what each reader's languages are. */
  translated: TranslatedArticle[];
}

export interface FieldLengths {
  title: number;
  label: number;
  heading: number;
  body: number;
}

/** Numbers per chunk in `chunkNumbers`. */
export const CHUNK_NUMBERS = 5;

/** What an edition of some passages takes over from that of all. */
export interface Surroundings {
  /** The language of most articles; the others name theirs, and none is detected. */
  usual: string;
  /** Words with their stems that are there whether or not a passage has them. */
  vocabulary: Iterable<readonly [word: string, stem: string]>;
  /** Mean number of words of a chunk, by field. */
  meanLengths: FieldLengths;
}

/**
 * First pass: numbers and counts the words, and stores every chunk as a list of word ids.
 *
 * @param options.pages Takes the chunks' texts and word ids; they stay in memory without it.
 * @returns `undefined` as soon as an article's id does not sort after the previous one.
 */
export function collectWords(
  entries: Iterable<EditionEntry>,
  {
    pages,
    within,
  }: { pages?: Pick<EditionPages, 'write'> | undefined; within?: Surroundings | undefined } = {},
): CollectedWords | undefined {
  if (within !== undefined) return collect(entries, { within });
  const collected = collect(entries, { pages });
  const isMixed =
    collected !== undefined && collected.audienceSets.size > 1 && collected.stemmedIn.size > 1;
  return isMixed && pages === undefined
    ? collect(entries, { beginsWith: isForEverybody })
    : collected;
}

/**
 * @param options.beginsWith Articles whose words get their stems first: a word that two languages have is then stemmed as if there were no
 *   other articles.
 */
const collect = (
  entries: Iterable<EditionEntry>,
  {
    pages,
    beginsWith,
    within,
  }: {
    pages?: Pick<EditionPages, 'write'> | undefined;
    beginsWith?: ((entry: EditionEntry) => boolean) | undefined;
    within?: Surroundings | undefined;
  },
): CollectedWords | undefined => {
  const collected = emptyCollection();
  const paged = pages && pageWriter(pages, collected.pageEnds);
  const numbering = wordNumbering(collected);
  const usual = within?.usual ?? usualLanguage(entries);
  for (const [word, stem] of within?.vocabulary ?? []) numbering.add(word, stem);
  if (beginsWith !== undefined)
    nameWords(entries, { isNamed: beginsWith, usual, name: numbering.name });
  let language = languageNamed(usual);
  const number: NumberWords = (text, table) => numbering.number(text, table, language);
  const headingOf = headingNumbering(collected, number, () => language.tag);
  let previous: string | undefined;
  for (const { article, chunks } of entries) {
    if (previous !== undefined && compareByBytes(previous, article.id) >= 0) return undefined;
    previous = article.id;
    const own = within === undefined ? languageOfArticle({ article, chunks }) : article.language;
    language = languageNamed(own ?? usual);
    collected.stemmedIn.add(language.tag);
    if (own !== undefined) collected.languages.set(own, (collected.languages.get(own) ?? 0) + 1);
    const { id, url, translationKey } = article;
    collected.translated.push({ id, url, translationKey, language: own });
    const articleIndex = collected.articles.ends.length();
    addEntry(collected.articles, encodeArticle(article));
    const set = audienceSetOf(collected.audienceSets, article.audiences);
    collected.articleSets.push(set);
    for (const tag of tagsOf(article)) {
      const articles = collected.tags.get(tag);
      if (articles === undefined) collected.tags.set(tag, [articleIndex]);
      else articles.push(articleIndex);
    }
    const title = number(article.title, collected.titleWords);
    const label = number(labelsOf(article), collected.labelWords);
    paged?.startArticle(chunks.reduce((sum, { text }) => sum + text.length, 0));
    for (const chunk of chunks) {
      const words = paged === undefined ? collected.chunkWords : paged.wordsOf(chunk.text);
      addChunk(collected, chunk, { articleIndex, set, title, label, number, headingOf, words });
    }
    collected.articleChunkEnds.push(collected.textEnds.length());
  }
  paged?.end();
  return collected;
};

/** Articles that are read to find the usual language of a knowledge base, for those too short to tell their own. */
const SAMPLED = 200;
/** In UTF-16 units: the language of an article does not change after it. */
const MAX_DETECTED = 1500;
/** A few words look like several languages. */
const LEAST_DETECTED = 40;

/** The language of most articles for everybody, which others must not change; of most where there are none; English when none can be detected. */
export function usualLanguage(entries: Iterable<EditionEntry>): string {
  const everybody = new Map<string, number>();
  const all = new Map<string, number>();
  let read = 0;
  let readForEverybody = 0;
  for (const entry of entries) {
    const isOpen = isForEverybody(entry);
    read += 1;
    if (isOpen) readForEverybody += 1;
    else if (read > SAMPLED) continue;
    const language = languageOfArticle(entry);
    if (language !== undefined)
      for (const counts of isOpen ? [everybody, all] : [all])
        counts.set(language, (counts.get(language) ?? 0) + 1);
    if (readForEverybody === SAMPLED) break;
  }
  const most = (counts: Map<string, number>) =>
    [...counts].sort((left, right) => right[1] - left[1])[0]?.[0];
  return most(readForEverybody === 0 ? all : everybody) ?? 'en';
}

const isForEverybody = ({ article }: EditionEntry): boolean => article.audiences === undefined;

/** Gives the words of some articles their terms. */
const nameWords = (
  entries: Iterable<EditionEntry>,
  {
    isNamed,
    usual,
    name,
  }: { isNamed: (entry: EditionEntry) => boolean; usual: string; name: WordNumbering['name'] },
): void => {
  for (const entry of entries) {
    if (!isNamed(entry)) continue;
    const { article, chunks } = entry;
    const language = languageNamed(languageOfArticle(entry) ?? usual);
    const paths = new Set(chunks.map(({ headingPath }) => headingPath.join('\n')));
    for (const text of [article.title, labelsOf(article), ...paths]) name(text, language);
    for (const { text } of chunks) name(text, language);
  }
};

/** As the text tells; where that is in doubt, as its source names it. Templates of sites often name the wrong one. */
export function languageOfArticle({ article, chunks }: EditionEntry): string | undefined {
  let text = article.title;
  for (const chunk of chunks) {
    if (text.length >= MAX_DETECTED) break;
    text += `\n${chunk.text}`;
  }
  return languageOfText(text, article.language);
}

/** The language of an article, a primary tag; undefined where it is in doubt. @param tag As its source names it. */
export function languageOfText(text: string, tag: string | undefined): string | undefined {
  const named = tag?.split('-')[0]?.toLowerCase();
  const detected =
    text.length < LEAST_DETECTED
      ? undefined
      : detectLanguage(text.slice(0, MAX_DETECTED), named === undefined ? [] : [named]);
  return detected ?? named;
}

const audienceSetOf = (sets: Map<string, number>, audiences: readonly string[] = []): number => {
  const key = JSON.stringify([...audiences].sort());
  const set = sets.get(key) ?? sets.size;
  sets.set(key, set);
  return set;
};

/** The last bit stands for all lists of audiences that have none of their own. */
export function audienceBit(set: number): number {
  return (1 << Math.min(set, LAST_BIT)) >>> 0;
}
const LAST_BIT = 31;

type NumberWords = (text: string, table: GrowingTable) => number[];
interface Heading {
  index: number;
  words: number[];
}

const addChunk = (
  collected: CollectedWords,
  chunk: Chunk,
  parts: {
    articleIndex: number;
    /** Number of its audiences. */
    set: number;
    title: number[];
    label: number[];
    number: NumberWords;
    headingOf: (path: readonly string[]) => Heading;
    /** Takes the word ids of the text. */
    words: GrowingTable;
  },
): void => {
  const heading = parts.headingOf(chunk.headingPath);
  const body = parts.number(chunk.text, parts.words);
  countChunk(collected, {
    chunk: collected.textEnds.length(),
    texts: [parts.title, heading.words, body],
    label: parts.label,
    bit: audienceBit(parts.set),
  });
  collected.fieldLengths.title += parts.title.length;
  collected.fieldLengths.label += parts.label.length;
  collected.fieldLengths.heading += heading.words.length;
  collected.fieldLengths.body += body.length;
  for (const value of [
    parts.articleIndex,
    chunk.start,
    chunk.end,
    chunk.tokenCount,
    heading.index,
  ]) {
    collected.chunkNumbers.push(value);
  }
  const { textEnds } = collected;
  textEnds.push(textEnds.get(textEnds.length() - 1) + utf8Length(chunk.text));
};

/** Counts the chunk once for each of its terms. */
export function countChunk(
  { wordTerms, wordSets, termChunks, termTextChunks, termLasts, postingBytes }: CollectedWords,
  {
    chunk,
    texts,
    label,
    bit,
  }: { chunk: number; texts: readonly number[][]; label: readonly number[]; bit: number },
): void {
  const seen = new Set<number>();
  for (const words of [...texts, label])
    for (const word of words) wordSets.set(word, wordSets.get(word) | bit);
  for (const words of texts) for (const word of words) seen.add(wordTerms.get(word));
  for (const term of seen) termTextChunks.set(term, termTextChunks.get(term) + 1);
  for (const word of label) seen.add(wordTerms.get(word));
  for (const term of seen) {
    termChunks.set(term, termChunks.get(term) + 1);
    // A posting is the distance from the one before, and a weight of one byte.
    postingBytes.set(
      term,
      postingBytes.get(term) + varintLength(chunk + 1 - termLasts.get(term)) + 1,
    );
    termLasts.set(term, chunk + 1);
  }
}

interface WordNumbering {
  /** Gives a word an id and the term of a stem, unless it has one. */
  add: (word: string, stem: string) => void;
  /** Gives each new word of a text an id and a term. */
  name: (text: string, language: Language) => void;
  /** Counts the words of a text too. */
  count: (text: string, language: Language) => number[];
  /** The same, and appends them to a table as varints. */
  number: (text: string, table: GrowingTable, language: Language) => number[];
}

export function wordNumbering(collected: CollectedWords): WordNumbering {
  const { words, wordTerms, wordCounts, wordSets, terms } = collected;
  const perTerm = [
    collected.termChunks,
    collected.termTextChunks,
    collected.termCounts,
    collected.termLasts,
    collected.postingBytes,
  ];
  const { termCounts } = collected;
  // A word that two languages have counts as one of the language that has it first.
  const describe = (stem: string): void => {
    const term = terms.numberOf(stem);
    if (term === termCounts.length()) for (const numbers of perTerm) numbers.push(0);
    wordTerms.push(term);
    wordCounts.push(0);
    wordSets.push(0);
  };
  const read = (text: string, language: Language, visit: (wordIndex: number) => void): void => {
    readWords(text, language, (word, written) => {
      const wordIndex = words.numberOf(word);
      if (wordIndex === wordTerms.length()) describe(language.stem(written));
      visit(wordIndex);
    });
  };
  const add = (word: string, stem: string): void => {
    if (words.numberOf(word) === wordTerms.length()) describe(stem);
  };
  const count: WordNumbering['count'] = (text, language) => {
    const numbers: number[] = [];
    read(text, language, (wordIndex) => {
      const term = wordTerms.get(wordIndex);
      wordCounts.set(wordIndex, wordCounts.get(wordIndex) + 1);
      termCounts.set(term, termCounts.get(term) + 1);
      numbers.push(wordIndex);
    });
    return numbers;
  };
  const number: WordNumbering['number'] = (text, table, language) => {
    const numbers = count(text, language);
    for (const wordIndex of numbers) table.bytes.pushVarint(wordIndex);
    table.ends.push(table.bytes.length());
    return numbers;
  };
  return { add, count, number, name: (text, language) => read(text, language, () => undefined) };
}

/** The words of a text in a language, as an edition stores them. @param visit Gets the word, and how it is written with its diacritics. */
export function readWords(
  text: string,
  language: Language,
  visit: (word: string, written: string) => void,
): void {
  const count = (word: string, _: unknown, written: string): void => visit(word, written);
  // Common words of other languages may be words of this one; a question leaves out its own.
  analyseText(text, count, language.tag === 'en' ? STOP_WORDS : NONE);
}

const NONE: ReadonlySet<string> = new Set();

/** Knowledge bases repeat their headings, so each path is stored once for each language, in which its words are read. */
const headingNumbering = (
  collected: CollectedWords,
  number: NumberWords,
  languageNow: () => string,
): ((path: readonly string[]) => Heading) => {
  const headings = new Map<string, Heading>();
  return (path) => {
    const key = JSON.stringify([languageNow(), path]);
    const known = headings.get(key);
    if (known !== undefined) return known;
    addEntry(collected.headings, encodeStrings(path));
    const heading = {
      index: headings.size,
      words: number(path.join('\n'), collected.headingWords),
    };
    headings.set(key, heading);
    return heading;
  };
};

/** Normalises `intent` and `device` tags: trimmed, lower case, unique. */
export function tagOf(kind: 'intent' | 'device', value: string): string {
  return `${kind} ${value.trim().toLowerCase()}`;
}

const tagsOf = ({ intents, devices }: Article): Set<string> =>
  new Set([
    ...intents.map((intent) => tagOf('intent', intent)),
    ...devices.map((device) => tagOf('device', device)),
  ]);

/** Searchable text of intents and devices: `not_hashing` is two words, and not also `nothashing`. */
export function labelsOf({ intents, devices }: Pick<Article, 'intents' | 'devices'>): string {
  return [...intents, ...devices].join('\n').replaceAll('_', ' ');
}

const encodeArticle = ({
  id,
  title,
  url,
  lastUpdated,
  author,
  intents,
  devices,
}: Article): Uint8Array =>
  encodeStrings([
    id,
    title,
    url,
    lastUpdated,
    author ?? '',
    String(intents.length),
    ...intents,
    ...devices,
  ]);

const addEntry = (table: GrowingTable, bytes: Uint8Array): void => {
  table.bytes.push(bytes);
  table.ends.push(table.bytes.length());
};

export function emptyCollection(): CollectedWords {
  return {
    words: numberedTexts(),
    wordTerms: growingNumbers(),
    wordCounts: growingNumbers(),
    terms: numberedTexts(),
    termChunks: growingNumbers(),
    termTextChunks: growingNumbers(),
    termCounts: growingNumbers(),
    termLasts: growingNumbers(),
    postingBytes: growingNumbers(),
    fieldLengths: { title: 0, label: 0, heading: 0, body: 0 },
    articles: growingTable(),
    titleWords: growingTable(),
    labelWords: growingTable(),
    articleChunkEnds: growingNumbers(),
    headings: growingTable(),
    headingWords: growingTable(),
    chunkWords: growingTable(),
    pageEnds: growingNumbers(),
    chunkNumbers: growingNumbers(),
    textEnds: growingNumbers(),
    audienceSets: new Map([['[]', 0]]),
    articleSets: growingNumbers(),
    wordSets: growingNumbers(),
    tags: new Map(),
    languages: new Map(),
    stemmedIn: new Set(),
    translated: [],
  };
}
