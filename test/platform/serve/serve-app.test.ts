import { expect, it } from 'vitest';
import type { LogLine } from '../../../src/platform/log.ts';
import { serveApp } from '../../../src/platform/serve/serve-app.ts';

const request = (): Request => new Request('http://function/');

it('builds the app once per environment', async () => {
  let builds = 0;
  const serve = serveApp('library', async (env: { name: string }) => {
    builds += 1;
    return { fetch: () => new Response(env.name) };
  });
  const [one, two] = [{ name: 'one' }, { name: 'two' }];
  const answers = [
    await serve(request(), one, {}),
    await serve(request(), one, {}),
    await serve(request(), two, {}),
  ];
  expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(['one', 'one', 'two']);
  expect(builds).toBe(2);
});
it('answers SERVICE_UNAVAILABLE when the app cannot be built, logs the cause, and retries on the next request', async () => {
  const lines: LogLine[] = [];
  let isReady = false;
  const build = async () => {
    if (!isReady) throw new Error('CONTEXT_SIGNING_KEY is not set');
    return { fetch: () => new Response('ready') };
  };
  const serve = serveApp('library', build, { log: (line) => lines.push(line), now: () => 7 });
  const env = {};
  const refused = await serve(request(), env, {});
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  const body = await refused.text();
  expect(JSON.parse(body)).toMatchObject({
    error: { code: 'SERVICE_UNAVAILABLE', librarian: 'library' },
  });
  expect(body).not.toContain('CONTEXT_SIGNING_KEY');
  expect(lines).toMatchObject([
    { event: 'fault', where: 'start', cause: expect.stringContaining('CONTEXT_SIGNING_KEY') },
  ]);
  isReady = true;
  expect(await (await serve(request(), env, {})).text()).toBe('ready');
});
