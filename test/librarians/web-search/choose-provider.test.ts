import { expect, it } from 'vitest';
import { chooseProvider } from '../../../src/librarians/web-search/web-search-agent.ts';
import CASES from './choose-provider.json' with { type: 'json' };

type ProviderVariables = Parameters<typeof chooseProvider>[0];

const chosen = (variables: ProviderVariables) =>
  chooseProvider(variables, { fetch, now: Date.now })?.provider;
const CHOSEN = CASES.chosen as [ProviderVariables, string | null][];
it.each(CHOSEN)('chooses with %j the provider %s', (variables, provider) => {
  expect(chosen(variables)).toBe(provider ?? undefined);
});
it.each(CASES.refused)(
  'refuses in %s to send the key to %s, without naming either',
  (ENVIRONMENT, url) => {
    const variables = {
      SERPAPI_KEY: 'key_0123',
      SERPAPI_URL: url,
      ...(ENVIRONMENT === '' ? {} : { ENVIRONMENT }),
    };
    expect(() => chosen(variables)).toThrow(
      /^Cannot use SERPAPI_URL: it (?:is not an https address|holds credentials|does not name a public host); allowed is an https address of a public host$/,
    );
  },
);
