import english from './lists/english.json' with { type: 'json' };

/**
 * Origin of a word: as written; written in camelCase (its parts follow); a part of such a word; or two to four parts
 * joined by one of `. _ : / @ -` (`16.0.4266` gives `1604266`).
 */
export type WordKind = 'word' | 'compound' | 'part' | 'joined';

/**
 * Visits the content words of a text in order: compatibility forms normalised, diacritics removed, lower case, no stop
 * words. Scripts written without spaces (Chinese, Japanese, Thai, ...) and Hangul become character bigrams. English
 * apostrophe endings are removed: `pool's` is `pool`, `I'm` is a stop word like `I`, and `don't` and `dont` are `not`. A word that ends in
 * `#` or `++` keeps its signs (`C#`), and a single one in capitals is no stop word (`IT`).
 *
 * @param visit Called once per word, with at most 64 UTF-16 units; `written` is the word with its diacritics, of which stems are made.
 * @param stopWords The words that are left out; the English ones when absent.
 */
export function analyseText(
  text: string,
  visitWord: (word: string, kind: WordKind, written: string) => void,
  stopWords: ReadonlySet<string> = STOP_WORDS,
): void {
  const visit: Visit = { word: visitWord, stopWords, shouted: undefined, text };
  const chain: string[] = [];
  let at = 0;
  while (at < text.length) {
    const start = at;
    let shape = 0;
    for (; at < text.length; at++) {
      const kind = classOf(text.charCodeAt(at));
      if (kind <= JOINER) break;
      shape |= kind;
    }
    let joins = false;
    if (at > start) {
      const run = text.slice(start, at);
      const ending = isApostrophe(text.charCodeAt(at)) ? endingAfter(text, at) : '';
      const word = ending === 't' ? withoutNegation(run) : run;
      const signs = ending === '' && (shape & OTHER) === 0 ? signsAfter(text, at) : '';
      if (signs !== '') {
        const name = clip(`${run.toLowerCase()}${signs}`);
        visit.word(name, 'word', name);
        chain.push(run.toLowerCase());
        at += signs.length;
      } else if (word !== '') chain.push(visitRun(word, shape, visit));
      if (word !== run) visit.word('not', 'word', 'not');
      if (ending !== '') at += 1 + ending.length;
      joins =
        at + 1 < text.length && isJoiner(text, at) && classOf(text.charCodeAt(at + 1)) > JOINER;
    }
    if (!joins) closeChain(chain, visit);
    at++;
  }
}

interface Visit {
  word: (word: string, kind: WordKind, written: string) => void;
  stopWords: ReadonlySet<string>;
  /** The words in capitals that stand beside others in capitals, where capitals mean nothing; undefined until it matters. */
  shouted: ReadonlySet<string> | undefined;
  text: string;
}

/** The signs that belong to the name before them, as in `C++`, `F#` and `notepad++`; empty if there are none. */
const signsAfter = (text: string, at: number): string => {
  const sign = text[at];
  // Most words are followed by neither.
  if (sign !== '+' && sign !== '#') return '';
  const [signs = ''] = /^(?:\+\+|#)(?![\p{L}\p{N}#+])/u.exec(text.slice(at, at + 3)) ?? [];
  return signs;
};

/** Whether a word is too common; one in capitals (`IT`, `US`) is a name, unless it stands beside others in capitals. */
const isStopWord = (word: string, run: string, visit: Visit): boolean => {
  if (!visit.stopWords.has(word)) return false;
  if (run.length < 2 || !CAPITALS.test(run)) return true;
  visit.shouted ??= new Set(
    [...visit.text.matchAll(SHOUTED)].flatMap(([words]) => words.match(/\p{Lu}+/gu) ?? []),
  );
  return visit.shouted.has(run);
};
const CAPITALS = /^\p{Lu}+$/u;
const SHOUTED = /(?<![\p{L}\p{N}])\p{Lu}+(?:[^\p{L}\p{N}]{1,3}\p{Lu}+(?![\p{L}\p{N}]))+/gu;

/** The same words as a list. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  analyseText(text, (word) => words.push(word));
  return words;
}

const MAX_WORD_LENGTH = 64;
const MAX_JOINED_PARTS = 4;

// Classes of a UTF-16 unit. Those above JOINER belong to words; they are bits, so that a run's shape is their union.
const SEPARATOR = 0;
const JOINER = 1;
const LOWER = 2;
const UPPER = 4;
const OTHER = 8;

const ASCII_CLASSES = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  if (/[a-z0-9]/.test(char)) return LOWER;
  if (/[A-Z]/.test(char)) return UPPER;
  return /[._:/@-]/.test(char) ? JOINER : SEPARATOR;
});

/** Every character beyond ASCII may belong to a word until it is normalised, except common general punctuation. */
const classOf = (code: number): number => {
  if (code < 128) return ASCII_CLASSES[code] ?? SEPARATOR;
  return code === 0xa0 || code === 0xb4 || (code >= 0x2000 && code <= 0x206f) ? SEPARATOR : OTHER;
};

const isJoiner = (text: string, at: number): boolean => classOf(text.charCodeAt(at)) === JOINER;

/** Straight and typographic apostrophes, and the accents typed instead. */
const isApostrophe = (code: number): boolean =>
  code === 0x27 || code === 0x2019 || code === 0x2018 || code === 0xb4 || code === 0x60;

/** Endings of the possessive and of is, has, am, are, have, will, had and would; `t` is the end of not. */
const ENDINGS: ReadonlySet<string> = new Set(['s', 't', 'm', 'd', 'll', 're', 've']);

/** The ending after the apostrophe at `at`, in lower case; empty if there is none. */
const endingAfter = (text: string, at: number): string => {
  let end = at + 1;
  while (end < text.length && end < at + 4 && classOf(text.charCodeAt(end)) > JOINER) end++;
  const ending = text.slice(at + 1, end).toLowerCase();
  return ENDINGS.has(ending) ? ending : '';
};

/** `need` for the run `needn` of `needn't`; empty for those of `won't`, `can't`, `shan't` and `ain't`. */
const withoutNegation = (run: string): string => {
  if (!/n$/i.test(run)) return run;
  const verb = run.slice(0, -1);
  return /^(?:wo|ca|sha|ai)$/i.test(verb) ? '' : verb;
};

/** Visits the words of one run and returns the run as part of a joined word. */
const visitRun = (run: string, shape: number, visit: Visit): string => {
  if ((shape & OTHER) !== 0) return visitForeign(run, visit);
  const whole = clip((shape & UPPER) === 0 ? run : run.toLowerCase());
  const parts = shape === (LOWER | UPPER) && run.length <= MAX_WORD_LENGTH ? camelParts(run) : [];
  if (parts.length < 2) {
    const word = NEGATIONS.has(whole) ? 'not' : whole;
    if (!isStopWord(whole, run, visit)) visit.word(word, 'word', word);
    return whole;
  }
  visit.word(whole, 'compound', whole);
  for (const part of parts) {
    const word = part.toLowerCase();
    if (word.length > 1 && !visit.stopWords.has(word)) visit.word(word, 'part', word);
  }
  return whole;
};

const camelParts = (run: string): string[] =>
  run.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})/);

