import { expect, it } from 'vitest';
import { chooseProvider, type ProviderVariables } from '../../../src/agents/web-search/web-search-agent.ts';
import CASES from './choose-provider.json' with { type: 'json' };

const chosen = (variables: ProviderVariables) => chooseProvider(variables, { fetch, now: Date.now })?.provider;
const LOOPBACK = ['127.0.0.1:8000', 'localhost:8000', '[::1]:8000'].map((host): [ProviderVariables, string] => [
  { ENVIRONMENT: 'development', BRAVE_SEARCH_KEY: 'k', BRAVE_SEARCH_URL: `http://${host}` },
  'brave',
]);

it.each<[ProviderVariables, string | undefined]>([
  [{ SERPAPI_KEY: 'k' }, 'serpapi'],
  [{ BRAVE_SEARCH_KEY: 'k', SERPAPI_KEY: '' }, 'brave'],
  [{ SERPAPI_KEY: 'k', BRAVE_SEARCH_KEY: 'k' }, 'serpapi'],
  [{}, undefined],
  [{ SERPAPI_URL: 'http://anything' }, undefined],
  [{ SERPAPI_KEY: 'k', SERPAPI_URL: 'https://search.example.com' }, 'serpapi'],
  ...LOOPBACK,
])('chooses with %j the provider %s', (variables, provider) => {
  expect(chosen(variables)).toBe(provider);
});

it.each(CASES)('refuses in %s to send the key to %s, without naming either', (ENVIRONMENT, url) => {
  const variables = { SERPAPI_KEY: 'key_0123', SERPAPI_URL: url, ...(ENVIRONMENT === '' ? {} : { ENVIRONMENT }) };
  expect(() => chosen(variables)).toThrow(
    /^Cannot use SERPAPI_URL: it (?:is not an https address|holds credentials|does not name a public host)$/,
  );
});
