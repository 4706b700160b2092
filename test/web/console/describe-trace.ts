import { describe, expect, it } from 'vitest';
import { expectAccessible } from './accessibility.ts';
import { openAndAsk, product } from './console-for-test.ts';

describe('the views Trace and Why', () => {
  it('Trace shows narrowed capabilities and budget, and verifies a receipt in the browser', async () => {
    const page = await openAndAsk(
      'How many iPhone 17 are in stock and what does the warranty cover?',
    );
    await page.getByRole('button', { name: 'Trace' }).click();
    const row = page.getByRole('row', { name: /analytics/ });
    expect(await row.textContent()).toMatch(/sql:read.*calls.*tokens.*verified/);
    expect(await page.getByRole('row', { name: /semantic/ }).textContent()).not.toContain(
      'sql:read',
    );
    await row.getByRole('button').click();
    await page.getByRole('button', { name: 'Verify in this browser' }).click();
    await page.getByText('The signature is valid.').waitFor();
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain(`${product.url.origin}/v1/ask`);
    expect(copied).not.toContain(product.key);
    expect(await row.first().textContent()).toMatch(/\d calls?, [\d,]+ tokens/);
    expect(await page.locator('.details dl').first().textContent()).toMatch(/Spentnothing/);
    await expectAccessible(page, { width: 390 });
    const address = page.url();
    await page.reload();
    await row.waitFor();
    expect(page.url()).toBe(address);
  });

  it('a changed receipt is invalid', async () => {
    const page = await openAndAsk('How loud is the Apollo III in Turbo mode?');
    await page.evaluate(() => {
      const answers = JSON.parse(sessionStorage.getItem('constellation.answers') ?? '[]');
      const [hop] = answers[0].response.metadata.trace.hops;
      const [header, payload, signature] = hop.receipt.split('.');
      hop.receipt = `${header}.${btoa(atob(payload).replace('"st":200', '"st":201'))}.${signature}`;
      sessionStorage.setItem('constellation.answers', JSON.stringify(answers));
    });
    await page.reload();
    await page.getByRole('button', { name: 'Trace' }).click();
    await page
      .getByRole('row', { name: /navigator/ })
      .getByRole('button')
      .click();
    await page.getByRole('button', { name: 'Verify in this browser' }).click();
    await page.getByText('The signature is not valid.').waitFor();
  });

  it('Why shows the basis of the confidence, and found and cited passages', async () => {
    const page = await openAndAsk('How do I reset the dashboard password?');
    await page.getByRole('button', { name: 'Why' }).click();
    const passages = page.getByRole('region', { name: 'What the search finds' });
    await passages.getByText('cited').first().waitFor();
    expect(await page.locator('.why').textContent()).toMatch(/Confidence \d+.*starts from/);
    expect(await passages.getByRole('row').nth(1).textContent()).toMatch(/password.*cited.*%/);
    await expectAccessible(page);
  });
});
