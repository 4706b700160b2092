import { describe, expect, it } from 'vitest';
import { readAnswerLimits } from '../../src/answers/answer-store.ts';
import { sqlAnswerStore } from '../../src/answers/sql-answer-store.ts';
import { nodeSql } from '../../src/dev/stand-ins/node-sql.ts';
import { answerOf, idOf, NOW } from './answer-for-test.ts';

const DAY = 86_400_000;
const storeWith = ({ days = 30, answers = 50_000, now = NOW, sql = nodeSql() } = {}) =>
  sqlAnswerStore(sql, { limits: { days, answers }, now: () => now });

const questionsIn = (store: ReturnType<typeof storeWith>) =>
  store.list({ filter: {}, limit: 200 }).answers.map(({ question }) => question);

describe('the stored answers of a workspace', () => {
  it('are limited in number: the oldest are removed first', () => {
    const store = storeWith({ answers: 3 });
    for (const number of [1, 2, 3, 4, 5]) store.keep([answerOf(number)]);
    expect(questionsIn(store)).toEqual(['Question 5?', 'Question 4?', 'Question 3?']);
    store.remove(idOf(4));
    store.keep([answerOf(6)]);
    expect(questionsIn(store)).toEqual(['Question 6?', 'Question 5?', 'Question 3?']);
    store.keep([answerOf(7)]);
    expect(questionsIn(store)).toEqual(['Question 7?', 'Question 6?', 'Question 5?']);
  });

  it('expire with their details, and report when the next one expires', () => {
    const sql = nodeSql();
    const store = storeWith({ sql });
    store.keep([answerOf(1)]);
    store.keep([answerOf(2, { asked_at: new Date(NOW + DAY).toISOString() })]);
    expect(store.removeExpired()).toBe(NOW + 1 + 30 * DAY + 1);
    const later = storeWith({ sql, now: NOW + 1 + 30 * DAY + 1 });
    expect(later.removeExpired()).toBe(NOW + 31 * DAY + 1);
    expect(questionsIn(later)).toEqual(['Question 2?']);
    expect(sql.all('SELECT count(*) AS left FROM answer_details')).toEqual([{ left: 1 }]);
    // A shorter retention applies when the store is next opened.
    expect(storeWith({ sql, days: 1, now: NOW + 3 * DAY }).removeExpired()).toBeUndefined();
  });

  it('include an answer once that is sent twice', () => {
    const store = storeWith({ answers: 2 });
    for (const number of [1, 2, 2, 2]) store.keep([answerOf(number)]);
    expect(questionsIn(store)).toEqual(['Question 2?', 'Question 1?']);
  });

  it('are erased completely, over several transactions', () => {
    const store = storeWith();
    for (let number = 0; number < 1203; number += 1) store.keep([answerOf(number, { person_id: `p-${number % 2}` })]);
    expect(store.erase({ person_id: 'p-0' })).toBe(602);
    expect(store.list({ filter: {}, limit: 1 }).total).toBe(601);
    expect(store.erase({ before: new Date(NOW + 100).toISOString() })).toBe(50);
    store.keep([answerOf(2000, { conversation_id: 'c-1' })]);
    expect(store.erase({ conversation_id: 'c-1' })).toBe(1);
  });

  it('are on one page each, newest first', () => {
    const store = storeWith();
    for (const number of [1, 2, 3, 4, 5]) store.keep([answerOf(number)]);
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const page = store.list({ filter: {}, limit: 2, cursor });
      pages.push(page.answers.map(({ question }) => question));
      expect(page.total).toBe(5);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined && pages.length < 5);
    expect(pages).toEqual([['Question 5?', 'Question 4?'], ['Question 3?', 'Question 2?'], ['Question 1?']]);
  });

  it('are found by feedback and by the words of the question', () => {
    const store = storeWith();
    for (const number of [1, 2, 3]) store.keep([answerOf(number, { question: `Pump ${number} and ${number * 7}` })]);
    const by = { subject: 'user:key-1', mayJudgeAll: false };
    store.judge(idOf(2), { value: 'down', at: new Date(NOW).toISOString() }, by);
    const found = (filter: object) => store.list({ filter, limit: 9 }).answers.map(({ id }) => Number(id.slice(-3)));
    expect([found({ feedback: 'any' }), found({ feedback: 'none' }), found({ feedback: 'up' })]).toEqual([
      [2],
      [3, 1],
      [],
    ]);
    expect([found({ text: 'PUMP 14' }), found({ text: 'pump' }), found({ text: 'pump hose' })]).toEqual([
      [2],
      [3, 2, 1],
      [],
    ]);
  });

  it('of a person accept no feedback in the name of another one', () => {
    const store = storeWith();
    store.keep([answerOf(1, { person_id: 'p-1' })]);
    const judge = (person: string | undefined) =>
      store.judge(
        idOf(1),
        { value: 'up', at: new Date(NOW).toISOString() },
        { subject: 'user:key-1', mayJudgeAll: false, person },
      );
    expect([judge('p-2'), judge('p-1'), judge(undefined)]).toEqual([false, true, true]);
  });

  it('are listed without damaged rows', () => {
    const sql = nodeSql();
    const store = storeWith({ sql });
    for (const number of [1, 2, 3]) store.keep([answerOf(number)]);
    sql.run("UPDATE answers SET verdict = 'perfect' WHERE id = ?", idOf(2));
    sql.run("UPDATE answer_details SET details = '{' WHERE place = 3");
    expect(questionsIn(store)).toEqual(['Question 3?', 'Question 1?']);
    expect(store.get(idOf(3))).toBeNull();
    expect(store.full({ filter: {}, limit: 10 }).answers.map(({ id }) => id)).toEqual([idOf(1)]);
  });

  it('have percentiles of each stage', () => {
    const store = storeWith();
    for (let ms = 1; ms <= 200; ms += 1) store.keep([answerOf(ms, { timings: { total: ms } })]);
    const range = { fromMs: Date.UTC(2026, 10, 25), toMs: Date.UTC(2026, 10, 26), bucketMs: DAY };
    const { latency, buckets } = store.statistics({}, { ...range, fromMs: range.fromMs - DAY });
    expect(latency.total).toEqual({ count: 200, p50: 100, p90: 180, p99: 198 });
    expect(latency.routing).toBeNull();
    expect(buckets.map((bucket) => bucket.latency)).toEqual([null, latency.total]);
  });

  it('count citations of each article, once per answer, and are found by article', () => {
    const store = storeWith();
    const citing = (...files: (string | undefined)[]) => ({
      statements: files.map((file) => {
        const source = { name: `Title of "b.md": ${file}`, ...(file === undefined ? {} : { file }) };
        return { text: 'Yes.', sources: [source, source], support: 1, check: 'quoted' as const };
      }),
    });
    store.keep([answerOf(1, citing('a/b.md', 'a/b.md', undefined))]);
    store.keep([answerOf(2, citing('b.md', 'a/b.md'))]);
    store.keep([answerOf(3, citing('secret.md'))], ['staff']);
    const range = { fromMs: Date.UTC(2026, 10, 25), toMs: Date.UTC(2026, 10, 26), bucketMs: DAY };
    expect(store.statistics({}, range).articles).toEqual([
      { article: 'a/b.md', title: 'Title of "b.md": a/b.md', total: 2 },
      { article: 'b.md', title: 'Title of "b.md": b.md', total: 1 },
    ]);
    expect(store.statistics({}, range, ['staff']).articles).toHaveLength(3);
    for (const [article, total] of Object.entries({ 'a/b.md': 2, 'b.md': 1, b: 0, 'secret.md': 0 }))
      expect([article, store.list({ filter: { article }, limit: 1 }).total]).toEqual([article, total]);
  });

  it('are judged or erased individually only with their audiences or by their sender, and erased with a person without them', () => {
    const store = storeWith();
    store.keep([answerOf(1, { person_id: 'p-1' })], ['staff', 'sales']);
    const feedback = { value: 'up' as const, at: new Date(NOW).toISOString() };
    const judgeAs = (subject: string, audiences: string[]) =>
      store.judge(idOf(1), feedback, { subject, mayJudgeAll: true, audiences });
    expect([judgeAs('user:key-2', []), judgeAs('user:key-2', ['staff'])]).toEqual([false, false]);
    expect([judgeAs('user:key-2', ['sales', 'staff']), judgeAs('user:key-1', [])]).toEqual([true, true]);
    expect([store.remove(idOf(1)), store.remove(idOf(1), ['staff'])]).toEqual([false, false]);
    expect(store.remove(idOf(1), ['*'])).toBe(true);
    store.keep([answerOf(2, { person_id: 'p-1' })], ['staff']);
    expect(store.erase({ person_id: 'p-1' })).toBe(1);
  });

  it('are counted only for callers with all their audiences', () => {
    const store = storeWith();
    store.keep([answerOf(1)]);
    store.keep([answerOf(2)], ['staff']);
    store.keep([answerOf(3, { verdict: 'declined', librarians: ['semantic'] })], ['staff', 'sales']);
    const range = { fromMs: Date.UTC(2026, 10, 25), toMs: Date.UTC(2026, 10, 26), bucketMs: DAY };
    const totals = (audiences?: string[]) => {
      const { total, latency, confidence, librarians, interfaces } = store.statistics({}, range, audiences);
      const shown = confidence.reduce((sum, tenth) => sum + tenth.total, 0);
      return [total, latency.total?.count, shown, interfaces[0]?.total, librarians.length];
    };
    expect(totals()).toEqual([1, 1, 1, 1, 1]);
    expect(totals(['sales'])).toEqual([1, 1, 1, 1, 1]);
    expect(totals(['staff'])).toEqual([2, 2, 2, 2, 1]);
    expect(totals(['staff', 'sales'])).toEqual([3, 3, 3, 3, 2]);
    expect(totals(['*'])).toEqual([3, 3, 3, 3, 2]);
  });
});

