import type { SqlParameter, SqlStatement } from '../../platform/storage/sql-database.ts';

/** A value, or our own sentence on why there is none; `hint` is SQLite's message, for the statement's author only. */
export type Checked<T> = { ok: true; value: T } | Refusal;

export interface Refusal {
  ok: false;
  reason: string;
  hint?: string | undefined;
}

/** @param problem Continues the sentence "The statement ...". */
export function refuseStatement(problem: string): Refusal {
  return { ok: false, reason: `The statement ${problem}.` };
}

const MAX_STATEMENT_LENGTH = 8000;
const MAX_LITERAL_LENGTH = 200;
const MAX_TOKENS = 1500;

/** Rows that a statement may return unless the caller allows more. */
export const MAX_ROWS = 500;

/**
 * Rule 1 of the gate (docs/analytics.md): exactly one SELECT of moderate size, and only parameters that have a value.
 *
 * @param names The parameters that have a value.
 * @returns The tokens, without the semicolon at the end.
 */
export function checkText(sql: string, names: readonly string[]): Checked<SqlToken[]> {
  if (sql.length > MAX_STATEMENT_LENGTH)
    return refuseStatement(`is longer than ${MAX_STATEMENT_LENGTH} characters`);
  const lexed = lexSql(sql);
  if (!lexed.ok) return refuseStatement(lexed.problem);
  const tokens = lexed.tokens.at(-1)?.raw === ';' ? lexed.tokens.slice(0, -1) : lexed.tokens;
  if (tokens.length > MAX_TOKENS) return refuseStatement(`has more than ${MAX_TOKENS} words`);
  const [first] = tokens;
  if (first?.kind !== 'name' || !FIRST_WORDS.has(first.value))
    return refuseStatement('does not begin with SELECT, WITH or VALUES');
  const problem = tokens
    .map((token) => problemOf(token, names))
    .find((found) => found !== undefined);
  return problem === undefined ? { ok: true, value: tokens } : refuseStatement(problem);
}

/** The statement as it is explained and run: parameters numbered as in `names`, rows limited. */
export function finalText(
  tokens: readonly SqlToken[],
  { names, maxRows }: { names: readonly string[]; maxRows: number },
): string {
  const numbered = ({ kind, raw }: SqlToken) =>
    kind === 'parameter' ? `?${names.indexOf(raw.slice(1)) + 1}` : raw;
  return `SELECT * FROM (${joinTokens(tokens, numbered)}) LIMIT ${maxRows}`;
}

/** Writes tokens with a space wherever the statement had white space. */
const joinTokens = (tokens: readonly SqlToken[], write: (token: SqlToken) => string): string =>
  tokens
    .map((token, place) => {
      const before = tokens[place - 1];
      const isApart = before !== undefined && before.at + before.raw.length < token.at;
      return `${isApart ? ' ' : ''}${write(token)}`;
    })
    .join('');

const FIRST_WORDS: ReadonlySet<string> = new Set(['select', 'with', 'values']);

const problemOf = (
  { kind, raw, value }: SqlToken,
  names: readonly string[],
): string | undefined => {
  if (raw === ';') return 'is more than one';
  if (kind === 'name' && value === 'recursive') return 'is recursive';
  // It would read the whole partition for every row.
  if (kind === 'name' && value === 'exclude') return 'excludes rows from a window';
  // SQLite reads an unknown quoted name as a string.
  if ((kind === 'text' || kind === 'quoted') && value.length > MAX_LITERAL_LENGTH)
    return `has a text of more than ${MAX_LITERAL_LENGTH} characters`;
  // Rows are objects by column name, and this name would set the prototype.
  if (value === '__proto__') return 'has the name __proto__ in it';
  if (kind === 'parameter' && !(raw.startsWith(':') && names.includes(raw.slice(1))))
    return 'has a parameter without a value';
  return undefined;
};

