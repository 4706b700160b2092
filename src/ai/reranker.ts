/** Orders texts by how well they answer a query. */
export interface Reranker {
  /** The model's name, for logs. */
  readonly model: string;
  /**
   * @param documents At most 100.
   * @returns One score for each document in their order, higher is better; of a document that was not scored `-Infinity`.
   * @throws When the service fails or the signal aborts; the caller then keeps the order that it has.
   */
  rank(query: string, documents: readonly string[], options?: { signal?: AbortSignal | undefined }): Promise<number[]>;
}

/** Scores in the order of the documents. */
export const scoresByIndex = (scores: readonly { index: number; score: number }[], count: number): number[] => {
  const ordered = new Array<number>(count).fill(Number.NEGATIVE_INFINITY);
  for (const { index, score } of scores) if (index < count) ordered[index] = score;
  return ordered;
};
