import {
  type SchemaEntry,
  type SqlDatabase,
  type SqlParameter,
  SqlRefused,
  type SqlStatement,
} from '../../storage/sql-database.ts';
import { checkPlan } from './check-plan.ts';
import { checkProgram } from './check-program.ts';
import { checkText, finalText } from './check-text.ts';
import type { Checked } from './checked.ts';
import { readTableSizes, type TableSizes } from './table-sizes.ts';

/** A statement that may run as it stands here, against this schema. */
export interface GatedSql {
  statement: SqlStatement;
  /** The tables that it reads, in alphabetical order. */
  tables: string[];
  schema: readonly SchemaEntry[];
}

/** Judges statements before they run. */
export interface SqlGate {
  /**
   * @param values By parameter name; a statement that a model wrote has none.
   * @returns Why not, in a sentence of our own; `hint` is what SQLite said, for the one who wrote the statement only.
   * @throws {SqlUnavailable} When the database cannot be asked.
   */
  judge(sql: string, values?: Readonly<Record<string, SqlParameter>>): Promise<Checked<GatedSql>>;
}

export interface SqlGateOptions {
  database: SqlDatabase;
  /** The tables that questions may read. */
  tables: readonly string[];
  now?: (() => number) | undefined;
}

const SIZES_KEPT_MS = 5 * 60_000;

/**
 * The gate of the analytics agent (signed context 10.6): what SQLite would really do for the very text that would run decides, not
 * what the text looks like.
 */
export const createSqlGate = ({ database, tables, now = Date.now }: SqlGateOptions): SqlGate => {
  let kept: { sizes: TableSizes; schema: string; untilMs: number } | undefined;
  const sizesFor = async (schema: readonly SchemaEntry[]): Promise<TableSizes> => {
    const version = JSON.stringify(schema);
    if (kept?.schema === version && now() < kept.untilMs) return kept.sizes;
    const sizes = await readTableSizes(database, { schema, tables });
    kept = { sizes, schema: version, untilMs: now() + SIZES_KEPT_MS };
    return sizes;
  };
  return {
    judge: async (sql, values = {}) => {
      const names = Object.keys(values);
      const text = checkText(sql, names);
      if (!text.ok) return text;
      const tokens = text.value;
      const used = names.filter((name) => tokens.some(({ kind, raw }) => kind === 'parameter' && raw === `:${name}`));
      const statement = { sql: finalText(tokens, used), values: used.map((name) => values[name] ?? null) };
      const explained = await orRefused(() => database.explain(statement));
      if (!explained.ok) return explained;
      const { schema, program, plan } = explained.value;
      const read = checkProgram(program, { schema, tables, tokens });
      if (!read.ok) return read;
      const steps = checkPlan(plan, { tokens, sizes: await sizesFor(schema) });
      return steps.ok ? { ok: true, value: { statement, tables: read.value, schema } } : steps;
    },
  };
};

const orRefused = async <T>(ask: () => Promise<T>): Promise<Checked<T>> => {
  try {
    return { ok: true, value: await ask() };
  } catch (error) {
    if (!(error instanceof SqlRefused)) throw error;
    const hint = error.cause instanceof Error ? error.cause.message.slice(0, 300) : undefined;
    return { ok: false, reason: 'The statement is none that this database takes.', hint };
  }
};
