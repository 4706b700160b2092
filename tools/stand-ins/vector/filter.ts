import { VectorRefusal } from './vector-refusal.ts';

/** Whether the metadata of a vector meets the conditions. */
type Filter = (metadata: Readonly<Record<string, unknown>> | undefined) => boolean;

/** A string keeps its quotes; the end is empty. */
const TOKEN = /\s*([a-zA-Z_]\w*|'[^']*'|"[^"]*"|-?\d+(?:\.\d+)?|<=|>=|!=|[=<>(),]|$)/y;
const RESERVED = new Set([
  'AND',
  'OR',
  'NOT',
  'GLOB',
  'IN',
  'CONTAINS',
  'HAS',
  'FIELD',
  'TRUE',
  'FALSE',
]);

const ORDERS = new Map<string, (value: number, bound: number) => boolean>([
  ['<', (value, bound) => value < bound],
  ['<=', (value, bound) => value <= bound],
  ['>', (value, bound) => value > bound],
  ['>=', (value, bound) => value >= bound],
]);

/**
 * Reads a metadata filter of Upstash Vector: comparisons with strings and numbers, `IN`, `CONTAINS`, and parentheses; AND binds tighter than OR.
 * Keywords come in any case, strings know no escapes. A field that is missing or null meets no condition, not even `!=`.
 *
 * The rest of the service's language (booleans, NOT, GLOB, HAS FIELD, paths into objects and arrays) is refused like anything malformed.
 *
 * @throws {VectorRefusal} 400
 */
export function parseFilter(filter: string): Filter {
  const tokens = tokensOf(filter);
  let at = 0;
  const peek = (): string => tokens[at] ?? '';
  const take = (): string => tokens[at++] ?? '';
  const accept = (text: string): boolean => peek().toUpperCase() === text && take() !== '';
  const expect = (text: string): void => {
    if (!accept(text)) throw syntaxError(peek(), `expected ${text}`);
  };

  const anyOf = (): Filter => {
    const parts = [allOf()];
    while (accept('OR')) parts.push(allOf());
    return (metadata) => parts.some((meets) => meets(metadata));
  };
  const allOf = (): Filter => {
    const parts = [condition()];
    while (accept('AND')) parts.push(condition());
    return (metadata) => parts.every((meets) => meets(metadata));
  };
  const condition = (): Filter => {
    if (accept('(')) {
      const inner = anyOf();
      expect(')');
      return inner;
    }
    const field = take();
    const isField = /^[a-zA-Z_]/.test(field) && !RESERVED.has(field.toUpperCase());
    if (!isField) throw syntaxError(field, 'expected a field');
    const meets = comparison();
    return (metadata) => {
      const value = metadata && Object.hasOwn(metadata, field) ? metadata[field] : undefined;
      return value !== undefined && value !== null && meets(value);
    };
  };
  const comparison = (): ((value: unknown) => boolean) => {
    const operator = take();
    if (operator.toUpperCase() === 'IN') {
      expect('(');
      const values = [literal()];
      while (accept(',')) values.push(literal());
      expect(')');
      return (value) => values.some((each) => each === value);
    }
    if (operator.toUpperCase() === 'CONTAINS') {
      const part = literal();
      return (value) => Array.isArray(value) && value.includes(part);
    }
    const order = ORDERS.get(operator);
    if (!order && operator !== '=' && operator !== '!=')
      throw syntaxError(operator, 'expected an operator');
    const bound = literal();
    if (!order) return (value) => (value === bound) === (operator === '=');
    if (typeof bound !== 'number') throw syntaxError(bound, 'expected a number');
    return (value) => typeof value === 'number' && order(value, bound);
  };
  const literal = (): string | number => {
    const token = take();
    if (/^['"]/.test(token)) return token.slice(1, -1);
    if (/^[-\d]/.test(token)) return Number(token);
    throw syntaxError(token, 'expected a value');
  };

  const meets = anyOf();
  if (peek() !== '') throw syntaxError(peek(), 'expected AND, OR or the end');
  return meets;
}

const tokensOf = (filter: string): string[] => {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  do {
    const start = TOKEN.lastIndex;
    const token = TOKEN.exec(filter)?.[1];
    if (token === undefined)
      throw syntaxError(filter.slice(start, start + 20), 'unknown character');
    tokens.push(token);
  } while (tokens.at(-1) !== '');
  return tokens;
};

const syntaxError = (near: string, problem: string) =>
  new VectorRefusal(400, `Invalid filter near '${near}': ${problem}`);
