import { describe, expect, it, vi } from 'vitest';
import { TicketsResponse } from '../../../src/contract/wire/tickets.ts';
import { expectAccessible, expectToFit } from './accessibility.ts';
import { changeReply, goTo, helpdesks, open, read } from './console-for-test.ts';

describe('the view Tickets', () => {
  it('opens a ticket: message, draft with its structure, what was sent and how it differs; takes a better draft', async () => {
    const { chatwoot } = helpdesks.desks;
    const hostile = '<img src=x onerror="alert(1)"> How do I reset the dashboard password?';
    const { ticketId } = chatwoot.createTicket({ message: hostile, subject: hostile });
    const page = await open('/tickets');
    const link = page.getByRole('link', { name: hostile }).first();
    await link.waitFor({ timeout: 60_000 });
    await page
      .getByRole('row', { name: new RegExp(`Chatwoot ${ticketId} .*draft ready`) })
      .waitFor({ timeout: 60_000 });
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectToFit(page);
    const overflow = await page
      .locator('.ticket-list .scrolls')
      .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(overflow).toBeLessThanOrEqual(0);
    const state = page.locator('.ticket-list .state-mark').first();
    expect((await state.boundingBox())?.height).toBeLessThan(30);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByLabel('Words of the message').fill('no such words anywhere');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No ticket fits' }).waitFor();
    await page.getByLabel('Words of the message').fill('DASHBOARD password');
    await page.keyboard.press('Enter');
    await link.press('Enter');
    await page.waitForURL(`**/tickets/chatwoot/${ticketId}`);
    await page.locator('.draft').getByRole('listitem').first().waitFor();
    expect(await page.locator('.said').textContent()).toBe(hostile);
    expect(await page.locator('main img').count()).toBe(0);
    await page.locator('.draft-sources summary').first().click();
    await page.getByText('word for word in the article').first().waitFor();
    await expectAccessible(page, { width: 390 });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Edit' }).click();
    const editor = page.getByLabel('Draft');
    const draft = await editor.inputValue();
    await editor.fill(`${draft}\n\n<b>Best wishes</b>`);
    await page.reload();
    await page.getByRole('button', { name: 'Edit' }).click();
    // What was typed survives.
    expect(await editor.inputValue()).toContain('<b>Best wishes</b>');
    await page.getByRole('button', { name: 'Send back as a better draft' }).click();
    await page.getByRole('heading', { name: 'How it should have been' }).waitFor();
    await page.getByText('Sent back. The customer has not got it').waitFor();
    await page.locator('.state-mark').getByText('better draft sent back').waitFor();
    expect(
      await page.getByRole('button', { name: 'This did not help', pressed: true }).count(),
    ).toBe(0);
    expect((await page.locator('.word-difference ins').allTextContents()).join('')).toContain(
      '<b>Best wishes</b>',
    );
    chatwoot.addAgentReply(ticketId, draft.replace('password', 'pass phrase'));
    const sent = async () => {
      await page.reload();
      await page.locator('.analysis').waitFor();
      return page.getByRole('heading', { name: 'What was sent, compared with the draft' }).count();
    };
    await expect.poll(sent, { timeout: 60_000 }).toBe(1);
    expect(await page.locator('.word-difference del').allTextContents()).toContain('password');
    // What the agent sent instead proposes an addition to the article, which a writer sees as a difference.
    await goTo(page, '/tickets/learning');
    const lesson = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('link', { name: hostile }) });
    await lesson.waitFor();
    // Texts are compared when somebody wants to see it.
    expect(await lesson.locator('.word-difference').count()).toBe(0);
    await lesson.getByText('Show the difference').click();
    await lesson.locator('.word-difference').waitFor();
    expect((await lesson.locator('.word-difference ins').allTextContents()).join('')).toContain(
      'pass phrase',
    );
    await expectAccessible(page, { width: 390 });
    await page.setViewportSize({ width: 1280, height: 800 });
    await lesson.getByRole('button', { name: 'Add to the article' }).click();
    await page.getByRole('heading', { name: 'What changes in the article' }).waitFor();
    expect((await page.locator('.diff ins').allTextContents()).join('')).toContain('pass phrase');
    expect(await page.locator('main img').count()).toBe(0);
    await goTo(page, '/tickets');
    await page.getByLabel('Reply').selectOption('draft sent with changes');
    await page.waitForURL('**/tickets?outcome=edited');
    await page.getByRole('link', { name: hostile }).first().waitFor();
    await page.getByLabel('Reply').selectOption('waits for a reply');
    await page.getByRole('link', { name: hostile }).first().waitFor({ state: 'detached' });
  });

  it('shows the note for a message and why another one failed, and retries that one until it has a note', async () => {
    const { chatwoot } = helpdesks.desks;
    const done = chatwoot.createTicket({
      message: 'How do I reset the dashboard password?',
    }).ticketId;
    const page = await open('/operations');
    const rowOf = (ticket: string) =>
      page.getByRole('row', { name: new RegExp(`^${ticket} Chatwoot`) });
    await rowOf(done).getByText('note').waitFor();
    helpdesks.faults.next(1, { kind: 'status', status: 401 }, '/chatwoot');
    const dead = chatwoot.createTicket({ message: 'My Apollo shows 0 H/s.' }).ticketId;
    const state = async () =>
      (await read(TicketsResponse, `/v1/support/tickets?ticket_id=${dead}`)).tickets[0]?.state;
    await expect.poll(state, { timeout: 60_000 }).toBe('dead');
    await page.getByRole('combobox', { name: 'State' }).selectOption('failed');
    expect(new URL(page.url()).search).toBe('?state=dead');
    await rowOf(done).waitFor({ state: 'detached' });
    await rowOf(dead).waitFor();
    expect(await rowOf(dead).textContent()).toMatch(/failed.*1.*401/);
    expect(chatwoot.notes(dead)).toEqual([]);
    await expectAccessible(page);
    await rowOf(dead)
      .getByRole('button', { name: `Replay ticket ${dead}` })
      .press('Enter');
    await page.getByText('1 message is retried.').waitFor();
    await page.getByRole('combobox', { name: 'State' }).selectOption('all');
    await rowOf(dead).getByText('note').waitFor();
    expect(chatwoot.notes(dead)).toHaveLength(1);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectToFit(page);
  });

  it('shows which connection fails, finds a ticket by its id, and reports when there is none', async () => {
    const { ticketId } = helpdesks.desks.zendesk.createTicket({
      message: 'What does error E30 mean?',
    });
    const page = await open('/ask');
    const problem = 'its secret is <b>not</b> set';
    await changeReply<TicketsResponse>(page, /support\/tickets\?/, ({ helpdesks: all }) => ({
      helpdesks: [...all, { helpdesk: 'zammad', problem, refused: 2, last_refused_at: null }],
    }));
    await goTo(page, `/tickets?helpdesk=zendesk&ticket_id=${ticketId}`);
    const connections = page
      .getByRole('list', { name: 'Connected helpdesks' })
      .getByRole('listitem');
    expect(await connections.filter({ hasText: 'zammad' }).textContent()).toMatch(
      /cannot be used.*its secret is <b>not<\/b> set.*2 deliveries refused/,
    );
    // Those that work are not listed.
    expect(await connections.filter({ hasText: 'chatwoot' }).count()).toBe(0);
    await page.getByLabel('Ticket', { exact: true }).fill('no-such-ticket');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No ticket fits' }).waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByRole('row', { name: new RegExp(`Zendesk ${ticketId}`) }).waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  it('analyses a message: intent, draft with its articles, and guidance; a reload keeps the input', async () => {
    const page = await open('/tickets/analyse');
    await page.getByRole('button', { name: 'Analyse' }).click();
    expect(await page.getByRole('alert').textContent()).toBe('Enter a message.');
    const message = page.getByLabel('Message of the customer');
    await message.fill('My Apollo III shows 0 H/s for 3 days. There is smoke coming out of it!');
    await page.getByLabel('Name (optional)').fill('Dana <b>Whitfield</b>');
    await page.getByRole('button', { name: 'Analyse' }).click();
    const analysis = page.locator('.analysis');
    await analysis.waitFor();
    // Intents have their titles once the taxonomy is there.
    await expect
      .poll(() => analysis.textContent())
      .toMatch(
        /Draft.*Not sent automatically.*Articles.*Intent.*Device is not hashing.*%.*danger: smoke.*Guidance/s,
      );
    const articles = analysis.locator('section').filter({ hasText: 'Articles' });
    // The first search after a start may be too late on a busy machine.
    await vi.waitUntil(
      async () => {
        if ((await articles.getByRole('link').count()) > 0) return true;
        await page.getByRole('button', { name: 'Analyse' }).click();
        return false;
      },
      { timeout: 60_000, interval: 1500 },
    );
    await expectAccessible(page, { width: 390 });
    await page.reload();
    expect(await message.inputValue()).toContain('smoke');
  });
});
