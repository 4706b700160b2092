import { stem } from '../../text/stem.ts';
import { STOP_WORDS } from '../../text/stop-words.ts';
import { isNumberWord, type NumberKind, numberInDigits, numberInWords } from './read-numbers.ts';
import { meaningsOf } from './word-relations.ts';

/** What a word does in a sentence. Content, names and numbers are what a source has to have. */
type Role = 'content' | 'name' | 'number' | 'negation' | 'function';

/** A word of a text, in its order. */
export interface Word {
  /** Lower case, without marks. */
  text: string;
  /** What it is compared by: the stem of a word, `#` and the value of a number, `not` for every denial. */
  key: string;
  role: Role;
  /** It begins with a capital, in a text that has both. */
  isCapital: boolean;
  /** A mark or a conjunction parts it from the word before. */
  opensClause: boolean;
  /** Of a number: what it is, where that can be told. */
  kind?: NumberKind;
  value?: number;
  /** What it counts among those that a source has to have, 0 to 1. */
  weight: number;
  /** By what it is found: itself, its meanings, and its beginning, by which `producer` finds `produced`. */
  forms: readonly string[];
}

/**
 * Reads a sentence as words. Numbers have one form however they are written (`1,200`; `three`; `20th`, `twentieth`), denials
 * are one word, and a name is what has a capital inside the sentence, where capitals are used at all.
 */
export const readWords = (sentence: string): Word[] => {
  const words: Word[] = [];
  const isCased = /\p{Lu}/u.test(sentence) && /\p{Ll}/u.test(sentence);
  let isFirst = true;
  let end = 0;
  for (const { 0: run, index } of sentence.matchAll(WORD)) {
    const before = words.length;
    if (/^\d/.test(run)) words.push(numberOf(numberInDigits(run, sentence, index)));
    else addWord(words, run, isCased && isName(run, isFirst));
    const word = words.at(-1);
    if (word && words.length > before) {
      word.isCapital = isCased && /^\p{Lu}/u.test(run);
      word.opensClause = CLAUSE_MARK.test(sentence.slice(end, index)) || CONJUNCTIONS.has(word.text);
    }
    isFirst = /^\s*[:•]/.test(sentence.slice(index + run.length, index + run.length + 3));
    end = index + run.length;
  }
  return words;
};

const CLAUSE_MARK = /[,;:()|]|\s[–—-]\s/;
const CONJUNCTIONS: ReadonlySet<string> = new Set(['and', 'but', 'or', 'while', 'whereas']);

/** Whether a source has to have it. */
export const isSought = ({ role }: Word): boolean => role === 'content' || role === 'name' || role === 'number';

const WORD =
  /\d+(?:[.,:]\d+){0,5}(?:st|nd|rd|th|s)?(?![\p{L}\d])|[\p{L}\p{N}\p{M}]{1,64}(?:['’]\p{L}{1,2}(?!\p{L}))?|n['’]t\b/gu;

const isName = (run: string, isFirst: boolean): boolean =>
  isFirst ? /^\p{L}.*\p{Lu}|^\p{Lu}.*\d/u.test(run) : /^\p{Lu}|\p{Ll}\p{Lu}/u.test(run);

const addWord = (words: Word[], run: string, isNamed: boolean): void => {
  const lower = run
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll('’', "'");
  const isNot = /n't$/.test(lower);
  const text = isNot ? 'not' : lower.replace(/'\w*$/, '');
  if (isNot || DENIALS.has(text)) words.push(wordOf(text, 'not', 'negation'));
  else if (text === '' || text === 's') return;
  else if (isNumberWord(text)) addNumberWord(words, text);
  else if (text !== 'percent' && text !== 'cent') {
    const role: Role = STOP_WORDS.has(text) || LIGHT.has(text) ? 'function' : isNamed ? 'name' : 'content';
    words.push(wordOf(text, stem(text), role));
  }
};

const wordOf = (text: string, key: string, role: Role): Word => ({
  ...{ text, key, role, isCapital: false, opensClause: false },
  weight: weightOf(role, key, text),
  forms: formsOf(key, role),
});

/** "three million" is one number, and so is "3 million". */
const addNumberWord = (words: Word[], text: string): void => {
  const last = words.at(-1);
  const { isMultiplied, ...read } = numberInWords(text, last?.role === 'number' ? last : undefined);
  if (isMultiplied) words.pop();
  words.push(numberOf({ text, ...read }));
};

const numberOf = ({ text, key, kind, value }: Pick<Required<Word>, 'text' | 'key' | 'kind' | 'value'>): Word => ({
  ...wordOf(text, key, 'number'),
  kind,
  value,
});

const formsOf = (key: string, role: Role): readonly string[] => {
  if (role !== 'content' && role !== 'name') return [key];
  return key.length < 5 ? [key, ...meaningsOf(key)] : [key, ...meaningsOf(key), `${key.slice(0, 5)}-`];
};

const weightOf = (role: Role, key: string, text: string): number => {
  if (role === 'function' || role === 'negation') return 0;
  if (role === 'content' && WEAK.has(key)) return 0.35;
  return text.length <= 2 ? 0.7 : 1;
};

const DENIALS: ReadonlySet<string> = new Set(
  'not no never none neither nor without cannot nothing nobody nowhere hardly barely'.split(' '),
);

/** Words that carry little of what a sentence says, besides those that a search leaves out. */
const LIGHT: ReadonlySet<string> = new Set(
  (
    'also so then than such very too just well yes yeah okay oh us else each both either own same other another many much ' +
    'more most some any all every few several about into over after before between during through under up down out off ' +
    'again once here only quite rather really actually while because since until unless although though however therefore ' +
    'like get got getting gets go goes going make makes made making know known called named use used using one ones thing ' +
    'things lot lots way ways include includes including included involve became become becomes say says said always ' +
    'often usually generally sometimes still even ever yet per via within among against themselves himself herself itself elsewhere anywhere somewhere everywhere please see'
  ).split(' '),
);

/** Stems of words that speak of speaking, being and doing. */
const WEAK: ReadonlySet<string> = new Set(
  (
    'discuss mention accord document text passag articl sourc state explain describ suggest note add addition inform detail ' +
    'question answer refer provid follow specif variou differ certain particular gener typic main mainli primari primarili import ' +
    'signific notabl exampl group person peopl someon time year dai come came went took take taken place plai due caus career name ' +
    'abl eventu later earli earlier start began begin end receiv work done life live lead led part world now todai first last ' +
    'type kind number amount base origin current recent new potenti possibl determin identifi consist consid believ seem appear ' +
    'help allow need want think feel look find found give given keep bring brought hold held show turn becom happen occur exist ' +
    'special real realli true fact good great nice interest sure mean meant call titl man woman stuff present relat throughout ' +
    'despit instead along around togeth overal final simpli basic clear easili quickli featur'
  ).split(' '),
);
