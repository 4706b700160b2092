import { fileURLToPath } from 'node:url';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { expect, it } from 'vitest';
import { bundle } from '../../src/dev/run/local-cloud.ts';

it('workerd agrees with Node on every attack and every control', { timeout: 60_000 }, async () => {
  const contents = await bundle(fileURLToPath(new URL('attacks-in-workerd.ts', import.meta.url)));
  const modules = [{ type: 'ESModule' as const, path: 'index.mjs', contents }];
  const options = { workers: [{ name: 'attacks', compatibilityDate: '2026-11-01', modules }] };
  const miniflare = new Miniflare(convertV4MiniflareOptions({ telemetry: { enabled: false }, ...options }));
  try {
    const response = await miniflare.dispatchFetch('http://localhost/');
    const { attacks, controls, wrong } = (await response.json()) as {
      attacks: number;
      controls: number;
      wrong: unknown[];
    };
    expect(wrong).toEqual([]);
    expect([attacks > 150, controls > 10]).toEqual([true, true]);
  } finally {
    await miniflare.dispose();
  }
});
