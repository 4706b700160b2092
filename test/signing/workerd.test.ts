import { fileURLToPath } from 'node:url';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { expect, it } from 'vitest';
import { bundle } from '../../src/dev/build/bundle-function.ts';
import { ATTACKS, CONTROLS } from './attacks.ts';
import { DIRECTORY_ATTACKS } from './directory-attacks.ts';
import { RECEIPT_ATTACKS } from './receipt-attacks.ts';

it('workerd agrees with Node on every attack and every control', async () => {
  const contents = await bundle(fileURLToPath(new URL('attacks-in-workerd.ts', import.meta.url)));
  const modules = [{ type: 'ESModule' as const, path: 'index.mjs', contents }];
  const options = { workers: [{ name: 'attacks', compatibilityDate: '2026-11-01', modules }] };
  const miniflare = new Miniflare(convertV4MiniflareOptions({ telemetry: { enabled: false }, ...options }));
  try {
    const response = await miniflare.dispatchFetch('http://localhost/');
    const counts = { attacks: ATTACKS.length + RECEIPT_ATTACKS.length + DIRECTORY_ATTACKS.length };
    expect(await response.json()).toEqual({ ...counts, controls: CONTROLS.length, wrong: [] });
  } finally {
    await miniflare.dispose();
  }
});
