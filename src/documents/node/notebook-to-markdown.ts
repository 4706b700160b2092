import type { Root } from 'mdast';
import * as z from 'zod';
import { leftOut } from '../omissions.ts';
import { readDocument } from '../read-document.ts';
import { readHtml } from '../read-html.ts';
import { writeMarkdown } from '../write-markdown.ts';
import { type DocumentText, NotReadable } from './document-text.ts';

const Lines = z
  .union([z.string(), z.array(z.string())])
  .transform((lines) => (Array.isArray(lines) ? lines.join('') : lines));
const Output = z.object({
  output_type: z.string(),
  name: z.string().optional().catch(undefined),
  text: Lines.optional().catch(undefined),
  data: z.record(z.string(), z.unknown()).optional().catch(undefined),
  ename: z.string().optional().catch(undefined),
  evalue: z.string().optional().catch(undefined),
});
const Cell = z.object({
  cell_type: z.string(),
  source: Lines.optional().catch(undefined),
  /** The source of code before version 4 of the format. */
  input: Lines.optional().catch(undefined),
  level: z.number().optional().catch(undefined),
  metadata: z
    .object({ tags: z.array(z.string()).optional().catch(undefined) })
    .optional()
    .catch(undefined),
  outputs: z.array(Output).optional().catch(undefined),
});
const Notebook = z.object({
  cells: z.array(Cell).optional(),
  worksheets: z.array(z.object({ cells: z.array(Cell) })).optional(),
  metadata: z
    .object({
      language_info: z.object({ name: z.string() }).optional().catch(undefined),
      kernelspec: z
        .object({ language: z.string().optional(), name: z.string().optional() })
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
});

const MAX_CELLS = 10_000;
const MAX_OUTPUT = 4000;
const MAX_OUTPUTS = 100;
/** Characters of text, code and outputs: an article has no more. */
const MAX_CHARACTERS = 500_000;
/** Tags of tables among the outputs. */
const MAX_TAGS = 20_000;

/**
 * Markdown of a Jupyter notebook (nbformat 3 and 4): its text, its code, and what the code printed as text or tables. Images, widgets
 * and hidden cells are left out.
 *
 * @throws {NotReadable} When it is no notebook, or has no text.
 */
export function notebookToMarkdown(text: string): DocumentText {
  const book = Notebook.safeParse(parsed(text));
  const cells = book.data?.cells ?? book.data?.worksheets?.flatMap((sheet) => sheet.cells);
  if (cells === undefined) throw new NotReadable('it is damaged or no notebook');
  const { language_info, kernelspec } = book.data?.metadata ?? {};
  const language = (language_info?.name ?? kernelspec?.language ?? '').toLowerCase();
  const state: State = {
    texts: [],
    parts: [],
    omitted: 0,
    title: undefined,
    warnings: new Set(),
    characters: MAX_CHARACTERS,
    tags: MAX_TAGS,
  };
  let read = 0;
  for (; read < Math.min(cells.length, MAX_CELLS) && state.characters > 0; read += 1)
    readCell(cells[read] as z.infer<typeof Cell>, language, state); // within the list
  flushText(state);
  if (read < cells.length || state.characters <= 0) state.warnings.add(CUT);
  const markdown = state.parts.filter((part) => part !== '').join('\n\n');
  if (markdown === '') throw new NotReadable('it has no text');
  const omitted = leftOut(state.omitted, 'output that is', 'outputs that are', ' no text');
  const warnings = [...state.warnings, ...omitted];
  return { text: markdown, title: state.title, warnings };
}

const CUT = `Cut after ${MAX_CELLS} cells, ${MAX_OUTPUTS} outputs of a cell or 500,000 characters: the notebook has more`;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new NotReadable('it is damaged or no notebook', { cause: error });
  }
};

interface State {
  /** Cells of text that follow each other, which are read as one. */
  texts: string[];
  parts: string[];
  omitted: number;
  title: string | undefined;
  warnings: Set<string>;
  /** What may still be read. */
  characters: number;
  tags: number;
}

const hasTag = ({ metadata }: z.infer<typeof Cell>, ...names: string[]): boolean =>
  metadata?.tags?.some((tag) => names.includes(tag.toLowerCase().replaceAll('_', '-'))) === true;

