import { describe, expect, it } from 'vitest';
import { AnswerStatistics } from '../../src/contract/answers.ts';
import { keepPastAnswers } from '../../src/dev/screenshots/past-answers.ts';
import { grant } from '../functions/product-for-test.ts';
import { overflowOf, violationsOf } from './accessibility.ts';
import type { ConsoleForTest } from './console-for-test.ts';

const QUESTIONS = ['How loud is the Apollo III in Turbo mode?', 'How do I knit a scarf for my grandmother?'];

export const describeCharts = (using: () => ConsoleForTest) =>
  describe('the view Charts', () => {
    it('draws the outcomes of questions, and links each point to its answers', async () => {
      const { product, open } = using();
      await keepPastAnswers(product, QUESTIONS, { days: 3 });
      const page = await open('/charts?range=7d');
      const outcomes = page.locator('.chart').first();
      await outcomes.waitFor();
      const statistics = await (await product.fetch('/v1/answers/statistics?bucket=day')).json();
      const { total, buckets } = AnswerStatistics.parse(statistics);
      expect(await outcomes.locator('figcaption').textContent()).toContain(`${total} questions: `);
      expect(await violationsOf(page, 'light')).toEqual([]);
      expect(await violationsOf(page, 'dark')).toEqual([]);
      // One stop of the keyboard for the whole chart, arrows from there.
      await outcomes.locator('a[tabindex="0"]').focus();
      await page.keyboard.press('End');
      await page.keyboard.press('Home');
      await page.keyboard.press('ArrowRight');
      const point = page.locator('a:focus');
      const name = (await point.getAttribute('aria-label')) ?? '';
      await page.keyboard.press('Enter');
      const [, verdict = '', number = ''] = /, (.+): (\d+)$/.exec(name) ?? [];
      await page.getByText(new RegExp(`^${number} answers?$`)).waitFor();
      expect(await page.getByLabel('Outcome').locator('option:checked').textContent()).toBe(verdict);
      await page.goBack();
      await outcomes.getByText('Show data').click();
      const shown = ['answered', 'hedged', 'declined', 'clarifying', 'error'] as const;
      const week = buckets.slice(-7);
      const counted = shown.filter((each) => week.some(({ verdicts }) => verdicts[each] > 0));
      expect(await outcomes.locator('tbody td').allTextContents()).toEqual(
        week.flatMap(({ verdicts }) => counted.map((each) => `${verdicts[each]}`)),
      );
      expect(await violationsOf(page, 'light')).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await overflowOf(page)).toEqual([]);
      await page.getByLabel('Time', { exact: true }).selectOption('24h');
      await page.waitForURL('**/charts?range=24h');
      await page.getByRole('link', { name: 'navigator', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Answers' }).waitFor();
      expect(await page.getByLabel('Librarian', { exact: true }).inputValue()).toBe('navigator');
    });

    it('compares the confidence of answers with their feedback, and explains which feedback that needs', async () => {
      const { product, open } = using();
      await keepPastAnswers(product, QUESTIONS, { days: 3, judged: 1 });
      const page = await open('/charts?range=7d');
      const chart = page.locator('.chart', { hasText: /judged answers? stated/ });
      await chart.getByText('Show data').click();
      const read = async (): Promise<AnswerStatistics['confidence']> => {
        const from = new Date(Date.now() - 6 * 86_400_000).toISOString();
        const reply = await product.fetch(`/v1/answers/statistics?bucket=day&from=${from}`);
        return AnswerStatistics.parse(await reply.json()).confidence;
      };
      const judged = (await read()).map((tenth) => tenth.judged);
      const total = judged.reduce((sum, each) => sum + each.total, 0);
      expect(await chart.locator('figcaption').textContent()).toContain(`${total} judged answer`);
      expect(await chart.locator('tbody td:first-of-type').allTextContents()).toEqual(
        judged.map((each) => `${each.total}`),
      );
      const shares = judged.map(({ total: all, right }) => (all === 0 ? '–' : `${Math.round((100 * right) / all)}%`));
      expect(await chart.locator('tbody td:nth-of-type(2)').allTextContents()).toEqual(shares);
      expect(await violationsOf(page, 'light')).toEqual([]);
      expect(await violationsOf(page, 'dark')).toEqual([]);
      await chart.locator('svg a').first().click();
      await page.getByRole('heading', { level: 1, name: 'Answers' }).waitFor();
      expect(await page.getByLabel('Feedback').inputValue()).toBe('any');
      const none = await open('/settings');
      await none.route(/answers\/statistics/, async (route) => {
        const response = await route.fetch();
        const statistics = AnswerStatistics.parse(await response.json());
        const nothing = { total: 0, right: 0, confidence: null };
        const confidence = statistics.confidence.map((tenth) => ({ ...tenth, judged: nothing }));
        await route.fulfill({ response, json: { ...statistics, confidence } });
      });
      await none.goto(new URL('/charts', none.url()).href);
      await none.getByText('No answer of this time has been judged').waitFor();
    });

    it('draws tokens, cost and reused answers when a model was called, and reports when there is no data', async () => {
      const key = 'ck_charts_0123456789abcdef';
      await grant(using().product, key, { capabilities: ['kb:read', 'answers:read'], workspaces: ['silent'] });
      const page = await using().open('/charts', { key });
      await page.getByText('No answer has been kept in this time').waitFor();
      const own = await using().open('/charts');
      await own.getByText('No model has been asked in this time').waitFor();
      await own.route(/answers\/statistics/, async (route) => {
        const response = await route.fetch();
        const statistics = AnswerStatistics.parse(await response.json());
        const buckets = statistics.buckets.map((bucket) => ({
          ...bucket,
          tokens: bucket.total * 1500,
          cost_usd: bucket.total * 0.00042,
          cached: Math.min(1, bucket.total),
        }));
        await route.fulfill({ response, json: { ...statistics, buckets } });
      });
      await own.reload();
      await own.getByText(/tokens, 1,500 an answer/).waitFor();
      await own.getByText(/^Cost \$0\.\d+, \$0\.00042 an answer/).waitFor();
      await own.getByText(/of the answers were reused/).waitFor();
      expect(await violationsOf(own, 'light')).toEqual([]);
      expect(await violationsOf(own, 'dark')).toEqual([]);
    });
  });
