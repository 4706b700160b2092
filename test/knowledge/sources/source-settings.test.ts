import { expect, it } from 'vitest';
import { readSources } from '../../../src/knowledge/sources/source-settings.ts';

const ZENDESK = {
  tool: 'zendesk',
  apiUrl: 'https://acme.zendesk.com',
  tokenSecret: 'ZENDESK_TOKEN',
  email: 'a@acme.example',
};
const read = (settings: unknown, variables: Record<string, string> = {}) =>
  readSources(
    {
      ARTICLE_SOURCES: typeof settings === 'string' ? settings : JSON.stringify(settings),
      ...variables,
    },
    { fetch, now: Date.now },
  );

it('finds the source of a workspace, and none for another', () => {
  const sources = read({ acme: ZENDESK }, { ZENDESK_TOKEN: 'secret' });
  expect(sources.find('acme')).toMatchObject({ prefix: 'zendesk-', labels: {} });
  for (const none of [sources.find('beta'), sources.find('constructor'), read('').find('acme')])
    expect(none).toBeUndefined();
});
it('starts without a secret, and fails when it is needed', () => {
  const sources = read({ acme: ZENDESK });
  expect(() => sources.find('acme')).toThrow(
    expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' }),
  );
});
it.each([
  ['a tool that it does not know', { acme: { ...ZENDESK, tool: 'front' } }],
  ['an option of another tool', { acme: { ...ZENDESK, portal: 'help' } }],
  ['no token', { acme: { ...ZENDESK, tokenSecret: undefined } }],
  ['a token in place of its name', { acme: { ...ZENDESK, tokenSecret: 'a1b2c3d4e5' } }],
  ['an address without https', { acme: { ...ZENDESK, apiUrl: 'http://acme.zendesk.com' } }],
  ['an address of an inner network', { acme: { ...ZENDESK, apiUrl: 'https://169.254.169.254' } }],
  ['an address of this machine', { acme: { ...ZENDESK, apiUrl: 'http://127.0.0.1:3000' } }],
  [
    'credentials in an address',
    { acme: { ...ZENDESK, apiUrl: 'https://user:pass@acme.zendesk.com' } },
  ],
  ['a locale that is none', { acme: { ...ZENDESK, locales: ['../x'] } }],
])('names %s, and the other workspaces have their source', (_, settings) => {
  const sources = read({ ...settings, beta: ZENDESK }, { ZENDESK_TOKEN: 'secret' });
  expect(sources.problems()).toEqual([
    { workspace: 'acme', problem: expect.stringContaining('ARTICLE_SOURCES') },
  ]);
  expect(() => sources.find('acme')).toThrow(/ARTICLE_SOURCES/);
  expect(sources.find('beta')).toBeDefined();
});
it('names a variable that is no JSON', () => {
  expect(read('nonsense').problems()).toMatchObject([
    { problem: expect.stringMatching(/ARTICLE_SOURCES: it is not JSON/) },
  ]);
  expect(() => read('nonsense').find('acme')).toThrow(/ARTICLE_SOURCES/);
});
it('accepts an address of this machine in development only', () => {
  const settings = { acme: { ...ZENDESK, apiUrl: 'http://127.0.0.1:3000' } };
  expect(
    read(settings, { ENVIRONMENT: 'development', ZENDESK_TOKEN: 'secret' }).problems(),
  ).toEqual([]);
});
