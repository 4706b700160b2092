import { describe, expect, it } from 'vitest';
import { Taxonomy, TaxonomyAccuracy } from '../../src/contract/taxonomy.ts';
import { grant } from '../functions/product-for-test.ts';
import { overflowOf, violationsOf } from './accessibility.ts';
import type { ConsoleForTest } from './console-for-test.ts';

export const describeLibrarians = (using: () => ConsoleForTest) =>
  describe('the views Librarians, Intents and Settings', () => {
    it('Librarians shows health and capabilities, and links to a question for a librarian', async () => {
      const page = await using().open('/librarians');
      const card = page.getByRole('listitem').filter({ has: page.locator('code', { hasText: /^analytics$/ }) });
      expect(await card.textContent()).toMatch(/ready.*Rights.*sql:read/);
      expect(await violationsOf(page, 'light')).toEqual([]);
      expect(await violationsOf(page, 'dark')).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await overflowOf(page)).toEqual([]);
      await card.getByRole('link', { name: /^Ask this one/ }).press('Enter');
      await expect.poll(() => page.getByLabel('Librarian', { exact: true }).inputValue()).toBe('analytics');
      await page.getByLabel('Your question').fill('How many iPhone 17 are in stock in each warehouse?');
      await page.keyboard.press('Enter');
      await page.locator('.turn[aria-busy="false"] .chart').waitFor();
    });

    it('Librarians explains why one cannot answer, and offers no question for it', async () => {
      const page = await using().open('/');
      const unavailable = 'no <b>database</b> is bound';
      await page.route('**/v1/librarians', async (route) => {
        const response = await route.fetch();
        const { librarians } = await response.json();
        const json = { librarians: [{ ...librarians[0], unavailable }] };
        await route.fulfill({ response, json });
      });
      await page.goto(new URL('/librarians', page.url()).href);
      const card = page.locator('.card');
      await card.getByText(unavailable).waitFor();
      expect(await card.textContent()).toContain('cannot answer');
      expect(await card.getByRole('link').count()).toBe(0);
    });

    it('Intents lists the taxonomy and recognises the intent of a message', async () => {
      const { product, open } = using();
      const { intents } = Taxonomy.parse((await (await product.fetch('/v1/support/taxonomy')).json()).taxonomy);
      const page = await open('/intents');
      await page.getByText(`${intents.length} rows`).waitFor();
      await page.getByRole('button', { name: 'Recognise the intent' }).click();
      expect(await page.getByRole('alert').textContent()).toBe('Enter a message.');
      await page.getByLabel('Message of the customer').fill('My Apollo III shows 0 H/s since yesterday');
      await page.getByRole('button', { name: 'Recognise the intent' }).click();
      const read = page.locator('.classification li').first();
      expect(await read.textContent()).toMatch(/^not_hashing \d+%$/);
      expect(await violationsOf(page, 'light')).toEqual([]);
      expect(await violationsOf(page, 'dark')).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await overflowOf(page)).toEqual([]);
    });

    it('Intents lists how well each is recognised, the worst first', async () => {
      const { product, open } = using();
      const page = await open('/intents');
      await page.getByRole('button', { name: 'Measure the accuracy' }).click();
      const accuracy = TaxonomyAccuracy.parse(await (await product.fetch('/v1/support/taxonomy/accuracy')).json());
      await page
        .getByText(new RegExp(`of ${accuracy.examples.toLocaleString('en')} examples are recognised`))
        .waitFor();
      const [worst] = accuracy.intents.toSorted(
        (one, other) => one.right / one.examples - other.right / other.examples,
      );
      const row = page.locator('tbody tr').first();
      const percent = `${Math.round((100 * (worst?.right ?? 0)) / (worst?.examples ?? 1))}%`;
      expect(await row.textContent()).toContain(`${worst?.intent}`);
      expect(await row.textContent()).toContain(percent);
      expect(await row.textContent()).toContain(`else taken for ${worst?.taken_for[0]?.intent}`);
      expect(await violationsOf(page, 'light')).toEqual([]);
      expect(await violationsOf(page, 'dark')).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await overflowOf(page)).toEqual([]);
    });

    it('Settings shows the adapters, a failing connection, and the capabilities of the key', async () => {
      const key = 'ck_settings_0123456789abcdef';
      await grant(using().product, key, { capabilities: ['kb:read', 'sql:read'] });
      const page = await using().open('/settings', { key });
      const facts = page.locator('.facts-list');
      await facts.nth(1).getByText('sql:read').waitFor();
      expect(await facts.nth(1).textContent()).toMatch(/rightskb:readsql:readworkspacesdefaultrequestsunlimited/);
      const { adapters } = await (await using().product.fetch('/healthz')).json();
      for (const [role, adapter] of Object.entries(adapters))
        expect(await facts.first().textContent()).toContain(`${role}${adapter}`);
      expect(await page.getByRole('navigation').getByRole('link', { name: 'API' }).getAttribute('href')).toBe('/docs');
      expect(await violationsOf(page, 'light')).toEqual([]);
      expect(await violationsOf(page, 'dark')).toEqual([]);
      await page.route('**/healthz', async (route) => {
        const response = await route.fetch();
        const helpdesks = { connections: 2, misconfigured: ['zammad'] };
        await route.fulfill({ response, json: { ...(await response.json()), status: 'degraded', helpdesks } });
      });
      await page.reload();
      await page.getByText('Connections to helpdesks that cannot be used: zammad.').waitFor();
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await overflowOf(page)).toEqual([]);
      await page.getByRole('navigation').getByRole('link', { name: 'API' }).click();
      await page.waitForURL('**/docs');
    });
  });
