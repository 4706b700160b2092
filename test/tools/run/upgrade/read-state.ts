/** Calls a running product; throws unless it answers as expected. */
export type Call = (
  path: string,
  init?: { method?: string; body?: unknown; key?: string },
) => Promise<unknown>;

export function caller(url: string, key: string): Call {
  return async (path, { method = 'GET', body, key: other = key } = {}) => {
    const headers = { authorization: `Bearer ${other}`, 'content-type': 'application/json' };
    const response = await fetch(new URL(path, url), {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: status is ${response.status}, ${text}`);
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  };
}

const MEMORIES = '/v1/workspaces/default/memories';

/** Done, dead and open tickets. */
export function ticketsOf(call: Call) {
  return Promise.all(
    ['done', 'dead', 'open'].map(
      async (state) =>
        (await call(`/v1/support/tickets?state=${state}`)) as {
          tickets: { id: string; state: string; attempts: number }[];
        },
    ),
  );
}

/** All that a customer has stored, read by the public API: the data of a release must be found by every later one. */
export async function readState(call: Call, otherKey: string) {
  const memories = (await call(`${MEMORIES}?limit=100`)) as { memories: { id: string }[] };
  const search = (query: string) =>
    call(`${MEMORIES}/search`, {
      method: 'POST',
      body: { query, options: { includeRelationships: true, limit: 1 } },
    });
  // Whether it is in use is not stored.
  const { taxonomy } = (await call('/v1/support/taxonomy')) as { taxonomy: unknown };
  return {
    articles: await call('/api/kb/articles?limit=100'),
    text: await call('/api/kb/articles/notes/ducks.md'),
    taxonomy: { taxonomy },
    memories,
    related: await search('Where does Ada keep her geese?'),
    others: await call('/v1/workspaces/other/memories', { key: otherKey }),
    gaps: await call('/v1/knowledge/gaps?state=all&limit=100'),
    tickets: (await ticketsOf(call)).flatMap(({ tickets }) => tickets),
  };
}
export type StoredState = Awaited<ReturnType<typeof readState>>;
