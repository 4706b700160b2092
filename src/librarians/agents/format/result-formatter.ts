import { levelOf } from '../../../contract/core/confidence-level.ts';
import type {
  AgentResponse,
  DisplayAttribution,
  DisplayBlock,
  DisplayModel,
  DocumentsBlock,
  LinksBlock,
  TableBlock,
} from '../../../contract/wire/agent-response.ts';
import {
  escapeLine,
  escapeMarkdown,
  escapeParagraphs,
  LIST_MARKER,
  markdownLink,
  oneLine,
  plainText,
  proseOf,
} from './markdown.ts';
import {
  errorBlock,
  NOTHING_FOUND,
  numberProperty,
  ownProperty,
  resultBlocks,
  stringProperty,
} from './result-blocks.ts';
import { cellOf } from './table-blocks.ts';

/**
 * Formats any agent's answer or failure for people. Texts of databases, documents and the
 * web stay texts: they never become a link, a tag, an image or a cell. All three forms are bounded in length.
 */
export const resultFormatter = {
  /** Blocks of plain text, for a page. */
  toDisplay: (response: AgentResponse): DisplayModel => displayModelOf(response),
  toMarkdown: (response: AgentResponse, options: RenderOptions = {}): string =>
    renderMarkdown(displayModelOf(response), options),
  toText: (response: AgentResponse, options: RenderOptions = {}): string =>
    renderText(displayModelOf(response), options),
};

const MAX_BLOCKS = 64;

/**
 * An agent's answer, or its failure, as blocks of plain and bounded text. Never throws for what the contract accepts.
 */
export function displayModelOf(response: AgentResponse): DisplayModel {
  const { type, query, success, metadata, source_attribution } = response;
  const blocks = success ? answeredBlocks(response) : [errorBlock(response.error, metadata)];
  const attribution = attributionOf(source_attribution);
  return {
    type,
    query: plainText(query, 4000),
    blocks: blocks.slice(0, MAX_BLOCKS),
    ...(attribution === undefined ? {} : { attribution }),
  };
}

/** A web search has its answer in the metadata, which also says when nothing was found. */
const answeredBlocks = ({ type, result, metadata }: AgentResponse): DisplayBlock[] => {
  const blocks = resultBlocks(type, result);
  const answer = type === 'web_search' ? answerBlocks(metadata) : [];
  const isNothing = blocks.every((block) => block.kind === 'text' && block.text === NOTHING_FOUND);
  return answer.length > 0 && isNothing ? answer : [...answer, ...blocks];
};

/** The prose of a web search's answer; its lists have blocks of their own. */
const answerBlocks = (metadata: AgentResponse['metadata']): DisplayBlock[] => {
  const lines = proseOf(stringProperty(metadata, 'answer') ?? '', 8000).split('\n');
  const text = plainText(
    lines.filter((line) => !LIST_MARKER.test(line) && !line.endsWith(':')).join('\n'),
    8000,
  );
  return text === '' ? [] : [{ kind: 'text', text }];
};

/** `undefined` for a failure without a source or a confidence. */
const attributionOf = (
  attribution: AgentResponse['source_attribution'],
): DisplayAttribution | undefined => {
  const source = oneLine(stringProperty(attribution, 'primary_source') ?? '', 200);
  const confidence = numberProperty(attribution, 'confidence');
  if (source === '' || confidence === undefined) return undefined;
  return {
    // An icon may be composed of several characters.
    icon: oneLine(stringProperty(attribution, 'icon') ?? '', 32),
    primary_source: source,
    confidence,
    level: levelOf(confidence),
    details: factsOf(ownProperty(attribution, 'details')),
  };
};

/** The details of an attribution of any shape, at most eight: "document count: 3", "tables: orders, customers". */
const factsOf = (details: unknown): string[] => {
  if (typeof details !== 'object' || details === null || Array.isArray(details)) return [];
  return Object.keys(details)
    .filter((name) => !isEmpty(ownProperty(details, name)))
    .slice(0, 8)
    .map(
      (name) => `${oneLine(name.replaceAll('_', ' '), 60)}: ${factOf(ownProperty(details, name))}`,
    );
};

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

const factOf = (value: unknown): string =>
  Array.isArray(value) ? oneLine(value.slice(0, 10).map(cellOf).join(', '), 120) : cellOf(value);

interface RenderOptions {
  /** Rows of a table and entries of a list that are shown, 1 to 50; 50 when absent. */
  rows?: number | undefined;
  /** Length of the whole in UTF-16 units; 64,000 when absent, 1,000 at least. */
  maxLength?: number | undefined;
}

