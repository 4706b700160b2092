import { memberOf } from './sites/site.ts';

/** A value that a name stands for: of a loop, or of the data of the site. */
type Lookup = (name: string) => unknown;

type Node =
  | { text: string }
  | { loop: string; body: Node[]; source: string }
  | { test: string; branches: Branch[]; source: string };

interface Branch {
  /** Undefined for what is shown otherwise. */
  test: string | undefined;
  body: Node[];
}

const TOKEN = /\{%-?\s{0,9}(?:[^%]|%(?!\})){0,500}?\s{0,9}-?%\}/g;
const NAME = /^\{%-?\s*(\w+)\s*([\s\S]*?)\s*-?%\}$/;
const MAX_DEPTH = 8;
const MAX_STEPS = 5000;
/** Characters that loops may make of a page. */
const MAX_MADE = 400_000;

/**
 * Spells out the loops of Liquid over the data of a site, `{% for each in site.data.plans %}`, with the values and simple conditions in them,
 * as the table or list that readers see. Everything else stays as it is written.
 */
export function withLoops(text: string, lookup: Lookup): string {
  if (!/\{%-?\s*for\s/.test(text)) return text;
  const state = { steps: 0, made: 0 };
  const { nodes } = parse(tokensOf(text), 0, 0, []);
  return nodes.map((node) => shown(node, lookup, state, false)).join('');
}

/** Text and tags in turn; what a tag protects is text. */
function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  let from = 0;
  let isRaw = false;
  for (const match of text.matchAll(TOKEN)) {
    const name = NAME.exec(match[0])?.[1] ?? '';
    if (isRaw && !/^end(?:raw|verbatim)$/.test(name)) continue;
    isRaw = /^(?:raw|verbatim)$/.test(name);
    tokens.push(text.slice(from, match.index), match[0]);
    from = match.index + match[0].length;
  }
  tokens.push(text.slice(from));
  return tokens;
}

interface Parsed {
  nodes: Node[];
  /** After the tag that ended them. */
  next: number;
  end: string;
  rest: string;
}

function parse(tokens: readonly string[], from: number, depth: number, ends: readonly string[]): Parsed {
  const nodes: Node[] = [];
  let at = from;
  for (; at < tokens.length; at += 1) {
    const token = tokens[at] ?? '';
    const [, name = '', rest = ''] = at % 2 === 1 ? (NAME.exec(token) ?? []) : [];
    if (ends.includes(name)) return { nodes, next: at + 1, end: name, rest };
    if (depth < MAX_DEPTH && name === 'for') {
      const body = parse(tokens, at + 1, depth + 1, ['endfor']);
      if (body.end === '') nodes.push({ text: token });
      else {
        nodes.push({ loop: rest, body: body.nodes, source: tokens.slice(at, body.next).join('') });
        at = body.next - 1;
      }
    } else if (depth < MAX_DEPTH && depth > 0 && (name === 'if' || name === 'unless')) {
      const branches: Branch[] = [];
      let test: string | undefined = name === 'if' ? rest : `not ${rest}`;
      let part = parse(tokens, at + 1, depth + 1, ['elsif', 'else', `end${name}`]);
      while (part.end === 'elsif' || part.end === 'else') {
        branches.push({ test, body: part.nodes });
        test = part.end === 'elsif' ? part.rest : undefined;
        part = parse(tokens, part.next, depth + 1, ['elsif', 'else', `end${name}`]);
      }
      branches.push({ test, body: part.nodes });
      if (part.end === '') nodes.push({ text: token });
      else {
        nodes.push({ test: rest, branches, source: tokens.slice(at, part.next).join('') });
        at = part.next - 1;
      }
    } else nodes.push({ text: token });
  }
  return { nodes, next: at, end: '', rest: '' };
}

interface State {
  steps: number;
  made: number;
}

function shown(node: Node, lookup: Lookup, state: State, isInside: boolean): string {
  if ('text' in node) return isInside ? withValues(node.text, lookup) : node.text;
  if ('loop' in node) return spelledOut(node, lookup, state, isInside);
  for (const { test, body } of node.branches) {
    const is = test === undefined ? true : holds(test, lookup);
    // An unknown condition shows what it may show.
    if (is !== false) return body.map((each) => shown(each, lookup, state, isInside)).join('');
  }
  return '';
}

const LOOP = /^(\w{1,60})\s+in\s+([\w.-]{1,200})(?:\s+limit:\s*(\d{1,4}))?(\s+reversed)?$/;

function spelledOut(
  { loop, body, source }: { loop: string; body: Node[]; source: string },
  lookup: Lookup,
  state: State,
  isInside: boolean,
): string {
  const [, name = '', path = '', limit, reversed] = LOOP.exec(loop) ?? [];
  const list = path === '' ? undefined : lookup(path);
  const items: unknown[] | undefined = Array.isArray(list)
    ? list
    : typeof list === 'object' && list !== null
      ? Object.entries(list)
      : undefined;
  if (items === undefined) {
    if (!isInside) return source;
    return list === undefined ? '' : withValues(source, lookup);
  }
  const chosen = items.slice(0, limit === undefined ? undefined : Number(limit));
  if (reversed !== undefined) chosen.reverse();
  const parts: string[] = [];
  for (const item of chosen) {
    state.steps += 1;
    if (state.steps > MAX_STEPS || state.made > MAX_MADE) break;
    const inner: Lookup = (each) => {
      const [first = '', ...rest] = each.split('.');
      return first === name ? memberOf(item, rest) : lookup(each);
    };
    const part = body.map((each) => shown(each, inner, state, true)).join('');
    state.made += part.length;
    parts.push(part);
  }
  return parts.join('');
}

/** Whether a condition holds; undefined when that is not known. */
function holds(test: string, lookup: Lookup): boolean | undefined {
  const [, not, path] = /^(not\s+)?([A-Za-z_][\w.-]{0,200})$/.exec(test.trim()) ?? [];
  if (path !== undefined) {
    const value = lookup(path);
    const is = value !== undefined && value !== null && value !== false;
    return not === undefined ? is : !is;
  }
  const [, left = '', sign, right = ''] =
    /^([A-Za-z_][\w.-]{0,200})\s*(==|!=)\s*["']([^"']{0,200})["']$/.exec(test.trim()) ?? [];
  if (sign === undefined) return undefined;
  return (String(lookup(left) ?? '') === right) === (sign === '==');
}

const VALUE =
  /\{\{-?\s{0,9}([A-Za-z_][\w-]{0,60}(?:\.[\w-]{1,60}|\[[01]\]){0,8})((?:\s{0,9}\|\s{0,9}[^{}|]{1,100}){0,5})\s{0,9}-?\}\}/g;
/** What changes no words that readers see. */
const FILTER = /^(?:markdownify|escape|escape_once|strip|xml_escape|lstrip|rstrip|newline_to_br|smartify)$/;

/** Values of the loop; one with a filter that changes it stays. */
const withValues = (text: string, lookup: Lookup): string =>
  text.replace(VALUE, (found, path: string, filters: string) => {
    const value = lookup(path.replace(/\[(\d)\]/g, '.$1'));
    const isPlain = filters.split('|').every((each) => each.trim() === '' || FILTER.test(each.trim()));
    if (!isPlain || (typeof value === 'object' && value !== null)) return found;
    const shownValue = value === undefined || value === null ? '' : String(value);
    // Braces in data are no template.
    return shownValue.includes('{') ? `{% raw %}${shownValue}{% endraw %}` : shownValue;
  });
