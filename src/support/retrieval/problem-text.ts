import { inverseFrequency } from '../../knowledge/edition/open-index.ts';
import { backgroundShares, type QueryTerm } from '../../knowledge/search/analyse-query.ts';
import { STOP_WORDS, wordsOf } from '../../language/analyse-text.ts';
import { detectLanguage } from '../../language/detect-language.ts';
import { languageNamed } from '../../language/language.ts';
import { readMail } from '../../language/mail.ts';
import { smallTalkIn } from '../../language/small-talk.ts';
import { sentencesIn } from '../../language/split-sentences.ts';
import { stem } from '../../language/stem.ts';
import { UNITS_OF_MEASUREMENT } from '../../language/units-of-measurement.ts';

/** The problem of a message, without what surrounds it. */
export interface ProblemText {
  /** Subject and message, at most 4,000 characters; unchanged if nothing else remains. */
  text: string;
  /** Its informative sentences and lines, in order; at most 8. */
  sentences: string[];
}

/** Personal data that is neither searched nor reported: masking marks, and numbers of cases, orders and devices. */
export function withoutOwnData({ text, sentences }: ProblemText): ProblemText {
  const without = (each: string) => each.replace(MARK, ' ').replace(OWN_NUMBER, '$1');
  return { text: without(text), sentences: sentences.map(without) };
}
const MARK = /\[(?:name|key|wallet|card|email|phone)\]/g;
/** "RMA-204518", "A2-004711": in an article only as an example. The letters may be informative. */
const OWN_NUMBER = /(?<![\p{L}\d-])(\p{Lu}{1,4})\d?-\d{5,12}(?![\p{L}\d-])/gu;

/** The numbers of cases, orders and devices that a text names, in order. */
export function ownNumbersIn(text: string): string[] {
  return [...text.matchAll(OWN_NUMBER)].map(([number]) => number);
}

/** Upper bound of the text read, in UTF-16 units: history and logs come after the message itself. */
const MAX_READ = 16_000;
const MAX_TEXT = 4000;
const MAX_SENTENCES = 8;
const MAX_SUBJECT = 300;

/**
 * The customer's own words on the problem, without greetings, closings, signatures and quoted mail; of a log, only lines that name a fault, placed
 * first.
 *
 * @param message Of any length; only the first 16,000 characters are read.
 */
export function problemText(message: string, subject = ''): ProblemText {
  const own = readMail(message.slice(0, MAX_READ)).own.split('\n');
  const lines = withoutLogs(withoutClosing(withoutGreeting(own)));
  const title = withoutReply(subject.slice(0, MAX_SUBJECT));
  const body = withoutMarkup(lines.join('\n')).trim();
  const problem = [title, body].filter((part) => part !== '').join('\n');
  const text = (problem === '' ? message.trim() : problem).slice(0, MAX_TEXT);
  return { text, sentences: sentencesOf(text) };
}

/**
 * Drops a first line that addresses the reader: a few words up to a comma, or thanks and greetings. Only short lines and clauses are compared
 * with those: their expressions take some milliseconds when they are first used.
 */
const withoutGreeting = (lines: readonly string[]): string[] => {
  const first = lines.findIndex((line) => line.trim() !== '');
  const line = lines[first] ?? '';
  const [clause = ''] = /^[^.!?,:;\n]{1,40}[.!?,:]+(?=\s)/.exec(line) ?? [];
  const isShort = wordCount(line) <= MAX_NAME_WORDS;
  const isGreeting =
    isShort && (/^[^.!?:;]{1,60},\s*$/.test(line) || smallTalkIn(line) !== undefined);
  const isOpening =
    !isShort && wordCount(clause) <= MAX_NAME_WORDS && smallTalkIn(clause) !== undefined;
  return [
    isGreeting ? '' : isOpening ? line.slice(clause.length) : line,
    ...lines.slice(first + 1),
  ];
};

/** Words of a salutation, and of a line of a signature. */
const MAX_NAME_WORDS = 6;
const MAX_SIGNATURE_LINES = 6;

