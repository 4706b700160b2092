import type { LibrarianResponse } from '../contract/response.ts';
import { withMetadata } from '../delegation/trace.ts';
import type { Amounts } from '../runtime/budget.ts';
import type { ModelUse } from '../runtime/model-use.ts';

/**
 * A response with what models took for the whole question under `metadata.usage`: tokens, and US dollars where a model has
 * prices. What a librarian says there of itself stays as `usage.librarian`: only signed receipts count. Unchanged where no
 * model took part.
 */
export const withUsage = (
  response: LibrarianResponse,
  { own, below }: { own: ModelUse | undefined; below: Amounts },
): LibrarianResponse => {
  const said = response.metadata?.usage;
  const tokens = (own === undefined ? 0 : own.inputTokens + own.outputTokens) + (below.tokens ?? 0);
  if (tokens === 0 && said === undefined) return response;
  const micros = Math.round((own?.costUsd ?? 0) * MICROS) + (below.cost_micros ?? 0);
  const usage = {
    tokens,
    ...(micros > 0 ? { cost_usd: micros / MICROS } : {}),
    ...(said === undefined ? {} : { librarian: said }),
  };
  return withMetadata(response, { usage }) ?? response;
};

const MICROS = 1_000_000;
