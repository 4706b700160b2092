import { fileURLToPath } from 'node:url';
import type { Miniflare } from 'miniflare';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../../../../tools/build/bundle-function.ts';
import { oneWorker } from '../../../platform/storage/worker-for-test.ts';
import { runConformance } from './run-conformance.ts';

let miniflare: Miniflare;
let url: URL;

beforeAll(async () => {
  const contents = await bundle(fileURLToPath(new URL('fixture-function.ts', import.meta.url)));
  miniflare = oneWorker(contents, {
    unsafeDirectSockets: [{ host: '127.0.0.1', port: 0, proxy: false }],
  });
  await miniflare.ready;
  url = new URL('/mcp', await miniflare.unsafeGetDirectURL('worker'));
});
afterAll(() => miniflare?.dispose());

describe('the MCP conformance suite, against the HTTP code with fixtures', () => {
  it.each([
    ['2026-07-28', { required: 37, others: 13 }],
    ['2025-11-25', { required: 30, others: 3 }],
  ])(
    'passes the requirements of revision %s, except the listed failures',
    async (revision, { required, others }) => {
      const { wrong, output } = await runConformance(url, ['--requirements', revision], revision);
      expect(wrong).toBeUndefined();
      // A line for each scenario, including the ones that are not required.
      expect(output.match(/^[✓✗] [a-z]/gm)).toHaveLength(required + others);
    },
    120_000,
  );
  it('passes the checks of headers', async () => {
    const { wrong, output } = await runConformance(url, ['--scenario', 'http-header-validation']);
    expect(wrong).toBeUndefined();
    expect(output).toContain('Passed: 14/14');
  });
});
