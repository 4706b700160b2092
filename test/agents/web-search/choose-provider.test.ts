import { describe, expect, it } from 'vitest';
import { chooseProvider, type ProviderVariables } from '../../../src/agents/web-search/choose-provider.ts';

const chosen = (variables: ProviderVariables) => chooseProvider(variables, { fetch, now: Date.now })?.provider;

describe('chooseProvider()', () => {
  it('takes the provider whose key is set, SerpApi when both are, none without a key', () => {
    expect(chosen({ SERPAPI_KEY: 'k' })).toBe('serpapi');
    expect(chosen({ BRAVE_SEARCH_KEY: 'k', SERPAPI_KEY: '' })).toBe('brave');
    expect(chosen({ SERPAPI_KEY: 'k', BRAVE_SEARCH_KEY: 'k' })).toBe('serpapi');
    expect(chosen({})).toBeUndefined();
    expect(chosen({ SERPAPI_URL: 'http://anything' })).toBeUndefined();
  });

  it('takes https of any public host, and this machine over http in development', () => {
    expect(chosen({ SERPAPI_KEY: 'k', SERPAPI_URL: 'https://search.example.com' })).toBe('serpapi');
    for (const host of ['127.0.0.1:8000', 'localhost:8000', '[::1]:8000'])
      expect(chosen({ ENVIRONMENT: 'development', BRAVE_SEARCH_KEY: 'k', BRAVE_SEARCH_URL: `http://${host}` })).toBe(
        'brave',
      );
  });

  it.each([
    [undefined, 'http://127.0.0.1:8000'],
    ['production', 'http://search.example.com'],
    ['development', 'http://search.example.com'],
    ['development', 'http://127.0.0.1.evil.example'],
    ['development', 'https://user:secret@search.example.com'],
    ['development', 'ftp://127.0.0.1'],
    ['development', 'search.example.com'],
    ['production', 'https://169.254.169.254'],
    ['production', 'https://localhost'],
    ['production', 'https://10.0.0.1:8443'],
    ['production', 'https://0x7f000001'],
    ['production', 'https://[::1]'],
    ['production', 'https://intranet'],
    ['production', 'https://search.internal'],
    ['development', 'https://10.0.0.1'],
  ])('refuses in %s to send the key to %s, without naming either', (ENVIRONMENT, url) => {
    const variables = { ENVIRONMENT, SERPAPI_KEY: 'key_0123', SERPAPI_URL: url };
    expect(() => chosen(variables)).toThrow(
      /^Cannot use SERPAPI_URL: it (?:is not an https address|holds credentials|does not name a public host)$/,
    );
  });
});
