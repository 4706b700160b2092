const SCRIPTS =
  '\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}';
/** Scripts without spaces, whose words are found by a dictionary. */
const UNSPACED_SCRIPT = new RegExp(`[${SCRIPTS}]`, 'u');

/**
 * Pattern, for regular expressions with `u`, of a letter or digit that borders on spaces where a word ends. One of
 * another script may stand beside it: `将app.yaml放在`, `app.yaml을`.
 */
export const BORDERED = `(?![${SCRIPTS}\\p{sc=Hang}])[\\p{L}\\p{N}]`;

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
 * and stay together; one alone goes: texts have pairs only.
 */
export function withSpacedWords(text: string, stopWords = NO_WORDS): string {
  if (!isUnspaced(text)) return text;
  let out = '';
  let unknownWord = '';
  const addUnknownWord = (): void => {
    if ([...unknownWord].length > 1) out += ` ${unknownWord} `;
    unknownWord = '';
  };
  for (const { segment } of segmentsOf(text)) {
    const isStopWord = stopWords.has(segment);
    const isCharacter = isUnspaced(segment) && [...segment].length === 1 && !isStopWord;
    if (isCharacter) {
      unknownWord += segment;
      continue;
    }
    addUnknownWord();
    if (!isUnspaced(segment)) out += segment;
    else out += isStopWord ? ' ' : ` ${segment} `;
  }
  addUnknownWord();
  return out;
}

/** The words of a text as they are written; in scripts without spaces, its characters. */
export function writtenWords(text: string): readonly string[] {
  return text.match(WRITTEN_WORD) ?? [];
}
const WRITTEN_WORD = new RegExp(`[${SCRIPTS}]|(?:(?![${SCRIPTS}])[\\p{L}\\p{M}\\p{N}])+`, 'gu');
