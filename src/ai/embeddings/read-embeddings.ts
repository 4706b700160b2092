import * as z from 'zod';
import { readAs } from '../../contract/issue.ts';

/** Of the reply (OpenAI's specification, CreateEmbeddingResponse). */
const Reply = z.object({ data: z.array(z.object({ index: z.int().min(0), embedding: z.unknown() })) });

/**
 * The vectors of a reply in the order of the texts, whichever order they came in, as 32-bit floats in base64 or as numbers:
 * a compatible service may send numbers where base64 was asked for.
 *
 * @returns `undefined` unless there is exactly one for each text, each of the right length, finite, and not zero as a whole
 *   (which is close to nothing and so no embedding).
 */
export const readEmbeddings = (
  json: unknown,
  { count, dimensions }: { count: number; dimensions: number },
): number[][] | undefined => {
  const reply = readAs(Reply, json);
  if (!reply.ok || reply.value.data.length !== count) return undefined;
  const vectors = new Map<number, number[]>();
  for (const { index, embedding } of reply.value.data) {
    const vector = vectorOf(embedding, dimensions);
    if (vector === undefined || index >= count || vectors.has(index)) return undefined;
    vectors.set(index, vector);
  }
  return Array.from({ length: count }, (_, at) => vectors.get(at) ?? []);
};

const vectorOf = (embedding: unknown, dimensions: number): number[] | undefined => {
  const numbers = typeof embedding === 'string' ? decode(embedding, dimensions) : embedding;
  if (!Array.isArray(numbers) || numbers.length !== dimensions) return undefined;
  // `Number.isFinite` is false for all that is no number.
  const isVector = numbers.every(Number.isFinite) && numbers.some((number) => number !== 0);
  return isVector ? numbers : undefined;
};

/** Little-endian 32-bit floats. Loops, as `Array.from` takes ten times as long, which is most of the work of a sync. */
const decode = (base64: string, dimensions: number): number[] | undefined => {
  const bytes = binaryOf(base64);
  if (bytes?.length !== dimensions * 4) return undefined;
  const view = new DataView(new ArrayBuffer(bytes.length));
  for (let at = 0; at < bytes.length; at += 1) view.setUint8(at, bytes.charCodeAt(at));
  const numbers: number[] = [];
  for (let at = 0; at < bytes.length; at += 4) numbers.push(view.getFloat32(at, true));
  return numbers;
};

/** A byte a character. */
const binaryOf = (base64: string): string | undefined => {
  try {
    return atob(base64);
  } catch {
    return undefined;
  }
};
