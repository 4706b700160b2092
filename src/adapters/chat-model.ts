import { openaiChat } from '../ai/chat/openai-chat.ts';
import type { AIClient } from '../contract/librarian.ts';
import type { AdapterSettings } from './settings.ts';

/** The chat model that is configured; undefined without one. It holds nothing of a request: one for an isolate. */
export const chatModelOf = ({ openai, chat }: AdapterSettings): AIClient | undefined => {
  if (openai === undefined || chat === undefined) return undefined;
  const { url: baseURL, token: apiKey } = openai;
  return openaiChat({ baseURL, apiKey, fetch: send, timeoutMs: CALL_MS, ...chat });
};

/**
 * Of one call, whoever makes it: a page of text takes a model some seconds. Without it a service that hangs would keep people
 * waiting for the share of their time that a caller gives to the model, where what goes out in its place is at hand.
 */
const CALL_MS = 10_000;

/** Workers want `fetch` called as their own. */
const send: typeof fetch = (input, init) => fetch(input, init);
