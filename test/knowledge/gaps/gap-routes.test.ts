import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { KnowledgeGapsResponse } from '../../../src/contract/knowledge-gaps.ts';
import { nodeSql } from '../../../src/dev/stand-ins/node-sql.ts';
import type { GapBook } from '../../../src/knowledge/gaps/gap-book.ts';
import { gapRoutes } from '../../../src/knowledge/gaps/gap-routes.ts';
import { sqlGapBook } from '../../../src/knowledge/gaps/sql-gap-book.ts';
import { faultHandler, type GuardedEnv, type GuardOptions } from '../../../src/runtime/context-guard.ts';
import { createMask } from '../../../src/runtime/privacy/mask.ts';
import { MASK_KINDS } from '../../../src/runtime/privacy/mask-kind.ts';
import { CONTEXT_HEADER } from '../../../src/signing/limits.ts';
import { localDirectory, localSigner } from '../../../src/signing/local-directory.ts';
import { originate } from '../../../src/signing/request-context.ts';
import { mintContext } from '../../../src/signing/sign-link.ts';
import { asRemote } from './remote-book.ts';

const PATH = '/v1/knowledge/gaps';
const { mask } = createMask(MASK_KINDS);

const bookWith = (subjects: readonly string[]): GapBook => {
  let ids = 0;
  const book = sqlGapBook(nodeSql(), { newId: () => `gap-${++ids}` });
  for (const subject of subjects) meet(book, subject);
  return book;
};

let requests = 0;
const meet = (book: GapBook, subject: string, person?: string): void =>
  book.record({
    requestHash: `request ${++requests}`,
    by: 'user:key-1',
    query: { message: `Is there a ${subject}?`, subject: null, intent: 'general_info', product: null, person },
    gaps: [
      {
        ...{ kind: 'question', gap: `No article answers what is asked about “${subject}”`, product: null },
        ...{ intent: 'general_info', subject: { stems: [[subject, 1]] } },
      },
    ],
    edition: 'e000001-00000001',
    nowMs: Date.UTC(2026, 9, 1),
  });

/** Calls a route with a context that the gateway signed; the library is not available. */
const call = async (
  book: GapBook,
  way: string,
  { method = 'GET', capabilities = ['support:analyze'] }: { method?: string; capabilities?: string[] } = {},
): Promise<Response> => {
  const guard: GuardOptions = {
    ...{ self: 'support', access: 'signed', log: () => undefined },
    ...{ signer: await localSigner('support'), directory: await localDirectory() },
  };
  const app = new Hono<GuardedEnv>();
  const remote = asRemote(book);
  gapRoutes(app, { guard, books: { of: () => remote }, keeper: { refresh: async () => undefined }, mask });
  app.onError(faultHandler(guard));
  const origin = { self: 'gateway', subject: 'user:test', authentication: 'key', workspace: 'acme' };
  const context = originate({ ...origin, capabilities, timeoutMs: 5000, now: Date.now() });
  const target = { aud: 'support', op: `${method} ${PATH}${way}`, body: new Uint8Array() };
  const { token } = await mintContext(context, { ...target, signer: await localSigner('gateway'), now: Date.now() });
  return app.request(`http://support${PATH}${way}`, { method, headers: { [CONTEXT_HEADER]: token } });
};

const list = async (book: GapBook, query = ''): Promise<KnowledgeGapsResponse> => {
  const response = await call(book, query);
  expect(response.status).toBe(200);
  return KnowledgeGapsResponse.parse(await response.json());
};

describe('GET /v1/knowledge/gaps', () => {
  it('masks questions that were stored before a pattern was added', async () => {
    const { gaps } = await list(bookWith(['ann@example.org']));
    expect(gaps).toMatchObject([{ example_queries: ['Is there a [email]?'] }]);
    expect(JSON.stringify(gaps)).not.toContain('ann@example.org');
  });
  it('lists the stored gaps when the library of a workspace fails', async () => {
    expect(await list(bookWith(['rack']))).toMatchObject({ total: 1, edition: null });
  });

  it('neither repeats nor omits gaps when counts change between two pages', async () => {
    const subjects = ['zigbee', 'rack', 'tor', 'vpn', 'solar', 'kettle'];
    const book = bookWith([...subjects, ...subjects.slice(0, 3), 'zigbee']);
    const seen: string[] = [];
    let next = '';
    for (let pages = 0; pages < 6; pages++) {
      const page = await list(book, `?limit=2${next}`);
      seen.push(...page.gaps.map(({ gap }) => /“(.*)”/.exec(gap)?.[1] ?? ''));
      // The most frequent gap is recorded again, and one that is not listed yet.
      if (pages === 0) for (const subject of ['zigbee', 'vpn']) meet(book, subject);
      if (page.next_cursor === null) break;
      next = `&cursor=${page.next_cursor}`;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(subjects.filter((each) => each !== 'vpn')));
  });
});

describe('DELETE /v1/knowledge/gaps', () => {
  const may = { method: 'DELETE', capabilities: ['support:gaps:write'] };

  it('deletes a gap by its id', async () => {
    const book = bookWith(['zigbee', 'rack']);
    expect((await call(book, '/gap-1', may)).status).toBe(204);
    expect((await call(book, '/gap-1', may)).status).toBe(404);
    expect((await list(book, '?state=all')).gaps).toMatchObject([{ example_queries: ['Is there a rack?'] }]);
  });

  it('erases the questions of a person, and gaps without any other question', async () => {
    const book = bookWith(['rack']);
    for (const subject of ['zigbee', 'rack']) meet(book, subject, 'p-1');
    expect(await (await call(book, '?person_id=p-1', may)).json()).toEqual({ erased: 2 });
    expect(await (await call(book, '?person_id=p-1', may)).json()).toEqual({ erased: 0 });
    expect(book.list({ state: 'all', limit: 9 }).gaps.map(({ gap }) => gap)).toEqual([expect.stringContaining('rack')]);
  });

  it('requires its own capability, and a person or an id', async () => {
    const book = bookWith(['rack']);
    expect((await call(book, '/gap-1', { ...may, capabilities: ['support:analyze'] })).status).toBe(401);
    for (const way of ['', '?person_id=', '?person_id=a b', '?all=true'])
      expect((await call(book, way.replace(' ', '%20'), may)).status, way).toBe(400);
    expect(book.list({ state: 'all', limit: 9 }).total).toBe(1);
  });
});
