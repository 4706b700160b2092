import type { Instruction, PlanLine } from '../../storage/sql-database.ts';
import { type Checked, refuseStatement as refuse } from './checked.ts';
import { estimateSteps } from './estimate-steps.ts';
import type { SqlToken } from './lex-sql.ts';
import type { TableSizes } from './table-sizes.ts';

const MAX_SCANS = 4;
/** Rows that a statement may go through, by estimate, each with its work: a few seconds of a database at worst. */
const MAX_WORK = 10_000_000;
/** So many count as one more row: in workerd a call took 130 ns, a calculation with what it loads 20, another instruction 6. */
const CALLS_PER_ROW = 4;
const CALCULATIONS_PER_ROW = 16;
const INSTRUCTIONS_PER_ROW = 64;
/** What a program for four tables with groups has around its innermost loop. */
const USUAL_INSTRUCTIONS = 100;

/** Rule 6 of the gate (signed context 10.6): no recursion, few scans, and no product of tables that takes minutes. */
export const checkPlan = (
  plan: readonly PlanLine[],
  { program, tokens, sizes }: { program: readonly Instruction[]; tokens: readonly SqlToken[]; sizes: TableSizes },
): Checked<number> => {
  if (plan.some(({ detail }) => detail.startsWith('RECURSIVE STEP'))) return refuse('is recursive');
  if (scansIn(plan) > MAX_SCANS) return refuse(`scans more than ${MAX_SCANS} tables`);
  const work = estimateSteps(plan, { tokens, sizes }) * workPerRow(program);
  return work > MAX_WORK ? refuse('goes through too many combinations of rows') : { ok: true, value: work };
};

/** An index that SQLite makes for the statement takes a scan. What an inner query hands on is none: its own scans stand for it. */
const scansIn = (plan: readonly PlanLine[]): number => {
  const prepared = plan.flatMap(({ detail }) => /^(?:CO-ROUTINE|MATERIALIZE) (.+)$/.exec(detail)?.[1] ?? []);
  return plan.filter(({ detail }) => {
    if (SCAN_OF_A_TABLE.test(detail)) return true;
    const indexed = AUTOMATIC_INDEX.exec(detail)?.[1];
    return indexed !== undefined && !prepared.includes(indexed);
  }).length;
};

const SCAN_OF_A_TABLE = /^SCAN (?!CONSTANT ROW|\(subquery-)/;
const AUTOMATIC_INDEX = /^SEARCH (.+?) USING AUTOMATIC /;

/** As if each instruction were done for each row: where they stand, the plan does not tell. */
const workPerRow = (program: readonly Instruction[]): number => {
  const count = (opcodes: ReadonlySet<string>) => program.filter(({ opcode }) => opcodes.has(opcode)).length;
  const further = Math.max(0, program.length - USUAL_INSTRUCTIONS);
  return 1 + count(CALLS) / CALLS_PER_ROW + count(CALCULATIONS) / CALCULATIONS_PER_ROW + further / INSTRUCTIONS_PER_ROW;
};

const CALLS: ReadonlySet<string> = new Set(['Function', 'PureFunc', 'Concat']);
const CALCULATIONS: ReadonlySet<string> = new Set(
  (
    'Add Subtract Multiply Divide Remainder BitAnd BitOr BitNot ShiftLeft ShiftRight And Or Not Cast ' +
    'Eq Ne Lt Le Gt Ge ElseEq IsNull NotNull If IfNot IsTrue ZeroOrNull AggStep AggStep1 AggInverse AggValue'
  ).split(' '),
);
