import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join, resolve } from 'node:path';
import type { Omission } from '../../src/contract/wire/host-article.ts';
import {
  ARTICLE_CONTENT_MAX_LENGTH,
  type HostArticleReply,
} from '../../src/contract/wire/host-article.ts';
import { isDraft } from '../../src/documents/front-matter.ts';
import { documentReader } from '../../src/documents/node/document-reader.ts';
import REASONS from '../../src/documents/node/folder/omission-reasons.json' with { type: 'json' };
import { readArticle } from '../../src/documents/node/folder/read-article.ts';
import { ENDINGS } from '../../src/documents/node/folder/scan-folder.ts';
import { readWebPage, type WebPage } from '../../src/documents/read-web-page.ts';
import {
  ArticleRefused,
  normaliseArticle,
} from '../../src/knowledge/articles/normalise-article.ts';
import { decodeText } from '../../src/language/decode-text.ts';
import { detectLanguage } from '../../src/language/detect-language.ts';
import { type HttpFailure, readBytes } from '../../src/platform/http/fetch-json.ts';

/** What an article becomes, as `constellation read` prints it. */
export interface ArticlePreview {
  id: string;
  title: string;
  /** Null for a file that names none: it gets one from its place in a knowledge base. */
  url: string | null;
  /** As the document says, else as its text looks; null where that is in doubt. */
  language: string | null;
  /** ISO 8601; null when it is not known. */
  last_updated: string | null;
  author: string | null;
  intents: string[];
  devices: string[];
  /** Absent: everybody of the workspace. */
  audiences?: string[];
  /** Canonical Markdown. */
  text: string;
  left_out: (Omission & { why: string })[];
  warnings: string[];
}

/** The article cannot be read; `message` says why. */
class CannotRead extends Error {
  override name = 'CannotRead';
}

/**
 * Reads a file or a web page as a sync would, and tells what was left out.
 *
 * @throws {CannotRead} When there is no such file or page, or it is no article.
 */
export function previewArticle(source: string): Promise<ArticlePreview> {
  return /^https?:\/\//i.test(source) ? previewPage(source) : previewFile(source);
}

const previewFile = async (path: string, name = path): Promise<ArticlePreview> => {
  const file = resolve(path);
  const stats = await stat(file).catch((error: NodeJS.ErrnoException) => {
    const why =
      error.code === 'ENOENT' || error.code === 'ENOTDIR'
        ? 'there is no such file'
        : (error.code ?? '');
    throw new CannotRead(`Cannot read ${name}: ${why}`);
  });
  if (stats.isDirectory())
    throw new CannotRead(`Cannot read ${name}: it is a folder. npm start -- --kb reads folders`);
  if (!stats.isFile()) throw new CannotRead(`Cannot read ${name}: it is no file`);
  if (!ENDINGS.has(extname(file).toLowerCase()))
    throw new CannotRead(`Cannot read ${name}: articles are ${[...ENDINGS].join(', ')} files`);
  const documents = documentReader();
  try {
    const read = await readArticle(dirname(file), { path: basename(file) }, { documents }).catch(
      (error: unknown) => {
        const { code = '' } = error as NodeJS.ErrnoException;
        throw code === 'EACCES' || code === 'EPERM'
          ? new CannotRead(`Cannot read ${name}: there is no permission to read it`)
          : error;
      },
    );
    if ('problem' in read) throw new CannotRead(`Cannot read ${name}: ${read.problem}`);
    const { article } = read;
    const notes = isDraft(article.content) ? ['It is a draft: a folder leaves it out'] : [];
    return previewOf(article, { name, notes });
  } finally {
    await documents.close();
  }
};

interface About {
  name: string;
  language?: string | undefined;
  omitted?: readonly Omission[];
  notes: readonly string[];
}

/** Stands for the address of an article that has none of its own. */
const NO_ADDRESS = 'https://article.invalid/';

const previewOf = (
  reply: HostArticleReply,
  { name, language, omitted = [], notes }: About,
): ArticlePreview => {
  try {
    const read = normaliseArticle(reply, { articleUrl: () => NO_ADDRESS });
    const {
      id,
      title,
      url,
      text,
      intents,
      devices,
      lastUpdated,
      author = null,
      audiences,
    } = read.article;
    const isDated = Date.parse(lastUpdated) !== 0;
    return {
      id,
      title,
      url: url === NO_ADDRESS ? null : url,
      language: language ?? read.article.language ?? detectLanguage(`${title}\n${text}`) ?? null,
      last_updated: isDated ? lastUpdated : null,
      author,
      intents,
      devices,
      ...(audiences === undefined ? {} : { audiences }),
      text,
      left_out: [...omitted, ...read.omitted].map((each) => ({ ...each, why: REASONS[each.kind] })),
      warnings: [...notes, ...read.warnings],
    };
  } catch (error) {
    if (!(error instanceof ArticleRefused)) throw error;
    throw new CannotRead(
      `Cannot read ${name}: ${error.message.replace(/^Cannot take in the article: /, '')}`,
    );
  }
};

