import { expect, it } from 'vitest';
import {
  type AdapterVariables,
  languageSettings,
  readAdapters,
  readQuestionLimits,
} from '../../../src/ai/adapters/settings.ts';
import { readSettings } from '../../../src/platform/settings/settings.ts';
import cases from './settings.json' with { type: 'json' };

/** The variables of a case, which may change a whole configuration. */
const variablesOf = ({
  from,
  variables,
}: {
  from?: string;
  variables: object;
}): AdapterVariables => ({
  ...(from === 'production' && cases.production),
  ...(from === 'local' && cases.local),
  ...variables,
});

/** Everything that functions read of adapters. */
const readAll = (variables: AdapterVariables) => {
  const adapters = readAdapters(variables);
  const { LANGUAGE_IDS: languageIds } = readSettings(languageSettings, variables);
  return { ...adapters, ...readQuestionLimits(variables, adapters), languageIds };
};

const nothing = Object.fromEntries(Object.keys(cases.production).map((name) => [name, ' ']));
it.each([{}, nothing])(
  'chooses the embedded adapters when variables are unset or empty: %j',
  (variables) => {
    const cache = { maxSize: 2000, ttlSeconds: 86_400 };
    expect(readAll(variables)).toEqual({
      cache,
      budgets: { tokens: 30_000 },
      factTokens: 300,
      isOff: false,
    });
  },
);
it.each(cases.read)('reads $title', (one) =>
  expect(readAll(variablesOf(one))).toMatchObject(one.settings),
);
it('reads that there is no model', () => {
  const none = { OPENAI_API_KEY: 'sk-secret', CHAT_MODEL: 'none', EMBEDDING_MODEL: 'none' };
  expect(readAll(none)).toMatchObject({ chat: undefined, embedding: undefined });
});
it.each(cases.refused)('refuses $title by its name, without a secret', (one) => {
  const read = () => readAll(variablesOf(one));
  expect(read).toThrow(one.says);
  expect(read).not.toThrow(/secret/);
});

it('has one order of services: none by MODELS=none, those that OPENAI_* name, Workers AI where it was agreed to', () => {
  const AI = { run: async () => ({}) };
  const agreed = { WORKERS_AI: 'yes', AI };
  const key = { OPENAI_API_KEY: 'sk-secret' };
  const workersAI = {
    openai: undefined,
    workersAI: { binding: AI },
    chat: { model: '@cf/meta/llama-3.3-70b-instruct-fp8-fast' },
    embedding: { model: '@cf/baai/bge-m3', dimensions: 1024 },
  };
  expect(readAll(agreed)).toMatchObject(workersAI);
  expect(readAll({ ...agreed, ...key })).toMatchObject({
    openai: { token: 'sk-secret' },
    workersAI: undefined,
    chat: { model: 'gpt-4.1-mini' },
    embedding: { model: 'text-embedding-3-small' },
  });
  const nothing = {
    openai: undefined,
    workersAI: undefined,
    chat: undefined,
    embedding: undefined,
  };
  expect(readAll({ ...agreed, ...key, MODELS: 'none' })).toMatchObject({ ...nothing, isOff: true });
  for (const WORKERS_AI of ['no', '', undefined])
    expect(readAll({ ...agreed, WORKERS_AI })).toMatchObject(nothing);
  // A binding alone agrees to nothing.
  expect(readAll({ AI })).toMatchObject(nothing);
});
it('reads the models of Workers AI that are named, and limits of cost by their prices', () => {
  const named = {
    WORKERS_AI: 'yes',
    CHAT_MODEL: '@cf/openai/gpt-oss-20b',
    EMBEDDING_MODEL: 'none',
  };
  const MODEL_PRICES =
    '{"@cf/openai/gpt-oss-20b": {"inputPerMillion": 0.2, "outputPerMillion": 0.3}}';
  const priced = { ...named, MODEL_PRICES, COST_MICROS_PER_QUESTION: '5000' };
  expect(readAll(priced)).toMatchObject({
    chat: {
      model: '@cf/openai/gpt-oss-20b',
      prices: { '@cf/openai/gpt-oss-20b': { inputPerMillion: 0.2 } },
    },
    embedding: undefined,
    budgets: { cost_micros: 5000 },
  });
  expect(() => readAll({ ...priced, MODEL_PRICES: undefined })).toThrow(
    /MODEL_PRICES has no price of @cf/,
  );
});
it.each([
  ['MODELS', { MODELS: 'some' }],
  ['WORKERS_AI', { WORKERS_AI: 'true' }],
  ['REASONING_EFFORT', { REASONING_EFFORT: 'much' }],
  ['CHAT_MODEL', { WORKERS_AI: 'yes', CHAT_MODEL: 'gpt-4.1-mini' }],
  ['EMBEDDING_MODEL', { WORKERS_AI: 'yes', EMBEDDING_MODEL: 'text-embedding-3-small' }],
  ['EMBEDDING_DIMENSIONS', { WORKERS_AI: 'yes', EMBEDDING_MODEL: '@cf/qwen/qwen3-embedding-0.6b' }],
])('refuses %s of %j', (name, variables) => expect(() => readAll(variables)).toThrow(name));
