import { WORD_VECTORS_MODEL, type WordVectors } from '../../ai/embeddings/word-vectors.ts';
import { utf8 } from '../../platform/encoding.ts';
import { oncePer } from '../../platform/once-per.ts';
import { sha256Hex } from '../../platform/storage/edition-storage.ts';
import type { PageSource } from './chunk-texts.ts';
import { aligned, attachSection } from './edition-format.ts';
import {
  type NearChunk,
  nearestRows,
  packVector,
  quantise,
  signsOf,
  signWords,
  unpackVector,
} from './nearest-rows.ts';
import { type Edition, openEdition } from './open-edition.ts';

/** The vectors of an edition: ids in an index, or the vectors themselves. */
export type EditionVectors = { space: VectorSpace } & (
  | {
      kind: 'ids';
      /** Chunks whose vector has this id, ascending; empty for an id that is not in this edition. */
      chunksOf: (id: string) => number[];
    }
  | {
      kind: 'rows';
      /** The closest chunks, best first. Throws RangeError for a zero vector or one of another dimension. */
      nearest: (
        vector: readonly number[] | Float32Array,
        options: { limit: number; isAllowed?: ((chunk: number) => boolean) | undefined },
      ) => NearChunk[];
    }
);

/** The vectors of an edition, opened once; `undefined` if it has none that can be read. */
export function vectorsOf(edition: Edition): EditionVectors | undefined {
  return opened(edition).vectors;
}

/** Names of the sections that store an edition's vectors (docs/edition-format.md). */
const VECTOR_SECTIONS = {
  about: 'vectors',
  ids: 'vectors.ids',
  order: 'vectors.order',
  scales: 'vectors.scales',
  rows: 'vectors.rows',
  signs: 'vectors.signs',
} as const;

/** Hexadecimal digits of an id: 128 bits, enough to avoid collisions among a billion texts. */
const VECTOR_ID_DIGITS = 32;

/** Bytes of a vector's id. */
const ID_BYTES = VECTOR_ID_DIGITS / 2;

const opened = oncePer((edition: Edition) => ({
  vectors: edition.narrowed === undefined ? openVectors(edition) : narrowVectors(edition.narrowed),
}));

/** Those of the chunks that a narrowed edition has. */
const narrowVectors = ({
  from,
  ownChunks,
}: NonNullable<Edition['narrowed']>): EditionVectors | undefined => {
  const whole = vectorsOf(from);
  const ownOf = (chunk: number): number => ownChunks[chunk] ?? -1;
  if (whole?.kind === 'ids')
    return {
      ...whole,
      chunksOf: (id) =>
        whole
          .chunksOf(id)
          .map(ownOf)
          .filter((chunk) => chunk >= 0),
    };
  if (whole === undefined) return undefined;
  return {
    ...whole,
    nearest: (vector, { limit, isAllowed }) =>
      whole
        .nearest(vector, {
          limit,
          isAllowed: (chunk) => ownOf(chunk) >= 0 && isAllowed?.(ownOf(chunk)) !== false,
        })
        .map(({ chunk, similarity }) => ({ chunk: ownOf(chunk), similarity })),
  };
};

const openVectors = (edition: Edition): EditionVectors | undefined => {
  const section = edition.section(VECTOR_SECTIONS.about);
  if (section === undefined) return undefined;
  // Written by `attachVectors` in the same build step; the edition carries the format version.
  const { model, dimensions, kind } = JSON.parse(new TextDecoder().decode(section)) as AboutVectors;
  const space = { model, dimensions };
  return kind === 'ids' ? openIds(edition, space) : openRows(edition, space);
};

const NOTHING = new Uint8Array(0);