const visitForeign = (run: string, visit: Visit): string => {
  const text = run.normalize('NFKC').replace(IGNORABLE, '').toLowerCase();
  const marked = text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const words = marked.map(withoutMarks);
  words.forEach((word, at) => {
    const pieces = word.split(UNSPACED);
    for (const piece of pieces) {
      if (UNSPACED_CHARACTER.test(piece)) visitPairs(piece, visit);
      else if (piece !== '' && !isStopWord(piece, run, visit))
        visit.word(clip(piece), 'word', clip(pieces.length > 1 ? piece : (marked[at] ?? piece)));
    }
  });
  return words.join('');
};

/** Joiners, direction marks and soft hyphens, which no reader sees. */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}+/gu;

const UNSPACED_SCRIPTS =
  '\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{sc=Hang}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}';
const UNSPACED = new RegExp(`([${UNSPACED_SCRIPTS}]+)`, 'u');
const UNSPACED_CHARACTER = new RegExp(`^[${UNSPACED_SCRIPTS}]`, 'u');

const visitPairs = (piece: string, visit: Visit): void => {
  let previous = '';
  let count = 0;
  for (const character of piece) {
    if (count > 0) visit.word(previous + character, 'word', previous + character);
    previous = character;
    count++;
  }
  if (count === 1) visit.word(previous, 'word', previous);
};

const closeChain = (chain: string[], { word, stopWords }: Visit): void => {
  if (chain.length === 0) return;
  if (chain.length > 1 && chain.length <= MAX_JOINED_PARTS) {
    const joined = clip(chain.join(''));
    if (!stopWords.has(joined)) word(joined, 'joined', joined);
  }
  chain.length = 0;
};

/** A word in the form in which editions have it. */
export function withoutMarks(word: string): string {
  return word
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .normalize('NFC');
}

/** Contractions without an apostrophe. `cannot` stays a word: reduced to `not` it finds less. */
const NEGATIONS: ReadonlySet<string> = new Set(english.negatedContractions);

const clip = (word: string): string =>
  word.length > MAX_WORD_LENGTH ? word.slice(0, MAX_WORD_LENGTH) : word;

/**
 * English words too common to distinguish chunks: articles, pronouns, auxiliaries, question words and apostrophe endings
 * (`s`, `t`, `ll`). Deliberately short: a longer list loses questions made of common words. When it changes,
 * editions have to be built again.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(english.stopWords);

/**
 * Bit mask of a word's letters (a to z; digits share five bits, bytes beyond ASCII one). One edit changes at most two
 * bits, so a vocabulary is searched for misspellings without comparing letters.
 */
export function letterMask(utf8: Uint8Array): number {
  let mask = 0;
  for (const byte of utf8) {
    if (byte >= 97 && byte <= 122) mask |= 1 << (byte - 97);
    else mask |= byte < 128 ? 1 << (26 + (byte % 5)) : 1 << 31;
  }
  return mask >>> 0;
}

/** Bytes of a text in UTF-8; a lone surrogate becomes U+FFFD. */
export function utf8Length(text: string): number {
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) length += 1;
    else if (code < 0x800) length += 2;
    else if (code >= 0xd800 && code <= 0xdbff && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) {
      length += 4;
      at++;
    } else length += 3;
  }
  return length;
}

/** Codes such as "E40" or "TLS1.3": the subject of a long message, however frequent they are in the articles. */
export function isCode(word: string): boolean {
  return /\p{L}/u.test(word) && /\d/.test(word);
}
