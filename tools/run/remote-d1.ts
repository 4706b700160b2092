/** Runs in a local function whose database is in another process: hands its statements on, over a service binding. */

interface Statement {
  sql: string;
  values: readonly unknown[];
}

interface Service {
  fetch(url: string, init: { method: string; body: string }): Promise<Response>;
}

interface Result {
  results: Record<string, unknown>[];
}

const ask = async <T>(
  service: Service,
  statements: readonly Statement[],
  { raw = false } = {},
): Promise<T> => {
  const body = JSON.stringify({
    statements: statements.map(({ sql, values }) => ({ sql, values })),
    raw,
  });
  const response = await service.fetch('http://database/', { method: 'POST', body });
  if (!response.ok) throw new Error(await response.text());
  return response.json() as T; // local-databases.ts returns what D1 does
};

const statementOf = (service: Service, { sql, values }: Statement) => ({
  sql,
  values,
  bind: (...bound: unknown[]) => statementOf(service, { sql, values: bound }),
  all: async () => (await ask<Result[]>(service, [{ sql, values }]))[0],
  run: async () => (await ask<Result[]>(service, [{ sql, values }]))[0],
  first: async () => (await ask<Result[]>(service, [{ sql, values }]))[0]?.results[0] ?? null,
  raw: async ({ columnNames = false } = {}) => {
    const rows = await ask<unknown[][]>(service, [{ sql, values }], { raw: true });
    return columnNames ? rows : rows.slice(1);
  },
});

/** The part of D1's API that our functions use. */
export function remoteD1(service: Service) {
  return {
    prepare: (sql: string) => statementOf(service, { sql, values: [] }),
    batch: (statements: readonly Statement[]) => ask<Result[]>(service, statements),
  };
}

interface Handler<Env> {
  fetch?: (request: Request, env: Env, context: unknown) => unknown;
}

/** A function whose bindings of these names are such databases. */
export function withRemoteD1<Env extends Record<string, unknown>>(
  handler: Handler<Env>,
  names: readonly string[],
) {
  const environments = new WeakMap<Env, Env>();
  const environmentOf = (env: Env): Env => {
    const known = environments.get(env);
    if (known !== undefined) return known;
    // A name is bound to a service here, which is what `remoteD1` takes.
    const databases = Object.fromEntries(
      names.map((name) => [name, remoteD1(env[name] as Service)]),
    );
    const changed = { ...env, ...databases };
    environments.set(env, changed);
    return changed;
  };
  return {
    ...handler,
    fetch: (request: Request, env: Env, context: unknown) =>
      handler.fetch?.(request, environmentOf(env), context),
  };
}
