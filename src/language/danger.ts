import { memo, SHORT_TEXTS } from '../platform/lru-cache.ts';
import WORDS from './lists/danger.json' with { type: 'json' };

/**
 * How people report danger in one language: regular expressions of whole words in small letters. Both they and the text are
 * compared without diacritics, since many customers type none; `\\p{L}` is any letter.
 */
interface DangerWords {
  /** Report danger by themselves: smoke, a burning smell, an electric shock. */
  signs: readonly string[];
  /** Report danger when both occur in one sentence: water, and that it was spilled. */
  together: readonly { things: string; happens: string }[];
  /** Deny a sign that follows directly: `no smoke`, `risk of fire`. */
  guards: string;
  /** Words that only suppose a sign that follows directly: `can smoke`, `in case of fire`. They deny it unless the sentence asks what to do. */
  supposed?: string;
  /** Ask what to do: "What should I do if it ever smokes?" is answered as if it did. */
  asks: string;
  /** Words that may stand between a guard and its sign. */
  between: string;
  /** Deny a sign that they follow directly. */
  denied?: string;
  /** Follow a denied sign that was there before: `not smoking any more`. */
  still?: string;
  /** Sentences that only imagine a danger. */
  imagined: readonly string[];
  /** Phrases with the same words that report no danger: `burn an SD card`. */
  harmless: readonly string[];
}

/** UTF-16 units that are read. */
const MAX_LENGTH = 16_000;
const MAX_SENTENCES = 400;

/** What a text reports. */
export interface Danger {
  /** As written, in lower case, at most 100 characters. */
  words: string;
  /** Language of the list that has them, as a primary subtag of BCP 47. */
  language: string;
}

/**
 * The first words of a text that report danger to people or property: fire, smoke, an electric shock, burns, liquid in a device, gas,
 * a swollen battery, a crackling supply, something too hot to touch. Undefined for a question about heat or noise, and where the
 * words deny or only imagine it. The lists of all languages count, whatever the text is written in: a short message has no sure language.
 *
 * @param text At most 16,000 UTF-16 units are read.
 */
export function dangerIn(text: string): Danger | undefined {
  const { read, plain, words } = readable(text);
  const { languages } = words;
  if (languages.length === 0) return undefined;
  for (const { start, end } of sentencesIn(plain)) {
    const sign = signIn(plain.slice(start, end), words);
    if (sign === undefined) continue;
    const found = read.slice(start + sign.start, start + sign.end);
    return { words: found.toLowerCase().slice(0, 100), language: sign.language };
  }
  return undefined;
}

/**
 * The text without the words of danger that it denies or uses for something else: "I live in a smoke-free home" speaks of a home. For a reader
 * that knows words only by their frequency. As it is when nothing is taken out; what follows the first 16,000 UTF-16 units is left out otherwise.
 */
export function withoutDeniedDanger(text: string): string {
  const { read, plain, words } = readable(text);
  if (words.languages.length === 0 && plain.search(words.harmless) < 0) return text;
  const denied = sentencesIn(plain).flatMap(({ start, end }) =>
    deniedIn(plain.slice(start, end), words).map((span) => ({
      start: start + span.start,
      end: start + span.end,
    })),
  );
  if (denied.length === 0) return text;
  let kept = '';
  let from = 0;
  for (const { start, end } of denied.toSorted((one, other) => one.start - other.start)) {
    kept += read.slice(from, Math.max(from, start));
    from = Math.max(from, end);
  }
  return `${kept}${read.slice(from)}`.replace(/[^\S\n]{2,}/g, ' ');
}

const deniedIn = (sentence: string, words: ReadyWords): Span[] => {
  const harmless = [...sentence.matchAll(words.harmless)].map(spanOf);
  const read = withoutPhrases(sentence, words);
  return [
    ...harmless,
    ...words.languages
      .flatMap((language) => signsOf(read, language))
      .filter((span) => isDenied(read, span, words)),
  ];
};

const withoutPhrases = (sentence: string, { harmless }: ReadyWords): string =>
  sentence.replace(harmless, (phrase) => '_'.repeat(phrase.length));

