/** Value of a column. Bytes are an `ArrayBuffer` or a view on one, depending on the adapter: see `bytesOf`. */
export type SqlValue = string | number | null | ArrayBuffer | Uint8Array<ArrayBuffer>;

/** An embedded SQLite database, read and written synchronously. Dialect: SQLite 3.45 or newer with its JSON functions. */
export interface Sql {
  /** All rows at once: limit them in the query. */
  all<Row extends Record<string, SqlValue>>(query: string, ...values: SqlValue[]): Row[];
  run(query: string, ...values: SqlValue[]): void;
  /** Commits what `work` writes, or nothing when it throws. Not to be nested; `work` must be synchronous. */
  transaction<T>(work: () => T): T;
}

export const bytesOf = (value: ArrayBuffer | Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
  value instanceof Uint8Array ? value : new Uint8Array(value);

/**
 * The used part of a Durable Object's storage. Spelled out, because the compiler does not terminate when it compares Cloudflare's
 * global types with those of the same name that their package exports.
 */
export interface SqlStorage {
  sql: { exec(query: string, ...values: SqlValue[]): { toArray(): Record<string, unknown>[] } };
  transactionSync<T>(work: () => T): T;
}

/** The SQLite database of a Durable Object: at most 2 MB a row, 100 values a statement. */
export const durableObjectSql = (storage: SqlStorage): Sql => ({
  // The rows are those of the query; SQLite itself has no types for them.
  all: <Row extends Record<string, SqlValue>>(query: string, ...values: SqlValue[]) =>
    storage.sql.exec(query, ...values).toArray() as Row[],
  run: (query, ...values) => {
    storage.sql.exec(query, ...values);
  },
  transaction: (work) => storage.transactionSync(work),
});
