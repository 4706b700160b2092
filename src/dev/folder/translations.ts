import { languageTag } from '../../text/language-tag.ts';

/** Folders whose folders are languages. */
const HOLDERS = new Set(['i18n', 'l10n', 'locale', 'locales', 'translations', 'lang', 'langs', 'languages']);

let names: Intl.DisplayNames | undefined;

/** A language that people write: `de`, `pt-BR`, `zh_CN`; not `js` or `v2`. */
function languageNamed(name: string): string | undefined {
  if (!/^[a-z]{2}(?:[-_](?:[A-Za-z]{2}|[A-Z][a-z]{3}|\d{3}))?$/.test(name)) return undefined;
  const tag = languageTag(name);
  names ??= new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
  return tag !== undefined && names.of(tag) !== undefined ? tag : undefined;
}

export interface Translation {
  language: string;
  /** Equal for all translations of one page. */
  page: string;
}

/**
 * Languages of files by their paths: `i18n/de/…`, `de/guide.md` beside `guide.md` or `en/guide.md`, `guide.de.md` beside `guide.md`. A
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

function candidateOf(path: string): { language: string; page: string; isSure: boolean } | undefined {
  const segments = path.split('/');
  const file = segments.at(-1) ?? '';
  const [, name = '', suffix = '', ending = ''] = /^(.+)\.([A-Za-z_-]{2,7})(\.\w+)$/.exec(file) ?? [];
  const bySuffix = suffix === '' ? undefined : languageNamed(suffix);
  if (bySuffix !== undefined)
    return { language: bySuffix, page: [...segments.slice(0, -1), name + ending].join('/'), isSure: false };
  for (const [at, segment] of segments.slice(0, -1).entries()) {
    const language = languageNamed(segment);
    if (language === undefined) continue;
    const isSure = HOLDERS.has(segments[at - 1] ?? '');
    const before = isSure ? segments.slice(0, at - 1) : segments.slice(0, at);
    return { language, page: [...before, ...segments.slice(at + 1)].join('/'), isSure };
  }
  return undefined;
}
