import { describe, expect, it } from 'vitest';
import { Constellation } from '../../../client/constellation.ts';
import { ROUTES } from '../../../src/contract/routes/http-routes.ts';
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

describe('a request as TypeScript', () => {
  it.each(
    Object.entries<{ method?: string; streaming?: string; tool?: string }>(forms).flatMap(
      ([route, { method, streaming }]) =>
        [method, streaming].flatMap((call) => (call === undefined ? [] : [[route, call] as const])),
    ),
  )('of %s calls a method that the client has: %s', (route, call) => {
    const names = call.split('(')[0]?.split('.') ?? [];
    const found = names.reduce<unknown>(
      (owner, name) => (owner as Record<string, unknown> | undefined)?.[name],
      new Constellation({ url: ORIGIN }),
    );
    expect(found).toBeTypeOf('function');
    expect(Object.keys(ROUTES)).toContain(route.replace('{path}', '{id}'));
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
