import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { bundle } from '../../../tools/build/bundle-function.ts';
import { oneWorker } from '../storage/worker-for-test.ts';
import { ATTACKS, CONTROLS } from './attacks.ts';
import { DIRECTORY_ATTACKS } from './directory-attacks.ts';
import { RECEIPT_ATTACKS } from './receipt-attacks.ts';

it('workerd agrees with Node on every attack and every control', async () => {
  const miniflare = oneWorker(
    await bundle(fileURLToPath(new URL('attacks-in-workerd.ts', import.meta.url))),
  );
  try {
    const response = await miniflare.dispatchFetch('http://localhost/');
    const counts = { attacks: ATTACKS.length + RECEIPT_ATTACKS.length + DIRECTORY_ATTACKS.length };
    expect(await response.json()).toEqual({ ...counts, controls: CONTROLS.length, wrong: [] });
  } finally {
    await miniflare.dispose();
  }
});
