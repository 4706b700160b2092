import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { ErrorBody } from '../../../src/contract/core/error-info.ts';
import {
  faultHandler,
  type GuardedEnv,
  type GuardOptions,
} from '../../../src/platform/context/context-guard.ts';
import { kvTaxonomies } from '../../../src/support/intents/current-taxonomy.ts';
import { taxonomyRoutes } from '../../../src/support/intents/taxonomy-routes.ts';
import { callFrom, identityOf, targetOf, userContext } from '../../platform/context/callers.ts';

/** Calls the routes as the gateway, over one store. */
const desk = async () => {
  const texts = new Map<string, string>();
  const kv = {
    get: async (key: string) => texts.get(key) ?? null,
    put: async (key: string, text: string) => void texts.set(key, text),
  } as unknown as Parameters<typeof kvTaxonomies>[0]; // all that settings use
  const forgotten: string[] = [];
  const guard: GuardOptions = { ...(await identityOf('support')), access: 'signed', log: () => {} };
  const app = new Hono<GuardedEnv>();
  taxonomyRoutes(app, { guard, store: kvTaxonomies(kv), forget: (of) => forgotten.push(of) });
  app.onError(faultHandler(guard));
  const { target, requests } = targetOf(app);
  const send = async (
    method: string,
    {
      body,
      workspace = 'acme',
      capabilities = ['support:taxonomy:write', 'support:analyze'],
    } = {} as {
      body?: unknown;
      workspace?: string;
      capabilities?: string[];
    },
  ) => {
    const context = userContext({ workspace, capabilities });
    const request = { to: 'support', method, path: '/v1/support/settings', body };
    const { answer } = await callFrom('gateway', context, {
      targets: { support: target },
      request,
    });
    if (!answer.ok) throw new Error(answer.error.message);
    return { status: answer.status, json: answer.json() };
  };
  const replay = async () => (await app.fetch(requests.at(-1)!)).status;
  return { send, texts, forgotten, replay };
};

it('stores how drafts are written, by workspace, and refuses a replay', async () => {
  const { send, forgotten, replay } = await desk();
  expect((await send('GET')).json).toEqual({ tone: 'neutral', hint: '' });
  const body = { tone: 'friendly', hint: 'Call customers members.' };
  expect(await send('PUT', { body })).toEqual({ status: 200, json: body });
  expect(await replay()).toBe(401);
  expect(forgotten).toEqual(['acme']);
  expect((await send('GET')).json).toEqual(body);
  expect((await send('GET', { workspace: 'other' })).json).toMatchObject({ tone: 'neutral' });
});

it.each([{ tone: 'rude' }, { hint: 'x'.repeat(301) }, { tone: 'formal', language: 'de' }])(
  'refuses %o',
  async (body) => {
    const { send, texts } = await desk();
    const { status, json } = await send('PUT', { body });
    expect([status, ErrorBody.parse(json).error.code]).toEqual([400, 'INVALID_QUERY']);
    expect(texts.size).toBe(0);
  },
);

it('needs the right to change what the team writes', async () => {
  const { send } = await desk();
  const body = { tone: 'formal' };
  expect((await send('PUT', { body, capabilities: ['support:analyze'] })).status).toBe(401);
});

it('shows the defaults where what is stored cannot be read', async () => {
  const { send, texts } = await desk();
  texts.set('settings/acme', '{"tone": 7');
  expect((await send('GET')).json).toEqual({ tone: 'neutral', hint: '' });
});
