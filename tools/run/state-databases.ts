import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** A larger database is only looked at where it begins: the start has to stay fast. */
const MAX_CHECKED_BYTES = 64 * 1024 * 1024;

const LIBRARY = 'constellation-library-LibraryObject';

/** The list of the databases in a state folder, by their paths in `data`, and the file that replaces it. */
export const LIST = ['databases', 'databases.new'] as const;

/** The paths of the databases in a folder and the folders in it. */
export function databasesIn(folder: string): string[] {
  return existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .map(({ parentPath, name }) => join(parentPath, name))
        .filter((path) => path.endsWith('.sqlite'))
    : [];
}

/** Lists the databases of a state that are not empty, so that the next start misses none of them. */
export function listDatabases(state: string): void {
  const data = join(state, 'data');
  const [list, next] = LIST.map((name) => join(state, name)) as [string, string]; // LIST has two
  try {
    const names = databasesIn(data)
      .filter((path) => statSync(path).size > 0)
      .map((path) => relative(data, path));
    if (names.sort().join() === readList(state).sort().join()) return;
    // Renamed: a process that is killed while it writes leaves no half of a name.
    writeFileSync(next, [...names, ''].join('\n'));
    renameSync(next, list);
  } catch {
    // On a full disk the list stays as it was; the next time all of them are listed.
  }
}

const readList = (state: string): string[] => {
  const file = join(state, LIST[0]);
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
};

/**
 * Checks the databases of a state. The local runtime would end, or answer no request, without a word of which
 * file is the reason; and it would take an empty or missing database for a new one, and everything in it would
 * be gone.
 *
 * @param advice What a person can do about a damaged one.
 * @throws {Error} When one is damaged, missing or empty, or cannot be read and written.
 */
export function checkDatabases(state: string, advice: string): void {
  const folder = join(state, 'data');
  const listed = readList(state);
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name));
  // All before the first is opened: closing a database removes the files beside it.
  for (const path of [folder, ...paths]) accessSync(path, constants.R_OK | constants.W_OK);
  const refuse = (path: string, problem: string): never => {
    throw new Error(`Cannot use ${path}: ${problem}. ${advice}`);
  };
  for (const name of listed)
    if (!existsSync(join(folder, name))) refuse(join(folder, name), 'the database is missing');
  const emptyLibrary = emptyLibraryIn(folder, paths, refuse);
  for (const path of paths.filter((each) => each.endsWith('.sqlite'))) {
    const isListed = listed.includes(relative(folder, path));
    if (statSync(path).size === 0 && (isListed || emptyLibrary.includes(path)))
      refuse(path, 'the database is damaged (it is empty)');
    if (!isSound(path)) refuse(path, 'the database is damaged');
  }
}

/**
 * The databases of the articles when editions are there and none of the databases has content. A process that
 * is killed leaves a new database empty, or what it wrote beside it only.
 */
const emptyLibraryIn = (
  folder: string,
  paths: readonly string[],
  refuse: (path: string, problem: string) => never,
): string[] => {
  if (!paths.some((path) => /\/kv\/constellation-editions\/blobs\/./.test(path))) return [];
  const library = join(folder, 'do', LIBRARY);
  const databases = databasesIn(library).filter((path) => !path.endsWith('/metadata.sqlite'));
  if (databases.length === 0)
    refuse(library, 'the database of the articles is missing, though editions of them are there');
  return databases.some((path) => hasContent(path) || hasContent(`${path}-wal`)) ? [] : databases;
};

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
