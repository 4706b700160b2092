import { describe, expect, it } from 'vitest';
import type { KnowledgeGapReport } from '../../../src/contract/wire/knowledge.ts';
import type { Edition } from '../../../src/knowledge/edition/open-edition.ts';
import {
  ASKED,
  type CheckedGap,
  type RemoteGapBook,
} from '../../../src/knowledge/gaps/gap-book.ts';
import { sqlGapBook } from '../../../src/knowledge/gaps/sql-gap-book.ts';
import { createRetriever } from '../../../src/knowledge/search/retrieve.ts';
import { createGapKeeper, recheckGaps } from '../../../src/support/gaps/gap-keeper.ts';
import { createKnowledgeRetriever } from '../../../src/support/retrieval/retrieve-knowledge.ts';
import { shippedWordVectors } from '../../../tools/run/shipped-word-vectors.ts';
import { nodeSql } from '../../../tools/stand-ins/node-sql.ts';
import { asRemote } from '../../knowledge/gaps/remote-book.ts';
import { userContext } from '../../platform/context/callers.ts';
import { editionOf, entryOf, SAMPLE } from '../retrieval/sample-edition.ts';

type GapKeeperParts = Parameters<typeof createGapKeeper>[0];

const BEFORE = editionOf(SAMPLE);
const ZIGBEE = entryOf(
  'network/zigbee.md',
  {
    title: 'Pair the Apollo III with a Zigbee hub',
    intents: ['general_info'],
    devices: ['Apollo III'],
  },
  'Apollo III speaks Zigbee 3.0. Hold the button of the Zigbee hub for three seconds to pair it.',
);
const AFTER = editionOf([...SAMPLE, ZIGBEE], 'e000002-00000002');
const QUESTION = {
  intent: 'general_info',
  message: 'Hi,\ncan I pair my Apollo III with a Zigbee hub?\nRegards\nAnn',
  metadata: { product: 'Apollo III' },
};

const HASHING = { intent: 'not_hashing', message: 'My Apollo shows 0 H/s for 3 days.' };
const RACK = { intent: 'general_info', message: 'Is there a rack mount kit, 19 inch?' };
const canIUse = (what: string) => ({ ...QUESTION, message: `Can I use a ${what} with it?` });
const bookOf = (workspace: string): RemoteGapBook => {
  let ids = 0;
  return asRemote(sqlGapBook(nodeSql(), { newId: () => `${workspace}-${++ids}` }));
};

/** A keeper and a retriever over gap books in memory and the active edition. */
const setUp = (parts: Partial<GapKeeperParts> = {}) => {
  const books = new Map<string, RemoteGapBook>();
  const of = (workspace: string): RemoteGapBook => {
    const book = books.get(workspace) ?? bookOf(workspace);
    books.set(workspace, book);
    return book;
  };
  const faults: string[] = [];
  const current: { edition: Edition } = { edition: BEFORE };
  const shared = {
    editionFor: async () => current.edition,
    retrieve: createRetriever({}),
    mask: (text: string) => text,
  };
  const keeper = createGapKeeper({
    ...shared,
    books: { of, workspaces: async () => [...books.keys()] },
    onFault: (where: string) => void faults.push(where),
    now: () => Date.UTC(2026, 9, 1),
    ...parts,
  });
  const retriever = createKnowledgeRetriever({ ...shared, gaps: keeper, now: () => 0 });
  const ask = async (
    question: Parameters<typeof retriever>[0],
    {
      products,
      ...more
    }: { products?: string[]; workspace?: string; capabilities?: string[] } = {},
  ) => {
    const work: Promise<unknown>[] = [];
    const defaults = { workspace: 'default', capabilities: ['kb:read', 'support:analyze'] };
    const context = userContext({ ...defaults, ...more });
    const knowledge = await retriever(question, {
      context,
      waitUntil: (each) => void work.push(each),
      products,
    });
    await Promise.all(work);
    return knowledge;
  };
  const listed = async (state: 'open' | 'closed' | 'all', workspace = 'default') =>
    (await (parts.books?.of ?? of)(workspace).list({ state, limit: 50, nowMs: Date.now() })).gaps;
  const scopeOf = (workspace: string) => ({
    context: userContext({ workspace }),
    waitUntil: () => undefined,
  });
  const refresh = (workspace = 'default') => keeper.refresh(scopeOf(workspace));
  const report = (
    question: string,
    { workspace = 'default', ...more }: Partial<KnowledgeGapReport & { workspace: string }> = {},
  ) => keeper.report({ question, ...more }, scopeOf(workspace));
  return { ask, listed, report, refresh, sweep: () => keeper.sweep(scopeOf), current, faults };
};

