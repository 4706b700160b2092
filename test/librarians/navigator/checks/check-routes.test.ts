import { describe, expect, it } from 'vitest';
import {
  KnowledgeChecks,
  KnowledgeChecksPreviewed,
  KnowledgeChecksWritten,
  KnowledgeCheckTried,
} from '../../../../src/contract/wire/checks.ts';
import type { CheckBook } from '../../../../src/knowledge/checks/check-book.ts';
import { sqlCheckBook } from '../../../../src/knowledge/checks/sql-check-book.ts';
import { buildEdition } from '../../../../src/knowledge/edition/build-edition.ts';
import { openEdition } from '../../../../src/knowledge/edition/open-edition.ts';
import { createCheckOptions } from '../../../../src/librarians/navigator/checks/check-options.ts';
import { checkRoutes } from '../../../../src/librarians/navigator/checks/check-routes.ts';
import { createApp } from '../../../../src/librarians/navigator/navigator-librarian.ts';
import { nodeSql } from '../../../../tools/stand-ins/node-sql.ts';
import { replyOf, scriptedModel } from '../../../answering/write/scripted-model.ts';
import { OFTEN, openSmallKb, QUOTE } from '../../../answering/write/small-kb.ts';
import { entryOf } from '../../../knowledge/search/edition-fixture.ts';
import { callFrom, identityOf, targetOf, userContext } from '../../../platform/context/callers.ts';

type CheckRouteParts = Parameters<typeof checkRoutes>[1];

const { edition } = openSmallKb();
const READ = ['kb:read'];
const WRITE = ['kb:checks:write'];
const BOTH = [...READ, ...WRITE];
const DESCALE = 'care/descale.md';

/** What a remote book does, in this process. */
const remote = (book: CheckBook): ReturnType<CheckRouteParts['books']> => ({
  put: async (...parameters) => book.put(...parameters),
  list: async (...parameters) => book.list(...parameters),
  readAll: async (...parameters) => book.readAll(...parameters),
  remove: async (...parameters) => book.remove(...parameters),
  start: async (...parameters) => book.start(...parameters),
  noteEdition: async (...parameters) => book.noteEdition(...parameters),
});

const desk = async (given: Parameters<typeof deskAndBook>[0] = {}) =>
  (await deskAndBook(given)).call;

const deskAndBook = async (
  given: Partial<CheckRouteParts> & {
    ai?: ReturnType<typeof scriptedModel> | undefined;
    max?: number;
  } = {},
) => {
  const { ai, max, ...more } = given;
  const identity = await identityOf('navigator');
  const book = sqlCheckBook(nodeSql(), { maxChecks: max });
  const editionFor = async () => edition;
  const app = createApp({ ...identity, log: () => undefined, editionFor });
  const parts = {
    books: () => remote(book),
    readDraft: async () => ({ edition }),
    checkOptions: createCheckOptions({ ai }),
  };
  checkRoutes(app, {
    guard: { ...identity, access: 'signed', log: () => undefined },
    editionFor,
    ...parts,
    ...more,
  });
  const targets = { navigator: targetOf(app).target };
  const call = async (
    route: string,
    body?: unknown,
    capabilities: readonly string[] = READ,
    audiences: readonly string[] = [],
  ) => {
    const [method = '', path = ''] = route.split(' ');
    const context = userContext({
      workspace: 'acme',
      capabilities: [...capabilities],
      audiences: [...audiences],
    });
    const request = { to: 'navigator', method, path: `/v1/knowledge/checks${path}`, body };
    const { answer } = await callFrom('gateway', context, { targets, request });
    if (!answer.ok) throw new Error(answer.error.message);
    return {
      status: answer.status,
      // biome-ignore lint/suspicious/noExplicitAny: tests check replies of any shape
      reply: (answer.body.length === 0 ? undefined : answer.json()) as any,
    };
  };
  return { call, book };
};

/** Notes that all checks were green, with an answer that has this text. */
const noteGreen = (book: CheckBook, text = '') => {
  for (const { id, input } of book.readAll(['*'])) {
    const answer = { outcome: 'answered' as const, text, cites: [] };
    const result = { state: 'green' as const, lacks: [], answer };
    book.note({ id, input, result, edition: 'e1', changes: [] }, Date.now());
  }
};

