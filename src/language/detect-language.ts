import { memo, SHORT_TEXTS } from '../platform/lru-cache.ts';
import languages from './lists/languages.json' with { type: 'json' };
import { UNSPACED_SCRIPTS } from './spaced-words.ts';

/**
 * Detects the language of a customer's message, as a primary tag of BCP 47 (`en`, `de`, ...): from its script, or from
 * frequent words, letters and endings of twelve European languages. Code, addresses and identifiers are ignored.
 *
 * @param text Only the first 4,000 characters are read.
 * @param expected Languages that are likely beforehand, such as those of the articles: one of them is found by less, which decides about
 *   a few words.
 * @returns `undefined` if there is too little text, or two languages are about equally likely.
 */
export function detectLanguage(text: string, expected: readonly string[] = []): string | undefined {
  const { script, scores, least } = languageSigns(text.slice(0, MAX_READ));
  if (script !== undefined) return script;
  const scoreOf = ([language, score]: readonly [string, number]): number =>
    expected.includes(language) ? score + EXPECTED : score;
  let best: string | undefined;
  let most = 0;
  let second = 0;
  for (const entry of scores) {
    const score = scoreOf(entry);
    if (score <= most) second = Math.max(second, score);
    else [best, most, second] = [entry[0], score, most];
  }
  return most >= least && most >= LEAD * second ? best : undefined;
}

/** What tells the language of a text: its script, or a score for each language and the least that decides. */
interface LanguageSigns {
  script?: string;
  scores: readonly (readonly [language: string, score: number])[];
  least: number;
}

const languageSigns = memo((text: string): LanguageSigns => {
  const prose = ownWords(proseOf(text));
  const script = languageOfScript(prose);
  if (script !== undefined) return { script, scores: [], least: 0 };
  const words = (prose.match(/[\p{L}\p{M}]+(?:'(?=\p{L}))?/gu) ?? []).slice(0, MAX_WORDS);
  return {
    scores: [...scoresOf(words, prose)],
    least: Math.max(LEAST, LEAST_PER_WORD * words.length),
  };
}, SHORT_TEXTS);

const MAX_READ = 4000;
const MAX_WORDS = 400;
/** Minimum evidence, in units of one frequent word of a single language. */
const LEAST = 0.8;
const LEAST_PER_WORD = 0.12;
const LEAD = 1.2;
/** An expected language counts as one frequent word more. */
const EXPECTED = 1;

/** Removes code, addresses, mail addresses, and words with digits, underscores or inner capitals. */
const proseOf = (text: string): string =>
  text
    .replace(/(`{1,3})[^`]*\1/g, ' ')
    // One word at a time: a single expression would restart at every letter of a long one.
    .replace(SPACED_WORD, (word) => (NO_WORD.test(word) ? ' ' : word))
    .replace(/[’ʼ`]/g, "'")
    .normalize('NFC')
    .toLowerCase();

/** Removes quotations, such as a message of the device, if enough text remains. */
const ownWords = (prose: string): string => {
  const own = prose.replace(/["“„«][^"“”„«»\n]{1,300}["“”»]/g, ' ');
  return own.replace(/\P{L}+/gu, '').length >= ENOUGH ? own : prose;
};
const ENOUGH = 12;

/** What stands between spaces and words of scripts without them. */
const SPACED_WORD = new RegExp(`[^\\s${UNSPACED_SCRIPTS}\\p{sc=Hang}]+`, 'gu');
const NO_WORD = /[@_\\/=<>{}|]|\d|\p{Ll}\p{Lu}|\.\p{Ll}/u;

const scoresOf = (words: readonly string[], prose: string): Map<string, number> => {
  const scores = new Map<string, number>();
  const add = (languages: readonly string[] | undefined, weight: number) => {
    for (const language of languages ?? [])
      scores.set(language, (scores.get(language) ?? 0) + weight / (languages?.length ?? 1));
  };
  tables ??= { words: byEntry('words'), pieces: byEntry('pieces'), letters: byEntry('letters') };
  for (const word of words) {
    const known = tables.words.get(word);
    if (known !== undefined) {
      add(known, 1);
      continue;
    }
    if (word.length < 4) continue;
    const marked = `^${word}$`;
    for (let at = 0; at + 3 <= marked.length && at < 30; at += 1)
      add(tables.pieces.get(marked.slice(at, at + 3)), PIECE_WEIGHT);
  }
  for (const letter of prose) if (letter > '\u007f') add(tables.letters.get(letter), LETTER_WEIGHT);
  return scores;
};

const PIECE_WEIGHT = 0.35;
const LETTER_WEIGHT = 0.6;

type Table = Map<string, readonly string[]>;
let tables: { words: Table; pieces: Table; letters: Table } | undefined;

/**
 * The languages that have an entry. `words` are frequent short words of customers, up to an apostrophe; `pieces` are trigrams that are
 * frequent in few languages, with `^` and `$` for the ends of a word; `letters` are those that few languages have.
 */
const byEntry = (kind: 'words' | 'pieces' | 'letters'): Table => {
  const table: Table = new Map();
  for (const [language, lists] of Object.entries(languages))
    for (const entry of lists[kind].split(' ').filter(Boolean))
      table.set(entry, [...(table.get(entry) ?? []), language]);
  return table;
};

/**
 * The language of the script that a third of a text's letters use; within Cyrillic, Arabic and Han, letters that only one
 * language has decide.
 */
const languageOfScript = (text: string): string | undefined => {
  if (!/[\u0370-\uffff]/.test(text)) return undefined;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const count = (script: RegExp) => text.match(script)?.length ?? 0;
  const kana = count(/[\p{sc=Hira}\p{sc=Kana}]/gu);
  const han = count(/\p{sc=Han}/gu);
  // Every Japanese sentence contains kana.
  if (kana * 12 > han && (kana + han) * 3 > SHARE * letters) return 'ja';
  const found = SCRIPTS.find(([, script, weight]) => count(script) * weight > SHARE * letters)?.[0];
  return found === undefined
    ? undefined
    : (OWN_LETTERS[found]?.find(([, own]) => own.test(text))?.[0] ?? found);
};

const SHARE = 0.34;

/** A Han or Hangul character counts as three letters. */
const SCRIPTS: readonly (readonly [string, RegExp, number])[] = [
  ['zh', /\p{sc=Han}/gu, 3],
  ['ko', /\p{sc=Hang}/gu, 3],
  ['ru', /\p{sc=Cyrl}/gu, 1],
  ['el', /\p{sc=Grek}/gu, 1],
  ['ar', /\p{sc=Arab}/gu, 1],
  ['he', /\p{sc=Hebr}/gu, 1],
  ['hi', /\p{sc=Deva}/gu, 1],
  ['th', /\p{sc=Thai}/gu, 1],
];

const OWN_LETTERS: Record<string, readonly (readonly [string, RegExp])[]> = {
  ru: [
    ['uk', /[іїєґ]|(?<!\p{L})(?:як|що|та|від|ласка|дякую|чому|коли|мене)(?!\p{L})/u],
    ['sr', /[јљњћђџ]/],
    ['bg', /ъ(?![еёюя])/],
  ],
  ar: [
    ['ur', /[ٹڈڑے]/],
    ['fa', /[پچژگکی]/],
  ],
};
