import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import { parseJson } from '../../src/contract/core/json-object.ts';
import { ROOT } from '../functions.ts';
import { LockOwner, stillRuns, thisProcess } from '../is-running.ts';

/** Results of earlier runs: building is most of what a start takes. */
const CACHE = join(ROOT, 'dist/bundles');

/** Says when a build begins whose result is not in the cache: the first start of a checkout takes much longer than others. */
export const builds = new EventEmitter<{ begin: [what: string] }>();

/** Paths are relative to the root. */
const Stored = z.object({
  /** What the result was made from, and the files that the build wrote. */
  files: z.array(z.string()),
  /** Hash of their content. */
  hash: z.string(),
  result: z.unknown(),
});

/**
 * The result of an earlier build, by this process or another, while none of its files has changed; otherwise that of a new build. Of several
 * processes that need it at the same time one builds, and the others wait.
 *
 * @param name.key Names the build and its options.
 * @param name.what What is built, for people.
 * @param schema Checks what was stored.
 */
export async function cachedBuild<T>(
  { key, what }: BuildName,
  schema: z.ZodType<T>,
  build: () => Promise<{ files: string[]; result: T }>,
): Promise<T> {
  const path = join(CACHE, `${hashOf([key])}.json`);
  const lock = `${path}.lock`;
  for (;;) {
    const stored = readStored(path, schema);
    if (stored !== undefined) return stored;
    if (takesLock(lock)) break;
    await setTimeout(WAIT_MS);
  }
  try {
    builds.emit('begin', what);
    const { files, result } = await build();
    store(path, files, result);
    return result;
  } finally {
    rmSync(lock, { force: true });
  }
}

export interface BuildName {
  key: string;
  what: string;
}

const readStored = <T>(path: string, schema: z.ZodType<T>): T | undefined => {
  try {
    const { files, hash, result } = Stored.parse(JSON.parse(readFileSync(path, 'utf8')));
    return hash === hashOfFiles(files) ? schema.parse(result) : undefined;
  } catch {
    // None yet, a file is gone, or it was written by another version: it is built.
    return undefined;
  }
};

const store = (path: string, files: string[], result: unknown): void => {
  try {
    const unfinished = `${path}.${process.pid}`;
    writeFileSync(unfinished, JSON.stringify({ files, hash: hashOfFiles(files), result }));
    renameSync(unfinished, path);
  } catch {
    // The user may not write here, or a file is gone: the next start builds again.
  }
};

const WAIT_MS = 50;
/** A build takes a few seconds. */
const LONGEST_BUILD_MS = 60_000;

/** Takes the lock unless a process that still runs has it. A lock that cannot be written or read keeps no one from building. */
const takesLock = (lock: string): boolean => {
  try {
    mkdirSync(CACHE, { recursive: true });
    writeFileSync(lock, JSON.stringify(thisProcess()), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return true;
  }
  try {
    const isNew = Date.now() - statSync(lock).mtimeMs < LONGEST_BUILD_MS;
    const text = readFileSync(lock, 'utf8');
    const owner = LockOwner.safeParse(parseJson(text));
    // Without a text it is being written.
    if (isNew && (text === '' || (owner.success && stillRuns(owner.data)))) return false;
    writeFileSync(lock, JSON.stringify(thisProcess()));
    return true;
  } catch (error) {
    // Released meanwhile: the next attempt takes it.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
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
