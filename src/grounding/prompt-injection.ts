import { decodeEntities } from '../markup/decode-entities.ts';
import { splitSentences } from '../text/split-sentences.ts';
import { PROMPT_INJECTION_PATTERNS } from './prompt-injection-patterns.ts';

/**
 * Whether a text is a prompt injection: it overrides instructions, assigns a role, imitates chat markup or a reply, dictates an answer, or
 * sends the conversation elsewhere; openly, spelled letter by letter, in base64, or in invisible characters.
 *
 * It detects known forms in a dozen languages. An injection that it misses is still data to the model, and the answer is still checked.
 * Measured in docs/navigator.md.
 *
 * @param text The first 8,000 UTF-16 units are read.
 */
export const hasPromptInjection = (text: string): boolean => {
  const read = text.slice(0, MAX_READ);
  return HIDDEN.test(read) || speaksToModel(read) || (ENCODED.test(read) && decodedOf(read).some(speaksToModel));
};

/** The same for names, in which other characters replace spaces: `care/ignore-all-previous-instructions.md`. */
export const isInjectionName = (name: string): boolean =>
  hasPromptInjection(name) || speaksToModel(name.slice(0, MAX_READ).replace(/[-_/.+]+/g, ' '));

/** In any reading; also with addresses as words, since their dots would end a sentence. */
const speaksToModel = (text: string): boolean => {
  const readings = plainReadings(text);
  const addressless = readings.map((reading) => reading.replace(/https?:\/\/[^\s)\]>"']+/g, 'url'));
  return [...new Set([...readings, ...addressless])].some((reading) =>
    PROMPT_INJECTION_PATTERNS.some((pattern) => pattern.test(reading)),
  );
};

const MAX_READ = 8000;

/** Invisible tag characters, and characters that change the text direction: no article needs them. */
const HIDDEN = /[\u{E0000}-\u{E007F}\u202D\u202E]/u;

const ENCODED = /[A-Za-z0-9+/]{24,}={0,2}/;

const decodedOf = (text: string): string[] =>
  [...text.matchAll(/[A-Za-z0-9+/]{24,4000}={0,2}/g)].slice(0, 20).flatMap(([run]) => {
    try {
      const bare = run.replace(/=+$/, '');
      const decoded = atob(bare.slice(0, bare.length - (bare.length % 4 === 1 ? 1 : 0)));
      return /^[\s!-~]+$/.test(decoded) ? [decoded] : [];
    } catch {
      return [];
    }
  });

/**
 * Readings of a text in lower case: by lines; with the lines of a paragraph joined, as Markdown renders them; and without the tags and
 * links within a sentence. Marks, invisible characters, lookalike letters and the spaces of a spelled-out word are removed in each.
 * Without duplicates.
 */
const plainReadings = (text: string): string[] => {
  const decoded = decodeEntities(text, letterNamed);
  const joined = decoded.replace(SOFT_BREAK, ' ');
  const bare = joined.replace(INLINE, '').replace(LINK, '$1');
  return [...new Set([decoded, joined, bare].map(plainOf))];
};

/** Letters, spaces and quotes as HTML entities; a Greek letter as its Latin lookalike. */
const letterNamed = (name: string): string | undefined => {
  const [, letter = '', mark = ''] = /^([a-z])(acute|grave|circ|uml|tilde|cedil|ring)$/i.exec(name) ?? [];
  if (letter !== '') return `${letter}${MARKS[mark]}`.normalize('NFC');
  if (/^(?:shy|zwn?j)$/.test(name)) return '';
  if (/^(?:(?:en|em|thin|nb)sp|Tab)$/.test(name)) return ' ';
  return Object.hasOwn(SIGNS, name.toLowerCase()) ? SIGNS[name.toLowerCase()] : undefined;
};

const MARKS: Record<string, string> = {
  ...{ grave: '\u0300', acute: '\u0301', circ: '\u0302', tilde: '\u0303', uml: '\u0308', ring: '\u030A' },
  cedil: '\u0327',
};
const SIGNS: Record<string, string> = {
  ...{ newline: '\n', amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", period: '.', comma: ',' },
  ...{ alpha: 'a', epsilon: 'e', iota: 'i', kappa: 'k', nu: 'v', omicron: 'o', rho: 'p', tau: 't', upsilon: 'u' },
  chi: 'x',
};

/** Within a paragraph or a block quote; a line that begins a list item, a heading, a row or a fence is separate. */
const SOFT_BREAK = /[ \t]*\r?\n[ \t]*(?:>[ \t]{0,3}){0,6}(?=[^\s>])(?!(?:[-+*•]|\d{1,3}[.)]|#{1,6})\s|\||```|~~~)/g;

const INLINE = /<!--[\s\S]{0,2000}?-->|<\/?[a-z][^<>]{0,300}>/gi;
const LINK = /!?\[([^\]\n]{0,200})\]\([^)\n]{0,300}\)/g;

const plainOf = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[\u00AD\u200B-\u200F\u202A-\u202C\u2060-\u2069\uFEFF]/g, '')
    .replace(/[*~`\\]+/g, '')
    .replace(/(?<![\p{L}\p{N}_])_{1,3}(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}])_{1,3}(?![\p{L}\p{N}_])/gu, '')
    .toLowerCase()
    .replace(/[\p{L}\p{M}]+/gu, latinised)
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201C-\u201F]/g, '"')
    .replace(/\b(?:\p{L}[ .-]){4,40}\p{L}\b/gu, (spelled) => spelled.replace(/[ .-]/g, ''))
    .replace(/[^\S\n]+/g, ' ');

/** Only in a word that is otherwise Latin, so that a Russian word stays Russian. */
const latinised = (word: string): string =>
  /[a-z]/.test(word) && /[^\p{sc=Latin}\p{M}]|[ıɡ]/u.test(word)
    ? [...word].map((letter) => LOOK_ALIKES.get(letter) ?? letter).join('')
    : word;

/** Cyrillic, Greek and other lookalikes, upper and lower case (Unicode Technical Standard 39, confusables). */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  'аa еe оo рp сc хx уy іi јj ѕs ԁd һh кk мm тt пn вb нh οo αa εe ιi κk νv ρp τt υu χx ηn βb հh օo ıi ɡg'
    .split(' ')
    .map(([letter = '', latin = '']) => [letter, latin]),
);

/** The sentences before the first prompt injection: all when there is none, nothing when it spans several sentences. */
export const beforeInjection = (text: string): string => {
  if (!hasPromptInjection(text)) return text;
  const sentences = splitSentences(text);
  const first = sentences.find(({ start, end }) => hasPromptInjection(text.slice(start, end)));
  return first === undefined ? '' : text.slice(0, first.start).trim();
};
