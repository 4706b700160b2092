import { WORD_VECTORS_MODEL, type WordVectors } from '../ai/embeddings/word-vectors.ts';
import type { PageSource } from './chunk-texts.ts';
import { aligned, attachSection } from './edition-format.ts';
import { openEdition } from './open-edition.ts';
import { packVector, quantise, signsOf, signWords, unpackVector } from './quantise.ts';
import { embeddingTextOf, VECTOR_ID_DIGITS, type VectorSpace } from './vector-id.ts';

/** Names of the sections that store an edition's vectors (docs/edition-format.md). */
export const VECTOR_SECTIONS = {
  about: 'vectors',
  ids: 'vectors.ids',
  order: 'vectors.order',
  scales: 'vectors.scales',
  rows: 'vectors.rows',
  signs: 'vectors.signs',
} as const;

/** Bytes of a vector's id. */
export const ID_BYTES = VECTOR_ID_DIGITS / 2;

/** Vectors of an edition: ids in a vector index, or the vectors themselves. */
export type VectorsToAttach =
  /** By chunk: the id of its vector in an index; `undefined` if it has none. */
  | { kind: 'ids'; space: VectorSpace; ids: readonly (string | undefined)[] }
  /** By chunk: its vector as packed by `packVector`; `undefined` if it has none. */
  | { kind: 'rows'; space: VectorSpace; rows: Iterable<Uint8Array | undefined>; chunks: number };

/** Bytes that the vectors need, excluding section headers. */
export const attachedBytes = (kind: VectorsToAttach['kind'], { dimensions }: VectorSpace, chunks: number): number =>
  ABOUT_BYTES + chunks * (kind === 'ids' ? ID_BYTES + 4 : dimensions + 4 + signWords(dimensions) * 4);

/** Upper bound of the metadata section and of alignment. */
const ABOUT_BYTES = 1024;

/** Attaches vectors to an edition; `edition` must not be used afterwards (see `attachSection`). */
export const attachVectors = (edition: Uint8Array, vectors: VectorsToAttach): Uint8Array<ArrayBuffer> => {
  const { kind, space } = vectors;
  const about = new TextEncoder().encode(
    JSON.stringify({ model: space.model, dimensions: space.dimensions, kind } satisfies AboutVectors),
  );
  const named = attachSection(edition, VECTOR_SECTIONS.about, about);
  return kind === 'ids' ? attachIds(named, vectors.ids) : attachRows(named, vectors);
};

/** Content of the section `vectors`. */
export interface AboutVectors extends VectorSpace {
  kind: VectorsToAttach['kind'];
}

const attachIds = (edition: Uint8Array, ids: readonly (string | undefined)[]): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(ids.length * ID_BYTES);
  ids.forEach((id, chunk) => {
    if (id !== undefined) writeId(bytes, chunk, id);
  });
  const sorted = ids.flatMap((id, chunk) => (id === undefined ? [] : [{ id, chunk }]));
  sorted.sort((left, right) => (left.id < right.id ? -1 : left.id > right.id ? 1 : left.chunk - right.chunk));
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
  if (chunk !== chunks) throw new RangeError(`Cannot attach ${chunk} vectors: there are ${chunks} chunks`);
  const scaled = attachSection(edition, VECTOR_SECTIONS.scales, scales);
  const whole = attachSection(scaled, VECTOR_SECTIONS.rows, all);
  return attachSection(whole, VECTOR_SECTIONS.signs, new Uint8Array(signs.buffer));
};

/** Attaches a word vector for every chunk; `edition` must not be used afterwards. */
export const attachWordVectors = (
  edition: Uint8Array,
  words: WordVectors,
  pages?: PageSource,
): Uint8Array<ArrayBuffer> => {
  const { index, chunk, article, chunkCount } = openEdition(edition, pages);
  // One by one: objects for all of them would take more memory than the vectors.
  const rows = (function* () {
    for (let place = 0; place < chunkCount; place++) {
      const text = embeddingTextOf({ ...chunk(place), title: article(index.articleOf(place)).title });
      const vector = words.vectorOfText(text);
      yield vector && packVector(quantise(vector));
    }
  })();
  const space = { model: WORD_VECTORS_MODEL, dimensions: words.dimensions };
  return attachVectors(edition, { kind: 'rows', space, rows, chunks: chunkCount });
};
