import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { API_KEY, newApiKey } from '../../gateway/api-keys.ts';
import { isRunning } from '../is-running.ts';

const MARKER = 'constellation-state';

/** State that a local Constellation keeps between starts. */
export interface StateFolder {
  /** Folder of the functions' stores. */
  data: string;
  key: string;
  /** What the signing keys of the functions are made of; random, and known to this folder only. */
  signingSeed: string;
}

/** What a start writes into the folder; `--fresh` removes these and nothing else. */
const OWN = ['data', 'api-key', 'signing-seed', 'source', 'helpdesks.json'];
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
export const openState = (options: StateOptions): StateFolder => {
  const folder = resolve(options.state);
  try {
    return open(folder, options);
  } catch (error) {
    const { code, path = folder, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new Error(
      `Cannot use ${path}: ${PROBLEMS[code ?? ''] ?? code}. Change that, or choose another folder: npm start -- --state <folder>`,
    );
  }
};

const PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: 'you have no permission to read and write it',
  EPERM: 'you have no permission to read and write it',
  EROFS: 'it cannot be written to',
  ENOSPC: 'the disk is full',
  EEXIST: 'it is no folder',
  ENOTDIR: 'it is no folder',
  ELOOP: 'it is a symbolic link that leads back to itself',
};

const open = (folder: string, { fresh, source, isMoved = false, keyFolder = folder }: StateOptions): StateFolder => {
  const marker = join(folder, MARKER);
  if (fresh && existsSync(folder) && !existsSync(marker))
    throw new Error(`Cannot empty ${folder}: it is no state folder (it has no file ${MARKER})`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  lock(folder);
  if (fresh) for (const name of OWN) rmSync(join(folder, name), { recursive: true, force: true });
  writeFileSync(marker, 'State of a local Constellation. Delete this folder to start afresh.\n');
  if (!isMoved) refuseAnotherSource(folder, source);
  checkData(join(folder, 'data'));
  writeFileSync(join(folder, 'source'), source);
  return {
    data: join(folder, 'data'),
    key: readKey(resolve(keyFolder)),
    signingSeed: readSecret(join(folder, 'signing-seed')),
  };
};

const refuseAnotherSource = (folder: string, source: string): void => {
  const file = join(folder, 'source');
  const before = existsSync(file) ? readFileSync(file, 'utf8') : source;
  if (before === source) return;
  throw new Error(
    `Cannot use ${folder}: it holds the state of the knowledge base ${before}, not of ${source}. If this is the same one at another place, add --moved. Otherwise choose another folder: npm start -- --state <folder>, or none, and each knowledge base has its own`,
  );
};

/** Whether an earlier start has used the folder as its state. */
export const isState = (folder: string): boolean => existsSync(join(folder, MARKER));

/** What a start does about a state that it cannot read. */
export const freshAdvice = (state: string): string =>
  `npm start -- --fresh forgets what ${resolve(state)} holds and starts with nothing; --state <folder> leaves it as it is and takes another`;

/** A larger database is only looked at where it begins: the start has to stay fast. */
const MAX_CHECKED_BYTES = 64 * 1024 * 1024;

/** The local runtime would end, or answer no request, without a word of which file is the reason. */
const checkData = (folder: string): void => {
  if (!existsSync(folder)) return;
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name));
  // All before the first is opened: closing a database removes the files beside it.
  for (const path of [folder, ...paths]) accessSync(path, constants.R_OK | constants.W_OK);
  const damaged = paths.find((path) => path.endsWith('.sqlite') && !isSound(path));
  if (damaged !== undefined)
    throw new Error(`Cannot use ${damaged}: the database is damaged. ${freshAdvice(join(folder, '..'))}`);
};

const isSound = (file: string): boolean => {
  try {
    const database = new DatabaseSync(file);
    try {
      const isSmall = statSync(file).size <= MAX_CHECKED_BYTES;
      const [row] = database.prepare(isSmall ? 'PRAGMA quick_check(1)' : 'PRAGMA schema_version').all();
      return !isSmall || row?.quick_check === 'ok';
    } finally {
      database.close();
    }
  } catch (error) {
    // SQLITE_CORRUPT and SQLITE_NOTADB; what else keeps it from being opened is no damage.
    return ![11, 26].includes((error as { errcode?: number }).errcode ?? 0);
  }
};

/** Two instances on one state would overwrite each other's stores. */
const lock = (folder: string): void => {
  const file = join(folder, LOCK);
  const owner = existsSync(file) ? Number(readFileSync(file, 'utf8')) : undefined;
  if (owner !== undefined && isRunning(owner)) {
    throw new Error(
      `Cannot use ${folder}: another Constellation (process ${owner}) is running on it. Stop it, or choose another folder: npm start -- --state <folder>`,
    );
  }
  writeFileSync(file, String(process.pid));
  process.once('exit', () => rmSync(file, { force: true }));
};

const readKey = (folder: string): string => {
  const given = process.env.CONSTELLATION_API_KEY;
  if (given !== undefined && given !== '') {
    if (API_KEY.test(given)) return given;
    throw new Error('Cannot use CONSTELLATION_API_KEY: it is not 16 to 200 visible ASCII characters');
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