/** A statement for display, with values in place of its parameters and white space collapsed. What runs has them bound. */
export function showSql({ sql, values = [] }: SqlStatement): string {
  const lexed = lexSql(sql);
  if (!lexed.ok) return sql;
  return joinTokens(lexed.tokens, ({ kind, raw }) =>
    kind === 'parameter' ? sqlLiteral(values[Number(raw.slice(1)) - 1] ?? null) : raw,
  );
}

const sqlLiteral = (value: SqlParameter): string => {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'NULL';
  return `'${value.replaceAll("'", "''")}'`;
};

/** A token as SQLite cuts it (https://sqlite.org/src/file/src/tokenize.c), without white space. */
export interface SqlToken {
  /** `name` is a bare word, keywords included; `quoted` is one in `"`, backquotes or brackets. */
  kind: 'name' | 'quoted' | 'text' | 'number' | 'parameter' | 'symbol';
  /** As written. */
  raw: string;
  /** Without quotes; a bare word in lower case. */
  value: string;
  /** Position in UTF-16 units. */
  at: number;
}

/** `problem` continues the sentence "The statement ...". */
type LexedSql = { ok: true; tokens: SqlToken[] } | { ok: false; problem: string };

/**
 * Cuts a statement into tokens, and refuses what two parsers could read differently: comments, control characters, non-ASCII
 * letters outside quotes, blob literals, unclosed quotes, unmatched brackets.
 */
export function lexSql(sql: string): LexedSql {
  if (!sql.isWellFormed() || CONTROL.test(sql))
    return { ok: false, problem: 'has a character that is not text' };
  const tokens: SqlToken[] = [];
  for (let at = 0; at < sql.length; ) {
    const found = tokenAt(sql, at);
    if (typeof found === 'string') return { ok: false, problem: found };
    if (found.kind !== 'space') tokens.push(found as SqlToken); // narrowing a member does not narrow the object
    at += found.raw.length;
  }
  return areBracketsMatched(tokens)
    ? { ok: true, tokens }
    : { ok: false, problem: 'has brackets that do not match, or too many' };
}

/** All control characters except tab, line feed and carriage return. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for them
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

type Found = Omit<SqlToken, 'kind'> & { kind: SqlToken['kind'] | 'space' };

const PATTERNS: readonly (readonly [Found['kind'], RegExp])[] = [
  ['space', /[ \t\r\n]+/y],
  ['text', /'(?:[^']|'')*'/y],
  ['quoted', /"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]/y],
  ['number', /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w$])/y],
  ['name', /[A-Za-z_][A-Za-z0-9_]*(?![\w$])/y],
  ['parameter', /[?:@$#][A-Za-z0-9_$]*/y],
  ['symbol', /<=|>=|<>|!=|==|\|\||<<|>>|[-+*/%=<>&|~(),.;]/y],
];

const tokenAt = (sql: string, at: number): Found | string => {
  const pair = sql.slice(at, at + 2);
  if (pair === '--' || pair === '/*') return 'has a comment';
  if (/^x'/i.test(pair)) return 'has bytes in it';
  for (const [kind, pattern] of PATTERNS) {
    pattern.lastIndex = at;
    const raw = pattern.exec(sql)?.[0];
    if (raw !== undefined) return { kind, raw, value: readValue(kind, raw), at };
  }
  return /^['"`[]/.test(pair) ? 'has an unclosed quote' : `cannot be read at character ${at + 1}`;
};

const readValue = (kind: Found['kind'], raw: string): string => {
  if (kind === 'name') return raw.toLowerCase();
  if (kind !== 'quoted' && kind !== 'text') return raw;
  const quote = raw.charAt(0);
  return raw.slice(1, -1).replaceAll(quote + quote, quote);
};

/** Deeper nesting than people or models write. */
const MAX_DEPTH = 50;

const areBracketsMatched = (tokens: readonly SqlToken[]): boolean => {
  let depth = 0;
  for (const { kind, raw } of tokens) {
    if (kind !== 'symbol') continue;
    if (raw === '(') depth++;
    if (raw === ')') depth--;
    if (depth < 0 || depth > MAX_DEPTH) return false;
  }
  return depth === 0;
};
