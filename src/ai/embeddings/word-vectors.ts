import { analyseText } from '../../language/analyse-text.ts';
import { stem } from '../../language/stem.ts';
import { memo } from '../../platform/lru-cache.ts';

/** Model name; changes whenever the table or the computation of vectors does. */
export const WORD_VECTORS_MODEL = 'static-words-2';

/** Vectors of texts, computed in the process from a table of word vectors (docs/word-vectors.md). */
export interface WordVectors {
  readonly model: string;
  /** Length of a vector. */
  readonly dimensions: number;
  /** The vector of a text whose words were already analysed and stemmed: length 1, or `undefined` when no stem is known. */
  vectorOf(stems: Iterable<string>): Float32Array | undefined;
  /** The same for a text. */
  vectorOfText(text: string): Float32Array | undefined;
  /**
   * The vector of a question. Its length is the share of its distinct stems that the table contains, so that the cosines
   * of a question with half its stems unknown count half. `undefined` when no stem is known.
   */
  vectorOfQuestion(text: string): Float32Array | undefined;
}

/** The bytes are not a table of word vectors of this version. */
class WordVectorsUnreadable extends Error {
  override readonly name = 'WordVectorsUnreadable';
}

/** The table in a data module of a function, opened on first use. */
export function wordVectorsIn(table: ArrayBuffer): () => WordVectors {
  let opened: WordVectors | undefined;
  return () => {
    opened ??= openWordVectors(new Uint8Array(table));
    return opened;
  };
}

/**
 * Opens a table of word vectors. Nothing is unpacked: it reads from the bytes, which must not change afterwards.
 *
 * Little-endian: `SWV1`; three 32-bit numbers (stems, dimensions, bytes of names); a 32-bit float a stem (its scale); the rows, two
 * numbers a byte, the first in the high four bits, each stored as itself plus 8; a byte a stem (length of its name); the
 * names in ASCII, sorted, one after the other.
 *
 * @throws {WordVectorsUnreadable}
 */
export function openWordVectors(bytes: Uint8Array<ArrayBuffer>): WordVectors {
  const table = readTable(bytes);
  const { dimensions } = table;
  const find = rowFinder(table);
  const sumUp = adder(table);
  const rowsOf = rowsOfToken(find);
  return {
    model: WORD_VECTORS_MODEL,
    dimensions,
    vectorOf: (stems) => {
      for (const each of stems) sumUp.add(find(each));
      return sumUp.take();
    },
    vectorOfText: (text) => {
      eachToken(text, (token) => {
        const found = rowsOf(token);
        if (typeof found === 'number') sumUp.add(found);
        else for (const row of found) sumUp.add(row);
      });
      return sumUp.take();
    },
    vectorOfQuestion: (text) => {
      const unknown = new Set<string>();
      analyseText(text, (word) => {
        const key = stem(word);
        const row = find(key);
        if (row < 0) unknown.add(key);
        else sumUp.add(row);
      });
      const known = sumUp.size();
      const share = known / Math.max(1, known + unknown.size);
      return sumUp.take()?.map((value) => value * share);
    },
  };
}

/**
 * The rows of the words of a token, one or several; -1 for none. Tokens recur, so their rows are cached: most are analysed,
 * stemmed and looked up once.
 */
const rowsOfToken = (find: (key: string) => number) =>
  memo(
    (token: string): number | readonly number[] => {
      const rows: number[] = [];
      analyseText(token, (word) => {
        const row = find(stem(word));
        if (row >= 0) rows.push(row);
      });
      return rows.length > 1 ? rows : (rows[0] ?? -1);
    },
    { max: MAX_CACHED, isCached: ({ length }) => length <= MAX_CACHED_LENGTH },
  );

/** The parts between spaces and line breaks. No word crosses one, so the words are the same as those of the whole text. */
const eachToken = (text: string, visit: (token: string) => void): void => {
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    if (at < text.length && text.charCodeAt(at) > SPACE) continue;
    if (at > start) visit(text.slice(start, at));
    start = at + 1;
  }
};

const SPACE = 32;
/** Tokens whose rows are cached: about 2 MB. */
const MAX_CACHED = 20_000;
const MAX_CACHED_LENGTH = 40;
const MAGIC = 'SWV1';
const HEADER_BYTES = 16;
/** Exponent of the number of times a word occurs in a text, as trained. */
const COUNT_EXPONENT = 0.7;

