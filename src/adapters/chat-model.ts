import { openaiChat } from '../ai/openai-chat.ts';
import { type ModelPrice, priceOf } from '../ai/prices.ts';
import type { AIClient } from '../contract/librarian.ts';
import type { AdapterSettings } from './settings.ts';

/** For an app to spread into its options. */
interface ChatModel {
  ai?: AIClient;
  /** Absent where MODEL_PRICES has none of this model. */
  aiPrice?: ModelPrice;
}

/** The chat model that is configured, and what it costs; nothing without one. It holds nothing of a request: one for an isolate. */
export const chatModelOf = ({ openai, chat }: AdapterSettings): ChatModel => {
  if (openai === undefined || chat === undefined) return {};
  const { url: baseURL, token: apiKey } = openai;
  const ai = openaiChat({ baseURL, apiKey, fetch: send, timeoutMs: CALL_MS, ...chat });
  const aiPrice = priceOf(chat.model, chat.prices ?? {});
  return { ai, ...(aiPrice === undefined ? {} : { aiPrice }) };
};

/**
 * Of one call, whoever makes it: a page of text takes a model some seconds. Without it a service that hangs would keep people
 * waiting for the share of their time that a caller gives to the model, where what goes out in its place is at hand.
 */
const CALL_MS = 10_000;

/** Workers want `fetch` called as their own. */
const send: typeof fetch = (input, init) => fetch(input, init);
