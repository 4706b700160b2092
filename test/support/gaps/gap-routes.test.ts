import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { KnowledgeGapsResponse } from '../../../src/contract/wire/knowledge.ts';
import type { GapBook } from '../../../src/knowledge/gaps/gap-book.ts';
import { sqlGapBook } from '../../../src/knowledge/gaps/sql-gap-book.ts';
import { MASK_KINDS } from '../../../src/language/privacy/find-personal-data.ts';
import { createMask } from '../../../src/language/privacy/mask.ts';
import {
  faultHandler,
  type GuardedEnv,
  type GuardOptions,
} from '../../../src/platform/context/context-guard.ts';
import { gapRoutes } from '../../../src/support/gaps/gap-routes.ts';
import { nodeSql } from '../../../tools/stand-ins/node-sql.ts';
import { asRemote } from '../../knowledge/gaps/remote-book.ts';
import { identityOf, signedRequest, userContext } from '../../platform/context/callers.ts';

const PATH = '/v1/knowledge/gaps';
const { mask } = createMask(MASK_KINDS);
let requests = 0;
const meet = (book: GapBook, subject: string, person?: string): void => {
  const [product, intent] = [null, 'general_info'];
  const gap = `No article answers what is asked about “${subject}”`;
  book.record({
    requestHash: `request ${++requests}`,
    by: 'user:key-1',
    edition: 'e000001-00000001',
    nowMs: 1,
    query: { message: `Is there a ${subject}?`, subject: null, intent, product, person },
    gaps: [{ kind: 'question', gap, product, intent, subject: { stems: [[subject, 1]] } }],
  });
};
const bookWith = (...subjects: string[]): GapBook => {
  let ids = 0;
  const book = sqlGapBook(nodeSql(), { newId: () => `gap-${++ids}` });
  for (const subject of subjects) meet(book, subject);
  return book;
};

/** Calls a route with a context that the gateway signed; the library is not available. */
const call = async (
  book: GapBook,
  way: string,
  method = 'GET',
  capability = 'support:analyze',
): Promise<Response> => {
  const guard: GuardOptions = {
    ...(await identityOf('support')),
    access: 'signed',
    log: () => undefined,
  };
  const app = new Hono<GuardedEnv>();
  const remote = asRemote(book);
  const report = async () => ({ gap: null, outcome: 'unavailable' as const });
  const keeper = { refresh: async () => undefined, report };
  gapRoutes(app, { guard, books: { of: () => remote }, keeper, mask });
  app.onError(faultHandler(guard));
  const context = userContext({ workspace: 'acme', capabilities: [capability] });
  return app.request(await signedRequest('support', method, `${PATH}${way}`, { context }));
};

const list = async (book: GapBook, query = ''): Promise<KnowledgeGapsResponse> => {
  const response = await call(book, query);
  expect(response.status).toBe(200);
  return KnowledgeGapsResponse.parse(await response.json());
};

describe('GET /v1/knowledge/gaps', () => {
  it('masks questions that were stored before a pattern was added, and needs no library', async () => {
    const listed = await list(bookWith('ann@example.org'));
    expect(listed).toMatchObject({
      total: 1,
      edition: null,
      gaps: [{ example_queries: ['Is there a [email]?'] }],
    });
    expect(JSON.stringify(listed)).not.toContain('ann@example.org');
  });
  it('finds the gap of a question, whatever personal data it names', async () => {
    const book = bookWith('[email]', 'rack');
    const examplesOf = async (question: string) => {
      const query = new URLSearchParams({ state: 'all', question });
      return (await list(book, `?${query}`)).gaps.map(({ example_queries: examples }) => examples);
    };
    expect(await examplesOf('Is there a rack?')).toEqual([['Is there a rack?']]);
    expect(await examplesOf('Is there a ann@example.org?')).toEqual([['Is there a [email]?']]);
    expect(await examplesOf('Is there a ladder?')).toEqual([]);
  });
  it('neither repeats nor omits gaps when counts change between two pages', async () => {
    const subjects = ['zigbee', 'rack', 'tor', 'vpn', 'solar', 'kettle'];
    const book = bookWith(...subjects, ...subjects.slice(0, 3), 'zigbee');
    const seen: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null && seen.length < 12; ) {
      const page = await list(book, `?limit=2${cursor ? `&cursor=${cursor}` : ''}`);
      seen.push(...page.gaps.map(({ missing }) => /“(.*)”/.exec(missing ?? '')?.[1] ?? ''));
      // The most frequent gap is recorded again, and one that is not listed yet.
      if (cursor === undefined) for (const subject of ['zigbee', 'vpn']) meet(book, subject);
      cursor = page.next_cursor;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(subjects.filter((each) => each !== 'vpn')));
  });
});

describe('DELETE /v1/knowledge/gaps', () => {
  const remove = (book: GapBook, way: string) => call(book, way, 'DELETE', 'support:gaps:write');
  const all = (book: GapBook) =>
    book
      .list({ state: 'all', limit: 9, nowMs: Date.now() })
      .gaps.map(({ missing }) => /“(.*)”/.exec(missing ?? '')?.[1]);
  it('deletes a gap by its id', async () => {
    const book = bookWith('zigbee', 'rack');
    expect([(await remove(book, '/gap-1')).status, (await remove(book, '/gap-1')).status]).toEqual([
      204, 404,
    ]);
    expect(all(book)).toEqual(['rack']);
  });
  it('erases the questions of a person, and gaps without any other question', async () => {
    const book = bookWith('rack');
    for (const subject of ['zigbee', 'rack']) meet(book, subject, 'p-1');
    for (const erased of [2, 0])
      expect(await (await remove(book, '?person_id=p-1')).json()).toEqual({ erased });
    expect(all(book)).toEqual(['rack']);
  });
  it('requires its own capability, and a person or an id', async () => {
    const book = bookWith('rack');
    expect((await call(book, '/gap-1', 'DELETE')).status).toBe(401);
    for (const way of ['', '?person_id=', '?person_id=a%20b', '?all=true'])
      expect((await remove(book, way)).status, way).toBe(400);
    expect(all(book)).toEqual(['rack']);
  });
});
