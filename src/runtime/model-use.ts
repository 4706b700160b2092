/** Model usage of one request, as the API reports it. */
export interface ModelUse {
  model: string;
  /** Calls that were answered. */
  calls: number;
  inputTokens: number;
  outputTokens: number;
  /** US dollars; absent when the model has no prices. */
  costUsd?: number | undefined;
}

/** Model usage as members of a log line. */
export const usageFields = (use: ModelUse | undefined) =>
  use && {
    ...{ model: use.model, model_calls: use.calls },
    ...{ input_tokens: use.inputTokens, output_tokens: use.outputTokens, cost_usd: use.costUsd },
  };
