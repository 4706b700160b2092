import { type Checked, refuseStatement as refuse } from './checked.ts';
import { lexSql, type SqlToken } from './lex-sql.ts';

const MAX_STATEMENT_LENGTH = 8000;
const MAX_LITERAL_LENGTH = 200;
const MAX_TOKENS = 1500;

/** Rows that a statement may return, unless more are asked for. */
export const MAX_ROWS = 500;

/**
 * Rule 1 of the gate (signed context 10.6): exactly one statement that selects, of moderate size, with a parameter only
 * where there is a value for it.
 *
 * @param names The parameters that have a value.
 * @returns The tokens, without the semicolon at the end.
 */
export const checkText = (sql: string, names: readonly string[]): Checked<SqlToken[]> => {
  if (sql.length > MAX_STATEMENT_LENGTH) return refuse(`is longer than ${MAX_STATEMENT_LENGTH} characters`);
  const lexed = lexSql(sql);
  if (!lexed.ok) return refuse(lexed.problem);
  const tokens = lexed.tokens.at(-1)?.raw === ';' ? lexed.tokens.slice(0, -1) : lexed.tokens;
  if (tokens.length > MAX_TOKENS) return refuse(`has more than ${MAX_TOKENS} words`);
  const [first] = tokens;
  if (first?.kind !== 'name' || !FIRST_WORDS.has(first.value))
    return refuse('does not begin with SELECT, WITH or VALUES');
  const problem = tokens.map((token) => problemOf(token, names)).find((found) => found !== undefined);
  return problem === undefined ? { ok: true, value: tokens } : refuse(problem);
};

/** The statement as it is explained and run: its parameters numbered as in `names`, its rows capped. */
export const finalText = (
  tokens: readonly SqlToken[],
  { names, maxRows }: { names: readonly string[]; maxRows: number },
): string => {
  const numbered = ({ kind, raw }: SqlToken) => (kind === 'parameter' ? `?${names.indexOf(raw.slice(1)) + 1}` : raw);
  return `SELECT * FROM (${joinTokens(tokens, numbered)}) LIMIT ${maxRows}`;
};

/** The tokens with the white space they need: none where there was none. */
export const joinTokens = (tokens: readonly SqlToken[], write: (token: SqlToken) => string): string =>
  tokens
    .map((token, place) => {
      const before = tokens[place - 1];
      const isApart = before !== undefined && before.at + before.raw.length < token.at;
      return `${isApart ? ' ' : ''}${write(token)}`;
    })
    .join('');

const FIRST_WORDS: ReadonlySet<string> = new Set(['select', 'with', 'values']);

const problemOf = ({ kind, raw, value }: SqlToken, names: readonly string[]): string | undefined => {
  if (raw === ';') return 'is more than one';
  if (kind === 'name' && value === 'recursive') return 'is recursive';
  // It would go through the whole partition for every row.
  if (kind === 'name' && value === 'exclude') return 'leaves rows out of a window';
  // A name in quotes that nothing bears is a text to SQLite.
  if ((kind === 'text' || kind === 'quoted') && value.length > MAX_LITERAL_LENGTH)
    return `has a text of more than ${MAX_LITERAL_LENGTH} characters`;
  // A row is an object by column name: a copy of it would lose this one, or its own nature.
  if (value === '__proto__') return 'has the name __proto__ in it';
  if (kind === 'parameter' && !(raw.startsWith(':') && names.includes(raw.slice(1))))
    return 'has a parameter without a value';
  return undefined;
};
