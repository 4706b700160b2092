/** Scripts without spaces, for a class of a regular expression with `u`. */
export const UNSPACED_SCRIPTS =
  '\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}';
/** Scripts without spaces, whose words are found by a dictionary. */
const UNSPACED_SCRIPT = new RegExp(`[${UNSPACED_SCRIPTS}]`, 'u');

/**
 * Pattern, for regular expressions with `u`, of a letter or digit that borders on spaces where a word ends. One of
 * another script may stand beside it: `将app.yaml放在`, `app.yaml을`.
 */
export const BORDERED = `(?![${UNSPACED_SCRIPTS}\\p{sc=Hang}])[\\p{L}\\p{N}]`;

let segmenter: Intl.Segmenter | undefined;

/** Whether a text is, in part at least, in a script without spaces. */
export function isUnspaced(text: string): boolean {
  return UNSPACED_SCRIPT.test(text);
}

/** The segments of a text that the dictionary of the runtime divides it into, in order, also what lies between words. */
export function segmentsOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  return segmenter.segment(text);
}

const NO_WORDS: ReadonlySet<string> = new Set();

/**
 * A text with spaces around its words where its script has none, without stop words, so that no pair of
 * characters is read that spans two words. Single characters side by side are a word that the dictionary lacks
 * and stay together; one alone beside other words of its script goes: there, texts have pairs only.
 */
export function withSpacedWords(text: string, stopWords = NO_WORDS): string {
  if (!isUnspaced(text)) return text;
  let out = '';
  let characters = '';
  let isBesideWord = false;
  const endCharacters = (isBeforeWord: boolean): void => {
    const isWord = [...characters].length > 1 || !(isBesideWord || isBeforeWord);
    out += isWord ? ` ${characters} ` : ' ';
    characters = '';
  };
  for (const { segment } of segmentsOf(text)) {
    const isOfScript = isUnspaced(segment);
    if (isOfScript && [...segment].length === 1 && !stopWords.has(segment)) {
      characters += segment;
      continue;
    }
    if (characters !== '') endCharacters(isOfScript);
    if (!isOfScript) out += segment;
    else out += stopWords.has(segment) ? ' ' : ` ${segment} `;
    isBesideWord = isOfScript;
  }
  if (characters !== '') endCharacters(false);
  return out;
}

export interface WrittenWord {
  text: string;
  /** Its place in the whole text. */
  start: number;
}

/** The words of a text as they are written; in scripts without spaces, its characters. */
export function writtenWords(text: string): WrittenWord[] {
  return [...text.matchAll(WRITTEN_WORD)].map(({ 0: word, index }) => ({
    text: word,
    start: index,
  }));
}
const WRITTEN_WORD = new RegExp(
  `[${UNSPACED_SCRIPTS}]|(?:(?![${UNSPACED_SCRIPTS}])[\\p{L}\\p{M}\\p{N}])+`,
  'gu',
);
