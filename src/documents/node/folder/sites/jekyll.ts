import ignore from 'ignore';
import { languageTag } from '../../../../language/language-tag.ts';
import { readJson, readYaml } from './read-config.ts';
import {
  addressOf,
  DRAFT,
  dayOf,
  type Fields,
  listIn,
  memberOf,
  NOT_OF_THE_SITE,
  numberIn,
  PARTIAL,
  type Site,
  type SiteFiles,
  slugOf,
  textIn,
  valueAt,
  withoutEnding,
} from './site.ts';

/** What Jekyll leaves out by default. */
const EXCLUDED = ['vendor/', 'node_modules/', '.sass-cache/', 'gemfiles/', '_site/'];

interface Collection {
  name: string;
  isOutput: boolean;
  permalink: string | undefined;
}

/** Jekyll: `_config.yml`. */
export function jekyll(files: SiteFiles): Site | undefined {
  const text = files.list('').includes('_config.yml') ? files.read('_config.yml') : undefined;
  if (text === undefined) return undefined;
  const config = readYaml(text);
  const collections = collectionsOf(config);
  const rules = ignore().add([...EXCLUDED, ...listIn(config.exclude)]);
  const defaults = Array.isArray(config.defaults) ? config.defaults : [];
  const hasIndex = files.list('').some((name) => /^index\.\w+$/.test(name));
  const data = new Map<string, unknown>();
  const dataAt = (path: readonly string[]): unknown => {
    const [file = '', ...rest] = path;
    if (!data.has(file)) data.set(file, dataIn('_data', file, files, 0));
    return memberOf(data.get(file), rest);
  };
  return {
    generator: 'Jekyll',
    address: addressOf(config.url, config.baseurl),
    values: 'everywhere',
    includes: ['_includes/'],
    pageOf: (path, own) => {
      if (rules.ignores(path)) return { why: 'excluded by _config.yml' };
      if (path.startsWith('_drafts/')) return { why: DRAFT };
      if (path.startsWith('_includes/') || path.startsWith('_layouts/')) return { why: PARTIAL };
      const [, folder = ''] = /^_([^/]+)\//.exec(path) ?? [];
      const post = /(?:^|\/)_posts\//.test(path);
      const collection = post ? collections.get('posts') : collections.get(folder);
      if (/(?:^|\/)_/.test(path) && collection?.isOutput !== true) return { why: NOT_OF_THE_SITE };
      const hasFields = Object.keys(own).length > 0;
      // A file without front matter is copied as it is; the plugin of GitHub makes README the page of a folder without an index.
      const isReadme = /^readme\.(?:md|markdown)$/i.test(path) && !hasIndex;
      if (!hasFields && !isReadme) return { why: `${NOT_OF_THE_SITE}: it has no front matter` };
      const fields = { ...defaultsFor(path, collection?.name ?? 'pages', defaults), ...own };
      if (post && (dayTime(path) ?? 0) > Date.now() && config.future !== true)
        return { why: `${DRAFT}: it is to be published later` };
      return {
        route: routeOf(path, { fields, collection, config, isReadme }),
        order: numberIn(fields.nav_order) ?? numberIn(fields.order) ?? numberIn(fields.weight),
        language: languageTag(textIn(fields.lang) ?? textIn(config.lang)),
      };
    },
    settingOf: (name) => {
      const [first, second = '', ...rest] = name.split('.');
      if (first !== 'site') return undefined;
      if (second !== 'data') return valueAt(config, [second, ...rest]);
      return valueAt({ value: dataAt(rest) }, ['value']);
    },
    dataOf: (name) => {
      const [first, second = '', ...rest] = name.split('.');
      if (first !== 'site') return undefined;
      return second === 'data' ? dataAt(rest) : memberOf(config, [second, ...rest]);
    },
  };
}

const MAX_DATA_DEPTH = 3;

/** What a file of data holds, or the files of a folder by their names. */
function dataIn(folder: string, name: string, files: SiteFiles, depth: number): unknown {
  const names = files.list(folder);
  const file = names.find((each) => withoutEnding(each) === name && /\.(?:ya?ml|json)$/.test(each));
  if (file !== undefined) {
    const text = files.read(`${folder}/${file}`) ?? '';
    // Lists are data too: read as the value of a mapping.
    if (file.endsWith('.json')) return readJson(`{"data":${text}}`).data;
    return readYaml(`data:\n${text.replace(/^---[ \t]*$/m, '').replace(/^/gm, '  ')}`).data;
  }
  if (depth === MAX_DATA_DEPTH || !names.includes(name)) return undefined;
  const inner = `${folder}/${name}`;
  const parts = new Set(files.list(inner).map(withoutEnding));
  return Object.fromEntries(
    [...parts].map((each) => [each, dataIn(inner, each, files, depth + 1)]),
  );
}

