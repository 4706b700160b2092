import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Miniflare } from 'miniflare';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../../tools/build/bundle-function.ts';
import { oneWorker } from '../platform/storage/worker-for-test.ts';
import { FAULTS, HANGS, openaiForTest } from './openai-for-test.ts';

const ENTRY = fileURLToPath(new URL('adapters-in-workerd.ts', import.meta.url));
const server = await openaiForTest();
let miniflare: Miniflare;
beforeAll(async () => {
  miniflare = oneWorker(await bundle(ENTRY));
});
afterAll(() => miniflare.dispose());

const ask = async (
  what: 'chat' | 'embeddings',
  more: { giveUpAfterMs?: number; apiKey?: string } = {},
) => {
  const body = JSON.stringify({ baseURL: server.url, apiKey: server.apiKey, what, ...more });
  const response = await miniflare.dispatchFetch('http://localhost/', { method: 'POST', body });
  return response.json();
};

describe('the adapters in workerd', () => {
  it('embed and complete with the fetch of the runtime', async () => {
    expect(await ask('embeddings')).toEqual({ vectors: 600, dimensions: 1536 });
    expect(await ask('chat')).toMatchObject({ text: 'Grüße 😀', finish: 'stop' });
  });

  describe.each([
    ['embeddings', 'EmbeddingFailed'],
    ['chat', 'ModelUnavailable'],
  ] as const)('name what failed: %s', (what, name) => {
    const FAILURES = [
      ...FAULTS,
      ...HANGS.map(([when, fault]) => [`it ${when}`, fault, 'aborted'] as const),
    ];
    it.each(FAILURES)('where %s', async (_, fault, reason) => {
      server.faults.always(fault);
      const more = reason === 'aborted' ? { giveUpAfterMs: 100 } : {};
      expect(await ask(what, more)).toMatchObject({ name, reason });
    });
  });
  it('load the official client with the first request, not with the function', async () => {
    const { metafile } = await build({
      entryPoints: [ENTRY],
      bundle: true,
      splitting: true,
      format: 'esm',
      outdir: '/',
      write: false,
      metafile: true,
    });
    const [entry] = Object.values(metafile.outputs).filter(({ entryPoint }) =>
      entryPoint?.includes('adapters-in'),
    );
    const modules = Object.keys(entry?.inputs ?? {});
    expect(modules).toContain('src/ai/openai-client.ts');
    expect(modules.filter((path) => path.includes('node_modules/openai/'))).toEqual([]);
  });
});
