import { linesOutsideCode } from '../../../language/outside-code.ts';
import { indented } from './read-part.ts';
import { exportsOf, isMapping, type Literal } from './sites/literal-values.ts';
import { memberOf } from './sites/site.ts';

/** A constant of a page of MDX with several values, and the line that ends it. */
const CONSTANT = /^export[ \t]+const[ \t]+(\w{1,80})[^\n=]{0,80}=[ \t]*[[{][ \t]*$/;
const LAST_LINE = /^[\]}];?[ \t]*$/;
const COMPONENT =
  /^([ \t]*)<[A-Z][\w.]{0,80}(?=\s)[^<>\n]{0,300}?=\{([\w.]{1,160})\}[^<>\n]{0,300}\/>[ \t]*$/;
const MAX_PAGE = 500_000;
const MAX_ITEMS = 1000;

/**
 * Puts in what a page of MDX gives to its components as data, where that is a list of texts, or of questions with their answers: a
 * component shows it, whatever it looks like.
 */
export function withPageData(text: string): string {
  if (text.length > MAX_PAGE || !/^export[ \t]+const[ \t]/m.test(text)) return text;
  const data = constantsOf(text);
  return linesOutsideCode(text, (line) => {
    const [, indent = '', path = ''] = line.length < 1000 ? (COMPONENT.exec(line) ?? []) : [];
    const items = path === '' ? undefined : itemsOf(memberOf(data, path.split('.')));
    return items === undefined ? line : indented(items.join('\n\n'), indent);
  });
}

function constantsOf(text: string): Record<string, Literal> {
  const data: Record<string, Literal> = {};
  let open: { name: string; lines: string[] } | undefined;
  for (const line of text.split('\n')) {
    const name = line.startsWith('export') ? CONSTANT.exec(line)?.[1] : undefined;
    if (name !== undefined) open = { name, lines: [] };
    open?.lines.push(line);
    if (open === undefined || !LAST_LINE.test(line)) continue;
    data[open.name] = exportsOf(open.lines.join('\n'), undefined).get(open.name);
    open = undefined;
  }
  return data;
}

/** Blocks of Markdown; undefined for a value that is no list of texts. */
function itemsOf(value: unknown): string[] | undefined {
  if (!Array.isArray(value) || value.length > MAX_ITEMS) return undefined;
  const items = value.map(itemOf).filter((item) => item !== '');
  return items.length === 0 ? undefined : items;
}

function itemOf(value: unknown): string {
  if (typeof value === 'string') return isProse(value) ? `- ${value.trim()}` : '';
  const texts = isMapping(value)
    ? Object.values(value).filter((each) => typeof each === 'string')
    : [];
  const [title = '', ...rest] = texts.filter(isProse).map((each) => each.trim());
  const isTitle = rest.length > 0 && !title.includes('\n');
  return [isTitle ? `**${title.replaceAll('*', '')}**` : title, ...rest]
    .filter((each) => each !== '')
    .join('\n\n');
}

/** Several words; addresses, paths and names of icons are not shown. */
const isProse = (text: string): boolean => /\p{L}\S*\s+\S*\p{L}/u.test(text);
