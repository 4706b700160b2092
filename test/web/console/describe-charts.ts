import { describe, expect, it } from 'vitest';
import { keepPastAnswers } from '../../../research/screenshots/past-answers.ts';
import { AnswerStatistics, AnswerVerdict } from '../../../src/contract/wire/answers.ts';
import { grant } from '../../functions/product-for-test.ts';
import { expectAccessible } from './accessibility.ts';
import { changeReply, goTo, open, product, read } from './console-for-test.ts';

const QUESTIONS = [
  'How loud is the Apollo III in Turbo mode?',
  'How do I knit a scarf for my grandmother?',
];
const STATISTICS = '/v1/answers/statistics?bucket=day';

describe('the view Charts', () => {
  it('draws the outcomes of questions, and links each point to its answers', async () => {
    await keepPastAnswers(product, QUESTIONS, { days: 3 });
    const page = await open('/charts?range=7d');
    const outcomes = page.locator('.chart').first();
    await outcomes.waitFor();
    const { total, buckets } = await read(AnswerStatistics, STATISTICS);
    const sum = (verdict: AnswerVerdict) =>
      buckets.reduce((before, { verdicts }) => before + verdicts[verdict], 0);
    // Thanks ask nothing.
    const questions = total - sum('closes');
    const share = (verdict: AnswerVerdict) => `${Math.round((100 * sum(verdict)) / questions)}%`;
    expect(await outcomes.locator('figcaption').textContent()).toBe(
      `${questions} questions: ${share('answered')} answered, ${share('hedged')} not sure, ${share('declined')} declined${sum('error') === 0 ? '' : `, ${share('error')} failed`}`,
    );
    await expectAccessible(page);
    // One stop of the keyboard for the whole chart, arrows from there.
    await outcomes.locator('a[tabindex="0"]').focus();
    for (const key of ['End', 'Home', 'ArrowRight']) await page.keyboard.press(key);
    const name = (await page.locator('a:focus').getAttribute('aria-label')) ?? '';
    await page.keyboard.press('Enter');
    const [, verdict = '', number = ''] = /, (.+): (\d+)$/.exec(name) ?? [];
    await page.getByText(new RegExp(`^${number} answers?$`)).waitFor();
    expect(await page.getByLabel('Outcome').locator('option:checked').textContent()).toBe(verdict);
    await page.goBack();
    await outcomes.getByText('Show data').click();
    const shown = [
      'answered',
      'hedged',
      'declined',
      'clarifying',
      'closes',
      'person',
      'error',
    ] as const;
    const week = buckets.slice(-7);
    const counted = shown.filter((each) => week.some(({ verdicts }) => verdicts[each] > 0));
    const numbers = week.flatMap(({ verdicts }) => counted.map((each) => `${verdicts[each]}`));
    expect(await outcomes.locator('tbody td').allTextContents()).toEqual(numbers);
    await expectAccessible(page, { width: 390 });
    await page.getByLabel('Time', { exact: true }).selectOption('24h');
    await page.waitForURL('**/charts?range=24h');
    await page.getByRole('link', { name: 'navigator', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Answers' }).waitFor();
    expect(await page.getByLabel('Librarian', { exact: true }).inputValue()).toBe('navigator');
  });

  it('compares the confidence of answers with their feedback, and explains which feedback that needs', async () => {
    await keepPastAnswers(product, QUESTIONS, { days: 3, judged: 1 });
    const page = await open('/operations');
    const chart = page.locator('.chart', { hasText: /judged answers? stated/ });
    await chart.getByText('Show data').click();
    const from = new Date(Date.now() - 6 * 86_400_000).toISOString();
    const { confidence } = await read(AnswerStatistics, `${STATISTICS}&from=${from}`);
    const judged = confidence.map((tenth) => tenth.judged);
    const total = judged.reduce((sum, each) => sum + each.total, 0);
    expect(await chart.locator('figcaption').textContent()).toContain(`${total} judged answer`);
    const cells = judged.map(({ total: all, right }) => [
      `${all}`,
      all === 0 ? '–' : `${Math.round((100 * right) / all)}%`,
    ]);
    for (const column of [0, 1])
      expect(await chart.locator(`tbody td:nth-of-type(${column + 1})`).allTextContents()).toEqual(
        cells.map((row) => row[column]),
      );
    await expectAccessible(page);
    await chart.locator('svg a').first().click();
    await page.getByRole('heading', { level: 1, name: 'Answers' }).waitFor();
    expect(await page.getByLabel('Feedback').inputValue()).toBe('any');
    await changeReply<AnswerStatistics>(page, /answers\/statistics/, (statistics) => ({
      confidence: statistics.confidence.map((tenth) => ({
        ...tenth,
        judged: { total: 0, right: 0, confidence: null },
      })),
    }));
    await goTo(page, '/operations');
    await page.getByText('No answer of this time has been judged').waitFor();
  });

  it('draws tokens, cost and reused answers when a model was called, and reports when there is no data', async () => {
    const key = 'ck_charts_0123456789abcdef';
    await grant(product, key, {
      capabilities: ['kb:read', 'answers:read'],
      workspaces: ['silent'],
    });
    await (await open('/charts', { key }))
      .getByText('No answer has been kept in this time')
      .waitFor();
    const page = await open('/operations');
    await page.getByText('No model has been asked in this time').waitFor();
    await changeReply<AnswerStatistics>(page, /answers\/statistics/, ({ buckets }) => ({
      buckets: buckets.map((bucket) => {
        const { total } = bucket;
        return {
          ...bucket,
          tokens: total * 1500,
          cost_usd: total * 0.00042,
          cached: Math.min(1, total),
        };
      }),
    }));
    await page.reload();
    await page.getByText(/tokens, 1,500 an answer/).waitFor();
    await page.getByText(/^Cost \$0\.\d+, \$0\.00042 an answer/).waitFor();
    await page.getByText(/of the answers were reused/).waitFor();
    await expectAccessible(page);
  });

  it('gives each outcome a colour of its own', async () => {
    const page = await open('/charts');
    await changeReply<AnswerStatistics>(page, /answers\/statistics/, ({ buckets }) => ({
      total: AnswerVerdict.options.length,
      buckets: buckets.map((bucket) => ({
        ...bucket,
        total: AnswerVerdict.options.length,
        verdicts: Object.fromEntries(AnswerVerdict.options.map((verdict) => [verdict, 1])),
      })),
    }));
    await page.reload();
    const legend = page.locator('.chart').first().locator('.legend span');
    await legend.nth(AnswerVerdict.options.length - 1).waitFor();
    const colours = await legend.evaluateAll((spans) =>
      spans.map(
        (span) => getComputedStyle(span, '::before').backgroundColor + getComputedStyle(span).color,
      ),
    );
    expect(new Set(colours).size).toBe(AnswerVerdict.options.length);
    await expectAccessible(page);
  });
});
