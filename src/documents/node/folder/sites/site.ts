import { posix } from 'node:path';
import { decodeUri } from '../../../../language/decode-uri.ts';

/** Front matter as it is written: every field, unread. */
export type Fields = Readonly<Record<string, unknown>>;

/** A page of a site that a generator builds. */
export interface SitePage {
  /** From the address of the site: `guides/reset/`. Undefined for a page whose place only the generator knows. */
  route: string | undefined;
  /** The title of the generator, if it is another than that of front matter and heading. */
  title?: string | undefined;
  language?: string | undefined;
  /** What all translations of the page share, and no other page has. */
  translation?: string | undefined;
  /** Place among the pages of its folder; those with a smaller one come first. */
  order?: number | undefined;
}

/** The documentation site that a configuration describes. Paths are from the folder of the configuration, with slashes. */
export interface Site {
  generator: string;
  /** Ends with a slash; undefined when the configuration does not tell where the site is published. */
  address: string | undefined;
  /** The page that a file becomes, or why it becomes none. */
  pageOf(path: string, fields: Fields): SitePage | { why: string };
  /** A value that templates may name: `site.email`. */
  settingOf?(name: string): string | undefined;
  /** A value of the data that templates loop over: `site.data.plans`. */
  dataOf?(name: string): unknown;
  /** The template of a shortcode of Hugo. */
  templateOf?(name: string): string | undefined;
  /** A text that the site has in several languages. */
  phraseOf?(id: string, language: string | undefined): string | undefined;
  /** Values of AsciiDoc and reStructuredText, by name. */
  attributes?: Readonly<Record<string, string>>;
  /** Text that stands before and after every page of reStructuredText. */
  around?: { before?: string | undefined; after?: string | undefined };
  /** Folders that files named by an include are looked for in, besides that of the including file. */
  includes?: readonly string[];
  /** Whether braces hold values: `everywhere`, or only outside of code. */
  values: 'everywhere' | 'text' | 'none';
  /** Whether any name in braces is a value, not only those under the names of the generator. */
  hasPlainValues?: boolean;
  /** Folders beside that of the configuration that hold pages: `../docs/`. */
  outside?: readonly string[];
  /** Whether links that begin with a slash are from the address of the site, not from its host. */
  hasSiteLinks?: boolean;
  /** What follows the address in those of pages: `#/`. */
  addressEnd?: string;
  /** Whether `order` is a place among all pages, not only those of a folder. */
  isOrderOfAll?: boolean;
}

/** What a reader of configurations gets: files below its folder, and nothing else. */
export interface SiteFiles {
  /** Text of a file; undefined when there is none, or it is too large. */
  read(path: string): string | undefined;
  /** Names in a folder; none when there is no such folder. */
  list(path: string): string[];
}

export const NOT_OF_THE_SITE = 'no page of the site';
export const PARTIAL = 'part of other pages';
export const DRAFT = 'a draft';

/** Ends with one slash; empty for the root. */
export function folderOf(path: string): string {
  const plain = path.replace(/^(?:\.?\/)+|\/+$/g, '');
  return plain === '' || plain === '.' ? '' : `${plain}/`;
}

/** `https://docs.example.com/base/`; undefined when it is no address of the web. */
export function addressOf(url: unknown, base: unknown = ''): string | undefined {
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url) || !URL.canParse(url)) return undefined;
  const path = typeof base === 'string' ? base.replace(/^\/+|\/+$/g, '') : '';
  const whole = `${url.replace(/\/+$/, '')}/${path === '' ? '' : `${path}/`}`;
  return URL.canParse(whole) ? new URL(whole).href : undefined;
}

/** Those of folders that lie beside that of the configuration. */
export function outsideOf(folders: readonly string[]): readonly string[] {
  return folders.filter((folder) => folder.startsWith('../'));
}

/** A path without its ending. */
export function withoutEnding(path: string): string {
  return path.replace(/\.[^./]+$/, '');
}