/** A display model as Markdown (CommonMark with the tables of GFM) in which texts of the model have no effect. */
export function renderMarkdown(model: DisplayModel, options: RenderOptions = {}): string {
  return render(model, MARKDOWN, options);
}

/** A display model as plain text, for a terminal or a mail. */
const renderText = (model: DisplayModel, options: RenderOptions = {}): string =>
  render(model, TEXT, options);

/** How the pieces of a model are written. */
interface Format {
  heading(heading: string): string;
  paragraphs(text: string): string;
  line(text: string): string;
  /** A table of these rows, without the note on omitted ones. */
  table(columns: TableBlock['columns'], rows: TableBlock['rows']): string;
  document(document: DocumentsBlock['documents'][number]): string;
  link(link: LinksBlock['links'][number]): string;
  attribution(source: string, facts: readonly string[]): string;
  /** Between the parts of a failure, and before the note on omitted rows or entries. */
  gap: string;
}

const headsOf = (columns: TableBlock['columns']): string[] =>
  columns.map(({ label, unit }) => (unit === undefined ? label : `${label} (${unit})`));

const MARKDOWN: Format = {
  heading: (heading) => `**${escapeMarkdown(heading)}**\n\n`,
  paragraphs: escapeParagraphs,
  line: escapeLine,
  table: (columns, rows) => {
    const rowOf = (cells: readonly string[]): string =>
      `| ${cells.map(escapeMarkdown).join(' | ')} |`;
    const rule = columns.map(({ align }) => (align === 'right' ? ' ---: ' : ' --- ')).join('|');
    return [rowOf(headsOf(columns)), `|${rule}|`, ...rows.map(rowOf)].join('\n');
  },
  document: ({ title, url, section, excerpt, score }) => {
    const place = section === undefined || section === title ? '' : `, ${escapeMarkdown(section)}`;
    const quote = escapeMarkdown(excerpt.replace(/\s+/g, ' '));
    return `- ${markdownLink(title, url)}${place} (${score.toFixed(2)})${quote === '' ? '' : `: ${quote}`}`;
  },
  link: ({ title, url, price, snippet }) => {
    const facts = [price, snippet && `“${snippet}”`].flatMap((fact) =>
      fact ? [escapeMarkdown(fact)] : [],
    );
    return [`- ${markdownLink(title, url)}`, ...facts].join(': ');
  },
  attribution: (source, facts) =>
    `${escapeLine(source)} · ${facts.map(escapeMarkdown).join(' · ')}`,
  gap: '\n\n',
};

const TEXT: Format = {
  heading: (heading) => `${heading}\n`,
  paragraphs: (text) => text,
  line: (text) => text,
  table: (columns, rows) => {
    const heads = headsOf(columns);
    const widths = heads.map((head, at) =>
      Math.min(MAX_WIDTH, Math.max(head.length, ...rows.map((row) => row[at]?.length ?? 0))),
    );
    const rowOf = (cells: readonly string[]): string =>
      cells
        .map((cell, at) =>
          columns[at]?.align === 'right'
            ? cell.padStart(widths[at] ?? 0)
            : cell.padEnd(widths[at] ?? 0),
        )
        .join('  ')
        .trimEnd();
    return [
      rowOf(heads),
      widths.map((width) => '-'.repeat(width)).join('  '),
      ...rows.map(rowOf),
    ].join('\n');
  },
  document: ({ title, url, section, excerpt, score }) => {
    const place = section === undefined || section === title ? title : `${title}, ${section}`;
    return indented([`${place} (${score.toFixed(2)})`, excerpt.replace(/\s+/g, ' '), url ?? '']);
  },
  link: ({ title, url, price, snippet }) =>
    indented([price === undefined ? title : `${title}: ${price}`, snippet ?? '', url ?? '']),
  attribution: (source, facts) => [source, ...facts].join(' · '),
  gap: '\n',
};

/** Characters of a column of plain text. */
const MAX_WIDTH = 40;

const indented = (lines: readonly string[]): string =>
  lines.filter((line) => line !== '').join('\n  ');

