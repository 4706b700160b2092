import type { RankedUnit } from '../../answering/passages/find-answer.ts';
import { cellsOf, type UnitPart } from '../../answering/passages/units.ts';
import type { ParsedQuestion } from '../../answering/understand/parse-question.ts';
import { escapeHtml } from '../../documents/markdown/escape-html.ts';
import { escapeMarkdown } from '../../documents/markdown/escape-markdown.ts';
import { type Piece, stemsOf } from '../../knowledge/edition/sections.ts';
import { devicesNamedIn } from '../../knowledge/search/devices-named-in.ts';
import { detectLanguage } from '../../language/detect-language.ts';
import { outsideSpans, runsOutsideCode } from '../../language/outside-code.ts';
import { isPublicAddress } from '../../platform/http/public-address.ts';
import { type AlreadyTried, wasTried } from '../message/already-tried.ts';

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

export function textOf({ section, pieces }: UnitPart): string {
  return pieces.map(({ start, end }) => section.text.slice(start, end)).join('\n\n');
}

export interface QuoteOptions {
  alreadyTried: AlreadyTried;
  /** Mark behind a step that was already tried. */
  done: string;
  /** What tables and lists are narrowed by; absent: they are quoted whole. */
  narrowing?: Narrowing | undefined;
  /** Puts the title of the article before the heading, to tell passages of several articles apart. */
  isTitled?: boolean;
}

/** Quotes a unit. Undefined when too much of one of its parts was already tried, or was advised by an agent. */
export function quotePassage(
  { unit, source }: RankedUnit,
  options: QuoteOptions,
): AnswerPassage | undefined {
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
}

interface QuotedPart {
  heading: string;
  blocks: string[];
  steps: string[];
}

const quotePart = (
  { section, pieces }: UnitPart,
  { title, alreadyTried, done, narrowing }: QuoteOptions & { title: string },
): QuotedPart | undefined => {
  const heading = headingOf(section.path, title);
  const blocks: string[] = [];
  const steps: string[] = [];
  // Among steps, a table or list is needed whole but for what is for other devices.
  const hasSteps = section.pieces.some(({ isStep }) => isStep);
  const narrowedBy = narrowing && hasSteps ? { ...narrowing, question: { terms: [] } } : narrowing;
  // Items of one list are joined again, and so are rows of one table.
  for (const group of Map.groupBy(pieces, ({ block }) => block).values()) {
    const [piece] = group;
    if (piece === undefined) continue;
    const whole = group.map((each) => section.text.slice(each.start, each.end)).join('\n');
    const kind = blockKind(piece);
    const markdown =
      narrowedBy === undefined || kind === undefined ? whole : narrowBlock(whole, kind, narrowedBy);
    const text = withoutTried(markdown, piece, { heading, title, alreadyTried, done });
    if (text === undefined) return undefined;
    if (text === '') continue;
    blocks.push(text);
    steps.push(...stepsIn(text, piece).filter((step) => !step.endsWith(`*${done}*`)));
  }
  return blocks.length === 0 ? undefined : { heading, blocks, steps };
};

/** A block of alternatives, which may be narrowed. */
const blockKind = ({ kind, isStep }: Piece): 'rows' | 'items' | undefined => {
  if (kind === 'head' || kind === 'row') return 'rows';
  return (kind === 'item' || kind === 'list') && !isStep ? 'items' : undefined;
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
  if (kind === 'row' || kind === 'head') return [];
  return /[:：][*_]{0,3}\s*$/.test(text) ? [] : [text];
};

/** The headings above a passage, without the title of its article and without leading numbers. */
const headingOf = (path: readonly string[], title: string): string =>
  path
    .filter((each) => each !== title)
    .map((each) => each.replace(/^\s*\d{1,2}[.)]\s+/, '').trim())
    .join(': ');

/**
 * Keeps links that a customer can open; replaces others, and images, by their text. Removes comments.
 * Code stays as it is.
 */
export function readable(markdown: string): string {
  return runsOutsideCode(markdown, (lines) =>
    outsideSpans(lines.join('\n'), readableText).split('\n'),
  );
}

const readableText = (markdown: string): string =>
  markdown
    .replace(/!\[([^\]\n]{0,300})\]\([^)\n]{0,1000}\)/g, '$1')
    .replace(
      /\[([^\]\n]{0,300})\]\(\s*<?([^)\s>]{0,1000})>?[^)\n]{0,300}\)/g,
      (link, words, url) => (isPublicAddress(url) ? link : words),
    )
    .replace(/<!--[\s\S]{0,4000}?-->/g, '');

