import type { SqlDatabase } from '../../platform/storage/sql-database.ts';
import { AgentResponse } from '../agents/agent-response.ts';
import { checkColumns, type RunLimits, runSql, type Table } from './run-sql.ts';
import type { GatedSql, SqlGate, Submission } from './sql-gate.ts';
import { type Checked, showSql } from './sql-text.ts';

/** A statement that has run. */
export interface Executed {
  gated: GatedSql;
  table: Table;
}

export interface Statement extends Submission {
  sql: string;
}

export type Execute = (statement: Statement, limits: RunLimits) => Promise<Checked<Executed>>;

/** Runs statements that pass the gate. */
export function executor({ gate, database }: { gate: SqlGate; database: SqlDatabase }): Execute {
  return async ({ sql, ...submission }, limits) => {
    const gated = await gate.judge(sql, submission);
    if (!gated.ok) return gated;
    const table = await runSql(database, gated.value, limits);
    const columns = checkColumns(table.columns);
    return columns.ok ? { ok: true, value: { gated: gated.value, table } } : columns;
  };
}

/** The response with the rows of a statement; its metadata are still to be set. */
export function responseFor(
  query: string,
  {
    executed: { gated, table },
    interpretation,
    confidence,
  }: { executed: Executed; interpretation: string; confidence: number },
): AgentResponse<'analytics'> {
  return AgentResponse.success('analytics', query)
    .setResult({
      sql_query: showSql(gated.statement),
      columns: table.columns,
      rows: table.rows,
      row_count: table.rows.length,
      interpretation,
    })
    .setSourceAttribution(AgentResponse.createAnalyticsSourceAttribution(gated.tables, confidence));
}