const PAGE_MS = 8000;
const MAX_PAGE_BYTES = 4 * 1024 * 1024;
const MAX_DOCUMENT_BYTES = 50 * 1024 * 1024;
const MAX_STEPS = 4;
const DOCUMENTS: Readonly<Record<string, string>> = {
  'application/pdf': '.pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': '.docx',
};

const previewPage = async (address: string): Promise<ArticlePreview> => {
  let at = address;
  for (let step = 0; ; step += 1) {
    const { response, type, bytes } = await download(at, address);
    const ending = DOCUMENTS[type.split(';')[0]?.trim().toLowerCase() ?? ''];
    if (ending !== undefined) return previewDownload(bytes, { address, ending });
    const text = decodeText(bytes, /charset\s*=\s*["']?([\w-]+)/i.exec(type)?.[1]);
    if (text === undefined)
      throw new CannotRead(`Cannot read ${address}: it is no text, or its encoding is in doubt`);
    if (!/html/i.test(type)) return previewText(text, { address, url: response.url });
    const page = readWebPage(text, response.url);
    if (page === undefined)
      throw new CannotRead(
        `Cannot read ${address}: it has more than 10,000 tags, or is nested more than 100 levels deep`,
      );
    if (page.refresh === undefined || step === MAX_STEPS)
      return previewHtml(page, { address, response });
    at = page.refresh;
  }
};

const download = async (at: string, name: string) => {
  const signal = AbortSignal.timeout(PAGE_MS);
  const response = await fetch(at, { signal, headers: { Accept: 'text/html, */*;q=0.5' } }).catch(
    (error: unknown) => {
      throw new CannotRead(
        `Cannot read ${name}: ${signal.aborted ? 'it did not answer in 8 s' : causeOf(error)}`,
      );
    },
  );
  const type = response.headers.get('Content-Type') ?? '';
  if (!response.ok)
    throw new CannotRead(`Cannot read ${name}: the server answered ${response.status}`);
  const isDocument = Object.keys(DOCUMENTS).some((each) => type.toLowerCase().startsWith(each));
  if (
    !isDocument &&
    !/^(?:text\/(?:html|plain|markdown|x-markdown)|application\/xhtml\+xml)\b/i.test(type)
  ) {
    await response.body?.cancel();
    throw new CannotRead(
      `Cannot read ${name}: it is no page (its type is ${type === '' ? 'not given' : type})`,
    );
  }
  const maxBytes = isDocument ? MAX_DOCUMENT_BYTES : MAX_PAGE_BYTES;
  const bytes = await readBytes(response, { maxBytes, signal }).catch((error: unknown) => {
    const { kind } = error as HttpFailure;
    const size = `it is larger than ${maxBytes / 1024 / 1024} MiB`;
    const why =
      kind === 'too-large' ? size : kind === 'timeout' ? 'it does not end in 8 s' : 'it broke off';
    throw new CannotRead(`Cannot read ${name}: ${why}`);
  });
  return { response, type, bytes };
};

const causeOf = (error: unknown): string => {
  const { cause, message } = error as Error;
  const { code, message: detail } = (cause ?? {}) as NodeJS.ErrnoException;
  return code ?? detail ?? message;
};

const previewDownload = async (
  bytes: Uint8Array,
  { address, ending }: { address: string; ending: string },
): Promise<ArticlePreview> => {
  const folder = await mkdtemp(join(tmpdir(), 'constellation-read-'));
  try {
    const name =
      basename(new URL(address).pathname)
        .replace(/[^\w.-]/g, '_')
        .slice(0, 100) || 'document';
    const file = join(folder, name.toLowerCase().endsWith(ending) ? name : `${name}${ending}`);
    await writeFile(file, bytes);
    return { ...(await previewFile(file, address)), url: address };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const previewText = (
  text: string,
  { address, url }: { address: string; url: string },
): ArticlePreview => {
  const id = idOf(url);
  const content = text.slice(0, ARTICLE_CONTENT_MAX_LENGTH + 1);
  return previewOf({ id, title: '', url, content }, { name: address, notes: [] });
};

const previewHtml = (
  page: WebPage,
  { address, response }: { address: string; response: Response },
): ArticlePreview => {
  const { url } = response;
  const notes = [
    ...(url === address ? [] : [`It leads to ${url}`]),
    ...(page.isHidden ? ['It asks not to be indexed: a sync leaves it out'] : []),
    ...(page.canonical === undefined || page.canonical === url
      ? []
      : [`Its canonical address is ${page.canonical}`]),
  ];
  const changedAt = page.modifiedAtMs ?? Date.parse(response.headers.get('Last-Modified') ?? '');
  const metadata = {
    intent: [],
    device: [],
    format: 'commonmark' as const,
    last_updated: Number.isNaN(changedAt) ? undefined : new Date(changedAt).toISOString(),
  };
  const reply = { id: idOf(url), title: page.title, url, content: page.text, metadata };
  return previewOf(reply, { name: address, language: page.language, omitted: page.omitted, notes });
};

const idOf = (address: string): string => {
  const path = new URL(address).pathname.replace(/^\/+|\/+$/g, '').replace(/[^\w./~-]+/g, '-');
  return path === '' ? 'index' : path;
};
