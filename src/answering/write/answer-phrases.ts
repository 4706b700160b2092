import { LACK_IN_LANGUAGE } from '../../contract/core/lack-of-information.ts';
import { detectLanguage } from '../../language/detect-language.ts';
import { memo } from '../../platform/lru-cache.ts';
import PHRASES from './answer-phrases.json' with { type: 'json' };

/** The sentences of our own in an answer, in one language. Names in braces are filled in by `filled`. */
export type AnswerPhrases = typeof PHRASES.en & (typeof LACK_IN_LANGUAGE)['en'];

type Language = keyof typeof PHRASES & keyof typeof LACK_IN_LANGUAGE;

const isKnown = (language: string): language is Language =>
  Object.hasOwn(PHRASES, language) && Object.hasOwn(LACK_IN_LANGUAGE, language);

/** The phrases of a language (BCP 47: `de`, `pt-BR`); the English ones when it has none. */
export function answerPhrases(language: string | undefined): AnswerPhrases {
  const primary = language?.toLowerCase().split(/[-_]/)[0] ?? 'en';
  return phrasesOf(isKnown(primary) ? primary : 'en');
}

const phrasesOf = memo(
  (language: Language) => ({ ...PHRASES[language], ...LACK_IN_LANGUAGE[language] }),
  {
    max: Object.keys(PHRASES).length,
  },
);

/** A phrase with its values: `From {title}:`. */
export function filled(phrase: string, values: Readonly<Record<string, string>>): string {
  return phrase.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

/** "a, b and c"; empty for nothing. */
export function listed(words: readonly string[], joint: string): string {
  return words.length > 1
    ? `${words.slice(0, -1).join(', ')} ${joint} ${words.at(-1)}`
    : words.join('');
}

/** Member of a request's metadata: the language of the conversation (BCP 47), for a question that is too short to tell its own. */
export const ASKER_LANGUAGE = 'language';

interface AskerWords {
  question: string;
  /** Earlier questions of the same asker, oldest first. */
  before?: readonly string[] | undefined;
  /** The language that is known otherwise, such as that of the conversation or the page. */
  known?: unknown;
}

/** The language of who asks: that of the question, else the known one, else that of the latest earlier question that tells. */
export function languageOfAsker({ question, before = [], known }: AskerWords): string | undefined {
  const own = detectLanguage(question);
  if (own !== undefined) return own;
  if (typeof known === 'string' && /^[a-z]{2,3}(?:[-_][\w-]{1,32})?$/i.test(known)) {
    return known.toLowerCase().split(/[-_]/)[0];
  }
  for (const earlier of before.toReversed()) {
    const language = detectLanguage(earlier);
    if (language !== undefined) return language;
  }
  return undefined;
}