/** What is shown, the same in plain letters, whose places are those of the first, and the words of the languages that it may report danger in. */
const readable = memo((text: string): { read: string; plain: string; words: ReadyWords } => {
  const read = text
    .slice(0, MAX_LENGTH)
    .normalize('NFC')
    .replace(/[’‘ʼ´`]/g, "'");
  const plain = plainLetters(read);
  compiled ??= compile(WORDS);
  return {
    read,
    plain,
    words: { ...compiled, languages: compiled.languages.filter(({ any }) => any.test(plain)) },
  };
}, SHORT_TEXTS);

interface Span {
  start: number;
  end: number;
}

interface Sign extends Span {
  language: string;
}

interface ReadyLanguage {
  language: string;
  /** Any word that could report danger. */
  any: RegExp;
  signs: RegExp;
  together: readonly { things: RegExp; happens: RegExp }[];
}

/** What denies a sign counts in every language: languages share their words for smoke and fire. */
interface ReadyWords {
  languages: readonly ReadyLanguage[];
  guard: RegExp;
  supposed: RegExp;
  asks: RegExp;
  denied: RegExp;
  still: RegExp;
  imagined: RegExp;
  harmless: RegExp;
}

/** Compiled at the first message: most isolates never read one. */
let compiled: ReadyWords | undefined;

const compile = (all: Readonly<Record<string, DangerWords>>): ReadyWords => {
  const lists = Object.values(all);
  const between = oneOf(lists.map((list) => list.between));
  const before = (alternatives: readonly (string | undefined)[]): RegExp =>
    expression(`(?<![a-z0-9ß])${oneOf(alternatives)},?(?:[' ]+${between}){0,3}[' ]*$`);
  return {
    languages: Object.entries(all).map(([language, { signs, together }]) => ({
      language,
      any: whole([...signs, ...together.map(({ happens }) => happens)]),
      signs: whole(signs, 'g'),
      together: together.map(({ things, happens }) => ({
        things: whole([things]),
        happens: whole([happens]),
      })),
    })),
    guard: before(lists.map(({ guards }) => guards)),
    supposed: before(lists.map(({ supposed }) => supposed)),
    asks: expression(oneOf(lists.map(({ asks }) => asks))),
    denied: expression(`^${oneOf(lists.map(({ denied }) => denied))}(?![a-zß])`),
    still: expression(`^ ${oneOf(lists.map(({ still }) => still))}(?![a-zß])`),
    imagined: expression(oneOf(lists.flatMap(({ imagined }) => imagined))),
    harmless: whole(
      lists.flatMap(({ harmless }) => harmless),
      'g',
    ),
  };
};

const oneOf = (alternatives: readonly (string | undefined)[]): string =>
  `(?:${alternatives.filter((each) => each !== undefined).join('|')})`;

/** Any of the alternatives as whole words. */
const whole = (alternatives: readonly string[], flags = ''): RegExp =>
  expression(`(?<![a-z0-9ß])${oneOf(alternatives)}(?![a-z0-9ß])`, flags);

/** Over plain letters alone: with the flags `iu` the engine takes a hundred times longer to compile these lists. */
const expression = (source: string, flags = ''): RegExp =>
  new RegExp(
    plainLetters(source.normalize('NFC'))
      .replaceAll('[\\p{l}', '[a-zß')
      .replaceAll('\\p{l}', '[a-zß]'),
    flags,
  );

/** Small letters without their marks, each in the place of its own: `Brûlé` is `brule`. */
const plainLetters = (text: string): string =>
  text
    .replace(/[A-ZÀ-ɏ]/g, (letter) => letter.toLowerCase().normalize('NFD').charAt(0))
    .replace(/[Ѐ-Я]/g, (letter) => letter.toLowerCase());

const sentencesIn = (text: string): Span[] =>
  text
    .matchAll(/[^.!?;。！？；\n]+[.!?;。！？；]*/g)
    .take(MAX_SENTENCES)
    .map(({ 0: sentence, index }) => ({ start: index, end: index + sentence.length }))
    .toArray();

const signIn = (sentence: string, words: ReadyWords): Sign | undefined => {
  const languages = words.languages.filter(({ any }) => any.test(sentence));
  if (languages.length === 0) return undefined;
  const read = withoutPhrases(sentence, words);
  if (words.imagined.test(read)) return undefined;
  return languages
    .flatMap((language) => signsOf(read, language))
    .find((span) => !isDenied(read, span, words));
};

const signsOf = (sentence: string, { language, signs, together }: ReadyLanguage): Sign[] =>
  [
    ...sentence.matchAll(signs),
    ...together.map(({ things, happens }) =>
      things.test(sentence) ? happens.exec(sentence) : null,
    ),
  ].flatMap((match) => (match === null ? [] : [{ ...spanOf(match), language }]));

const spanOf = ({ 0: words, index }: RegExpExecArray): Span => ({
  start: index,
  end: index + words.length,
});

/** UTF-16 units before a sign in which its denial begins. */
const GUARD_LENGTH = 80;

/** Denied by the words around it, and not only any more. */
const isDenied = (
  sentence: string,
  { start, end }: Span,
  { guard, supposed, asks, denied, still }: ReadyWords,
): boolean => {
  const after = sentence.slice(end);
  if (denied.test(after)) return true;
  const ahead = sentence.slice(Math.max(0, start - GUARD_LENGTH), start);
  return (
    (guard.test(ahead) && !still.test(after)) || (supposed.test(ahead) && !asks.test(sentence))
  );
};
