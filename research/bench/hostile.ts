import { placeQuote } from '../../src/answering/check/quote-evidence.ts';
import { hasPromptInjection } from '../../src/answering/model/prompt-injection.ts';
import { findAnswer } from '../../src/answering/passages/find-answer.ts';
import { statesLackOfInformation } from '../../src/contract/core/lack-of-information.ts';
import { parseBlocks } from '../../src/documents/markdown/blocks.ts';
import {
  markdownToHtml,
  markdownToText,
  plainHeading,
} from '../../src/documents/markdown/render-markdown.ts';
import { chunkArticle } from '../../src/knowledge/articles/chunk-article.ts';
import { normaliseArticle } from '../../src/knowledge/articles/normalise-article.ts';
import { buildEdition } from '../../src/knowledge/edition/build-edition.ts';
import { openEdition } from '../../src/knowledge/edition/open-edition.ts';
import { attachRepeatedBlocks } from '../../src/knowledge/edition/repeated-blocks.ts';
import { searchEdition } from '../../src/knowledge/search/search-edition.ts';
import { detectLanguage } from '../../src/language/detect-language.ts';
import { keepsQuestion } from '../../src/language/keeps-question.ts';
import { readMail } from '../../src/language/mail.ts';
import { MASK_KINDS } from '../../src/language/privacy/find-personal-data.ts';
import { createMask } from '../../src/language/privacy/mask.ts';
import { splitSentences } from '../../src/language/split-sentences.ts';
import { peopleNamedIn, problemText } from '../../src/support/retrieval/problem-text.ts';
import { DeliveryUnreadable, HELPDESK_IDS } from '../../src/support/tools/helpdesk-tool.ts';
import { helpdeskTools } from '../../src/support/tools/helpdesk-tools.ts';
import table from './hostile.json' with { type: 'json' };

/**
 * A part of a hostile text: a constant, or something repeated, `times` or until the text has its length. In a repetition `{n}` is its
 * number from 0, `{indent}` twice as many spaces, and `{surrogate}` the first half of a pair, which JSON files must not contain.
 */
type Part = string | { repeat: string | readonly Part[]; times?: number | undefined };

/** What a subject has to read: by name, the parts of a text, or what the whole text repeats. */
interface HostileTexts {
  /** UTF-16 units of the short text. */
  length: number;
  texts: Readonly<Record<string, string | readonly Part[]>>;
}

/** How many times as long the long text is. */
export const LONGER = 4;
/** Growth of the time above which a text is listed; linear work grows as its text does. */
const LISTED_ABOVE = 1.5 * LONGER;
/** Growth to less than this is mostly what starting costs. */
const NOTICED_MS = 1;
/** Processor time for which a text is read again and again, the first `WARM_UP_MS` not counted. */
const MEASURED_MS = 100;
const WARM_UP_MS = 20;

/** The functions that read texts of customers, hosts and models, named as in `hostile.json`. */
export const SUBJECTS = {
  mask: createMask(MASK_KINDS).mask,
  keepsQuestion: (text: string) =>
    keepsQuestion(text, text, { questions: Array(8).fill(text), answers: [text] }),
  detectLanguage,
  splitSentences: (text: string) => splitSentences(text),
  readMail,
  hasPromptInjection,
  findAnswer: (text: string) => {
    const edition = editionOf(text);
    const question = 'How does the boiler pump work?';
    return {
      edition,
      found: findAnswer(edition, question, { searches: [searchEdition(edition, question)] }),
    };
  },
  placeQuote: (text: string) => placeQuote(text, `${text.slice(0, 4000)}c`),
  statesLackOfInformation,
  markdownToHtml: (text: string) => markdownToHtml(text),
  markdownToText: (text: string) => markdownToText(text),
  plainHeading: (text: string) => plainHeading(`# ${text}`),
  parseBlocks,
  chunkArticle: (text: string) => chunkArticle(articleOf(text)),
  normaliseArticle: (content: string) =>
    normaliseArticle(
      { id: 'a.md', title: 'Pumps', url: 'https://kb.example/a', content, metadata: null },
      { articleUrl: () => '' },
    ),
  peopleNamedIn: (text: string) => peopleNamedIn(text, () => false),
  problemText: (text: string) => problemText(text, text.slice(0, 4000)),
  /** What each helpdesk tool reads in a delivery. */
  readDelivery: (json: string) => {
    const body = new TextEncoder().encode(json);
    const delivery = {
      method: 'POST',
      url: 'https://hooks.example.com/webhooks/tool',
      headers: new Headers(),
      body,
    };
    return HELPDESK_IDS.map((id) => {
      try {
        return helpdeskTools[id].read(delivery);
      } catch (error) {
        if (error instanceof DeliveryUnreadable) return error;
        throw error;
      }
    });
  },
};

export type SubjectName = keyof typeof SUBJECTS;

const TABLE: Readonly<Record<SubjectName, HostileTexts>> = table;

