import { languageTag } from '../../../../language/language-tag.ts';
import { readConfig } from './read-config.ts';
import {
  addressOf,
  DRAFT,
  dayOf,
  type Fields,
  folderOf,
  listIn,
  NOT_OF_THE_SITE,
  numberIn,
  outsideOf,
  PARTIAL,
  type Site,
  type SiteFiles,
  slugOf,
  textIn,
  valueAt,
  withoutEnding,
} from './site.ts';

const CONFIG = /^(?:hugo|config)\.(?:toml|ya?ml|json)$/;
/** What a configuration of Hugo has, and one of something else that has its name does not. */
const SIGNS = [
  'baseURL',
  'baseurl',
  'languageCode',
  'theme',
  'taxonomies',
  'markup',
  'module',
  'contentDir',
];

interface Language {
  code: string;
  dir: string;
  /** Place of the folder in the content. */
  at: string;
}

/** Hugo: `hugo.toml` (or `config.toml`, in YAML and JSON too), or the folder `config/_default`. */
export function hugo(files: SiteFiles): Site | undefined {
  const config = configIn(files);
  if (config === undefined) return undefined;
  const usual = textIn(config.defaultContentLanguage) ?? 'en';
  const content = textIn(config.contentDir) ?? 'content';
  const languages = languagesOf(config, content, usual);
  const isPrefixed = config.defaultContentLanguageInSubdir === true;
  const phrases = new Map<string, Record<string, unknown>>();
  const phrasesOf = (code: string): Record<string, unknown> => {
    const translations = phrases.get(code) ?? phrasesIn(files, code);
    phrases.set(code, translations);
    return translations;
  };
  const bundles = new Set<string>();
  const isBundle = (folder: string): boolean => {
    if (bundles.has(folder)) return true;
    const is = files
      .list(folder)
      .some((name) => /^index(?:\.[\w-]+)?\.(?:md|markdown|html)$/.test(name));
    if (is) bundles.add(folder);
    return is;
  };
  return {
    generator: 'Hugo',
    address: addressOf(config.baseURL ?? config.baseurl ?? config.baseUrl),
    values: 'everywhere',
    includes: ['', ...new Set([folderOf(content), ...languages.map(({ dir }) => dir)])],
    outside: outsideOf(languages.map(({ dir }) => dir)),
    pageOf: (path, fields) => {
      const own = languages.find(({ dir }) => path.startsWith(dir));
      if (own === undefined || !/\.(?:md|markdown|mdx|html|htm|adoc|rst)$/i.test(path))
        return { why: NOT_OF_THE_SITE };
      const why = whyUnpublished(fields);
      if (why !== undefined) return { why };
      const { plain, code } = languageIn(own.at + path.slice(own.dir.length), own.code, languages);
      const folder = path.slice(0, path.lastIndexOf('/'));
      const name = plain.split('/').at(-1) ?? '';
      // A folder with its index is one page; what lies beside it belongs to that page.
      if (!/^_?index$/.test(withoutEnding(name)) && isBundle(folder)) return { why: PARTIAL };
      const prefix = code === usual && !isPrefixed ? '' : `${code.toLowerCase()}/`;
      return {
        route: routeOf(plain, { fields, config, prefix }),
        language: languageTag(code),
        translation: textIn(fields.translationKey) ?? plain,
        order: numberIn(fields.weight),
      };
    },
    templateOf: (name) => {
      for (const folder of ['', ...listIn(config.theme).map((theme) => `themes/${theme}/`)])
        for (const place of ['layouts/shortcodes', 'layouts/_shortcodes']) {
          const text = files.read(`${folder}${place}/${name}.html`);
          if (text !== undefined) return text;
        }
      return undefined;
    },
    phraseOf: (id, language) => {
      const code = languages.find((each) => languageTag(each.code) === language)?.code ?? usual;
      const phrase = phrasesOf(code)[id];
      return textIn(phrase) ?? textIn((phrase as { other?: unknown } | undefined)?.other);
    },
    settingOf: (name) =>
      valueAt(config.params, name.replace(/^\.?Site\.Params\.|^params\./i, '').split('.')),
  };
}

function configIn(files: SiteFiles): Record<string, unknown> | undefined {
  const names = files.list('').filter((each) => CONFIG.test(each));
  const name = names.find((each) => each.startsWith('hugo')) ?? names[0];
  const config: Record<string, unknown> =
    name === undefined ? {} : readConfig(name, files.read(name) ?? '');
  for (const each of files.list('config/_default')) {
    const [, part = '', language] =
      /^([\w-]+)(?:\.([\w-]+))?\.(?:toml|ya?ml|json)$/.exec(each) ?? [];
    if (part === '') continue;
    const values = readConfig(each, files.read(`config/_default/${each}`) ?? '');
    if (language !== undefined) {
      const all = (config.languages ?? {}) as Record<string, unknown>;
      const own = part === 'languages' ? values : { [part]: values };
      config.languages = {
        ...all,
        [language]: { ...(all[language] as object | undefined), ...own },
      };
    } else if (/^(?:hugo|config)$/.test(part)) Object.assign(config, values);
    else config[part] ??= values;
  }
  const folders = [
    textIn(config.contentDir) ?? 'content',
    ...mountsIn(config).map(({ dir }) => dir),
  ];
  const hasContent = folders.some(
    (folder) => folder.startsWith('../') || files.list(folder).length > 0,
  );
  return SIGNS.some((sign) => Object.hasOwn(config, sign)) && hasContent ? config : undefined;
}

