import QUALIFIERS from './qualifiers.json' with { type: 'json' };

/** Patterns of the words of a language that limit or deny a statement. */
interface Qualifiers {
  limits: RegExp;
  denies: RegExp;
}

const LISTS: ReadonlyMap<string, Record<keyof Qualifiers, string>> = new Map(
  Object.entries(QUALIFIERS),
);
/** In languages without spaces, words have no borders. */
const UNSPACED = new Set(['zh', 'ja', 'ko']);
const PATTERNS = new Map<string, Qualifiers>();

/** @param language Primary tag of BCP 47. Undefined for one without a list. */
export function qualifiersOf(language: string): Qualifiers | undefined {
  const lists = LISTS.get(language);
  const cached = PATTERNS.get(language);
  if (lists === undefined || cached !== undefined) return cached;
  const pattern = (words: string): RegExp =>
    UNSPACED.has(language)
      ? new RegExp(`(?:${words})`, 'gu')
      : new RegExp(
          `(?<![\\p{L}\\p{M}])(?:${words.replaceAll('\\w', '\\p{L}')})(?![\\p{L}\\p{M}])`,
          'gu',
        );
  const patterns = {
    limits: pattern(lists.limits),
    denies: pattern(lists.denies),
  };
  PATTERNS.set(language, patterns);
  return patterns;
}

/** Whether words deny something in a language; false for a language without a list. */
export function isDenial(words: string, language: string): boolean {
  const pattern = qualifiersOf(language)?.denies;
  return pattern !== undefined && inPlainCase(words).search(pattern) >= 0;
}

/** Whether words deny or limit something in a language. */
export function limitsOrDenies(words: string, language: string | undefined): boolean {
  const limits = language === undefined ? undefined : qualifiersOf(language)?.limits;
  if (language === undefined || limits === undefined) return false;
  return isDenial(words, language) || inPlainCase(words).search(limits) >= 0;
}

/** In lower case, with straight apostrophes. */
export function inPlainCase(text: string): string {
  return text.toLowerCase().replaceAll('’', "'");
}