/** Drops the last lines when they are a closing and a name: thanks, and a few words each without a number and without the end of a sentence. */
const withoutClosing = (lines: readonly string[]): readonly string[] => {
  const isSigning = (line: string): boolean =>
    line.trim() === '' ||
    (wordCount(line) <= MAX_NAME_WORDS &&
      (/^\p{Lu}[^\d?!:;|]{0,80}(?<![.…])$/u.test(line.trim()) || smallTalkIn(line) !== undefined));
  const body = lines.findLastIndex((line) => !isSigning(line)) + 1;
  const from = Math.max(body, lines.length - MAX_SIGNATURE_LINES);
  const isSigned = NAME.test(lines.findLast((line) => line.trim() !== '') ?? '');
  const closing = lines.findIndex(
    (line, at) => at >= from && ((isSigned && at === body) || isClosing(line, lines[at - 1] ?? '')),
  );
  return closing < 0 || /:\s*$/.test(lines.slice(0, closing).join('\n'))
    ? lines
    : lines.slice(0, closing);
};

/** Thanks, a line that ends in a comma, or the first one of a paragraph. */
const isClosing = (line: string, before: string): boolean =>
  line.trim() !== '' &&
  (before.trim() === '' || /,\s*$/.test(line) || smallTalkIn(line) !== undefined);

const NAME = /^\s*\p{Lu}[\p{L}\p{M}'’.-]*(?: \p{Lu}[\p{L}\p{M}'’.-]*){0,2}\s*$/u;

const wordCount = (line: string): number => line.trim().split(/\s+/).length;

