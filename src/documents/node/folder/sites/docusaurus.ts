import ignore from 'ignore';
import { languageTag } from '../../../../language/language-tag.ts';
import { exportedValue, isMapping, type Literal, moduleReader } from './literal-values.ts';
import { readJson } from './read-config.ts';
import {
  addressOf,
  DRAFT,
  dayOf,
  type Fields,
  folderOf,
  isMarkdown,
  listIn,
  NOT_OF_THE_SITE,
  numberIn,
  outsideOf,
  PARTIAL,
  type Site,
  type SiteFiles,
  type SitePage,
  textIn,
  valueAt,
  withoutEnding,
} from './site.ts';

const CONFIG = /^docusaurus\.config\.(?:[cm]?js|[cm]?ts)$/;

type Kind = 'docs' | 'blog' | 'pages';

interface Content {
  kind: Kind;
  /** Id of the plugin. */
  id: string;
  dir: string;
  /** Without slashes at its ends. */
  base: string;
  isExcluded: (path: string) => boolean;
  hasPrefixes: boolean;
  /** Name of the version that readers see, where there are several. */
  lastVersion: string | undefined;
  /** Path of the version that is not released, where it is not the last one. */
  current: string;
}

/** Docusaurus: `docusaurus.config.js` with the content plugins of its presets and plugins. */
export function docusaurus(files: SiteFiles): Site | undefined {
  const name = files.list('').find((each) => CONFIG.test(each));
  const config =
    name === undefined ? undefined : exportedValue(files.read(name) ?? '', moduleReader(files, ''));
  if (!isMapping(config)) return undefined;
  const contents = contentsOf(config, files);
  const slash = config.trailingSlash === true ? '/' : '';
  const i18n = isMapping(config.i18n) ? config.i18n : {};
  const defaultLocale = textIn(i18n.defaultLocale);
  return {
    generator: 'Docusaurus',
    address: addressOf(config.url, config.baseUrl),
    values: 'none',
    hasSiteLinks: true,
    outside: outsideOf(contents.map(({ dir }) => dir)),
    pageOf: (path, fields) => {
      const [, locale, plugin = '', inner = ''] =
        /^i18n\/([^/]+)\/docusaurus-plugin-content-([^/]+)\/(.+)$/.exec(path) ?? [];
      for (const content of contents) {
        const rest =
          locale === undefined
            ? placeIn(content, path)
            : placeInTranslation(content, { plugin, path: inner });
        if (rest === undefined) continue;
        const page = 'why' in rest ? rest : pageOf(content, { ...rest, fields, slash });
        if ('why' in page) return page;
        const prefix = locale === undefined || locale === defaultLocale ? '' : `${locale}/`;
        return {
          ...page,
          route: prefix + page.route,
          language: languageTag(locale ?? defaultLocale),
          translation: 'path' in rest ? `${content.kind}/${content.id}/${rest.path}` : undefined,
        };
      }
      return { why: NOT_OF_THE_SITE };
    },
    settingOf: (setting) => valueAt(config, setting.split('.')),
  };
}

const PLUGIN = /(?:^|plugin-content-)(docs|blog|pages)$/;

function contentsOf(config: Record<string, Literal>, files: SiteFiles): Content[] {
  const contents: Content[] = [];
  const add = (kind: Kind, options: Literal): void => {
    if (options === false) return;
    contents.push(contentOf(kind, isMapping(options) ? options : {}, files));
  };
  for (const preset of Array.isArray(config.presets) ? config.presets : []) {
    const [name, options] = Array.isArray(preset) ? preset : [preset];
    if (typeof name !== 'string' || !/classic/.test(name)) continue;
    const given = isMapping(options) ? options : {};
    for (const kind of ['docs', 'blog', 'pages'] as const) add(kind, given[kind]);
  }
  for (const plugin of Array.isArray(config.plugins) ? config.plugins : []) {
    const [name, options] = Array.isArray(plugin) ? plugin : [plugin];
    const kind = typeof name === 'string' ? PLUGIN.exec(name)?.[1] : undefined;
    if (kind !== undefined) add(kind as Kind, options);
  }
  // What only running it would tell is taken as the defaults.
  if (contents.length === 0) for (const kind of ['docs', 'blog', 'pages'] as const) add(kind, {});
  return contents;
}

const FOLDERS: Readonly<Record<Kind, string>> = { docs: 'docs', blog: 'blog', pages: 'src/pages' };
const BASES: Readonly<Record<Kind, string>> = { docs: 'docs', blog: 'blog', pages: '' };