describe('calibration', () => {
  it('compares the stated confidence of judged answers with the share that was right, without declined ones', () => {
    const store = storeWith();
    const judge = (id: number, confidence: number, value: 'up' | 'down' | undefined, more: object = {}): void => {
      store.keep([answerOf(id, { confidence, ...more })]);
      const at = new Date(NOW).toISOString();
      if (value !== undefined) store.judge(idOf(id), { value, at }, { subject: 'user:key-1', mayJudgeAll: true });
    };
    judge(1, 0.82, 'up');
    judge(2, 0.88, 'down');
    judge(3, 0.84, undefined);
    judge(4, 0.55, 'up', { verdict: 'hedged' });
    judge(5, 0.05, 'up', { verdict: 'declined' });
    const range = { fromMs: Date.UTC(2026, 10, 25), toMs: Date.UTC(2026, 10, 26), bucketMs: DAY };
    const judged = store.statistics({}, range).confidence.map((tenth) => tenth.judged);
    expect(judged[8]).toEqual({ total: 2, right: 1, confidence: expect.closeTo(0.85) });
    expect(judged[5]).toEqual({ total: 1, right: 1, confidence: 0.55 });
    expect(judged[0]).toEqual({ total: 0, right: 0, confidence: null });
  });
});

describe('readAnswerLimits()', () => {
  it('treats empty variables as unset, and names an invalid one', () => {
    expect(readAnswerLimits({ ANSWER_DAYS: '', MAX_ANSWERS: '10' })).toEqual({ days: 30, answers: 10 });
    expect(() => readAnswerLimits({ ANSWER_DAYS: '0' })).toThrow('ANSWER_DAYS');
    expect(() => readAnswerLimits({ MAX_ANSWERS: 'many' })).toThrow('MAX_ANSWERS');
  });
});
