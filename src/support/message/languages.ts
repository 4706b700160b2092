import PHRASES from './phrases.json' with { type: 'json' };

/** The sentences that a draft adds to templates and quotes, in one language. */
type Phrases = (typeof PHRASES)['en'];

const BY_LANGUAGE: Readonly<Record<string, Phrases>> = PHRASES;

/** The phrases of a language, by its primary subtag; English when it has none. */
export function phrasesOf(language: string): Phrases {
  return BY_LANGUAGE[primaryOf(language)] ?? PHRASES.en;
}

export function hasPhrases(language: string): boolean {
  return Object.hasOwn(BY_LANGUAGE, primaryOf(language));
}

/** `pt` of `pt-BR`. */
export function primaryOf(language: string): string {
  return language.toLowerCase().split('-')[0] ?? '';
}

/** The name of a language in another one: `en` is `Englisch` in `de`. What is no tag of BCP 47 stays as it is. */
export function nameOfLanguage(language: string, { inLanguage }: { inLanguage: string }): string {
  try {
    return (
      new Intl.DisplayNames([inLanguage], { type: 'language', fallback: 'code' }).of(language) ??
      language
    );
  } catch {
    return language;
  }
}

/** The same in English, in which agents are advised. */
export function englishName(language: string): string {
  return nameOfLanguage(language, { inLanguage: 'en' });
}

/** Regular expressions by language (primary subtag of BCP 47), each of which matches whole words. */
type WordLists = Readonly<Record<string, readonly string[]>>;

/** One expression that matches any of the alternatives as whole words, ignoring case. */
export function wordsExpression(alternatives: readonly string[]): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${alternatives.join('|')})(?![\\p{L}\\p{N}])`, 'iu');
}

/** One expression for all languages. */
export function anyLanguage(lists: WordLists): RegExp {
  return wordsExpression(Object.values(lists).flat());
}

/** One expression for each language. */
export function byLanguage(lists: WordLists): ReadonlyMap<string, RegExp> {
  return new Map(
    Object.entries(lists).map(([language, alternatives]) => [
      language,
      wordsExpression(alternatives),
    ]),
  );
}

/** A text and its language. */
export interface TextInLanguage {
  text: string;
  /** BCP 47. */
  language: string;
}

/**
 * Picks the language version of a taxonomy's text: the wanted language, else the taxonomy's own, else the first.
 *
 * @param options.own Language of the taxonomy, and of a text without language versions.
 */
export function inLanguage(
  versions: string | Readonly<Record<string, string>>,
  { wanted, own }: { wanted?: string | undefined; own: string },
): TextInLanguage {
  if (typeof versions === 'string') return { text: versions, language: own };
  const language =
    closestLanguage(versions, wanted) ??
    closestLanguage(versions, own) ??
    Object.keys(versions)[0] ??
    own;
  return { text: versions[language] ?? '', language };
}

/** The language itself, else the first with the same primary subtag. */
const closestLanguage = (
  versions: Readonly<Record<string, string>>,
  language: string | undefined,
): string | undefined => {
  if (language === undefined || Object.hasOwn(versions, language)) return language;
  return Object.keys(versions).find((each) => primaryOf(each) === primaryOf(language));
};