/** A log line begins with a timestamp, a level in brackets or a memory address, or is a stack frame. */
const LOG_LINE =
  /^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d|\[?\d\d:\d\d:\d\d|\w{3} {1,2}\d{1,2} \d\d:\d\d|\[?(?:debug|info|warn(?:ing)?|error|fatal|trace)\b[\]:|]|0x[0-9a-f]{6}|at [\w.$<>]{2,100} ?\(|\[ {0,5}\d{1,6}\.\d{3})/i;
const FAULT =
  /\b(?:error|err|fail(?:ed|ure)?|fatal|warn(?:ing)?|exception|refused|timeout|denied|[A-Z]{1,4}\d{1,4})\b/;
/** Prefix of a log line. */
const LOG_HEAD = /^[\s[\]\d:.,TZ+/-]{4,40}/;
const MAX_FAULT_LINES = 3;

/** Faults first, since only a few sentences are searched one by one; rare log lines before frequent ones. */
const withoutLogs = (lines: readonly string[]): string[] => {
  const logged = lines.filter((line) => LOG_LINE.test(line));
  if (logged.length < 2) return [...lines];
  const faults = Map.groupBy(
    logged.map(logMessage).filter((message) => FAULT.test(message)),
    shapeOf,
  );
  const rarest = [...faults.values()]
    .toSorted((one, other) => one.length - other.length)
    .slice(0, MAX_FAULT_LINES);
  return [
    ...rarest.flatMap(([message]) => message ?? []),
    ...lines.filter((line) => !LOG_LINE.test(line)),
  ];
};

const logMessage = (line: string): string => line.replace(LOG_HEAD, '').slice(0, 200);

/** The same line with other figures is a duplicate; codes stay: "E40 supply # V". */
const shapeOf = (message: string): string => message.replace(/(?<![\p{L}\d])\d[\d.,:/]*/gu, '#');

/** Drops template fields, and all of a link but its text. */
const withoutMarkup = (text: string): string =>
  text
    .replace(/\{{1,2}[\w .-]{1,40}\}{1,2}/g, ' ')
    .replace(/\[([^\][\n]{1,200})\]\([^()\s]{1,500}(?:\([^()\s]{0,100}\))?\)/g, '$1');

const withoutReply = (subject: string): string =>
  subject.replace(/^(?:\s{0,3}(?:re|fw|fwd|aw|wg|tr|rv)\s?(?:\[\d{1,3}\])?:){1,8}/i, '').trim();

const sentencesOf = (text: string): string[] =>
  text
    .split('\n')
    .flatMap(sentencesIn)
    // Customers continue in lower case: "Dust? its next to the cat's bed"; and number their problems: "1) no sound, 2) no picture".
    .flatMap((sentence) => sentence.split(/(?<=[?!])\s+|(?<=^|\s)\(?[1-9]\)\s+/))
    .filter((sentence) => wordsOf(sentence).length > 0)
    .slice(0, MAX_SENTENCES);

/** The topic of a question, in the customer's own words. */
export interface Topic {
  /** As typed, adjacent words joined, in order; at most 5. */
  phrases: string[];
  /** Stems with their weight in the edition. */
  stems: (readonly [stem: string, weight: number])[];
}

interface TopicOptions {
  terms: readonly QueryTerm[];
  /** Chunks of the edition. */
  chunkCount: number;
  /** Whether a term belongs to the topic. */
  isAsked: (term: QueryTerm) => boolean;
  /** Names of products and people, which are not part of the topic. */
  names: readonly string[];
}

const MAX_PHRASES = 5;
const MAX_PHRASE = 60;
const MAX_STEMS = 12;
/** A word is part of a topic when its idf is at least this share of the highest possible one. */
const TELLING = 0.3;

/** The informative words of a question that it asks for, as typed. */
export function topicOf(text: string, { terms, chunkCount, isAsked, names }: TopicOptions): Topic {
  const most = inverseFrequency(0, chunkCount);
  const left = new Set(names.flatMap((name) => wordsOf(name)));
  // Rare in articles of another language, and still no topic: "wie", "der".
  const common = languageNamed(detectLanguage(text) ?? 'en').stopWords;
  const telling = terms.filter(
    (term) =>
      isAsked(term) &&
      !common.has(term.word) &&
      term.origin === 'question' &&
      term.idf >= TELLING * most &&
      !left.has(term.word) &&
      isWord(term.word),
  );
  const stems = new Map(
    telling.map((term) => [term.stem, Math.round((100 * term.idf) / most) / 100] as const),
  );
  return {
    phrases: phrasesIn(text, (word) => stems.has(stem(word)) && !left.has(word)).slice(
      0,
      MAX_PHRASES,
    ),
    stems: [...stems].sort((a, b) => b[1] - a[1]).slice(0, MAX_STEMS),
  };
}

/** Merges several topics; duplicates count once. */
export function joinTopics(topics: readonly Topic[]): Topic {
  return {
    phrases: eachOnce(topics.flatMap(({ phrases }) => phrases)).slice(0, MAX_PHRASES),
    stems: [...new Map(topics.flatMap(({ stems }) => stems))]
      .sort((left, right) => right[1] - left[1])
      .slice(0, MAX_STEMS),
  };
}

/** Excludes numbers, order codes, units, and words of ordinary requests. */
const isWord = (word: string): boolean =>
  /\p{L}{2}/u.test(word) &&
  word.length <= 30 &&
  !/\d{4}/.test(word) &&
  !isCommonWord(word) &&
  !isUnit(word);

/** A unit alone or with its number: `TH/s` is read as `th` and, joined, `ths`. */
const isUnit = (word: string): boolean => UNITS.has(word.replace(/^\d{1,4}/, ''));
const UNITS: ReadonlySet<string> = new Set(
  [...UNITS_OF_MEASUREMENT.keys()].flatMap((unit) =>
    unit.includes('/') ? [...unit.split('/'), unit.replace('/', '')] : unit,
  ),
);

/** Whether a word occurs in texts on any topic: a stop word, or one of some two hundred of general English. */
export function isCommonWord(word: string): boolean {
  return STOP_WORDS.has(word) || shareOf(word) > COMMON_SHARE;
}

/** Whether a word tells a topic by itself: it is none of some eight hundred of general English, and no number. */
export function isRareWord(word: string): boolean {
  return !/\d/.test(word) && shareOf(word) < RARE_SHARE;
}

const shareOf = (word: string): number => backgroundShares().get(stem(word)) ?? 0;
/** Shares of all running words. */
const COMMON_SHARE = 0.00055;
const RARE_SHARE = 0.0002;

/** Runs of topic words, without duplicates. */
const phrasesIn = (text: string, isAsked: (word: string) => boolean): string[] => {
  const phrases: string[] = [];
  let end = -1;
  for (const { 0: written, index } of text.matchAll(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'’/-]{0,40}/gu)) {
    if (/\d{4}/.test(written) || !wordsOf(written).some(isAsked)) continue;
    const before = phrases.at(-1);
    const isNext =
      before !== undefined &&
      /^ ?$/.test(text.slice(end, index)) &&
      before.length + written.length < MAX_PHRASE;
    if (isNext) phrases[phrases.length - 1] = `${before} ${written}`;
    else phrases.push(written);
    end = index + written.length;
  }
  return eachOnce(phrases);
};

/** In any case of letters; as written last. */
const eachOnce = (phrases: readonly string[]): string[] => [
  ...new Map(phrases.map((phrase) => [phrase.toLowerCase(), phrase])).values(),
];

/**
 * Names of people in a text, as written: the words after "my name is", "Mr" or "my neighbour", and two or three capitalised words in a row that are
 * unknown to the knowledge base. After an article they are a thing: "the Umbrel Home".
 *
 * @param isKnown Whether a word occurs in the knowledge base, in a product name or in ordinary requests.
 * @returns At most 10, without duplicates.
 */
export function peopleNamedIn(text: string, isKnown: (word: string) => boolean): string[] {
  const read = text.slice(0, MAX_READ_FOR_NAMES);
  const people = new Set<string>();
  for (const [, name = ''] of read.matchAll(SAID_TO_BE_A_NAME)) people.add(name);
  for (const [, name = ''] of read.matchAll(MAY_BE_A_NAME))
    if (!hasKnown(name, isKnown)) people.add(name);
  for (const run of capitalisedRuns(read, isKnown)) people.add(run);
  return [...people].slice(0, MAX_PEOPLE);
}

const MAX_READ_FOR_NAMES = 4000;
const MAX_PEOPLE = 10;

/** Runs of two or three words; known words and articles end a run. */
const capitalisedRuns = (text: string, isKnown: (word: string) => boolean): string[] => {
  const runs: { text: string; words: number; end: number; isThing: boolean }[] = [];
  for (const { 0: word, index } of text.matchAll(CAPITALISED)) {
    if (isKnown(word) || isTitle(word)) continue;
    const run = runs.at(-1);
    const between = run === undefined ? '' : text.slice(run.end, index);
    const end = index + word.length;
    if (run !== undefined && run.words < 3 && BETWEEN.test(between)) {
      Object.assign(run, { text: `${run.text}${between}${word}`, words: run.words + 1, end });
    } else {
      const isThing =
        ARTICLE.test(text.slice(Math.max(0, index - 8), index)) || word.endsWith('ing');
      runs.push({ text: word, words: 1, end, isThing });
    }
  }
  return runs.flatMap((run) => (run.words > 1 && !run.isThing ? run.text : []));
};

const isTitle = (word: string): boolean =>
  /^(?:Mrs?|Ms|Miss|Dr|Prof|Herrn?|Frau|Madame|Monsieur|Señora?)$/.test(word);

const hasKnown = (name: string, isKnown: (word: string) => boolean): boolean =>
  name.split(/[ .]+/).some(isKnown);

const CAPITAL = "\\p{Lu}(?=[\\p{L}\\p{M}'’-]{0,30}\\p{Ll})[\\p{L}\\p{M}'’-]{1,30}";
const INITIAL = '(?:\\p{Lu}\\. )?';
const BEFORE = '(?<![\\p{L}\\p{N}])';

const SAID_TO_BE_A_NAME = new RegExp(
  `${BEFORE}(?:[Mm]y name is|[Mm]y name['’]s|[Mm]ein Name ist|[Ii]ch heiße|[Jj]e m['’]appelle|[Mm]on nom est|[Mm]e llamo|[Mm]i nombre es|[Mm]i chiamo|[Ii]k heet|[Mm]ijn naam is|Mrs?\\.?|Ms\\.?|Miss|Dr\\.?|Prof\\.?|Herrn?|Frau|Madame|Monsieur|Señora?) (?:(?:Dr|Prof)\\.? )?(${CAPITAL}(?: ${INITIAL}${CAPITAL}){0,2})`,
  'gu',
);
const MAY_BE_A_NAME = new RegExp(
  `${BEFORE}(?:[Ii] am|I['’]m|[Tt]his is|[Ii]ch bin|[Hh]ier ist|neighbou?r|colleague|friend|wife|husband|son|daughter|brother|sister|boss|partner|Nachbar(?:in)?|Kolleg(?:e|in)|voisine?|collègue) (${CAPITAL}(?: ${INITIAL}${CAPITAL}){0,2})`,
  'gu',
);
const CAPITALISED = new RegExp(`${BEFORE}${CAPITAL}(?![\\p{L}\\p{N}])`, 'gu');
/** Separators between parts of a name: a space, and an initial. */
const BETWEEN = new RegExp(`^ ${INITIAL}$`, 'u');
const ARTICLE =
  /(?<!\p{L})(?:an?|the|my|our|your|its|ein(?:e[mnr]?)?|de[mnr]|die|das|une?|l[ae]s?|un[ao]?|el|il|het)\s$/iu;
