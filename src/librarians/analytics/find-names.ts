import { stem } from '../../language/stem.ts';
import { editDistance } from '../../platform/edit-distance.ts';
import { CodedError, DataSourceError } from '../../platform/http/coded-error.ts';
import { SqlUnavailable } from '../../platform/storage/sql-database.ts';
import type { Catalogue } from './catalogue.ts';
import type { Table } from './run-sql.ts';
import WORDS from './word-lists.json' with { type: 'json' };

/** Names by the id of their list. */
export type NameLists = Readonly<Record<string, readonly string[]>>;

/** A name in a question. */
export interface FoundName {
  /** As the database writes it, by the lists that contain it. */
  names: Readonly<Record<string, string>>;
  start: number;
  end: number;
  /** The matched part of the name when the question omits the size at its end. */
  beginning?: string | undefined;
}

interface Candidate {
  list: string;
  name: string;
  /** Word positions in the question; `to` is exclusive. */
  from: number;
  to: number;
  /** Higher is better: 2 for the whole name as written, 1 with an inflected or misspelt word, 0 for its beginning alone. */
  quality: number;
  beginning?: string | undefined;
}

/**
 * Finds the names that a question contains, in order and without overlap: the longest first, then those without a misspelling.
 * One letter of a word of five or more letters may be wrong. The size at the end of a name may be omitted, as in `Model 2 Cable`
 * for `Model 2 Cable 3 m`, when no other name begins like that.
 */
export function findNames(words: readonly QuestionWord[], lists: NameLists): FoundName[] {
  const nextNodes = cachedNextNodes();
  const candidates = Object.entries(lists).flatMap(([list, names]) =>
    candidatesIn(words, { list, root: indexNames(names).root, nextNodes }),
  );
  candidates.sort(
    (a, b) => b.to - b.from - (a.to - a.from) || b.quality - a.quality || a.from - b.from,
  );
  const chosen: Candidate[][] = [];
  for (const candidate of candidates) {
    const same = chosen.find(
      ([first]) => first?.from === candidate.from && first.to === candidate.to,
    );
    const overlaps = chosen.some(
      ([first]) => first && candidate.from < first.to && first.from < candidate.to,
    );
    if (same === undefined && !overlaps) chosen.push([candidate]);
    else if (
      same?.[0]?.quality === candidate.quality &&
      same.every(({ list }) => list !== candidate.list)
    ) {
      same.push(candidate);
    }
  }
  return chosen
    .map((same) => ({
      names: Object.fromEntries(same.map(({ list, name }) => [list, name])),
      start: words[same[0]?.from ?? 0]?.start ?? 0,
      end: words[(same[0]?.to ?? 1) - 1]?.end ?? 0,
      beginning: same[0]?.beginning,
    }))
    .sort((a, b) => a.start - b.start);
}

/** Names that share words with a question, and the words that they share. */
export interface SimilarNames {
  names: string[];
  words: ReadonlySet<QuestionWord>;
}

/** The names that share a word of four letters or more with the question: candidates for what the caller meant. */
export function similarNames(
  words: readonly QuestionWord[],
  list: readonly string[],
): SimilarNames {
  const longWords = words.filter(({ text }) => text.length > 3);
  const wanted = new Set(longWords.map(({ stem }) => stem));
  const found = indexNames(list).names.filter(({ stems }) =>
    [...stems].some((stem) => wanted.has(stem)),
  );
  const shared = new Set(found.flatMap(({ stems }) => [...stems]));
  return {
    names: found.map(({ name }) => name),
    words: new Set(longWords.filter(({ stem }) => shared.has(stem))),
  };
}

type NextNodes = (node: NameNode, word: QuestionWord) => NameNode[];

const candidatesIn = (
  words: readonly QuestionWord[],
  { list, root, nextNodes }: { list: string; root: NameNode; nextNodes: NextNodes },
): Candidate[] => {
  const found: Candidate[] = [];
  const walk = (
    node: NameNode,
    { from, to, isExact }: { from: number; to: number; isExact: boolean },
  ): void => {
    const { names, withoutSize, count } = node;
    for (const name of names) found.push({ list, name, from, to, quality: isExact ? 2 : 1 });
    // Only a size may be omitted: "Model 2" must not match "Model 2 Cable", which is another thing.
    if (withoutSize !== undefined && count === 1)
      found.push({ list, ...withoutSize, from, to, quality: 0 });
    const word = words[to];
    for (const next of word === undefined ? [] : nextNodes(node, word)) {
      walk(next, { from, to: to + 1, isExact: isExact && next.word?.text === word?.text });
    }
  };
  for (let from = 0; from < words.length; from++) walk(root, { from, to: from, isExact: true });
  return found;
};

