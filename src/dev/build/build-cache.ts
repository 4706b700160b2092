import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { ROOT } from '../functions.ts';

/** Results of earlier runs: building is most of what a start takes. */
const CACHE = join(ROOT, 'dist/bundles');

/** Paths are relative to the root. */
const Stored = z.object({
  /** What the result was made from, and the files that the build wrote. */
  files: z.array(z.string()),
  /** Hash of their content. */
  hash: z.string(),
  result: z.unknown(),
});

/**
 * The result of an earlier build, by this process or another, while none of its files has changed; otherwise that of a new build.
 *
 * @param key Names the build and its options.
 * @param schema Checks what was stored.
 */
export const cachedBuild = async <T>(
  key: string,
  schema: z.ZodType<T>,
  build: () => Promise<{ files: string[]; result: T }>,
): Promise<T> => {
  const path = join(CACHE, `${hashOf([key])}.json`);
  try {
    const { files, hash, result } = Stored.parse(JSON.parse(readFileSync(path, 'utf8')));
    if (hash === hashOfFiles(files)) return schema.parse(result);
  } catch {
    // None yet, a file is gone, or it was written by another version: it is built.
  }
  const { files, result } = await build();
  try {
    mkdirSync(CACHE, { recursive: true });
    const unfinished = `${path}.${process.pid}`;
    writeFileSync(unfinished, JSON.stringify({ files, hash: hashOfFiles(files), result }));
    renameSync(unfinished, path);
  } catch {
    // The user may not write here: the next start builds again.
  }
  return result;
};

const hashOfFiles = (files: readonly string[]): string => hashOf(files.map(hashOfFile));

/** Most functions are made from the same files: each is read once while its time and size are the same. */
const known = new Map<string, { mtimeMs: number; size: number; hash: string }>();

const hashOfFile = (file: string): string => {
  const path = join(ROOT, file);
  const { mtimeMs, size } = statSync(path);
  const before = known.get(path);
  if (before?.mtimeMs === mtimeMs && before.size === size) return before.hash;
  const hash = hashOf([readFileSync(path)]);
  known.set(path, { mtimeMs, size, hash });
  return hash;
};

const hashOf = (parts: readonly (string | Buffer)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex');
};
