import { VectorRefusal } from './vector-error.ts';

export type Literal = string | number | boolean;

/** A step into metadata: a key, a place in an array, or a place counted from its end (1 is the last). */
type Step = { key: string } | { at: number } | { fromEnd: number };
export type FieldPath = readonly Step[];

type Comparison = '=' | '!=' | '<' | '<=' | '>' | '>=';
export type FilterTree =
  | { is: 'and' | 'or'; parts: FilterTree[] }
  | { is: 'compare'; field: FieldPath; operator: Comparison; value: Literal }
  | { is: 'glob'; field: FieldPath; negated: boolean; pattern: string }
  | { is: 'in'; field: FieldPath; negated: boolean; values: Literal[] }
  | { is: 'contains'; field: FieldPath; negated: boolean; value: Literal }
  | { is: 'has'; field: FieldPath; negated: boolean };

interface Token {
  kind: 'word' | 'text' | 'number' | 'sign' | 'end';
  text: string;
  position: number;
}

const TOKEN =
  /\s*(?:(?<word>[a-zA-Z_][a-zA-Z_0-9.[\]#-]*)|(?<text>'[^']*'|"[^"]*")|(?<number>-?\d+(?:\.\d+)?)|(?<sign><=|>=|!=|[=<>(),]))/y;
const RESERVED = new Set(['AND', 'OR', 'NOT', 'GLOB', 'IN', 'CONTAINS', 'HAS', 'FIELD', 'TRUE', 'FALSE']);

/**
 * Reads a metadata filter of Upstash Vector: AND binds tighter than OR, there is no NOT before a condition, keywords come
 * in any case, texts know no escapes.
 *
 * @throws {VectorRefusal} 400 when it is not in that language.
 */
export const parseFilter = (filter: string): FilterTree => {
  const tokens = tokensOf(filter);
  let at = 0;
  const peek = (): Token => tokens[at] as Token; // The last token is `end`, which nothing takes.
  const take = (): Token => {
    const token = peek();
    if (token.kind !== 'end') at += 1;
    return token;
  };
  const isKeyword = (keyword: string) => peek().kind === 'word' && peek().text.toUpperCase() === keyword;
  const accept = (keyword: string) => isKeyword(keyword) && take() !== undefined;
  const demand = (sign: string) => {
    const token = take();
    if (token.kind !== 'sign' || token.text !== sign) throw syntaxError(token, `expected ${sign}`);
  };

  const joined = (keyword: 'AND' | 'OR', part: () => FilterTree): FilterTree => {
    const first = part();
    const parts = [first];
    while (accept(keyword)) parts.push(part());
    return parts.length === 1 ? first : { is: keyword === 'AND' ? 'and' : 'or', parts };
  };
  const anyOf = (): FilterTree => joined('OR', allOf);
  const allOf = (): FilterTree => joined('AND', condition);

  const field = (): FieldPath => {
    const token = take();
    if (token.kind !== 'word' || RESERVED.has(token.text.toUpperCase())) throw syntaxError(token, 'expected a field');
    return pathOf(token);
  };
  const literal = (): Literal => {
    const token = take();
    if (token.kind === 'text') return token.text.slice(1, -1);
    if (token.kind === 'number') return Number(token.text);
    const word = token.kind === 'word' ? token.text.toUpperCase() : '';
    if (word !== 'TRUE' && word !== 'FALSE') throw syntaxError(token, 'expected a value');
    return word === 'TRUE';
  };
  const literals = (): Literal[] => {
    demand('(');
    const values = [literal()];
    while (peek().text === ',' && take()) values.push(literal());
    demand(')');
    return values;
  };
  const condition = (): FilterTree => {
    if (peek().kind === 'sign' && peek().text === '(') {
      take();
      const inner = anyOf();
      demand(')');
      return inner;
    }
    if (accept('HAS')) {
      const negated = accept('NOT');
      if (!accept('FIELD')) throw syntaxError(peek(), 'expected FIELD');
      return { is: 'has', field: field(), negated };
    }
    return conditionOn(field());
  };
  const conditionOn = (path: FieldPath): FilterTree => {
    const negated = accept('NOT');
    if (accept('GLOB')) {
      const token = take();
      if (token.kind !== 'text') throw syntaxError(token, 'expected a pattern');
      return { is: 'glob', field: path, negated, pattern: token.text.slice(1, -1) };
    }
    if (accept('IN')) return { is: 'in', field: path, negated, values: literals() };
    if (accept('CONTAINS')) return { is: 'contains', field: path, negated, value: literal() };
    const token = take();
    if (negated || !isComparison(token)) throw syntaxError(token, 'expected an operator');
    const valueToken = peek();
    const value = literal();
    const orders = token.text !== '=' && token.text !== '!=';
    if (orders && typeof value !== 'number') throw syntaxError(valueToken, 'expected a number');
    return { is: 'compare', field: path, operator: token.text, value };
  };

  const tree = anyOf();
  if (peek().kind !== 'end') throw syntaxError(peek(), 'expected AND, OR or the end');
  return tree;
};

const isComparison = (token: Token): token is Token & { text: Comparison } =>
  token.kind === 'sign' && /^[=<>!]/.test(token.text);

const tokensOf = (filter: string): Token[] => {
  const tokens: Token[] = [];
  const text = filter.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const position = TOKEN.lastIndex;
    const groups = TOKEN.exec(text)?.groups;
    const [kind, found] = Object.entries(groups ?? {}).find(([, value]) => value !== undefined) ?? [];
    if (found === undefined) throw syntaxError({ kind: 'end', text: text.slice(position, position + 1), position });
    // The groups of the pattern are the kinds.
    tokens.push({ kind: kind as Token['kind'], text: found, position });
  }
  tokens.push({ kind: 'end', text: '', position: text.length });
  return tokens;
};

const PART = /(?<key>[^.[]+)|\[(?<at>\d+)\]|\[#-(?<fromEnd>\d+)\]/y;

/** `a.b`, `tags[0]`, `tags[#-1]`. A bracket that closes without having been opened is part of a name, as on the service. */
const pathOf = (token: Token): FieldPath => {
  const steps: Step[] = [];
  let at = 0;
  while (at < token.text.length) {
    if (token.text[at] === '.') at += 1;
    PART.lastIndex = at;
    const groups = PART.exec(token.text)?.groups;
    if (!groups) throw syntaxError(token, 'no such field is possible');
    if (groups.key !== undefined) steps.push({ key: groups.key });
    else if (groups.at !== undefined) steps.push({ at: Number(groups.at) });
    else steps.push({ fromEnd: Number(groups.fromEnd) });
    at = PART.lastIndex;
  }
  return steps;
};

const syntaxError = (token: Token, expected = 'no such character is possible') =>
  new VectorRefusal(400, `Invalid filter at position ${token.position}, near '${token.text}': ${expected}`);