const openIds = (edition: Edition, space: VectorSpace): EditionVectors | undefined => {
  const ids = edition.section(VECTOR_SECTIONS.ids) ?? NOTHING;
  const order = numbersOf(edition.section(VECTOR_SECTIONS.order) ?? NOTHING);
  if (ids.length !== edition.chunkCount * ID_BYTES || order === undefined) return undefined;
  /** Negative if the id at this index of the order sorts before `key`. */
  const compare = (place: number, key: Uint8Array): number => {
    const from = (order[place] ?? 0) * ID_BYTES;
    for (let at = 0; at < ID_BYTES; at++) {
      const difference = (ids[from + at] ?? 0) - (key[at] ?? 0);
      if (difference !== 0) return difference;
    }
    return 0;
  };
  const chunksOf = (id: string): number[] => {
    if (!HEXADECIMAL.test(id)) return [];
    const key = Uint8Array.from({ length: ID_BYTES }, (_, at) =>
      Number.parseInt(id.slice(at * 2, at * 2 + 2), 16),
    );
    let low = 0;
    let high = order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(middle, key) < 0) low = middle + 1;
      else high = middle;
    }
    const chunks: number[] = [];
    for (; low < order.length && compare(low, key) === 0; low++) chunks.push(order[low] ?? 0);
    return chunks;
  };
  return { kind: 'ids', space, chunksOf };
};

const HEXADECIMAL = new RegExp(`^[0-9a-f]{${VECTOR_ID_DIGITS}}$`);

const numbersOf = ({ buffer, byteOffset, length }: Uint8Array): Uint32Array | undefined =>
  length % 4 === 0 ? new Uint32Array(buffer, byteOffset, length / 4) : undefined;

const openRows = (edition: Edition, space: VectorSpace): EditionVectors | undefined => {
  const scales = edition.section(VECTOR_SECTIONS.scales) ?? NOTHING;
  const rows = edition.section(VECTOR_SECTIONS.rows) ?? NOTHING;
  const signs = edition.section(VECTOR_SECTIONS.signs) ?? NOTHING;
  const { chunkCount } = edition;
  const agrees =
    scales.length === chunkCount * 4 &&
    rows.length >= chunkCount * space.dimensions &&
    signs.length === chunkCount * signWords(space.dimensions) * 4;
  if (!agrees) return undefined;
  const views = {
    dimensions: space.dimensions,
    scales: new Float32Array(scales.buffer, scales.byteOffset, chunkCount),
    rows: new Int8Array(rows.buffer, rows.byteOffset, rows.length),
    signs: new Int32Array(signs.buffer, signs.byteOffset, signs.length / 4),
  };
  return { kind: 'rows', space, nearest: nearestRows(views) };
};

/** Vectors of an edition: ids in a vector index, or the vectors themselves. */
type VectorsToAttach =
  /** By chunk: the id of its vector in an index; `undefined` if it has none. */
  | { kind: 'ids'; space: VectorSpace; ids: readonly (string | undefined)[] }
  /** By chunk: its vector as packed by `packVector`; `undefined` if it has none. */
  | { kind: 'rows'; space: VectorSpace; rows: Iterable<Uint8Array | undefined>; chunks: number };

/** Bytes that the vectors need, excluding section headers. */
export function attachedBytes(
  kind: VectorsToAttach['kind'],
  { dimensions }: VectorSpace,
  chunks: number,
): number {
  return (
    ABOUT_BYTES +
    chunks * (kind === 'ids' ? ID_BYTES + 4 : dimensions + 4 + signWords(dimensions) * 4)
  );
}

/** Upper bound of the metadata section and of alignment. */
const ABOUT_BYTES = 1024;

/** Attaches vectors to an edition; `edition` must not be used afterwards (see `attachSection`). */
export function attachVectors(
  edition: Uint8Array,
  vectors: VectorsToAttach,
): Uint8Array<ArrayBuffer> {
  const { kind, space } = vectors;
  const about = new TextEncoder().encode(
    JSON.stringify({
      model: space.model,
      dimensions: space.dimensions,
      kind,
    } satisfies AboutVectors),
  );
  const named = attachSection(edition, VECTOR_SECTIONS.about, about);
  return kind === 'ids' ? attachIds(named, vectors.ids) : attachRows(named, vectors);
}

/** Content of the section `vectors`. */
interface AboutVectors extends VectorSpace {
  kind: VectorsToAttach['kind'];
}

const attachIds = (
  edition: Uint8Array,
  ids: readonly (string | undefined)[],
): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(ids.length * ID_BYTES);
  ids.forEach((id, chunk) => {
    if (id !== undefined) writeId(bytes, chunk, id);
  });
  const sorted = ids.flatMap((id, chunk) => (id === undefined ? [] : [{ id, chunk }]));
  sorted.sort((left, right) =>
    left.id < right.id ? -1 : left.id > right.id ? 1 : left.chunk - right.chunk,
  );
  const order = Uint32Array.from(sorted, ({ chunk }) => chunk);
  return attachSection(
    attachSection(edition, VECTOR_SECTIONS.ids, bytes),
    VECTOR_SECTIONS.order,
    new Uint8Array(order.buffer),
  );
};

