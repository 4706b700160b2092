import { wordsOf } from '../../text/analyse-text.ts';
import { readMail } from '../../text/mail.ts';
import { splitSentences } from '../../text/split-sentences.ts';
import { stem } from '../../text/stem.ts';
import subjects from './generic-subjects.json' with { type: 'json' };
import { isCommonWord } from './topic-words.ts';

/** The problem of a message, without what surrounds it. */
export interface ProblemText {
  /** Subject and message, at most 4,000 characters; unchanged if nothing else remains. */
  text: string;
  /** Its informative sentences and lines, in order; at most 8. */
  sentences: string[];
}

/** Personal data that is neither searched nor reported: masking marks, and numbers of cases, orders and devices. */
export const withoutOwnData = ({ text, sentences }: ProblemText): ProblemText => {
  const without = (each: string) => each.replace(MARK, ' ').replace(OWN_NUMBER, '$1');
  return { text: without(text), sentences: sentences.map(without) };
};
const MARK = /\[(?:name|key|wallet|card|email|phone)\]/g;
/** "RMA-204518", "A2-004711": in an article only as an example. The letters may be informative. */
const OWN_NUMBER = /(?<![\p{L}\d-])(\p{Lu}{1,4})\d?-\d{5,12}(?![\p{L}\d-])/gu;

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
export const problemText = (message: string, subject = ''): ProblemText => {
  const own = readMail(message.slice(0, MAX_READ)).own.split('\n');
  const lines = withoutLogs(withoutClosing(withoutGreeting(own)));
  const about = tellingSubject(withoutReply(subject.slice(0, MAX_SUBJECT)));
  const body = withoutMarkup(lines.join('\n')).trim();
  const whole = [about, body].filter((part) => part !== '').join('\n');
  const text = (whole === '' ? message.trim() : whole).slice(0, MAX_TEXT);
  return { text, sentences: sentencesOf(text) };
};

const GREETING =
  /^\s*(?:hi|hello|hey|dear|greetings|good\s(?:morning|day|afternoon|evening)|guten\s(?:tag|morgen|abend)|hallo|sehr geehrte[rs]?|liebe[rs]?|bonjour|bonsoir|hola|buenos días|buenas tardes|ciao|buongiorno|olá|moin)(?![\p{L}\p{N}])[^.!?,:\n]{0,60}[.!?,:]{0,3}\s*/iu;

/** Drops the greeting of the first non-empty line, or the whole line if it is one. */
const withoutGreeting = (lines: readonly string[]): string[] => {
  const first = lines.findIndex((line) => line.trim() !== '');
  const line = lines[first];
  if (line === undefined) return [];
  const rest = line.replace(GREETING, '');
  // "Hello my Apollo shows 0 H/s": the greeting has no clear end, so nothing is dropped.
  const isGreeting =
    rest === ''
      ? wordsOf(line).length <= MAX_GREETING_WORDS
      : /[.!?,:]\s*$/.test(line.slice(0, line.length - rest.length));
  return [isGreeting ? rest : line, ...lines.slice(first + 1)];
};

const MAX_GREETING_WORDS = 4;

const CLOSING =
  /^\s*(?:(?:many |kind |best |warm |with )*(?:thanks|thank you|thx|regards|wishes|best|cheers|sincerely|yours(?: \p{L}+)?|greetings)(?: (?:in advance|a lot|so much|very much|for .{1,40}|and regards|regards))?|(?:mit )?(?:freundlichen?|besten?|vielen|viele|liebe|schöne) (?:gr(?:ü|ue)(?:ß|ss)en?|dank)|mfg|vg|lg|danke|cordialement|merci(?: .{0,30})?|bien à vous|saludos(?: .{0,30})?|gracias(?: .{0,30})?|atentamente|obrigad[oa]|cordiali saluti|grazie)[\s,.!]{0,5}$/iu;
const MAX_SIGNATURE_LINES = 6;

/** Cuts at a closing near the end that is followed only by a signature. */
const withoutClosing = (lines: readonly string[]): string[] => {
  const from = Math.max(1, lines.length - MAX_SIGNATURE_LINES);
  const at = lines.findIndex((line, place) => place >= from && CLOSING.test(line));
  const isSignature = at >= 0 && lines.slice(at + 1).every((line) => wordsOf(line).length <= 8);
  return isSignature ? lines.slice(0, at) : [...lines];
};

/** A log line begins with a timestamp, a level in brackets or a memory address, or is a stack frame. */
const LOG_LINE =
  /^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d|\[?\d\d:\d\d:\d\d|\w{3} {1,2}\d{1,2} \d\d:\d\d|\[?(?:debug|info|warn(?:ing)?|error|fatal|trace)\b[\]:|]|0x[0-9a-f]{6}|at [\w.$<>]{2,100} ?\(|\[ {0,5}\d{1,6}\.\d{3})/i;
const FAULT = /\b(?:error|err|fail(?:ed|ure)?|fatal|warn(?:ing)?|exception|refused|timeout|denied|[A-Z]{1,4}\d{1,4})\b/;
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
  const rarest = [...faults.values()].toSorted((one, other) => one.length - other.length).slice(0, MAX_FAULT_LINES);
  return [...rarest.flatMap(([message]) => message ?? []), ...lines.filter((line) => !LOG_LINE.test(line))];
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

/** Generic subjects such as "Question" or "Help needed" are not part of the problem. */
const tellingSubject = (subject: string): string =>
  wordsOf(subject).every((word) => isCommonWord(word) || isCommonWord(stem(word)) || OF_SUBJECTS.has(word))
    ? ''
    : subject;

/** The same in other languages. */
const OF_SUBJECTS: ReadonlySet<string> = new Set(subjects);

const sentencesOf = (text: string): string[] =>
  text
    .split('\n')
    .flatMap((line) => splitSentences(line).map(({ start, end }) => line.slice(start, end)))
    // Customers continue in lower case: "Dust? its next to the cat's bed"; and number their problems: "1) no sound, 2) no picture".
    .flatMap((sentence) => sentence.split(/(?<=[?!])\s+|(?<=^|\s)\(?[1-9]\)\s+/))
    .filter((sentence) => wordsOf(sentence).length > 0)
    .slice(0, MAX_SENTENCES);
