import { beforeEach, describe, expect, it } from 'vitest';
import {
  TicketOutcomes,
  type TicketsRequest,
  TicketsResponse,
} from '../../../src/contract/wire/tickets.ts';
import type { JobReport } from '../../../src/support/tickets/ticket-objects.ts';
import {
  articleSync,
  rateLimitPauses,
  ticketIndex,
} from '../../../src/support/tickets/workspace-store.ts';
import type { HelpdeskId } from '../../../src/support/tools/helpdesk-tool.ts';
import { nodeSql } from '../../../tools/stand-ins/node-sql.ts';

const msAt = (minute: number): number => Date.UTC(2026, 0, 1, 0, minute);
const at = (minute: number): string => new Date(msAt(minute)).toISOString();
const place = (ticketId = '1207', helpdesk: HelpdeskId = 'chatwoot') => ({ helpdesk, ticketId });
const job = (more: Partial<JobReport> = {}): JobReport => ({
  job: 1,
  version: 1,
  state: 'open',
  result: null,
  attempts: 1,
  last_error: null,
  accepted_at: at(0),
  changed_at: at(0),
  next_attempt_at: at(1),
  ...more,
});

describe('ticketIndex()', () => {
  let index: ReturnType<typeof ticketIndex>;
  beforeEach(() => {
    index = ticketIndex(nodeSql());
  });
  const listed = (request: Partial<TicketsRequest>) =>
    TicketsResponse.omit({ helpdesks: true }).parse(index.list({ limit: 50, ...request }));
  const idsIn = (request: Partial<TicketsRequest>) => listed(request).tickets.map(({ id }) => id);
  it('lists jobs by state, the latest change first', () => {
    const dead = job({ job: 2, changed_at: at(3), state: 'dead', last_error: 'No.' });
    index.report(place('1'), [job({ changed_at: at(1) }), dead]);
    index.report(place('2'), [job({ changed_at: at(2) })]);
    expect(idsIn({ state: 'open' })).toEqual(['chatwoot/2/1', 'chatwoot/1/1']);
    expect(listed({ state: 'dead' })).toMatchObject({
      total: 1,
      tickets: [{ id: 'chatwoot/1/2', last_error: 'No.' }],
    });
    expect(listed({ state: 'done' })).toEqual({ tickets: [], total: 0, next_cursor: null });
  });
  it('keeps the newest report, in whatever order they arrive', () => {
    const done = job({ version: 5, state: 'done', result: 'note' });
    for (const report of [done, job({ version: 2 }), job({ version: 5 })])
      index.report(place(), [report]);
    expect([listed({ state: 'open' }).total, listed({ state: 'done' }).total]).toEqual([0, 1]);
  });
  it('lists pages without gaps or repetitions', () => {
    for (let count = 0; count < 25; count += 1)
      index.report(place(`t${count}`), [job({ changed_at: at(count % 3) })]);
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = listed({ state: 'open', limit: 7, cursor });
      ids.push(...page.tickets.map(({ id }) => id));
      expect(page.total).toBe(25);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect([ids.length, new Set(ids).size]).toEqual([25, 25]);
    expect(index.list({ state: 'open', limit: 5, cursor: 'x' })).toBe('unknown cursor');
  });
  it('filters by state, tool and ticket together, and pages what is left', () => {
    for (const [minute, state] of (['open', 'done', 'dead'] as const).entries())
      for (const helpdesk of ['chatwoot', 'zendesk'] as const)
        for (const ticketId of ['1', '2'])
          index.report(place(ticketId, helpdesk), [
            job({ job: minute + 1, state, changed_at: at(minute) }),
          ]);
    const found = (filter: Partial<TicketsRequest>) => [listed(filter).total, idsIn(filter)];
    expect(found({ helpdesk: 'zendesk' })).toEqual([2, ['zendesk/2/3', 'zendesk/1/3']]);
    expect(found({ helpdesk: 'zendesk', ticket_id: '1' })).toEqual([
      3,
      ['zendesk/1/3', 'zendesk/1/2', 'zendesk/1/1'],
    ]);
    expect(found({ state: 'open', ticket_id: '2' })).toEqual([2, ['zendesk/2/1', 'chatwoot/2/1']]);
    expect(found({ ticket_id: '%' })).toEqual([0, []]);
    expect(found({ state: 'all', limit: 1 })).toEqual([12, ['zendesk/2/3']]);
    const chatwoot = { state: 'all', helpdesk: 'chatwoot', limit: 5 } as const;
    const cursor = listed(chatwoot).next_cursor ?? '';
    expect(found({ ...chatwoot, cursor })).toEqual([6, ['chatwoot/1/1']]);
  });
  it('counts refused deliveries by tool until none came for as long as jobs are kept', () => {
    for (const [helpdesk, count, minute] of [
      ['zendesk', 3, 1],
      ['chatwoot', 1, 1],
      ['zendesk', 1, 3],
    ] as const)
      index.addRefused(helpdesk, { count, now: msAt(minute) });
    const zendesk = { helpdesk: 'zendesk', count: 4, last_at: at(3) };
    const chatwoot = { helpdesk: 'chatwoot', count: 1, last_at: at(1) };
    expect(index.list({ limit: 1 })).toMatchObject({ refusals: [chatwoot, zendesk] });
    index.prune(msAt(2));
    expect(index.list({ limit: 1 })).toMatchObject({ refusals: [zendesk] });
  });
  it('counts what became of each draft and its last feedback, until the draft is erased or old', () => {
    const draft = { job: 1, intent: 'reset', articles: ['https://docs.example.com/a'] };
    const replied = (outcome: { outcome: 'kept' | 'edited'; share: number }) => ({
      job: 1,
      outcome: { ...draft, ...outcome },
    });
    index.addReply(place('1'), replied({ outcome: 'edited', share: 0.5 }), msAt(1));
    for (const ticketId of ['2', '3'])
      index.addReply(place(ticketId), replied({ outcome: 'kept', share: 1 }), msAt(1));
    index.addReply(place('2', 'zendesk'), replied({ outcome: 'kept', share: 1 }), msAt(1));
    for (const value of ['up', 'down'] as const)
      index.addFeedback(place('1'), { ...draft, value }, msAt(2));
    index.addFeedback(place('2'), { ...draft, intent: 'other', value: 'up' }, msAt(2));
    const none = { kept: 0, edited: 0, discarded: 0, share: 0, up: 0, down: 0, rewritten: 0 };
    const outcomes = () => TicketOutcomes.parse(index.outcomes());
    expect(outcomes()).toEqual({
      intents: [
        { ...none, intent: 'reset', kept: 3, edited: 1, share: 0.875, down: 1 },
        { ...none, intent: 'other', up: 1 },
      ],
      articles: [
        { ...none, url: draft.articles[0], kept: 3, edited: 1, share: 0.875, up: 1, down: 1 },
      ],
    });
    index.eraseOutcomes({ helpdesk: 'chatwoot', ticketId: '2' });
    const left = { intent: 'reset', kept: 2, edited: 1, down: 1 };
    expect(outcomes()).toMatchObject({ intents: [left], articles: [{ kept: 2, up: 0 }] });
    index.prune(msAt(3));
    expect(outcomes()).toEqual({ intents: [], articles: [] });
  });
  it('counts a better draft that was sent back as that alone, and lists it until a reply is known', () => {
    const draft = { job: 1, intent: 'reset', articles: [] };
    index.report(place(), [job({ state: 'done', result: 'note' })]);
    index.addFeedback(place(), { ...draft, isRewritten: true }, msAt(1));
    const counts = { kept: 0, discarded: 0, up: 0, down: 0, rewritten: 1 };
    expect(index.outcomes()).toMatchObject({ intents: [counts] });
    expect(listed({ state: 'all' }).tickets).toMatchObject([{ rewritten: true }]);
    expect(index.changedDrafts({ limit: 9 })).toMatchObject([{ outcome: 'rewritten' }]);
    index.addFeedback(place(), { ...draft, value: 'up' }, msAt(2));
    expect(index.outcomes()).toMatchObject({ intents: [{ ...counts, up: 1 }] });
    index.addReply(
      place(),
      { job: 1, outcome: { ...draft, outcome: 'edited', share: 0.5 } },
      msAt(3),
    );
    expect(index.changedDrafts({ limit: 9 })).toMatchObject([{ outcome: 'edited' }]);
  });
  it('lists by intent and by what became of the draft, and the newest message of a ticket as waiting', () => {
    const read = { state: 'done', result: 'note', intent: 'reset', title: 'Locked out' } as const;
    for (const ticketId of ['1', '2', '3', '4']) index.report(place(ticketId), [job(read)]);
    index.report(place('1'), [job({ ...read, job: 2, intent: 'other' })]);
    index.report(place('4'), [job({ ...read, job: 2, result: 'none' })]);
    const outcome = {
      job: 1,
      intent: 'reset',
      articles: [],
      outcome: 'edited',
      share: 0.5,
    } as const;
    index.addReply(place('2'), { job: 1, outcome }, msAt(1));
    // A message without a draft.
    index.addReply(place('3'), { job: 1, outcome: undefined }, msAt(1));
    expect(idsIn({ outcome: 'waiting' })).toEqual(['chatwoot/1/2']);
    expect(idsIn({ outcome: 'edited' })).toEqual(['chatwoot/2/1']);
    expect(idsIn({ intent: 'other' })).toEqual(['chatwoot/1/2']);
    expect(index.list({ ticket_id: '2', limit: 9 })).toMatchObject({
      tickets: [{ title: 'Locked out', intent: 'reset', outcome: 'edited' }],
    });
    index.report(place('2'), [job({ ...read, version: 9, title: undefined })]);
    expect(index.list({ ticket_id: '2', limit: 9 })).not.toMatchObject({
      tickets: [{ title: expect.anything() }],
    });
  });
  it('finds messages by their words in any case, by the name of the customer and by when they arrived', () => {
    const report = (ticketId: string, more: Partial<JobReport>): void =>
      index.report(place(ticketId), [job({ state: 'done', ...more })]);
    report('1', { title: 'Question', excerpt: 'The FAN is loud', customer_name: 'Ana' });
    report('2', { title: 'Loud fan', accepted_at: at(60) });
    report('3', { title: 'Wi-Fi', accepted_at: at(120) });
    expect(idsIn({ text: 'fan  Loud' }).toSorted()).toEqual(['chatwoot/1/1', 'chatwoot/2/1']);
    expect(idsIn({ text: 'ana' })).toEqual(['chatwoot/1/1']);
    expect(idsIn({ text: '%' })).toEqual([]);
    expect(idsIn({ from: at(60), to: at(120) })).toEqual(['chatwoot/2/1']);
    expect(idsIn({ from: '2026-01-02' })).toEqual([]);
    // Erased: a later report has no texts.
    report('1', { version: 2 });
    expect(idsIn({ text: 'ana' })).toEqual([]);
  });
  it('gives distinct ids whatever the ids of tickets are', () => {
    for (const ticketId of ['a/1', 'a', 'a%2F1', '\ud800', 'ticket 🙂'])
      index.report(place(ticketId), [job()]);
    const ids = idsIn({ state: 'open' });
    expect([new Set(ids).size, ids.filter((id) => /\s/.test(id))]).toEqual([5, []]);
  });
  it('finds dead jobs only, by id or all', () => {
    index.report(place('1'), [job({ state: 'dead' }), job({ job: 2 })]);
    index.report(place('2'), [job({ state: 'dead', changed_at: at(1) })]);
    expect(index.dead(['chatwoot/1/1', 'chatwoot/1/2', 'none'], 10).map(({ id }) => id)).toEqual([
      'chatwoot/1/1',
    ]);
    expect(index.dead('all', 10).map((one) => one.place.ticketId)).toEqual(['1', '2']);
    expect(index.dead('all', 1)).toHaveLength(1);
    index.forget('chatwoot/1/1');
    expect(index.countDead()).toBe(1);
  });
  it('lists each delivery that could not be stored once, with its content', () => {
    const options = { now: msAt(0), error: 'Cannot store the delivery.' };
    for (const about of ['990001', '990001', 'latest'])
      index.addUndelivered({ ...place(), about, message: `{"about":"${about}"}` }, options);
    index.report(place(), [job({ state: 'done' })]);
    expect(listed({ state: 'dead' }).tickets).toMatchObject([
      { last_error: 'Cannot store the delivery.' },
      {},
    ]);
    expect(index.dead('all', 10).map(({ message }) => message)).toEqual([
      '{"about":"990001"}',
      '{"about":"latest"}',
    ]);
  });
  it('deletes jobs that ended long ago, and no delivery that waits for a person', () => {
    index.report(place('1'), [
      job({ state: 'done' }),
      job({ job: 2, state: 'dead' }),
      job({ job: 3 }),
    ]);
    index.report(place('2'), [job({ state: 'done', changed_at: at(50) })]);
    index.addUndelivered(
      { ...place(), about: 'first', message: '{}' },
      { now: msAt(0), error: 'No.' },
    );
    index.prune(msAt(30));
    expect((['open', 'done', 'dead'] as const).map((state) => listed({ state }).total)).toEqual([
      1, 1, 1,
    ]);
  });
});

