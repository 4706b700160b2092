import type { FrameLocator, Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { TicketDraft, TicketOutcomes } from '../../../src/contract/wire/tickets.ts';
import { grant, send } from '../../functions/product-for-test.ts';
import { expectAccessible, expectToFit } from './accessibility.ts';
import { agentPage, helpdesks, newPage, open, product, read } from './console-for-test.ts';

const KEY = 'ck_reads-tickets-and-nothing-else';
const RESET = 'How do I reset the dashboard password?';
const E30 = 'What does error E30 mean?';

/** Drafts that agents sent unchanged, changed and discarded, of all intents. */
const countsOf = (intents: TicketOutcomes['intents']): number[] =>
  (['kept', 'edited', 'discarded'] as const).map((name) =>
    intents.reduce((sum, each) => sum + each[name], 0),
  );

/** The panel in the frame of a helpdesk's page of another origin. */
describe('the panel beside a ticket', () => {
  beforeEach(() => grant(product, KEY, { capabilities: ['helpdesk:read'] }));

  /** Opens the panel beside a ticket, signed in. */
  const openBeside = async (
    helpdesk: string,
    ticketId: string,
    expected?: RegExp,
  ): Promise<{ page: Page; panel: FrameLocator }> => {
    const page = await newPage({ viewport: { width: 400, height: 950 }, expected });
    await page.goto(agentPage.urlOf(new URL(`/panel/${helpdesk}`, product.url).href, ticketId));
    const panel = page.frameLocator('iframe');
    await panel.getByLabel('API key').fill(KEY);
    await panel.getByRole('button', { name: 'Sign in' }).click();
    return { page, panel };
  };
  const routeOf = (helpdesk: string, ticketId: string) =>
    `/v1/support/tickets/draft?helpdesk=${helpdesk}&ticket_id=${ticketId}`;
  const get = (path: string) => send(product, `GET ${path}`, undefined, KEY);
  const draftOf = async (helpdesk: string, ticketId: string) => {
    const route = routeOf(helpdesk, ticketId);
    await expect.poll(async () => (await get(route)).status, { timeout: 60_000 }).toBe(200);
    return TicketDraft.parse(await (await get(route)).json());
  };
  /** A new ticket with a draft. */
  const ticketWithDraft = async (helpdesk: 'chatwoot' | 'zendesk', message: string) => {
    const { ticketId } = helpdesks.desks[helpdesk].createTicket({ message });
    return { ticketId, draft: await draftOf(helpdesk, ticketId) };
  };

  it('shows the draft of a Zendesk ticket with its evidence, inserts it with one click, and takes feedback', async () => {
    const { ticketId, draft } = await ticketWithDraft('zendesk', RESET);
    const { page, panel } = await openBeside('zendesk', ticketId);
    // The draft has its steps as a list, and each article once below it.
    await panel
      .locator('.draft')
      .getByRole('listitem')
      .filter({ hasText: 'button for 5 seconds' })
      .first()
      .waitFor();
    const article = panel.locator('.draft-sources details').first();
    await article.locator('summary').click();
    expect((await panel.locator('.quote').allTextContents()).join(' ')).toContain(
      'button for 5 seconds',
    );
    const shown = await panel.locator('.draft-sources summary').allTextContents();
    expect(new Set(shown).size).toBe(shown.length);
    expect(await article.getByRole('link').last().getAttribute('href')).toContain(
      'https://docs.example.com/dashboard/',
    );
    await article.getByText('word for word in the article').first().waitFor();
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
    expect(
      await frame.evaluate(() => JSON.stringify(localStorage) + document.cookie),
    ).not.toContain(KEY);
    await expectAccessible(page, { frame });
    await expectToFit(frame);
  });

  it('shows the conversation of Chatwoot, changes to another one with the agent, and keeps hostile texts inert', async () => {
    const first = await ticketWithDraft('chatwoot', RESET);
    const second = await ticketWithDraft('chatwoot', E30);
    const { page, panel } = await openBeside('chatwoot', first.ticketId, /404/);
    const draft = panel.locator('.draft');
    await draft.getByText('button for 5 seconds').first().waitFor();
    expect(await panel.getByRole('button', { name: 'Insert into the reply' }).count()).toBe(0);
    expect(await panel.getByRole('button', { name: 'Copy the draft' }).count()).toBe(1);
    // A function of the helpdesk's page.
    const openTicket = (id: string) =>
      page.evaluate(
        (ticket) => (window as unknown as { openTicket(id: string): void }).openTicket(ticket),
        id,
      );
    const hostile = '<img src=x onerror="alert(1)"> E30';
    const quote = '| E30 | <b>fan</b> |\n|---|---|\n| E31 | a \\| b |';
    const row = [{ title: 'Codes', url: 'https://docs.example.com/codes', quote }];
    await page.route('**/v1/support/tickets/draft?*', async (route) => {
      const response = await route.fetch();
      if (response.status() !== 200) return route.fulfill({ response });
      const replaced = [
        {
          text: hostile,
          evidence: [{ title: hostile, url: 'javascript:alert(1)', quote: hostile }],
        },
        { text: 'One.', evidence: row },
        { text: 'Two.', evidence: row },
      ];
      const changes = {
        risks: [hostile],
        sentences: replaced,
        markdown: `## A\n\n1. ${hostile}\n2. \`code\``,
      };
      await route.fulfill({ response, json: { ...(await response.json()), ...changes } });
    });
    await openTicket(second.ticketId);
    await draft.getByText(hostile).waitFor();
    expect(await draft.locator('h2, li, code').allTextContents()).toEqual([
      'A',
      hostile,
      'code',
      'code',
    ]);
    for (const summary of await panel.locator('summary').all()) await summary.click();
    expect(
      await panel
        .locator('.panel img, .panel a:not([href^="https://docs.example.com/codes"])')
        .count(),
    ).toBe(0);
    expect(await panel.locator('.quote :is(th, td)').allTextContents()).toEqual([
      'E30',
      '<b>fan</b>',
      'E31',
      'a | b',
    ]);
    expect(await panel.getByText('button for 5 seconds').count()).toBe(0);
    await openTicket('999999');
    await panel.getByText('There is no draft for this ticket').waitFor();
  });

  it.each([
    ['/panel/zendesk', () => `frame-ancestors ${agentPage.origin};`],
    ['/panel/zendesk', () => "trusted-types 'none'"],
    ['/', () => "frame-ancestors 'none'"],
  ])('may be framed only by the configured helpdesks: %s', async (path, policy) => {
    const { headers } = await fetch(new URL(path, product.url), {
      headers: { accept: 'text/html' },
    });
    expect(headers.get('content-security-policy')).toContain(policy());
  });

  it.each([
    ['lists no tickets', 'GET /v1/support/tickets?state=all', undefined, 401],
    ['asks no questions', 'POST /v1/ask', { query: E30 }, 401],
    ['erases no draft', `DELETE ${routeOf('zendesk', '1')}`, undefined, 401],
    ['reads that there is no draft', `GET ${routeOf('zendesk', 'none-such')}`, undefined, 404],
  ])('has a key that %s', async (_, route, body, status) => {
    expect((await send(product, route, body, KEY)).status).toBe(status);
  });

  it('records from sent replies how drafts were used, until a draft is erased', async () => {
    const { chatwoot, zendesk } = helpdesks.desks;
    const outcomes = async () =>
      TicketOutcomes.parse(await (await get('/v1/support/tickets/outcomes')).json());
    const before = await outcomes();
    /** Drafts kept, edited and discarded since this test began. */
    const sums = async () => {
      const { intents } = await outcomes();
      return countsOf(intents).map((count, at) => count - (countsOf(before.intents)[at] ?? 0));
    };
    const first = await ticketWithDraft('zendesk', RESET);
    const [second, third] = [
      await ticketWithDraft('chatwoot', RESET),
      await ticketWithDraft('chatwoot', RESET),
    ];
    const { text } = first.draft;
    zendesk.addAgentReply(first.ticketId, text);
    await expect.poll(sums, { timeout: 60_000 }).toEqual([1, 0, 0]);
    chatwoot.addAgentReply(second.ticketId, text.split('\n').slice(0, -8).join('\n'));
    await expect.poll(sums, { timeout: 60_000 }).toEqual([1, 1, 0]);
    chatwoot.addAgentReply(third.ticketId, 'Please call us.');
    await expect.poll(sums, { timeout: 60_000 }).toEqual([1, 1, 1]);
    const table = (await open('/tickets')).getByRole('table', {
      name: 'What agents made of drafts',
    });
    const { intents, articles } = await read(TicketOutcomes, '/v1/support/tickets/outcomes');
    expect(intents.map(({ intent }) => intent)).toEqual(['login_issue']);
    expect(intents[0]?.down).toBeGreaterThan(0);
    const cells = [...countsOf(intents), intents[0]?.up, intents[0]?.down];
    expect(await table.getByRole('row', { name: /^Login/ }).textContent()).toMatch(
      new RegExp(`^\\D+${cells.join('')}\\d+%`),
    );
    const url = articles[0]?.url;
    expect(url).toContain('/dashboard/');
    const earlier = before.articles.filter((each) => each.url === url);
    expect(articles[0]).toMatchObject({
      kept: (earlier[0]?.kept ?? 0) + 1,
      edited: (earlier[0]?.edited ?? 0) + 1,
    });
    const route = routeOf('zendesk', first.ticketId);
    expect((await send(product, `DELETE ${route}`)).status).toBe(204);
    expect([(await get(route)).status, await sums()]).toEqual([404, [0, 1, 1]]);
  });
});
