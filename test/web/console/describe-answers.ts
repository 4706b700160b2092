import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { ask, send } from '../../functions/product-for-test.ts';
import { expectAccessible } from './accessibility.ts';
import { goTo, open, product, publish, withdraw } from './console-for-test.ts';

const ANSWERED = 'How loud is the Apollo III in Turbo mode?';
const DECLINED = 'How do I bake <b>bread</b> in a volcano?';

describe('the view Answers', () => {
  beforeAll(async () => {
    await ask(product, ANSWERED);
    const { reply } = await ask(product, DECLINED);
    // Its thumb in the list has a name for screen readers.
    await send(product, `POST /v1/answers/${reply.metadata?.answer_id}/feedback`, { value: 'up' });
  });

  it('lists questions, and keeps its filters in the address', async () => {
    const page = await open('/answers');
    const rows = page.locator('tbody tr');
    await rows.filter({ hasText: DECLINED }).first().waitFor();
    const all = await rows.count();
    await page.getByLabel('Outcome').selectOption('declined');
    await rows.filter({ hasText: ANSWERED }).first().waitFor({ state: 'detached' });
    expect(await rows.filter({ hasText: DECLINED }).first().textContent()).toMatch(/declined.*API/);
    await expect.poll(() => rows.count()).toBeLessThan(all);
    await page.getByLabel('Words of the question').fill('volcano');
    await page.keyboard.press('Enter');
    await page.getByText('1 answer', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?verdict=declined&text=volcano');
    await page.reload();
    await page.getByText('1 answer', { exact: true }).waitFor();
    expect(await page.getByLabel('Outcome').inputValue()).toBe('declined');
    await expectAccessible(page, { width: 390 });
    await page.getByText('More filters').click();
    await page.getByLabel('Came through').selectOption('mcp');
    await page.getByText('No answer matches').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await rows.filter({ hasText: ANSWERED }).first().waitFor();
  });

  it('lists the answers of a person, who is named in the list and on the page of an answer', async () => {
    await ask(product, ANSWERED, { metadata: { person_id: 'dana-ortiz' } });
    const page = await open('/answers');
    await page.getByText('More filters').click();
    await page.getByLabel('Person').fill('dana-ortiz');
    await page.keyboard.press('Enter');
    await page.getByText('1 answer', { exact: true }).waitFor();
    await page.getByRole('cell').getByRole('link', { name: 'dana-ortiz' }).waitFor();
    await page.getByRole('link', { name: ANSWERED }).click();
    await page.locator('.facts').getByRole('link', { name: 'dana-ortiz' }).waitFor();
    const [article] = await page.getByRole('list', { name: 'Articles' }).getByRole('link').all();
    expect(await article?.getAttribute('href')).toMatch(/^\/knowledge\?article=/);
    await expectAccessible(page, { width: 390 });
  });

  it('leads from a question that was declined to its gap, and to an article of it', async () => {
    const page = await open('/answers?verdict=declined&text=volcano');
    await page.getByRole('link', { name: DECLINED }).first().click();
    await page
      .getByRole('button', { name: 'Write an article' })
      .or(page.getByRole('link', { name: 'Write an article' }))
      .click();
    await page.getByLabel('Title').waitFor();
    expect(page.url()).toMatch(/\/knowledge\?edit&gap=/);
    await page.goBack();
    await page.getByRole('link', { name: 'Show the gap' }).click();
    await page.getByRole('heading', { level: 1, name: DECLINED }).waitFor();
  });

  it('lists a follow-up question with how it was understood', async () => {
    const history = [
      { speaker: 'user', text: ANSWERED },
      { speaker: 'assistant', text: '45 dBA' },
    ];
    const { reply } = await ask(product, 'And in Eco?', { metadata: { history } });
    const page = await open('/answers');
    const row = page
      .locator('tbody tr')
      .filter({ has: page.locator(`[href$="${reply.metadata?.answer_id}"]`) });
    await row.getByText('Understood as: How loud is the Apollo III in Eco mode?').waitFor();
    expect(
      await page.locator('tbody tr').filter({ hasText: DECLINED }).first().textContent(),
    ).not.toContain('Understood');
    await expectAccessible(page, { width: 390 });
  });

  it('shows a conversation as one, in its order', async () => {
    const conversation_id = crypto.randomUUID();
    for (const query of [ANSWERED, 'And in <b>Eco</b>?'])
      await ask(product, query, { conversation_id });
    const page = await open(`/answers/conversation/${conversation_id}`);
    const turns = page.locator('.conversation > li');
    const shown = async () => {
      await page.reload();
      await turns.or(page.locator('.state')).first().waitFor();
      return turns.count();
    };
    await expect.poll(shown).toBe(2);
    // In one request.
    const requests: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/v1/answers')) requests.push(pathname);
    });
    await shown();
    expect(requests).toEqual(['/v1/answers']);
    expect(await page.locator('.asked-by .prose').allTextContents()).toEqual([
      ANSWERED,
      'And in <b>Eco</b>?',
    ]);
    expect(await page.locator('.answered-with table').count()).toBeGreaterThan(0);
    await expectAccessible(page, { width: 390 });
    await page.getByRole('link', { name: 'Details' }).first().click();
    await page.getByRole('link', { name: 'All of this conversation' }).click();
    await page.waitForURL(`**/answers/conversation/${conversation_id}`);
  });

  it('shows fifty turns of a long conversation, and fifty more on request', async () => {
    const page = await open('/');
    const [line = ''] = (await (await send(product, 'GET /v1/answers?format=jsonl')).text()).split(
      '\n',
    );
    const kept = JSON.parse(line) as object;
    const lines = Array.from({ length: 120 }, (_, at) =>
      JSON.stringify({ ...kept, id: `a${at}`, question: `Question ${120 - at}?` }),
    );
    await page.route('**/v1/answers?*', (route) =>
      route.fulfill({ contentType: 'application/x-ndjson', body: `${lines.join('\n')}\n` }),
    );
    await goTo(page, '/answers/conversation/long');
    const questions = page.locator('.asked-by .prose');
    const earlier = page.getByRole('button', { name: 'Show earlier questions' });
    for (const [count, first] of [
      [50, 71],
      [100, 21],
    ] as const) {
      await page.getByText(`Question ${first}?`, { exact: true }).waitFor();
      expect(await questions.count()).toBe(count);
      await expectAccessible(page, { width: 390 });
      await earlier.click();
    }
    await page.getByText('Question 1?', { exact: true }).waitFor();
    expect([await questions.count(), await earlier.count()]).toEqual([120, 0]);
  });

  it('repeats a question with another librarian without a model, and compares by statement', async () => {
    const page = await open('/answers?text=turbo');
    await page.getByRole('link', { name: ANSWERED }).first().click();
    const replay = page.locator('.replay');
    const again = replay.getByRole('button', { name: 'Ask again' });
    await again.click();
    await replay.getByText(/^\d+ statements? kept$/).waitFor();
    expect(await replay.locator('.difference > .kept').first().textContent()).toMatch(/^kept.*dB/s);
    await replay.getByLabel('Librarian').selectOption('semantic');
    await replay.getByLabel('with a model').uncheck();
    const [sent] = await Promise.all([page.waitForRequest(/\/replay$/), again.click()]);
    expect(sent.postDataJSON()).toEqual({ librarian: 'semantic', model: false });
    const librarian = replay.getByRole('row', { name: /^Librarian/ });
    await expect
      .poll(() => librarian.locator('td').allTextContents())
      .toEqual(['navigator', 'semantic']);
    expect(await replay.locator('.difference > .removed del').first().textContent()).toMatch(/dB/);
    expect(await replay.getByRole('row', { name: /^Cost/ }).textContent()).toBe('Cost$0.00$0.00');
    await expectAccessible(page, { width: 390 });
  });

  it('repeats a question with an earlier edition', async () => {
    const article = 'guides/replay-of-a-test.md';
    /** The id of the first answer from an edition with this word. */
    const publishAndAsk = async (word: string): Promise<string> => {
      await publish(article, {
        title: 'Colour of a test',
        content: `# Colour\n\nThe zorbit lamp shines ${word}.\n`,
      });
      let reply: Awaited<ReturnType<typeof ask>>['reply'] | undefined;
      const answered = async () => {
        ({ reply } = await ask(product, 'Which colour does the zorbit lamp shine?'));
        return reply.answer ?? '';
      };
      await expect.poll(answered, { timeout: 60_000 }).toContain(word);
      return String(reply?.metadata?.answer_id);
    };
    const id = await publishAndAsk('green');
    await publishAndAsk('purple');
    const page = await open(`/answers/${id}`);
    const replay = page.locator('.replay');
    const edition = replay.getByLabel('Edition', { exact: true });
    const answered =
      (await edition.locator('option', { hasText: 'this answer' }).getAttribute('value')) ?? '';
    const again = replay.getByRole('button', { name: 'Ask again' });
    await again.click();
    await replay.locator('.difference ins').first().waitFor();
    expect(await replay.locator('.difference ins').first().textContent()).toContain('purple');
    await edition.selectOption(answered);
    expect(await replay.getByLabel('Librarian').inputValue()).toBe('navigator');
    const [sent] = await Promise.all([page.waitForRequest(/\/replay$/), again.click()]);
    expect(sent.postDataJSON()).toEqual({ edition: answered });
    await replay.getByText(/^\d+ statements? kept$/).waitFor();
    const row = replay.getByRole('row', { name: /^Edition/ });
    expect(await row.locator('td').allTextContents()).toEqual([answered, answered]);
    expect(await replay.getByRole('row', { name: /^Cost/ }).textContent()).toBe('Cost$0.00$0.00');
    await expectAccessible(page, { width: 390 });
    await withdraw(article);
  });

  it('shows an answer at its own address with its evidence, accepts feedback, and erases it after confirmation', async () => {
    const page = await open('/answers?text=turbo', { expected: /404/ });
    await page.getByRole('link', { name: ANSWERED }).first().click();
    const statement = page.locator('.statement').first();
    await statement.getByRole('button', { name: /supported/ }).click();
    expect(
      await statement.getByRole('region', { name: 'Evidence of statement 1' }).textContent(),
    ).toMatch(/dB/);
    expect(await page.locator('.facts').first().textContent()).toMatch(/not sure.*%.*API/);
    await page.getByText('Technical details').click();
    expect(await page.locator('.facts').nth(1).textContent()).toMatch(/Navigator.*tokens/i);
    await expectAccessible(page, { width: 390 });
    await page.getByRole('button', { name: 'This did not help' }).click();
    await page.getByLabel('In one sentence (optional)').fill('It names no firmware.');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Noted, thank you').waitFor();
    await page.reload();
    await page.getByText('It names no firmware.').waitFor();
    const pressed = page.getByRole('button', { name: 'This did not help' });
    expect(await pressed.getAttribute('aria-pressed')).toBe('true');
    const address = page.url();
    await page.getByRole('link', { name: 'Trace' }).click();
    await page.getByRole('row', { name: /navigator/ }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Erase' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Erase' }).click();
    await page.getByRole('heading', { level: 1, name: 'Answers' }).waitFor();
    await page.goto(address);
    await page.getByRole('alert').getByText('This does not exist').waitFor();
  });

  it('exports the filtered answers, and reports when an export fails', async () => {
    const page = await open('/answers?text=volcano');
    const button = page.getByRole('button', { name: /^Export/ });
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).question)).toEqual([DECLINED]);
    const error = { error: { code: 'SERVICE_UNAVAILABLE', message: 'gone' } };
    await page.route(/format|\/v1\/answers/, (route) =>
      route.request().headers().accept === 'application/x-ndjson'
        ? route.fulfill({
            contentType: 'application/x-ndjson',
            body: `${lines[0]}\n${JSON.stringify(error)}\n`,
          })
        : route.fallback(),
    );
    await button.click();
    await page.getByText('The export broke off before its last answer').waitFor();
  });

  it('has the rows of one page in the document, and reads further ones by cursor', async () => {
    const page = await open('/answers');
    await page.locator('tbody tr').first().waitFor();
    const { answers } = await page.evaluate(async () => {
      const key = sessionStorage.getItem('constellation.key');
      return (
        await fetch('/v1/answers?limit=1', { headers: { authorization: `Bearer ${key}` } })
      ).json();
    });
    const total = 50_000;
    const cursors: string[] = [];
    await page.route(/\/v1\/answers\?/, (route) => {
      const from = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0);
      cursors.push(String(from));
      const some = Array.from({ length: 100 }, (_, at) => ({
        ...answers[0],
        id: `00000000-0000-4000-8000-${String(from + at).padStart(12, '0')}`,
        question: `Question ${from + at}`,
      }));
      return route.fulfill({ json: { answers: some, total, next_cursor: String(from + 100) } });
    });
    await page.reload();
    await page.getByText('50,000 answers', { exact: true }).waitFor();
    await expect.poll(() => page.locator('tbody tr').count()).toBe(50);
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByText('1 to 50 of 200').waitFor();
    expect(cursors).toEqual(['0', '100']);
    await expect.poll(() => page.locator('tbody tr').count()).toBe(50);
    // The next page is read ahead.
    for (const range of [
      '51 to 100 of 200',
      '101 to 150 of 200',
      '151 to 200 of 200',
      '201 to 250 of 300',
    ]) {
      await page.getByRole('button', { name: 'Next' }).click();
      await page.getByText(range).waitFor();
    }
    expect(cursors).toEqual(['0', '100', '200']);
    await page.getByRole('link', { name: 'Question 249' }).waitFor();
  });
});
