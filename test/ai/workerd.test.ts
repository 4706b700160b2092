import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Miniflare } from 'miniflare';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../../src/dev/build/bundle-function.ts';
import { type OpenAIServer, startOpenAIServer } from '../../src/dev/stand-ins/openai/openai-server.ts';
import type { Fault } from '../../src/dev/stand-ins/server/faults.ts';
import { oneWorker } from '../storage/worker-for-test.ts';

const ENTRY = fileURLToPath(new URL('adapters-in-workerd.ts', import.meta.url));
let server: OpenAIServer;
let miniflare: Miniflare;

beforeAll(async () => {
  server = await startOpenAIServer();
  miniflare = oneWorker(await bundle(ENTRY));
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
  it('embed and complete with the fetch of the runtime', async () => {
    expect(await ask('embeddings')).toEqual({ vectors: 600, dimensions: 1536 });
    expect(await ask('chat')).toMatchObject({ text: 'Grüße 😀', finish: 'stop' });
  });

  const faults: [Fault, string, object?][] = [
    [{ kind: 'status', status: 401 }, 'refused'],
    [{ kind: 'status', status: 429, retryAfter: 20 }, 'rate_limited'],
    [{ kind: 'status', status: 500, retryAfter: 0 }, 'unavailable'],
    [{ kind: 'status', status: 302, headers: { location: 'http://127.0.0.1:9/' } }, 'refused'],
    [{ kind: 'reset' }, 'unavailable'],
    [{ kind: 'reset-in-body' }, 'unavailable'],
    [{ kind: 'truncated-json' }, 'malformed'],
    [{ kind: 'hang-before-headers' }, 'aborted', { giveUpAfterMs: 100 }],
    [{ kind: 'hang-in-body' }, 'aborted', { giveUpAfterMs: 100 }],
  ];
  describe.each([
    ['embeddings', 'EmbeddingFailed'],
    ['chat', 'ModelUnavailable'],
  ] as const)('name what failed: %s', (what, name) => {
    it.each(faults)('%j is %s', async (fault, reason, more) => {
      server.faults.always(fault);
      expect(await ask(what, more)).toMatchObject({ name, reason });
    });
  });
  it('load the official client with the first request, not with the function', async () => {
    const { metafile } = await build({
      entryPoints: [ENTRY],
      ...{ bundle: true, splitting: true, format: 'esm', outdir: '/', write: false, metafile: true },
    });
    const [entry] = Object.values(metafile.outputs).filter(({ entryPoint }) => entryPoint?.includes('adapters-in'));
    const modules = Object.keys(entry?.inputs ?? {});
    expect(modules).toContain('src/ai/openai-client.ts');
    expect(modules.filter((path) => path.includes('node_modules/openai/'))).toEqual([]);
  });
});
