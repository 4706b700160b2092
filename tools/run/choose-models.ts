import { type AdapterVariables, NO_MODEL, readAdapters } from '../../src/ai/adapters/settings.ts';
import {
  findOllama,
  loadedContext,
  type Ollama,
  type OllamaModel,
  ollamaAddress,
} from './find-ollama.ts';

/** What `npm start` has decided on. */
export interface ChosenModels {
  /** The variables of the environment, with those that lead to what was found. */
  variables: AdapterVariables;
  /** For people: which model answers, which embeds, why, and how to change it. */
  line: string;
  /** Set when an Ollama was found by itself. */
  ollama?: { url: string; chat: string } | undefined;
}

interface ChooseOptions {
  /** `--no-model`. */
  isOff: boolean;
  find?: typeof findOllama;
}

/** The variables that are read here. */
type Environment = AdapterVariables & { OLLAMA_HOST?: string | undefined };

/**
 * Chooses the models of `npm start`: none with `--no-model` or `MODELS=none`; those that `OPENAI_BASE_URL` or `OPENAI_API_KEY` lead to; those of an
 * Ollama that answers on this machine, when it has one to chat with; otherwise none (docs/providers.md, "Which model answers").
 *
 * @throws {SettingRefused} For an invalid variable.
 */
export async function chooseModels(
  environment: Environment,
  { isOff, find = findOllama }: ChooseOptions,
): Promise<ChosenModels> {
  // Workers AI is bound to deployed functions alone.
  const variables: AdapterVariables = { ...environment, WORKERS_AI: undefined };
  if (isOff)
    return {
      variables: { ...variables, MODELS: NO_MODEL },
      line: 'no model, as --no-model says: answers are quotes',
    };
  const local = { ...variables, ENVIRONMENT: 'development' };
  if (variables.MODELS?.trim() === NO_MODEL)
    return { variables, line: 'no model, as MODELS=none says: answers are quotes' };
  // An index needs an embedding model, which may be found below.
  const named = readAdapters({
    ...local,
    UPSTASH_VECTOR_REST_URL: undefined,
    UPSTASH_VECTOR_REST_TOKEN: undefined,
  });
  if (named.openai !== undefined) return { variables, line: namedLine(variables, named) };
  if (variables.CHAT_MODEL?.trim() === NO_MODEL)
    return { variables, line: 'no model, as CHAT_MODEL=none says: answers are quotes' };
  const url = ollamaAddress(environment.OLLAMA_HOST);
  if (url === undefined)
    return {
      variables,
      line: `no model: OLLAMA_HOST is not this machine, so it is not used. ${HOW_TO_GET_ONE}`,
    };
  const ollama = await find(url);
  if (ollama === undefined)
    return { variables, line: `no model was found: answers are quotes. ${HOW_TO_GET_ONE}` };
  return chooseOf(ollama, variables);
}

const HOW_TO_GET_ONE = 'A running Ollama or OPENAI_API_KEY lets a model answer (docs/providers.md)';

const namedLine = (
  variables: AdapterVariables,
  { openai, chat, embedding }: ReturnType<typeof readAdapters>,
): string => {
  const isAddressed = Boolean(variables.OPENAI_BASE_URL?.trim());
  const why = `${isAddressed ? 'OPENAI_BASE_URL' : 'OPENAI_API_KEY'} is set`;
  const host = new URL(openai?.url ?? '').host;
  return `${describe(chat?.model, embedding?.model)} at ${host}, as ${why}; ${HOW_TO_CHANGE}`;
};

const HOW_TO_CHANGE = '--no-model for quotes only, CHAT_MODEL and EMBEDDING_MODEL for others';

/** `answers by llama3.1:8b, embeddings by nomic-embed-text:latest` */
const describe = (chat: string | undefined, embedding: string | undefined): string => {
  const answers = chat === undefined ? 'answers are quotes' : `answers by ${chat}`;
  return `${answers}, ${embedding === undefined ? 'word vectors' : `embeddings by ${embedding}`}`;
};

const chooseOf = ({ url, models }: Ollama, variables: AdapterVariables): ChosenModels => {
  const names = {
    chat: variables.CHAT_MODEL?.trim(),
    embedding: variables.EMBEDDING_MODEL?.trim(),
  };
  const chat = chatModelOf(models, names.chat);
  if (chat === undefined) {
    const why = names.chat
      ? `it does not have ${names.chat} (CHAT_MODEL): ollama pull ${names.chat}, or name another`
      : 'it has no model that can chat here: ollama pull one (ollama.com/library)';
    return { variables, line: `Ollama was found, and ${why}. Until then answers are quotes` };
  }
  const embedding = embeddingOf(models, names.embedding, variables.EMBEDDING_DIMENSIONS?.trim());
  const missing =
    embedding === undefined && names.embedding && names.embedding !== NO_MODEL
      ? ` (it has no ${names.embedding} to embed with)`
      : '';
  return {
    variables: {
      ...variables,
      OPENAI_BASE_URL: `${url}/v1`,
      CHAT_MODEL: chat.name,
      // A model that thinks as long as it likes is too late for most questions.
      REASONING_EFFORT: variables.REASONING_EFFORT ?? (chat.thinks ? 'none' : undefined),
      EMBEDDING_MODEL: embedding?.name ?? NO_MODEL,
      EMBEDDING_DIMENSIONS: embedding?.dimensions,
    },
    line: `Ollama was found: ${describe(chat.name, embedding?.name)}${missing}; ${HOW_TO_CHANGE}`,
    ollama: { url, chat: chat.name },
  };
};

/** The one that is named; else of those that run on this machine one that answers at once before one that reasons first, then the last pulled. */
const chatModelOf = (
  models: readonly OllamaModel[],
  name: string | undefined,
): OllamaModel | undefined => {
  if (name) return modelNamed(models, name);
  const able = models.filter(({ canChat, isRemote }) => canChat && !isRemote);
  return able.find(({ thinks }) => !thinks) ?? able[0];
};

const embeddingOf = (
  models: readonly OllamaModel[],
  name: string | undefined,
  given: string | undefined,
): { name: string; dimensions: string } | undefined => {
  if (name === NO_MODEL) return undefined;
  const able = models.filter(({ canEmbed, isRemote }) => name || (canEmbed && !isRemote));
  const model = name
    ? modelNamed(able, name)
    : able.find(({ dimensions }) => dimensions !== undefined);
  const dimensions = given || model?.dimensions?.toString();
  return model === undefined || dimensions === undefined
    ? undefined
    : { name: model.name, dimensions };
};

/** Without a tag Ollama takes the one called latest. */
const modelNamed = (models: readonly OllamaModel[], name: string): OllamaModel | undefined =>
  models.find((model) => model.name === name) ??
  models.find((model) => model.name === `${name}:latest`);

/** Prompts with passages, and their answers, fit into this many tokens. */
const NEEDED_CONTEXT = 8192;

/** What is said of a model that was loaded with too small a context: Ollama cuts longer prompts without a word. */
export async function contextNote({
  url,
  chat,
}: NonNullable<ChosenModels['ollama']>): Promise<string[]> {
  const context = await loadedContext(url, chat);
  if (context === undefined || context >= NEEDED_CONTEXT) return [];
  return [
    `note: Ollama runs ${chat} with a context of ${context} tokens and cuts longer prompts: start it with OLLAMA_CONTEXT_LENGTH=16384`,
  ];
}
