import { createHash } from 'node:crypto';
import { constants, type Dirent, existsSync } from 'node:fs';
import { access, open, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, extname, join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { ARTICLE_CONTENT_MAX_LENGTH } from '../../../contract/wire/host-article.ts';
import { decodeText } from '../../../language/decode-text.ts';
import { languageTag } from '../../../language/language-tag.ts';
import { lruCache } from '../../../platform/lru-cache.ts';
import { splitFrontMatter } from '../../front-matter.ts';
import { translationsIn } from '../../group-translations.ts';
import { readDocument } from '../../read-document.ts';
import { DOCUMENT_ENDINGS, INTERFACE_ENDINGS, isDocument } from '../document-reader.ts';
import { headerOf } from '../text-document.ts';
import { type RstReferences, rstParts, rstReferences } from './rst-parts.ts';
import { endedWith, mayHoldSite, siteIn } from './sites/find-sites.ts';
import { DRAFT, type Fields, NOT_OF_THE_SITE, PARTIAL, routeOf, type Site } from './sites/site.ts';

/** Endings of the files that count as articles. */
export const ENDINGS: ReadonlySet<string> = new Set([
  '.md',
  '.markdown',
  '.mdx',
  '.txt',
  '.html',
  '.htm',
  '.xhtml',
  ...DOCUMENT_ENDINGS,
]);
const INTERFACES: ReadonlySet<string> = new Set(INTERFACE_ENDINGS);
const MAX_FILES = 50_000;
const IGNORE_FILE = '.constellationignore';

/** What of a folder is taken. Patterns are those of `.gitignore`. */
export interface FolderOptions {
  /** Only files that match one of these; absent or empty: all. */
  include?: readonly string[] | undefined;
  exclude?: readonly string[] | undefined;
  /** Address under which the files are published, where no configuration tells it. */
  publicUrl?: string | undefined;
}

/** A file that is an article. */
export interface FolderFile {
  /** From the folder, with slashes. */
  path: string;
  /** Public address, as far as it is known. */
  url?: string | undefined;
  /** The title that the configuration of a site names, if it is another than the file's. */
  title?: string | undefined;
  /** As the path or the configuration of a site names it. */
  language?: string | undefined;
  /** Equal for the translations of a page, where the configuration of its site tells them. */
  translation?: string | undefined;
  /** The site that it is a page of, and its path from the configuration of that site. */
  site?: FolderSite | undefined;
}

export interface FolderSite {
  site: Site;
  /** Real path of the folder with its configuration. */
  root: string;
}

interface Skipped {
  path: string;
  why: string;
  /** The article whose text it has. */
  as?: string;
}

/** What a folder holds. */
export interface FolderScan {
  files: FolderFile[];
  /** Why each other path is not read. */
  skipped: Skipped[];
  sites: FolderSite[];
}

const NO_ARTICLE = `articles are ${[...ENDINGS].join(', ')} files, and OpenAPI in ${INTERFACE_ENDINGS.join(', ')}`;
const UNREADABLE = 'no permission to read';
const IGNORED = `by ${IGNORE_FILE}`;
const EXCLUDED = 'by --exclude';
const NOT_INCLUDED = 'not in --include';
const NO_TEXT = 'without text';
const DUPLICATE = 'the same text as another article';

/** Those of a scan, for a use that cannot do without one. Throws when one cannot be read. */
export function filesOf(root: string, { files, skipped }: FolderScan): FolderFile[] {
  const unreadable = skipped.find(({ why }) => why === UNREADABLE);
  if (unreadable !== undefined)
    throw new Error(`Cannot read ${join(root, unreadable.path)}: there is ${UNREADABLE} it`);
  return files;
}

/**
 * Finds the files of a folder that count as articles: not those that patterns leave out, drafts, parts of other pages, files that are no
 * page of the site whose configuration lies there, and files with the text of another. A folder without permission hides only itself.
 *
 * @param root Its own links are followed, those in it are not.
 * @throws When the root cannot be read, or has more than 50,000 files.
 */
export async function scanFolder(root: string, options: FolderOptions = {}): Promise<FolderScan> {
  const walked = await walk(root, options);
  const above = siteAbove(root);
  const inside = walked.siteFolders.flatMap((folder) => siteAt(folder));
  const own = inside.filter(
    ({ root: place }) => !EXAMPLE.test(`${relative(root, place).split(sep).join('/')}/`),
  );
  const sites = [...(above === undefined ? [] : [above]), ...(own.length === 0 ? inside : own)];
  const heads = new Map<string, Head>();
  for (const path of walked.paths) heads.set(path, await headOf(join(root, path)));
  const isOpen = (options.include ?? []).length > 0;
  const { files, skipped } = choose(root, {
    paths: walked.paths,
    heads,
    sites,
    publicUrl: options.publicUrl,
    isOpen,
  });
  const all = [...walked.skipped, ...skipped].sort((one, other) =>
    one.path < other.path ? -1 : 1,
  );
  const used = sites.filter((site) => files.some((file) => file.site === site));
  return { files, skipped: all, sites: used };
}

/** Folders whose sites are samples and tests of a project. */
const EXAMPLE =
  /(?:^|\/)(?:examples?|fixtures?|tests?|__\w+__|templates?|demos?|samples?|playground)\//i;

interface Walked {
  paths: string[];
  skipped: Skipped[];
  /** Folders that may hold the configuration of a site, the outermost first. */
  siteFolders: string[];
}

async function walk(root: string, { include = [], exclude = [] }: FolderOptions): Promise<Walked> {
  const result: Walked = { paths: [], skipped: [], siteFolders: [] };
  const included = include.length === 0 ? undefined : ignore().add([...include]);
  const excluded = ignore().add([...exclude]);
  const ignored: { from: string; rules: Ignore }[] = [];
  const whyLeftOut = (path: string): string | undefined => {
    if (excluded.ignores(path)) return EXCLUDED;
    const isIgnored = ignored.some(
      ({ from, rules }) => path.startsWith(from) && rules.ignores(path.slice(from.length)),
    );
    return isIgnored ? IGNORED : undefined;
  };
  const visit = async (entries: Dirent[]): Promise<void> => {
    for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
      const file = join(entry.parentPath, entry.name);
      const path = relative(root, file).split(sep).join('/');
      if (isHidden(path)) continue;
      const why =
        whyLeftOut(entry.isDirectory() ? `${path}/` : path) ??
        (await (entry.isDirectory() ? enter(file) : whySkipped(entry, file))) ??
        (included === undefined || included.ignores(path) ? undefined : NOT_INCLUDED);
      if (why === undefined) result.paths.push(path);
      else if (why !== '')
        result.skipped.push({ path: entry.isDirectory() ? `${path}/` : path, why });
    }
  };
  const enter = async (folder: string): Promise<string> => {
    const entries = await permitted(readdir(folder, { withFileTypes: true }));
    if (entries !== undefined) await begin(folder, entries);
    return entries === undefined ? UNREADABLE : '';
  };
  const begin = async (folder: string, entries: Dirent[]): Promise<void> => {
    if (mayHoldSite(entries.map(({ name }) => name))) result.siteFolders.push(folder);
    if (entries.some(({ name }) => name === IGNORE_FILE)) {
      const text = await permitted(readFile(join(folder, IGNORE_FILE), 'utf8'));
      const from = relative(root, folder).split(sep).join('/');
      if (text !== undefined)
        ignored.push({ from: from === '' ? '' : `${from}/`, rules: ignore().add(text) });
    }
    await visit(entries);
  };
  await begin(root, await readdir(root, { withFileTypes: true }));
  if (result.paths.length > MAX_FILES)
    throw new Error(`it holds ${result.paths.length} files, more than ${MAX_FILES}`);
  return result;
}

