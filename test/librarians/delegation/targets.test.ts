import { expect, it } from 'vitest';
import {
  httpsTargets,
  serviceTargets,
} from '../../../src/librarians/delegation/librarian-directory.ts';
import { makeSigningKey } from '../../../src/platform/context/compact-jws.ts';
import { openDirectory } from '../../../src/platform/context/key-directory.ts';
import CASES from './targets.json' with { type: 'json' };

const directoryWith = async (host: string, env = 'production') => {
  const { x } = await makeSigningKey();
  const librarians = {
    'partner.weather': { keys: [{ kid: 'partner.weather.1', x }], host },
    navigator: { keys: [] },
  };
  return openDirectory({ v: 1, env, seq: 1, exp: 4_102_444_800, librarians }, { version: host });
};

it('serviceTargets() maps each service binding to the id of its librarian, and ignores everything else', async () => {
  const answer = new Response('from the binding');
  const binding = { fetch: async () => answer };
  const env = {
    WEB_SEARCH: binding,
    ENVIRONMENT: 'development',
    API_KEYS: { get: () => null },
    NOTHING: null,
  };
  const targets = serviceTargets(env);
  expect(Object.keys(targets)).toEqual(['web-search']);
  expect(await targets['web-search']?.fetch(new Request('http://web-search/'))).toBe(answer);
});
it.each([
  ['over HTTPS', 'librarians.partner.org', 'production', 'https://librarians.partner.org'],
  [
    'on this machine over HTTP in development',
    '127.0.0.1:9000',
    'development',
    'http://127.0.0.1:9000',
  ],
])(
  'httpsTargets() asks %s, with an unchanged request that follows no redirect',
  async (_, host, env, origin) => {
    const sent: Request[] = [];
    const targets = httpsTargets(await directoryWith(host, env), async (request) => {
      sent.push(request);
      return new Response();
    });
    expect(Object.keys(targets)).toEqual(['partner.weather']);
    const path = '/librarians/partner.weather/ask?a=1';
    const headers = { 'Context-Token': 'chain' };
    const init = { method: 'POST', headers, body: '{}', redirect: 'manual' as const };
    await targets['partner.weather']?.fetch(new Request(`http://partner.weather${path}`, init));
    expect(sent).toMatchObject([{ url: `${origin}${path}`, method: 'POST', redirect: 'manual' }]);
    expect([sent[0]?.headers.get('Context-Token'), await sent[0]?.text()]).toEqual(['chain', '{}']);
  },
);
it.each(CASES.refused)('a directory refuses as host %j', async (host) => {
  await expect(directoryWith(host)).rejects.toThrow('host of partner.weather is not a public name');
});
