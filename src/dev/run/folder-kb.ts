import { constants, type Dirent } from 'node:fs';
import { access, open, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, extname, join, relative, sep } from 'node:path';
import { ARTICLE_CONTENT_MAX_LENGTH } from '../../contract/host-article.ts';
import { readDocument } from '../../documents/read-document.ts';
import { isDraft, MAX_FRONT_MATTER, splitFrontMatter } from '../../knowledge/articles/front-matter.ts';
import { decodeText } from '../../text/decode-text.ts';
import { DOCUMENT_ENDINGS, type DocumentReader, documentReader, isDocument } from '../documents/document-reader.ts';
import type { DocumentText } from '../documents/document-text.ts';

const ENDINGS = new Set<string>(['.md', '.markdown', '.mdx', '.txt', '.html', '.htm', ...DOCUMENT_ENDINGS]);
const PAGE = 100;
const MAX_FILES = 50_000;
/** One more than an article may have, so that the library names the file that is too long and takes the others. */
const MAX_CHARACTERS = ARTICLE_CONTENT_MAX_LENGTH + 1;
const MAX_BYTES = 4 * MAX_CHARACTERS;
/** A page ends early here: the library reads 32 MiB at once. */
const MAX_PAGE_CHARACTERS = 5_000_000;
/** And here: the library waits 30 s for a page, and the next document may take 20 s. */
const MAX_PAGE_MS = 5_000;

export interface FolderKb {
  /** Address of the host knowledge base API, to be given to the library. */
  url: string;
  close(): Promise<void>;
}

interface FolderArticle {
  id: string;
  title: string;
  /** Absent when its front matter names none. */
  url?: string | undefined;
  content: string;
  /** `last_updated` is the file's when its front matter names none. */
  metadata: { intent: string[]; device: string[]; last_updated: string; author?: string; format?: 'commonmark' };
}

/** An article that cannot be read: the library names it, and keeps its last version. */
interface UnreadableArticle {
  id: string;
  problem: string;
}

/**
 * Serves a folder of Markdown, text, HTML, Word and PDF files as a host knowledge base API on the loopback interface, so that a folder takes the same way
 * into the library as any other knowledge base. Files are read again for every listing, documents only when they have changed; drafts and those without permission are
 * omitted. An article's id is its path from the folder; files and folders whose name starts with a dot are omitted.
 *
 * @param articleUrl Where a reader finds an article that names no `url` of its own.
 */
