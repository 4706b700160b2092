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
  scores(query: SparseVector, byRarity: boolean): Map<Of, number>;
}

/** Inverted lists. A record that was removed stays in them until half of the rows are empty. */
export function createSparsePostings<Of extends object>(): SparsePostings<Of> {
  let lists = new Map<number, { rows: number[]; values: number[]; count: number }>();
  let records: (Of | undefined)[] = [];
  const rowOf = new Map<Of, { row: number; vector: SparseVector }>();

  const add = (record: Of, vector: SparseVector) => {
    const row = records.push(record) - 1;
    rowOf.set(record, { row, vector });
    vector.indices.forEach((index, at) => {
      const list = lists.get(index) ?? { rows: [], values: [], count: 0 };
      lists.set(index, list);
      list.rows.push(row);
      list.values.push(Math.fround(vector.values[at] ?? 0));
      list.count += 1;
    });
  };
  const compact = () => {
    const all = [...rowOf];
    lists = new Map();
    records = [];
    rowOf.clear();
    for (const [record, { vector }] of all) add(record, vector);
  };
  return {
    add,
    remove: (record) => {
      const stored = rowOf.get(record);
      if (stored === undefined) return;
      rowOf.delete(record);
      records[stored.row] = undefined;
      for (const index of stored.vector.indices) {
        const list = lists.get(index);
        if (list) list.count -= 1;
      }
      if (records.length > 1000 && rowOf.size < records.length / 2) compact();
    },
    scores: (query, byRarity) => {
      const sums = new Float64Array(records.length);
      const rows: number[] = [];
      query.indices.forEach((index, at) => {
        const list = lists.get(index);
        if (list === undefined) return;
        const rarity = Math.log(1 + (rowOf.size - list.count + 0.5) / (list.count + 0.5));
        const weight = Math.fround(query.values[at] ?? 0) * (byRarity ? rarity : 1);
        list.rows.forEach((row, place) => {
          if (sums[row] === 0) rows.push(row);
          sums[row] = (sums[row] ?? 0) + weight * (list.values[place] ?? 0);
        });
      });
      const scores = new Map<Of, number>();
      for (const row of rows) {
        const record = records[row];
        if (record !== undefined) scores.set(record, Math.fround(sums[row] ?? 0));
      }
      return scores;
    },
  };
}