/** The nodes that a word leads to: as written, inflected or misspelt. Questions repeat words, so that results are cached. */
const cachedNextNodes = (): NextNodes => {
  const cache = new Map<NameNode, Map<string, NameNode[]>>();
  return (node, word) => {
    const ofNode = cache.get(node) ?? new Map<string, NameNode[]>();
    cache.set(node, ofNode);
    const found =
      ofNode.get(word.text) ??
      [...node.next.values()].filter((next) => next.word && isLike(word, next.word));
    ofNode.set(word.text, found);
    return found;
  };
};

const isLike = (word: QuestionWord, { text, stem }: QuestionWord): boolean =>
  word.text === text || word.stem === stem || isMisspelling(word.text, text);

interface NameIndex {
  /** Each name with its stems, in the order of the list. */
  names: readonly { name: string; stems: ReadonlySet<string> }[];
  /** A prefix tree of all names, one word per edge. */
  root: NameNode;
}

interface NameNode {
  word: QuestionWord | undefined;
  /** By the text of the next word. */
  next: Map<string, NameNode>;
  /** The names that end here. */
  names: string[];
  /** How many names pass through or end here. */
  count: number;
  /** A name of which only the size is missing here. */
  withoutSize: { name: string; beginning: string } | undefined;
}

const indexes = new WeakMap<readonly string[], NameIndex>();

/** Lists are cached for a minute and shared by all questions, so that each is indexed once. */
const indexNames = (list: readonly string[]): NameIndex => {
  const cached = indexes.get(list);
  if (cached !== undefined) return cached;
  const root = emptyNode(undefined);
  const names = list.map((name) => {
    const words = wordsOfQuestion(name);
    addName(root, { name, words });
    return { name, stems: new Set(words.map(({ stem }) => stem)) };
  });
  const index = { names, root };
  indexes.set(list, index);
  return index;
};

const emptyNode = (word: QuestionWord | undefined): NameNode => ({
  word,
  next: new Map(),
  names: [],
  count: 0,
  withoutSize: undefined,
});

const addName = (
  root: NameNode,
  { name, words }: { name: string; words: readonly QuestionWord[] },
): void => {
  const sizeAt = wordsBeforeSize(name, words);
  let node = root;
  for (const [place, word] of words.entries()) {
    const child = node.next.get(word.text) ?? emptyNode(word);
    node.next.set(word.text, child);
    node = child;
    node.count++;
    const isAllButSize = place >= 1 && place + 1 === sizeAt && sizeAt < words.length;
    if (isAllButSize) node.withoutSize = { name, beginning: name.slice(0, word.end) };
  }
  if (words.length > 0) node.names.push(name);
};

const UNITS: ReadonlySet<string> = new Set(WORDS.sizeUnits.split(' '));

/** A number without a unit is not a size: it may tell one model from another. */
const wordsBeforeSize = (name: string, words: readonly QuestionWord[]): number => {
  let place = words.length;
  while (place >= 2 && UNITS.has(words[place - 1]?.text ?? '') && isNumber(words[place - 2])) {
    place = numberAt(name, words, place - 2);
    // `92 x 92 mm`
    while (place >= 2 && words[place - 1]?.text === 'x' && isNumber(words[place - 2]))
      place = numberAt(name, words, place - 2);
  }
  return place;
};

/** The first word of the number that ends with this word: `1.5` is two words. */
const numberAt = (name: string, words: readonly QuestionWord[], place: number): number => {
  const [whole, decimals] = [words[place - 1], words[place]];
  const isDecimal = isNumber(whole) && /^[.,]$/.test(name.slice(whole?.end, decimals?.start));
  return isDecimal ? place - 1 : place;
};

const isNumber = (word: QuestionWord | undefined): boolean =>
  word !== undefined && /^\d+$/.test(word.text);

const CACHE_MS = 60_000;
const CACHE_AFTER_FAILURE_MS = 5000;
const MAX_NAME_LENGTH = 200;

interface NameListsParts {
  ask: (sql: string) => Promise<Table>;
  /** Called for a list that could not be read completely. */
  report: (error: unknown) => void;
  now: () => number;
}

/**
 * Reads the names of products, customers and the like that questions may mention, and caches them for a minute. When a list cannot be
 * read, its last value is used; a list with an invalid SQL statement is left empty and does not stop the others.
 *
 * @throws What `ask` throws when no list can be read; SERVICE_UNAVAILABLE when a list timed out before it was ever
 *   loaded, because without its names a question would be refused or misunderstood.
 */
