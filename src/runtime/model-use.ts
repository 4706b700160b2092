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

/** As a line of the log tells it. */
export const toldUse = (use: ModelUse | undefined) =>
  use && { model: use.model, input_tokens: use.inputTokens, output_tokens: use.outputTokens, cost_usd: use.costUsd };
