import type { DisplayAttribution, DisplayBlock, DisplayModel, TableBlock } from '../../contract/display-model.ts';
import { fitting, moreOf, type RenderOptions, render } from './render.ts';

/** A display model as plain text, for a terminal or a mail. */
export const renderText = (model: DisplayModel, options: RenderOptions = {}): string =>
  render(model, { block: blockOf, attribution: attributionOf, omission: omissionOf }, options);

const blockOf = (block: DisplayBlock, { rows, length }: { rows: number; length: number }): string | undefined => {
  if (block.kind === 'chart') return '';
  const heading = block.heading === undefined ? '' : `${block.heading}\n`;
  const lines = linesOf(block, rows);
  const all = lines.entries.length;
  return fitting(Math.max(1, all), length, (count) => {
    const more = moreOf(lines.all - Math.min(count, all), lines.what);
    return `${heading}${[...lines.entries.slice(0, count), ...(more === '' ? [] : [`… ${more}`])].join('\n')}`;
  });
};

interface Lines {
  entries: string[];
  /** How many there are, shown or not. */
  all: number;
  what: string;
}

const linesOf = (block: Exclude<DisplayBlock, { kind: 'chart' }>, rows: number): Lines => {
  switch (block.kind) {
    case 'text':
      return saying(block.text.split('\n'));
    case 'table':
      return tableLines(block, rows);
    case 'documents':
      return { entries: block.documents.slice(0, rows).map(documentOf), all: block.document_count, what: 'documents' };
    case 'links':
      return { entries: block.links.slice(0, rows).map(linkOf), all: block.link_count, what: 'links' };
    case 'price_comparison':
      return saying([block.verdict]);
    case 'error':
      return saying([
        block.code === undefined ? block.message : `${block.message} (${block.code})`,
        ...(block.suggestion === undefined ? [] : [block.suggestion]),
      ]);
  }
};

const saying = (entries: string[]): Lines => ({ entries, all: entries.length, what: 'lines' });

const tableLines = ({ columns, rows, row_count }: TableBlock, most: number): Lines => {
  const head = columns.map(({ label, unit }) => (unit === undefined ? label : `${label} (${unit})`));
  const shown = rows.slice(0, most);
  const widths = head.map((label, at) =>
    Math.min(MAX_WIDTH, Math.max(label.length, ...shown.map((row) => row[at]?.length ?? 0))),
  );
  const lineOf = (cells: readonly string[]): string =>
    cells
      .map((cell, at) =>
        columns[at]?.align === 'right' ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0),
      )
      .join('  ')
      .trimEnd();
  // The head stands in the first entry, so that it goes with the rows.
  const [first, ...rest] = shown.map(lineOf);
  const top = [lineOf(head), widths.map((width) => '-'.repeat(width)).join('  ')].join('\n');
  return {
    entries: [first === undefined ? top : `${top}\n${first}`, ...rest],
    all: Math.max(1, row_count),
    what: 'rows',
  };
};

const MAX_WIDTH = 40;

type Entries<Kind, Member extends string> =
  Extract<DisplayBlock, { kind: Kind }> extends Record<Member, (infer Entry)[]> ? Entry : never;

const documentOf = ({ title, url, section, excerpt, score }: Entries<'documents', 'documents'>): string => {
  const place = section === undefined || section === title ? title : `${title}, ${section}`;
  const lines = [`${place} (${score.toFixed(2)})`, excerpt.replace(/\s+/g, ' '), url ?? ''];
  return lines.filter((line) => line !== '').join('\n  ');
};

const linkOf = ({ title, url, price }: Entries<'links', 'links'>): string =>
  [price === undefined ? title : `${title}: ${price}`, url ?? ''].filter((line) => line !== '').join('\n  ');

const attributionOf = ({ icon, primary_source, level, details }: DisplayAttribution): string =>
  [`${icon} ${primary_source}`.trim(), `${level} confidence`, ...details].join(' · ');

const omissionOf = (count: number): string => `… and ${count} more ${count === 1 ? 'part' : 'parts'}`;