/** Each subject with its texts: their name, and the text in a length. */
export const hostileTexts = (Object.keys(SUBJECTS) as SubjectName[]).map((subject) => {
  const { length, texts } = TABLE[subject];
  const rows = Object.entries(texts).map(([name, parts]) => ({
    name,
    textOf: (wanted: number) =>
      write(typeof parts === 'string' ? [{ repeat: parts }] : parts, wanted),
  }));
  return { subject, length, rows };
});

/** Repeats what has no number of times equally often, until the parts together have the length. */
const write = (parts: readonly Part[], length: number): string => {
  const written = parts.map((part) =>
    typeof part !== 'string' && part.times === undefined ? '' : fixed(part),
  );
  let total = written.reduce((sum, { length: each }) => sum + each, 0);
  for (let n = 0; total < length; n += 1)
    for (const [at, part] of parts.entries()) {
      if (typeof part === 'string' || part.times !== undefined) continue;
      const added = numbered(part.repeat, n);
      written[at] += added;
      total += added.length;
    }
  return written.join('');
};

const fixed = (part: Part): string =>
  typeof part === 'string'
    ? part
    : Array.from({ length: part.times ?? 0 }, (_, n) => numbered(part.repeat, n)).join('');

const numbered = (repeated: string | readonly Part[], n: number): string => {
  const text = typeof repeated === 'string' ? repeated : repeated.map(fixed).join('');
  if (!text.includes('{')) return text;
  return text
    .replaceAll('{n}', String(n))
    .replaceAll('{indent}', '  '.repeat(n))
    .replaceAll('{surrogate}', '\ud83d');
};

const articleOf = (text: string) => ({
  id: 'a.md',
  title: 'Pumps',
  url: 'https://kb.example/a',
  text,
  intents: [],
  devices: [],
  lastUpdated: '2026-01-01T00:00:00Z',
});

const editionOf = (text: string) => {
  const article = articleOf(text);
  const identity = { id: 'e1', workspace: 'default', createdAt: '2026-01-01T00:00:00Z' };
  return openEdition(
    attachRepeatedBlocks(buildEdition([{ article, chunks: chunkArticle(article) }], identity)),
  );
};

/** Texts that make a careless reader slow, each in two lengths: linear work takes four times as long for four times the text. */
export function benchHostile(): void {
  console.log(
    `Hostile texts: milliseconds of processor time, for a text and for one of ${LONGER} times its length\n`,
  );
  const results = hostileTexts.flatMap(({ subject, length, rows }) => {
    const measured = rows.map(({ name, textOf }) => ({
      subject,
      name,
      ...growthOf(SUBJECTS[subject], textOf, length),
    }));
    const slowest = measured.toSorted((one, other) => other.longMs - one.longMs)[0];
    const worst = worstOf(measured);
    console.log(
      `  ${subject.padEnd(24)}${String(rows.length).padStart(3)} texts of ${length} and ${LONGER * length}: ` +
        `at most ${describe(slowest)}; worst ${describe(worst)}`,
    );
    return measured;
  });
  const noticed = results.filter(({ longMs }) => longMs > NOTICED_MS);
  const listed = noticed.filter(({ growth }) => growth > LISTED_ABOVE);
  console.log(`\n  ${listed.length} of ${results.length} grow more than ${LISTED_ABOVE} times`);
  for (const each of listed) console.log(`    ${each.subject}, ${describe(each)}`);
  const worst = worstOf(noticed);
  console.log(`  worst: ${worst?.subject}, ${describe(worst)}\n`);
}

interface Measured {
  name: string;
  shortMs: number;
  longMs: number;
  growth: number;
}

const growthOf = (
  read: (text: string) => unknown,
  textOf: (length: number) => string,
  length: number,
) => {
  const [short, long] = [textOf(length), textOf(LONGER * length)];
  msPerRun(() => read(short), WARM_UP_MS);
  const [shortMs, longMs] = [
    msPerRun(() => read(short), MEASURED_MS),
    msPerRun(() => read(long), MEASURED_MS),
  ];
  return { shortMs, longMs, growth: longMs / shortMs };
};

/** Processor time of this thread: other programs do not lengthen it, as they would the time on a clock. */
const msPerRun = (work: () => unknown, atLeastMs: number): number => {
  const before = process.threadCpuUsage();
  for (let runs = 1; ; runs += 1) {
    work();
    const { user, system } = process.threadCpuUsage(before);
    const ms = (user + system) / 1000;
    if (ms >= atLeastMs) return ms / runs;
  }
};

const worstOf = <Row extends Measured>(rows: readonly Row[]): Row | undefined =>
  rows.toSorted((one, other) => other.growth - one.growth)[0];

const describe = (row: Measured | undefined): string =>
  row === undefined
    ? 'none'
    : `${row.name}: ${row.shortMs.toFixed(2)} to ${row.longMs.toFixed(2)} ms (${row.growth.toFixed(1)} times)`;