/** The blocks in order, up to the maximum length, and the attribution of the whole. */
const render = (
  model: DisplayModel,
  format: Format,
  { rows = 50, maxLength = 64_000 }: RenderOptions,
): string => {
  const room = Math.max(1000, maxLength);
  const attribution = attributionWithin(room / 2, model, format);
  let left = room - attribution.length - ROOM_FOR_OMISSION;
  const parts: string[] = [];
  for (const [at, block] of model.blocks.entries()) {
    const part = blockWithin(block, { rows, length: left }, format);
    if (part === undefined) {
      const count = model.blocks.length - at;
      parts.push(`… and ${count} more ${count === 1 ? 'part' : 'parts'}`);
      break;
    }
    parts.push(part);
    left -= part.length + 2;
  }
  return [...parts, attribution].filter((part) => part !== '').join('\n\n');
};

const ROOM_FOR_OMISSION = 100;

/** Drops the details when they are too long. */
const attributionWithin = (
  length: number,
  { attribution }: DisplayModel,
  format: Format,
): string => {
  if (attribution === undefined) return '';
  const write = ({ icon, primary_source, level, details }: DisplayAttribution) =>
    format.attribution(`${icon} ${primary_source}`.trim(), [`${level} confidence`, ...details]);
  return (
    [attribution, { ...attribution, details: [] }]
      .map(write)
      .find((line) => line.length <= length) ?? ''
  );
};

interface Bounds {
  /** Entries at most. */
  rows: number;
  /** UTF-16 units at most. */
  length: number;
}

/** `undefined` when the block cannot be made to fit, empty when it shows nothing. */
const blockWithin = (
  block: DisplayBlock,
  { rows, length }: Bounds,
  format: Format,
): string | undefined => {
  // A table shows what a chart draws.
  if (block.kind === 'chart') return '';
  const heading = block.heading === undefined ? '' : format.heading(block.heading);
  const body = bodyWithin(block, { rows, length: length - heading.length }, format);
  return body === undefined ? undefined : heading + body;
};

const bodyWithin = (
  block: Exclude<DisplayBlock, { kind: 'chart' }>,
  bounds: Bounds,
  format: Format,
): string | undefined => {
  const whole = (text: string): string | undefined =>
    text.length <= bounds.length ? text : undefined;
  switch (block.kind) {
    case 'text':
      return fitting(block.text.length, bounds.length, (count) =>
        format.paragraphs(beginning(block.text, count)),
      );
    case 'table':
      return tableWithin(block, bounds, format);
    case 'documents':
      return listWithin(block.documents.map(format.document), bounds, {
        left: (count) => moreOf(block.document_count - count, 'documents'),
        format,
      });
    case 'links':
      return listWithin(block.links.map(format.link), bounds, {
        left: (count) => moreOf(block.link_count - count, 'links'),
        format,
      });
    case 'price_comparison':
      return whole(format.line(block.verdict));
    case 'error': {
      const { message, code, suggestion } = block;
      const lines = [
        `${format.line(message)}${code === undefined ? '' : ` (${format.line(code)})`}`,
      ];
      if (suggestion !== undefined) lines.push(format.line(suggestion));
      return whole(lines.join(format.gap));
    }
  }
};

const tableWithin = (
  block: TableBlock,
  { rows: most, length }: Bounds,
  format: Format,
): string | undefined => {
  const { columns, rows, row_count, hidden_columns } = block;
  return fitting(Math.min(most, Math.max(1, rows.length)), length, (count) => {
    const shown = rows.slice(0, count);
    const left = [moreOf(row_count - shown.length, 'rows'), moreOf(hidden_columns, 'columns')];
    return [format.table(columns, shown), ...left.filter((each) => each !== '')].join(format.gap);
  });
};

const listWithin = (
  entries: readonly string[],
  { rows, length }: Bounds,
  { left, format }: { left: (shown: number) => string; format: Format },
): string | undefined =>
  fitting(Math.min(rows, entries.length), length, (count) =>
    [entries.slice(0, count).join('\n'), left(count)]
      .filter((each) => each !== '')
      .join(format.gap),
  );

/** Renders ever fewer entries until they fit: `undefined` when not one does. */
const fitting = (
  all: number,
  length: number,
  renderFirst: (count: number) => string,
): string | undefined => {
  for (let count = all; count >= 1; count = Math.floor(count / 2)) {
    const rendered = renderFirst(count);
    if (rendered.length <= length) return rendered;
  }
  return undefined;
};

/** "… and 450 more rows"; empty when none is omitted. */
const moreOf = (left: number, what: string): string =>
  left > 0 ? `… and ${left} more ${what}` : '';

/** A text's beginning, which never ends in half a character. */
const beginning = (text: string, count: number): string =>
  count >= text.length ? text : `${text.slice(0, count).replace(/[\ud800-\udbff]$/, '')}…`;
