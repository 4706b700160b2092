import { expect, it, vi } from 'vitest';
import type { Constellation } from '../../../client/constellation.ts';
import { keepAsCheck } from '../../../src/web/console/checks/keep-check.ts';

const question = 'Which port?';
const { signal } = new AbortController();

/** Checks of a deployment that cites these articles now, and has so many of the question. */
const checksWith = (cited: string[], stored = 0) => {
  const put = vi.fn(async () => ({ added: 1 - stored, changed: 0, unchanged: stored }));
  const cites = cited.map((id) => ({ id, title: id }));
  const tried = vi.fn(async () => ({ state: 'red', lacks: [], answer: { cites } }));
  // Only these two are called.
  return { put, checks: { put, try: tried } as unknown as Constellation['checks'] };
};

it.each<
  [name: string, cites: string | null | undefined, cited: string[], stored: object | undefined]
>([
  ['keeps the article that an answer cited', 'ports.md', [], { question, cites: 'ports.md' }],
  ['keeps the article that is cited now', undefined, ['ports.md'], { question, cites: 'ports.md' }],
  ['keeps that a question was declined', null, ['ports.md'], { question, declined: true }],
  ['stores nothing for an answer that no article gives now', undefined, [], undefined],
])('%s', async (_, cites, cited, stored) => {
  const { put, checks } = checksWith(cited);
  expect(await keepAsCheck(checks, { question, cites }, signal)).toEqual(stored ?? 'unanswered');
  const call = [[stored], { onlyNew: true, signal }];
  expect(put.mock.calls).toEqual(stored === undefined ? [] : [call]);
});

it('says that there is a check of the question, which stays', async () => {
  const { checks } = checksWith([], 1);
  expect(await keepAsCheck(checks, { question, cites: 'ports.md' }, signal)).toBe('exists');
});
