import type { SyntaxNode } from '@lezer/common';
import { parser as javascript } from '@lezer/javascript';
import { parser as python } from '@lezer/python';

/** What a program states without being run; undefined is what only running it would tell. */
export type Literal =
  | string
  | number
  | boolean
  | null
  | undefined
  | Call
  | Literal[]
  | { [name: string]: Literal };

/** A call in a configuration, `starlight({ … })`, with what is literal in its arguments. */
export class Call {
  readonly name: string;
  readonly args: readonly Literal[];

  constructor(name: string, args: readonly Literal[]) {
    this.name = name;
    this.args = args;
  }
}

/** Steps of an evaluation: what is larger or refers to itself has no value. */
const MAX_STEPS = 50_000;
const MAX_DEPTH = 60;

interface Source {
  text: string;
  /** Nodes of the values that the top level names. */
  named: Map<string, SyntaxNode>;
  /** Values that other modules of the configuration export. */
  imported: Map<string, Literal>;
  steps: number;
  isPython: boolean;
}

/** The text of a module that a configuration imports, and how its own imports are read. */
type ModuleReader = (path: string) => { text: string; read: ModuleReader } | undefined;

/** Modules beside a configuration, by relative paths. */
export function moduleReader(
  files: { read(path: string): string | undefined },
  folder: string,
  depth = 0,
): ModuleReader {
  return (path) => {
    if (depth === MAX_MODULES || !/^\.{1,2}\//.test(path)) return undefined;
    const place = new URL(path, `file:///${folder}`).pathname.slice(1);
    for (const ending of MODULE_ENDINGS) {
      const text = files.read(place + ending);
      if (text !== undefined)
        return {
          text,
          read: moduleReader(files, place.slice(0, place.lastIndexOf('/') + 1), depth + 1),
        };
    }
    return undefined;
  };
}

const MAX_MODULES = 4;
const MODULE_ENDINGS = ['', '.ts', '.mts', '.js', '.mjs', '/index.ts', '/index.js'];

const typescript = javascript.configure({ dialect: 'ts jsx' });

/**
 * The value that a JavaScript or TypeScript configuration exports by default, or as `module.exports`, as far as it is written there in
 * literals, names of literals, spreads of them and calls that pass them on. Nothing is run.
 */
export function exportedValue(text: string, read?: ModuleReader): Literal {
  return exportsOf(text, read).get('default');
}

/** What a module exports, `default` among it. */
export function exportsOf(text: string, read: ModuleReader | undefined): Map<string, Literal> {
  const source: Source = { text, named: new Map(), imported: new Map(), steps: 0, isPython: false };
  const names: string[] = [];
  let exported: SyntaxNode | undefined;
  for (const statement of childrenOf(typescript.parse(text).topNode)) {
    if (statement.name === 'ImportDeclaration') takeImports(statement, source, read);
    for (const [name, value] of declaredIn(statement, text)) {
      source.named.set(name, value);
      if (statement.name === 'ExportDeclaration') names.push(name);
    }
    if (statement.name === 'ExportDeclaration') exported = defaultIn(statement) ?? exported;
    const assignment = statement.name === 'ExpressionStatement' ? statement.firstChild : null;
    if (assignment?.name === 'AssignmentExpression') {
      const target = assignment.firstChild;
      if (
        target !== null &&
        /^(?:module\.exports|exports\.default|exports)$/.test(textOf(target, text))
      )
        exported = assignment.lastChild ?? undefined;
    }
  }
  const values = new Map<string, Literal>();
  for (const name of names) {
    const value = source.named.get(name);
    if (value !== undefined) values.set(name, evaluate(value, source, 0));
  }
  if (exported !== undefined) values.set('default', evaluate(exported, source, 0));
  return values;
}

/** `import config, { head as tags } from './shared'`. */
function takeImports(statement: SyntaxNode, source: Source, read: ModuleReader | undefined): void {
  const path = childrenOf(statement).find(({ name }) => name === 'String');
  const text = path === undefined ? undefined : read?.(unquoted(textOf(path, source.text)));
  if (text === undefined) return;
  const values = exportsOf(text.text, text.read);
  for (const child of childrenOf(statement)) {
    if (child.name === 'VariableDefinition')
      source.imported.set(textOf(child, source.text), values.get('default'));
    const names =
      child.name === 'ImportGroup'
        ? textOf(child, source.text).replace(/[{}]/g, '').split(',')
        : [];
    for (const each of names) {
      const [name = '', alias = name] = each.trim().split(/\s+as\s+/);
      if (name !== '') source.imported.set(alias, values.get(name));
    }
  }
}

const childrenOf = (node: SyntaxNode): SyntaxNode[] => {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
};

const textOf = ({ from, to }: SyntaxNode, text: string): string => text.slice(from, to);

function declaredIn(statement: SyntaxNode, text: string): [string, SyntaxNode][] {
  if (statement.name === 'ExportDeclaration')
    return childrenOf(statement).flatMap((child) =>
      /^(?:Variable|Function)Declaration$/.test(child.name) ? declaredIn(child, text) : [],
    );
  if (statement.name === 'FunctionDeclaration') {
    const name = childrenOf(statement).find((child) => child.name === 'VariableDefinition');
    return name === undefined ? [] : [[textOf(name, text), statement]];
  }
  if (statement.name !== 'VariableDeclaration') return [];
  const pairs: [string, SyntaxNode][] = [];
  let name: string | undefined;
  let isValue = false;
  for (const child of childrenOf(statement)) {
    if (child.name === 'VariableDefinition') name = textOf(child, text);
    else if (child.name === 'Equals') isValue = true;
    else if (child.name === ',') isValue = false;
    else if (isValue && name !== undefined && child.name !== ';') {
      pairs.push([name, child]);
      name = undefined;
    }
  }
  return pairs;
}

/** `export default …`, `export { config as default }`. */
function defaultIn(statement: SyntaxNode): SyntaxNode | undefined {
  const children = childrenOf(statement);
  if (!children.some(({ name }) => name === 'default')) return undefined;
  return (
    children.findLast(({ name }) => name !== ';' && name !== 'default' && name !== 'export') ??
    undefined
  );
}

/** What both languages have and only a run of Python would tell. */
const PROGRAMS = /^(?:Call|Member|Conditional)Expression$/;

function evaluate(node: SyntaxNode, source: Source, depth: number): Literal {
  source.steps += 1;
  if (source.steps > MAX_STEPS || depth > MAX_DEPTH) return undefined;
  const inner = (child: SyntaxNode | null | undefined): Literal =>
    child === null || child === undefined ? undefined : evaluate(child, source, depth + 1);
  const text = textOf(node, source.text);
  if (source.isPython && PROGRAMS.test(node.name)) return undefined;
  switch (node.name) {
    case 'String':
      return source.isPython ? pythonString(text) : unquoted(text);
    case 'ContinuedString': {
      const parts = childrenOf(node).map(inner);
      return parts.every((part) => typeof part === 'string') ? parts.join('') : undefined;
    }
    case 'TemplateString':
      return templateOf(node, source, depth);
    case 'Number':
      return Number(text.replaceAll('_', ''));
    case 'Boolean':
    case 'BooleanLiteral':
      return text.toLowerCase() === 'true';
    case 'None':
    case 'null':
      return null;
    case 'VariableName': {
      const value = source.named.get(text);
      if (value === undefined) return source.imported.get(text);
      return within(value, node) ? undefined : inner(value);
    }
    case 'ArrayExpression':
    case 'TupleExpression':
    case 'SetExpression':
      return childrenOf(node).flatMap((child, at, all) => {
        if (/^[[\](){},]$/.test(child.name) || child.name === 'Spread') return [];
        const value = inner(child);
        return all[at - 1]?.name === 'Spread' ? (Array.isArray(value) ? value : []) : [value];
      });
    case 'DictionaryExpression':
      return dictionaryOf(node, source, depth);
    case 'ObjectExpression':
      return objectOf(node, source, depth);
    case 'ParenthesizedExpression':
    case 'AwaitExpression':
      return inner(childrenOf(node).find(({ name }) => !/^(?:[()]|await)$/.test(name)));
    case 'UnaryExpression':
      return text.startsWith('-') ? negated(inner(node.lastChild)) : undefined;
    case 'BinaryExpression':
      return binaryOf(node, source, depth);
    case 'ConditionalExpression':
      // What only the environment decides is as it is without it.
      return conditionalOf(node, source, depth);
    case 'MemberExpression': {
      const object = inner(node.firstChild);
      const name =
        node.lastChild?.name === 'PropertyName' ? textOf(node.lastChild, source.text) : '';
      return isMapping(object) && Object.hasOwn(object, name) ? object[name] : undefined;
    }
    case 'ArrowFunction':
    case 'FunctionExpression':
    case 'FunctionDeclaration':
      return returned(node, source, depth);
    case 'CallExpression': {
      const [callee, list] = childrenOf(node);
      const args =
        list === undefined ? [] : childrenOf(list).filter(({ name }) => !/^[(),]$/.test(name));
      return new Call(
        callee === undefined ? '' : textOf(callee, source.text),
        args.map((each) => inner(each)),
      );
    }
    default:
      return undefined;
  }
}

const within = (outer: SyntaxNode, inner: SyntaxNode): boolean =>
  outer.from <= inner.from && inner.to <= outer.to;

const negated = (value: Literal): Literal => (typeof value === 'number' ? -value : undefined);

export function isMapping(value: unknown): value is Record<string, Literal> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Call)
  );
}