/** Why an entry that is no folder is no article; undefined when it may be one. */
const whySkipped = async (entry: Dirent, file: string): Promise<string | undefined> => {
  if (entry.isSymbolicLink()) return 'symbolic links are not followed';
  if (!entry.isFile()) return 'neither file nor folder';
  const ending = extname(entry.name).toLowerCase();
  const isInterface = INTERFACES.has(ending);
  if ((!ENDINGS.has(ending) && !isInterface) || FOR_PROGRAMS.test(entry.name)) return NO_ARTICLE;
  if (!(await permitted(access(file, constants.R_OK).then(() => true)))) return UNREADABLE;
  return isInterface && !isOpenApi(await beginningOf(file)) ? NO_ARTICLE : undefined;
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

/** Text files that no reader of documentation reads. */
const FOR_PROGRAMS =
  /^(?:requirements[\w.-]*|constraints[\w.-]*|robots|humans|ads|CMakeLists|llms(?:-full)?|licen[cs]e|copying|notice)\.txt$/i;

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
const isHidden = (path: string): boolean =>
  path
    .split(sep)
    .some((part) => part.startsWith('.') || part.startsWith('~$') || part === 'node_modules');

/** Whether a change of a path may change the articles of the folder. */
export function isWatched(path: string): boolean {
  return path.split(sep).at(-1) === IGNORE_FILE || !isHidden(path);
}

const siteAt = (folder: string): FolderSite[] => {
  const site = siteIn(folder);
  return site === undefined ? [] : [{ site, root: folder }];
};

/** Folders above that are looked at: as far as the checkout goes. */
const MAX_ABOVE = 4;

/** The site whose pages the folder holds, where its configuration lies above, in the same checkout. */
function siteAbove(root: string): FolderSite | undefined {
  const above: string[] = [];
  let folder = root;
  while (!existsSync(join(folder, '.git'))) {
    const parent = dirname(folder);
    if (parent === folder || above.length === MAX_ABOVE) return undefined;
    above.push(parent);
    folder = parent;
  }
  return above.flatMap(siteAt)[0];
}

/** What a file says about itself. */
interface Head {
  fields: Fields;
  title: string | undefined;
  language: string | undefined;
  isDraft: boolean;
  /** Whether it has front matter and nothing else. */
  isEmpty: boolean;
  /** Why a page is no article. */
  noArticle?: string | undefined;
  /** Other files that a page of reStructuredText names. */
  references?: RstReferences;
  /** Equal for files with the same text; undefined for what depends on other files. */
  digest: string | undefined;
}

const MAX_BYTES = 4 * (ARTICLE_CONTENT_MAX_LENGTH + 1);
/** As much as a document may have. */
const MAX_DOCUMENT_BYTES = 50 * 1024 * 1024;
/** What of a page other files or its place decide. */
const DEPENDS = /\{\{|\{%|^import\s|^-{1,2}8<-|@include:|\{include\}/m;
const NOTHING = { title: undefined, language: undefined, isDraft: false, isEmpty: false };

/** Kept between two scans: a file that has not changed is not read again. */
const heads = lruCache<string, { version: string; head: Head }>({ max: MAX_FILES });

async function headOf(file: string): Promise<Head> {
  const { mtimeMs, size } = await stat(file);
  const version = `${mtimeMs} ${size}`;
  const known = heads.get(file);
  if (known?.version === version) return known.head;
  const head = await readHead(file, size);
  heads.set(file, { version, head });
  return head;
}

async function readHead(file: string, size: number): Promise<Head> {
  if (isDocument(file)) {
    const bytes = size > 0 && size <= MAX_DOCUMENT_BYTES ? await readFile(file) : undefined;
    const digest = bytes === undefined ? undefined : digestOf(bytes);
    if (bytes === undefined || !/\.(?:rst|adoc|asciidoc)$/i.test(file))
      return { ...NOTHING, fields: {}, digest };
    const text = decodeText(bytes) ?? '';
    const front = headerOf(text);
    const { title, language, isDraft } = front;
    return {
      ...NOTHING,
      fields: {},
      title,
      language: languageTag(language),
      isDraft: isDraft === true,
      ...(/\.rst$/i.test(file) ? { references: rstReferences(text.replaceAll('\r\n', '\n')) } : {}),
      digest: /^\.\. include::|^include::/m.test(bytes.toString('latin1')) ? undefined : digest,
    };
  }
  const text = size > MAX_BYTES ? undefined : decodeText(await readFile(file));
  if (text === undefined) return { ...NOTHING, fields: {}, digest: undefined };
  const { front, fields, body } = splitFrontMatter(
    text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n'),
  );
  const plain = body.trim();
  const extra = [front.title ?? '', JSON.stringify(front.audience ?? null), plain].join('\n');
  return {
    fields,
    title: front.title,
    language: languageTag(front.language),
    isDraft: front.isDraft === true,
    isEmpty: plain === '' && Object.keys(fields).length > 0,
    noArticle: whyNoArticle(file, plain),
    digest: plain === '' || DEPENDS.test(plain) ? undefined : digestOf(extra),
  };
}

/** Reason to leave out a page of HTML: it leads to another one, or says that it does not exist. Others are read later. */
function whyNoArticle(file: string, html: string): string | undefined {
  if (!/\.x?html?$/i.test(file)) return undefined;
  const isShort = html.length < MAX_EMPTY_PAGE;
  const isSuspect = isShort || /http-equiv\s*=\s*["']?refresh/i.test(html) || /404/.test(file);
  return isSuspect ? readDocument(html, { path: file }).noArticle : undefined;
}

/** Characters of HTML that a page without content has at most, unless it says that it leads elsewhere. */
const MAX_EMPTY_PAGE = 30_000;

const digestOf = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('base64');

interface Choice {
  paths: readonly string[];
  heads: ReadonlyMap<string, Head>;
  sites: readonly FolderSite[];
  publicUrl: string | undefined;
  /** Whether files outside of the sites are wanted in any case. */
  isOpen: boolean;
}

type Placed = { file: FolderFile; order: readonly string[] } | { why: string };

function choose(
  root: string,
  { paths, heads: all, sites, publicUrl, isOpen }: Choice,
): Pick<FolderScan, 'files' | 'skipped'> {
  const translations = translationsIn(paths);
  const skipped: Skipped[] = [];
  const placed: { file: FolderFile; order: readonly string[] }[] = [];
  const references = paths.flatMap((path) => {
    const own = all.get(path)?.references;
    return own === undefined ? [] : [[path, own] as const];
  });
  const rootOf = (path: string): string => rootOfSite(path, root, sites);
  const parts = rstParts(new Map(references), { paths, rootOf });
  const usable = sites.filter((each) => hasPages(each, { root, paths, heads: all }));
  for (const path of paths) {
    const head = all.get(path);
    if (head === undefined) continue;
    const place: Placed = head.isDraft
      ? { why: DRAFT }
      : head.isEmpty
        ? { why: NO_TEXT }
        : head.noArticle !== undefined
          ? { why: head.noArticle }
          : placeOf(path, { root, head, sites: usable, publicUrl });
    if ('why' in place || parts.has(path)) {
      skipped.push({ path, why: 'why' in place ? place.why : PARTIAL });
      continue;
    }
    const language = head.language ?? place.file.language ?? translations.get(path)?.language;
    placed.push({ ...place, file: { ...place.file, language } });
  }
  // In a checkout that is mostly a site, what lies beside it is for those who work on it.
  const pages = placed.filter(({ file }) => file.site !== undefined);
  if (!isOpen && pages.length > placed.length / 2) {
    for (const { file } of placed)
      if (file.site === undefined) skipped.push({ path: file.path, why: NOT_OF_THE_SITE });
    placed.splice(0, placed.length, ...pages);
  }
  keepTranslations(placed.map(({ file }) => file));
  placed.sort((one, other) => compareOrders(one.order, other.order));
  const files: FolderFile[] = [];
  const originals = new Map<string, string>();
  const isTranslation = ({ path }: FolderFile): boolean => translations.get(path) !== undefined;
  // Among several files with one text the original stays, and the one with the shortest path.
  const byRank = placed
    .map(({ file }) => file)
    .toSorted(
      (one, other) =>
        Number(isTranslation(one)) - Number(isTranslation(other)) ||
        one.path.length - other.path.length ||
        (one.path < other.path ? -1 : 1),
    );
  for (const { path } of byRank) {
    const digest = all.get(path)?.digest;
    if (digest !== undefined && !originals.has(digest)) originals.set(digest, path);
  }
  for (const { file } of placed) {
    const digest = all.get(file.path)?.digest;
    const original = digest === undefined ? file.path : originals.get(digest);
    if (original === undefined || original === file.path) files.push(file);
    else skipped.push({ path: file.path, why: DUPLICATE, as: original });
  }
  return { files, skipped };
}

/** Leaves the name of its translations to pages that have some. */
function keepTranslations(files: readonly FolderFile[]): void {
  const nameOf = ({ translation, site }: FolderFile): string =>
    translation === undefined || site === undefined ? '' : `${site.root}\0${translation}`;
  for (const [name, pages] of Map.groupBy(files, nameOf))
    if (name === '' || new Set(pages.map(({ language }) => language)).size < 2)
      for (const page of pages) page.translation = undefined;
}

const hasPages = (
  own: FolderSite,
  {
    root,
    paths,
    heads: all,
  }: { root: string; paths: readonly string[]; heads: ReadonlyMap<string, Head> },
): boolean =>
  paths.some((path) => {
    const inner = pathIn(own, join(root, path));
    return inner !== undefined && !('why' in own.site.pageOf(inner, all.get(path)?.fields ?? {}));
  });

/** From the configuration of a site, with slashes; undefined for a file that it does not reach. */
export function pathIn({ site, root }: FolderSite, file: string): string | undefined {
  const path = relative(root, file).split(sep).join('/');
  const isInside =
    !path.startsWith('../') || (site.outside ?? []).some((folder) => path.startsWith(folder));
  return isInside ? path : undefined;
}

/** The folder of the innermost site that a file is in, from the folder that is read. */
function rootOfSite(path: string, root: string, sites: readonly FolderSite[]): string {
  const own = sites.findLast((each) => pathIn(each, join(root, path)) !== undefined);
  return own === undefined ? '' : relative(root, own.root).split(sep).join('/');
}

interface PlaceOptions {
  root: string;
  head: Head;
  sites: readonly FolderSite[];
  publicUrl: string | undefined;
}

function placeOf(path: string, { root, head, sites, publicUrl }: PlaceOptions): Placed {
  // The innermost site counts.
  const own = sites.findLast((each) => pathIn(each, join(root, path)) !== undefined);
  if (own === undefined) {
    if (isPartial(path)) return { why: PARTIAL };
    const url = publicUrl === undefined ? undefined : addressBelow(publicUrl, plainRoute(path));
    return { file: { path, url }, order: path.split('/') };
  }
  const { site } = own;
  if (/(?:^|\/)404\.\w+$/.test(path)) return { why: NOT_OF_THE_SITE };
  const page = site.pageOf(pathIn(own, join(root, path)) ?? '', head.fields);
  if ('why' in page) return page;
  const address = publicUrl === undefined ? site.address : endedWith(publicUrl, site);
  const url =
    address === undefined || page.route === undefined
      ? undefined
      : addressBelow(address, page.route);
  const place =
    page.order === undefined ? '~' : String(Math.trunc(page.order * 1000) + 1e9).padStart(16, '0');
  const folders = path.split('/');
  const order =
    site.isOrderOfAll === true
      ? [place, path]
      : [...folders.slice(0, -1), `${place} ${folders.at(-1)}`];
  const { title, language, translation } = page;
  return {
    file: { path, url, title, language, translation: translation?.replace(/^\/+/, ''), site: own },
    order,
  };
}

const PARTIAL_FOLDER = /(?:^|\/)_(?:includes?|partials?|snippets?|shared|layouts|templates)\//;

/** `_steps.md` and what lies in `_includes`; `_index.md` is the page of its folder. */
const isPartial = (path: string): boolean =>
  /(?:^|\/)_(?!index\.)[^/]*$/.test(path) || PARTIAL_FOLDER.test(path);

/** `docs/guides/reset.md` is `docs/guides/reset`, an index its folder. */
const plainRoute = (path: string): string =>
  isDocument(path) || /\.html?$/i.test(path)
    ? path
    : routeOf(path, { names: /(?:^|(?<=\/))(?:_?index|readme)$/i });

const addressBelow = (base: string, route: string): string | undefined => {
  const encoded = route
    .split('/')
    .map((segment) =>
      encodeURIComponent(segment).replace(/%(?:40|3A|2B|2C|3D|24|26)/g, decodeURIComponent),
    )
    .join('/');
  const address = `${base.replace(/\/+$/, '')}/${encoded}`;
  return URL.canParse(address) ? new URL(address).href : undefined;
};

const compareOrders = (one: readonly string[], other: readonly string[]): number => {
  for (let at = 0; at < Math.min(one.length, other.length); at += 1) {
    const [left = '', right = ''] = [one[at], other[at]];
    if (left !== right) return left < right ? -1 : 1;
  }
  return one.length - other.length;
};

const MAX_NAMED = 3;
/** As they read behind a number. */
const SEVERAL: Readonly<Record<string, string>> = {
  [DRAFT]: 'drafts',
  [DUPLICATE]: 'with the same text as another article',
  [NOT_OF_THE_SITE]: 'no pages of the site',
  [PARTIAL]: 'parts of other pages',
};
const MAX_FOLDERS = 3;

/** Lines about what was taken of a folder and what was not, for the one who starts it. */
export function describeScan({ files, skipped, sites }: FolderScan): string[] {
  if (files.length === 0 && skipped.length === 0) return [emptyLine()];
  const leftOut = skipped.filter(({ why }) => why !== NO_ARTICLE);
  const counts = [...Map.groupBy(leftOut, ({ why }) => why)].map(
    ([why, each]) => `${each.length} ${SEVERAL[why] ?? why}`,
  );
  const languages = [...Map.groupBy(files, ({ language }) => language)].flatMap(
    ([language, each]) => (language === undefined ? [] : `${each.length} ${language}`),
  );
  return [
    `${files.length} ${files.length === 1 ? 'article' : 'articles'}${placesOf(files)}${
      leftOut.length === 0 ? '' : `; ${leftOut.length} left out: ${counts.join(', ')}`
    }`,
    ...(languages.length > 1
      ? [`languages by path or configuration: ${languages.join(', ')}`]
      : []),
    ...sites.map(({ site, root }) =>
      site.address === undefined
        ? `${site.generator} site in ${root}: its configuration does not name its address; --public-url <URL> does`
        : `${site.generator} site in ${root}: its pages are at ${site.address}`,
    ),
    ...[...Map.groupBy(skipped, ({ why }) => why)].map(([why, each]) => {
      const named = each
        .slice(0, MAX_NAMED)
        .map(({ path, as }) => (as === undefined ? path : `${path} (as ${as})`));
      const more = each.length > named.length ? ` and ${each.length - named.length} more` : '';
      return `not read: ${named.join(', ')}${more} (${why})`;
    }),
    ...(files.length > 0 ? [] : [emptyLine()]),
  ];
}

const emptyLine = (): string =>
  `the folder holds no article: put ${[...ENDINGS].join(', ')} files into it`;

/** `, 41 of them under blog/, 30 under docs/`, where there are several folders. */
const placesOf = (files: readonly FolderFile[]): string => {
  const folders = [
    ...Map.groupBy(files, ({ path }) => (path.includes('/') ? `${path.split('/')[0]}/` : '')),
  ]
    .filter(([folder]) => folder !== '')
    .sort(([, one], [, other]) => other.length - one.length)
    .slice(0, MAX_FOLDERS);
  return folders
    .map(([folder, each], at) => `, ${each.length}${at === 0 ? ' of them' : ''} under ${folder}`)
    .join('');
};

/** How a file that describes an interface begins, in YAML or JSON. */
function isOpenApi(beginning: string): boolean {
  return /(?:^|[{,\n])\s*["']?(?:openapi|swagger)["']?\s*:\s*["']?[23]\./.test(beginning);
}
