import { languageTag } from '../../../../language/language-tag.ts';
import {
  configIn,
  exportedValue,
  isMapping,
  type Literal,
  moduleReader,
} from './literal-values.ts';
import { readJson } from './read-config.ts';
import {
  addressOf,
  isMarkdown,
  listIn,
  localeOf,
  NOT_OF_THE_SITE,
  routeOf,
  type Site,
  type SiteFiles,
  textIn,
  withoutEnding,
} from './site.ts';

const CONFIG = /^next\.config\.(?:[cm]?js|[cm]?ts)$/;
const META = /^_meta(?:\.global)?(?:\.[\w-]{2,10})?\.(?:json|[jt]sx?)$/;
const CONTENT = ['content/', 'src/content/', 'pages/', 'src/pages/', 'app/', 'src/app/'];
const MAX_LEVELS = 12;

interface Place {
  order: number;
  title?: string | undefined;
}

/** Nextra: `next.config.*` that loads it; `_meta.*` in each folder orders and names the pages. */
export function nextra(files: SiteFiles): Site | undefined {
  const name = files.list('').find((each) => CONFIG.test(each));
  const text = name === undefined ? '' : (files.read(name) ?? '');
  if (!/['"]nextra(?:\/[\w-]+)?['"]/.test(text)) return undefined;
  const config = configIn(exportedValue(text, moduleReader(files, ''))) ?? {};
  const i18n = isMapping(config.i18n) ? config.i18n : {};
  const locales = new Set(listIn(i18n.locales));
  const usual = textIn(i18n.defaultLocale);
  const base = /\bcontentDirBasePath:\s*['"]\/?([^'"\n]{1,200}?)\/?['"]/.exec(text)?.[1];
  const places = new Map<string, Place>();
  for (const folder of CONTENT) placePages(folder, undefined, { files, places, level: 0 });
  const sitemap = files.list('').find((each) => /^next-sitemap\.config\.\w+$/.test(each));
  const published = configIn(
    exportedValue(sitemap === undefined ? '' : (files.read(sitemap) ?? '')),
  );
  return {
    generator: 'Nextra',
    address: addressOf(published?.siteUrl, config.basePath),
    values: 'none',
    hasSiteLinks: true,
    isOrderOfAll: true,
    includes: CONTENT,
    pageOf: (path, fields) => {
      const folder = CONTENT.find((each) => path.startsWith(each));
      if (folder === undefined || !isMarkdown(path)) return { why: NOT_OF_THE_SITE };
      const file = path.slice(folder.length);
      const isApp = folder.endsWith('app/');
      if (isApp && !/(?:^|\/)page\.\w+$/.test(file)) return { why: NOT_OF_THE_SITE };
      const { language, plain, isFolder } = localeOf(file, locales);
      const inner = isApp
        ? plain.replace(/(?:^|\/)page\.\w+$/, '').replace(/(?:^|\/)\([^/()]*\)(?=\/|$)/g, '')
        : routeOf(plain).replace(/\/$/, '');
      const before = [
        isFolder || language !== usual ? language : '',
        folder.endsWith('content/') ? base : '',
      ];
      const { order, title } = places.get(path) ?? {};
      return {
        // A folder in brackets is a parameter: only the generator knows the addresses.
        route: /\[[^\]]+\]/.test(inner) ? undefined : [...before, inner].filter(Boolean).join('/'),
        order,
        title: textIn(fields.title) === undefined ? title : undefined,
        language: languageTag(language ?? usual),
        translation: plain,
      };
    },
  };
}

interface Placing {
  files: SiteFiles;
  places: Map<string, Place>;
  level: number;
}

/** Walks a folder in the order of its `_meta`, what this does not name behind it. */
function placePages(folder: string, given: Literal, { files, places, level }: Placing): void {
  const names = files.list(folder.replace(/\/$/, ''));
  if (names.length === 0 || level > MAX_LEVELS) return;
  const file = names.find((each) => META.test(each));
  const entries = isMapping(given) ? given : file === undefined ? {} : metaIn(files, folder, file);
  const keys = Object.keys(entries);
  const rankOf = (name: string): number => {
    const at = keys.indexOf(name.replace(/(?:\.[\w-]{2,10})?\.\w+$/, ''));
    return at === -1 ? (/^(?:index|page)\b/.test(name) ? -1 : keys.length) : at;
  };
  for (const name of names.toSorted((one, other) => rankOf(one) - rankOf(other))) {
    const entry = entries[withoutEnding(name)];
    if (!isMarkdown(name)) {
      placePages(`${folder}${name}/`, isMapping(entry) ? entry.items : undefined, {
        files,
        places,
        level: level + 1,
      });
      const page =
        places.get(`${folder}${name}/page.mdx`) ?? places.get(`${folder}${name}/page.md`);
      if (page !== undefined) page.title ??= titleOf(entry);
    } else places.set(folder + name, { order: places.size, title: titleOf(entry) });
  }
}

const titleOf = (entry: Literal): string | undefined =>
  textIn(isMapping(entry) ? entry.title : entry);

function metaIn(files: SiteFiles, folder: string, name: string): Record<string, Literal> {
  const text = files.read(folder + name) ?? '';
  const value = name.endsWith('.json')
    ? readJson(text)
    : exportedValue(text, moduleReader(files, folder));
  return isMapping(value) ? value : {};
}
