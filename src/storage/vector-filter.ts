import type { VectorFilter, VectorMetadata } from './vector-index.ts';

/** Longer filters are refused by Upstash somewhere below 12 KB; where exactly is not told. */
const MAX_FILTER_LENGTH = 1024;
const MAX_DEPTH = 8;
const MAX_VALUE_LENGTH = 256;

/** Whether metadata meets a filter. A field that is missing, or of another type than the value, meets no condition. */
export const meetsFilter = (metadata: VectorMetadata | undefined, filter: VectorFilter): boolean => {
  if ('and' in filter) return filter.and.every((each) => meetsFilter(metadata, each));
  if ('or' in filter) return filter.or.some((each) => meetsFilter(metadata, each));
  const held = metadata !== undefined && Object.hasOwn(metadata, filter.field) ? metadata[filter.field] : undefined;
  if ('in' in filter) return typeof held === 'string' && filter.in.includes(held);
  if (held === undefined || typeof held !== typeof filter.value) return false;
  if (filter.is === '=') return held === filter.value;
  if (filter.is === '!=') return held !== filter.value;
  return inOrder(Number(held), filter.is, Number(filter.value));
};

const inOrder = (held: number, is: '<' | '<=' | '>' | '>=', value: number): boolean => {
  if (is === '<') return held < value;
  if (is === '<=') return held <= value;
  return is === '>' ? held > value : held >= value;
};

/**
 * A filter in the language of Upstash Vector; `true` where everything meets it, `false` where nothing can.
 *
 * Its escaping is not documented and proven by nobody, so that a value which no quotes fit around is refused. Every clause
 * stands in parentheses, as AND binds tighter than OR.
 *
 * @throws {RangeError} For a name, a value or a length that cannot be sent safely. The message does not name the value.
 */
export const filterText = (filter: VectorFilter): string | boolean => {
  const text = written(filter, MAX_DEPTH);
  if (typeof text === 'string' && text.length > MAX_FILTER_LENGTH) throw new RangeError('the filter is too long');
  return text;
};

const written = (filter: VectorFilter, depth: number): string | boolean => {
  if (depth === 0) throw new RangeError('the filter is too deep');
  if ('and' in filter) return joined(filter.and, { word: 'AND', decides: false, depth });
  if ('or' in filter) return joined(filter.or, { word: 'OR', decides: true, depth });
  if ('in' in filter) {
    const list = filter.in.map(quoted).join(', ');
    return filter.in.length > 0 && `(${named(filter.field)} IN (${list}))`;
  }
  if (!OPERATORS.has(filter.is)) throw new RangeError('the filter has an unknown operator');
  return `(${named(filter.field)} ${filter.is} ${literal(filter.value)})`;
};

const joined = (
  filters: readonly VectorFilter[],
  { word, decides, depth }: { word: 'AND' | 'OR'; decides: boolean; depth: number },
): string | boolean => {
  const clauses: string[] = [];
  for (const each of filters) {
    const text = written(each, depth - 1);
    if (text === decides) return decides;
    if (typeof text === 'string') clauses.push(text);
  }
  if (clauses.length < 2) return clauses[0] ?? !decides;
  return `(${clauses.join(` ${word} `)})`;
};

const OPERATORS = new Set(['=', '!=', '<', '<=', '>', '>=']);
const KEYWORDS = new Set(['and', 'or', 'not', 'in', 'glob', 'contains', 'has', 'field', 'true', 'false']);

const named = (field: string): string => {
  const isName = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(field) && !KEYWORDS.has(field.toLowerCase());
  if (!isName) throw new RangeError('the filter names a field that cannot be one');
  return field;
};

const literal = (value: string | number | boolean): string => {
  if (typeof value === 'number') return decimal(value);
  return typeof value === 'boolean' ? String(value) : quoted(value);
};

const quoted = (value: string): string => {
  const hasBoth = value.includes("'") && value.includes('"');
  const isPlain = value.length <= MAX_VALUE_LENGTH && value.isWellFormed() && !/[\p{Cc}\u2028\u2029\\]/u.test(value);
  if (hasBoth || !isPlain) throw new RangeError('the filter has a text that cannot be quoted');
  return value.includes("'") ? `"${value}"` : `'${value}'`;
};

/** Without exponent, which the language does not know. */
const decimal = (value: number): string => {
  if (!Number.isFinite(value)) throw new RangeError('the filter has a number that is not finite');
  const [digits = '', exponent] = String(value).split('e');
  if (exponent === undefined) return digits;
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)\.?(\d*)$/.exec(digits) ?? [];
  const power = Number(exponent);
  return power < 0
    ? `${sign}0.${'0'.repeat(-power - 1)}${whole}${fraction}`
    : `${sign}${whole}${fraction.padEnd(power, '0')}`;
};
