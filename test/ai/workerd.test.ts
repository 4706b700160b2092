import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../../src/dev/run/local-cloud.ts';
import { type OpenAIServer, startOpenAIServer } from '../../src/dev/stand-ins/openai/openai-server.ts';
import type { Fault } from '../../src/dev/stand-ins/server/faults.ts';

let server: OpenAIServer;
let miniflare: Miniflare;

beforeAll(async () => {
  server = await startOpenAIServer();
  const contents = await bundle(fileURLToPath(new URL('adapters-in-workerd.ts', import.meta.url)));
  miniflare = new Miniflare(
    convertV4MiniflareOptions({
      telemetry: { enabled: false },
      workers: [
        {
          name: 'asking',
          compatibilityDate: '2026-11-01',
          modules: [{ type: 'ESModule', path: 'index.mjs', contents }],
        },
      ],
    }),
  );
});
afterEach(() => {
  server.faults.none();
  server.forgetRequests();
});
afterAll(async () => {
  await miniflare.dispose();
  await server.stop();
});

const ask = async (what: 'chat' | 'embeddings', more: { giveUpAfterMs?: number; apiKey?: string } = {}) => {
  const body = JSON.stringify({ baseURL: server.url, apiKey: server.apiKey, what, ...more });
  const response = await miniflare.dispatchFetch('http://localhost/', { method: 'POST', body });
  return response.json();
};

describe('the adapters in workerd', () => {
  it('embed with the fetch of the runtime', async () => {
    expect(await ask('embeddings')).toEqual({ vectors: 600, dimensions: 1536 });
  });

  it('complete with the fetch of the runtime', async () => {
    expect(await ask('chat')).toMatchObject({ text: 'Grüße 😀', finish: 'stop' });
  });

  const both = ['embeddings', 'chat'] as const;
  const faults: [Fault, string][] = [
    [{ kind: 'status', status: 401 }, 'refused'],
    [{ kind: 'status', status: 429, retryAfter: 20 }, 'rate_limited'],
    [{ kind: 'status', status: 500, retryAfter: 0 }, 'unavailable'],
    [{ kind: 'status', status: 302, headers: { location: 'http://127.0.0.1:9/' } }, 'refused'],
    [{ kind: 'reset' }, 'unavailable'],
    [{ kind: 'reset-in-body' }, 'unavailable'],
    [{ kind: 'truncated-json' }, 'malformed'],
  ];
  it.each(both.flatMap((what) => faults.map(([fault, reason]) => ({ what, fault, reason }))))(
    'name what failed: $what, $fault is $reason',
    async ({ what, fault, reason }) => {
      server.faults.always(fault);
      expect(await ask(what)).toMatchObject({
        name: what === 'chat' ? 'ModelUnavailable' : 'EmbeddingFailed',
        reason,
      });
    },
  );

  it.each(both.flatMap((what) => (['hang-before-headers', 'hang-in-body'] as const).map((kind) => ({ what, kind }))))(
    'are given up by a signal: $what, $kind',
    async ({ what, kind }) => {
      server.faults.always({ kind });
      expect(await ask(what, { giveUpAfterMs: 100 })).toMatchObject({ reason: 'aborted' });
    },
  );

  it('load the official client with the first request, not with the function', async () => {
    const { metafile } = await build({
      entryPoints: [fileURLToPath(new URL('adapters-in-workerd.ts', import.meta.url))],
      ...{ bundle: true, splitting: true, format: 'esm', outdir: '/', write: false, metafile: true },
    });
    const [entry] = Object.values(metafile.outputs).filter(({ entryPoint }) => entryPoint?.includes('adapters-in'));
    const modules = Object.keys(entry?.inputs ?? {});
    expect(modules).toContain('src/ai/openai-client.ts');
    expect(modules.filter((path) => path.includes('node_modules/openai/'))).toEqual([]);
  });
});
