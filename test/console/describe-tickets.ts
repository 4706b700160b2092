import { describe, expect, it } from 'vitest';
import { TicketsResponse } from '../../src/contract/tickets.ts';
import { grant } from '../functions/product-for-test.ts';
import { overflowOf, violationsOf } from './accessibility.ts';
import type { ConsoleForTest } from './console-for-test.ts';

export const describeTickets = (using: () => ConsoleForTest) =>
  describe('the view Tickets', () => {
    it('shows the note for a message and why another one failed, and retries that one until it has a note', async () => {
      const { helpdesks, open } = using();
      const { chatwoot } = helpdesks.desks;
      const done = chatwoot.createTicket({ message: 'How do I reset the dashboard password?' }).ticketId;
      const page = await open('/tickets');
      const rowOf = (ticket: string) => page.getByRole('row', { name: new RegExp(`^${ticket} chatwoot`) });
      await rowOf(done).getByText('note').waitFor();
      helpdesks.faults.next(1, { kind: 'status', status: 401 }, '/chatwoot');
      const dead = chatwoot.createTicket({ message: 'My Apollo shows 0 H/s.' }).ticketId;
      const jobOf = async (ticket: string) => {
        const response = await using().product.fetch(`/v1/support/tickets?ticket_id=${ticket}`);
        return TicketsResponse.parse(await response.json()).tickets[0]?.state;
      };
      await expect.poll(() => jobOf(dead), { timeout: 15_000 }).toBe('dead');
      await page.getByRole('combobox', { name: 'State' }).selectOption('failed');
      expect(new URL(page.url()).search).toBe('?state=dead');
      await rowOf(done).waitFor({ state: 'detached' });
      await rowOf(dead).waitFor();
      expect(await rowOf(dead).textContent()).toMatch(/failed.*1.*401/);
      expect(chatwoot.notes(dead)).toEqual([]);
      expect(await violationsOf(page, 'light')).toEqual([]);
      expect(await violationsOf(page, 'dark')).toEqual([]);
      await rowOf(dead)
        .getByRole('button', { name: `Replay ticket ${dead}` })
        .press('Enter');
      await page.getByText('1 message is retried.').waitFor();
      await page.getByRole('combobox', { name: 'State' }).selectOption('all');
      await rowOf(dead).getByText('note').waitFor();
      expect(chatwoot.notes(dead)).toHaveLength(1);
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await overflowOf(page)).toEqual([]);
    });

    it('shows which connection fails, finds a ticket by its id, and reports when there is none', async () => {
      const { helpdesks, open } = using();
      const { ticketId } = helpdesks.desks.zendesk.createTicket({ message: 'What does error E30 mean?' });
      const page = await open('/');
      await page.route('**/v1/support/tickets?*', async (route) => {
        const response = await route.fetch();
        const reply = TicketsResponse.parse(await response.json());
        const zammad = {
          helpdesk: 'zammad',
          problem: 'its secret is <b>not</b> set',
          refused: 2,
          last_refused_at: null,
        };
        await route.fulfill({ response, json: { ...reply, helpdesks: [...reply.helpdesks, zammad] } });
      });
      await page.goto(new URL(`/tickets?helpdesk=zendesk&ticket_id=${ticketId}`, page.url()).href);
      const connections = page.getByRole('list', { name: 'Connected helpdesks' });
      expect(await connections.getByRole('listitem').filter({ hasText: 'zammad' }).textContent()).toMatch(
        /cannot be used.*its secret is <b>not<\/b> set.*2 deliveries refused/,
      );
      expect(await connections.getByRole('listitem').filter({ hasText: 'chatwoot' }).textContent()).toContain(
        'chatwoot connected',
      );
      await page.getByLabel('Ticket', { exact: true }).fill('no-such-ticket');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'No ticket fits' }).waitFor();
      await page.getByRole('button', { name: 'Show all' }).click();
      await page.getByRole('row', { name: new RegExp(`^${ticketId} zendesk`) }).waitFor();
      expect(new URL(page.url()).search).toBe('');
    });

    it('analyses a message: intent, draft with its articles, and guidance; a reload keeps the input', async () => {
      const page = await using().open('/tickets/analyse');
      await page.getByRole('button', { name: 'Analyse' }).click();
      expect(await page.getByRole('alert').textContent()).toBe('Enter a message.');
      const message = page.getByLabel('Message of the customer');
      await message.fill('My Apollo III shows 0 H/s for 3 days. There is smoke coming out of it!');
      await page.getByLabel('Name (optional)').fill('Dana <b>Whitfield</b>');
      await page.getByRole('button', { name: 'Analyse' }).click();
      const analysis = page.locator('.analysis');
      await analysis.waitFor();
      expect(await analysis.textContent()).toMatch(
        /Draft.*Not sent automatically.*Articles.*Intent.*not_hashing.*%.*danger: smoke.*Guidance/s,
      );
      expect(
        await analysis.locator('section').filter({ hasText: 'Articles' }).getByRole('link').count(),
      ).toBeGreaterThan(0);
      expect(await violationsOf(page, 'light')).toEqual([]);
      expect(await violationsOf(page, 'dark')).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await overflowOf(page)).toEqual([]);
      await page.reload();
      expect(await message.inputValue()).toContain('smoke');
    });

    it('explains which capability a key lacks, also in German', async () => {
      const key = 'ck_reads-articles-but-no-tickets';
      await grant(using().product, key, { capabilities: ['kb:read'] });
      const page = await using().open('/tickets', { key, locale: 'de-DE', expected: /403|401/ });
      expect(await page.getByText('helpdesk:write').textContent()).toContain('Das braucht das Recht');
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Tickets');
    });
  });
