import type { RankedUnit } from '../../answering/passages/find-answer.ts';
import type { UnitPart } from '../../answering/passages/units.ts';
import { escapeHtml } from '../../documents/markdown/escape-html.ts';
import { escapeMarkdown } from '../../documents/markdown/escape-markdown.ts';
import type { Piece } from '../../knowledge/edition/sections.ts';
import { detectLanguage } from '../../language/detect-language.ts';
import { outsideSpans, runsOutsideCode } from '../../language/outside-code.ts';
import { isPublicAddress } from '../../platform/http/public-address.ts';
import { type AlreadyTried, wasTried } from '../message/already-tried.ts';
import { type Narrowing, narrowBlock } from './narrow-block.ts';

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
