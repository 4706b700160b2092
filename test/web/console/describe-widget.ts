import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { LibrarianResponse } from '../../../src/contract/core/response.ts';
import { type DemoPage, serveDemoPage } from '../../../tools/run/demo-page.ts';
import { everyPair, QUESTIONS } from '../../conversation/every-pair.ts';
import { LIE } from '../../functions/misbehaving-librarians.ts';
import { grant, send } from '../../functions/product-for-test.ts';
import { answerWith, helpdesks, newPage, open, product } from './console-for-test.ts';

/** The answer box on the sample's page, of another origin than the gateway. */
describe('the widget on a page of another origin', () => {
  let demo: DemoPage;
  let page: Page;
  let requests: { method: string; url: string; authorization: string | undefined }[];

  beforeAll(async () => {
    demo = await serveDemoPage(product);
  });
  afterAll(() => demo?.close());
  beforeEach(async () => {
    requests = [];
    page = await newPage({
      expected: /ERR_FAILED|Failed to fetch|Cannot reach|Cannot get an answer/,
    });
    page.on('request', (request) => {
      const { authorization } = request.headers();
      requests.push({ method: request.method(), url: request.url(), authorization });
    });
    await page.goto(demo.url);
  });

  const inline = () => page.locator('#answers constellation-answers');
  const askIn = async (box: Locator, question: string, complete = 'The answer is complete.') => {
    const name = /^(?:Answer|Antwort)$/;
    const before = await box.getByRole('listitem', { name }).count();
    await box.getByRole('textbox').fill(question);
    await box.getByRole('textbox').press('Enter');
    await box.getByRole('listitem', { name }).nth(before).getByText(complete).waitFor();
  };

  it('streams an answer with its sources, and understands a follow-up question', async () => {
    await askIn(inline(), 'How do I reset the dashboard password?');
    const answer = inline().getByRole('listitem', { name: 'Answer' }).last();
    expect(await answer.textContent()).toContain('hold the button for 5 seconds');
    const source = answer.getByRole('link', { name: /^Log in to the dashboard/ });
    expect(await source.getAttribute('href')).toBe(
      'https://docs.example.com/dashboard/log-in-and-password-reset',
    );
    expect(await source.getAttribute('rel')).toBe('noopener noreferrer');
    await askIn(inline(), 'and on the Apollo?');
    expect(await inline().getByRole('listitem', { name: 'Answer' }).last().textContent()).toContain(
      'USB stick',
    );
  });

  it('declines a question that no article answers, also after another subject, and offers a handover with the conversation', async () => {
    await askIn(inline(), 'How do I reset the dashboard password?');
    await askIn(inline(), 'How do I cook rice?');
    const declined = inline().getByRole('listitem', { name: 'Answer' }).last();
    expect(await declined.textContent()).toContain("I don't have information");
    expect(await declined.getByRole('link').count()).toBe(0);
    const contact = await inline()
      .getByRole('link', { name: 'Contact a person' })
      .getAttribute('href');
    expect(decodeURIComponent(contact ?? '')).toMatch(
      /^mailto:support@example\.com\?subject=Question&body=.*cook rice/s,
    );
  });

  it('answers the questions of a conversation as when each is asked alone, and opens the form for who wants a person', async () => {
    // The key of the box may not query the database.
    const questions = QUESTIONS.filter((question) => !question.includes('in stock'));
    for (const question of questions) {
      await askIn(inline(), question);
      const { answer: reply, sources = [] } = LibrarianResponse.parse(
        await (await send(product, 'POST /v1/ask', { query: question })).json(),
      );
      const answer = inline().getByRole('listitem', { name: 'Answer' }).last();
      const shown = await answer.locator('.sources li').allTextContents();
      if (shown.length > 0) expect(shown[0]).toContain(sources[0]?.name ?? 'no source');
      else expect(await answer.textContent()).toContain(reply?.slice(0, 20));
    }
    await askIn(inline(), 'Thanks, that helped');
    const thanked = inline().getByRole('listitem', { name: 'Answer' }).last();
    expect(await thanked.textContent()).toContain("You're welcome.");
    expect(await thanked.getByRole('button').count()).toBe(0);
    await askIn(inline(), 'Can I speak to a human please?');
    expect(await inline().getByRole('listitem', { name: 'Answer' }).last().textContent()).toContain(
      'by e-mail',
    );
    expect(await inline().getByLabel('Your e-mail address').isVisible()).toBe(true);
    expect(await inline().getByLabel('What do you need?').inputValue()).toBe(questions.at(-1));
  });

  it('answers a question as when it is asked alone, after every other one', async () => {
    // Each page has a key of its own, as one key may ask only so often a minute.
    const openWithKey = async () => {
      const key = `ck_pub_${crypto.randomUUID()}`;
      const publish = async (origins: string[]) => {
        await grant(product, key, { capabilities: ['kb:read'], origins });
        return key;
      };
      const other = await serveDemoPage({ url: product.url, publish });
      onTestFinished(() => other.close());
      await page.goto(other.url);
    };
    let history: { speaker: string; text: string }[] | undefined;
    page.on('request', (request) => {
      if (request.method() === 'POST') history = request.postDataJSON().metadata?.history;
    });
    const askHere = async (question: string) => {
      await askIn(inline(), question);
      return inline().getByRole('listitem', { name: 'Answer' }).last().textContent();
    };

    const alone = new Map<string, string | null>();
    for (const question of QUESTIONS) {
      // Once before, so that its embedding is in the cache.
      await send(product, 'POST /v1/ask', { query: question });
      await openWithKey();
      alone.set(question, await askHere(question));
      expect(history).toBe(undefined);
    }
    const questions = everyPair(QUESTIONS);
    const pairs = new Set<string>();
    for (const start of [0, 45]) {
      // The last question of the first page is the first one of the second, so that no pair is left out.
      const [first = '', ...next] = questions.slice(start, start + 46);
      await openWithKey();
      await askHere(first);
      let before = first;
      for (const question of next) {
        const shown = await askHere(question);
        expect([before, question, shown]).toEqual([before, question, alone.get(question)]);
        expect(history?.findLast(({ speaker }) => speaker === 'user')?.text).toBe(before);
        pairs.add(`${before} ${question}`);
        before = question;
      }
    }
    expect(pairs.size).toBe(90);
  }, 600_000);

  it('floats above the page in another language, with the keyboard only', async () => {
    const box = page.locator('body > constellation-answers');
    await box.getByRole('button', { name: 'Frage stellen' }).press('Enter');
    await askIn(box, 'What does error E30 mean?', 'Die Antwort ist vollständig.');
    await expect.poll(() => box.getByText('Quellen').count()).toBe(1);
    await page.keyboard.press('Escape');
    expect(await box.getByRole('textbox').isVisible()).toBe(false);
    await expect
      .poll(() => box.getByRole('button', { name: 'Frage stellen' }).isVisible())
      .toBe(true);
  });

  it('names the partner at each statement that it claims, and shows nothing that it has not signed', async () => {
    const askPartner = (librarian: string) =>
      page.route('**/v1/ask', (route) =>
        route.continue({
          postData: JSON.stringify({ ...route.request().postDataJSON(), librarian }),
        }),
      );
    await askPartner('partner.lying');
    await askIn(inline(), 'How do I reset the dashboard password?');
    const answer = inline().getByRole('listitem', { name: 'Answer' }).last();
    const claimed = answer.locator('.statement');
    expect(await claimed.allTextContents()).toEqual([
      `${LIE.answer} [1]Reported by lying, not checked by us`,
    ]);
    expect(await answer.locator('.sources li').allTextContents()).toEqual([
      'Log in and password reset (Reported by lying, not checked by us)',
    ]);
    expect(await answer.textContent()).not.toContain('partner.lying');
    await page.unroute('**/v1/ask');

    await askPartner('partner.unsigned');
    await inline().getByRole('textbox').fill('How do I restore my wallet?');
    await inline().getByRole('textbox').press('Enter');
    const failed = inline().getByRole('listitem', { name: 'Answer' }).last();
    await failed.getByRole('button', { name: 'Try again' }).waitFor();
    expect(await failed.textContent()).not.toContain('seed words');
    await page.unroute('**/v1/ask');

    // Joined with an answer of ours, only the claim is marked, and before the end.
    const own = { text: 'Hold the button.', sources: [], support: 1, check: 'quoted' };
    const other = {
      text: 'Write to them.',
      sources: [],
      support: 0,
      check: 'reported',
      reported_by: 'partner.lying',
    };
    await answerWith(
      page,
      [
        'routing',
        {
          type: 'routing',
          librarians: [{ id: 'navigator' }, { id: 'partner.lying', name: 'Acme help' }],
        },
      ],
      ['statement', { type: 'statement', index: 0, ...own }],
      ['statement', { type: 'statement', index: 1, ...other }],
      ['done', { answer: 'Hold the button.\n\nWrite to them.' }],
    );
    await askIn(inline(), 'Both?');
    const joined = inline().getByRole('listitem', { name: 'Answer' }).last();
    expect(await joined.locator('.statement').allTextContents()).toEqual([
      'Hold the button.',
      'Write to them.Reported by Acme help, not checked by us',
    ]);
    await page.unroute('**/v1/ask');
  });

  it('calls only the gateway, with the publishable key and without a cookie', async () => {
    await askIn(inline(), 'What does error E30 mean?');
    const { origin } = product.url;
    const called = requests.flatMap(({ url }) =>
      url.startsWith('http') ? [new URL(url).origin] : [],
    );
    expect(new Set(called)).toEqual(new Set([demo.url, origin]));
    const questions = requests.filter(
      ({ method, url }) => method === 'POST' && url.startsWith(origin),
    );
    expect(questions).toMatchObject([{ authorization: expect.stringMatching(/^Bearer ck_pub_/) }]);
    expect(await page.context().cookies()).toEqual([]);
    expect(await page.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0);
  });

  it('hands a visitor over to a ticket with the conversation, and keeps the input when that fails', async () => {
    const { zendesk } = helpdesks.desks;
    const before = zendesk.ticketIds().length;
    const box = page.locator('body > constellation-answers');
    await box.getByRole('button', { name: 'Frage stellen' }).click();
    await askIn(box, 'How do I cook rice?', 'Die Antwort ist vollständig.');
    await box
      .getByRole('listitem', { name: 'Antwort' })
      .getByRole('button', { name: 'Einen Menschen fragen' })
      .click();
    const [email, message] = [
      box.getByLabel('Ihre E-Mail-Adresse'),
      box.getByLabel('Was brauchen Sie?'),
    ];
    expect(await message.inputValue()).toBe('How do I cook rice?');
    const send = box.getByRole('button', { name: 'An einen Menschen senden' });
    await email.fill('not an address');
    await message.fill('I want to cook <b>rice</b>.');
    await box.getByRole('checkbox').check();
    await send.click();
    expect(await email.evaluate((field: HTMLInputElement) => field.validity.valid)).toBe(false);
    await email.fill('dana.ortiz@example.net');
    await page.route('**/v1/support/requests', (route) => route.abort());
    await send.click();
    await box.getByText('steht noch da').waitFor();
    expect(await email.inputValue()).toBe('dana.ortiz@example.net');
    expect(await message.inputValue()).toBe('I want to cook <b>rice</b>.');
    await page.unroute('**/v1/support/requests');
    await send.click();
    await box.getByText('Gesendet. Ein Mensch antwortet per E-Mail.').waitFor();
    await expect.poll(() => zendesk.ticketIds().length, { timeout: 60_000 }).toBe(before + 1);
    const [first] = zendesk.seenByCustomer(zendesk.ticketIds().at(-1) ?? '');
    expect(first?.body).toMatch(/^I want to cook <b>rice<\/b>\..*Question: How do I cook rice\?/s);
    const visitors = (await open('/tickets')).getByRole('table', {
      name: 'Visitors who asked for a person',
    });
    await visitors.getByText('The text is in the helpdesk.').waitFor();
  });

  it('shows an answer as it is written when what reads Markdown cannot be loaded', async () => {
    await page.route('**/widget-markdown.js', (route) => route.abort());
    const statement = {
      text: 'Hold **the** button.',
      sources: [{ name: 'Reset' }],
      support: 1,
      check: 'quoted',
    };
    await answerWith(
      page,
      ['statement', { type: 'statement', index: 0, ...statement }],
      ['done', { answer: statement.text }],
    );
    await askIn(inline(), 'What?');
    expect(await inline().getByRole('listitem', { name: 'Answer' }).last().textContent()).toContain(
      'Hold **the** button. [1]',
    );
  });

  it('keeps a hostile answer inert, and the question when the gateway cannot be reached', async () => {
    const text =
      '<img src=x onerror=alert(1)> [click](javascript:alert(1)) ![i](https://evil.example.com/i.png)';
    const statement = {
      text,
      sources: [{ name: text, url: 'javascript:alert(1)' }],
      support: 1,
      check: 'quoted',
    };
    await answerWith(
      page,
      ['statement', { type: 'statement', index: 0, ...statement }],
      ['done', { answer: text }],
    );
    await askIn(inline(), 'What?');
    const answer = inline().getByRole('listitem', { name: 'Answer' }).last();
    expect(await answer.locator('img, script').count()).toBe(0);
    expect(await answer.locator('a[href^="javascript"]').count()).toBe(0);
    expect(await answer.textContent()).toContain('onerror=alert(1)');
    await page.unroute('**/v1/ask');
    await page.route('**/v1/ask', (route) => route.abort());
    await inline().getByRole('textbox').fill('How do I update the firmware?');
    await inline().getByRole('textbox').press('Enter');
    await inline().getByText('The connection was lost').waitFor();
    expect(await inline().getByRole('textbox').inputValue()).toBe('How do I update the firmware?');
    await page.unroute('**/v1/ask');
    await inline().getByRole('button', { name: 'Try again' }).click();
    await inline().getByText('The answer is complete.').waitFor();
    await expect.poll(() => inline().getByText('How do I update the firmware?').count()).toBe(1);
  });
});
