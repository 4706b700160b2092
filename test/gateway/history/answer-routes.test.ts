import { Hono } from 'hono/tiny';
import { expect, it } from 'vitest';
import { MAX_KEPT_TOGETHER } from '../../../src/contract/wire/answers.ts';
import { answerRoutes } from '../../../src/gateway/history/answer-routes.ts';
import { remoteAnswers } from '../../../src/gateway/history/answer-store.ts';
import { sqlAnswerStore } from '../../../src/gateway/history/sql-answer-store.ts';
import type { GuardedEnv } from '../../../src/platform/context/context-guard.ts';
import { nodeSql } from '../../../tools/stand-ins/node-sql.ts';
import { callFrom, identityOf, targetOf, userContext } from '../../platform/context/callers.ts';
import { objectOf } from '../../platform/rpc/object-for-test.ts';
import { answerOf, idOf } from './answer-for-test.ts';

const start = async () => {
  const store = sqlAnswerStore(nodeSql(), { limits: { days: 30, answers: 100 } });
  const app = new Hono<GuardedEnv>();
  const guard = {
    ...(await identityOf('memory')),
    access: 'signed' as const,
    log: () => undefined,
  };
  answerRoutes(app, {
    guard,
    answersOf: (workspace) => remoteAnswers(() => objectOf(store), workspace),
    mask: (text) => text,
  });
  const context = userContext({ capabilities: ['answers:keep:write'], audiences: ['staff'] });
  const keep = async (body: unknown) => {
    const request = { to: 'memory', path: '/v1/answers', body };
    const { answer } = await callFrom('gateway', context, {
      targets: { memory: targetOf(app).target },
      request,
    });
    return answer.ok ? answer.status : answer.error.code;
  };
  const ids = () =>
    store.list({ filter: {}, limit: 200, audiences: ['staff'] }).answers.map(({ id }) => id);
  return { keep, ids };
};

it('stores a list of answers, or one answer as earlier gateways send it', async () => {
  const { keep, ids } = await start();
  expect(await keep([answerOf(1), answerOf(2)])).toBe(201);
  expect(await keep(answerOf(3))).toBe(201);
  expect(ids()).toEqual([3, 2, 1].map(idOf));
});
it('stores the others when one of them is invalid, and answers 400', async () => {
  const { keep, ids } = await start();
  const faulty: object = { ...answerOf(2), verdict: 'wrong' };
  expect(await keep([answerOf(1), faulty, answerOf(3)])).toBe(400);
  expect(ids()).toEqual([3, 1].map(idOf));
});
it('refuses longer lists than the gateway sends', async () => {
  const { keep, ids } = await start();
  const many = Array.from({ length: MAX_KEPT_TOGETHER + 1 }, (_, at) => answerOf(at));
  expect(await keep(many)).toBe(400);
  expect(await keep([])).toBe(400);
  expect(ids()).toEqual([]);
});
