import { expect, it } from 'vitest';
import { type AdapterVariables, readSettings } from '../../src/adapters/settings.ts';
import cases from './settings.json' with { type: 'json' };

/** The variables of a case, which may change a whole configuration. */
const variablesOf = ({ from, variables }: { from?: string; variables: object }): AdapterVariables => ({
  ...(from === 'production' && cases.production),
  ...(from === 'local' && cases.local),
  ...variables,
});

const nothing = Object.fromEntries(Object.keys(cases.production).map((name) => [name, ' ']));
it.each([{}, nothing])('chooses the embedded adapters when variables are unset or empty: %j', (variables) => {
  const cache = { maxSize: 2000, ttlSeconds: 86_400 };
  expect(readSettings(variables)).toEqual({ cache, budgets: { tokens: 30_000 }, factTokens: 300 });
});
it.each(cases.read)('reads $title', (one) => expect(readSettings(variablesOf(one))).toMatchObject(one.settings));
it('reads that there is no model', () => {
  const none = { OPENAI_API_KEY: 'sk-secret', CHAT_MODEL: 'none', EMBEDDING_MODEL: 'none' };
  expect(readSettings(none)).toMatchObject({ chat: undefined, embedding: undefined });
});
it.each(cases.refused)('refuses $title by its name, without a secret', (one) => {
  const read = () => readSettings(variablesOf(one));
  expect(read).toThrow(one.says);
  expect(read).not.toThrow(/secret/);
});
