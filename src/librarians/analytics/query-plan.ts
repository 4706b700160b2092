import type { PlanLine } from '../../platform/storage/sql-database.ts';

/** The lines of a plan (https://sqlite.org/eqp.html) whose cost is known. */
export const KNOWN_LINE =
  /^(SCAN |SEARCH |MULTI-INDEX OR$|INDEX \d+$|CO-ROUTINE |MATERIALIZE |(CORRELATED )?(SCALAR|LIST) SUBQUERY \d+$|REUSE (LIST )?SUBQUERY \d+$|COMPOUND QUERY$|LEFT-MOST SUBQUERY$|UNION ALL$|(UNION|EXCEPT|INTERSECT) USING TEMP B-TREE$|MERGE \((UNION|UNION ALL|EXCEPT|INTERSECT)\)$|LEFT$|RIGHT$|USE TEMP B-TREE FOR |RIGHT-JOIN |(CREATE )?BLOOM FILTER|USING (ROWID SEARCH ON TABLE|INDEX) .+ FOR IN-OPERATOR$)/;

/** A loop over a table, as a line of the plan words it. */
export interface PlannedLoop {
  verb: 'SCAN' | 'SEARCH';
  /** The name of the table, its alias or a subquery. */
  name: string;
  /** `COVERING INDEX orders_by_day`, `INTEGER PRIMARY KEY`, `AUTOMATIC ...`; `undefined` when the table itself is read. */
  how: string | undefined;
  index: string | undefined;
  /** The columns whose values are looked up; `undefined` when there is no lookup. */
  columns: string[] | undefined;
}

const LOOP =
  /^(SCAN|SEARCH) (?!(?:\d+-?\s*)?CONSTANT ROW)(.+?)(?: EXISTS)?(?: USING (.+?)(?: \((.*)\))?)?(?: (?:LEFT|RIGHT|FULL|OUTER)-JOIN)?$/;

/** The loop of a line; `undefined` for a line that is none. */
export function readLoop(detail: string): PlannedLoop | undefined {
  const [, verb, name = '', how, lookup] = LOOP.exec(detail) ?? [];
  if (verb === undefined) return undefined;
  const index = /INDEX (.+)$/.exec(how ?? '')?.[1];
  // `ANY(a) AND b=?` skips over the values of a: it looks up b once for each of them.
  const isLookup = verb === 'SEARCH' && lookup !== undefined && !lookup.includes('ANY(');
  const columns = isLookup
    ? lookup.split(' AND ').flatMap((term) => /^(.+)=\?$/.exec(term)?.[1] ?? [])
    : [];
  return {
    verb: verb as PlannedLoop['verb'],
    name,
    how,
    index,
    columns: columns.length > 0 ? columns : undefined,
  };
}

/** The name of a subquery whose result is read, in lower case. */
export function resultOf(detail: string): string | undefined {
  return /^(?:CO-ROUTINE|MATERIALIZE) (.+)$/.exec(detail)?.[1]?.toLowerCase();
}

/** Reading the result of a subquery is no scan: its own scans are counted. Building an automatic index is one. */
export function scansIn(plan: readonly PlanLine[]): number {
  const results = plan.flatMap(({ detail }) => resultOf(detail) ?? []);
  return plan.filter(({ detail }) => {
    const loop = readLoop(detail);
    if (loop === undefined) return false;
    const isResult =
      results.includes(loop.name.toLowerCase()) || loop.name.startsWith('(subquery-');
    return !isResult && (loop.columns === undefined || loop.how?.startsWith('AUTOMATIC') === true);
  }).length;
}