function collectionsOf(config: Record<string, unknown>): Map<string, Collection> {
  const collections = new Map<string, Collection>();
  const given = config.collections;
  const entries = Array.isArray(given)
    ? given.map((name) => [String(name), {}] as const)
    : Object.entries((given ?? {}) as Record<string, unknown>);
  for (const [name, options] of entries) {
    const { output, permalink } = (options ?? {}) as { output?: unknown; permalink?: unknown };
    collections.set(name, { name, isOutput: output === true, permalink: textIn(permalink) });
  }
  const posts = collections.get('posts')?.permalink;
  collections.set('posts', { name: 'posts', isOutput: true, permalink: posts });
  return collections;
}

/** `defaults`: values of front matter by path and type; more exact paths count. */
function defaultsFor(path: string, type: string, defaults: readonly unknown[]): Fields {
  const fields: Record<string, unknown> = {};
  for (const each of defaults) {
    const { scope, values } = (each ?? {}) as {
      scope?: { path?: unknown; type?: unknown };
      values?: Fields;
    };
    const folder = typeof scope?.path === 'string' ? scope.path.replace(/^\/+|\/+$/g, '') : '';
    const isPath = folder === '' || path === folder || path.startsWith(`${folder}/`);
    if (isPath && (scope?.type === undefined || scope.type === type))
      Object.assign(fields, values ?? {});
  }
  return fields;
}

const dayTime = (path: string): number | undefined => {
  const date = dayOf(path.split('/').at(-1));
  return date === undefined ? undefined : Date.parse(`${date.year}-${date.month}-${date.day}`);
};

const STYLES: Readonly<Record<string, string>> = {
  date: '/:categories/:year/:month/:day/:title:output_ext',
  pretty: '/:categories/:year/:month/:day/:title/',
  ordinal: '/:categories/:year/:y_day/:title:output_ext',
  weekdate: '/:categories/:year/W:week/:short_day/:title:output_ext',
  none: '/:categories/:title:output_ext',
};

interface Routing {
  fields: Fields;
  collection: Collection | undefined;
  config: Record<string, unknown>;
  isReadme: boolean;
}

function routeOf(path: string, { fields, collection, config, isReadme }: Routing): string {
  const style = textIn(config.permalink) ?? 'date';
  const plain = withoutEnding(path);
  const name = plain.split('/').at(-1) ?? '';
  const own = textIn(fields.permalink);
  const isPost = collection?.name === 'posts';
  const [, slug = name] = isPost ? (/^\d{4}-\d{1,2}-\d{1,2}-(.+)$/.exec(name) ?? []) : [];
  const template =
    own ??
    (collection === undefined
      ? undefined
      : isPost
        ? (STYLES[collection.permalink ?? style] ?? collection.permalink ?? style)
        : collection.permalink);
  if (template !== undefined) {
    const date = dayOf(fields.date) ?? dayOf(name);
    const inner = collection === undefined ? plain : plain.replace(/^(?:.*\/)?_[^/]+\//, '');
    const categories = [fields.categories ?? fields.category ?? []]
      .flat()
      .flatMap((each) => String(each).split(' '));
    const values: Record<string, string | undefined> = {
      year: date?.year,
      month: date?.month,
      day: date?.day,
      collection: collection?.name,
      path: inner,
      name,
      title: textIn(fields.slug) ?? slug,
      slug: slugOf(slug),
      categories: categories.map(slugOf).join('/'),
      output_ext: '.html',
      basename: name,
    };
    const route = template.replace(
      /:(\w+?)(?=:|\/|\.|-|$)/g,
      (found, token: string) => values[token] ?? (Object.hasOwn(values, token) ? '' : found),
    );
    return withoutIndex(route.replace(/\/{2,}/g, '/').replace(/^\//, ''));
  }
  if (isReadme) return '';
  const inner = collection === undefined ? plain : plain.slice(1);
  if (/(?:^|\/)index$/.test(inner)) return inner.replace(/index$/, '');
  const isPretty = style === 'pretty' || style.endsWith('/');
  return isPretty && collection === undefined ? `${inner}/` : `${inner}.html`;
}

const withoutIndex = (route: string): string => route.replace(/(^|\/)index\.html$/, '$1');
