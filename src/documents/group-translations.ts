import { languageTag } from '../language/language-tag.ts';

/** Folders whose folders are languages. */
const HOLDERS = new Set([
  'i18n',
  'l10n',
  'locale',
  'locales',
  'translations',
  'lang',
  'langs',
  'languages',
]);

let names: Intl.DisplayNames | undefined;

/** A language that people write: `de`, `pt-BR`, `zh_CN`; not `js` or `v2`. */
function languageNamed(name: string): string | undefined {
  if (!/^[a-z]{2}(?:[-_](?:[A-Za-z]{2}|[A-Z][a-z]{3}|\d{3}))?$/.test(name)) return undefined;
  const tag = languageTag(name);
  names ??= new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
  return tag !== undefined && names.of(tag) !== undefined ? tag : undefined;
}

interface Translation {
  language: string;
  /** Equal for all translations of one page. */
  page: string;
}

/**
 * Languages of files by their paths: `i18n/de/…`, `de/guide.md` beside `guide.md` or `en/guide.md`, `guide.de.md` or
 * `guide-de.md` beside `guide.md`. A
 * folder that has the name of a language alone says nothing (`it/`): the same page in another language must be there.
 */
export function translationsIn(paths: readonly string[]): Map<string, Translation> {
  const all = new Set(paths);
  const candidates = new Map<string, { language: string; page: string; isSure: boolean }>();
  const languagesByPage = new Map<string, Set<string>>();
  for (const path of paths) {
    const candidate = candidateOf(path);
    if (candidate === undefined) continue;
    candidates.set(path, candidate);
    const languages = languagesByPage.get(candidate.page) ?? new Set();
    languagesByPage.set(candidate.page, languages.add(candidate.language));
  }
  const translations = new Map<string, Translation>();
  for (const [path, { language, page, isSure }] of candidates) {
    const hasOther = all.has(page) || (languagesByPage.get(page)?.size ?? 0) > 1;
    if (isSure || hasOther) translations.set(path, { language, page });
  }
  return translations;
}

function candidateOf(
  path: string,
): { language: string; page: string; isSure: boolean } | undefined {
  const segments = path.split('/');
  const file = segments.at(-1) ?? '';
  const [, name = '', suffix = '', ending = ''] =
    /^(.+?)[._-]([a-z]{2}(?:[_-][A-Za-z]{2,4})?)(\.\w+)?$/.exec(file) ?? [];
  const bySuffix = suffix === '' ? undefined : languageNamed(suffix);
  if (bySuffix !== undefined)
    return {
      language: bySuffix,
      page: [...segments.slice(0, -1), name + ending].join('/'),
      isSure: false,
    };
  for (const [at, segment] of segments.slice(0, -1).entries()) {
    const language = languageNamed(segment);
    if (language === undefined) continue;
    const isSure = HOLDERS.has(segments[at - 1] ?? '');
    const before = isSure ? segments.slice(0, at - 1) : segments.slice(0, at);
    return { language, page: [...before, ...segments.slice(at + 1)].join('/'), isSure };
  }
  return undefined;
}

/** What is known of an article of an edition for finding its translations. */
export interface TranslatedArticle {
  id: string;
  url: string;
  /** Equal for all translations of an article, where its source says it. */
  translationKey: string | undefined;
  /** Primary tag; undefined where it is in doubt. */
  language: string | undefined;
}

/** By article: the number of its group of translations, from 1; 0 for an article without a translation. And its language. */
export interface TranslationGroups {
  groups: readonly number[];
  languages: readonly (string | undefined)[];
}

/**
 * Finds which articles are translations of each other: those with the same key, and those whose addresses or ids differ by a language
 * alone. Articles in one language are never translations of each other, whatever their paths look like.
 */
export function groupTranslations(
  articles: readonly TranslatedArticle[],
): TranslationGroups | undefined {
  const parents = articles.map((_, at) => at);
  const rootOf = (at: number): number => {
    let root = at;
    while (parents[root] !== root) root = parents[root] ?? root;
    parents[at] = root;
    return root;
  };
  const byName = new Map<string, number>();
  const join = (name: string, at: number): void => {
    const first = byName.get(name);
    if (first === undefined) byName.set(name, at);
    else parents[rootOf(at)] = rootOf(first);
  };
  const languages = articles.map(({ language }) => language);
  for (const pathOf of [({ id }: TranslatedArticle) => id, pagePath]) {
    const paths = articles.map(pathOf);
    const translations = translationsIn(paths);
    paths.forEach((path, at) => {
      const translation = translations.get(path);
      join(`${pathOf.name} ${translation?.page ?? path}`, at);
      languages[at] ??= translation?.language.split('-')[0];
    });
  }
  articles.forEach(({ translationKey }, at) => {
    if (translationKey !== undefined) join(`key ${translationKey}`, at);
  });
  const languagesByRoot = new Map<number, Set<string | undefined>>();
  for (const at of articles.keys()) {
    const root = rootOf(at);
    languagesByRoot.set(root, (languagesByRoot.get(root) ?? new Set()).add(languages[at]));
  }
  const numbers = new Map<number, number>();
  const groups = articles.map((_, at) => {
    const root = rootOf(at);
    if ((languagesByRoot.get(root)?.size ?? 0) < 2) return 0;
    const number = numbers.get(root) ?? numbers.size + 1;
    numbers.set(root, number);
    return number;
  });
  return numbers.size === 0 ? undefined : { groups, languages };
}

/** The address without scheme and ending slash; the id where there is none, so that articles without addresses share nothing. */
function pagePath({ id, url }: TranslatedArticle): string {
  if (!URL.canParse(url)) return id;
  const { host, pathname } = new URL(url);
  return `${host}${pathname.replace(/\/+$/, '')}`;
}

/** Sections of an edition with translations: the group of each article, its language counted from 1 (0: unknown), and their tags. */
export const TRANSLATION_SECTIONS = {
  groups: 'translations',
  languages: 'translations.languages',
  tags: 'translations.tags',
} as const;

/** Section of an edition with articles for some audiences: of each article its language and its translation key, empty where there is none. */
export const TRANSLATED_SECTION = 'translated';
