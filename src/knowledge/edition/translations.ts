import {
  groupTranslations,
  TRANSLATION_SECTIONS,
  type TranslationGroups,
} from '../../documents/group-translations.ts';
import { oncePer } from '../../platform/once-per.ts';
import type { Edition } from './open-edition.ts';
import { decodeStrings, numbersView } from './text-table.ts';

interface Translations {
  /** 0 for an article without translations. */
  groupOf: (article: number) => number;
  languageOf: (article: number) => string | undefined;
  /** By group and language: the first article. */
  byGroup: ReadonlyMap<number, ReadonlyMap<string | undefined, number>>;
}

/** The translations in an edition that its reader may read; undefined without any. */
const translationsOf = (edition: Edition): Translations | undefined => {
  const { found } = openTranslations(edition);
  return found;
};

const openTranslations = oncePer((edition: Edition): { found: Translations | undefined } => {
  const groups = edition.narrowed === undefined ? storedGroups(edition) : groupsAmong(edition);
  if (groups === undefined) return { found: undefined };
  const byGroup = new Map<number, Map<string | undefined, number>>();
  const groupOf = (article: number): number => groups.groups[article] ?? 0;
  const languageOf = (article: number): string | undefined => groups.languages[article];
  for (let at = 0; at < edition.articleCount; at++) {
    const group = groupOf(at);
    if (group === 0) continue;
    const ofGroup = byGroup.get(group) ?? new Map<string | undefined, number>();
    if (!ofGroup.has(languageOf(at))) ofGroup.set(languageOf(at), at);
    byGroup.set(group, ofGroup);
  }
  return { found: { groupOf, languageOf, byGroup } };
});

const storedGroups = (edition: Edition): TranslationGroups | undefined => {
  const tagBytes = edition.section(TRANSLATION_SECTIONS.tags);
  if (tagBytes === undefined) return undefined;
  const tags = decodeStrings(tagBytes);
  const languages = numbersView(edition.section(TRANSLATION_SECTIONS.languages));
  return {
    groups: [...numbersView(edition.section(TRANSLATION_SECTIONS.groups))],
    languages: Array.from(languages, (place) => tags[place - 1]),
  };
};

/** Grouped again: articles that the reader may not read join no others, and tell no language of a path. */
const groupsAmong = (edition: Edition): TranslationGroups | undefined =>
  groupTranslations(
    Array.from({ length: edition.articleCount }, (_, at) => {
      const { id, url } = edition.article(at);
      return { id, url, ...edition.translated(at) };
    }),
  );

/**
 * Returns a predicate for articles that are shown to who asks in a language: of an article that is there in this language, no translation.
 * Undefined where every article is shown.
 */
export function shownTranslations(
  edition: Edition,
  languageOfAsker: () => string | undefined,
): ((article: number) => boolean) | undefined {
  const translations = translationsOf(edition);
  // Read only where it matters.
  const asked =
    translations === undefined ? undefined : languageOfAsker()?.split('-')[0]?.toLowerCase();
  if (translations === undefined || asked === undefined) return undefined;
  const { groupOf, languageOf, byGroup } = translations;
  return (article) => {
    const group = groupOf(article);
    return group === 0 || byGroup.get(group)?.has(asked) !== true || languageOf(article) === asked;
  };
}

/**
 * The chunk of the translation in a language at about the same place, for one that was found by words of another language; the same chunk where
 * there is no such translation.
 */
export function translatedPlace(
  edition: Edition,
  { chunk, article }: { chunk: number; article: number },
  language: string,
): { chunk: number; article: number } {
  const translations = translationsOf(edition);
  const group = translations?.groupOf(article) ?? 0;
  const asked = language.split('-')[0]?.toLowerCase() ?? '';
  if (translations === undefined || group === 0 || translations.languageOf(article) === asked)
    return { chunk, article };
  const own = translations.byGroup.get(group)?.get(asked);
  if (own === undefined) return { chunk, article };
  const from = edition.article(article);
  const to = edition.article(own);
  const share = (chunk - from.firstChunk) / Math.max(1, from.endChunk - from.firstChunk);
  const place = to.firstChunk + Math.floor(share * (to.endChunk - to.firstChunk));
  return to.firstChunk === to.endChunk ? { chunk, article } : { chunk: place, article: own };
}

/** Keeps the parts of that translation of each article which comes first. */
export function withoutTranslations<Part>(
  edition: Edition,
  parts: readonly Part[],
  articleOf: (part: Part) => number,
): Part[] {
  const translations = translationsOf(edition);
  if (translations === undefined) return [...parts];
  const first = new Map<number, string | undefined>();
  return parts.filter((part) => {
    const article = articleOf(part);
    const group = translations.groupOf(article);
    if (group === 0) return true;
    const language = translations.languageOf(article);
    if (!first.has(group)) first.set(group, language);
    return first.get(group) === language;
  });
}
