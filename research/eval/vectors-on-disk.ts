import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmbeddingOptions, EmbeddingProvider } from '../../src/ai/embeddings/base.ts';
import { spaceKey } from '../../src/knowledge/edition/edition-vectors.ts';

const KEY_BYTES = 16;
/** Texts of one call: what is cut off in the middle has lost little. */
const BATCH = 64;

export interface KeptVectors extends EmbeddingProvider {
  /** Which of the texts have no vector yet, each once. */
  missing(texts: readonly string[]): string[];
}

/**
 * Keeps the vectors of a model on disk, so that an evaluation embeds a text once: a file a model, in it a run of keys (hashes
 * of the texts) and vectors (32-bit floats). What a run that was cut off has begun to write is dropped.
 *
 * @param options.origin Where the model is asked: two services may call different models the same.
 * @param options.folder In the system's folder for temporary files when absent.
 */
export function keepOnDisk(
  provider: EmbeddingProvider,
  {
    folder = join(tmpdir(), 'constellation-vectors'),
    origin = '',
  }: { folder?: string | undefined; origin?: string | undefined } = {},
): KeptVectors {
  const { model, dimensions } = provider;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${digest(`${origin}${spaceKey(provider)}`).toString('hex')}.vectors`);
  const known = readVectors(file, dimensions);
  const add = (text: string, vector: readonly number[]): void => {
    const key = digest(text);
    const row = Float32Array.from(vector);
    known.set(key.toString('hex'), row);
    appendFileSync(file, Buffer.concat([key, Buffer.from(row.buffer)]), { mode: 0o600 });
  };
  const lookUp = (text: string): Float32Array | undefined =>
    known.get(digest(text).toString('hex'));
  const missing = (texts: readonly string[]): string[] => [
    ...new Set(texts.filter((text) => lookUp(text) === undefined)),
  ];
  const embedBatch = async (
    texts: readonly string[],
    options?: EmbeddingOptions,
  ): Promise<number[][]> => {
    const wanted = missing(texts);
    for (let at = 0; at < wanted.length; at += BATCH) {
      const batch = wanted.slice(at, at + BATCH);
      const vectors = await provider.embedBatch(batch, options);
      batch.forEach((text, place) => {
        add(text, vectors[place] ?? []);
      });
    }
    return texts.map((text) => [...(lookUp(text) ?? [])]);
  };
  const embed = async (text: string, options?: EmbeddingOptions): Promise<number[]> =>
    (await embedBatch([text], options))[0] ?? [];
  return { model, dimensions, embed, embedBatch, missing };
}

const digest = (text: string): Buffer =>
  createHash('sha256').update(text).digest().subarray(0, KEY_BYTES);

const readVectors = (file: string, dimensions: number): Map<string, Float32Array> => {
  const known = new Map<string, Float32Array>();
  if (!existsSync(file)) return known;
  const bytes = readFileSync(file);
  const length = KEY_BYTES + 4 * dimensions;
  const whole = bytes.length - (bytes.length % length);
  if (whole < bytes.length) truncateSync(file, whole);
  for (let at = 0; at < whole; at += length) {
    const row = new Float32Array(dimensions);
    for (let place = 0; place < dimensions; place += 1)
      row[place] = bytes.readFloatLE(at + KEY_BYTES + 4 * place);
    known.set(bytes.toString('hex', at, at + KEY_BYTES), row);
  }
  return known;
};
