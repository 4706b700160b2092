import type { RankedUnit } from '../../grounding/find-answer.ts';
import type { ParsedQuestion } from '../../grounding/parse-question.ts';
import { type Piece, stemsOf } from '../../grounding/sections.ts';
import type { UnitPart } from '../../grounding/units.ts';
import { isPublicAddress } from '../../http/public-address.ts';
import { escapeMarkdown } from '../../markup/render-markdown.ts';
import { escapeHtml } from '../../runtime/escape-html.ts';
import { detectLanguage } from '../../text/detect-language.ts';
import { type AlreadyTried, wasTried } from '../ticket/already-tried.ts';

/** A passage of an article that a draft quotes. */
export interface AnswerPassage {
  title: string;
  url: string;
  /** Safe Markdown with its heading: HTML is escaped, images are removed. */
  markdown: string;
  /** The unescaped Markdown under `##` headings, for a model. */
  text: string;
  /** BCP 47; undefined when the text is too short for detection. */
  language: string | undefined;
  /** Steps that the agent may recommend, as Markdown. */
  steps: readonly string[];
}

export const textOf = ({ section, pieces }: UnitPart): string =>
  pieces.map(({ start, end }) => section.text.slice(start, end)).join('\n\n');

export interface QuoteOptions {
  question: ParsedQuestion;
  alreadyTried: AlreadyTried;
  /** Mark behind a step that was already tried. */
  done: string;
  /** Puts the title of the article before the heading, to tell passages of several articles apart. */
  isTitled?: boolean;
}

/** Quotes a unit. Undefined when too much of one of its parts was already tried, or was advised by an agent. */
export const quotePassage = ({ unit, source }: RankedUnit, options: QuoteOptions): AnswerPassage | undefined => {
  const { title } = source;
  const parts = unit.parts.map((part) => quotePart(part, { title, ...options }));
  if (parts.some((part) => part === undefined)) return undefined;
  const shown = parts.flatMap((part) => part ?? []);
  const [first] = shown;
  if (options.isTitled && first !== undefined)
    first.heading = [title, first.heading].filter((each) => each !== '').join(': ');
  const under = (write: (heading: string) => string) =>
    readable(
      shown
        .flatMap(({ heading, blocks }) => (heading === '' ? blocks : [write(heading), ...blocks]))
        .filter((each) => each !== '')
        .join('\n\n'),
    );
  const markdown = under((heading) => `**${escapeMarkdown(heading)}**`);
  return {
    title,
    url: source.url,
    markdown: escapeHtml(markdown),
    text: under((heading) => `## ${heading}`),
    // Names and figures of tables do not tell the language.
    language: detectLanguage(markdown.replace(/^\|.*$/gm, ' ')),
    steps: shown.flatMap(({ steps }) => steps),
  };
};

interface QuotedPart {
  heading: string;
  blocks: string[];
  steps: string[];
}

const quotePart = (
  { section, pieces }: UnitPart,
  { title, question, alreadyTried, done }: QuoteOptions & { title: string },
): QuotedPart | undefined => {
  const heading = headingOf(section.path, title);
  const raw = (piece: Piece) => section.text.slice(piece.start, piece.end);
  // A procedure needs all of its lists: "Fill in the fields:".
  const isProcedure = pieces.some(({ isStep }) => isStep);
  const blocks: string[] = [];
  const steps: string[] = [];
  // Items of one list are joined again, and so are rows of one table.
  for (const group of Map.groupBy(pieces, ({ block }) => block).values()) {
    const [piece] = group;
    if (piece === undefined) continue;
    const isTable = group.some(({ kind }) => kind === 'row');
    const isLong = isTable && group.reduce((sum, { size }) => sum + size, 0) > LONG_TABLE;
    const whole = (isLong ? rowsFor(group, question) : group).map(raw).join('\n');
    const shown =
      isProcedure || isLong ? whole : relevantEntries(whole, isTable ? { ...piece, kind: 'table' } : piece, question);
    const text = withoutTried(shown, piece, { heading, title, alreadyTried, done });
    if (text === undefined) return undefined;
    if (text === '') continue;
    blocks.push(text);
    steps.push(...stepsIn(text, piece).filter((step) => !step.endsWith(`*${done}*`)));
  }
  return blocks.length === 0 ? undefined : { heading, blocks, steps };
};

