import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { LibrarianDirectory } from '../../../src/contract/core/librarian.ts';
import { Taxonomy, TaxonomyAccuracy } from '../../../src/contract/wire/taxonomy.ts';
import { grant } from '../../functions/product-for-test.ts';
import { expectAccessible, expectToFit } from './accessibility.ts';
import { changeReply, goTo, open, product, read } from './console-for-test.ts';

describe('the views Librarians, Intents and Settings', () => {
  it('Librarians shows health and capabilities, and links to a question for a librarian', async () => {
    const page = await open('/librarians');
    const card = page
      .getByRole('listitem')
      .filter({ has: page.locator('code', { hasText: /^analytics$/ }) });
    expect(await card.textContent()).toMatch(/ready.*Rights.*sql:read/);
    await expectAccessible(page, { width: 390 });
    await card.getByRole('link', { name: /^Ask this one/ }).press('Enter');
    await expect
      .poll(() => page.getByLabel('Librarian', { exact: true }).inputValue())
      .toBe('analytics');
    await page
      .getByLabel('Your question')
      .fill('How many iPhone 17 are in stock in each warehouse?');
    await page.keyboard.press('Enter');
    await page.locator('.turn[aria-busy="false"] .chart').waitFor();
  });

  it('Librarians explains why one cannot answer, and offers no question for it', async () => {
    const page = await open('/ask');
    const unavailable = 'no <b>database</b> is bound';
    await changeReply<LibrarianDirectory>(page, '**/v1/librarians', ({ librarians }) => ({
      librarians: [{ ...librarians[0], unavailable }],
    }));
    await goTo(page, '/librarians');
    const card = page.locator('.card');
    await card.getByText(unavailable).waitFor();
    expect(await card.textContent()).toContain('cannot answer');
    expect(await card.getByRole('link').count()).toBe(0);
  });

  it('Intents lists the taxonomy and recognises the intent of a message', async () => {
    const { taxonomy } = await read(z.object({ taxonomy: Taxonomy }), '/v1/support/taxonomy');
    const page = await open('/intents');
    await page.getByText(`${taxonomy.intents.length} rows`).waitFor();
    await page.getByRole('button', { name: 'Recognise the intent' }).click();
    expect(await page.getByRole('alert').textContent()).toBe('Enter a message.');
    await page
      .getByLabel('Message of the customer')
      .fill('My Apollo III shows 0 H/s since yesterday');
    await page.getByRole('button', { name: 'Recognise the intent' }).click();
    const intent = page.locator('.classification li').first();
    // By its title, once that is read.
    await expect.poll(() => intent.textContent()).toMatch(/^Device is not hashing \d+%$/);
    await expectAccessible(page, { width: 390 });
  });

  it('Intents lists how well each is recognised, the worst first', async () => {
    const page = await open('/intents');
    await page.getByRole('button', { name: 'Measure the accuracy' }).click();
    const accuracy = await read(TaxonomyAccuracy, '/v1/support/taxonomy/accuracy');
    const examples = accuracy.examples.toLocaleString('en');
    await page.getByText(new RegExp(`of ${examples} examples are recognised`)).waitFor();
    const [worst] = accuracy.intents.toSorted(
      (one, other) => one.right / one.examples - other.right / other.examples,
    );
    const row = page.locator('tbody tr').first();
    const percent = `${Math.round((100 * (worst?.right ?? 0)) / (worst?.examples ?? 1))}%`;
    for (const shown of [
      `${worst?.intent}`,
      percent,
      `else taken for ${worst?.taken_for[0]?.intent}`,
    ])
      expect(await row.textContent()).toContain(shown);
    await expectAccessible(page, { width: 390 });
  });

  it.each([
    ['en-GB', 'Audit log', /Deleted an article.*own\/audited\.md.*done/, 'API key'],
    [
      'de-DE',
      'Verwaltungsprotokoll',
      /Einen Artikel gelöscht.*own\/audited\.md.*erledigt/,
      'API-Schlüssel',
    ],
  ])(
    'the audit log shows who did what and when, to those who may read it: %s',
    async (locale, title, row, by) => {
      const path = '/api/kb/articles/own%2Faudited.md';
      const article = { title: 'Audited', content: 'The lamp is green.' };
      expect((await product.fetch(path, { method: 'PUT', body: JSON.stringify(article) })).ok).toBe(
        true,
      );
      expect((await product.fetch(path, { method: 'DELETE' })).status).toBe(204);
      const key = 'ck_audit_view_0123456789abcdef';
      await grant(product, key, { capabilities: ['audit:read'] });
      await expect
        .poll(async () => JSON.stringify(await (await product.fetch('/v1/audit')).json()), {
          timeout: 60_000,
        })
        .toContain('own/audited.md');
      const page = await open('/settings', { key, locale, expected: /401|403/ });
      await page.getByRole('main').getByRole('link', { name: title }).click();
      await page.getByRole('heading', { name: title }).waitFor();
      const shown = page
        .getByRole('table', { name: title })
        .locator('tbody tr')
        .filter({ hasText: 'own/audited.md' });
      expect(await shown.first().textContent()).toMatch(row);
      expect(await shown.first().textContent()).toMatch(/user:[0-9a-f]{16}/);
      expect(await shown.first().textContent()).toContain(by);
      await shown
        .getByText(title === 'Audit log' ? 'Saved an article' : 'Einen Artikel gespeichert')
        .first()
        .waitFor();
      expect(
        Date.parse((await shown.first().locator('time').getAttribute('datetime')) ?? ''),
      ).toBeGreaterThan(0);
      await expectAccessible(page, { width: 390 });
    },
  );

  it('the audit log is neither offered nor shown to a key without its right', async () => {
    const key = 'ck_no_audit_0123456789abcdef';
    await grant(product, key, { capabilities: ['kb:*', 'answers:*'] });
    const page = await open('/settings', { key, expected: /401|403/ });
    await page.locator('.facts-list:not(.prose)').nth(1).getByText('answers:*').waitFor();
    expect(await page.getByRole('main').getByRole('link', { name: 'Audit log' }).count()).toBe(0);
    await goTo(page, '/audit');
    await page.getByText('This needs the capability').filter({ hasText: 'audit:read' }).waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
  });

  it('Settings shows the adapters, a failing connection, and the capabilities of the key', async () => {
    const key = 'ck_settings_0123456789abcdef';
    await grant(product, key, { capabilities: ['kb:read', 'sql:read'] });
    const page = await open('/settings', { key });
    const facts = page.locator('.facts-list:not(.prose)');
    await facts.nth(1).getByText('sql:read').waitFor();
    expect(await facts.nth(1).textContent()).toMatch(
      /rightskb:readsql:readworkspacesdefaultrequestsunlimited/,
    );
    const { adapters } = await (await product.fetch('/healthz')).json();
    for (const [role, adapter] of Object.entries(adapters))
      expect(await facts.first().textContent()).toContain(`${role.replaceAll('_', ' ')}${adapter}`);
    expect(
      await page.getByRole('navigation').getByRole('link', { name: 'API' }).getAttribute('href'),
    ).toBe('/docs');
    await expectAccessible(page);
    const helpdesks = { connections: 2, misconfigured: ['zammad'] };
    await changeReply(page, '**/healthz', () => ({ status: 'degraded', helpdesks }));
    await page.reload();
    await page.getByText('Connections to helpdesks that cannot be used: zammad.').waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await expectToFit(page);
    await page.getByRole('navigation').getByRole('link', { name: 'API' }).click();
    await page.waitForURL('**/docs');
  });
});
