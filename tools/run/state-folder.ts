import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { parseJson } from '../../src/contract/core/json-object.ts';
import { API_KEY, newApiKey } from '../../src/gateway/access/api-keys.ts';
import { startCommand } from '../command-line.ts';
import { commandOf, isRunning, LockOwner, stillRuns, thisProcess } from '../is-running.ts';
import { isDiskFull } from './disk-space.ts';

const MARKER = 'constellation-state';

/** State that a local Constellation keeps between starts. */
export interface StateFolder {
  /** Folder of the functions' stores. */
  data: string;
  key: string;
  /** What the signing keys of the functions are made of; random, and known to this folder only. */
  signingSeed: string;
  /** Why other users of the machine may be able to read it; `undefined` when they are not. */
  exposure: string | undefined;
}

/** What a start writes into the folder; `--fresh` removes these and nothing else. */
const OWN = ['data', 'databases', 'api-key', 'signing-seed', 'source', 'helpdesks.json'];
const LOCK = 'running';

export interface StateOptions {
  /** The folder; made when it is missing. */
  state: string;
  /** Folder of the API key; `state` when absent. */
  keyFolder?: string;
  /** Empties the folder first, if an earlier start has marked it as a state. */
  fresh: boolean;
  /** The knowledge base that the state is of, by its place. */
  source: string;
  /** Takes the state of a knowledge base that was at another place. */
  isMoved?: boolean;
}

/**
 * Opens the state folder and locks it until the process ends. A state is of one knowledge base: what was written into another one, its
 * intents, gaps and answers never mix with those of this one.
 *
 * @throws {Error} What to do when the folder or `CONSTELLATION_API_KEY` cannot be used.
 */
export function openState(options: StateOptions): StateFolder {
  const folder = resolve(options.state);
  try {
    return open(folder, options);
  } catch (error) {
    const { code, path = folder, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new Error(
      `Cannot use ${path}: ${PROBLEMS[code ?? ''] ?? code}. Change that, or choose another folder: ${startCommand('--state <folder>')}`,
    );
  }
}

const PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: 'you have no permission to read and write it',
  EPERM: 'you have no permission to read and write it',
  EROFS: 'it cannot be written to',
  ENOSPC: 'the disk is full',
  EEXIST: 'it is no folder',
  ENOTDIR: 'it is no folder',
  ELOOP: 'it is a symbolic link that leads back to itself',
};

const open = (
  folder: string,
  { fresh, source, isMoved = false, keyFolder = folder }: StateOptions,
): StateFolder => {
  const marker = join(folder, MARKER);
  if (fresh && existsSync(folder) && !existsSync(marker))
    throw new Error(`Cannot empty ${folder}: it is no state folder (it has no file ${MARKER})`);
  const isOwn = !existsSync(folder) || existsSync(marker) || readdirSync(folder).length === 0;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  refuseFullDisk(folder);
  lock(folder);
  if (fresh) for (const name of OWN) rmSync(join(folder, name), { recursive: true, force: true });
  writeFileSync(marker, 'State of a local Constellation. Delete this folder to start afresh.\n');
  if (!isMoved) refuseAnotherSource(folder, source);
  const data = join(folder, 'data');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  checkData(data, readList(folder));
  rememberDatabases(folder);
  // What the functions have made meanwhile.
  process.once('exit', () => existsSync(marker) && rememberDatabases(folder));
  writeFileSync(join(folder, 'source'), source);
  if (isOwn || resolve(keyFolder) !== folder) keepOutOfGit(resolve(keyFolder));
  return {
    exposure: makePrivate(isOwn ? [folder, data] : [data]),
    data,
    key: readKey(resolve(keyFolder)),
    signingSeed: readSecret(join(folder, 'signing-seed')),
  };
};

/** A folder of documents is often a repository: the key and the answers must not be committed with it. */
const keepOutOfGit = (folder: string): void => {
  const file = join(folder, '.gitignore');
  if (!existsSync(file)) writeFileSync(file, '*\n');
};

const refuseAnotherSource = (folder: string, source: string): void => {
  const file = join(folder, 'source');
  const before = existsSync(file) ? readFileSync(file, 'utf8') : source;
  if (before === source) return;
  throw new Error(
    `Cannot use ${folder}: it holds the state of the knowledge base ${before}, not of ${source}. If this is the same one at another place, add --moved. Otherwise choose another folder: ${startCommand('--state <folder>')}, or none, and each knowledge base has its own`,
  );
};

/** Whether an earlier start has used the folder as its state. */
export function isState(folder: string): boolean {
  return existsSync(join(folder, MARKER));
}

/** What a start does about a state that it cannot read. */
export function freshAdvice(state: string): string {
  return `${startCommand('--fresh')} forgets what ${resolve(state)} holds and starts with nothing; --state <folder> leaves it as it is and takes another`;
}

/** A larger database is only looked at where it begins: the start has to stay fast. */
const MAX_CHECKED_BYTES = 64 * 1024 * 1024;

const refuseFullDisk = (folder: string): void => {
  if (isDiskFull(folder))
    throw new Error(
      `Cannot use ${folder}: the disk is full. Free some space, or choose a folder on another disk: ${startCommand('--state <folder>')}`,
    );
};

/** Other users of the machine may not read the stores: the folders are closed to them, and so is what is in them. */
const makePrivate = (folders: readonly string[]): string | undefined => {
  for (const folder of folders) {
    try {
      if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
    } catch {
      return `other users of this machine may read ${folder}: its mode cannot be changed`;
    }
    if ((statSync(folder).mode & 0o077) !== 0)
      return `other users of this machine may read ${folder}`;
  }
  for (const path of databasesIn(folders.at(-1) ?? '')) {
    try {
      chmodSync(path, 0o600);
    } catch {
      // The folder is closed.
    }
  }
  return undefined;
};

const databasesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .map(({ parentPath, name }) => join(parentPath, name))
        .filter((path) => path.endsWith('.sqlite'))
    : [];

/** The databases that the last start left, by their paths in the folder of the stores. */
const LIST = 'databases';

const readList = (folder: string): string[] => {
  const file = join(folder, LIST);
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
};

const rememberDatabases = (folder: string): void => {
  const data = join(folder, 'data');
  const names = databasesIn(data)
    .filter((path) => statSync(path).size > 0)
    .map((path) => relative(data, path));
  try {
    writeFileSync(join(folder, LIST), [...names, ''].join('\n'));
  } catch {
    // On a full disk the list stays as it was: it only ever grows.
  }
};

/**
 * The local runtime would end, or answer no request, without a word of which file is the reason; and it
 * would take an empty or missing database for a new one, and everything in it would be gone.
 */
const checkData = (folder: string, listed: readonly string[]): void => {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name));
  // All before the first is opened: closing a database removes the files beside it.
  for (const path of [folder, ...paths]) accessSync(path, constants.R_OK | constants.W_OK);
  const refuse = (path: string, problem: string): never => {
    throw new Error(`Cannot use ${path}: ${problem}. ${freshAdvice(join(folder, '..'))}`);
  };
  for (const name of listed)
    if (!existsSync(join(folder, name))) refuse(join(folder, name), 'the database is missing');
  const hasEditions = paths.some((path) => /\/kv\/constellation-editions\/blobs\/./.test(path));
  const library = join(folder, 'do', LIBRARY);
  if (hasEditions && !databasesIn(library).some((path) => !path.endsWith('/metadata.sqlite')))
    refuse(library, 'the database of the articles is missing, though editions of them are there');
  for (const path of paths.filter((each) => each.endsWith('.sqlite'))) {
    // A process that is killed leaves a new database empty, or what it wrote beside it only.
    const isOld = listed.includes(relative(folder, path));
    const hasArticles = hasEditions && path.startsWith(library) && !hasContent(`${path}-wal`);
    if (statSync(path).size === 0 && (isOld || hasArticles))
      refuse(path, 'the database is damaged (it is empty)');
    if (!isSound(path)) refuse(path, 'the database is damaged');
  }
};

const LIBRARY = 'constellation-library-LibraryObject';

const hasContent = (path: string): boolean => existsSync(path) && statSync(path).size > 0;

const isSound = (file: string): boolean => {
  try {
    const database = new DatabaseSync(file);
    try {
      const isSmall = statSync(file).size <= MAX_CHECKED_BYTES;
      const [row] = database
        .prepare(isSmall ? 'PRAGMA quick_check(1)' : 'PRAGMA schema_version')
        .all();
      return !isSmall || row?.quick_check === 'ok';
    } finally {
      database.close();
    }
  } catch (error) {
    // SQLITE_CORRUPT and SQLITE_NOTADB; what else keeps it from being opened is no damage.
    return ![11, 26].includes((error as { errcode?: number }).errcode ?? 0);
  }
};

/** The process that uses a state: a lock is left behind by a crash, and copied with a folder. */
const Owner = LockOwner.extend({
  /** Device and number of the folder. */
  folder: z.string(),
});

/** Two instances on one state would overwrite each other's stores. */
const lock = (folder: string): void => {
  const file = join(folder, LOCK);
  const { dev, ino } = statSync(folder);
  const place = `${dev}:${ino}`;
  const owner = ownerIn(file, place);
  if (owner !== undefined) {
    throw new Error(
      `Cannot use ${folder}: another Constellation (process ${owner}) is running on it. Stop it, or choose another folder: ${startCommand('--state <folder>')}`,
    );
  }
  const own: z.infer<typeof Owner> = { ...thisProcess(), folder: place };
  writeFileSync(file, JSON.stringify(own));
  process.once('exit', () => rmSync(file, { force: true }));
};

/** The id of the process that holds a lock; `undefined` when none does. */
const ownerIn = (file: string, place: string): number | undefined => {
  if (!existsSync(file)) return undefined;
  const written = readFileSync(file, 'utf8');
  // Versions before wrote the id alone.
  if (/^\d+$/.test(written)) {
    const id = Number(written);
    return isRunning(id) && commandOf(id)?.includes('start.ts') === true ? id : undefined;
  }
  const owner = Owner.safeParse(parseJson(written));
  return owner.success && owner.data.folder === place && stillRuns(owner.data)
    ? owner.data.process
    : undefined;
};

const readKey = (folder: string): string => {
  const given = process.env.CONSTELLATION_API_KEY;
  if (given !== undefined && given !== '') {
    if (API_KEY.test(given)) return given;
    throw new Error(
      'Cannot use CONSTELLATION_API_KEY: it is not 16 to 200 visible ASCII characters',
    );
  }
  return readSecret(join(folder, 'api-key'));
};

/** The secret in a file, made and written when there is none. */
const readSecret = (file: string): string => {
  if (existsSync(file)) {
    const written = readFileSync(file, 'utf8').trim();
    if (API_KEY.test(written)) return written;
    throw new Error(`Cannot use ${file}: it holds no key. Remove it, and another is made`);
  }
  const secret = newApiKey();
  writeFileSync(file, secret, { mode: 0o600 });
  return secret;
};