it('stores only unanswered questions, without greeting and signature', async () => {
  const { ask, listed } = setUp();
  await ask(QUESTION);
  await ask(HASHING);
  const example_queries = ['can I pair my Apollo III with a Zigbee hub?'];
  const expected = [{ count: 1, product: 'Apollo III', intent: 'general_info', example_queries }];
  expect(await listed('open')).toMatchObject(expected);
});
it('counts a question that is declined when it is asked, although an article comes close', async () => {
  const { ask, listed, report } = setUp({ wordVectors: shippedWordVectors });
  const message = 'What is your VAT number? I need it for the invoice.';
  const ticket = { intent: 'warranty_claim', message: `Hello,\n${message}\nRegards\nAnn` };
  expect(await ask({ ...ticket, subject: 'Question' })).toMatchObject({ gaps: [] });
  const example_queries = ['What is your VAT number?'];
  expect(await listed('open')).toMatchObject([{ count: 1, example_queries }]);
  await report(message, { why: 'declined' });
  expect(await listed('open')).toMatchObject([{ count: 2 }]);
});
it('stores nothing for a caller that may only read', async () => {
  const { ask, listed } = setUp();
  expect((await ask(QUESTION, { capabilities: ['kb:read'] })).gaps).not.toEqual([]);
  expect(await listed('all')).toEqual([]);
});
it('masks personal data and the name of the customer before it stores a gap', async () => {
  const { ask, listed } = setUp({ mask: (text) => text.replaceAll('ann@example.org', '[email]') });
  const message = 'Can Ann Brown pair a Zigbee hub? Write to ann@example.org';
  await ask({
    ...QUESTION,
    message,
    customer_name: 'Ann Brown',
    subject: 'Zigbee for ann@example.org',
  });
  expect(JSON.stringify(await listed('open'))).not.toMatch(/Ann|Brown|example\.org/);
});
it('stores only the sentences in which the gap was found, without names', async () => {
  const { ask, listed } = setUp();
  const message =
    'The card was delivered to Nakatomi Plaza 30.\nCan Ellis Holtzmann pair my Apollo IV with a Zigbee hub?\nHans Gruber\nNakatomi Plaza 30, Los Angeles';
  await ask({
    ...QUESTION,
    message,
    metadata: { product: 'Apollo IV' },
    subject: 'Question of Hans Gruber',
  });
  const gaps = await listed('open');
  expect(gaps[0]?.example_queries).toEqual([
    'Can [name] [name] pair my Apollo IV with a Zigbee hub?',
  ]);
  expect(JSON.stringify(gaps)).not.toMatch(/Hans|Gruber|Ellis|Holtzmann|Nakatomi|Los Angeles/);
});
it('closes the gaps that a new edition answers, and keeps the others open', async () => {
  const { ask, listed, current } = setUp();
  await ask(QUESTION);
  await ask(RACK);
  current.edition = AFTER;
  await ask(HASHING);
  expect(await listed('closed')).toMatchObject([
    { checked_edition: AFTER.id, product: 'Apollo III' },
  ]);
  expect(await listed('open')).toMatchObject([{ checked_edition: AFTER.id }]);
});
it.each<[string, string, object, object]>([
  [
    'even if the rest of its message is covered',
    `${HASHING.message} Does the Stratum proxy of Braiins speak Noise encryption?`,
    {},
    { coverage: 'high' },
  ],
  [
    'on a product that only the taxonomy names',
    'My hyperion 9 shows 0 H/s for 3 days.',
    { products: ['Hyperion 9'] },
    { gaps: [expect.stringContaining('Hyperion 9')] },
  ],
])('keeps a gap open that is still reported, %s', async (_, message, given, knowledge) => {
  const { ask, listed, refresh, current } = setUp();
  expect(await ask({ ...HASHING, message }, given)).toMatchObject(knowledge);
  current.edition = AFTER;
  await refresh();
  expect(await listed('all')).toMatchObject([{ state: 'open', checked_edition: AFTER.id }]);
});
it('checks gaps once per edition, and retries after a failure', async () => {
  let calls = 0;
  const book = bookOf('default');
  const toCheck: RemoteGapBook['toCheck'] = async (...given) => {
    calls += 1;
    if (calls === 1) throw new Error('down');
    return book.toCheck(...given);
  };
  const { ask, faults } = setUp({
    books: { of: () => ({ ...book, toCheck }), workspaces: async () => [] },
  });
  for (let times = 0; times < 4; times++) await ask(QUESTION);
  expect([calls, faults]).toEqual([2, ['compare gaps']]);
});
it('closes gaps on listing and on schedule, each workspace only its own', async () => {
  const { ask, listed, refresh, sweep, current } = setUp();
  await ask(QUESTION, { workspace: 'acme' });
  await ask(RACK, { workspace: 'other' });
  current.edition = AFTER;
  expect(await refresh('acme')).toBe(AFTER.id);
  expect(await listed('closed', 'acme')).toHaveLength(1);
  await sweep();
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
  const { ask, listed, sweep, faults } = setUp({ now: () => nowMs, editionFor });
  for (const workspace of ['abc', 'acme', 'other']) await ask(QUESTION, { workspace });
  await sweep();
  expect([await listed('closed', 'acme'), await listed('open', 'other')]).toMatchObject([
    [{}],
    [{}],
  ]);
  expect(faults).toEqual(['compare gaps', 'compare gaps']);
  const [first] = gone.splice(0);
  for (let hours = 0; hours < 2; hours++) {
    nowMs += 3_600_000;
    await sweep();
  }
  expect(new Set([first, gone[0], gone[2]]).size).toBe(2);
});
it('yields to other work between two checks', async () => {
  const { ask, refresh, current } = setUp();
  for (const what of ['Zigbee hub', 'Tor relay', 'VPN tunnel', 'solar panel'])
    await ask(canIUse(what));
  current.edition = AFTER;
  let [turns, isDone] = [0, false];
  const others = (async () => {
    for (; !isDone; turns++) await new Promise((resolve) => setImmediate(resolve));
  })();
  await refresh();
  isDone = true;
  await others;
  expect(turns).toBeGreaterThanOrEqual(4);
});
it('resumes after a crash without losing anything', async () => {
  const book = bookOf('default');
  const workspaces = async () => ['default'];
  const { ask, listed, refresh, current } = setUp({ books: { of: () => book, workspaces } });
  const subjects = ['Zigbee hub', 'Tor relay', 'VPN tunnel', 'rack mount kit', 'solar panel'];
  for (const what of subjects) await ask(canIUse(what));
  expect(await listed('open')).toHaveLength(subjects.length);
  let writes = 0;
  const dying: RemoteGapBook = {
    ...book,
    toCheck: (edition, _, nowMs) => book.toCheck(edition, 2, nowMs),
    noteChecked: async (results, at) => {
      writes += 1;
      if (writes > 1) throw new Error('the isolate ends');
      return book.noteChecked(results, at);
    },
  };
  const other = setUp({ books: { of: () => dying, workspaces } });
  const compared = async () =>
    (await listed('all')).filter(({ checked_edition }) => checked_edition === AFTER.id).length;
  for (const each of [other, { current, refresh }]) each.current.edition = AFTER;
  await other.refresh();
  expect(await compared()).toBe(2);
  await refresh();
  expect([await compared(), (await listed('closed')).length]).toEqual([subjects.length, 1]);
});
it('never fails a response, whatever fails in the background', async () => {
  const broken = new Proxy({} as RemoteGapBook, {
    get: () => () => Promise.reject(new Error('down')),
  });
  const books = { of: () => broken, workspaces: () => Promise.reject(new Error('down')) };
  const { ask, refresh, sweep, faults } = setUp({ books });
  expect((await ask(QUESTION)).gaps).toHaveLength(1);
  expect(await refresh()).toBe(BEFORE.id);
  await sweep();
  expect(faults).toEqual([
    'record gaps',
    'compare gaps',
    'compare gaps',
    'list workspaces with gaps',
  ]);
});

