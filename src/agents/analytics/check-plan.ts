import type { PlanLine } from '../../storage/sql-database.ts';
import { type Checked, refuseStatement as refuse } from './checked.ts';
import { estimateSteps } from './estimate-steps.ts';
import type { SqlToken } from './lex-sql.ts';
import type { TableSizes } from './table-sizes.ts';

const MAX_SCANS = 4;
/** Rows that a statement may go through, by estimate: one to three seconds of a database. */
const MAX_STEPS = 10_000_000;

/** Rule 6 of the gate (signed context 10.6): no recursion, few scans, and no product of tables that takes minutes. */
export const checkPlan = (
  plan: readonly PlanLine[],
  { tokens, sizes }: { tokens: readonly SqlToken[]; sizes: TableSizes },
): Checked<number> => {
  if (plan.some(({ detail }) => detail.startsWith('RECURSIVE STEP'))) return refuse('is recursive');
  if (plan.filter(({ detail }) => SCAN_OF_A_TABLE.test(detail)).length > MAX_SCANS) {
    return refuse(`scans more than ${MAX_SCANS} tables`);
  }
  const steps = estimateSteps(plan, { tokens, sizes });
  return steps > MAX_STEPS ? refuse('goes through too many combinations of rows') : { ok: true, value: steps };
};

/** Not the rows that an inner query hands on, which its own scans stand for. */
const SCAN_OF_A_TABLE = /^SCAN (?!CONSTANT ROW|\(subquery-)/;
