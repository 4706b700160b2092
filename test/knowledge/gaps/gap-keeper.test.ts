import { describe, expect, it } from 'vitest';
import { nodeSql } from '../../../src/dev/stand-ins/node-sql.ts';
import type { RemoteGapBook } from '../../../src/knowledge/gaps/gap-book.ts';
import { createGapKeeper, type GapKeeperParts } from '../../../src/knowledge/gaps/gap-keeper.ts';
import { sqlGapBook } from '../../../src/knowledge/gaps/sql-gap-book.ts';
import { createKnowledgeRetriever } from '../../../src/knowledge/retrieval/knowledge-retriever.ts';
import type { Edition } from '../../../src/search/open-edition.ts';
import { createRetriever } from '../../../src/search/retrieve.ts';
import { userContext } from '../../signing/callers.ts';
import { editionOf, entryOf, SAMPLE } from '../retrieval/sample-edition.ts';
import { asRemote } from './remote-book.ts';

const BEFORE = editionOf(SAMPLE);
const ZIGBEE = entryOf(
  'network/zigbee.md',
  { title: 'Pair the Apollo III with a Zigbee hub', intents: ['general_info'], devices: ['Apollo III'] },
  'Apollo III speaks Zigbee 3.0. Hold the button of the Zigbee hub for three seconds to pair it.',
);
const AFTER = editionOf([...SAMPLE, ZIGBEE], 'e000002-00000002');
const QUESTION = {
  intent: 'general_info',
  message: 'Hi,\ncan I pair my Apollo III with a Zigbee hub?\nRegards\nAnn',
  metadata: { product: 'Apollo III' },
};

/** A keeper and a retriever over gap books in memory and the active edition. */
const setUp = (parts: Partial<GapKeeperParts> = {}) => {
  const books = new Map<string, RemoteGapBook>();
  const bookOf = (workspace: string): RemoteGapBook => {
    const known = books.get(workspace);
    if (known !== undefined) return known;
    let ids = 0;
    const book = asRemote(sqlGapBook(nodeSql(), { newId: () => `${workspace}-${++ids}` }));
    books.set(workspace, book);
    return book;
  };
  const faults: string[] = [];
  const current: { edition: Edition } = { edition: BEFORE };
  const retrieve = createRetriever({});
  const keeper = createGapKeeper({
    books: { of: bookOf, workspaces: async () => [...books.keys()] },
    editionFor: async () => current.edition,
    retrieve,
    mask: (text) => text,
    onFault: (where) => void faults.push(where),
    now: () => Date.UTC(2026, 9, 1),
    ...parts,
  });
  const editionFor = async () => current.edition;
  const retriever = createKnowledgeRetriever({
    editionFor,
    retrieve,
    mask: (text) => text,
    gaps: keeper,
    now: () => 0,
  });
  const ask = async (
    question: Parameters<typeof retriever>[0],
    workspace = 'default',
    products?: string[],
    capabilities = ['kb:read', 'support:analyze'],
  ) => {
    const work: Promise<unknown>[] = [];
    const call = {
      context: userContext({ workspace, capabilities }),
      waitUntil: (each: Promise<unknown>) => void work.push(each),
      products,
    };
    const knowledge = await retriever(question, call);
    await Promise.all(work);
    return knowledge;
  };
  const listed = async (state: 'open' | 'closed' | 'all', workspace = 'default') =>
    (await (parts.books?.of ?? bookOf)(workspace).list({ state, limit: 50 })).gaps;
  const scopeOf = (workspace: string) => ({ context: userContext({ workspace }), waitUntil: () => undefined });
  return { keeper, ask, listed, scopeOf, current, faults };
};

