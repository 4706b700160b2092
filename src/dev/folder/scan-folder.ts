import { constants, type Dirent } from 'node:fs';
import { access, open, readdir } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { isDraft } from '../../knowledge/articles/front-matter.ts';
import { decodeText } from '../../text/decode-text.ts';
import { DOCUMENT_ENDINGS, INTERFACE_ENDINGS } from '../documents/document-reader.ts';
import { isOpenApi } from '../documents/is-open-api.ts';
import { headerOf } from '../documents/text-document.ts';

/** Endings of the files that count as articles. */
export const ENDINGS: ReadonlySet<string> = new Set([
  '.md',
  '.markdown',
  '.mdx',
  '.txt',
  '.html',
  '.htm',
  ...DOCUMENT_ENDINGS,
]);
const INTERFACES: ReadonlySet<string> = new Set(INTERFACE_ENDINGS);
const MAX_FILES = 50_000;

/** What a folder holds, as paths relative to it, sorted. */
interface FolderScan {
  articles: string[];
  /** Why each other path is not read. */
  skipped: { path: string; why: string }[];
}

const NO_ARTICLE = `articles are ${[...ENDINGS].join(', ')} files, and OpenAPI in ${INTERFACE_ENDINGS.join(', ')}`;
const UNREADABLE = 'no permission to read';
const DRAFT = 'a draft';

/**
 * Paths of the files that count as articles. Throws when one cannot be read or there are too many.
 *
 * @param root Its own links are followed, those in it are not.
 */
export const listFiles = async (root: string): Promise<string[]> => {
  const { articles, skipped } = await scanFolder(root);
  const unreadable = skipped.find(({ why }) => why === UNREADABLE);
  if (unreadable !== undefined)
    throw new Error(`Cannot read ${join(root, unreadable.path)}: there is ${UNREADABLE} it`);
  return articles;
};

/** Reads folder by folder, so that one without permission hides only itself. Throws when the root cannot be read. */
export const scanFolder = async (root: string): Promise<FolderScan> => {
  const found: FolderScan = { articles: [], skipped: [] };
  const visit = async (entries: Dirent[]): Promise<void> => {
    for (const entry of entries) {
      const file = join(entry.parentPath, entry.name);
      const path = relative(root, file);
      if (isHidden(path)) continue;
      const why = await (entry.isDirectory() ? enter(file) : whySkipped(entry, file));
      if (why === undefined) found.articles.push(path.split(sep).join('/'));
      else if (why !== '') found.skipped.push({ path, why });
    }
  };
  const enter = async (folder: string): Promise<string> => {
    const entries = await permitted(readdir(folder, { withFileTypes: true }));
    await visit(entries ?? []);
    return entries === undefined ? UNREADABLE : '';
  };
  await visit(await readdir(root, { withFileTypes: true }));
  if (found.articles.length > MAX_FILES)
    throw new Error(`it holds ${found.articles.length} files, more than ${MAX_FILES}`);
  const skipped = found.skipped.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  return { articles: found.articles.sort(), skipped };
};

/** Why an entry that is no folder is no article; undefined when it is one. */
const whySkipped = async (entry: Dirent, file: string): Promise<string | undefined> => {
  if (entry.isSymbolicLink()) return 'symbolic links are not followed';
  if (!entry.isFile()) return 'neither file nor folder';
  const ending = extname(entry.name).toLowerCase();
  if (!ENDINGS.has(ending) && !INTERFACES.has(ending)) return NO_ARTICLE;
  if (!(await permitted(access(file, constants.R_OK).then(() => true)))) return UNREADABLE;
  if (INTERFACES.has(ending)) return isOpenApi(await beginningOf(file)) ? undefined : NO_ARTICLE;
  if (/^\.(?:rst|adoc|asciidoc)$/.test(ending)) return headerOf(await beginningOf(file)).isDraft ? DRAFT : undefined;
  const isWritten = /^\.(?:md|markdown|mdx|txt|html?)$/.test(ending);
  return isWritten && isDraft(await beginningOf(file)) ? DRAFT : undefined;
};

const MAX_BEGINNING_BYTES = 16_384;

const beginningOf = async (file: string): Promise<string> => {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(MAX_BEGINNING_BYTES) });
    return decodeText(buffer.subarray(0, bytesRead)) ?? '';
  } finally {
    await handle.close();
  }
};

/** Undefined when permission is missing; other failures are thrown. */
const permitted = async <T>(reading: Promise<T>): Promise<T | undefined> => {
  try {
    return await reading;
  } catch (error) {
    if (['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
};

/** Whether a path below the folder is left out: names that begin with a dot, installed packages, and what Word writes while a file is open. */
export const isHidden = (path: string): boolean =>
  path.split(sep).some((part) => part.startsWith('.') || part.startsWith('~$') || part === 'node_modules');

const MAX_NAMED = 3;

/** Lines that name what a folder holds and is not read, for the one who starts it; none when everything is read. */
export const describeSkipped = async (folder: string): Promise<string[]> => {
  const { articles, skipped } = await scanFolder(folder);
  const byReason = Map.groupBy(skipped, ({ why }) => why);
  return [
    ...[...byReason].map(([why, each]) => {
      const named = each.slice(0, MAX_NAMED).map(({ path }) => path);
      const more = each.length > named.length ? ` and ${each.length - named.length} more` : '';
      return `not read: ${named.join(', ')}${more} (${why})`;
    }),
    ...(articles.length > 0 ? [] : [`the folder holds no article: put ${[...ENDINGS].join(', ')} files into it`]),
  ];
};