function contentOf(kind: Kind, options: Record<string, Literal>, files: SiteFiles): Content {
  const id = textIn(options.id) ?? 'default';
  const versionsFile = id === 'default' ? 'versions.json' : `${id}_versions.json`;
  const versions = kind === 'docs' ? listIn(readVersions(files.read(versionsFile))) : [];
  const lastVersion = textIn(options.lastVersion) ?? versions[0];
  const own =
    isMapping(options.versions) && isMapping(options.versions.current)
      ? options.versions.current
      : {};
  const rules = ignore().add(listIn(options.exclude));
  return {
    kind,
    id,
    dir: folderOf(textIn(options.path) ?? FOLDERS[kind]),
    base: (typeof options.routeBasePath === 'string' ? options.routeBasePath : BASES[kind]).replace(
      /^\/+|\/+$/g,
      '',
    ),
    isExcluded: (path) => rules.ignores(path),
    hasPrefixes: options.numberPrefixParser !== false,
    lastVersion: lastVersion === 'current' ? undefined : lastVersion,
    current: typeof own.path === 'string' ? own.path.replace(/^\/+|\/+$/g, '') : 'next',
  };
}

const readVersions = (text: string | undefined): unknown =>
  text === undefined ? [] : (readJson(`{"versions":${text}}`).versions ?? []);

type Place = { path: string } | { why: string };

const OTHER_VERSION = 'another version of the documentation';

function placeIn(content: Content, path: string): Place | undefined {
  const { kind, id, dir, lastVersion } = content;
  if (path.startsWith(dir)) {
    const isUnreleased = kind === 'docs' && lastVersion !== undefined;
    return isUnreleased ? { why: OTHER_VERSION } : { path: path.slice(dir.length) };
  }
  const versioned = `${id === 'default' ? '' : `${id}_`}versioned_docs/`;
  if (kind !== 'docs' || !path.startsWith(versioned)) return undefined;
  const [folder = '', ...rest] = path.slice(versioned.length).split('/');
  return folder === `version-${lastVersion}` ? { path: rest.join('/') } : { why: OTHER_VERSION };
}

function placeInTranslation(
  { kind, id, lastVersion }: Content,
  { plugin, path }: { plugin: string; path: string },
): Place | undefined {
  if (plugin !== (id === 'default' ? kind : `${kind}-${id}`)) return undefined;
  if (kind !== 'docs') return { path };
  const [folder = '', ...rest] = path.split('/');
  return folder === (lastVersion === undefined ? 'current' : `version-${lastVersion}`)
    ? { path: rest.join('/') }
    : { why: OTHER_VERSION };
}

interface PlacedFile {
  path: string;
  fields: Fields;
  slash: string;
}

function pageOf(
  content: Content,
  { path, fields, slash }: PlacedFile,
): (SitePage & { route: string }) | { why: string } {
  if (/(?:^|\/)_/.test(path)) return { why: PARTIAL };
  if (!isMarkdown(path) || content.isExcluded(path)) return { why: NOT_OF_THE_SITE };
  if (fields.unlisted === true) return { why: DRAFT };
  const route = content.kind === 'blog' ? blogRoute(path, fields) : docRoute(path, fields, content);
  const whole = [content.base, route].filter((part) => part !== '').join('/');
  const order = numberIn(fields.sidebar_position) ?? prefixOf(path.split('/').at(-1) ?? '').number;
  return { route: whole === '' ? '' : `${whole}${slash}`, order };
}

/** `01-intro` is `intro`, the first; dates and versions are no such prefixes. */
function prefixOf(name: string): { name: string; number?: number } {
  const [, number, rest] = /^(\d+)\s*[-_.]+\s*([^-_.\s].*)$/.exec(name) ?? [];
  if (number === undefined || rest === undefined || /^\d+[-_.]\d+/.test(name)) return { name };
  return { name: rest, number: Number(number) };
}

function docRoute(path: string, fields: Fields, { hasPrefixes, kind }: Content): string {
  const strip = (name: string): string =>
    hasPrefixes && kind === 'docs' ? prefixOf(name).name : name;
  const segments = withoutEnding(path).split('/').map(strip);
  const name = segments.pop() ?? '';
  const slug = textIn(fields.slug);
  if (slug?.startsWith('/')) return slug.replace(/^\/+|\/+$/g, '');
  const id = slug ?? textIn(fields.id);
  const isIndex =
    /^(?:index|readme)$/i.test(name) || name.toLowerCase() === segments.at(-1)?.toLowerCase();
  const last = id ?? (isIndex ? '' : name);
  const base = new URL(`https://x/${segments.map((each) => `${each}/`).join('')}`);
  return decodeURI(new URL(last, base).pathname).replace(/^\/+|\/+$/g, '');
}

function blogRoute(path: string, fields: Fields): string {
  const slug = textIn(fields.slug);
  if (slug !== undefined) return slug.replace(/^\/+|\/+$/g, '');
  const plain = withoutEnding(path).replace(/\/index$/i, '');
  const [, folder = '', year, month, day, name = ''] =
    /^(.*\/)?(\d{4})[-/](\d{1,2})[-/](\d{1,2})[-/]?(.*)$/.exec(plain) ?? [];
  if (year === undefined) {
    const date = dayOf(fields.date);
    return date === undefined ? plain : `${date.year}/${date.month}/${date.day}/${plain}`;
  }
  return `${folder}${[year, month?.padStart(2, '0'), day?.padStart(2, '0'), name].filter(Boolean).join('/')}`;
}
