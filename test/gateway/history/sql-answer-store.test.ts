import { describe, expect, it } from 'vitest';
import type { AnswerInput } from '../../../src/contract/wire/answers.ts';
import type { AuditEntry } from '../../../src/contract/wire/audit.ts';
import { readAnswerLimits } from '../../../src/gateway/history/answer-store.ts';
import { sqlAnswerStore } from '../../../src/gateway/history/sql-answer-store.ts';
import { nodeSql } from '../../../tools/stand-ins/node-sql.ts';
import { answerOf, idOf, NOW } from './answer-for-test.ts';

const DAY = 86_400_000;
const TODAY = { fromMs: Date.UTC(2026, 10, 25), toMs: Date.UTC(2026, 10, 26), bucketMs: DAY };

/** A store with answers of these numbers. */
const storeWith = (
  numbers: number[] = [],
  { days = 30, answers = 50_000, now = NOW, sql = nodeSql() } = {},
) => {
  const store = sqlAnswerStore(sql, { limits: { days, answers }, now: () => now });
  for (const number of numbers) store.keep([answerOf(number)]);
  return store;
};
type Store = ReturnType<typeof storeWith>;
const numberOf = ({ id }: { id: string }) => Number(id.slice(-6));
const numbersIn = (store: Store, filter = {}) =>
  store.list({ filter, limit: 200 }).answers.map(numberOf);
const judge = (store: Store, number: number, by: object = {}, value: 'up' | 'down' = 'up') => {
  const who = { subject: 'user:key-1', mayJudgeAll: false, ...by };
  return store.judge(idOf(number), { value, at: new Date(NOW).toISOString() }, who);
};

