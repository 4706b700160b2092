import { describe, expect, it } from 'vitest';
import { LibrarianResponse } from '../../../src/contract/core/response.ts';
import { AnswersPage } from '../../../src/contract/wire/answers.ts';
import { everyPair, QUESTIONS } from '../../conversation/every-pair.ts';
import { send } from '../../functions/product-for-test.ts';
import { expectAccessible, expectToFit } from './accessibility.ts';
import { answerWith, askIn, open, openAndAsk, press, product, read } from './console-for-test.ts';

const HOSTILE =
  '<img src=x onerror="document.title=\'broken\'"><script>document.title="broken"</script>';

describe('the view Ask', () => {
  it('shows statements with their evidence, and keeps them over a reload and going back', async () => {
    const page = await open('/ask');
    expect(new URL(page.url()).hash).toBe('');
    await askIn(page, 'How do I reset the dashboard password?');
    const statement = page.locator('.statement').first();
    await statement.getByRole('button', { name: /supported/ }).click();
    const evidence = statement.getByRole('region', { name: 'Evidence of statement 1' });
    expect(await evidence.locator('.quote').first().textContent()).toContain(
      'Only the password and the API tokens',
    );
    expect(
      await evidence.getByRole('link', { name: 'open there' }).first().getAttribute('href'),
    ).toContain('https://docs.example.com/dashboard/log-in-and-password-reset#:~:text=');
    expect(await evidence.locator('mark').allTextContents()).toContain('password');
    await expectAccessible(page, { width: 320 });
    const address = page.url();
    await page.reload();
    expect(await page.locator('.statement').first().textContent()).toContain('Reset the password');
    await page.getByRole('button', { name: 'New conversation' }).click();
    expect(await page.locator('.turn').count()).toBe(0);
    await page.goBack();
    expect(page.url()).toBe(address);
    await expect.poll(() => page.locator('.turn').count()).toBe(1);
  });

  it('highlights the source of a statement, and the statements of a source; copies it with footnotes', async () => {
    const page = await openAndAsk('How loud is the Apollo III in Turbo mode?');
    const statements = page.locator('.statement');
    await statements.first().hover();
    await expect.poll(() => page.locator('.source.lit').count()).toBe(1);
    await page.locator('.source').nth(1).hover();
    expect(await statements.nth(0).getAttribute('class')).toBe('statement');
    expect(await statements.nth(1).getAttribute('class')).toContain('lit');
    await page.getByRole('button', { name: 'Copy as Markdown' }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toMatch(
      /^\*\*How loud.*\*\*\n\n.*\[\^1\].*\n\[\^2\]: [^\n]*<https:\/\/docs\.example\.com\//s,
    );
  });

  it('shows what a partner claims as its claim, and nothing of what it has not signed', async () => {
    const page = await open('/ask');
    await page.getByLabel('Librarian').selectOption('partner.lying');
    await askIn(page, 'How do I restore my wallet?');
    const turn = page.locator('.turn').first();
    expect(await turn.locator('.doubt').textContent()).toContain('This answer comes from lying.');
    await turn.getByRole('button', { name: /not checked/ }).click();
    expect(
      await turn.getByRole('region', { name: 'Evidence of statement 1' }).textContent(),
    ).toContain('not checked · reported by lying');
    expect(await turn.locator('.quote').count()).toBe(0);
    const shown = await turn.textContent();
    expect(shown).not.toMatch(/supported|the words of the source|Edition/);
    expect(shown).toContain('Confidence 99%, as lying states it');
    await turn.getByRole('button', { name: 'Copy as Markdown' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(
      'reported by lying',
    );

    await page.getByLabel('Librarian').selectOption('partner.unsigned');
    await askIn(page, 'How do I restore my wallet?');
    expect(await page.locator('.turn').nth(1).textContent()).not.toContain('seed words');
    await expectAccessible(page, { width: 320 });
  });

  it('answers a question as when it is asked alone, after every other one, and thanks for thanks', async () => {
    const alone = new Map<string, LibrarianResponse>();
    for (const query of QUESTIONS)
      alone.set(
        query,
        LibrarianResponse.parse(await (await send(product, 'POST /v1/ask', { query })).json()),
      );
    const page = await open('/ask');
    const questions = everyPair(QUESTIONS);
    const pairs = new Set<string>();
    // A conversation shows its last 40 turns. The last question of one is the first of the next, so that no pair is left out.
    for (let start = 0; start < questions.length - 1; start += 30) {
      if (start > 0) await page.getByRole('button', { name: 'New conversation' }).click();
      const own = questions.slice(start, start + 31);
      for (const [at, question] of own.entries()) {
        await askIn(page, question);
        const { answer, sources: [first] = [], confidence = 0 } = alone.get(question) ?? {};
        const shown = await page.locator('.turn').nth(at).textContent();
        if (first === undefined) expect(shown).toContain(answer?.slice(0, 30));
        else expect(shown).toContain(`Confidence ${Math.round(100 * confidence)}%`);
        expect(shown).toContain(first?.name ?? '');
        if (at > 0) pairs.add(`${own[at - 1]} ${question}`);
      }
    }
    expect(pairs.size).toBe(90);
    await askIn(page, 'Thanks, that helped');
    const last = page.locator('.turn').last();
    expect(await last.textContent()).toContain("You're welcome.");
    expect(await last.getByRole('button', { name: 'Report as gap' }).count()).toBe(0);
    await askIn(page, 'I want to talk to a person');
    expect(await page.locator('.turn').last().textContent()).toContain('contact our support team');
  }, 600_000);

  it('suggests three answered questions of the knowledge base without asking them', async () => {
    const page = await open('/ask');
    const suggestions = page.locator('.suggestions button');
    await suggestions.nth(2).waitFor();
    await page.evaluate(() => localStorage.clear());
    const sent: string[] = [];
    page.on('request', (request) => void sent.push(new URL(request.url()).pathname));
    await page.reload();
    await suggestions.nth(2).waitFor();
    expect(sent).toContain('/v1/knowledge/search');
    expect(sent.filter((path) => /^\/v1\/(ask|navigate|agents)/.test(path))).toEqual([]);
    const [question = ''] = await suggestions.allTextContents();
    await suggestions.first().click();
    await page.locator('.statement').first().waitFor();
    expect(await page.locator('.question').textContent()).toBe(question);
  });

  it('explains a declined question: why, the closest articles, and a reported gap', async () => {
    const from = new Date().toISOString();
    const kept = async () =>
      (await read(AnswersPage, `/v1/answers?text=Bluetooth&from=${from}`)).answers;
    const page = await openAndAsk('Does the Apollo support Bluetooth headphones?');
    const card = page.locator('.declined');
    expect(await card.getByRole('heading', { level: 3 }).textContent()).toContain(
      'No article answers this',
    );
    await expect.poll(() => card.getByRole('link').count()).toBeGreaterThan(0);
    await expect.poll(async () => (await kept()).length, { timeout: 60_000 }).toBe(1);
    await card.getByRole('button', { name: 'Report as gap' }).click();
    // On a busy machine the articles may not be read in time.
    const again = card.getByRole('button', { name: 'Try again' });
    const noted = async () => {
      if (await again.isVisible()) await again.click();
      return card.getByText(/^Noted as a gap: .*Bluetooth headphones/).count();
    };
    await expect.poll(noted, { timeout: 60_000, interval: 500 }).toBe(1);
    await expectAccessible(page);
    const { gaps } = (await (await product.fetch('/v1/knowledge/gaps')).json()) as {
      gaps: { gap: string }[];
    };
    expect(gaps.map(({ gap }) => gap)).toContain('Does the Apollo support Bluetooth headphones?');
    // A report is no question, and leaves no answer behind.
    expect((await kept()).length).toBe(1);
  });

  it('reports when it is not sure, with the closest statements', async () => {
    const page = await openAndAsk('my wifi keeps disconnecting');
    await page.getByText('It is not sure that this answers your question').waitFor();
    await expect.poll(() => page.locator('.statement').count()).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Report as gap' }).waitFor();
  });

  it('shows a clarifying question', async () => {
    const page = await openAndAsk('It does not work');
    await page.getByRole('heading', { name: 'What do you mean?' }).waitFor();
  });

  it('asks follow-up questions in the same conversation, with the chosen librarian', async () => {
    const page = await openAndAsk('How do I swap the fan?');
    await page.getByLabel('Librarian').selectOption('navigator');
    const query = 'Which tools do I need?';
    const [sent] = await Promise.all([page.waitForRequest(/\/v1\/ask$/), askIn(page, query)]);
    const conversation_id = new URL(page.url()).pathname.split('/').at(-1);
    expect(sent.postDataJSON()).toEqual({
      query,
      librarian: 'navigator',
      conversation_id,
      include: ['statements', 'navigator', 'trace'],
    });
    await expect.poll(() => page.locator('.turn').count()).toBe(2);
  });

  it.each([
    [
      'analytics',
      'How many iPhone 17 are in stock in each warehouse?',
      ['.chart svg rect', 'section > .table td.right', '> p:has-text("📊 Analytics Database")'],
    ],
    ['semantic', 'Which articles cover overheating?', ['.documents a', '.excerpt']],
    [
      'web-search',
      'Compare our price of the iPhone 17 with other shops',
      ['.prices dd', '.links a'],
    ],
  ])('shows the blocks of the agent %s', async (librarian, query, parts) => {
    const page = await open('/ask');
    await page.getByLabel('Librarian').selectOption(librarian);
    await askIn(page, query);
    for (const part of parts) await page.locator(`.blocks ${part}`).first().waitFor();
    await expectAccessible(page);
  });

  it('shows a statement before the answer is complete, and withdraws one that is removed', async () => {
    const page = await open('/ask');
    const statementOf = (index: number, text: string) =>
      [
        'statement',
        { type: 'statement', index, text, sources: [], support: 1, check: 'reported' },
      ] as const;
    const removed = [
      'removed',
      { type: 'removed', index: 0, text: 'First.', reason: 'not in its source' },
    ] as const;
    // A stream that never ends keeps its first statement on the page.
    await answerWith(page, statementOf(0, 'First.'), statementOf(1, 'Second.'), removed);
    await askIn(page, 'Is it there?');
    expect(await page.locator('.statement').allTextContents()).toEqual([
      expect.stringContaining('Second.'),
    ]);
    expect(await page.getByRole('alert').textContent()).toContain('UNREACHABLE');
    await page.unroute('**/v1/ask');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.turn[aria-busy="false"]').waitFor();
    await expect.poll(() => page.locator('.turn').count()).toBe(1);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('keeps hostile answers, names, quotes and addresses inert', async () => {
    const page = await open('/ask');
    const source = {
      name: HOSTILE,
      url: 'javascript:alert(1)',
      section: HOSTILE,
      quote: `${HOSTILE} reset`,
    };
    const text = `${HOSTILE}\n\n[link](javascript:alert(1)) ![picture](https://evil.example/x.png) **bold**\n\n${'> '.repeat(3000)}deep`;
    const statement = { text, sources: [source], support: 0.9, check: 'compared' };
    const response = {
      answer: text,
      sources: [{ name: HOSTILE, url: 'javascript:alert(1)' }],
      confidence: 0.7,
      metadata: {
        statements: [statement],
        trace: { traceId: 'a'.repeat(32), hops: [] },
        answer_id: HOSTILE,
      },
    };
    await answerWith(
      page,
      ['statement', { type: 'statement', index: 0, ...statement }],
      ['done', response],
    );
    await askIn(page, HOSTILE);
    await page.locator('.chip').click();
    expect(await page.locator('main :is(img, script, iframe)').count()).toBe(0);
    expect(await page.locator('main a[href^="javascript"]').count()).toBe(0);
    expect(await page.locator('.evidence').textContent()).toContain(HOSTILE);
    expect(await page.title()).toBe('Ask · Constellation');
  });

  it('fits very long words into a narrow page', async () => {
    const page = await open('/ask', { viewport: { width: 390, height: 844 } });
    const word = 'Hauptbetriebswerk'.repeat(20);
    const source = { name: word, url: `https://docs.example.com/${word}`, section: word };
    const text = `## ${word}\n\n${word} \`${word}\`\n\n| ${word} | b |\n| --- | --- |\n| 1 | ${word} |`;
    const statements = [
      { text, sources: [{ ...source, quote: word }], support: 0.9, check: 'compared' },
    ];
    const response = { answer: text, sources: [source], confidence: 0.7, metadata: { statements } };
    await answerWith(page, ['done', response]);
    await askIn(page, `What is ${word}?`);
    await page.locator('.chip').click();
    await page.locator('.evidence').waitFor();
    await expectToFit(page);
    const right = await page
      .locator('.statement')
      .evaluate((statement) => statement.getBoundingClientRect().right);
    expect(right).toBeLessThanOrEqual(390);
  });

  it('works with the keyboard only, and lists its keys', async () => {
    const page = await openAndAsk('How loud is the Apollo III in Turbo mode?');
    await page.locator('h1').click();
    await press(page, 'j', 'j', 'k', 'e');
    await page.getByRole('region', { name: 'Evidence of statement 1' }).waitFor();
    await page.keyboard.press('/');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('question');
    await page.keyboard.type('j?');
    expect(await page.getByLabel('Your question').inputValue()).toBe('j?');
    await page.locator('h1').click();
    await page.keyboard.press('?');
    const listed = await page.getByRole('dialog').locator('kbd').allTextContents();
    expect(listed).toEqual(expect.arrayContaining(['/', 'j', 'k', 'e', 't', '?']));
    await press(page, 'Escape', 't');
    await page.getByRole('heading', { level: 1, name: 'Trace' }).waitFor();
  });
});
