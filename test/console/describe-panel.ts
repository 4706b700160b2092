import type { FrameLocator, Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TicketDraft, TicketOutcomes } from '../../src/contract/tickets.ts';
import { grant, send } from '../functions/product-for-test.ts';
import { overflowOf, violationsOf } from './accessibility.ts';
import type { ConsoleForTest } from './console-for-test.ts';

const KEY = 'ck_reads-tickets-and-nothing-else';

/** The panel in the frame of a helpdesk's page of another origin. */
export const describePanel = (using: () => ConsoleForTest) =>
  describe('the panel beside a ticket', () => {
    let problems: string[];
    let opened: Page[];
    beforeEach(async () => {
      problems = [];
      opened = [];
      await grant(using().product, KEY, { capabilities: ['helpdesk:read'] });
    });
    afterEach(async () => {
      await Promise.all(opened.map((page) => page.context().close()));
      expect(problems).toEqual([]);
    });

    const openBeside = async (helpdesk: string, ticketId: string): Promise<{ page: Page; panel: FrameLocator }> => {
      const { browser, agentPage, product } = using();
      const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 400, height: 950 } });
      const page = await context.newPage();
      opened.push(page);
      page.on('pageerror', ({ message }) => problems.push(message));
      page.on('console', (line) => void (line.type() === 'error' && problems.push(line.text())));
      await page.goto(agentPage.urlOf(new URL(`/panel/${helpdesk}`, product.url).href, ticketId));
      return { page, panel: page.frameLocator('iframe') };
    };
    const signIn = async (panel: FrameLocator): Promise<void> => {
      await panel.getByLabel('API key').fill(KEY);
      await panel.getByRole('button', { name: 'Sign in' }).click();
    };
    const draftOf = async (helpdesk: string, ticketId: string) => {
      const route = `GET /v1/support/tickets/draft?helpdesk=${helpdesk}&ticket_id=${ticketId}`;
      await expect
        .poll(async () => (await send(using().product, route, undefined, KEY)).status, { timeout: 15_000 })
        .toBe(200);
      return TicketDraft.parse(await (await send(using().product, route, undefined, KEY)).json());
    };

    it('shows the draft of a Zendesk ticket with its evidence, inserts it with one click, and takes feedback', async () => {
      const { zendesk } = using().helpdesks.desks;
      const { ticketId } = zendesk.createTicket({ message: 'How do I reset the dashboard password?' });
      const draft = await draftOf('zendesk', ticketId);
      const { page, panel } = await openBeside('zendesk', ticketId);
      await signIn(panel);
      const sentence = panel.getByRole('listitem').filter({ hasText: 'button for 5 seconds' }).first();
      await sentence.locator('summary').click();
      expect((await sentence.locator('.quote').allTextContents()).join(' ')).toContain('button for 5 seconds');
      const shown = await panel.locator('.sentences summary').allTextContents();
      expect(shown.some((source, at) => source === shown[at - 1])).toBe(false);
      expect(await sentence.getByRole('link').getAttribute('href')).toContain('https://docs.example.com/dashboard/');
      await panel.getByRole('button', { name: 'Insert into the reply' }).click();
      await panel.getByText('Inserted.').waitFor();
      expect(await page.locator('output').textContent()).toBe(draft.text);
      await panel.getByRole('button', { name: 'This did not help' }).click();
      await panel.getByLabel('In one sentence (optional)').fill('It misses the <b>old</b> model.');
      await panel.getByRole('button', { name: 'Send' }).click();
      await panel.getByText('Noted, thank you').waitFor();
      const feedback = { value: 'down', comment: 'It misses the <b>old</b> model.' };
      expect((await draftOf('zendesk', ticketId)).feedback).toEqual(feedback);
      const frame = page.frames()[1];
      if (frame === undefined) throw new Error('The panel is in no frame');
      expect(frame.url()).not.toContain(KEY);
      expect(await frame.evaluate(() => JSON.stringify(localStorage) + document.cookie)).not.toContain(KEY);
      expect(await violationsOf(page, 'light', frame)).toEqual([]);
      expect(await violationsOf(page, 'dark', frame)).toEqual([]);
      expect(await overflowOf(frame)).toEqual([]);
    });

    it('shows the conversation of Chatwoot, changes to another one with the agent, and keeps hostile texts inert', async () => {
      const { chatwoot } = using().helpdesks.desks;
      const first = chatwoot.createTicket({ message: 'How do I reset the dashboard password?' }).ticketId;
      const second = chatwoot.createTicket({ message: 'What does error E30 mean?' }).ticketId;
      await draftOf('chatwoot', first);
      await draftOf('chatwoot', second);
      const { page, panel } = await openBeside('chatwoot', first);
      await signIn(panel);
      const sentences = panel.locator('.sentences > li > p');
      await sentences.filter({ hasText: 'button for 5 seconds' }).waitFor();
      expect(await panel.getByRole('button', { name: 'Insert into the reply' }).count()).toBe(0);
      expect(await panel.getByRole('button', { name: 'Copy the draft' }).count()).toBe(1);
      // A function of the helpdesk's page.
      const openTicket = (id: string) =>
        page.evaluate((ticket) => (window as unknown as { openTicket(id: string): void }).openTicket(ticket), id);
      const hostile = '<img src=x onerror="alert(1)"> E30';
      await page.route('**/v1/support/tickets/draft?*', async (route) => {
        const response = await route.fetch();
        if (response.status() !== 200) return route.fulfill({ response });
        const evidence = [{ title: hostile, url: 'javascript:alert(1)', quote: hostile }];
        const draft = TicketDraft.parse(await response.json());
        const row = [
          {
            title: 'Codes',
            url: 'https://docs.example.com/codes',
            quote: '| E30 | <b>fan</b> |\n|---|---|\n| E31 | a \\| b |',
          },
        ];
        const sentences = [
          { text: hostile, evidence },
          { text: 'One.', evidence: row },
          { text: 'Two.', evidence: row },
        ];
        await route.fulfill({ response, json: { ...draft, risks: [hostile], sentences } });
      });
      await openTicket(second);
      await sentences.filter({ hasText: hostile }).waitFor();
      for (const summary of await panel.locator('summary').all()) await summary.click();
      expect(await panel.locator('.panel img, .panel a:not([href^="https://docs.example.com/codes"])').count()).toBe(0);
      expect(await panel.locator('li', { hasText: 'Two.' }).locator('p').first().textContent()).toBe('One.');
      expect(await panel.locator('.quote td').allTextContents()).toEqual(['E30', '<b>fan</b>', 'E31', 'a | b']);
      expect(await panel.getByText('button for 5 seconds').count()).toBe(0);
      await openTicket('999999');
      await panel.getByText('There is no draft for this ticket').waitFor();
      problems = problems.filter((problem) => !/404/.test(problem));
    });

    it('may be framed only by the configured helpdesks, and its key has no other capability', async () => {
      const { product, agentPage } = using();
      const policyOf = async (path: string) =>
        (await fetch(new URL(path, product.url), { headers: { accept: 'text/html' } })).headers.get(
          'content-security-policy',
        );
      expect(await policyOf('/panel/zendesk')).toContain(`frame-ancestors ${agentPage.origin};`);
      expect(await policyOf('/panel/zendesk')).toContain("trusted-types 'none'");
      expect(await policyOf('/')).toContain("frame-ancestors 'none'");
      expect((await send(product, 'GET /v1/support/tickets?state=all', undefined, KEY)).status).toBe(401);
      expect((await send(product, 'POST /v1/ask', { query: 'What does error E30 mean?' }, KEY)).status).toBe(401);
      const unknown = await send(
        product,
        'GET /v1/support/tickets/draft?helpdesk=zendesk&ticket_id=none-such',
        undefined,
        KEY,
      );
      expect(unknown.status).toBe(404);
    });

    it('records from sent replies how drafts were used, without their text', async () => {
      const { product, helpdesks } = using();
      const { chatwoot, zendesk } = helpdesks.desks;
      const outcomes = async () =>
        TicketOutcomes.parse(await (await send(product, 'GET /v1/support/tickets/outcomes', undefined, KEY)).json());
      const sumOf = async () => {
        const { intents } = await outcomes();
        const sum = (name: 'kept' | 'edited' | 'discarded') => intents.reduce((all, each) => all + each[name], 0);
        return [sum('kept'), sum('edited'), sum('discarded')];
      };
      const first = zendesk.createTicket({ message: 'How do I reset the dashboard password?' }).ticketId;
      const second = chatwoot.createTicket({ message: 'How do I reset the dashboard password?' }).ticketId;
      const third = chatwoot.createTicket({ message: 'How do I reset the dashboard password?' }).ticketId;
      const { text } = await draftOf('zendesk', first);
      await draftOf('chatwoot', second);
      await draftOf('chatwoot', third);
      zendesk.addAgentReply(first, text);
      await expect.poll(sumOf, { timeout: 10_000 }).toEqual([1, 0, 0]);
      chatwoot.addAgentReply(second, text.split('\n').slice(0, -8).join('\n'));
      await expect.poll(sumOf, { timeout: 10_000 }).toEqual([1, 1, 0]);
      chatwoot.addAgentReply(third, 'Please call us.');
      await expect.poll(sumOf, { timeout: 10_000 }).toEqual([1, 1, 1]);
      const page = await using().open('/tickets');
      const row = page
        .getByRole('table', { name: 'What agents made of drafts' })
        .getByRole('row', { name: /^login_issue/ });
      expect(await row.textContent()).toMatch(/login_issue11101/);
      const { intents, articles } = await outcomes();
      expect(intents.map(({ intent }) => intent)).toEqual(['login_issue']);
      expect(articles[0]).toMatchObject({ url: expect.stringContaining('/dashboard/'), kept: 1, edited: 1 });
      expect((await send(product, `DELETE /v1/support/tickets/draft?helpdesk=zendesk&ticket_id=${first}`)).status).toBe(
        204,
      );
      expect(await sumOf()).toEqual([0, 1, 1]);
    });

    it('erases the draft of a ticket with its feedback', async () => {
      const { chatwoot } = using().helpdesks.desks;
      const { ticketId } = chatwoot.createTicket({ message: 'What does error E30 mean?' });
      await draftOf('chatwoot', ticketId);
      const place = `/v1/support/tickets/draft?helpdesk=chatwoot&ticket_id=${ticketId}`;
      expect((await send(using().product, `DELETE ${place}`, undefined, KEY)).status).toBe(401);
      expect((await send(using().product, `DELETE ${place}`)).status).toBe(204);
      expect((await send(using().product, `GET ${place}`)).status).toBe(404);
    });
  });