export function isMarkdown(path: string): boolean {
  return /\.(?:md|mdx|markdown|mkd|mkdn)$/i.test(path);
}

export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

export function numberIn(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

export function listIn(value: unknown): string[] {
  return (
    Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]
  ).filter((each): each is string => typeof each === 'string');
}

/** A value by its path in a mapping: `params.company.name`. Texts, numbers and booleans only. */
export function valueAt(values: unknown, path: readonly string[]): string | undefined {
  let value = values;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}

/** A member by its path: `name.first`; of pairs, `[0]` is the key. */
export function memberOf(value: unknown, path: readonly string[]): unknown {
  let member = value;
  for (const name of path) {
    if (Array.isArray(member) && (name === 'first' || name === 'last'))
      member = member.at(name === 'first' ? 0 : -1);
    else if (Array.isArray(member) && name === 'size') member = member.length;
    else if (typeof member === 'object' && member !== null && Object.hasOwn(member, name))
      member = (member as Record<string, unknown>)[name];
    else return undefined;
  }
  return member;
}

/** Year, month and day of a date in front matter or in the name of a file. */
export function dayOf(value: unknown): { year: string; month: string; day: string } | undefined {
  const text = value instanceof Date ? value.toISOString() : typeof value === 'string' ? value : '';
  const [, year = '', month = '', day = ''] = /(\d{4})-(\d{1,2})-(\d{1,2})/.exec(text) ?? [];
  return year === ''
    ? undefined
    : { year, month: month.padStart(2, '0'), day: day.padStart(2, '0') };
}

/** As most generators make an address of a title. */
export function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s+/g, '-');
}

/** `guides/reset.md` is `guides/reset`, the page of a folder the folder itself; `names` tells such pages. */
export function routeOf(
  path: string,
  {
    ending = '',
    index = '',
    names = /(?:^|(?<=\/))(?:index|readme)$/i,
  }: { ending?: string; index?: string; names?: RegExp } = {},
): string {
  const plain = withoutEnding(path);
  return names.test(plain) ? plain.replace(names, index) : plain + ending;
}

const CONTENTS_LINK =
  /(?<!!)\[((?:[^\][\\\n]|\\.){1,300})\]\((?:<([^<>\n]{1,500})>|([^()<>\s]{1,500}(?:\([^()\s]{0,100}\)[^()\s]{0,100})?))(?:\s[^)\n]{0,300})?\)/g;

/** Titles and places of the pages that a table of contents in Markdown links to, by their path. */
export function linkedPages(
  markdown: string,
  folder: string,
): Map<string, { title: string; order: number }> {
  const pages = new Map<string, { title: string; order: number }>();
  const plain = markdown.replace(/<!--(?:(?!-->)[\s\S])*-->/g, '');
  for (const [, title = '', quoted, target = quoted ?? ''] of plain.matchAll(CONTENTS_LINK)) {
    if (/^(?:[a-z][\w+.-]*:|\/\/|#)/i.test(target)) continue;
    const path = posix.normalize(
      folder + decodeUri(target.replace(/[?#].*$/, '')).replace(/^\//, ''),
    );
    if (!pages.has(path))
      pages.set(path, { title: title.replace(/\\(.)|[`*]/g, '$1'), order: pages.size });
  }
  return pages;
}

/** Language of a file by its folder (`de/setup.md`) or its name (`setup.de.md`), and its path without it. */
export function localeOf(
  file: string,
  locales: ReadonlySet<string>,
): { language?: string; plain: string; isFolder?: boolean } {
  const [, folder = '', rest = ''] = /^([^/]+)\/(.+)$/.exec(file) ?? [];
  if (locales.has(folder)) return { language: folder, plain: rest, isFolder: true };
  const [, name = '', suffix = '', ending = ''] = /^(.+)\.([\w-]{2,10})(\.\w+)$/.exec(file) ?? [];
  return locales.has(suffix) ? { language: suffix, plain: name + ending } : { plain: file };
}
