/** What a column holds. Bytes come back as an `ArrayBuffer` or as a view on one, by adapter: see `bytesOf`. */
export type SqlValue = string | number | null | ArrayBuffer | Uint8Array<ArrayBuffer>;

/** A SQLite database of one's own, read and written without waiting. Dialect: SQLite 3.45 or newer with its JSON functions. */
export interface Sql {
  /** All rows at once: bound them by the query. */
  all<Row extends Record<string, SqlValue>>(query: string, ...values: SqlValue[]): Row[];
  run(query: string, ...values: SqlValue[]): void;
  /** All that `work` writes, or nothing when it throws. Not to be nested; `work` may not wait for anything. */
  transaction<T>(work: () => T): T;
}

export const bytesOf = (value: ArrayBuffer | Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
  value instanceof Uint8Array ? value : new Uint8Array(value);
