import { describe, expect, it } from 'vitest';
import type { SyncStatus } from '../../src/contract/sync.ts';
import { send } from '../functions/product-for-test.ts';
import { overflowOf, violationsOf } from './accessibility.ts';
import type { ConsoleForTest } from './console-for-test.ts';

export const describeSync = (using: () => ConsoleForTest) =>
  describe('the view Sync', () => {
    it('starts a full sync, and shows its report at the end', async () => {
      const { product, open } = using();
      const before = (await (await send(product, 'GET /v1/sync')).json()) as SyncStatus;
      const page = await open('/sync');
      const report = page.getByRole('region', { name: 'Last sync' });
      await report.waitFor();
      expect(await violationsOf(page, 'light')).toEqual([]);
      expect(await violationsOf(page, 'dark')).toEqual([]);
      await page.getByRole('button', { name: 'Full sync' }).click();
      await expect
        .poll(async () => ((await (await send(product, 'GET /v1/sync')).json()) as SyncStatus).last_report?.run_id)
        .not.toBe(before.last_report?.run_id);
      await page.getByText('idle', { exact: true }).waitFor();
      expect(await report.textContent()).toMatch(/full sync.*Unchanged40/);
    });

    it('shows progress while a sync runs, and what was skipped', async () => {
      const { product, open } = using();
      const status = (await (await send(product, 'GET /v1/sync')).json()) as SyncStatus;
      let processed = 0;
      const page = await open('/ask');
      await page.route(/\/v1\/sync/, (route) => {
        processed += 10;
        const progress = {
          ...{ run_id: 'r', full: true, started_at: new Date().toISOString(), listed: 40, total: 40 },
          ...{ processed, to_process: 40, embedded: 0, to_embed: 12 },
        };
        const skipped = [{ id: '<img src=x>.md', reason: 'Cannot take in the article: content is empty' }];
        const report = { ...status.last_report, skipped_count: 1, skipped };
        return route.fulfill({
          json:
            processed > 30
              ? { ...status, last_report: report }
              : { ...status, state: 'embedding', progress, last_report: report },
        });
      });
      await page.goto(new URL('/sync', page.url()).href);
      const bar = page.getByRole('progressbar', { name: 'Processed' });
      await bar.waitFor();
      expect(await page.getByRole('button', { name: 'Sync now' }).isDisabled()).toBe(true);
      expect(await violationsOf(page, 'light')).toEqual([]);
      await bar.waitFor({ state: 'detached' });
      expect(await page.getByRole('region', { name: 'Skipped' }).textContent()).toContain('<img src=x>.md');
      expect(await page.getByRole('button', { name: 'Sync now' }).isDisabled()).toBe(false);
    });

    it('requests confirmation before it applies held deletions', async () => {
      const { product, open } = using();
      const status = (await (await send(product, 'GET /v1/sync')).json()) as SyncStatus;
      const held = {
        count: 31,
        of: 40,
        limit: 0.3,
        ids: ['network/wifi.md', 'a'.repeat(300)],
        how_to_force: 'Force it.',
      };
      const started: unknown[] = [];
      const page = await open('/ask');
      await page.route(/\/v1\/sync/, (route) => {
        const json = { ...status, last_report: { ...status.last_report, held_deletions: held } };
        if (route.request().method() === 'POST') started.push(route.request().postDataJSON());
        return route.fulfill({ json: route.request().method() === 'POST' ? { started: true, status: json } : json });
      });
      await page.goto(new URL('/sync', page.url()).href);
      await page.getByRole('heading', { name: '31 of 40 articles would be deleted' }).waitFor();
      expect(await violationsOf(page, 'dark')).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await overflowOf(page)).toEqual([]);
      const force = page.getByRole('button', { name: 'Delete 31 articles' });
      await force.click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      expect(started).toEqual([]);
      await force.click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete 31 articles' }).click();
      await expect.poll(() => started).toEqual([{ full: true, force: true }]);
    });
  });
