import { describe, expect, it } from 'vitest';
import { chooseProvider, type ProviderVariables } from '../../../src/agents/web-search/web-search-agent.ts';
import CASES from './choose-provider.json' with { type: 'json' };

const chosen = (variables: ProviderVariables) => chooseProvider(variables, { fetch, now: Date.now })?.provider;

describe('chooseProvider()', () => {
  it('chooses the provider whose key is set, SerpApi when both are, none without a key', () => {
    expect(chosen({ SERPAPI_KEY: 'k' })).toBe('serpapi');
    expect(chosen({ BRAVE_SEARCH_KEY: 'k', SERPAPI_KEY: '' })).toBe('brave');
    expect(chosen({ SERPAPI_KEY: 'k', BRAVE_SEARCH_KEY: 'k' })).toBe('serpapi');
    expect(chosen({})).toBeUndefined();
    expect(chosen({ SERPAPI_URL: 'http://anything' })).toBeUndefined();
  });

  it('accepts https of any public host, and loopback over http in development', () => {
    expect(chosen({ SERPAPI_KEY: 'k', SERPAPI_URL: 'https://search.example.com' })).toBe('serpapi');
    for (const host of ['127.0.0.1:8000', 'localhost:8000', '[::1]:8000'])
      expect(chosen({ ENVIRONMENT: 'development', BRAVE_SEARCH_KEY: 'k', BRAVE_SEARCH_URL: `http://${host}` })).toBe(
        'brave',
      );
  });

  it.each(CASES)('refuses in %s to send the key to %s, without naming either', (ENVIRONMENT, url) => {
    const variables = { SERPAPI_KEY: 'key_0123', SERPAPI_URL: url, ...(ENVIRONMENT === '' ? {} : { ENVIRONMENT }) };
    expect(() => chosen(variables)).toThrow(
      /^Cannot use SERPAPI_URL: it (?:is not an https address|holds credentials|does not name a public host)$/,
    );
  });
});
