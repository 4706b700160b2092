import type * as z from 'zod';
import { readAs } from '../contract/core/error-info.ts';
import type { AIClient, AICompletionOptions } from '../contract/core/librarian.ts';
import { startDeadline } from '../platform/http/deadline.ts';

interface JsonQuestion<Reply extends z.ZodType> {
  /** Constant text: what the model is to do. */
  instructions: string;
  /** Texts of others: sent as JSON, never as instructions. */
  data: unknown;
  Reply: Reply;
  schema: AICompletionOptions['schema'];
  maxTokens: number;
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

/** In UTF-16 units. A longer reply is none. */
const MAX_REPLY = 20_000;

/**
 * Asks a model for a short reply in JSON; undefined when it fails, is late, or replies anything else: rules decide then.
 *
 * @example
 * import * as z from 'zod';
 * import { openaiChat } from './openai-chat.ts';
 *
 * const Reply = z.object({ language: z.string().max(10) });
 * const reply = await askForJson(openaiChat({ model: 'gpt-5-mini', apiKey: 'secret' }), {
 *   instructions: 'Name the language of the text as JSON: {"language": "…"}',
 *   data: { text: 'Guten Tag' },
 *   Reply,
 *   schema: { name: 'language', schema: z.toJSONSchema(Reply) },
 *   maxTokens: 20,
 *   timeoutMs: 2000,
 *   signal: undefined,
 * });
 */
export async function askForJson<Reply extends z.ZodType>(
  ai: AIClient,
  { instructions, data, Reply, schema, maxTokens, timeoutMs, signal }: JsonQuestion<Reply>,
): Promise<z.output<Reply> | undefined> {
  const deadline = startDeadline({ timeoutMs, signal });
  try {
    const messages = [
      { role: 'system' as const, content: instructions },
      { role: 'user' as const, content: JSON.stringify(data) },
    ];
    const options = { maxTokens, temperature: 0, schema, signal: deadline.signal };
    const { text, finish = 'stop' } = await deadline.race(ai.complete(messages, options));
    if (finish !== 'stop' || text.length > MAX_REPLY) return undefined;
    const reply = readAs(Reply, JSON.parse(text));
    return reply.ok ? reply.value : undefined;
  } catch {
    return undefined;
  } finally {
    deadline.clear();
  }
}
