import { describe, expect, it } from 'vitest';
import { SyncStatus } from '../../../src/contract/wire/sync.ts';
import { expectAccessible } from './accessibility.ts';
import { goTo, open, read } from './console-for-test.ts';

describe('the view Sync', () => {
  it('starts a full sync, and shows its report at the end', async () => {
    const lastRun = async () => (await read(SyncStatus, '/v1/sync')).last_report?.run_id;
    const before = await lastRun();
    const page = await open('/sync');
    const report = page.getByRole('region', { name: 'Last sync' });
    await report.waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Full sync' }).click();
    await expect.poll(lastRun).not.toBe(before);
    await page.getByText('idle', { exact: true }).waitFor();
    expect(await report.textContent()).toMatch(/full sync.*Unchanged40/);
  });

  it('shows progress while a sync runs, and what was skipped', async () => {
    const status = await read(SyncStatus, '/v1/sync');
    let processed = 0;
    const page = await open('/ask');
    await page.route(/\/v1\/sync/, (route) => {
      processed += 10;
      const progress = {
        run_id: 'r',
        full: true,
        started_at: new Date().toISOString(),
        listed: 40,
        total: 40,
        processed,
        to_process: 40,
        embedded: 0,
        to_embed: 12,
      };
      const skipped = [
        { id: '<img src=x>.md', reason: 'Cannot take in the article: content is empty' },
      ];
      const last_report = { ...status.last_report, skipped_count: 1, skipped };
      const running = processed > 30 ? {} : { state: 'embedding', progress };
      return route.fulfill({ json: { ...status, last_report, ...running } });
    });
    await goTo(page, '/sync');
    const bar = page.getByRole('progressbar', { name: 'Processed' });
    await bar.waitFor();
    expect(await page.getByRole('button', { name: 'Sync now' }).isDisabled()).toBe(true);
    await expectAccessible(page);
    await bar.waitFor({ state: 'detached' });
    expect(await page.getByRole('region', { name: 'Skipped' }).textContent()).toContain(
      '<img src=x>.md',
    );
    expect(await page.getByRole('button', { name: 'Sync now' }).isDisabled()).toBe(false);
  });

  it('requests confirmation before it applies held deletions', async () => {
    const status = await read(SyncStatus, '/v1/sync');
    const ids = ['network/wifi.md', 'a'.repeat(300)];
    const held_deletions = { count: 31, of: 40, limit: 0.3, ids, how_to_force: 'Force it.' };
    const json = { ...status, last_report: { ...status.last_report, held_deletions } };
    const started: unknown[] = [];
    const page = await open('/ask');
    await page.route(/\/v1\/sync/, (route) => {
      if (route.request().method() !== 'POST') return route.fulfill({ json });
      started.push(route.request().postDataJSON());
      return route.fulfill({ json: { started: true, status: json } });
    });
    await goTo(page, '/sync');
    await page.getByRole('heading', { name: '31 of 40 articles would be deleted' }).waitFor();
    await expectAccessible(page, { width: 390 });
    const force = page.getByRole('button', { name: 'Delete 31 articles' });
    await force.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(started).toEqual([]);
    await force.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete 31 articles' }).click();
    await expect.poll(() => started).toEqual([{ full: true, force: true }]);
  });
});