function readCell(cell: z.infer<typeof Cell>, language: string, state: State): void {
  const source = taken(cell.source ?? cell.input ?? '', state);
  if (hasTag(cell, 'remove-cell', 'hide', 'parameters-hidden')) return;
  if (cell.cell_type === 'markdown' || cell.cell_type === 'heading') {
    const markdown =
      cell.cell_type === 'heading'
        ? `${'#'.repeat(Math.min(Math.max(cell.level ?? 1, 1), 6))} ${source}`
        : source;
    state.texts.push(markdown);
  }
  if (cell.cell_type !== 'code') return;
  flushText(state);
  // Options of Quarto and Jupyter Book stand in comments.
  const options = /^(?:#\|.*\n?)+/.exec(source)?.[0] ?? '';
  if (/^#\|\s*include:\s*false/m.test(options)) return;
  const code = source.slice(options.length);
  const isShown = !hasTag(cell, 'remove-input') && !/^#\|\s*echo:\s*false/m.test(options);
  if (isShown) state.parts.push(codeOf(code, languageOf(code, language)));
  if (hasTag(cell, 'remove-output') || /^#\|\s*output:\s*false/m.test(options)) return;
  const outputs = cell.outputs ?? [];
  if (outputs.length > MAX_OUTPUTS) state.warnings.add(CUT);
  for (const output of joined(outputs.slice(0, MAX_OUTPUTS)))
    if (state.characters > 0) readOutput(output, state);
}

type Printed = z.infer<typeof Output>;

/** What was printed in one go may have come in pieces. */
function joined(outputs: readonly Printed[]): Printed[] {
  const all: Printed[] = [];
  for (const output of outputs) {
    const last = all.at(-1);
    const isMore =
      output.output_type === 'stream' &&
      last?.output_type === 'stream' &&
      last.name === output.name;
    if (isMore) all[all.length - 1] = { ...last, text: (last.text ?? '') + (output.text ?? '') };
    else all.push(output);
  }
  return all;
}

/** What each part costs, however short it is. */
const PART = 20;

/** The part of a text that may still be read. */
function taken(text: string, state: State): string {
  const part = text.slice(0, Math.max(0, state.characters));
  state.characters -= text.length + PART;
  return part;
}

function flushText(state: State): void {
  if (state.texts.length === 0) return;
  const read = readDocument(state.texts.join('\n\n'), { format: 'markdown' });
  state.texts = [];
  state.title ??= read.title;
  for (const warning of read.warnings) state.warnings.add(warning);
  state.parts.push(read.text);
}

/** A cell may hold another language than the notebook. */
const languageOf = (code: string, language: string): string =>
  ({
    bash: 'bash',
    sh: 'sh',
    html: 'html',
    sql: 'sql',
    javascript: 'javascript',
    js: 'javascript',
    latex: 'latex',
    writefile: language,
  })[/^\s*%%(\w{1,20})/.exec(code)?.[1]?.toLowerCase() ?? ''] ?? language;

const codeOf = (code: string, language?: string): string => {
  const value = code.replace(/^\s*\n|\s+$/g, '');
  const tree: Root = {
    type: 'root',
    children: value === '' ? [] : [{ type: 'code', value, lang: language || null }],
  };
  return writeMarkdown(tree);
};

function readOutput(
  { output_type, name, text, data, ename, evalue }: z.infer<typeof Output>,
  state: State,
): void {
  if (output_type === 'stream') {
    if (name !== 'stderr' && text !== undefined) state.parts.push(codeOf(shown(text, state)));
    return;
  }
  if (output_type === 'error' || output_type === 'pyerr') {
    state.parts.push(codeOf(shown(`${ename ?? ''}: ${evalue ?? ''}`, state)));
    return;
  }
  const read = (type: string): string | undefined => Lines.safeParse(data?.[type]).data;
  const html = read('text/html');
  const plain = read('text/plain') ?? text;
  const isDrawn = Object.keys(data ?? {}).some((type) =>
    /^image\/|widget|javascript|plotly|vega/.test(type),
  );
  const markdown = read('text/markdown');
  if (markdown !== undefined)
    state.parts.push(
      readDocument(taken(markdown.slice(0, 20 * MAX_OUTPUT), state), { format: 'markdown' }).text,
    );
  else if (
    html !== undefined &&
    html.length < 20 * MAX_OUTPUT &&
    /<table/i.test(html) &&
    hasTagsLeft(html, state)
  )
    state.parts.push(readHtml(taken(html, state), { isPage: false }).text);
  else if (isDrawn || (plain !== undefined && /^<[^>]{1,200}>$/.test(plain.trim())))
    state.omitted += 1;
  else if (plain !== undefined) state.parts.push(codeOf(shown(plain, state)));
  else state.omitted += 1;
}

function hasTagsLeft(html: string, state: State): boolean {
  state.tags -= html.match(/<[a-z]/gi)?.length ?? 0;
  return state.tags >= 0;
}

/** The beginning of what was printed. */
const shown = (text: string, state: State): string =>
  taken(cut(withoutEscapes(text.slice(0, 20 * MAX_OUTPUT))), state);

const cut = (text: string): string =>
  text.length > MAX_OUTPUT
    ? `${text.slice(0, text.lastIndexOf('\n', MAX_OUTPUT) + 1 || MAX_OUTPUT)}…`
    : text;

/** Without the marks by which terminals colour text, and what progress bars have written over. */
const withoutEscapes = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to drop
    .replace(/\u001b\[[0-9;]{0,20}[A-Za-z]/g, '')
    .split('\n')
    .map((line) => line.replace(/\r$/, '').split('\r').at(-1) ?? '')
    .join('\n');
