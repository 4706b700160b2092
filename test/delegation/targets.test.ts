import { describe, expect, it } from 'vitest';
import { httpsTargets, serviceTargets } from '../../src/delegation/librarian-directory.ts';
import { makeSigningKey } from '../../src/signing/compact-jws.ts';
import { openDirectory } from '../../src/signing/key-directory.ts';
import CASES from './targets.json' with { type: 'json' };

const directoryWith = async (host: string, env = 'production') => {
  const { x } = await makeSigningKey();
  const librarians = { 'partner.weather': { keys: [{ kid: 'partner.weather.1', x }], host }, navigator: { keys: [] } };
  return openDirectory({ v: 1, env, seq: 1, exp: 4_102_444_800, librarians }, { version: host });
};

describe('serviceTargets()', () => {
  it('maps each service binding to the id of its librarian, and ignores everything else', async () => {
    const answer = new Response('from the binding');
    const binding = { fetch: async () => answer };
    const env = { WEB_SEARCH: binding, ENVIRONMENT: 'development', API_KEYS: { get: () => null }, NOTHING: null };
    const targets = serviceTargets(env);
    expect(Object.keys(targets)).toEqual(['web-search']);
    expect(await targets['web-search']?.fetch(new Request('http://web-search/'))).toBe(answer);
  });
});

describe('httpsTargets()', () => {
  const sent = async (host: string, env?: string): Promise<Request> => {
    const requests: Request[] = [];
    const targets = httpsTargets(await directoryWith(host, env), async (request) => {
      requests.push(request);
      return new Response();
    });
    expect(Object.keys(targets)).toEqual(['partner.weather']);
    const request = new Request('http://partner.weather/librarians/partner.weather/ask?a=1', {
      method: 'POST',
      headers: { 'Context-Token': 'chain' },
      body: '{}',
      redirect: 'manual',
    });
    await targets['partner.weather']?.fetch(request);
    return requests[0] ?? new Request('http://nothing');
  };

  it('asks over HTTPS, with unchanged method, headers, body, path and query', async () => {
    const request = await sent('librarians.partner.org');
    expect(request.url).toBe('https://librarians.partner.org/librarians/partner.weather/ask?a=1');
    expect([request.method, request.headers.get('Context-Token'), await request.text()]).toEqual([
      'POST',
      'chain',
      '{}',
    ]);
  });

  it('does not follow a redirect, which would forward the token', async () => {
    expect((await sent('librarians.partner.org')).redirect).toBe('manual');
  });

  it('asks this machine over HTTP in development', async () => {
    expect((await sent('127.0.0.1:9000', 'development')).url).toMatch(/^http:\/\/127\.0\.0\.1:9000\//);
  });
});

describe('a directory refuses as host', () => {
  it.each(CASES.refused)('%j', async (host) => {
    await expect(directoryWith(host)).rejects.toThrow('host of partner.weather is not a public name');
  });
});