export function createNameLists(
  { names }: Catalogue,
  { ask, report, now }: NameListsParts,
): () => Promise<NameLists> {
  let cached: { lists: NameLists; expiresAtMs: number } | undefined;
  const readList = async (list: string, sql: string) => {
    const table = await ask(sql);
    if (table.truncated)
      report(
        new DataSourceError(
          `the list of names ${list} is truncated after ${table.rows.length} names`,
        ),
      );
    return namesIn(table);
  };
  return async () => {
    if (cached !== undefined && now() < cached.expiresAtMs) return cached.lists;
    const entries = Object.entries(names);
    const read = await Promise.allSettled(entries.map(([list, sql]) => readList(list, sql)));
    const failures = read.flatMap((list) => (list.status === 'rejected' ? [list.reason] : []));
    if (failures.length > 0 && failures.length === read.length) throw failures[0];
    for (const failure of failures) report(failure);
    const before = cached?.lists ?? {};
    const isMissing = entries.some(
      ([list], index) => before[list] === undefined && isTransient(read[index]),
    );
    if (isMissing) throw unavailable(failures);
    const lists = entries.map(([list], index) => {
      const found = read[index];
      return [list, found?.status === 'fulfilled' ? found.value : (before[list] ?? [])] as const;
    });
    const cacheMs = failures.length > 0 ? CACHE_AFTER_FAILURE_MS : CACHE_MS;
    cached = { lists: Object.fromEntries(lists), expiresAtMs: now() + cacheMs };
    return cached.lists;
  };
}

/** The statement is not at fault, so the next attempt may succeed. */
const isTransient = (read: PromiseSettledResult<unknown> | undefined): boolean =>
  read?.status === 'rejected' &&
  (read.reason instanceof SqlUnavailable ||
    (read.reason instanceof CodedError && read.reason.code === 'TIMEOUT'));

const unavailable = (failures: readonly unknown[]): CodedError =>
  new CodedError('SERVICE_UNAVAILABLE', 'a list of names could not be read', {
    cause: failures[0],
    reported: {
      message: 'Cannot read the names that questions may contain: the database is slow or down',
      recoverable: true,
      suggestion: 'Try again in a few seconds',
    },
  });

const namesIn = ({ columns: [column], rows }: Table): string[] => {
  if (column === undefined) throw new DataSourceError('a list of names has no column');
  return rows
    .map((row) => row[column])
    .filter((name): name is string => typeof name === 'string' && /[\p{L}\p{N}]/u.test(name))
    .filter(({ length }) => length <= MAX_NAME_LENGTH);
};

/** A word or number of a question, with its position in UTF-16 units. */
export interface QuestionWord {
  /** Lower case, without diacritics. Letters and digits are separate words: `iphone17` is two. */
  text: string;
  stem: string;
  start: number;
  end: number;
}

const MAX_WORDS = 200;

/**
 * The first 200 words of a question or a name, with currency and per cent signs as words. Roman numerals up to 9 become digits,
 * so that `Model 2` equals `Model II`.
 */
export function wordsOfQuestion(text: string): QuestionWord[] {
  return [...text.matchAll(/\p{L}+|\p{N}+|[€$%]/gu)]
    .slice(0, MAX_WORDS)
    .map(({ 0: raw, index }) => {
      const plain = raw
        .normalize('NFKD')
        .replace(/\p{M}+/gu, '')
        .toLowerCase();
      const word = REPLACEMENTS[plain] ?? plain;
      return { text: word, stem: stem(word), start: index, end: index + raw.length };
    });
}

const REPLACEMENTS: Readonly<Record<string, string>> = {
  '€': 'euros',
  $: 'dollars',
  '%': 'percent',
  ii: '2',
  iii: '3',
  iv: '4',
  vi: '6',
  vii: '7',
  viii: '8',
  ix: '9',
};

const MIN_LENGTH = 5;
const encoder = new TextEncoder();

/** Whether two words of five letters or more differ by one letter added, dropped, changed or swapped. */
export function isMisspelling(word: string, other: string): boolean {
  if (Math.min(word.length, other.length) < MIN_LENGTH || !/^\p{L}+$/u.test(word)) return false;
  if (Math.abs(word.length - other.length) > 1) return false;
  // One mistake leaves either the first two letters or the last two as they are, which rules out most pairs cheaply.
  if (word.slice(0, 2) !== other.slice(0, 2) && word.slice(-2) !== other.slice(-2)) return false;
  const bytes = encoder.encode(other);
  return editDistance(encoder.encode(word), bytes, { from: 0, to: bytes.length, limit: 1 }) <= 1;
}
