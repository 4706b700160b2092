import WORDS from './lists/mail.json' with { type: 'json' };

/** A mail as its sender wrote it. */
interface Mail {
  /** Without quoted history, signature, mail-program lines and legal notices; the whole text if nothing else remains. */
  own: string;
  /** Body of the forwarded mail, without its headers. */
  forwarded: string | undefined;
}

/**
 * Extracts the sender's own words from a mail: removes the quoted mail (below an attribution such as `On 6 Oct 2026,
 * Support wrote:`, Outlook's header block or `-----Original Message-----`, or behind `>`), signatures after `--`, `Sent
 * from my …`, and legal notices.
 *
 * Lines behind `>` that follow the sender's own colon ("I get this:") quote something else and stay.
 *
 * @param text Plain text or Markdown; time is linear in its length.
 */
export function readMail(text: string): Mail {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const forward = lines.findIndex((line) => isForwardMark(line));
  if (forward >= 0) {
    const body = bodyOf(lines.slice(forward + 1));
    if (body !== '') return { own: ownWords(lines.slice(0, forward)), forwarded: body };
  }
  const own = ownWords(lines);
  return { own: own === '' ? text.trim() : own, forwarded: undefined };
}

const ownWords = (lines: readonly string[]): string => {
  const kept = withoutQuotes(lines.slice(0, historyAt(lines)));
  const signature = kept.findIndex((line) => /^\s*-- ?$/.test(line));
  return withoutNotices(signature < 0 ? kept : kept.slice(0, signature))
    .filter((line) => !startsWithAny(line, SENT_FROM))
    .join('\n')
    .trim();
};

const MAX_LINE = 400;

const oneOf = (words: readonly string[]): string =>
  words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');

/** `From: …`, `**Von:** …`. */
const labelled = (words: readonly string[]): RegExp =>
  new RegExp(
    `^[ \\t>]{0,9}[*_]{0,2}(?:${oneOf(words)})[ \\u00a0]?[*_]{0,2}[:：][*_]{0,2}(?:[ \\t]|\\S|$)`,
    'iu',
  );
const FROM = labelled(WORDS.from);
const OTHER_HEADER = labelled(WORDS.other);
const ANY_HEADER = labelled([...WORDS.from, ...WORDS.other]);
const WROTE = new RegExp(`(?<!\\p{L})(?:${oneOf(WORDS.wrote)})(?!\\p{L}).{0,200}[:：]\\s*$`, 'iu');
const FORWARDED = new RegExp(
  `^[ \\t>]{0,9}(?:-{2,} ?|begin )(?:${oneOf(WORDS.forwarded)})[^\\n]{0,60}$`,
  'iu',
);
const SENT_FROM = new RegExp(`^\\s*(?:${oneOf(WORDS.sentFrom)})(?!\\p{L})`, 'iu');
const NOTICE = new RegExp(oneOf(WORDS.notices), 'iu');

const isForwardMark = (line: string): boolean => line.length <= MAX_LINE && FORWARDED.test(line);
const startsWithAny = (line: string, pattern: RegExp): boolean =>
  line.length <= 120 && pattern.test(line);

/** Index of the first line of the quoted mail; the number of lines if there is none. */
const historyAt = (lines: readonly string[]): number => {
  const at = lines.findIndex(
    (line, index) => isSeparator(line, lines, index) || isHeaderBlock(lines, index),
  );
  return Math.min(at < 0 ? lines.length : at, attributionAt(lines) ?? lines.length);
};

