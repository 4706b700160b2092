import type { Instruction, SchemaEntry } from '../../storage/sql-database.ts';
import { ALLOWED_FUNCTIONS, ALLOWED_INSTRUCTIONS } from './allowed-instructions.ts';
import { type Checked, refuseStatement as refuse } from './checked.ts';
import type { SqlToken } from './lex-sql.ts';

interface ProgramRules {
  schema: readonly SchemaEntry[];
  /** Names of the tables that may be read. */
  tables: readonly string[];
  tokens: readonly SqlToken[];
}

const MAX_COLUMNS = 32;
const MAX_CONCATENATIONS = 8;
/** What one row may grow to by what the statement itself says, in characters: 16 MB over 500 rows. */
const MAX_GROWN_ROW = 32_768;
/** What the text of a column counts at least. */
const USUAL_TEXT = 32;

/**
 * Rules 3 to 5 of the gate (signed context 10.6): the program only reads, only tables that may be read, only by functions that
 * are harmless, and makes no row huge. It is judged as SQLite would run it, behind views, subqueries and names in quotes.
 *
 * @returns The tables that are read, in alphabetical order.
 */
export const checkProgram = (program: readonly Instruction[], rules: ProgramRules): Checked<string[]> => {
  const read = new Set<string>();
  for (const instruction of program) {
    const { opcode, p1, p2 } = instruction;
    if (!ALLOWED_INSTRUCTIONS.has(opcode)) return refuse(OPCODE_PROBLEMS[opcode] ?? 'does more than read tables');
    if (opcode === 'Transaction' && (p1 !== 0 || p2 !== 0)) return refuse('writes');
    const unknown = functionOf(instruction);
    if (unknown !== undefined && !ALLOWED_FUNCTIONS.has(unknown)) return refuse(`calls the function ${unknown}`);
    if (opcode !== 'OpenRead' && opcode !== 'ReopenIdx') continue;
    const table = tableOf(instruction, rules);
    if (table === undefined) return refuse('reads a table that is not open to questions');
    read.add(table);
  }
  return checkGrowth(program, rules.tokens) ?? { ok: true, value: [...read].sort() };
};

const OPCODE_PROBLEMS: Readonly<Record<string, string>> = {
  VOpen: 'reads a virtual table',
  OpenWrite: 'writes',
};

/** The function that an instruction calls: `sum` of `sum(1)`. One of unknown form is told as it is written. */
const functionOf = ({ opcode, p4 }: Instruction): string | undefined =>
  /^(Pure)?Func(tion)?$|^Agg/.test(opcode) ? (/^(.+)\(-?\d+\)$/.exec(p4 ?? '')?.[1] ?? p4 ?? 'unknown') : undefined;

/** Bit of `p5`: the root page stands in a register, where nobody sees it. */
const PAGE_IN_REGISTER = 0x10;

const tableOf = ({ p2, p3, p5 }: Instruction, { schema, tables }: ProgramRules): string | undefined => {
  if (p3 !== 0 || (p5 & PAGE_IN_REGISTER) !== 0 || p2 <= 1) return undefined;
  const owners = schema.filter(({ rootPage }) => rootPage === p2).map(({ table }) => table.toLowerCase());
  const [owner] = owners;
  return owners.length === 1 ? tables.find((table) => table.toLowerCase() === owner) : undefined;
};

/** Each concatenation at most doubles what there is: without recursion that bounds a row. */
const checkGrowth = (program: readonly Instruction[], tokens: readonly SqlToken[]): Checked<string[]> | undefined => {
  const columns = Math.max(0, ...program.filter(({ opcode }) => opcode === 'ResultRow').map(({ p2 }) => p2));
  if (columns > MAX_COLUMNS) return refuse(`returns more than ${MAX_COLUMNS} columns`);
  const growing = program.filter(
    ({ opcode, p4 }) => opcode === 'Concat' || p4?.startsWith('strftime(') === true,
  ).length;
  const longest = Math.max(
    USUAL_TEXT,
    ...tokens.filter(({ kind }) => kind === 'text' || kind === 'quoted').map(({ value }) => value.length),
  );
  const isTooMuch = growing > MAX_CONCATENATIONS || (growing > 0 && columns * 2 ** growing * longest > MAX_GROWN_ROW);
  return isTooMuch ? refuse('joins too many texts') : undefined;
};
