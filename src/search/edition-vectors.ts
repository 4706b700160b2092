import { oncePer } from '../runtime/once-per.ts';
import { type AboutVectors, ID_BYTES, VECTOR_SECTIONS } from './attach-vectors.ts';
import { type NearChunk, nearestRows } from './nearest-rows.ts';
import type { Edition } from './open-edition.ts';
import { signWords } from './quantise.ts';
import { VECTOR_ID_DIGITS, type VectorSpace } from './vector-id.ts';

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
export const vectorsOf = (edition: Edition): EditionVectors | undefined => opened(edition).vectors;

const opened = oncePer((edition: Edition) => ({
  vectors: edition.narrowed === undefined ? openVectors(edition) : narrowVectors(edition.narrowed),
}));

/** Those of the chunks that a narrowed edition has. */
const narrowVectors = ({ from, ownChunks }: NonNullable<Edition['narrowed']>): EditionVectors | undefined => {
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
        .nearest(vector, { limit, isAllowed: (chunk) => ownOf(chunk) >= 0 && isAllowed?.(ownOf(chunk)) !== false })
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
    const key = Uint8Array.from({ length: ID_BYTES }, (_, at) => Number.parseInt(id.slice(at * 2, at * 2 + 2), 16));
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