export const serveFolder = async (folder: string, articleUrl: (id: string) => string): Promise<FolderKb> => {
  const root = await realpath(folder);
  const scan = scanOnce(root);
  const documents = documentReader();
  const server = createServer((request, response) => {
    listPage(root, new URL(request.url ?? '/', 'http://localhost'), { articleUrl, scan, documents }).then(
      (page) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(page)),
      (error: unknown) => {
        const body = { error: 'Internal server error', message: `Cannot read the folder: ${messageOf(error)}` };
        response.writeHead(500, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      },
    );
  });
  await listen(server);
  const { port } = server.address() as AddressInfo; // a TCP server that listens has an address with a port
  return {
    url: `http://127.0.0.1:${port}/api/kb/articles`,
    close: async () => {
      await documents.close();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};

/** What a folder holds, as paths relative to it, sorted. */
interface FolderScan {
  articles: string[];
  /** Why each other path is not read. */
  skipped: { path: string; why: string }[];
}

const NO_ARTICLE = `articles are ${[...ENDINGS].join(', ')} files`;
const UNREADABLE = 'no permission to read';

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
const scanFolder = async (root: string): Promise<FolderScan> => {
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
  if (!ENDINGS.has(extname(entry.name).toLowerCase())) return NO_ARTICLE;
  if (!(await permitted(access(file, constants.R_OK).then(() => true)))) return UNREADABLE;
  return !isDocument(entry.name) && isDraft(await beginningOf(file)) ? 'a draft' : undefined;
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

/** Scans at the first page of a listing; its other pages go on in what was found then. */
const scanOnce = (root: string) => {
  let last: string[] | undefined;
  return async (isFirstPage: boolean): Promise<string[]> => {
    if (isFirstPage || last === undefined) last = (await scanFolder(root)).articles;
    return last;
  };
};

interface PageOptions {
  articleUrl: (id: string) => string;
  scan: (isFirstPage: boolean) => Promise<string[]>;
  documents: DocumentReader;
}

const listPage = async (root: string, url: URL, { articleUrl, scan, documents }: PageOptions) => {
  const since = Date.parse(url.searchParams.get('updated_since') ?? '');
  const limit = Math.min(Math.max(Number(url.searchParams.get('limit')) || PAGE, 1), PAGE);
  const first = Math.max(Number(url.searchParams.get('cursor')) || 0, 0);
  const all = await scan(first === 0);
  const paths = Number.isNaN(since) ? all : await changedSince(root, { paths: all, since });
  const articles: (FolderArticle | UnreadableArticle)[] = [];
  const startedAt = performance.now();
  let characters = 0;
  for (const path of paths.slice(first, first + limit)) {
    const read = await readArticle(root, path, documents);
    const article = 'problem' in read ? { id: path, problem: `not readable: ${read.problem}` } : read.article;
    characters += 'content' in article ? article.content.length : 0;
    // At least one, and then as many as fit.
    if (articles.length > 0 && characters > MAX_PAGE_CHARACTERS) break;
    articles.push('content' in article ? { ...article, url: article.url ?? articleUrl(article.id) } : article);
    if (performance.now() - startedAt > MAX_PAGE_MS) break;
  }
  const next = first + articles.length;
  return {
    articles,
    total: paths.length,
    updated_at: new Date().toISOString(),
    ...(next < paths.length ? { next_cursor: String(next) } : {}),
  };
};

const changedSince = async (root: string, { paths, since }: { paths: string[]; since: number }): Promise<string[]> => {
  const times = await Promise.all(paths.map((path) => stat(join(root, path))));
  return paths.filter((_, index) => (times[index]?.mtimeMs ?? 0) >= since);
};

/** An article of a folder; `isDated`: the file itself says when it was updated. */
export type ReadArticle = { article: FolderArticle; isDated: boolean } | { problem: string };

const NO_TEXT = 'it is no text, or its encoding is in doubt. Save it as UTF-8';

/** Reads one of `listFiles`. Of one that is too long, the beginning. `problem` says why it cannot be read. */
export const readArticle = async (root: string, path: string, documents: DocumentReader): Promise<ReadArticle> => {
  const file = join(root, path);
  const { mtime, size } = await stat(file);
  if (isDocument(path)) {
    const read = await documents.read(file);
    if ('problem' in read) return read;
    const metadata = { intent: [], device: [], last_updated: mtime.toISOString(), format: 'commonmark' as const };
    const title = titleOfDocument(read) ?? titleFromName(path);
    const content = read.text.slice(0, MAX_CHARACTERS);
    return { article: { id: path, title: title.slice(0, 200), content, metadata }, isDated: false };
  }
  const text = size > MAX_BYTES ? ' '.repeat(MAX_CHARACTERS) : decodeText(await readFile(file));
  if (text === undefined) return { problem: NO_TEXT };
  const content = text.slice(0, MAX_CHARACTERS);
  const { front } = splitFrontMatter(content.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n'));
  const updated = dateOf(front.lastUpdated);
  const article = {
    id: path,
    title: (front.title ?? headingOf(content, path) ?? titleFromName(path)).slice(0, 200),
    url: front.url,
    content,
    metadata: {
      intent: front.intents ?? [],
      device: front.devices ?? [],
      last_updated: updated ?? mtime.toISOString(),
      ...(front.author === undefined ? {} : { author: front.author }),
    },
  };
  return { article, isDated: updated !== undefined };
};

/** Its only first heading; else the title of its properties, which some programs fill with the name or address of a file; else the first of its headings. */
const titleOfDocument = ({ text, title = '' }: DocumentText): string | undefined => {
  const [first, ...others] = [...text.matchAll(/^# (.+)$/gm)].map(([, words]) => words);
  const property = title.replaceAll(/\s+/g, ' ').trim();
  const isTitle = /\p{L}/u.test(property) && !/\.\w{2,5}$|^\S+:\S+$/.test(property);
  return first !== undefined && others.length === 0 ? first : isTitle ? property : first;
};

/** Characters at the beginning of a file in which its title stands. */
const MAX_TITLE_AT = 6000;

const headingOf = (content: string, path: string): string | undefined =>
  readDocument(splitFrontMatter(content.slice(0, MAX_FRONT_MATTER + MAX_TITLE_AT)).body.slice(0, MAX_TITLE_AT), {
    path,
  }).title;

const titleFromName = (path: string): string => {
  const words = basename(path, extname(path)).replace(/[-_]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1) || path;
};

const dateOf = (value = ''): string | undefined => {
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
};

const listen = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
