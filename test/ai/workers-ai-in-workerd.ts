import { chatModelOf, embeddingProviderOf, rerankerOf } from '../../src/ai/adapters/models.ts';
import { type AdapterVariables, readAdapters } from '../../src/ai/adapters/settings.ts';
import type { AICompletionOptions } from '../../src/contract/core/librarian.ts';

interface Asked {
  variables?: AdapterVariables;
  chat?: { content: string; options?: AICompletionOptions; isStreamed?: boolean; times?: number };
  embed?: string[];
  rank?: { query: string; documents: string[] };
  giveUpAfterMs?: number;
}

/** Uses the models of the settings as functions do, with the binding of the runtime, and returns what they give. */
export default {
  fetch: async (request: Request, env: AdapterVariables): Promise<Response> => {
    // The test beside this file writes it.
    const { variables, chat, embed, rank, giveUpAfterMs } = (await request.json()) as Asked;
    try {
      const configured = { ...env, WORKERS_AI: 'yes', ...variables };
      const signal = giveUpAfterMs === undefined ? undefined : AbortSignal.timeout(giveUpAfterMs);
      const settings = readAdapters(configured);
      if (chat !== undefined) {
        const { ai } = chatModelOf(settings);
        const pieces: string[] = [];
        const onText =
          chat.isStreamed === true ? (piece: string) => void pieces.push(piece) : undefined;
        const completions = [];
        for (let time = 0; time < (chat.times ?? 1); time += 1)
          completions.push(
            await ai?.complete([{ role: 'user', content: chat.content }], {
              ...chat.options,
              onText,
              signal,
            }),
          );
        return Response.json({ ...completions.at(-1), pieces });
      }
      if (embed !== undefined) {
        const vectors = (await embeddingProviderOf(settings)?.embedBatch(embed, { signal })) ?? [];
        return Response.json({
          count: vectors.length,
          lengths: [...new Set(vectors.map(({ length }) => length))],
        });
      }
      const { reranker } = rerankerOf(configured);
      const scores = rank && (await reranker?.rank(rank.query, rank.documents, { signal }));
      return Response.json({ model: reranker?.model, scores });
    } catch (error) {
      const { name, reason, why, message } = error as Record<string, string>; // one of our own classes
      return Response.json({ name, reason, why, message });
    }
  },
};