/** What a block is narrowed by. */
interface Narrowing {
  question: Pick<ParsedQuestion, 'terms'>;
  /** The customer's product, in lower case; undefined when it is not known exactly. */
  product: string | undefined;
  /** All devices that articles are labelled with, in lower case. */
  devices: readonly string[];
}

/**
 * A table or a list of alternatives with only what is for the customer: columns, rows and items of other devices go, and so do rows and items
 * whose labels the message speaks less of than of the best one. A numbered list stays whole.
 *
 * @param block Markdown of one table, or of a list with all items on lines of their own.
 */
export function narrowBlock(block: string, kind: 'rows' | 'items', narrowing: Narrowing): string {
  return kind === 'rows' ? narrowTable(block, narrowing) : narrowList(block, narrowing);
}

const narrowTable = (table: string, narrowing: Narrowing): string => {
  const [head, rule, ...rows] = table.split('\n').map(cellsOf);
  if (head === undefined || rule === undefined || rows.length === 0) return table;
  const isOther = otherDevice(narrowing);
  const columns = head
    .map((cell, at) => (at > 0 && isOther(cell) ? -1 : at))
    .filter((at) => at >= 0);
  const own = rows.filter(([first = '']) => !isOther(first));
  const isOfDevice = (row: readonly string[]): boolean =>
    devicesNamedIn(row[0] ?? '', narrowing.devices).length > 0;
  const labelled = (row: readonly string[]): string => row[isOfDevice(row) ? 1 : 0] ?? '';
  const shown = mostSpokenOf(own.length === 0 ? rows : own, labelled, narrowing);
  if (shown.length === rows.length && columns.length === head.length) return table;
  const line = (cells: readonly string[]): string =>
    `| ${columns.map((at) => cells[at] ?? '').join(' | ')} |`;
  return [head, rule, ...shown].map(line).join('\n');
};

const narrowList = (list: string, narrowing: Narrowing): string => {
  const items = list.split(/\n(?=[-*+]\s)/);
  if (!items.every((item) => LABELLED.test(item))) return list;
  const isOther = otherDevice(narrowing);
  const own = items.filter((item) => !isOther(labelOf(item)));
  return mostSpokenOf(own.length === 0 ? items : own, labelOf, narrowing).join('\n');
};

/** An item that begins with what it is about, up to a colon. */
const LABELLED = /^[-*+]\s[^:：\n]{1,100}[:：]/u;
const labelOf = (item: string): string => LABELLED.exec(item)?.[0] ?? '';

/** Whether a label names other devices than the customer's. */
const otherDevice = ({ product, devices }: Narrowing): ((label: string) => boolean) => {
  if (product === undefined || !devices.includes(product)) return () => false;
  return (label) => {
    const named = devicesNamedIn(label, devices);
    return named.length > 0 && !named.includes(product);
  };
};

/** Fewer alternatives are shown as they are. */
const LEAST_ALTERNATIVES = 3;
/** Share of the best one's weight that an alternative needs to be shown beside it. */
const SHARE = 0.6;

/** Words of a label that the message needs to speak of it, unless it has all of them. */
const LEAST_WORDS = 2;

/** The alternatives whose labels have most words of the message; all of them when it speaks of none. A word of every label weighs nothing. */
const mostSpokenOf = <T>(
  alternatives: readonly T[],
  labelled: (each: T) => string,
  { question }: Narrowing,
): readonly T[] => {
  if (alternatives.length < LEAST_ALTERNATIVES) return alternatives;
  const labels = alternatives.map((each) => new Set(stemsOf(labelled(each))));
  const spoken = question.terms.filter(({ weight }) => weight === 1).map(({ forms }) => forms);
  const weights = labels.map((label) => {
    const shared = [...label].filter((stem) => spoken.some((forms) => forms.has(stem)));
    if (shared.length < Math.min(LEAST_WORDS, label.size)) return 0;
    return shared.reduce(
      (sum, stem) =>
        sum + Math.log(labels.length / labels.filter((other) => other.has(stem)).length),
      0,
    );
  });
  const best = Math.max(...weights);
  return best === 0
    ? alternatives
    : alternatives.filter((_, at) => (weights[at] ?? 0) >= SHARE * best);
};
