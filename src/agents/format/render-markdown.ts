import type { DisplayAttribution, DisplayBlock, DisplayModel, TableBlock } from '../../contract/display-model.ts';
import { escapeLine, escapeMarkdown, escapeParagraphs, markdownLink } from './escape-markdown.ts';
import { fitting, moreOf, type RenderOptions, render } from './render.ts';

/** A display model as Markdown (CommonMark with the tables of GFM) in which no text of the model has any effect. */
export const renderMarkdown = (model: DisplayModel, options: RenderOptions = {}): string =>
  render(model, { block: blockOf, attribution: attributionOf, omission: omissionOf }, options);

const blockOf = (block: DisplayBlock, { rows, length }: { rows: number; length: number }): string | undefined => {
  // A table shows what a chart draws.
  if (block.kind === 'chart') return '';
  const heading = block.heading === undefined ? '' : `**${escapeMarkdown(block.heading)}**\n\n`;
  const body = bodyOf(block, { rows, length: length - heading.length });
  return body === undefined ? undefined : heading + body;
};

const bodyOf = (
  block: Exclude<DisplayBlock, { kind: 'chart' }>,
  { rows, length }: { rows: number; length: number },
): string | undefined => {
  switch (block.kind) {
    case 'text':
      return fitting(block.text.length, length, (count) => escapeParagraphs(begun(block.text, count)));
    case 'table':
      return fitting(Math.min(rows, Math.max(1, block.rows.length)), length, (count) => tableOf(block, count));
    case 'documents':
      return listOf(block.documents.map(documentOf), { rows, length, all: block.document_count, what: 'documents' });
    case 'links':
      return listOf(block.links.map(linkOf), { rows, length, all: block.link_count, what: 'links' });
    case 'price_comparison':
      return withinLength(escapeLine(block.verdict), length);
    case 'error':
      return withinLength(errorOf(block), length);
  }
};

const withinLength = (text: string, length: number): string | undefined => (text.length <= length ? text : undefined);

/** A text's beginning, which never ends in half a character. */
const begun = (text: string, count: number): string =>
  count >= text.length ? text : `${text.slice(0, count).replace(/[\ud800-\udbff]$/, '')}…`;

const tableOf = ({ columns, rows, row_count, hidden_columns }: TableBlock, count: number): string => {
  const head = columns.map(({ label, unit }) => (unit === undefined ? label : `${label} (${unit})`));
  const lines = [
    rowOf(head),
    `|${columns.map(({ align }) => (align === 'right' ? ' ---: ' : ' --- ')).join('|')}|`,
    ...rows.slice(0, count).map(rowOf),
  ];
  const more = [moreOf(row_count - Math.min(count, rows.length), 'rows'), moreOf(hidden_columns, 'columns')];
  return [lines.join('\n'), ...more.filter((each) => each !== '').map((each) => `… ${each}`)].join('\n\n');
};

const rowOf = (cells: readonly string[]): string => `| ${cells.map(escapeMarkdown).join(' | ')} |`;

const listOf = (
  entries: readonly string[],
  { rows, length, all, what }: { rows: number; length: number; all: number; what: string },
): string | undefined =>
  fitting(Math.min(rows, entries.length), length, (count) => {
    const more = moreOf(all - count, what);
    return [...entries.slice(0, count).map((entry) => `- ${entry}`), ...(more === '' ? [] : [`\n… ${more}`])].join(
      '\n',
    );
  });

type Entries<Kind, Member extends string> =
  Extract<DisplayBlock, { kind: Kind }> extends Record<Member, (infer Entry)[]> ? Entry : never;

const documentOf = ({ title, url, section, excerpt, score }: Entries<'documents', 'documents'>): string => {
  const place = section === undefined || section === title ? '' : `, ${escapeMarkdown(section)}`;
  const quote = escapeMarkdown(excerpt.replace(/\s+/g, ' '));
  return `${markdownLink(title, url)}${place} (${score.toFixed(2)})${quote === '' ? '' : `: ${quote}`}`;
};

const linkOf = ({ title, url, price }: Entries<'links', 'links'>): string =>
  `${markdownLink(title, url)}${price === undefined ? '' : `: ${escapeMarkdown(price)}`}`;

const errorOf = ({ message, code, suggestion }: Extract<DisplayBlock, { kind: 'error' }>): string => {
  const coded = code === undefined ? '' : ` (${escapeMarkdown(code)})`;
  return `${escapeLine(message)}${coded}${suggestion === undefined ? '' : `\n\n${escapeLine(suggestion)}`}`;
};

const attributionOf = ({ icon, primary_source, level, details }: DisplayAttribution): string => {
  const facts = [`${level} confidence`, ...details].map(escapeMarkdown).join(' · ');
  return `${escapeLine(`${icon} ${primary_source}`.trim())} · ${facts}`;
};

const omissionOf = (count: number): string => `… and ${count} more ${count === 1 ? 'part' : 'parts'}`;