/** Wrappers pass a configuration on: `withMermaid(defineConfig({ … }))`. */
export function configIn(value: Literal): Record<string, Literal> | undefined {
  if (isMapping(value)) return value;
  return value instanceof Call
    ? value.args.map(configIn).find((each) => each !== undefined)
    : undefined;
}

function objectOf(node: SyntaxNode, source: Source, depth: number): Literal {
  const object: Record<string, Literal> = {};
  for (const property of childrenOf(node)) {
    if (property.name !== 'Property') continue;
    const [first, ...rest] = childrenOf(property);
    if (first?.name === 'Spread') {
      const spread = rest[0] === undefined ? undefined : evaluate(rest[0], source, depth + 1);
      if (isMapping(spread)) Object.assign(object, spread);
      continue;
    }
    const key = first?.name === '[' ? rest[0] : first;
    if (key === undefined) continue;
    const written = textOf(key, source.text);
    const name = key.name === 'String' ? unquoted(written) : written;
    if (typeof name !== 'string' || name === '__proto__') continue;
    const colon = rest.findIndex((each) => each.name === ':');
    const value = colon === -1 ? undefined : rest[colon + 1];
    if (value !== undefined) object[name] = evaluate(value, source, depth + 1);
    else if (rest.length === 0) {
      const named = source.named.get(name);
      object[name] =
        named === undefined ? source.imported.get(name) : evaluate(named, source, depth + 1);
    }
  }
  return object;
}