/** In visible characters. Of a longer table only the rows with most words of the message are shown. */
const LONG_TABLE = 600;
/** Share of the message's words that an entry needs to be taken for the answer. */
const ANSWERING_SHARE = 0.3;
/** An item about one of several cases: "**No e-mail:** look into the spam folder". */
const CASE = /^\s*[-*+]\s+(?:\*\*|`)[^\n]{1,120}[:：]/;
/** Tables with more rows, and lists of cases, are for looking something up: an entry needs a smaller share. */
const SHORT_TABLE = 4;
const LOOKED_UP_SHARE = 0.1;
/** Share of the best entry's words that further entries need. */
const FURTHER_SHARE = 0.6;

/** The entries of an unordered list or a table that the message is about; all when none clearly is. */
const relevantEntries = (text: string, { kind, isStep }: Piece, { terms }: ParsedQuestion): string => {
  if (isStep || (kind !== 'list' && kind !== 'table')) return text;
  const lines = kind === 'table' ? text.split('\n').filter((line) => line.trim() !== '') : itemsOf(text);
  const head = kind === 'table' ? lines.slice(0, 2) : [];
  const entries = lines.slice(head.length);
  const own = terms.filter(({ weight }) => weight === 1);
  const total = own.reduce((sum, { idf }) => sum + idf, 0);
  const shares = entries.map((entry) => {
    const stems = new Set(stemsOf(entry));
    const found = own.filter(({ forms }) => [...forms].some((form) => stems.has(form)));
    return found.reduce((sum, { idf }) => sum + idf, 0) / total;
  });
  const best = Math.max(0, ...shares);
  const isLookedUp = kind === 'table' ? entries.length > SHORT_TABLE : entries.every((entry) => CASE.test(entry));
  if (best < (isLookedUp ? LOOKED_UP_SHARE : ANSWERING_SHARE)) return text;
  return [...head, ...entries.filter((_, at) => (shares[at] ?? 0) >= FURTHER_SHARE * best)].join('\n');
};

/**
 * Removes items that were already tried. Numbered steps are removed at the beginning and the end only; in the middle, where other steps
 * depend on them, they are marked. Undefined when less than half of the items are left.
 */
const withoutTried = (
  text: string,
  piece: Piece,
  {
    heading,
    title,
    alreadyTried,
    done,
  }: Pick<QuoteOptions, 'alreadyTried' | 'done'> & { heading: string; title: string },
): string | undefined => {
  const isTried = (item: string) => wasTried(item, alreadyTried, { under: heading, title });
  if (piece.kind === 'text') return isTried(text) ? '' : text;
  if (piece.kind !== 'list' && piece.kind !== 'item') return text;
  const items = itemsOf(text);
  const left = items.filter((item) => !isTried(item));
  if (left.length === items.length) return text;
  if (left.length * 2 < items.length) return undefined;
  if (!piece.isStep) return left.join('\n');
  // A customer who followed an agent's advice followed all of it.
  const advised = { ...alreadyTried, reported: [] };
  if (items.some((item) => wasTried(item, advised, { under: heading, title }))) return undefined;
  const from = items.indexOf(left[0] ?? '');
  const steps = items.slice(from, items.indexOf(left.at(-1) ?? '') + 1);
  return steps
    .map((item, at) => item.replace(/^\s*\d{1,9}/, String(at + 1)))
    .map((item, at) => (left.includes(steps[at] ?? '') ? item : `${item.trimEnd()} *${done}*`))
    .join('\n');
};

const itemsOf = (list: string): string[] => list.split(/\n(?=(?:[-*+]|\d{1,9}[.)])\s)/);

const stepsIn = (text: string, { kind }: Piece): string[] => {
  if (kind === 'list' || kind === 'item')
    return itemsOf(text).map((item) => item.replace(/^\s*(?:[-*+]|\d{1,9}[.)])\s+/, ''));
  if (kind === 'table' || kind === 'row' || kind === 'head') return [];
  return /[:：][*_]{0,3}\s*$/.test(text) ? [] : [text];
};

/** The head of a table and the rows with most words of the question. */
const rowsFor = (pieces: readonly Piece[], { terms }: ParsedQuestion): readonly Piece[] => {
  const shareOf = ({ stems }: Piece) => {
    const words = new Set(stems);
    return terms.reduce((sum, { forms, idf }) => ([...forms].some((form) => words.has(form)) ? sum + idf : sum), 0);
  };
  const best = Math.max(...pieces.map((piece) => (piece.kind === 'row' ? shareOf(piece) : 0)));
  return pieces.filter((piece) => piece.kind !== 'row' || (best > 0 && shareOf(piece) >= ROW_SHARE * best));
};
const ROW_SHARE = 0.7;

/** The headings above a passage, without the title of its article and without leading numbers. */
const headingOf = (path: readonly string[], title: string): string =>
  path
    .filter((each) => each !== title)
    .map((each) => each.replace(/^\s*\d{1,2}[.)]\s+/, '').trim())
    .join(': ');

/** Keeps links that a customer can open; replaces others, and images, by their text. Removes comments. */
export const readable = (markdown: string): string =>
  markdown
    .replace(/!\[([^\]\n]{0,300})\]\([^)\n]{0,1000}\)/g, '$1')
    .replace(/\[([^\]\n]{0,300})\]\(\s*<?([^)\s>]{0,1000})>?[^)\n]{0,300}\)/g, (link, words, url) =>
      isPublicAddress(url) ? link : words,
    )
    .replace(/<!--[\s\S]{0,4000}?-->/g, '');