const writeId = (bytes: Uint8Array, chunk: number, id: string): void => {
  for (let at = 0; at < ID_BYTES; at++)
    bytes[chunk * ID_BYTES + at] = Number.parseInt(id.slice(at * 2, at * 2 + 2), 16);
};

const attachRows = (
  edition: Uint8Array,
  { space: { dimensions }, rows, chunks }: Extract<VectorsToAttach, { kind: 'rows' }>,
): Uint8Array<ArrayBuffer> => {
  const scales = new Uint8Array(chunks * 4);
  const all = new Uint8Array(aligned(chunks * dimensions));
  const signs = new Int32Array(chunks * signWords(dimensions));
  let chunk = 0;
  for (const row of rows) {
    if (row !== undefined) {
      scales.set(row.subarray(0, 4), chunk * 4);
      all.set(row.subarray(4), chunk * dimensions);
      signs.set(signsOf(unpackVector(row).row), chunk * signWords(dimensions));
    }
    chunk += 1;
  }
  if (chunk !== chunks)
    throw new RangeError(`Cannot attach ${chunk} vectors: there are ${chunks} chunks`);
  const scaled = attachSection(edition, VECTOR_SECTIONS.scales, scales);
  const whole = attachSection(scaled, VECTOR_SECTIONS.rows, all);
  return attachSection(whole, VECTOR_SECTIONS.signs, new Uint8Array(signs.buffer));
};

/** Attaches a word vector for every chunk; `edition` must not be used afterwards. */
export function attachWordVectors(
  edition: Uint8Array,
  words: WordVectors,
  pages?: PageSource,
): Uint8Array<ArrayBuffer> {
  const { index, chunk, article, chunkCount } = openEdition(edition, pages);
  // One by one: objects for all of them would take more memory than the vectors.
  const rows = (function* () {
    for (let place = 0; place < chunkCount; place++) {
      const text = embeddingTextOf({
        ...chunk(place),
        title: article(index.articleOf(place)).title,
      });
      const vector = words.vectorOfText(text);
      yield vector && packVector(quantise(vector));
    }
  })();
  const space = { model: WORD_VECTORS_MODEL, dimensions: words.dimensions };
  return attachVectors(edition, { kind: 'rows', space, rows, chunks: chunkCount });
}

/** A vector space. Vectors of different spaces are not comparable. */
export interface VectorSpace {
  model: string;
  /** Length of a vector. */
  dimensions: number;
}

/** Incremented when the embedded text of a chunk changes, so that old vectors are not reused. */
const RECIPE = 1;

/** The name of a space, which includes the version of the embedded text. */
export function spaceKey({ model, dimensions }: VectorSpace): string {
  return `${RECIPE} ${dimensions} ${model}`;
}

/**
 * The id of a text's vector: a hash of everything that determines the vector. Equal texts share an id, a changed text has
 * a new one, and an id unknown to an edition is not part of it.
 *
 * @returns 32 hexadecimal digits.
 */
export async function vectorIdOf(text: string, space: VectorSpace): Promise<string> {
  return (await sha256Hex(utf8(`${spaceKey(space)}\n${text}`))).slice(0, VECTOR_ID_DIGITS);
}

/**
 * A token is at least one byte in tokenizers that fall back to bytes, so a text of this many UTF-8 bytes fits the 8,192
 * tokens of embedding models in any language. Chunks have about 3,000 bytes.
 */
const MAX_BYTES = 8000;

/** The embedded text of a chunk: title, headings and text; at most 8,000 bytes of UTF-8. */
export function embeddingTextOf({
  title,
  headingPath,
  text,
}: {
  title: string;
  /** Outermost first, without the title. */
  headingPath: readonly string[];
  text: string;
}): string {
  return withinBytes(
    [title, headingPath.join(' > '), text].filter((part) => part.trim() !== '').join('\n'),
  );
}

const withinBytes = (text: string): string => {
  const target = new Uint8Array(MAX_BYTES);
  const { read } = new TextEncoder().encodeInto(text, target);
  return text.slice(0, read);
};