function languagesOf(config: Record<string, unknown>, content: string, usual: string): Language[] {
  const mounts = mountsIn(config);
  // What is mounted takes the place of the usual folder.
  if (mounts.length > 0)
    return mounts
      .map(({ dir, at, code = usual }) => ({ dir, at, code }))
      .sort((one, other) => other.dir.length - one.dir.length);
  const given = (config.languages ?? {}) as Record<string, { contentDir?: unknown } | undefined>;
  const languages = Object.entries(given).map(([code, own]) => ({
    code,
    dir: folderOf(textIn(own?.contentDir) ?? content),
    at: '',
  }));
  if (!languages.some(({ code }) => code === usual))
    languages.push({ code: usual, dir: folderOf(content), at: '' });
  // The longest folder first; the usual language first of those that share one.
  return languages.sort(
    (one, other) =>
      other.dir.length - one.dir.length ||
      Number(other.code === usual) - Number(one.code === usual),
  );
}

/** Folders that `module.mounts` puts into the content: `{source: 'docs', target: 'content/docs', lang: 'en'}`. */
function mountsIn(
  config: Record<string, unknown>,
): { dir: string; at: string; code?: string | undefined }[] {
  const { mounts } = (config.module ?? {}) as { mounts?: unknown };
  return (Array.isArray(mounts) ? mounts : []).flatMap((mount: Record<string, unknown> | null) => {
    const [source, target] = [textIn(mount?.source), textIn(mount?.target)];
    if (source === undefined || target === undefined || !/^content(?:\/|$)/.test(target)) return [];
    return [
      {
        dir: mountedFolder(source),
        at: folderOf(target.slice('content'.length)),
        code: textIn(mount?.lang),
      },
    ];
  });
}

const mountedFolder = (source: string): string =>
  source.startsWith('../') ? `${source.replace(/\/+$/, '')}/` : folderOf(source);

function phrasesIn(files: SiteFiles, code: string): Record<string, unknown> {
  for (const name of [code, code.split('-')[0] ?? code])
    for (const ending of ['toml', 'yaml', 'yml', 'json']) {
      const text = files.read(`i18n/${name}.${ending}`);
      if (text !== undefined) return readConfig(`${name}.${ending}`, text);
    }
  return {};
}

/** `index.de.md` is German where the site has German. */
function languageIn(
  file: string,
  code: string,
  languages: readonly Language[],
): { plain: string; code: string } {
  const [, name = '', suffix = '', ending = ''] = /^(.+)\.([\w-]{2,12})(\.\w+)$/.exec(file) ?? [];
  return languages.some((each) => each.code === suffix)
    ? { plain: name + ending, code: suffix }
    : { plain: file, code };
}

function whyUnpublished(fields: Fields): string | undefined {
  const build = (fields.build ?? fields._build) as { render?: unknown } | undefined;
  if (build?.render === 'never' || build?.render === false || fields.headless === true)
    return PARTIAL;
  const published = Date.parse(String(fields.publishDate ?? ''));
  const expired = Date.parse(String(fields.expiryDate ?? ''));
  if (published > Date.now()) return `${DRAFT}: it is to be published later`;
  return expired < Date.now() ? `${DRAFT}: it has expired` : undefined;
}

function routeOf(
  file: string,
  { fields, config, prefix }: { fields: Fields; config: Record<string, unknown>; prefix: string },
): string {
  const url = textIn(fields.url);
  if (url !== undefined && !/^https?:/i.test(url))
    return url.startsWith('/') ? url.slice(1) : prefix + url;
  const segments = withoutEnding(file).split('/');
  let name = segments.pop() ?? '';
  const isSection = name === '_index';
  const isPage = !isSection;
  if (name === 'index' || isSection) name = segments.pop() ?? '';
  const slug = isPage ? textIn(fields.slug) : undefined;
  const path = [...segments, slug ?? name].filter((each) => each !== '');
  const permalink =
    isPage && path.length > 0 ? permalinkOf({ file, fields, config, segments, name }) : undefined;
  const plain = permalink ?? path.map((segment) => segment.trim().replace(/\s+/g, '-')).join('/');
  const cased = config.disablePathToLower === true ? plain : plain.toLowerCase();
  if (cased === '') return prefix;
  return prefix + (isUgly(config, file) && isPage ? `${cased}.html` : `${cased}/`);
}

/** `uglyURLs`, for all or by section. */
const isUgly = ({ uglyURLs }: Record<string, unknown>, file: string): boolean =>
  uglyURLs === true ||
  (uglyURLs as Record<string, unknown> | undefined)?.[file.split('/')[0] ?? ''] === true;

/** `permalinks`: by section, for pages. */
function permalinkOf({
  file,
  fields,
  config,
  segments,
  name,
}: {
  file: string;
  fields: Fields;
  config: Record<string, unknown>;
  segments: readonly string[];
  name: string;
}): string | undefined {
  const all = (config.permalinks ?? {}) as Record<string, unknown>;
  const rules = (typeof all.page === 'object' && all.page !== null ? all.page : all) as Record<
    string,
    unknown
  >;
  const [section = ''] = file.includes('/') ? file.split('/') : [''];
  const rule = textIn(rules[section]);
  if (rule === undefined) return undefined;
  const date = dayOf(fields.date) ?? dayOf(name);
  const title = slugOf(textIn(fields.title) ?? name);
  const values: Record<string, string | undefined> = {
    ...date,
    title,
    section,
    sections: segments.join('/'),
    filename: name,
    contentbasename: name,
    slug: textIn(fields.slug) ?? title,
    slugorfilename: textIn(fields.slug) ?? name,
    slugorcontentbasename: textIn(fields.slug) ?? name,
  };
  return rule
    .replace(/:(\w+)/g, (_, token: string) => values[token] ?? '')
    .replace(/^\/+|\/+$/g, '')
    .replace(/\/{2,}/g, '/');
}
