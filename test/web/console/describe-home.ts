import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { AnswersPage } from '../../../src/contract/wire/answers.ts';
import { KnowledgeChecks } from '../../../src/contract/wire/checks.ts';
import { Overview } from '../../../src/contract/wire/overview.ts';
import { ask, grant, send } from '../../functions/product-for-test.ts';
import { expectAccessible } from './accessibility.ts';
import { changeReply, goTo, open, product, read } from './console-for-test.ts';

const NOT_ANSWERED = 'Do your <i>walruses</i> juggle "kumquats"?';
const ANSWERED = 'How do I reset the dashboard password?';
const POLL = { timeout: 60_000, interval: 500 };

const figureOf = (page: Page, label: string) =>
  page
    .locator('.tile')
    .filter({ has: page.getByText(label, { exact: true }) })
    .locator('.figure')
    .textContent();

describe('the view Home', () => {
  it('counts each outcome by itself, shows what was not answered, and links numbers to their rows', async () => {
    await ask(product, ANSWERED);
    await ask(product, 'How do I cook rice?');
    await send(product, 'POST /v1/knowledge/gaps', { question: NOT_ANSWERED });
    const declined = async () =>
      (await read(Overview, '/v1/overview')).answers?.now.verdicts.declined;
    await expect.poll(declined, POLL).toBeGreaterThan(0);
    const page = await open('/');
    await page.getByRole('heading', { level: 1, name: 'The last 7 days' }).waitFor();
    await page.locator('.tile').first().waitFor();
    const { answers, gaps } = await read(Overview, '/v1/overview');
    const { total, verdicts } = answers?.now ?? { total: 0, verdicts: { closes: 0 } };
    expect(await figureOf(page, 'questions')).toBe(`${total - verdicts.closes}`);
    const { answered, hedged, declined: declines } = answers?.now.verdicts ?? {};
    expect([await figureOf(page, 'answered'), await figureOf(page, 'not sure')]).toEqual([
      `${answered}`,
      `${hedged}`,
    ]);
    // The words of a customer are text.
    const asked = page.getByRole('link', { name: NOT_ANSWERED });
    await asked.waitFor();
    expect(await page.locator('main i').count()).toBe(0);
    expect(await page.locator('ol.asked li').count()).toBe(gaps?.most_asked.length);
    await expectAccessible(page, { width: 390 });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.locator('.tile').filter({ hasText: 'declined' }).click();
    await page.getByText(new RegExp(`^${declines} answers?$`)).waitFor();
    expect(await page.getByLabel('Outcome').inputValue()).toBe('declined');
    const rows = await send(product, `GET /v1/answers${new URL(page.url()).search}`);
    expect(AnswersPage.parse(await rows.json()).total).toBe(declines);
    await page.goBack();
    await asked.press('Enter');
    await page.getByRole('heading', { level: 1, name: NOT_ANSWERED }).waitFor();
    await page.getByText('Asked by week').waitFor();
    await expectAccessible(page, { width: 390 });
    await goTo(page, '/');
    await page.getByLabel('Time').selectOption('24 hours');
    await page.waitForURL('**/?days=1');
    await page.getByRole('heading', { level: 1, name: 'The last 24 hours' }).waitFor();
  });

  it('leads from the number of red checks to them', async () => {
    const check = {
      question: 'Is this check of the view Home red?',
      contains: 'a text of no article',
    };
    await send(product, 'PUT /v1/knowledge/checks', { checks: [check] });
    await send(product, 'POST /v1/knowledge/checks/run', {});
    const red = async () => (await read(Overview, '/v1/overview')).checks?.red;
    await expect.poll(red, POLL).toBeGreaterThan(0);
    const page = await open('/');
    const tile = page.locator('.tile').filter({ has: page.getByText('red', { exact: true }) });
    expect(await tile.locator('.figure').textContent()).toBe(`${await red()}`);
    await tile.click();
    await page.waitForURL('**/checks?state=red');
    await page.getByRole('heading', { name: check.question }).waitFor();
    const { checks } = await read(KnowledgeChecks, '/v1/knowledge/checks?state=red');
    const own = checks.find(({ question }) => question === check.question);
    expect((await send(product, `DELETE /v1/knowledge/checks/${own?.id}`)).status).toBe(204);
  });

  it('shows what a key may read, and names the right that it lacks for the rest', async () => {
    const key = 'ck_home_0123456789abcdef';
    await grant(product, key, { capabilities: ['kb:read'] });
    const page = await open('/', { key });
    await page.getByRole('heading', { name: 'Articles to look at' }).waitFor();
    expect(await page.locator('main').textContent()).toMatch(
      /answers:read.*support:analyze.*helpdesk:write/s,
    );
    const reply = await send(product, 'GET /v1/overview', undefined, key);
    const { answers, gaps, tickets, articles } = Overview.parse(await reply.json());
    expect([answers, gaps, tickets]).toEqual([null, null, null]);
    expect(articles?.articles).toBeGreaterThan(0);
    await expectAccessible(page);
  });

  it('says what to do without questions, and where none are kept, and when a part cannot be read', async () => {
    const key = 'ck_home_silent_0123456789';
    await grant(product, key, {
      capabilities: ['kb:read', 'answers:read'],
      workspaces: ['silent'],
    });
    const page = await open('/', { key });
    await page.getByRole('heading', { name: 'No question in this time' }).waitFor();
    await expectAccessible(page, { width: 390 });
    await changeReply<Overview>(page, /v1\/overview/, ({ answers }) => ({
      answers: answers && { ...answers, are_kept: false },
      unread: [{ part: 'tickets' }],
    }));
    await page.reload();
    await page.getByRole('heading', { name: 'Answers are not kept' }).waitFor();
    await page.getByText('This could not be read just now').waitFor();
  });
});
