/** A piece of a statement, as SQLite cuts it (https://sqlite.org/src/file/src/tokenize.c), white space left out. */
export interface SqlToken {
  /** `name` is a bare word, keywords included; `quoted` one in `"`, backquotes or brackets. */
  kind: 'name' | 'quoted' | 'text' | 'number' | 'parameter' | 'symbol';
  /** As written. */
  raw: string;
  /** Without quotes; a bare word in lower case. */
  value: string;
  /** Where it begins, in UTF-16 units. */
  at: number;
}

/** Why a text cannot be read as SQL that we take. The sentence goes on after "the statement". */
export type LexedSql = { ok: true; tokens: SqlToken[] } | { ok: false; problem: string };

/**
 * Cuts a statement into tokens, and refuses what two readers could see differently: comments, control characters, letters
 * beyond ASCII outside quotes, bytes as literals, quotes that are not closed, brackets that do not match.
 */
export const lexSql = (sql: string): LexedSql => {
  if (!sql.isWellFormed() || CONTROL.test(sql)) return { ok: false, problem: 'has a character that is not text' };
  const tokens: SqlToken[] = [];
  for (let at = 0; at < sql.length; ) {
    const found = tokenAt(sql, at);
    if (typeof found === 'string') return { ok: false, problem: found };
    if (found.kind !== 'space') tokens.push(found as SqlToken); // the kind is none but a token's, as the line says
    at += found.raw.length;
  }
  return areBracketsMatched(tokens)
    ? { ok: true, tokens }
    : { ok: false, problem: 'has brackets that do not match, or too many' };
};

/** All control characters but tab, line feed and carriage return. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
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
  return /^['"`[]/.test(pair) ? 'has a quote that is not closed' : `cannot be read at character ${at + 1}`;
};

const readValue = (kind: Found['kind'], raw: string): string => {
  if (kind === 'name') return raw.toLowerCase();
  if (kind !== 'quoted' && kind !== 'text') return raw;
  const quote = raw.charAt(0);
  return raw.slice(1, -1).replaceAll(quote + quote, quote);
};

/** More brackets in brackets than people or models write. */
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
