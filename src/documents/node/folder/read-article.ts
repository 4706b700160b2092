import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ARTICLE_CONTENT_MAX_LENGTH } from '../../../contract/wire/host-article.ts';
import { decodeText } from '../../../language/decode-text.ts';
import { titleOfPath } from '../../../language/title-of-path.ts';
import { MAX_FRONT_MATTER, splitFrontMatter } from '../../front-matter.ts';
import { readDocument } from '../../read-document.ts';
import { type DocumentReader, isDocument } from '../document-reader.ts';
import type { DocumentText } from '../document-text.ts';
import { NO_TEXT } from '../text-document.ts';
import { fillIn } from './fill-in.ts';
import { withParts } from './include-parts.ts';
import type { FolderFile } from './scan-folder.ts';

/** One more than an article may have, so that the library names the file that is too long and takes the others. */
const MAX_CHARACTERS = ARTICLE_CONTENT_MAX_LENGTH + 1;
const MAX_BYTES = 4 * MAX_CHARACTERS;

export interface FolderArticle {
  id: string;
  title: string;
  /** Absent when its front matter names none. */
  url?: string | undefined;
  content: string;
  /** `last_updated` is the file's when its front matter names none. */
  metadata: {
    intent: string[];
    device: string[];
    last_updated: string;
    author?: string;
    format?: 'commonmark';
    /** As the file names it, unread. */
    audience?: unknown;
    language?: string;
    translation_key?: string;
  };
  /** What was left out of it. */
  warnings?: string[];
}

/** An article of a folder; `isDated`: the file itself says when it was updated; `others`: further articles that it holds. */
export type ReadArticle =
  | { article: FolderArticle; isDated: boolean; others?: FolderArticle[] }
  | { problem: string };

interface Reading {
  documents: DocumentReader;
  /** Public address of a file of the folder, by its path. */
  urlOf?: (file: string) => string | undefined;
}

/** Reads a file of a scan. Of one that is too long, the beginning. `problem` says why it cannot be read. */
export async function readArticle(
  root: string,
  { path, url, title: given, language, translation, site }: FolderFile,
  { documents, urlOf = () => undefined }: Reading,
): Promise<ReadArticle> {
  const file = join(root, path);
  const { mtime, size } = await stat(file);
  if (isDocument(path)) {
    const read = await documents.read(file, await wholeText(file, { root, site }));
    if ('problem' in read) return read;
    return articlesOf(read, { path, url, title: given, language, translation }, mtime);
  }
  const text = size > MAX_BYTES ? ' '.repeat(MAX_CHARACTERS) : decodeText(await readFile(file));
  if (text === undefined) return { problem: NO_TEXT };
  const written = text.slice(0, MAX_CHARACTERS);
  const { front, fields } = splitFrontMatter(
    written.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n'),
  );
  const roots = site === undefined ? [root] : [root, site.root];
  const content = fillIn(written, { file, roots, site, fields, language, urlOf }).slice(
    0,
    MAX_CHARACTERS,
  );
  const page = /\.x?html?$/i.test(path) ? readDocument(content, { path }) : undefined;
  const updated = dateOf(front.lastUpdated ?? page?.lastUpdated);
  const article = {
    id: path,
    title: (
      plainTitle(given ?? front.title) ??
      (page === undefined ? headingOf(content, path) : page.title) ??
      titleOfPath(path)
    ).slice(0, 200),
    url: isAddress(front.url) ? front.url : (url ?? front.url),
    content,
    metadata: {
      intent: front.intents ?? [],
      device: front.devices ?? [],
      last_updated: updated ?? mtime.toISOString(),
      ...(front.author === undefined ? {} : { author: front.author }),
      ...(language === undefined ? {} : { language }),
      ...(translation === undefined || front.translationKey !== undefined
        ? {}
        : { translation_key: translation }),
    },
  };
  return { article, isDated: updated !== undefined };
}

const MAX_WITH_PARTS_BYTES = 2_000_000;

/** A page of AsciiDoc or reStructuredText with what it includes; undefined for other documents. */
const wholeText = async (
  file: string,
  { root, site }: { root: string; site: FolderFile['site'] },
): Promise<string | undefined> => {
  if (!/\.(?:rst|adoc|asciidoc)$/i.test(file) || (await stat(file)).size > MAX_WITH_PARTS_BYTES)
    return undefined;
  const text = decodeText(await readFile(file));
  const roots = site === undefined ? [root] : [root, site.root];
  return text === undefined
    ? undefined
    : withParts(text.replaceAll('\r\n', '\n'), { file, roots, site });
};

/** A file may hold several articles: their ids are its path and their names. */
const articlesOf = (
  read: DocumentText,
  { path, url, title: given, language, translation }: FolderFile,
  mtime: Date,
): ReadArticle => {
  const { front = {}, articles = [], warnings = [] } = read;
  const updated = dateOf(front.lastUpdated);
  const metadata = {
    intent: front.intents ?? [],
    device: front.devices ?? [],
    last_updated: updated ?? mtime.toISOString(),
    format: 'commonmark' as const,
    ...(front.author === undefined ? {} : { author: front.author }),
    ...(front.audience === undefined ? {} : { audience: front.audience }),
    ...(language === undefined ? {} : { language }),
  };
  const own = translation === undefined ? metadata : { ...metadata, translation_key: translation };
  const article = {
    id: path,
    title: (given ?? front.title ?? titleOfDocument(read) ?? titleOfPath(path)).slice(0, 200),
    url: isAddress(front.url) ? front.url : (url ?? front.url),
    content: read.text.slice(0, MAX_CHARACTERS),
    metadata: own,
    ...(warnings.length === 0 ? {} : { warnings: warnings.slice(0, 20) }),
  };
  const others = uniquelyNamed(articles).map(({ name, title, text }) => ({
    id: `${path}/${name}`,
    title: title.slice(0, 200),
    content: text.slice(0, MAX_CHARACTERS),
    metadata,
  }));
  return { article, isDated: updated !== undefined, ...(others.length === 0 ? {} : { others }) };
};

const uniquelyNamed = <Named extends { name: string }>(articles: readonly Named[]): Named[] => {
  const counts = new Map<string, number>();
  return articles.map((article) => {
    const count = (counts.get(article.name) ?? 0) + 1;
    counts.set(article.name, count);
    return count === 1 ? article : { ...article, name: `${article.name}-${count}` };
  });
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
  readDocument(
    splitFrontMatter(content.slice(0, MAX_FRONT_MATTER + MAX_TITLE_AT)).body.slice(0, MAX_TITLE_AT),
    {
      path,
    },
  ).title;

/** A title that a configuration or front matter writes with tags or entities of HTML. */
const plainTitle = (title: string | undefined): string | undefined =>
  title !== undefined && /<\/?[a-z]|&#?\w/i.test(title)
    ? (readDocument(`# ${title.replace(/&nbsp;?/g, ' ').replace(/\s+/g, ' ')}`).title ?? title)
    : title;

const isAddress = (url: string | undefined): boolean =>
  url !== undefined && /^https?:\/\//i.test(url);

const dateOf = (value = ''): string | undefined => {
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
};