const often = { question: OFTEN, cites: DESCALE };
const many = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    question: `${OFTEN} (${at})`,
    contains: `no such words ${at}`,
  }));

describe('the routes of checks', () => {
  it('store, list, start and delete', async () => {
    const call = await desk();
    const written = await call(
      'PUT ',
      { checks: [often, { question: 'Who won?', declined: true }] },
      WRITE,
    );
    expect(KnowledgeChecksWritten.parse(written.reply)).toEqual({
      added: 2,
      changed: 0,
      unchanged: 0,
    });
    const { checks, running } = KnowledgeChecks.parse((await call('GET ?state=not_run')).reply);
    expect([checks.map(({ question }) => question), running]).toEqual([[OFTEN, 'Who won?'], true]);
    expect(await call('POST /run', {}, WRITE)).toEqual({ status: 202, reply: { checks: 2 } });
    expect((await call(`DELETE /${checks[0]?.id}`, undefined, WRITE)).status).toBe(204);
    expect((await call(`DELETE /${checks[0]?.id}`, undefined, WRITE)).status).toBe(404);
    const gone = await call('PUT ', { checks: [{ ...often, id: checks[0]?.id }] }, WRITE);
    expect(gone).toMatchObject({
      status: 404,
      reply: {
        error: {
          code: 'NOT_FOUND',
          message: expect.stringContaining('there is no check of this id'),
        },
      },
    });
  });

  it('list the title of the article that a check has to cite, to a caller who may read that', async () => {
    const { call } = await deskAndBook();
    await call('PUT ', { checks: [often, { question: 'Who won?', cites: 'no-such.md' }] }, WRITE);
    const { checks } = KnowledgeChecks.parse((await call('GET ')).reply);
    expect(checks.map((check) => check.cites_title)).toEqual(['Descale the boiler', undefined]);
  });

  it('know a question again, whatever its white space', async () => {
    const call = await desk();
    await call('PUT ', { checks: [often] }, WRITE);
    const again = { ...often, question: ` ${OFTEN.replaceAll(' ', '  ')}` };
    expect((await call('PUT ', { checks: [again] }, WRITE)).reply).toMatchObject({
      added: 0,
      changed: 1,
    });
  });

  it('know a question again with another key, and once an article names audiences', async () => {
    let current = edition;
    const { call, book } = await deskAndBook({ editionFor: async () => current });
    const put = async (body: object, audiences: string[]) =>
      (await call('PUT ', body, WRITE, audiences)).reply;
    await put({ checks: [often] }, ['staff']);
    const secret = { id: 'safe.md', audiences: ['staff'], sections: [{ text: 'The safe.' }] };
    const identity = { id: 'e2', workspace: 'acme', createdAt: '2026-01-02T03:04:05Z' };
    current = openEdition(buildEdition([entryOf(secret)], identity));
    const again = { added: 0, changed: 0, unchanged: 1 };
    for (const audiences of [['staff'], [], ['board']])
      expect(await put({ checks: [often] }, audiences)).toEqual(again);
    const kept = { checks: [{ ...often, contains: 'year' }], only_new: true };
    expect(await put(kept, [])).toEqual(again);
    expect(book.readAll(['*'])).toMatchObject([{ audiences: [], input: often }]);
  });

  it('show, run and delete nothing of audiences that the key does not hold', async () => {
    const { call, book } = await deskAndBook();
    book.put({ checks: [{ id: 'c1', input: often }], audiences: ['staff'], nowMs: 0 });
    noteGreen(book);
    const body = { id: DESCALE, article: { title: 'Descale', content: 'Every month.' } };
    for (const [audiences, count] of [
      [['board'], 0],
      [['staff'], 1],
    ] as const) {
      expect((await call('GET ', undefined, READ, audiences)).reply.checks).toHaveLength(count);
      expect((await call('POST /run', {}, WRITE, audiences)).reply.checks).toBe(count);
      expect((await call('POST /preview', body, BOTH, audiences)).reply.run).toBe(count);
      const { status } = await call('DELETE /c1', undefined, WRITE, audiences);
      expect(status).toBe(count === 0 ? 404 : 204);
    }
  });

  it('try a check without storing it, by quotes and with a model', async () => {
    for (const ai of [undefined, scriptedModel(replyOf([{ text: QUOTE, from: 'How often' }]))]) {
      const call = await desk({ ai });
      const { reply } = await call('POST /try', { ...often, contains: 'every' });
      expect(KnowledgeCheckTried.parse(reply)).toMatchObject({
        state: 'green',
        edition: 'e1',
        lacks: [],
      });
      expect((await call('GET ')).reply.checks).toEqual([]);
      expect(ai === undefined || ai.calls.length > 0).toBe(true);
    }
  });

  it('are refused without their right, and for what is no check', async () => {
    const call = await desk({ max: 1 });
    for (const [route, body] of [
      ['PUT ', { checks: [often] }],
      ['POST /run', {}],
      ['POST /preview', {}],
      ['DELETE /c1', undefined],
    ] as const)
      expect([route, (await call(route, body)).status]).toEqual([route, 401]);
    expect((await call('POST /preview', {}, WRITE)).status).toBe(401);
    expect((await call('POST /try', often, ['sql:read'])).status).toBe(401);
    for (const check of [
      { question: OFTEN },
      { ...often, declined: true },
      { ...often, cites: '/etc/passwd' },
    ])
      expect((await call('POST /try', check)).reply.error.code).toBe('INVALID_QUERY');
    const full = await call(
      'PUT ',
      { checks: [often, { question: 'Who won?', declined: true }] },
      WRITE,
    );
    expect(full.reply.error).toMatchObject({
      code: 'INVALID_QUERY',
      message: expect.stringMatching(/1 too many/),
    });
  });

  it('say that a check could not be run while the model is down', async () => {
    const down = {
      ...scriptedModel(replyOf([])),
      complete: () => Promise.reject(new Error('down')),
    };
    const { status, reply } = await (await desk({ ai: down }))('POST /try', {
      ...often,
      contains: 'no such words',
    });
    expect([status, reply.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  });

  it('preview what would turn red, a hundred at most, and write nothing', async () => {
    const { call, book } = await deskAndBook();
    for (const from of [0, 60])
      await call('PUT ', { checks: many(120).slice(from, from + 60) }, WRITE);
    await call('PUT ', { checks: [often] }, WRITE);
    noteGreen(book);
    await call('PUT ', { checks: [{ question: 'Never run?', contains: 'no such words' }] }, WRITE);
    const body = { id: DESCALE, article: { title: 'Descale', content: 'Every month.' } };
    const { reply } = await call('POST /preview', body, BOTH);
    const { run, omitted, checks, more } = KnowledgeChecksPreviewed.parse(reply);
    expect([run, omitted, checks.length, more]).toEqual([122, 0, 100, 20]);
    expect(checks[0]).toMatchObject({ was: 'green', state: 'red', lacks: ['contains'] });
    expect((await call('GET ')).reply.counts).toEqual({ red: 0, not_run: 1, green: 121 });
  });

  it('list no answer of an edition that could not be read', async () => {
    for (const [editionFor, text] of [
      [async () => edition, QUOTE],
      [() => Promise.reject(new Error('down')), undefined],
    ] as const) {
      const { call, book } = await deskAndBook({ editionFor });
      book.put({ checks: [{ id: 'c1', input: often }], audiences: [], nowMs: 0 });
      noteGreen(book, QUOTE);
      expect((await call('GET ')).reply.checks[0].answer?.text).toBe(text);
    }
  });

  it('build no edition where there is no check, and say why one cannot be built', async () => {
    const readDraft = async () => ({ refusal: 'the content is empty' });
    const call = await desk({ readDraft });
    const body = { id: DESCALE, article: { title: 'Descale', content: 'Every month.' } };
    expect((await call('POST /preview', body, BOTH)).reply).toEqual({
      run: 0,
      omitted: 0,
      checks: [],
      more: 0,
    });
    await call('PUT ', { checks: [often] }, WRITE);
    expect((await call('POST /preview', body, BOTH)).reply.error).toMatchObject({
      message: 'the content is empty',
    });
  });
});