describe('createGapKeeper()', () => {
  it('stores only unanswered questions, without greeting and signature', async () => {
    const { ask, listed } = setUp();
    await ask(QUESTION);
    await ask({ intent: 'not_hashing', message: 'My Apollo shows 0 H/s for 3 days.' });
    const gaps = await listed('open');
    expect(gaps).toMatchObject([{ count: 1, product: 'Apollo III', intent: 'general_info' }]);
    expect(gaps[0]?.example_queries).toEqual(['can I pair my Apollo III with a Zigbee hub?']);
  });

  it('stores nothing for a caller that may only read', async () => {
    const { ask, listed } = setUp();
    const { gaps } = await ask(QUESTION, 'default', undefined, ['kb:read']);
    expect(gaps).not.toEqual([]);
    expect(await listed('all')).toEqual([]);
  });

  it('masks personal data and the name of the customer before it stores a gap', async () => {
    const { ask, listed } = setUp({ mask: (text) => text.replaceAll('ann@example.org', '[email]') });
    const message = 'Can Ann Brown pair a Zigbee hub? Write to ann@example.org';
    await ask({ ...QUESTION, message, customer_name: 'Ann Brown', subject: 'Zigbee for ann@example.org' });
    expect(JSON.stringify(await listed('open'))).not.toMatch(/Ann|Brown|example\.org/);
  });

  it('stores only the sentences in which the gap was found, without names', async () => {
    const { ask, listed } = setUp();
    const message =
      'The card was delivered to Nakatomi Plaza 30.\nCan Ellis Holtzmann pair my Apollo IV with a Zigbee hub?\nHans Gruber\nNakatomi Plaza 30, Los Angeles';
    await ask({ ...QUESTION, message, metadata: { product: 'Apollo IV' }, subject: 'Question of Hans Gruber' });
    const gaps = await listed('open');
    expect(gaps[0]?.example_queries).toEqual(['Can [name] [name] pair my Apollo IV with a Zigbee hub?']);
    expect(JSON.stringify(gaps)).not.toMatch(/Hans|Gruber|Ellis|Holtzmann|Nakatomi|Los Angeles/);
  });

  it('closes the gaps that a new edition answers, and keeps the others open', async () => {
    const { ask, listed, current } = setUp();
    await ask(QUESTION);
    await ask({ intent: 'general_info', message: 'Is there a rack mount kit, 19 inch?' });
    current.edition = AFTER;
    await ask({ intent: 'not_hashing', message: 'My Apollo shows 0 H/s for 3 days.' });
    expect(await listed('closed')).toMatchObject([{ checked_edition: AFTER.id, product: 'Apollo III' }]);
    expect(await listed('open')).toMatchObject([{ checked_edition: AFTER.id }]);
    current.edition = BEFORE;
  });

  it('keeps a gap open that is still reported, even if the rest of its message is covered', async () => {
    const { ask, listed, keeper, scopeOf, current } = setUp();
    const message = 'My Apollo shows 0 H/s for 3 days. Does the Stratum proxy of Braiins speak Noise encryption?';
    expect(await ask({ intent: 'not_hashing', message })).toMatchObject({ coverage: 'high' });
    current.edition = AFTER;
    await keeper.refresh(scopeOf('default'));
    expect(await listed('all')).toMatchObject([{ state: 'open', checked_edition: AFTER.id }]);
  });

  it('checks gaps once per edition, and retries after a failure', async () => {
    let calls = 0;
    const book = asRemote(sqlGapBook(nodeSql(), { newId: () => 'one' }));
    const toCheck: RemoteGapBook['toCheck'] = async (...given) => {
      calls += 1;
      if (calls === 1) throw new Error('down');
      return book.toCheck(...given);
    };
    const books = { of: () => ({ ...book, toCheck }), workspaces: async () => [] };
    const { ask, faults } = setUp({ books });
    for (let times = 0; times < 4; times++) await ask(QUESTION);
    expect(calls).toBe(2);
    expect(faults).toEqual(['compare gaps']);
  });

  it('closes gaps on listing and on schedule, each workspace only its own', async () => {
    const { ask, keeper, listed, scopeOf, current } = setUp();
    await ask(QUESTION, 'acme');
    await ask({ intent: 'general_info', message: 'Is there a rack mount kit, 19 inch?' }, 'other');
    current.edition = AFTER;
    expect(await keeper.refresh(scopeOf('acme'))).toBe(AFTER.id);
    expect(await listed('closed', 'acme')).toHaveLength(1);
    await keeper.sweep(scopeOf);
    expect(await listed('open', 'other')).toMatchObject([{ checked_edition: AFTER.id }]);
    expect(await listed('all', 'default')).toEqual([]);
  });

  it('checks the other workspaces when the library of one fails', async () => {
    let nowMs = Date.UTC(2026, 9, 1);
    const gone: string[] = [];
    const editionFor: GapKeeperParts['editionFor'] = async ({ context: { workspace } }) => {
      if (workspace === 'acme') return AFTER;
      gone.push(workspace);
      throw new Error('there is no library');
    };
    const { ask, keeper, listed, scopeOf, faults } = setUp({ now: () => nowMs, editionFor });
    for (const workspace of ['abc', 'acme', 'other']) await ask(QUESTION, workspace);
    await keeper.sweep(scopeOf);
    expect(await listed('closed', 'acme')).toHaveLength(1);
    expect(await listed('open', 'other')).toHaveLength(1);
    expect(faults).toEqual(['compare gaps', 'compare gaps']);
    const [first] = gone.splice(0);
    nowMs += 3_600_000;
    await keeper.sweep(scopeOf);
    nowMs += 3_600_000;
    await keeper.sweep(scopeOf);
    expect(new Set([first, gone[0], gone[2]]).size).toBe(2);
  });

  it('yields to other work between two checks', async () => {
    const { ask, keeper, scopeOf, current } = setUp();
    for (const what of ['Zigbee hub', 'Tor relay', 'VPN tunnel', 'solar panel'])
      await ask({ ...QUESTION, message: `Can I use a ${what} with it?` });
    current.edition = AFTER;
    let turns = 0;
    let isDone = false;
    const others = async (): Promise<void> => {
      for (; !isDone; turns++) await new Promise((resolve) => setImmediate(resolve));
    };
    const waiting = others();
    await keeper.refresh(scopeOf('default'));
    isDone = true;
    await waiting;
    expect(turns).toBeGreaterThanOrEqual(4);
  });

  it('checks again with a product that only the taxonomy names', async () => {
    const { ask, keeper, listed, scopeOf, current } = setUp();
    await ask({ intent: 'not_hashing', message: 'My hyperion 9 shows 0 H/s for 3 days.' }, 'default', ['Hyperion 9']);
    current.edition = AFTER;
    await keeper.refresh(scopeOf('default'));
    expect(await listed('all')).toMatchObject([{ state: 'open', checked_edition: AFTER.id, product: 'Hyperion 9' }]);
  });

  it('resumes after a crash without losing anything', async () => {
    const book = asRemote(sqlGapBook(nodeSql(), { newId: () => crypto.randomUUID() }));
    const books = { of: () => book, workspaces: async () => ['default'] };
    const { ask, keeper, listed, scopeOf, current } = setUp({ books });
    const subjects = ['Zigbee hub', 'Tor relay', 'VPN tunnel', 'rack mount kit', 'solar panel'];
    for (const what of subjects) await ask({ ...QUESTION, message: `Can I use a ${what} with it?` });
    const open = await book.list({ state: 'open', limit: 50 });
    expect(open.total).toBe(subjects.length);
    current.edition = AFTER;
    const writes: number[] = [];
    const dying: RemoteGapBook = {
      ...book,
      toCheck: (edition, _, nowMs) => book.toCheck(edition, 2, nowMs),
      noteChecked: async (results, at) => {
        writes.push(results.length);
        if (writes.length > 1) throw new Error('the isolate ends');
        return book.noteChecked(results, at);
      },
    };
    const other = setUp({ books: { ...books, of: () => dying } });
    other.current.edition = AFTER;
    await other.keeper.refresh(scopeOf('default'));
    const compared = ({ checked_edition }: { checked_edition: string | null }) => checked_edition === AFTER.id;
    expect((await listed('all')).filter(compared)).toHaveLength(2);
    await keeper.refresh(scopeOf('default'));
    expect((await listed('all')).filter(compared)).toHaveLength(subjects.length);
    expect(await listed('closed')).toHaveLength(1);
  });

  it('never fails a response, whatever fails in the background', async () => {
    const broken = new Proxy({} as RemoteGapBook, { get: () => () => Promise.reject(new Error('down')) });
    const books = { of: () => broken, workspaces: () => Promise.reject(new Error('down')) };
    const { ask, keeper, scopeOf, faults } = setUp({ books });
    expect((await ask(QUESTION)).gaps).toHaveLength(1);
    expect(await keeper.refresh(scopeOf('default'))).toBe(BEFORE.id);
    await keeper.sweep(scopeOf);
    expect(faults).toEqual(['record gaps', 'compare gaps', 'compare gaps', 'list workspaces with gaps']);
  });
});