/** `-----Original Message-----` or a line of underscores, followed by headers within the next lines. */
const isSeparator = (line: string, lines: readonly string[], index: number): boolean =>
  line.length <= 80 &&
  /^\s*(?:-{3,}\s?\p{L}[\p{L}'’ ]{2,40}-{3,}|_{10,})\s*$/u.test(line) &&
  lines.slice(index + 1, index + 5).some((next) => next.length <= MAX_LINE && FROM.test(next));

/** `From:` and two further headers within the next five lines, or an address and one further header. */
const isHeaderBlock = (lines: readonly string[], index: number): boolean => {
  const line = lines[index] ?? '';
  if (line.length > MAX_LINE || !FROM.test(line)) return false;
  const headers = lines
    .slice(index + 1, index + 6)
    .filter((next) => next.length <= MAX_LINE && OTHER_HEADER.test(next));
  return headers.length >= (ADDRESS.test(line) ? 1 : 2);
};

/** An attribution followed only by the quoted mail: text that the sender wrote below a quote stays. */
const attributionAt = (lines: readonly string[]): number | undefined => {
  for (const [at, line] of lines.entries()) {
    const isHere = isAttribution(line);
    // A long attribution may break into two lines: `On Thu, 15 Jan 2026, Support` and `<support@example.com> wrote:`.
    const both = `${line} ${lines[at + 1] ?? ''}`;
    if (!isHere && (/[:：]\s*$/.test(line.slice(-10)) || !isAttribution(both))) continue;
    const from = at + (isHere ? 1 : 2);
    const isQuoted = isQuote(lines.slice(from, from + 3).find((next) => next.trim() !== '') ?? '');
    if (isQuoted)
      return lines.slice(from).every((next) => next.trim() === '' || isQuote(next))
        ? at
        : undefined;
    if (WROTE.test(both) && ADDRESS.test(both)) return at;
  }
  return undefined;
};

/** Ends with a colon and contains a year, and a time or an address. */
const isAttribution = (line: string): boolean => {
  const text = line.trim();
  return (
    text.length <= MAX_LINE &&
    /[:：]$/.test(text) &&
    (/(?:19|20)\d\d/.test(text) || WROTE.test(text)) &&
    (ADDRESS.test(text) || /\d[.:/]\d\d/.test(text))
  );
};

/** A mail address, plain or redacted. */
const ADDRESS = /@|\[email\]/;

const isQuote = (line: string): boolean => /^\s*>/.test(line);

const withoutQuotes = (lines: readonly string[]): string[] => {
  const kept: string[] = [];
  let isOwnQuote = false;
  for (const [at, line] of lines.entries()) {
    if (!isQuote(line)) {
      const isIntroduced =
        isAttribution(line) &&
        isQuote(lines.slice(at + 1, at + 3).find((next) => next !== '') ?? '');
      if (!isIntroduced) kept.push(line);
      if (line.trim() !== '') isOwnQuote = !isIntroduced && line.trimEnd().endsWith(':');
    } else if (isOwnQuote) kept.push(line);
  }
  return kept;
};

/** Removes the first paragraph of a legal notice and all after it, except at the beginning. */
const withoutNotices = (lines: readonly string[]): readonly string[] => {
  const first = lines.findIndex((line) => line.trim() !== '');
  const at = lines.findIndex((line, index) => index > first && NOTICE.test(line.slice(0, 2000)));
  if (at < 0) return lines;
  // Cuts at the start of the paragraph, which may contain the sender's words if no blank line separates them.
  const from = lines.slice(0, at).findLastIndex((line) => line.trim() === '') + 1;
  return from <= first ? lines : lines.slice(0, from);
};

/** Removes headers and quote marks from a forwarded mail. */
const bodyOf = (lines: readonly string[]): string => {
  const plain = lines.map((line) => line.replace(/^[ \t]{0,8}(?:>[ \t]?){1,9}/, ''));
  const start = plain.findIndex(
    (line) => line.trim() !== '' && !(line.length <= 500 && ANY_HEADER.test(line)),
  );
  return start < 0 ? '' : ownWords(plain.slice(start));
};

/** UTF-16 units of a header that are read, and its fields at most. */
const MAX_HEADER = 64_000;
const MAX_FIELDS = 100;

/** The header fields of a mail as it was sent, by name in lower case (RFC 5322, section 2.2); those that occur several times joined by commas. */
export function headersOfMail(source: string): Record<string, string> {
  const read = source.slice(0, MAX_HEADER).replace(/\r\n?/g, '\n');
  const [header = ''] = read.split('\n\n', 1);
  const fields = new Map<string, string>();
  for (const line of header.replace(/\n[ \t]+/g, ' ').split('\n')) {
    const [, name, value = ''] = /^([!-9;-~]{1,100}):(.*)$/.exec(line) ?? [];
    if (name === undefined || fields.size >= MAX_FIELDS) continue;
    const before = fields.get(name.toLowerCase());
    fields.set(
      name.toLowerCase(),
      [before, value.trim()]
        .filter((each) => each !== undefined)
        .join(', ')
        .slice(0, 1000),
    );
  }
  return Object.fromEntries(fields);
}
