import { describe, expect, it } from 'vitest';
import { AnswerStatistics } from '../../src/contract/answers.ts';
import { Inventory } from '../../src/contract/moving.ts';
import { ask, grant, send } from '../functions/product-for-test.ts';
import { overflowOf, violationsOf } from './accessibility.ts';
import type { ConsoleForTest } from './console-for-test.ts';

export const describeKnowledge = (using: () => ConsoleForTest) =>
  describe('the view Knowledge', () => {
    it('lists the articles of an intent, and searches their passages', async () => {
      const page = await using().open('/knowledge');
      await page.getByText('40 articles').waitFor();
      await page.getByLabel('Intent').fill('login_issue');
      await page.keyboard.press('Enter');
      await page.getByText('2 articles').waitFor();
      expect(new URL(page.url()).search).toBe('?intent=login_issue');
      await page.getByRole('button', { name: 'Clear' }).click();
      await page.getByLabel('Words').fill('reset the dashboard password');
      await page.keyboard.press('Enter');
      const found = page.getByRole('region', { name: 'Passages found' }).getByRole('row').nth(1);
      expect(await found.textContent()).toMatch(/Log in to the dashboard.*%/s);
      expect(await violationsOf(page, 'light')).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await overflowOf(page)).toEqual([]);
      await found.getByRole('link').click();
      await page.getByRole('heading', { level: 1, name: /Log in to the dashboard/ }).waitFor();
      const passage = page.getByRole('region', { name: 'Passages' }).getByRole('row').nth(1);
      await expect.poll(() => passage.textContent()).toMatch(/^[\d,]+–[\d,]+/);
      const [start = 0, end = 0] = ((await passage.textContent())?.match(/^[\d,]+–[\d,]+/)?.[0] ?? '')
        .split('–')
        .map((number) => Number(number.replaceAll(',', '')));
      const id = 'dashboard/log-in-and-password-reset.md';
      const { text } = (await (await send(using().product, `GET /api/kb/text/${id}`)).json()) as { text: string };
      expect(await passage.getByRole('paragraph').textContent()).toBe(text.slice(start, end));
      expect(await overflowOf(page)).toEqual([]);
      expect(await violationsOf(page, 'dark')).toEqual([]);
    });

    it('shows the changes of an edition by line, and publishes an earlier one again after confirmation', async () => {
      const { product, open } = using();
      const id = 'guides/editions-of-a-test.md';
      const text = (hours: string) => `# Hours\n\nWe answer on weekdays.\n\n- ${hours}\n`;
      for (const hours of ['9 to 5', '8 to <b>6</b>']) {
        const body = JSON.stringify({ title: 'Hours of a test', content: text(hours) });
        expect((await product.fetch(`/api/kb/articles/${id}`, { method: 'PUT', body })).ok).toBe(true);
        await product.sync({});
      }
      const page = await open('/knowledge');
      await page.getByRole('link', { name: 'Editions' }).click();
      const rows = page.getByRole('table', { name: 'Editions' }).getByRole('row');
      await rows.nth(2).waitFor();
      expect(await rows.nth(1).textContent()).toMatch(/current.*0 added, 1 changed, 0 removed/);
      expect(await violationsOf(page, 'light')).toEqual([]);
      const earlier = (await rows.nth(2).getByRole('link').textContent()) ?? '';
      await rows.nth(1).getByRole('link').click();
      await page.getByRole('link', { name: 'Show the difference' }).click();
      await page.locator('ins').waitFor();
      expect(await page.locator('del').allTextContents()).toEqual(['− - 9 to 5\n']);
      expect(await page.locator('ins').allTextContents()).toEqual(['+ - 8 to <b>6</b>\n']);
      expect(await page.getByRole('button', { name: 'Publish this edition again' }).count()).toBe(0);
      expect(await violationsOf(page, 'dark')).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await overflowOf(page)).toEqual([]);
      await page.goto(new URL(`/knowledge?edition=${earlier}`, product.url).href);
      await page.getByRole('button', { name: 'Publish this edition again' }).click();
      const dialog = page.getByRole('dialog');
      expect(await dialog.textContent()).toContain('The next sync publishes the sources again');
      await dialog.getByRole('button', { name: 'Publish this edition again' }).click();
      await expect.poll(() => new URL(page.url()).searchParams.get('edition'), { timeout: 20_000 }).not.toBe(earlier);
      await expect
        .poll(async () => (await (await product.fetch(`/api/kb/text/${id}`)).json()) as unknown, { timeout: 20_000 })
        .toMatchObject({ text: expect.stringContaining('9 to 5') });
      await product.fetch(`/api/kb/articles/${id}`, { method: 'DELETE' });
      await product.sync({ full: true });
    });

    it('lists suggestions for writers by kind, and at the article', async () => {
      const page = await using().open('/knowledge?health=all');
      const finding = page.locator('.findings > li').first();
      await finding.waitFor();
      const kind = (await finding.locator('.support').textContent())?.trim() ?? '';
      const title = (await finding.getByRole('link').first().textContent()) ?? '';
      await page.getByLabel('Kind').selectOption({ label: await optionOf(page, kind) });
      expect(await page.locator('.findings .support').allTextContents()).toContain(` ${kind}`);
      expect(new URL(page.url()).searchParams.get('health')).not.toBe('all');
      expect(await violationsOf(page, 'light')).toEqual([]);
      expect(await violationsOf(page, 'dark')).toEqual([]);
      await finding.getByRole('link').first().click();
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      await page.locator('.findings').getByText(kind).first().waitFor();
    });

    it('counts the answers that cite each article, leads to them, and lists those that none cites', async () => {
      const { product, open } = using();
      await ask(product, 'How do I clean the dust filter?');
      const read = async () =>
        AnswerStatistics.parse(await (await product.fetch('/v1/answers/statistics')).json()).articles;
      // Wait until the answers that are counted below are stored.
      const kept = async () => (await product.fetch('/v1/answers?text=dust+filter')).text();
      await expect.poll(kept).toContain('dust filter?');
      const page = await open('/knowledge');
      await page.getByRole('link', { name: 'Citations' }).click();
      await page.getByText(/^\d+ of 40 articles w(as|ere) cited/).waitFor();
      const inventory = Inventory.parse(await (await product.fetch('/api/kb/inventory')).json());
      // Articles that were deleted since are cited, but not listed.
      const cited = (await read()).filter(({ article }) => inventory.articles.some(({ id }) => id === article));
      const rows = page.locator('tbody tr');
      expect(await rows.count()).toBe(cited.length);
      const [most] = cited;
      expect(await rows.first().locator('td').nth(1).textContent()).toBe(`${most?.total}`);
      expect(await violationsOf(page, 'light')).toEqual([]);
      expect(await violationsOf(page, 'dark')).toEqual([]);
      await page.getByLabel('Articles').selectOption('never');
      await page.getByText(new RegExp(`^${40 - cited.length} of 40 articles were not cited`)).waitFor();
      for (const { title } of cited) expect(await page.getByRole('link', { name: title, exact: true }).count()).toBe(0);
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await overflowOf(page)).toEqual([]);
      await page.goBack();
      await page.goto(new URL('/knowledge?cited=most', page.url()).href);
      await rows.first().getByRole('link').nth(1).click();
      await page.getByText(new RegExp(`^${most?.total} answers?$`)).waitFor();
    });

    it('saves an article, keeps the input when that fails, and deletes it after confirmation', async () => {
      const page = await using().open('/knowledge?edit', { expected: /400|404/ });
      await page.getByRole('button', { name: 'Save' }).click();
      expect(await page.getByRole('alert').allTextContents()).toEqual([
        ...['Enter an id.', 'Enter a title.', 'Enter a text.'],
      ]);
      await page.getByLabel('Id', { exact: true }).fill('../bad');
      await page.getByLabel('Title').fill('Hanging the <b>Zephyr</b> on a wall');
      await page.getByLabel('Intents').fill('setup_help, wall');
      const text =
        '## Wall mount\n\nThe Zephyr hangs on two screws of 5 mm, 120 mm apart. ![x](https://evil.example/x.png)';
      await page.getByLabel('Markdown or HTML').fill(text);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').getByText('INVALID_QUERY').waitFor();
      await page.reload();
      expect(await page.getByLabel('Markdown or HTML').inputValue()).toBe(text);
      await page.getByRole('tab', { name: 'Preview' }).click();
      await page.getByRole('heading', { name: 'Wall mount' }).waitFor();
      await page.getByLabel('Id', { exact: true }).fill('setup/wall mount.md');
      expect(await violationsOf(page, 'light')).toEqual([]);
      expect(await violationsOf(page, 'dark')).toEqual([]);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { level: 1, name: 'Hanging the <b>Zephyr</b> on a wall' }).waitFor();
      expect(new URL(page.url()).searchParams.get('article')).toBe('setup/wall mount.md');
      await page.goto(new URL('/knowledge?intent=wall', page.url()).href);
      await page.getByRole('link', { name: /Zephyr/ }).click();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      expect((await send(using().product, 'GET /api/kb/articles/setup/wall%20mount.md')).status).toBe(200);
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('40 articles').waitFor();
      expect((await send(using().product, 'GET /api/kb/articles/setup/wall%20mount.md')).status).toBe(404);
    });

    it('does not overwrite a concurrent change', async () => {
      const { product, open } = using();
      const put = (title: string) =>
        send(product, 'PUT /api/kb/articles/shared.md', { title, content: 'Two people write this.' });
      await put('First');
      const page = await open('/knowledge?article=shared.md&edit');
      await page.getByLabel('Title').fill('Mine');
      await put('Theirs');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Somebody has changed this article').waitFor();
      expect(await page.getByLabel('Title').inputValue()).toBe('Mine');
      await page.getByRole('button', { name: 'Overwrite' }).click();
      await page.getByRole('heading', { level: 1, name: 'Mine' }).waitFor();
      await send(product, 'DELETE /api/kb/articles/shared.md');
    });

    it('explains the limits of a key without the capability', async () => {
      const key = 'ck_reads_no_articles';
      await grant(using().product, key, { capabilities: ['support:analyze'] });
      const page = await using().open('/knowledge', { key, expected: /401|403/ });
      await page.getByRole('heading', { name: 'Your key may not use this' }).waitFor();
      await expect.poll(() => page.getByText('kb:read').count()).toBeGreaterThan(0);
      const reader = 'ck_reads_but_not_writes';
      await grant(using().product, reader, { capabilities: ['kb:read'] });
      const read = await using().open('/knowledge', { key: reader });
      await read.getByText('40 articles').waitFor();
      expect(await read.getByRole('button', { name: 'New article' }).count()).toBe(0);
    });
  });

const optionOf = async (page: Parameters<typeof overflowOf>[0], kind: string): Promise<string> =>
  (await page.getByLabel('Kind').getByRole('option').allTextContents()).find((each) => each.startsWith(kind)) ?? '';
