import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { AnswerStatistics } from '../../../src/contract/wire/answers.ts';
import { Inventory } from '../../../src/contract/wire/moving.ts';
import { ask, grant, send } from '../../functions/product-for-test.ts';
import { expectAccessible, expectInView, expectToFit } from './accessibility.ts';
import { goTo, open, product, publish, read, withdraw } from './console-for-test.ts';

describe('the view Knowledge', () => {
  it('lists the articles of an intent, and searches their passages', async () => {
    const page = await open('/knowledge');
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
    await expectAccessible(page, { width: 390 });
    await found.getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: /Log in to the dashboard/ }).waitFor();
    const passage = page.getByRole('region', { name: 'Passages' }).getByRole('row').nth(1);
    await expect.poll(() => passage.textContent()).toMatch(/^[\d,]+–[\d,]+/);
    const [, start, end] =
      /^([\d,]+)–([\d,]+)/.exec((await passage.textContent())?.replaceAll(',', '') ?? '') ?? [];
    const { text } = await read(
      z.object({ text: z.string() }),
      '/api/kb/text/dashboard/log-in-and-password-reset.md',
    );
    expect(await passage.getByRole('paragraph').textContent()).toBe(
      text.slice(Number(start), Number(end)),
    );
    await expectToFit(page);
    await expectAccessible(page);
  });

  it('shows the changes of an edition by line, and publishes an earlier one again after confirmation', async () => {
    const id = 'guides/editions-of-a-test.md';
    for (const hours of ['9 to 5', '8 to `<b>6</b>`'])
      await publish(id, {
        title: 'Hours of a test',
        content: `# Hours\n\nWe answer on weekdays.\n\n- ${hours}\n`,
      });
    const page = await open('/knowledge');
    await page.getByRole('link', { name: 'Editions' }).click();
    const rows = page.getByRole('table', { name: 'Editions' }).getByRole('row');
    await rows.nth(2).waitFor();
    expect(await rows.nth(1).textContent()).toMatch(/current.*0 added, 1 changed, 0 removed/);
    await expectAccessible(page);
    const earlier = (await rows.nth(2).getByRole('link').textContent()) ?? '';
    await rows.nth(1).getByRole('link').click();
    await page.getByRole('link', { name: 'Show the difference' }).click();
    await page.locator('ins').waitFor();
    expect(await page.locator('del').allTextContents()).toEqual(['− - 9 to 5\n']);
    expect(await page.locator('ins').allTextContents()).toEqual(['+ - 8 to `<b>6</b>`\n']);
    expect(await page.getByRole('button', { name: 'Publish this edition again' }).count()).toBe(0);
    await expectAccessible(page, { width: 390 });
    await goTo(page, `/knowledge?edition=${earlier}`);
    await page.getByRole('button', { name: 'Publish this edition again' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.textContent()).toContain('The next sync publishes the sources again');
    await dialog.getByRole('button', { name: 'Publish this edition again' }).click();
    await expect
      .poll(() => new URL(page.url()).searchParams.get('edition'), { timeout: 60_000 })
      .not.toBe(earlier);
    const published = async () => (await product.fetch(`/api/kb/text/${id}`)).text();
    await expect.poll(published, { timeout: 60_000 }).toContain('9 to 5');
    await withdraw(id);
  });

  it('shows an article beside its source, with what was left out and why', async () => {
    const id = 'guides/reading-of-a-test.md';
    const long = Array.from(
      { length: 40 },
      (_, at) => `Step ${at + 1} is done before step ${at + 2} begins.`,
    ).join('\n\n');
    const content = `---\nintent: [hose]\n---\n\n# Change the hose\n\nTurn the water off first. [Order](/shop) a hose of **12 mm**.\n\n<!-- Ask Kim whether 14 mm fits too -->\n\n## Sizes\n\n| Model | Hose |\n| --- | --- |\n| One | 12 mm |\n| Two | 16 mm |\n\n<style>.red { color: red }</style>\n\n## Steps\n\n${long}\n\n## After the change\n\n1. Open the tap.\n2. Look for drops at the brass ring.\n\n<p hidden>An internal remark for the team</p>\n`;
    await publish(id, { title: 'Change the hose', content });
    const { text } = await read(z.object({ text: z.string() }), `/api/kb/text/${id}`);
    const start = text.indexOf('Look for drops');
    const page = await open(`/knowledge?article=${id}&start=${start}&end=${start + 36}`);
    await page.getByText('The cited passage is marked.').waitFor();
    const marked = () =>
      page.evaluate(() =>
        [...(CSS.highlights.get('passage') ?? [])].map((each) => (each as Range).toString()),
      );
    expect(await marked()).toEqual(['Look for drops at the brass ring']);
    await expectInView(page, page.getByText('Look for drops at the brass ring.').first());
    const leftOut = page.getByRole('region', { name: 'Left out' });
    expect(await leftOut.textContent()).toMatch(
      /1 part comments of the author.*Line 9.*Ask Kim whether 14 mm fits too.*1 part hidden from readers.*An internal remark/s,
    );
    expect(await leftOut.textContent()).not.toMatch(/whose words are not in the article/);
    const asRead = page.getByRole('region', { name: 'As answers see it' });
    expect(await asRead.textContent()).toMatch(/4 headings · 1 table/);
    expect(await asRead.getByRole('cell', { name: '16 mm' }).count()).toBe(1);
    expect(await asRead.textContent()).not.toMatch(/Ask Kim|internal remark|red/);
    expect(await page.locator('dl.facts').textContent()).toMatch(/LanguageEnglish/);
    const source = page.getByRole('region', { name: 'Source' });
    const left = await source.locator('li.left').allTextContents();
    expect(left).toEqual([
      '---fields of the article',
      'intent: [hose]',
      '---',
      '<!-- Ask Kim whether 14 mm fits too -->comments of the author',
      '<style>.red { color: red }</style>scripts and styles',
      '<p hidden>An internal remark for the team</p>hidden from readers of the page',
    ]);
    await leftOut.getByRole('button', { name: 'Line 9' }).press('Enter');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('data-line'))).toBe('9');
    const [one, other] = await Promise.all([asRead.boundingBox(), source.boundingBox()]);
    expect(other?.x).toBeGreaterThan((one?.x ?? 0) + (one?.width ?? 0));
    await asRead.getByText('Contents').click();
    await asRead.getByRole('link', { name: 'Sizes' }).click();
    await expectInView(page, asRead.getByRole('heading', { name: 'Sizes' }));
    await expectAccessible(page, { width: 390 });
    await withdraw(id);
  });

  it('lists suggestions for writers by kind, and at the article', async () => {
    const page = await open('/knowledge?health=all');
    const finding = page.locator('.findings > li').first();
    await finding.waitFor();
    const kind = (await finding.locator('.support').textContent())?.trim() ?? '';
    const title = (await finding.getByRole('link').first().textContent()) ?? '';
    const kinds = await page.getByLabel('Kind').getByRole('option').allTextContents();
    await page
      .getByLabel('Kind')
      .selectOption({ label: kinds.find((each) => each.startsWith(kind)) ?? '' });
    expect(await page.locator('.findings .support').allTextContents()).toContain(` ${kind}`);
    expect(new URL(page.url()).searchParams.get('health')).not.toBe('all');
    await expectAccessible(page);
    await finding.getByRole('link').first().click();
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    await page.locator('.findings').getByText(kind).first().waitFor();
  });

  it('counts the answers that cite each article, leads to them, and lists those that none cites', async () => {
    await ask(product, 'How do I clean the dust filter?');
    // Wait until the answers that are counted below are stored.
    const kept = async () => (await product.fetch('/v1/answers?text=dust+filter')).text();
    await expect.poll(kept).toContain('dust filter?');
    const page = await open('/knowledge');
    await page.getByRole('link', { name: 'Citations' }).click();
    await page.getByText(/^\d+ of 40 articles w(as|ere) cited/).waitFor();
    const inventory = await read(Inventory, '/api/kb/inventory');
    const { articles } = await read(AnswerStatistics, '/v1/answers/statistics');
    // Articles that were deleted since are cited, but not listed.
    const cited = articles.filter(({ article }) =>
      inventory.articles.some(({ id }) => id === article),
    );
    const rows = page.locator('tbody tr');
    expect(await rows.count()).toBe(cited.length);
    const [most] = cited;
    expect(await rows.first().locator('td').nth(1).textContent()).toBe(`${most?.total}`);
    await expectAccessible(page);
    await page.getByLabel('Articles').selectOption('failing');
    await page.getByText(/articles? ha(s|ve) answers in doubt or that did not help/).waitFor();
    const worst = cited.toSorted(
      (one, other) => other.down - one.down || other.hedged - one.hedged,
    )[0];
    const cells = await rows.first().locator('td').allTextContents();
    expect(cells.slice(2, 4)).toEqual([String(worst?.down), String(worst?.hedged)]);
    await page.getByLabel('Articles').selectOption('never');
    await page
      .getByText(new RegExp(`^${40 - cited.length} of 40 articles were not cited`))
      .waitFor();
    for (const { title } of cited)
      expect(await page.getByRole('link', { name: title, exact: true }).count()).toBe(0);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectToFit(page);
    await goTo(page, '/knowledge?cited=most');
    await rows.first().getByRole('link').nth(1).click();
    await page.getByText(new RegExp(`^${most?.total} answers?$`)).waitFor();
  });

  it('saves an article, keeps the input when that fails, and deletes it after confirmation', async () => {
    const page = await open('/knowledge?edit', { expected: /400|404/ });
    await page.getByRole('button', { name: 'Save' }).click();
    const missing = ['Enter an id.', 'Enter a title.', 'Enter a text.'];
    expect(await page.getByRole('alert').allTextContents()).toEqual(missing);
    await page.getByLabel('Id', { exact: true }).fill('../../bad');
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
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .getByRole('heading', { level: 1, name: 'Hanging the <b>Zephyr</b> on a wall' })
      .waitFor();
    expect(new URL(page.url()).searchParams.get('article')).toBe('setup/wall mount.md');
    await goTo(page, '/knowledge?intent=wall');
    await page.getByRole('link', { name: /Zephyr/ }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect((await send(product, 'GET /api/kb/articles/setup/wall%20mount.md')).status).toBe(200);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('40 articles').waitFor();
    expect((await send(product, 'GET /api/kb/articles/setup/wall%20mount.md')).status).toBe(404);
  });

  it('does not overwrite a concurrent change', async () => {
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

  it('says before saving that an article of a source will not follow it any more', async () => {
    const page = await open('/knowledge?article=dashboard%2Flog-in-and-password-reset.md&edit');
    const warning = page.getByText('This article comes from a source.');
    await warning.waitFor();
    await expectAccessible(page, { width: 390 });
    await send(product, 'PUT /api/kb/articles/mine.md', { title: 'Mine', content: 'Mine.' });
    await goTo(page, '/knowledge?article=mine.md&edit');
    await page.getByLabel('Markdown or HTML').waitFor();
    expect(await warning.count()).toBe(0);
    await send(product, 'DELETE /api/kb/articles/mine.md');
  });

  it('offers no new article to a key that may not write', async () => {
    const key = 'ck_reads_but_not_writes';
    await grant(product, key, { capabilities: ['kb:read'] });
    const page = await open('/knowledge', { key });
    await page.getByText('40 articles').waitFor();
    expect(await page.getByRole('button', { name: 'New article' }).count()).toBe(0);
  });
});
