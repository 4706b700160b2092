import * as z from 'zod';
import { runsOutsideCode } from '../language/outside-code.ts';
import { noteLine } from './note-lines.ts';

const OPEN = /^[ \t]*\[block:([a-z][a-z-]{0,30})\][ \t]*$/;
const CLOSE = /^[ \t]*\[\/block\][ \t]*$/;
const MAX_LINES = 5000;
const MAX_COLUMNS = 50;

/** `h-0` and `2-0` of a table by their names, its columns and rows. */
const Table = z.object({
  data: z.record(z.string(), z.coerce.string()),
  cols: z.int().min(1).max(MAX_COLUMNS),
  rows: z.int().min(0).max(MAX_LINES),
});
const Text = z.string().nullish();
const Code = z.object({ code: z.string(), language: Text, name: Text });
type Code = z.infer<typeof Code>;
const Block = z.object({
  type: Text,
  title: Text,
  body: Text,
  html: Text,
  url: Text,
  codes: z.array(Code).max(100).nullish(),
  images: z
    .array(z.object({ caption: Text, image: z.array(z.unknown()).nullish() }))
    .max(100)
    .nullish(),
});

/**
 * Blocks of ReadMe, JSON between `[block:callout]` and `[/block]`, as Markdown: headings, notes, code under its name, tables, captions.
 * What is no JSON stays.
 */
export function withReadmeBlocks(text: string): string {
  return text.includes('[/block]') ? runsOutsideCode(text, readLines) : text;
}

function readLines(lines: string[]): string[] {
  const out: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const kind = OPEN.exec(lines[at] ?? '')?.[1];
    const end = kind === undefined ? -1 : closingLine(lines, at);
    const block =
      kind === undefined || end === -1
        ? undefined
        : markdownOf(kind, lines.slice(at + 1, end).join('\n'));
    if (block === undefined) out.push(lines[at] ?? '');
    else {
      out.push('', ...block.split('\n'), '');
      at = end;
    }
  }
  return out;
}

/** The line that closes the block, before another one opens. */
function closingLine(lines: readonly string[], at: number): number {
  for (let index = at + 1; index < Math.min(lines.length, at + MAX_LINES); index += 1) {
    const line = lines[index] ?? '';
    if (CLOSE.test(line)) return index;
    if (OPEN.test(line)) return -1;
  }
  return -1;
}

function markdownOf(kind: string, json: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (kind === 'parameters') {
    const table = Table.safeParse(value).data;
    return table && tableOf(table);
  }
  const block = Block.safeParse(value).data;
  if (block === undefined) return undefined;
  const title = block.title ?? '';
  if (kind === 'api-header') return title && `## ${title}`;
  if (kind === 'callout')
    return [noteLine(block.type ?? 'note', title), '', block.body ?? '', '', '</div>'].join('\n');
  if (kind === 'code') return (block.codes ?? []).map(codeOf).join('\n\n');
  if (kind === 'image')
    return (block.images ?? []).map(({ caption, image }) => caption || altOf(image)).join('\n\n');
  if (block.url) return `[${title || block.url}](${block.url})`;
  return block.html ?? [title, block.body ?? ''].join('\n\n');
}

/** An image is its address, name, and what else says what it shows. */
const altOf = (image: readonly unknown[] | null | undefined): string =>
  typeof image?.[2] === 'string' ? image[2] : '';

function codeOf({ code, language, name }: Code): string {
  const longest = Math.max(2, ...Array.from(code.matchAll(/`{3,}/g), ([mark]) => mark.length));
  const fence = '`'.repeat(longest + 1);
  const head = `${fence}${(language ?? '').replace(/[^\w+#-]/g, '')}`;
  return `${head}${name ? ` [${name}]` : ''}\n${code}\n${fence}`;
}

function tableOf({ data, cols, rows }: z.infer<typeof Table>): string {
  const rowOf = (name: number | string): string =>
    `| ${Array.from({ length: cols }, (_, column) => cellOf(data[`${name}-${column}`])).join(' | ')} |`;
  const rule = `|${' - |'.repeat(cols)}`;
  return [rowOf('h'), rule, ...Array.from({ length: rows }, (_, row) => rowOf(row))].join('\n');
}

const cellOf = (text = ''): string =>
  text
    .trim()
    .replace(/(?<!\\)\|/g, '\\|')
    .replace(/[ \t]*\n\s*/g, '<br>');