/** Joined texts; what is asserted about a type does not change the value. */
function binaryOf(node: SyntaxNode, source: Source, depth: number): Literal {
  const [left, operator, right] = childrenOf(node);
  if (left === undefined || operator === undefined || right === undefined) return undefined;
  const value = evaluate(left, source, depth + 1);
  if (operator.name === 'as' || operator.name === 'satisfies') return value;
  const other = evaluate(right, source, depth + 1);
  if (/^(?:\|\||\?\?)$/.test(textOf(operator, source.text))) return value ?? other;
  return textOf(operator, source.text) === '+' &&
    typeof value === 'string' &&
    typeof other === 'string'
    ? value + other
    : undefined;
}

function conditionalOf(node: SyntaxNode, source: Source, depth: number): Literal {
  const [condition, then, otherwise] = childrenOf(node).filter(
    ({ name }) => name !== ':' && name !== 'LogicOp' && name !== '?',
  );
  const isTrue = condition === undefined ? undefined : evaluate(condition, source, depth + 1);
  const branch = isTrue ? then : otherwise;
  return branch === undefined ? undefined : evaluate(branch, source, depth + 1);
}

/** The object that a function returns at the end. */
function returned(node: SyntaxNode, source: Source, depth: number): Literal {
  const body = node.lastChild;
  if (body?.name !== 'Block')
    return body === null || body === undefined ? undefined : evaluate(body, source, depth + 1);
  for (const statement of childrenOf(body))
    for (const [name, value] of declaredIn(statement, source.text))
      if (!source.named.has(name)) source.named.set(name, value);
  const last = childrenOf(body).findLast(({ name }) => name === 'ReturnStatement');
  const value = last && childrenOf(last).find(({ name }) => name !== 'return' && name !== ';');
  return value === undefined ? undefined : evaluate(value, source, depth + 1);
}

