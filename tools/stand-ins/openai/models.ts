/** A model as the local server plays it. */
export type LocalModel = EmbeddingModel | ChatModel;

interface EmbeddingModel {
  kind: 'embedding';
  id: string;
  dimensions: number;
  canShorten: boolean;
}

export interface ChatModel {
  kind: 'chat';
  id: string;
  /** The dated name that replies carry. */
  dated: string;
  /** Refuses temperatures and `max_tokens`, and spends tokens on thinking. */
  isReasoning: boolean;
  contextTokens: number;
}

const embedding = (id: string, dimensions: number, canShorten: boolean): EmbeddingModel => ({
  kind: 'embedding',
  id,
  dimensions,
  canShorten,
});

const chat = (id: string, date: string, contextTokens: number): ChatModel => ({
  kind: 'chat',
  id,
  dated: `${id}-${date}`,
  isReasoning: /^(?:o\d|gpt-5)/.test(id),
  contextTokens,
});

const MODELS: readonly LocalModel[] = [
  embedding('text-embedding-3-small', 1536, true),
  embedding('text-embedding-3-large', 3072, true),
  embedding('text-embedding-ada-002', 1536, false),
  chat('gpt-4.1', '2025-04-14', 1_047_576),
  chat('gpt-4.1-mini', '2025-04-14', 1_047_576),
  chat('gpt-4.1-nano', '2025-04-14', 1_047_576),
  chat('gpt-4o', '2024-08-06', 128_000),
  chat('gpt-4o-mini', '2024-07-18', 128_000),
  chat('o3', '2025-04-16', 200_000),
  chat('o4-mini', '2025-04-16', 200_000),
  chat('gpt-5', '2025-08-07', 400_000),
  chat('gpt-5-mini', '2025-08-07', 400_000),
];

/** A model that is not OpenAI's, with dimensions unknown in advance. */
const LOCAL_EMBEDDING = 'local-embedding';

/** All models by all their names. @param dimensions Of `local-embedding`. */
export function localModels(dimensions: number): ReadonlyMap<string, LocalModel> {
  return new Map(
    [...MODELS, embedding(LOCAL_EMBEDDING, dimensions, false)].flatMap(
      (model): [string, LocalModel][] =>
        model.kind === 'chat'
          ? [
              [model.id, model],
              [model.dated, model],
            ]
          : [[model.id, model]],
    ),
  );
}
