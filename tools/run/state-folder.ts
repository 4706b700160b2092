import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { parseJson } from '../../src/contract/core/json-object.ts';
import { API_KEY } from '../../src/gateway/access/api-keys.ts';
import { startCommand } from '../command-line.ts';
import { commandOf, isRunning, LockOwner, stillRuns, thisProcess } from '../is-running.ts';
import { newApiKey } from '../new-api-key.ts';
import { isDiskFull } from './disk-space.ts';
import { checkDatabases, databasesIn, LIST, listDatabases } from './state-databases.ts';

const MARKER = 'constellation-state';

/** What the marker says: whether the whole folder is the state, or one with files of others. */
const MARKER_TEXTS = {
  own: 'State of a local Constellation, and nothing else. Delete this folder to start afresh.\n',
  shared: 'State of a local Constellation, beside other files. --fresh removes the state alone.\n',
};

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
const OWN = ['data', ...LIST, 'api-key', 'signing-seed', 'source', 'helpdesks.json'];
const LOCK = 'running';
const LIST_INTERVAL_MS = 60_000;

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
  const isOwn = isOwnFolder(folder);
  if (!isOwn && !existsSync(marker)) refuseTakenNames(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  refuseFullDisk(folder);
  lock(folder);
  if (fresh) for (const name of OWN) rmSync(join(folder, name), { recursive: true, force: true });
  writeFileSync(marker, isOwn ? MARKER_TEXTS.own : MARKER_TEXTS.shared);
  if (!isMoved) refuseAnotherSource(folder, source);
  const data = join(folder, 'data');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  checkDatabases(folder, freshAdvice(folder));
  listDatabases(folder);
  // What the functions make meanwhile; a process that is killed does not reach its exit.
  setInterval(() => listDatabases(folder), LIST_INTERVAL_MS).unref();
  process.once('exit', () => listDatabases(folder));
  writeFileSync(join(folder, 'source'), source);
  if (!isOwn)
    keepOutOfGit(
      folder,
      [MARKER, LOCK, ...OWN].map((name) => `/${name}`),
    );
  else keepOutOfGit(resolve(keyFolder), ['*']);
  return {
    exposure: makePrivate(isOwn ? [folder, data] : [data]),
    data,
    key: readKey(resolve(keyFolder)),
    signingSeed: readSecret(join(folder, 'signing-seed')),
  };
};

/**
 * Whether everything in the folder is ours, as the marker has it since the first start. Markers of earlier
 * versions do not say it.
 */
const isOwnFolder = (folder: string): boolean => {
  if (!existsSync(folder)) return true;
  const names = readdirSync(folder);
  if (!names.includes(MARKER)) return names.every((name) => name === LOCK);
  const text = readFileSync(join(folder, MARKER), 'utf8');
  if (text === MARKER_TEXTS.own || text === MARKER_TEXTS.shared) return text === MARKER_TEXTS.own;
  const own = new Set([MARKER, LOCK, '.gitignore', ...OWN]);
  return names.every((name) => own.has(name));
};

/** `--fresh` removes what has these names: it must be ours. */
const refuseTakenNames = (folder: string): void => {
  const taken = OWN.filter((name) => existsSync(join(folder, name)));
  if (taken.length > 0)
    throw new Error(
      `Cannot use ${folder}: it has files of others named ${taken.join(', ')}. Choose another folder: ${startCommand('--state <folder>')}`,
    );
};

/** A folder of documents is often a repository: the key and the answers must not be committed with it. */
const keepOutOfGit = (folder: string, patterns: readonly string[]): void => {
  const file = join(folder, '.gitignore');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const lines = text.split(/\r?\n/);
  const missing = patterns.filter((pattern) => !lines.includes('*') && !lines.includes(pattern));
  if (missing.length === 0) return;
  const lineBreak = text === '' || text.endsWith('\n') ? '' : '\n';
  appendFileSync(file, `${lineBreak}${missing.join('\n')}\n`);
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
