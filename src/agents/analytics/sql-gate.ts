import {
  type Explanation,
  type SchemaVersion,
  type SqlDatabase,
  type SqlParameter,
  SqlRefused,
  type SqlStatement,
} from '../../storage/sql-database.ts';
import { checkPlan } from './check-plan.ts';
import { checkProgram } from './check-program.ts';
import { checkText, finalText, MAX_ROWS } from './check-text.ts';
import type { Checked } from './checked.ts';
import { readTableSizes, type TableSizes } from './table-sizes.ts';

/** A statement that may run as it stands here, against this schema. */
export interface GatedSql {
  statement: SqlStatement;
  /** The tables that it reads, in alphabetical order. */
  tables: string[];
  schemaVersion: SchemaVersion;
  /** Rows that it returns at most. */
  maxRows: number;
}

/** Whose statement it is, and what goes with it. */
export interface Submission {
  /** By parameter name; a statement that a model wrote has none. */
  values?: Readonly<Record<string, SqlParameter>> | undefined;
  /** From the catalogue, whose authors answer for the work it makes: it is not refused for that. */
  isOurs?: boolean | undefined;
  /** 500 when absent. */
  maxRows?: number | undefined;
}

/** Judges statements before they run. */
export interface SqlGate {
  /**
   * @returns Why not, in a sentence of our own; `hint` is what SQLite said, for the one who wrote the statement only.
   * @throws {SqlUnavailable} When the database cannot be asked.
   */
  judge(sql: string, submission?: Submission): Promise<Checked<GatedSql>>;
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
  let kept: { sizes: TableSizes; schemaVersion: SchemaVersion; untilMs: number } | undefined;
  const sizesFor = async ({ schema, schemaVersion }: Explanation): Promise<TableSizes> => {
    if (kept?.schemaVersion === schemaVersion && now() < kept.untilMs) return kept.sizes;
    const sizes = await readTableSizes(database, { schema, tables });
    kept = { sizes, schemaVersion, untilMs: now() + SIZES_KEPT_MS };
    return sizes;
  };
  return {
    judge: async (sql, { values = {}, isOurs = false, maxRows = MAX_ROWS } = {}) => {
      const names = Object.keys(values);
      const text = checkText(sql, names);
      if (!text.ok) return text;
      const tokens = text.value;
      const used = names.filter((name) => tokens.some(({ kind, raw }) => kind === 'parameter' && raw === `:${name}`));
      const statement = {
        sql: finalText(tokens, { names: used, maxRows }),
        values: used.map((name) => values[name] ?? null),
      };
      const explained = await orRefused(() => database.explain(statement));
      if (!explained.ok) return explained;
      const { schema, schemaVersion, program, plan } = explained.value;
      const read = checkProgram(program, { schema, tables, tokens });
      if (!read.ok) return read;
      const gated = { statement, tables: read.value, schemaVersion, maxRows };
      if (isOurs) return { ok: true, value: gated };
      const work = checkPlan(plan, { program, tokens, sizes: await sizesFor(explained.value) });
      return work.ok ? { ok: true, value: gated } : work;
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
