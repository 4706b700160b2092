/** Indices are int32, each once; values are 32-bit floats. */
export interface SparseVector {
  indices: readonly number[];
  values: readonly number[];
}

/** Sparse vectors of records, searched by their inner products. */
export interface SparsePostings<Of extends object> {
  add(record: Of, vector: SparseVector): void;
  remove(record: Of): void;
  /**
   * Scores of all records that share an index with the query; others are not returned.
   *
   * @param byRarity Whether each value of the query is multiplied by `ln(1 + (N - n + 0.5) / (n + 0.5))`, with the N records that are here and the n of
   *   them that have the index.
   */
  scores(query: SparseVector, byRarity: boolean): Iterable<{ record: Of; score: number }>;
}

/** The records that have an index: typed arrays, so that a million of them fit. */
interface List {
  rows: Uint32Array;
  values: Float32Array;
  /** Entries, with those of removed records. */
  length: number;
  /** Records that have the index. */
  count: number;
}

/** Inverted lists. A record that was removed stays in them until half of the rows are empty. */
export function createSparsePostings<Of extends object>(): SparsePostings<Of> {
  let lists = new Map<number, List>();
  let records: (Of | undefined)[] = [];
  const rowOf = new Map<Of, { row: number; indices: readonly number[] }>();

  const add = (record: Of, { indices, values }: SparseVector) => {
    const row = records.push(record) - 1;
    rowOf.set(record, { row, indices });
    indices.forEach((index, at) => {
      const list = lists.get(index) ?? emptyList();
      lists.set(index, list);
      append(list, row, values[at] ?? 0);
    });
  };
  const compact = () => {
    const before = lists;
    const kept = records.flatMap((record, row) => (record === undefined ? [] : [{ record, row }]));
    const newRow = new Map(kept.map(({ row }, at) => [row, at]));
    records = kept.map(({ record }) => record);
    lists = new Map();
    for (const [at, record] of records.entries()) {
      const { indices = [] } = rowOf.get(record as Of) ?? {}; // those that are kept are there
      rowOf.set(record as Of, { row: at, indices });
    }
    for (const [index, { rows, values, length }] of before) {
      const list = emptyList();
      for (let at = 0; at < length; at++) {
        const row = newRow.get(rows[at] ?? -1);
        if (row !== undefined) append(list, row, values[at] ?? 0);
      }
      if (list.length > 0) lists.set(index, list);
    }
  };
  return {
    add,
    remove: (record) => {
      const stored = rowOf.get(record);
      if (stored === undefined) return;
      rowOf.delete(record);
      records[stored.row] = undefined;
      for (const index of stored.indices) {
        const list = lists.get(index);
        if (list) list.count -= 1;
      }
      if (records.length > 1000 && rowOf.size < records.length / 2) compact();
    },
    scores: ({ indices, values }, byRarity) => {
      const sums = new Float64Array(records.length);
      const rows: number[] = [];
      indices.forEach((index, at) => {
        const list = lists.get(index);
        if (list === undefined) return;
        const rarity = Math.log(1 + (rowOf.size - list.count + 0.5) / (list.count + 0.5));
        const weight = Math.fround(values[at] ?? 0) * (byRarity ? rarity : 1);
        for (let place = 0; place < list.length; place++) {
          const row = list.rows[place] ?? 0;
          if (sums[row] === 0) rows.push(row);
          sums[row] = (sums[row] ?? 0) + weight * (list.values[place] ?? 0);
        }
      });
      return scoredRows(rows, { records, sums });
    },
  };
}

const scoredRows = function* <Of>(
  rows: readonly number[],
  { records, sums }: { records: readonly (Of | undefined)[]; sums: Float64Array },
): Generator<{ record: Of; score: number }> {
  for (const row of rows) {
    const record = records[row];
    if (record !== undefined) yield { record, score: Math.fround(sums[row] ?? 0) };
  }
};

const emptyList = (): List => ({
  rows: new Uint32Array(2),
  values: new Float32Array(2),
  length: 0,
  count: 0,
});

const append = (list: List, row: number, value: number): void => {
  if (list.length === list.rows.length) {
    const longer = new Uint32Array(2 * list.length);
    longer.set(list.rows);
    list.rows = longer;
    const more = new Float32Array(2 * list.length);
    more.set(list.values);
    list.values = more;
  }
  list.rows[list.length] = row;
  list.values[list.length] = value;
  list.length += 1;
  list.count += 1;
};