describe('the stored answers of a workspace', () => {
  it('are limited in number: the oldest are removed first, and one that is sent twice counts once', () => {
    const store = storeWith([1, 2, 3, 4, 5], { answers: 3 });
    expect(numbersIn(store)).toEqual([5, 4, 3]);
    store.remove(idOf(4));
    for (const number of [6, 6]) store.keep([answerOf(number)]);
    expect(numbersIn(store)).toEqual([6, 5, 3]);
    store.keep([answerOf(7)]);
    expect(numbersIn(store)).toEqual([7, 6, 5]);
  });
  it('expire with their details, and report when the next one expires', () => {
    const sql = nodeSql();
    const store = storeWith([1], { sql });
    store.keep([answerOf(2, { asked_at: new Date(NOW + DAY).toISOString() })]);
    store.removeExpired();
    expect(store.nextRemoval()).toBe(NOW + 1 + 30 * DAY + 1);
    const later = storeWith([], { sql, now: NOW + 1 + 30 * DAY + 1 });
    later.removeExpired();
    expect(later.nextRemoval()).toBe(NOW + 31 * DAY + 1);
    expect(numbersIn(later)).toEqual([2]);
    expect(sql.all('SELECT count(*) AS left FROM answer_details')).toEqual([{ left: 1 }]);
    // A shorter retention applies when the store is next opened.
    const shorter = storeWith([], { sql, days: 1, now: NOW + 3 * DAY });
    shorter.removeExpired();
    expect(shorter.nextRemoval()).toBeUndefined();
  });
  it('are erased completely, over several transactions', () => {
    const store = storeWith();
    for (let number = 0; number < 1203; number += 1)
      store.keep([answerOf(number, { person_id: `p-${number % 2}` })]);
    expect(store.erase({ person_id: 'p-0' })).toBe(602);
    expect(store.list({ filter: {}, limit: 1 }).total).toBe(601);
    expect(store.erase({ before: new Date(NOW + 100).toISOString() })).toBe(50);
    store.keep([answerOf(2000, { conversation_id: 'c-1' })]);
    expect(store.erase({ conversation_id: 'c-1' })).toBe(1);
  });
  it('are erased before a time as far as the caller may read them, and those of a person completely', () => {
    const store = storeWith();
    store.keep([answerOf(1), answerOf(2, { person_id: 'p-1' })]);
    store.keep([answerOf(3), answerOf(4, { person_id: 'p-1' })], ['staff']);
    const before = new Date(NOW + 100).toISOString();
    // Only what the caller may read is counted.
    expect(store.erase({ person_id: 'p-1' })).toBe(1);
    expect(store.list({ filter: { person_id: 'p-1' }, limit: 9, audiences: ['*'] }).total).toBe(0);
    expect(store.erase({ before })).toBe(1);
    expect(store.list({ filter: {}, limit: 9, audiences: ['*'] }).answers.map(numberOf)).toEqual([
      3,
    ]);
    expect([store.erase({ before }, ['sales']), store.erase({ before }, ['*'])]).toEqual([0, 1]);
  });
  it('leave acts of administration, which are bounded by time and number', () => {
    const sql = nodeSql();
    const store = storeWith([1], { sql });
    const act = (at: number): AuditEntry => ({
      at: new Date(at).toISOString(),
      by: 'user:1',
      authentication: 'key',
      workspace: 'default',
      action: 'DELETE /v1/answers',
      outcome: 'ok',
      status: 200,
      request_id: String(at),
    });
    for (let at = 0; at < 10_003; at += 1) store.noteAct(act(NOW + at));
    store.erase({ before: new Date(NOW + DAY).toISOString() }, ['*']);
    const page = store.acts({ limit: 2 });
    expect(page.entries.map(({ request_id: at }) => Number(at) - NOW)).toEqual([10_002, 10_001]);
    expect(store.acts({ limit: 1, cursor: page.next_cursor ?? '' }).entries[0]?.request_id).toBe(
      String(NOW + 10_000),
    );
    expect(sql.all('SELECT count(*) AS kept FROM acts')).toEqual([{ kept: 10_000 }]);
    const later = storeWith([], { sql, now: NOW + 401 * DAY });
    later.noteAct(act(NOW + 401 * DAY));
    expect(sql.all('SELECT count(*) AS kept FROM acts')).toEqual([{ kept: 1 }]);
  });
  it('are on one page each, newest first', () => {
    const store = storeWith([1, 2, 3, 4, 5]);
    const pages: number[][] = [];
    for (let cursor: string | null | undefined; cursor !== null && pages.length < 5; ) {
      const page = store.list({ filter: {}, limit: 2, cursor });
      pages.push(page.answers.map(numberOf));
      expect(page.total).toBe(5);
      cursor = page.next_cursor;
    }
    expect(pages).toEqual([[5, 4], [3, 2], [1]]);
  });
  it('are found by feedback and by the words of the question', () => {
    const store = storeWith();
    for (const number of [1, 2, 3])
      store.keep([answerOf(number, { question: `Pump ${number} and ${number * 7}` })]);
    judge(store, 2, {}, 'down');
    const found = (...filters: object[]) => filters.map((filter) => numbersIn(store, filter));
    expect(found({ feedback: 'any' }, { feedback: 'none' }, { feedback: 'up' })).toEqual([
      [2],
      [3, 1],
      [],
    ]);
    expect(found({ text: 'PUMP 14' }, { text: 'pump' }, { text: 'pump hose' })).toEqual([
      [2],
      [3, 2, 1],
      [],
    ]);
  });
  it('of a person accept no feedback in the name of another one', () => {
    const store = storeWith();
    store.keep([answerOf(1, { person_id: 'p-1' })]);
    const accepted = ['p-2', 'p-1', undefined].map((person) => judge(store, 1, { person }));
    expect(accepted).toEqual([false, true, true]);
  });
  it('are listed without damaged rows', () => {
    const sql = nodeSql();
    const store = storeWith([1, 2, 3], { sql });
    sql.run("UPDATE answers SET verdict = 'perfect' WHERE id = ?", idOf(2));
    sql.run("UPDATE answer_details SET details = '{' WHERE place = 3");
    expect([numbersIn(store), store.get(idOf(3))]).toEqual([[3, 1], null]);
    expect(store.full({ filter: {}, limit: 10 }).answers.map(numberOf)).toEqual([1]);
  });
  it('have percentiles of each stage', () => {
    const store = storeWith();
    for (let ms = 1; ms <= 200; ms += 1) store.keep([answerOf(ms, { timings: { total: ms } })]);
    const { latency, buckets } = store.statistics({}, { ...TODAY, fromMs: TODAY.fromMs - DAY });
    expect(latency).toMatchObject({
      total: { count: 200, p50: 100, p90: 180, p99: 198 },
      routing: null,
    });
    expect(buckets.map((bucket) => bucket.latency)).toEqual([null, latency.total]);
  });
  it('count citations of each article, once per answer, and are found by article', () => {
    const store = storeWith();
    const cite = (number: number, files: (string | undefined)[], audiences?: string[]) => {
      const statements = files.map((file) => {
        const source = {
          name: `Title of "b.md": ${file}`,
          ...(file === undefined ? {} : { file }),
        };
        return { text: 'Yes.', sources: [source, source], support: 1, check: 'quoted' as const };
      });
      const verdict = number === 2 ? 'hedged' : 'answered';
      store.keep([answerOf(number, { statements, verdict })], audiences);
    };
    cite(1, ['a/b.md', 'a/b.md', undefined]);
    cite(2, ['b.md', 'a/b.md']);
    cite(3, ['secret.md'], ['staff']);
    judge(store, 1, {}, 'down');
    expect(store.statistics({}, TODAY).articles).toEqual([
      { article: 'a/b.md', title: 'Title of "b.md": a/b.md', total: 2, hedged: 1, down: 1 },
      { article: 'b.md', title: 'Title of "b.md": b.md', total: 1, hedged: 1, down: 0 },
    ]);
    expect(store.statistics({}, TODAY, ['staff']).articles).toHaveLength(3);
    const found = ['a/b.md', 'b.md', 'b', 'secret.md'].map(
      (article) => numbersIn(store, { article }).length,
    );
    expect(found).toEqual([2, 1, 0, 0]);
  });
  it('are judged or erased individually only with their audiences or by their sender, and erased with a person without them', () => {
    const store = storeWith();
    store.keep([answerOf(1, { person_id: 'p-1' })], ['staff', 'sales']);
    const judgeAs = (subject: string, ...audiences: string[]) =>
      judge(store, 1, { subject, mayJudgeAll: true, audiences });
    expect([judgeAs('user:key-2'), judgeAs('user:key-2', 'staff')]).toEqual([false, false]);
    expect([judgeAs('user:key-2', 'sales', 'staff'), judgeAs('user:key-1')]).toEqual([true, true]);
    const removed = [[], ['staff'], ['*']].map((audiences) => store.remove(idOf(1), audiences));
    expect([store.remove(idOf(1)), ...removed]).toEqual([false, false, false, true]);
    store.keep([answerOf(2, { person_id: 'p-1' })], ['staff']);
    expect(store.erase({ person_id: 'p-1' })).toBe(0);
    expect(store.list({ filter: {}, limit: 9, audiences: ['*'] }).total).toBe(0);
  });
  it('are counted by time, verdict and interface at once, as statistics count them', () => {
    const store = storeWith([1, 2]);
    store.keep([answerOf(3, { verdict: 'declined', interface: 'widget' })]);
    store.keep([answerOf(4, { verdict: 'hedged' })], ['staff']);
    judge(store, 3, { mayJudgeAll: true }, 'down');
    const range = { fromMs: TODAY.fromMs - DAY, toMs: TODAY.toMs, bucketMs: DAY };
    const [earlier, today] = store.counts(range);
    expect(earlier).toMatchObject({ total: 0, disliked: 0, interfaces: [] });
    const { buckets, interfaces } = store.statistics({}, TODAY);
    expect(today).toEqual({ total: 3, verdicts: buckets[0]?.verdicts, disliked: 1, interfaces });
    expect(store.counts(range, ['staff'])[1]?.total).toBe(4);
  });
  it('are counted only for callers with all their audiences', () => {
    const store = storeWith([1]);
    store.keep([answerOf(2)], ['staff']);
    store.keep(
      [answerOf(3, { verdict: 'declined', librarians: ['semantic'] })],
      ['staff', 'sales'],
    );
    const totals = (audiences?: string[]) => {
      const { total, latency, confidence, librarians, interfaces } = store.statistics(
        {},
        TODAY,
        audiences,
      );
      const shown = confidence.reduce((sum, tenth) => sum + tenth.total, 0);
      return [total, latency.total?.count, shown, interfaces[0]?.total, librarians.length];
    };
    for (const audiences of [undefined, ['sales']])
      expect(totals(audiences)).toEqual([1, 1, 1, 1, 1]);
    expect(totals(['staff'])).toEqual([2, 2, 2, 2, 1]);
    for (const audiences of [['staff', 'sales'], ['*']])
      expect(totals(audiences)).toEqual([3, 3, 3, 3, 2]);
  });
  it('compare the confidence of judged answers with the share that was right, without declined ones', () => {
    const store = storeWith();
    const keep = (
      number: number,
      confidence: number,
      value?: 'up' | 'down',
      more: Partial<AnswerInput> = {},
    ) => {
      store.keep([answerOf(number, { confidence, ...more })]);
      if (value !== undefined) judge(store, number, { mayJudgeAll: true }, value);
    };
    keep(1, 0.82, 'up');
    keep(2, 0.88, 'down');
    keep(3, 0.84);
    keep(4, 0.55, 'up', { verdict: 'hedged' });
    keep(5, 0.05, 'up', { verdict: 'declined' });
    const judged = store.statistics({}, TODAY).confidence.map((tenth) => tenth.judged);
    expect(judged[8]).toEqual({ total: 2, right: 1, confidence: expect.closeTo(0.85) });
    expect(judged[5]).toEqual({ total: 1, right: 1, confidence: 0.55 });
    expect(judged[0]).toEqual({ total: 0, right: 0, confidence: null });
  });
});
it('readAnswerLimits() treats empty variables as unset, and names an invalid one', () => {
  expect(readAnswerLimits({ ANSWER_DAYS: '', MAX_ANSWERS: '10' })).toEqual({
    days: 30,
    answers: 10,
  });
  expect(() => readAnswerLimits({ ANSWER_DAYS: '0' })).toThrow('ANSWER_DAYS');
  expect(() => readAnswerLimits({ MAX_ANSWERS: 'many' })).toThrow('MAX_ANSWERS');
});
