import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { API_KEY, newApiKey } from '../../gateway/api-keys.ts';

const MARKER = 'constellation-state';

/** State that a local Constellation keeps between starts. */
export interface StateFolder {
  /** Folder of the functions' stores. */
  data: string;
  key: string;
  /** What the signing keys of the functions are made of; random, and known to this folder only. */
  signingSeed: string;
  /** True when an earlier start read another knowledge base. */
  isAnotherSource(source: string): boolean;
  rememberSource(source: string): void;
}

/** What a start writes into the folder; `--fresh` removes these and nothing else. */
const OWN = ['data', 'api-key', 'signing-seed', 'source', 'helpdesks.json'];
const LOCK = 'running';

/**
 * Opens the state folder, makes it when it is missing, and locks it until the process ends. `fresh` only ever empties a folder that an
 * earlier start has marked. Throws an error that says what to do when the folder or `CONSTELLATION_API_KEY` cannot be used.
 */
export const openState = ({ state, fresh }: { state: string; fresh: boolean }): StateFolder => {
  const folder = resolve(state);
  const marker = join(folder, MARKER);
  if (fresh && existsSync(folder) && !existsSync(marker))
    throw new Error(`Cannot empty ${folder}: it is no state folder (it has no file ${MARKER})`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  lock(folder);
  if (fresh) for (const name of OWN) rmSync(join(folder, name), { recursive: true, force: true });
  writeFileSync(marker, 'State of a local Constellation. Delete this folder to start afresh.\n');
  const source = join(folder, 'source');
  return {
    data: join(folder, 'data'),
    key: readKey(folder),
    signingSeed: readSecret(join(folder, 'signing-seed')),
    isAnotherSource: (name) => existsSync(source) && readFileSync(source, 'utf8') !== name,
    rememberSource: (name) => writeFileSync(source, name),
  };
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

/** Another process with that id; after a crash there is none, or at worst a later one of the same number. */
const isRunning = (id: number): boolean => {
  if (!Number.isInteger(id) || id <= 0 || id === process.pid) return false;
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    // It exists, and belongs to someone else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
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
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const secret = newApiKey();
  writeFileSync(file, secret, { mode: 0o600 });
  return secret;
};
