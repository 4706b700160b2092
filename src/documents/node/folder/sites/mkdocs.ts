import ignore from 'ignore';
import { languageTag } from '../../../../language/language-tag.ts';
import { readYaml } from './read-config.ts';
import {
  addressOf,
  DRAFT,
  dayOf,
  type Fields,
  folderOf,
  isMarkdown,
  localeOf,
  NOT_OF_THE_SITE,
  outsideOf,
  PARTIAL,
  routeOf,
  type Site,
  type SiteFiles,
  slugOf,
  textIn,
  valueAt,
  withoutEnding,
} from './site.ts';

/** MkDocs: `mkdocs.yml`. */
export function mkdocs(files: SiteFiles): Site | undefined {
  const name = files.list('').find((each) => /^mkdocs\.ya?ml$/.test(each));
  const text = name === undefined ? undefined : files.read(name);
  if (text === undefined) return undefined;
  const own = readYaml(text);
  const parent = typeof own.INHERIT === 'string' ? readYaml(files.read(own.INHERIT) ?? '') : {};
  const config: Record<string, unknown> = { ...parent, ...own };
  const docs = folderOf(textIn(config.docs_dir) ?? 'docs');
  const nav = navigation(config.nav);
  const isExcluded = rulesOf(config.exclude_docs);
  const isDraft = rulesOf(config.draft_docs);
  const languages = languagesOf(config.plugins);
  const hasFolders = config.use_directory_urls !== false;
  const blog = blogOf(config.plugins);
  const theme = config.theme as { language?: unknown; custom_dir?: unknown } | undefined;
  const templates = textIn(theme?.custom_dir);
  const usual = languages.usual ?? textIn(theme?.language);
  return {
    generator: 'MkDocs',
    address: addressOf(config.site_url),
    values: pluginOf(config.plugins, 'macros') === undefined ? 'none' : 'everywhere',
    hasSiteLinks: true,
    hasPlainValues: pluginOf(config.plugins, 'macros') !== undefined,
    outside: outsideOf([docs]),
    isOrderOfAll: true,
    includes: [...snippetFolders(config.markdown_extensions), docs],
    pageOf: (path, fields) => {
      if (!path.startsWith(docs)) return { why: NOT_OF_THE_SITE };
      if (templates !== undefined && path.startsWith(folderOf(templates))) return { why: PARTIAL };
      const file = path.slice(docs.length);
      // Files that begin with a dot, and templates, are never built.
      if (isExcluded(file) || /^templates\//.test(file)) return { why: 'excluded by exclude_docs' };
      if (isDraft(file)) return { why: DRAFT };
      const { language, plain } = languages.placeOf(file);
      const { title, order } = nav.get(file) ?? nav.get(plain) ?? {};
      const prefix = language === undefined || language === languages.usual ? '' : `${language}/`;
      const route = placeOf(plain, { hasFolders, blog, fields });
      return {
        route: prefix + route,
        title,
        order,
        language: languageTag(language ?? usual),
        translation: plain,
      };
    },
    settingOf: (setting) => {
      const parts = setting.split('.');
      const extra = config.extra;
      // The plugin of macros names what `extra` holds directly.
      return parts[0] === 'config'
        ? valueAt(config, parts.slice(1))
        : valueAt(extra, parts[0] === 'extra' ? parts.slice(1) : parts);
    },
  };
}

const INDEX = /(?:^|(?<=\/))(?:index|README)$/;

function placeOf(
  file: string,
  { hasFolders, blog, fields }: { hasFolders: boolean; blog: string | undefined; fields: Fields },
): string {
  if (!isMarkdown(file) && !/\.(?:rst|ipynb)$/.test(file)) return file;
  const plain = withoutEnding(file);
  if (blog !== undefined && file.startsWith(`${blog}posts/`)) {
    const date = dayOf(fields.date ?? (fields.date as { created?: unknown } | undefined)?.created);
    const slug =
      textIn(fields.slug) ?? slugOf(textIn(fields.title) ?? plain.split('/').at(-1) ?? '');
    return `${blog}${date === undefined ? '' : `${date.year}/${date.month}/${date.day}/`}${slug}/`;
  }
  return routeOf(file, {
    ending: hasFolders ? '/' : '.html',
    index: hasFolders ? '' : 'index.html',
    names: INDEX,
  });
}

/** Titles and places by file, in the order of the navigation. */
function navigation(nav: unknown): Map<string, { title?: string; order: number }> {
  const places = new Map<string, { title?: string; order: number }>();
  const visit = (item: unknown, title?: string): void => {
    if (typeof item === 'string') {
      if (!places.has(item))
        places.set(item, { order: places.size, ...(title === undefined ? {} : { title }) });
    } else if (Array.isArray(item)) for (const each of item) visit(each);
    else if (typeof item === 'object' && item !== null)
      for (const [name, inner] of Object.entries(item)) visit(inner, name);
  };
  visit(nav);
  return places;
}

const rulesOf = (patterns: unknown): ((path: string) => boolean) => {
  const rules = ignore().add(typeof patterns === 'string' ? patterns : []);
  return (path) => rules.ignores(path);
};

const pluginOf = (plugins: unknown, name: string): Record<string, unknown> | undefined => {
  for (const plugin of Array.isArray(plugins) ? plugins : []) {
    if (plugin === name) return {};
    if (typeof plugin === 'object' && plugin !== null && Object.hasOwn(plugin, name))
      return ((plugin as Record<string, unknown>)[name] ?? {}) as Record<string, unknown>;
  }
  return undefined;
};

/** The folder of the blog of Material for MkDocs. */
function blogOf(plugins: unknown): string | undefined {
  const blog = pluginOf(plugins, 'blog') ?? pluginOf(plugins, 'material/blog');
  return blog === undefined ? undefined : folderOf(textIn(blog.blog_dir) ?? 'blog');
}

/** Languages of the plugin `i18n`, by suffix (`index.de.md`) or folder (`de/index.md`). */
function languagesOf(plugins: unknown): {
  usual: string | undefined;
  placeOf: (file: string) => { language?: string; plain: string };
} {
  const i18n = pluginOf(plugins, 'i18n');
  const given = i18n?.languages;
  const languages = (Array.isArray(given) ? given : []) as {
    locale?: unknown;
    default?: unknown;
  }[];
  // Before its version 1 the plugin named languages by their codes.
  const codes = Array.isArray(given) || typeof given !== 'object' ? [] : Object.keys(given ?? {});
  const usual =
    textIn(languages.find((each) => each.default === true)?.locale) ??
    textIn(i18n?.default_language);
  const locales = new Set(
    [usual ?? [], codes, languages.flatMap(({ locale }) => textIn(locale) ?? [])].flat(),
  );
  const isByFolder = i18n?.docs_structure === 'folder';
  return {
    usual,
    placeOf: (file) => {
      const place = localeOf(file, locales);
      return (place.isFolder === true) === isByFolder ? place : { plain: file };
    },
  };
}

/** `base_path` of the extension that includes snippets. */
function snippetFolders(extensions: unknown): string[] {
  const all = Array.isArray(extensions) ? extensions : [extensions];
  const folders = all.flatMap((each): unknown[] => {
    const options = (each as Record<string, { base_path?: unknown } | undefined> | undefined)?.[
      'pymdownx.snippets'
    ];
    return options?.base_path === undefined ? [] : [options.base_path].flat();
  });
  return folders.length === 0
    ? ['']
    : folders.filter((each): each is string => typeof each === 'string').map(folderOf);
}