function templateOf(node: SyntaxNode, source: Source, depth: number): string | undefined {
  let out = '';
  let at = node.from + 1;
  for (const child of childrenOf(node)) {
    if (child.name !== 'Interpolation') continue;
    const value = childrenOf(child).find(
      ({ name }) => !/^Interpolation/.test(name) && !/^[${}]+$/.test(name),
    );
    const known = value === undefined ? undefined : evaluate(value, source, depth + 1);
    if (typeof known !== 'string' && typeof known !== 'number') return undefined;
    out += unescaped(source.text.slice(at, child.from)) + known;
    at = child.to;
  }
  return out + unescaped(source.text.slice(at, node.to - 1));
}

const unquoted = (text: string): string => unescaped(text.slice(1, -1));

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  '0': '\0',
  '\n': '',
};

const unescaped = (text: string): string =>
  text.replace(
    /\\(?:u\{([\da-fA-F]{1,6})\}|u([\da-fA-F]{4})|x([\da-fA-F]{2})|([\s\S]))/g,
    (_, long, four, two, one) => {
      const code = Number.parseInt(long ?? four ?? two ?? '', 16);
      if (!Number.isNaN(code)) return code <= 0x10ffff ? String.fromCodePoint(code) : '';
      return ESCAPES[one as string] ?? (one as string);
    },
  );

/** The literal values that a Python configuration assigns at its top level; later ones count, `+=` and `append` add. */
export function assignedValues(text: string): Record<string, Literal> {
  const values = new Map<string, Literal>();
  const source: Source = { text, named: new Map(), imported: values, steps: 0, isPython: true };
  for (const statement of childrenOf(python.parse(text).topNode)) {
    const parts = childrenOf(statement);
    const last = parts.at(-1);
    if (last === undefined || !/^(?:Assign|Update)Statement$/.test(statement.name)) continue;
    const value = evaluate(last, source, 0);
    for (const part of parts.slice(0, -1)) {
      if (part.name !== 'VariableName') continue;
      const name = textOf(part, text);
      const before = values.get(name);
      if (statement.name === 'AssignStatement') values.set(name, value);
      else if (Array.isArray(before) && Array.isArray(value))
        values.set(name, [...before, ...value]);
      else if (typeof before === 'string' && typeof value === 'string')
        values.set(name, before + value);
    }
  }
  return Object.fromEntries(values);
}

/** Pairs of a dictionary whose keys are texts. */
function dictionaryOf(node: SyntaxNode, source: Source, depth: number): Literal {
  const items = childrenOf(node).filter(({ name }) => !/^[{},:]$/.test(name));
  const object: Record<string, Literal> = {};
  for (let at = 0; at + 1 < items.length; at += 2) {
    const [key, value] = items.slice(at, at + 2).map((each) => evaluate(each, source, depth + 1));
    if (typeof key === 'string' && key !== '__proto__') object[key] = value;
  }
  return object;
}

function pythonString(text: string): string | undefined {
  const [, prefix = '', mark = ''] = /^([a-zA-Z]{0,2})("""|'''|"|')/.exec(text) ?? [];
  if (mark === '' || /[fb]/i.test(prefix)) return undefined;
  const body = text.slice(prefix.length + mark.length, -mark.length);
  return /r/i.test(prefix) ? body : unescaped(body);
}