it('rateLimitPauses() keeps the latest end of a pause by tool, and lists those that are not over', () => {
  const pauses = rateLimitPauses(nodeSql());
  for (const [tool, until] of [
    ['chatwoot', 5000],
    ['chatwoot', 3000],
    ['zendesk', 2000],
  ] as const)
    pauses.set(tool, until);
  expect(pauses.all(1000)).toEqual({ chatwoot: 5000, zendesk: 2000 });
  expect(pauses.all(2000)).toEqual({ chatwoot: 5000 });
});

describe('articleSync()', () => {
  const syncForTest = (answers: (boolean | Error)[] = [], sql = nodeSql()) => {
    const clock = { now: 1000 };
    const started: boolean[] = [];
    const faults: string[] = [];
    const outcomes = new Set<string>();
    const sync = articleSync({
      sql,
      count: (series) => outcomes.add(series),
      now: () => clock.now,
      random: () => 0.5,
      retryMs: 1000,
      onFault: (_where, error) => faults.push(String(error)),
      start: async ({ full }) => {
        started.push(full);
        const answer = answers.shift() ?? true;
        if (answer instanceof Error) throw answer;
        return answer;
      },
    });
    const request = (...full: boolean[]) => {
      for (const one of full) sync.request({ full: one, now: 1000 });
    };
    const next = async () => {
      clock.now = sync.dueAt() ?? clock.now;
      await sync.work();
    };
    return { sync, clock, started, faults, outcomes, request, next };
  };
  it('starts one sync for several requests, a full one when any of them is full', async () => {
    const { sync, started, request, next } = syncForTest();
    request(false, true, false);
    await next();
    await sync.work();
    expect([started, sync.dueAt()]).toEqual([[true], undefined]);
  });
  it('retries while another sync runs, which may have read before the change', async () => {
    const { sync, started, request, next, clock } = syncForTest([false, false, true]);
    request(false);
    for (let count = 0; count < 3; count += 1) await next();
    expect([started.length, sync.dueAt(), clock.now]).toEqual([3, undefined, 5000]);
  });
  it('waits without a fault while another sync runs, after an hour with a retry every ten minutes', async () => {
    const { sync, started, faults, outcomes, request, next, clock } = syncForTest(
      Array(2000).fill(false),
    );
    request(false);
    while (clock.now <= 3_601_000) await next();
    const count = started.length;
    await next();
    expect(faults).toEqual([]);
    expect([...outcomes]).toEqual([
      'constellation_jobs_total{kind="article sync",outcome="waiting"}',
    ]);
    expect([sync.dueAt(), started.length]).toEqual([clock.now + 600_000, count + 1]);
  });
  it('retries failures with growing back-off, without limit', async () => {
    const { sync, started, request, next, clock } = syncForTest(
      Array(30).fill(new Error('the library is down')),
    );
    request(true);
    for (let count = 0; count < 30; count += 1) await next();
    expect(sync.dueAt()).toBe(clock.now + 600_000);
    await next();
    expect([started.length, sync.dueAt()]).toEqual([31, undefined]);
  });
  it('reads a request of the version that counted failures', async () => {
    const sql = nodeSql();
    for (const statement of [
      'CREATE TABLE schema_versions (store TEXT PRIMARY KEY, version INTEGER NOT NULL)',
      `CREATE TABLE article_sync (
        id INTEGER PRIMARY KEY, asked INTEGER NOT NULL, full INTEGER NOT NULL, failures INTEGER NOT NULL, due_at INTEGER NOT NULL
      )`,
      "INSERT INTO schema_versions VALUES ('article sync', 1)",
      'INSERT INTO article_sync VALUES (1, 2, 1, 3, 900)',
    ])
      sql.run(statement);
    const { sync, started, next, clock } = syncForTest(
      [new Error('the library is down'), true],
      sql,
    );
    await next();
    expect(sync.dueAt()).toBe(clock.now + 8000);
    await next();
    expect([started, sync.dueAt()]).toEqual([[true, true], undefined]);
  });
  it('starts another sync for a request that came during the start', async () => {
    const { sync, started, request, next } = syncForTest();
    request(false);
    const starting = next();
    while (started.length === 0) await Promise.resolve();
    request(true);
    await starting;
    expect(sync.dueAt()).toBeDefined();
    await next();
    expect([started, sync.dueAt()]).toEqual([[false, true], undefined]);
  });
});
