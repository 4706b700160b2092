import { type Reranker, rerankApi, WORKERS_AI_RERANKER, type WorkersAI, workersAIReranker } from '../ai/reranker.ts';
import { SettingRefused } from '../runtime/service-address.ts';
import { type AdapterVariables, accessOf } from './settings.ts';

interface RerankerParts extends AdapterVariables {
  /** Workers AI, where the function is bound to it. */
  AI?: WorkersAI | undefined;
}

/**
 * The reranker that is configured, for an app to spread into its options; nothing without one. A service behind
 * `RERANK_BASE_URL` goes before Workers AI, which takes a binding `AI` and a model of its own (`RERANK_MODEL=@cf/…`).
 *
 * @throws {SettingRefused} For a value that cannot be meant.
 */
export const rerankerOf = ({ AI: ai, ...variables }: RerankerParts): { reranker?: Reranker } => {
  const model = (variables.RERANK_MODEL ?? '').trim();
  const access = accessOf(variables, { url: 'RERANK_BASE_URL', token: 'RERANK_API_KEY' });
  if (access === undefined)
    return ai !== undefined && model.startsWith('@cf/') ? { reranker: workersAIReranker(ai, model) } : {};
  if (model === '')
    throw new SettingRefused(
      `Cannot use RERANK_BASE_URL: set RERANK_MODEL, as ${WORKERS_AI_RERANKER} runs on Workers AI alone`,
    );
  const { url: baseURL, token: apiKey } = access;
  return { reranker: rerankApi({ baseURL, apiKey, model, fetch: send }) };
};

/** Workers want `fetch` called as their own. */
const send: typeof fetch = (input, init) => fetch(input, init);
