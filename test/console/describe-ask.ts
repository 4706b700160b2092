import { describe, expect, it } from 'vitest';
import { askIn, type ConsoleForTest } from './console-for-test.ts';

export const describeAsk = (using: () => ConsoleForTest) =>
  describe('the view Ask', () => {
    it('shows statements with their evidence, and keeps them over a reload and going back', async () => {
      const page = await using().open('/');
      expect(new URL(page.url()).hash).toBe('');
      await askIn(page, 'How do I reset the dashboard password?');
      const statement = page.locator('.statement').first();
      await statement.getByRole('button', { name: /supported/ }).click();
      const evidence = statement.getByRole('region', { name: 'Evidence of statement 1' });
      expect(await evidence.locator('.quote').first().textContent()).toContain('Only the password and the API tokens');
      expect(await evidence.getByRole('link', { name: 'open there' }).first().getAttribute('href')).toContain(
        'https://docs.example.com/dashboard/log-in-and-password-reset#:~:text=',
      );
      expect(await evidence.locator('mark').allTextContents()).toContain('password');
      const address = page.url();
      await page.reload();
      expect(await page.locator('.statement').first().textContent()).toContain('Reset the password');
      await page.getByRole('button', { name: 'New conversation' }).click();
      expect(await page.locator('.turn').count()).toBe(0);
      await page.goBack();
      expect(page.url()).toBe(address);
      expect(await page.locator('.turn').count()).toBe(1);
    });
  });
