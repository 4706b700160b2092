/** What a model was used for one request, in its API's own numbers. */
export interface ModelUse {
  model: string;
  /** Calls that were answered. */
  calls: number;
  inputTokens: number;
  outputTokens: number;
  /** US dollars; absent where the model has no prices. */
  costUsd?: number | undefined;
}