interface Table {
  dimensions: number;
  scales: Float32Array;
  rows: Uint8Array;
  /** Start of each name, and the end of the last one. */
  starts: Uint32Array;
  names: Uint8Array;
}

const readTable = (bytes: Uint8Array<ArrayBuffer>): Table => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isTable =
    bytes.length >= HEADER_BYTES && new TextDecoder().decode(bytes.subarray(0, 4)) === MAGIC;
  if (!isTable) throw unreadable(`it does not begin with ${MAGIC}`);
  const count = view.getUint32(4, true);
  const dimensions = view.getUint32(8, true);
  const nameBytes = view.getUint32(12, true);
  const rowsAt = HEADER_BYTES + count * 4;
  const lengthsAt = rowsAt + (count * dimensions) / 2;
  const namesAt = lengthsAt + count;
  if (count === 0 || dimensions === 0 || dimensions % 2 !== 0)
    throw unreadable('its header is damaged');
  if (bytes.length !== namesAt + nameBytes)
    throw unreadable(`it has ${bytes.length} bytes, and its header says ${namesAt + nameBytes}`);
  const starts = new Uint32Array(count + 1);
  for (let at = 0; at < count; at++)
    starts[at + 1] = (starts[at] as number) + (bytes[lengthsAt + at] as number);
  if (starts[count] !== nameBytes) throw unreadable('the lengths of its names do not add up');
  // A view of floats begins at a multiple of four; a copy always does.
  const scales = new Float32Array(bytes.slice(HEADER_BYTES, rowsAt).buffer);
  return {
    dimensions,
    scales,
    rows: bytes.subarray(rowsAt, lengthsAt),
    starts,
    names: bytes.subarray(namesAt),
  };
};

const unreadable = (reason: string): WordVectorsUnreadable =>
  new WordVectorsUnreadable(
    `Cannot read the table of word vectors: ${reason}. Deploy it again from the repository`,
  );

/** The row of a stem, or -1, by binary search. */
const rowFinder = ({ starts, names }: Table) => {
  const compare = (row: number, key: string): number => {
    const start = starts[row] as number;
    const length = (starts[row + 1] as number) - start;
    const shared = Math.min(length, key.length);
    for (let at = 0; at < shared; at++) {
      const difference = (names[start + at] as number) - key.charCodeAt(at);
      if (difference !== 0) return difference;
    }
    return length - key.length;
  };
  return (key: string): number => {
    let low = 0;
    let high = starts.length - 2;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const order = compare(middle, key);
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  };
};

/** Adds up the rows of one text at a time. */
const adder = ({ dimensions, scales, rows }: Table) => {
  const counts = new Uint16Array(scales.length);
  const touched: number[] = [];
  const rowBytes = dimensions / 2;
  const sum = new Float32Array(dimensions);
  const addRow = (row: number): number => {
    const count = counts[row] as number;
    counts[row] = 0;
    const weight = (scales[row] as number) * (count === 1 ? 1 : count ** COUNT_EXPONENT);
    // Numbers are stored as themselves plus 8; the 8 are subtracted once for all rows.
    for (let at = row * rowBytes, place = 0; place < dimensions; at++, place += 2) {
      const pair = rows[at] as number;
      sum[place] = (sum[place] as number) + weight * (pair >> 4);
      sum[place + 1] = (sum[place + 1] as number) + weight * (pair & 15);
    }
    return weight;
  };
  return {
    /** Does nothing for a row below 0. */
    add: (row: number): void => {
      if (row < 0) return;
      const count = counts[row] as number;
      if (count === 0) touched.push(row);
      if (count < 65_535) counts[row] = count + 1;
    },
    /** Different rows since the last `take`. */
    size: (): number => touched.length,
    /** The sum normalised to length 1; resets the adder. */
    take: (): Float32Array | undefined => {
      sum.fill(0);
      let weights = 0;
      for (const row of touched) weights += addRow(row);
      touched.length = 0;
      let square = 0;
      for (let place = 0; place < dimensions; place++) {
        const value = (sum[place] as number) - 8 * weights;
        sum[place] = value;
        square += value * value;
      }
      if (!(square > 0 && Number.isFinite(square))) return undefined;
      const unit = new Float32Array(dimensions);
      const length = Math.sqrt(square);
      for (let place = 0; place < dimensions; place++)
        unit[place] = (sum[place] as number) / length;
      return unit;
    },
  };
};
