import { describe, expect, it } from 'vitest';
import { send } from '../../functions/product-for-test.ts';
import { expectAccessible } from './accessibility.ts';
import { goTo, open, product } from './console-for-test.ts';

const MESSAGE = 'Can I mount the Zephyr on a wall?';
const ARTICLE = 'setup/wall.md';
/** The product looks again in the background. */
const POLL = { timeout: 60_000, interval: 1000 };

describe('the view Gaps', () => {
  it('shows a gap with its questions and the closest article, and whether it has an answer now', async () => {
    // A search that times out records no gap.
    const analyse = async () =>
      (await send(product, 'POST /v1/support/analyze', { message: MESSAGE })).text();
    await expect
      .poll(analyse, { timeout: 60_000, interval: 1000 })
      .toMatch(/"gaps":\[[^\]]*Zephyr/);
    // Before it is saved, the editor looks whether there is one of that id.
    const page = await open('/gaps', { expected: /404/ });
    const gap = page.getByRole('listitem').filter({ hasText: 'Zephyr' }).first();
    await gap.getByRole('button', { name: /1 question/ }).click();
    // Its title is what the customer asked.
    expect(await gap.getByRole('heading', { level: 2 }).textContent()).toBe(MESSAGE);
    const question = gap.locator('.gap-details').getByRole('link', { name: MESSAGE });
    await question.waitFor();
    expect(await gap.textContent()).toMatch(/open.*1 time.*last/);
    await gap.locator('.nearest a').first().waitFor();
    const answers = new URL((await question.getAttribute('href')) ?? '', page.url());
    expect([answers.pathname, answers.searchParams.get('text')]).toEqual(['/answers', MESSAGE]);
    const kept = await send(product, `GET /v1/answers${answers.search}`);
    expect(((await kept.json()) as { total: number }).total).toBeGreaterThan(0);
    await gap.getByRole('button', { name: 'Ask again' }).click();
    await gap.getByText('Still not answered').waitFor();
    await expectAccessible(page, { width: 390 });
    await gap.getByRole('link', { name: 'Write an article' }).click();
    const text = page.getByLabel('Markdown or HTML');
    // An outline with the customer's question, which is not published as it is.
    expect(await text.inputValue()).toMatch(/^# .*\n\n\(Answer the question here.*\)\n$/);
    expect(await text.inputValue()).toContain(`# ${MESSAGE}`);
    await page.getByLabel('Id').fill(ARTICLE);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Write your own text in place of what stands in brackets.').waitFor();
    await page.getByLabel('Title').fill('Mount the Zephyr on a wall');
    await text.fill(
      'You can mount the Zephyr on a wall with the bracket ZW-2. Mount it at least 30 cm below the ceiling.',
    );
    await expectAccessible(page, { width: 390 });
    await page.getByRole('button', { name: 'Save' }).click();
    // The page of the gap shows when its questions are answered.
    await page.waitForURL('**/gaps/*?written');
    await page
      .getByText('Saved. The questions are asked again')
      .or(page.getByText('closed'))
      .first()
      .waitFor();
    await goTo(page, '/gaps?state=all');
    await gap.getByRole('button', { name: /1 question/ }).click();
    const again = async () => {
      await gap.getByRole('button', { name: 'Ask again' }).click();
      await gap.getByRole('button', { name: 'Ask again' }).waitFor();
      return gap.locator('.again .state-mark').textContent();
    };
    await expect.poll(again, POLL).toContain('Answered now, from Mount the Zephyr on a wall');
    await gap.getByRole('link', { name: 'Show the answer' }).click();
    await page.getByRole('heading', { level: 1, name: MESSAGE }).waitFor();
    await goTo(page, '/gaps?state=closed');
    const reloaded = async () => {
      await page.reload();
      await page.locator('.gap, .state').first().waitFor();
      return page.locator('main').textContent();
    };
    await expect.poll(reloaded, POLL).toMatch(/Zephyr.*closed/);
    expect(await page.getByLabel('State').inputValue()).toBe('closed');
  });

  it('deletes a gap after confirmation', async () => {
    const page = await open('/gaps?state=all');
    const gap = page.getByRole('listitem').filter({ hasText: 'Zephyr' }).first();
    await gap.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await gap.waitFor({ state: 'detached' });
    const listed = await (await send(product, 'GET /v1/knowledge/gaps?state=all')).text();
    expect(listed).not.toContain('Zephyr');
    await send(product, `DELETE /api/kb/articles/${ARTICLE}`);
  });

  it('lists those of any number of days up to four weeks', async () => {
    for (const [days, sent, label] of [
      ['3', '3', '3 days'],
      ['28', '28', '28 days'],
      ['29', null, 'any time'],
      ['0', null, 'any time'],
      ['1.5', null, 'any time'],
    ] as const) {
      const page = await open('/');
      const listing = page.waitForRequest(/\/v1\/knowledge\/gaps\?/);
      await goTo(page, `/gaps?days=${days}`);
      const { searchParams } = new URL((await listing).url());
      const chosen = page.getByLabel('Asked or closed within').locator('option:checked');
      expect([searchParams.get('days'), await chosen.textContent()]).toEqual([sent, label]);
    }
  });
});
