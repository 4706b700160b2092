import { describe, expect, it } from 'vitest';
import { Constellation } from '../../../client/constellation.ts';
import forms from '../../../src/web/console/session/request-forms.json' with { type: 'json' };
import { asTypeScript } from '../../../src/web/console/session/request-forms.ts';
import { requestForms } from '../../../tools/build/route-tables.ts';

const ORIGIN = 'https://answers.example.com';
const shown = (route: string, body?: unknown) =>
  asTypeScript(
    { route, path: route.split(' ')[1] ?? '', body, accept: 'application/json' },
    ORIGIN,
  );

it('shows what the definitions of the routes say (node tools/build/route-tables.ts)', () => {
  expect(forms).toEqual(requestForms());
});

/** What the client sends for a call such as `answers.get({id})`. */
const sentBy = async (call: string): Promise<string | undefined> => {
  let sent: string | undefined;
  const fetch = async (address: string, { method }: RequestInit) => {
    sent = `${method} ${new URL(address).pathname}`;
    return Response.json({});
  };
  const client = new Constellation({
    url: ORIGIN,
    retries: 0,
    fetch: fetch as typeof globalThis.fetch,
  });
  const [, path = '', listed = ''] = /^([\w.]+)\((.*)\)$/.exec(call) ?? [];
  const values: Record<string, unknown> = { '{id}': 'an-id', '{query}': 'Why?' };
  const given = listed === '' ? [] : listed.split(', ');
  const args = given.map((each) => values[each] ?? (each.startsWith("'") ? each.slice(1, -1) : {}));
  const [name = '', method] = path.split('.');
  const owner = Reflect.get(client, name) as Record<string, unknown>;
  const result =
    method === undefined
      ? Reflect.apply(Reflect.get(client, name), client, args)
      : Reflect.apply(owner[method] as () => unknown, owner, args);
  // Only what is sent counts: an empty reply is none of ours.
  const first = Symbol.asyncIterator in result ? result.next() : result;
  await Promise.resolve(first).catch(() => undefined);
  return sent;
};

describe('a request as TypeScript', () => {
  it.each(
    Object.entries<{ method?: string; streaming?: string; tool?: string }>(forms).flatMap(
      ([route, { method, streaming }]) =>
        [method, streaming].flatMap((call) => (call === undefined ? [] : [{ route, call }])),
    ),
  )('is a call that sends this route: $route by $call', async ({ route, call }) => {
    expect(await sentBy(call)).toBe(route.replace(/\{(?:id|path)\}/, 'an-id'));
  });

  it('has the id of its path, and its body', () => {
    expect(shown('POST /v1/answers/a-1/replay', { model: false })).toContain(
      'client.answers.replay("a-1", {\n  "model": false\n})',
    );
    expect(shown('GET /api/kb/articles/orders/shipping%20abroad.md')).toContain(
      'client.articles.get("orders/shipping abroad.md")',
    );
    expect(shown('GET /v1/answers/statistics')).toContain('client.answers.statistics()');
    expect(shown('GET /v1/knowledge/editions')).toContain('client.editions.list()');
  });

  it('uses fetch for a route that the client has no method for', () => {
    expect(shown('GET /v1/answers/a-1/else')).toContain(`fetch("${ORIGIN}/v1/answers/a-1/else"`);
  });
});