describe('a reported question', () => {
  const PAYPAL = 'Do you take PayPal for spare parts?';
  it('is a gap with the question as its title', async () => {
    const { report, listed } = setUp();
    expect(await report(PAYPAL, { why: 'declined' })).toMatchObject({
      outcome: 'new',
      gap: { gap: PAYPAL, count: 1 },
    });
    expect(await listed('open')).toMatchObject([
      { gap: PAYPAL, missing: null, kind: 'question', example_queries: [PAYPAL] },
    ]);
  });
  it('is grouped with those that ask the same, and counts once an hour', async () => {
    const { report, listed } = setUp();
    await report(PAYPAL, { why: 'declined' });
    const again = 'Can I pay for spare parts with PayPal?';
    expect(await report(again, { why: 'unsure' })).toMatchObject({
      outcome: 'counted',
      gap: { count: 2 },
    });
    expect(await report(PAYPAL)).toMatchObject({ outcome: 'repeated', gap: { count: 2 } });
    expect((await report('Is there a student discount?', { why: 'declined' })).outcome).toBe('new');
    expect(await listed('open')).toMatchObject([
      { count: 2, example_queries: [again, PAYPAL] },
      { count: 1 },
    ]);
  });
  it.each([
    ['Wie heiß wird der Apollo?', 'Wie laut ist der Apollo III im Turbo-Modus?'],
    ['Quand est-ce que le Apollo chauffe ?', 'Combien est-ce que le Apollo consomme ?'],
    ['Kan de Apollo in de tuin staan?', 'Kan ik de Apollo in de auto gebruiken?'],
  ])(
    'keeps apart %j and %j, which share only common words of their language',
    async (one, other) => {
      const { report } = setUp();
      expect((await report(one, { why: 'declined' })).outcome).toBe('new');
      expect((await report(other, { why: 'declined' })).outcome).toBe('new');
    },
  );
  it.each([
    ['thanks', 'Thanks, that helped!', 'declined', 'no_question'],
    ['a request for a person', 'I want to talk to a person', 'declined', 'no_question'],
    ['what the articles answer', HASHING.message, 'unsure', 'answered'],
  ] as const)('is none for %s', async (_, question, why, outcome) => {
    const { report, listed } = setUp();
    expect(await report(question, { why })).toEqual({ gap: null, outcome });
    expect(await listed('all')).toEqual([]);
  });
  it('is stored on the word of a person, even if the articles seem to answer it', async () => {
    const { report } = setUp();
    expect(await report(HASHING.message)).toMatchObject({
      outcome: 'new',
      gap: { gap: HASHING.message },
    });
  });
  it('closes with an edition that answers it', async () => {
    const { report, listed, refresh, current } = setUp();
    const zigbee = 'How do I pair the Apollo III with a Zigbee hub?';
    await report(zigbee, { why: 'declined' });
    await report(PAYPAL, { why: 'declined' });
    current.edition = AFTER;
    await refresh();
    expect(await listed('closed')).toMatchObject([{ gap: zigbee }]);
    expect(await listed('open')).toMatchObject([{ gap: PAYPAL }]);
  });
  it('closes only when the edition answers every question that it stands for', async () => {
    const zigbee = 'How do I pair the Apollo III with a Zigbee hub?';
    const results: boolean[] = [];
    const closes = async (...messages: string[]) => {
      const queries = messages.map((message) => ({
        message,
        subject: null,
        intent: ASKED,
        product: null,
      }));
      const gap = {
        id: 'g-1',
        lastSeenMs: 1,
        kind: 'question',
        product: null,
        intent: null,
        subject: { stems: [] },
      } as const;
      const book = {
        toCheck: async () => [{ ...gap, queries }],
        noteChecked: async (checked: readonly CheckedGap[]) =>
          void results.push(...checked.map(({ isAnswered }) => isAnswered)),
      };
      const ask = () => Promise.reject(new Error('No question is a ticket'));
      await recheckGaps(AFTER, { book, ask, limit: 1, now: () => 1 });
    };
    await closes(zigbee);
    await closes(zigbee, PAYPAL);
    await closes(PAYPAL, zigbee);
    expect(results).toEqual([true, false, false]);
  });
  it('stays open while the answer that was disliked stays the same', async () => {
    const { report, listed, refresh, current } = setUp();
    await report(HASHING.message, { why: 'disliked' });
    current.edition = AFTER;
    await refresh();
    expect(await listed('open')).toMatchObject([
      { gap: HASHING.message, checked_edition: AFTER.id },
    ]);
  });
  it('is stored without personal data, and erased with the person', async () => {
    const books = bookOf('default');
    const { report, listed } = setUp({
      mask: (text) => text.replaceAll('ann@example.org', '[email]'),
      books: { of: () => books, workspaces: async () => ['default'] },
    });
    await report('Do you take PayPal from ann@example.org?', { why: 'declined', person_id: 'p-1' });
    expect(JSON.stringify(await listed('open'))).not.toContain('example.org');
    expect(await books.erasePerson('p-1')).toBe(1);
    expect(await listed('all')).toEqual([]);
  });
  it('is one of its workspace', async () => {
    const { report, listed } = setUp();
    await report(PAYPAL, { why: 'declined', workspace: 'other' });
    expect(await listed('all')).toEqual([]);
    expect(await listed('all', 'other')).toHaveLength(1);
  });
});
