import { realpath, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type DocumentReader, documentReader } from '../../src/documents/node/document-reader.ts';
import { type OpenFolder, openFolder } from '../../src/documents/node/folder/open-folder.ts';
import type { FolderArticle } from '../../src/documents/node/folder/read-article.ts';
import type { FolderFile, FolderOptions } from '../../src/documents/node/folder/scan-folder.ts';

const PAGE = 100;
/** A page ends early here: the library reads 32 MiB at once. */
const MAX_PAGE_CHARACTERS = 5_000_000;
/** A file may hold many articles. */
const MAX_PAGE_ARTICLES = 400;
/** And here: the library waits 30 s for a page, and the next document may take 20 s. */
const MAX_PAGE_MS = 5_000;

export interface FolderKb {
  /** Address of the host knowledge base API, to be given to the library. */
  url: string;
  close(): Promise<void>;
}

/** An article that cannot be read: the library names it, and keeps its last version. */
interface UnreadableArticle {
  id: string;
  problem: string;
}

/**
 * Serves a folder of files (Markdown, HTML, Word, PDF and others) as a host knowledge base API on the loopback interface, so that a folder takes the same way
 * into the library as any other knowledge base. Files are read again for every listing, documents only when they have changed; drafts and those without permission are
 * omitted. An article's id is its path from the folder; files and folders whose name starts with a dot are omitted.
 *
 * @param articleUrl Where a reader finds an article that names no `url` of its own.
 */
export async function serveFolder(
  folder: string,
  articleUrl: (id: string) => string,
  options: FolderOptions = {},
): Promise<FolderKb> {
  const root = await realpath(folder);
  const opened = openFolder(root, options);
  const scan = scanOnce(opened);
  const documents = documentReader();
  const server = createServer((request, response) => {
    listPage(root, new URL(request.url ?? '/', 'http://localhost'), {
      articleUrl,
      opened,
      scan,
      documents,
    }).then(
      (page) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(page)),
      (error: unknown) => {
        const body = {
          error: 'Internal server error',
          message: `Cannot read the folder: ${messageOf(error)}`,
        };
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
}

/** Scans at the first page of a listing; its other pages go on in what was found then. */
const scanOnce = (opened: OpenFolder) => {
  let last: FolderFile[] | undefined;
  return async (isFirstPage: boolean): Promise<FolderFile[]> => {
    if (isFirstPage || last === undefined) last = (await opened.scan()).files;
    return last;
  };
};

interface PageOptions {
  articleUrl: (id: string) => string;
  opened: OpenFolder;
  scan: (isFirstPage: boolean) => Promise<FolderFile[]>;
  documents: DocumentReader;
}

const listPage = async (
  root: string,
  url: URL,
  { articleUrl, opened, scan, documents }: PageOptions,
) => {
  const since = Date.parse(url.searchParams.get('updated_since') ?? '');
  const limit = Math.min(Math.max(Number(url.searchParams.get('limit')) || PAGE, 1), PAGE);
  const first = Math.max(Number(url.searchParams.get('cursor')) || 0, 0);
  const all = await scan(first === 0);
  const files = Number.isNaN(since) ? all : await changedSince(root, { files: all, since });
  const articles: (FolderArticle | UnreadableArticle)[] = [];
  const startedAt = performance.now();
  let characters = 0;
  let next = first;
  for (const file of files.slice(first, first + limit)) {
    const read = await opened.read(file, documents);
    const taken = 'problem' in read ? [] : [read.article, ...(read.others ?? [])];
    characters += taken.reduce((sum, { content }) => sum + content.length, 0);
    // At least one, and then as many as fit.
    if (articles.length > 0 && characters > MAX_PAGE_CHARACTERS) break;
    if ('problem' in read)
      articles.push({ id: file.path, problem: `not readable: ${read.problem}` });
    for (const article of taken)
      articles.push({ ...article, url: article.url ?? articleUrl(article.id) });
    next += 1;
    if (articles.length >= MAX_PAGE_ARTICLES || performance.now() - startedAt > MAX_PAGE_MS) break;
  }
  return {
    articles,
    total: files.length,
    updated_at: new Date().toISOString(),
    ...(next < files.length ? { next_cursor: String(next) } : {}),
  };
};

const changedSince = async (
  root: string,
  { files, since }: { files: FolderFile[]; since: number },
): Promise<FolderFile[]> => {
  const times = await Promise.all(files.map(({ path }) => stat(join(root, path))));
  return files.filter((_, index) => (times[index]?.mtimeMs ?? 0) >= since);
};

const listen = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
