import PHRASES from './phrases.json' with { type: 'json' };

/** What a draft says by itself, beside templates and quotes, in one language. */
export type Phrases = (typeof PHRASES)['en'];

const BY_LANGUAGE: Readonly<Record<string, Phrases>> = PHRASES;

/** Phrases of a language, by its primary subtag; English for one that has none here. */
export const phrasesOf = (language: string): Phrases => BY_LANGUAGE[primaryOf(language)] ?? PHRASES.en;

/** Whether there are phrases of a language. */
export const hasPhrases = (language: string): boolean => Object.hasOwn(BY_LANGUAGE, primaryOf(language));

/** `pt` of `pt-BR`. */
export const primaryOf = (language: string): string => language.toLowerCase().split('-')[0] ?? '';

/** What a language is called in another: `en` is `Englisch` in `de`. */
export const nameOfLanguage = (language: string, { inLanguage }: { inLanguage: string }): string =>
  new Intl.DisplayNames([inLanguage], { type: 'language', fallback: 'code' }).of(language) ?? language;

/** A text with the language that it is in. */
export interface TextInLanguage {
  text: string;
  /** BCP 47. */
  language: string;
}

/**
 * What a taxonomy says in one language or in several, in the one that is wanted as far as there is one: else in its own, else the
 * first.
 *
 * @param options.own Of the taxonomy: what has no language of its own is in it.
 */
export const inLanguage = (
  said: string | Readonly<Record<string, string>>,
  { wanted, own }: { wanted?: string | undefined; own: string },
): TextInLanguage => {
  if (typeof said === 'string') return { text: said, language: own };
  const [fitting] = languagesLike(said, wanted);
  const [usual] = languagesLike(said, own);
  const language = fitting ?? usual ?? Object.keys(said)[0] ?? own;
  return { text: said[language] ?? '', language };
};

/** The language itself first, then others of the same primary subtag. */
const languagesLike = (said: Readonly<Record<string, string>>, language: string | undefined): string[] => {
  if (language === undefined) return [];
  const known = Object.keys(said).filter((each) => primaryOf(each) === primaryOf(language));
  return known.toSorted((one, other) => Number(other === language) - Number(one === language));
};
