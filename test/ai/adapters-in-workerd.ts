import { OpenAIEmbeddingProvider } from '../../src/ai/embeddings/openai.ts';
import { openaiChat } from '../../src/ai/openai-chat.ts';

/** Calls the service that the request names, with the runtime's own `fetch`, and returns the outcome. */
export default {
  fetch: async (request: Request): Promise<Response> => {
    // The test beside this file writes it.
    const { baseURL, apiKey, what, giveUpAfterMs } = (await request.json()) as Record<
      string,
      string
    >;
    const signal =
      giveUpAfterMs === undefined ? undefined : AbortSignal.timeout(Number(giveUpAfterMs));
    const config = { baseURL, apiKey: apiKey ?? '' };
    try {
      if (what === 'chat') {
        const chat = openaiChat({ ...config, model: 'gpt-4.1-mini' });
        return Response.json(
          await chat.complete([{ role: 'user', content: 'Grüße 😀' }], { signal }),
        );
      }
      const texts = Array.from({ length: 600 }, (_, at) => `text ${at} ${'word '.repeat(300)}`);
      const vectors = await new OpenAIEmbeddingProvider(config).embedBatch(texts, { signal });
      return Response.json({ vectors: vectors.length, dimensions: vectors[599]?.length });
    } catch (error) {
      const { name, reason, message } = error as { name: string; reason?: string; message: string }; // one of our own classes
      return Response.json({ name, reason, message });
    }
  },
};
