import { describe, expect, it } from 'vitest';
import { TicketOutcomes, type TicketsRequest, TicketsResponse } from '../../../src/contract/tickets.ts';
import { nodeSql } from '../../../src/dev/stand-ins/node-sql.ts';
import type { JobReport } from '../../../src/helpdesk/tickets/ticket-objects.ts';
import { articleSync, rateLimitPauses, ticketIndex } from '../../../src/helpdesk/tickets/workspace-store.ts';

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
const place = (ticketId = '1207') => ({ helpdesk: 'chatwoot', ticketId });
const job = (more: Partial<JobReport> = {}): JobReport => ({
  ...{ job: 1, version: 1, state: 'open', result: null, attempts: 1, last_error: null },
  ...{ accepted_at: at(0), changed_at: at(0), next_attempt_at: at(1) },
  ...more,
});
const listed = (index: ReturnType<typeof ticketIndex>, state: 'open' | 'done' | 'dead', limit = 50, cursor?: string) =>
  TicketsResponse.omit({ helpdesks: true }).parse(index.list({ state, limit, cursor }));

describe('ticketIndex()', () => {
  it('lists jobs by state, the latest change first', () => {
    const index = ticketIndex(nodeSql());
    const dead = job({ job: 2, changed_at: at(3), state: 'dead', last_error: 'No.' });
    index.report(place('1'), [job({ changed_at: at(1) }), dead]);
    index.report(place('2'), [job({ changed_at: at(2) })]);
    expect(listed(index, 'open').tickets.map(({ id }) => id)).toEqual(['chatwoot/2/1', 'chatwoot/1/1']);
    expect(listed(index, 'dead')).toMatchObject({ total: 1, tickets: [{ id: 'chatwoot/1/2', last_error: 'No.' }] });
    expect(listed(index, 'done')).toEqual({ tickets: [], total: 0, next_cursor: null });
  });
  it('keeps the newest report, in whatever order they arrive', () => {
    const index = ticketIndex(nodeSql());
    index.report(place(), [job({ version: 5, state: 'done', result: 'note' })]);
    index.report(place(), [job({ version: 2 })]);
    index.report(place(), [job({ version: 5 })]);
    expect([listed(index, 'open').total, listed(index, 'done').total]).toEqual([0, 1]);
  });
  it('lists pages without gaps or repetitions', () => {
    const index = ticketIndex(nodeSql());
    for (let count = 0; count < 25; count += 1) index.report(place(`t${count}`), [job({ changed_at: at(count % 3) })]);
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = listed(index, 'open', 7, cursor);
      ids.push(...page.tickets.map(({ id }) => id));
      expect(page.total).toBe(25);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(new Set(ids).size).toBe(25);
    expect(index.list({ state: 'open', limit: 5, cursor: 'x' })).toBe('unknown cursor');
  });
  it('filters by state, tool and ticket together, and pages what is left', () => {
    const index = ticketIndex(nodeSql());
    const states = ['open', 'done', 'dead'] as const;
    for (const [minute, state] of states.entries())
      for (const helpdesk of ['chatwoot', 'zendesk'])
        for (const ticketId of ['1', '2'])
          index.report({ helpdesk, ticketId }, [job({ job: minute + 1, state, changed_at: at(minute) })]);
    const ids = (filter: Partial<TicketsRequest>) => {
      const page = index.list({ limit: 50, ...filter });
      return page === 'unknown cursor' ? page : [page.total, page.tickets.map(({ id }) => id)];
    };
    expect(ids({ helpdesk: 'zendesk' })).toEqual([2, ['zendesk/2/3', 'zendesk/1/3']]);
    expect(ids({ helpdesk: 'zendesk', ticket_id: '1' })).toEqual([3, ['zendesk/1/3', 'zendesk/1/2', 'zendesk/1/1']]);
    expect(ids({ state: 'open', ticket_id: '2' })).toEqual([2, ['zendesk/2/1', 'chatwoot/2/1']]);
    expect(ids({ ticket_id: '%' })).toEqual([0, []]);
    expect(ids({ state: 'all', limit: 1 })).toEqual([12, ['zendesk/2/3']]);
    const [first] = [index.list({ state: 'all', helpdesk: 'chatwoot', limit: 5 })];
    const cursor = first === 'unknown cursor' ? undefined : (first?.next_cursor ?? undefined);
    expect(ids({ state: 'all', helpdesk: 'chatwoot', limit: 5, cursor })).toEqual([6, ['chatwoot/1/1']]);
  });
  it('counts refused deliveries by tool until none came for as long as jobs are kept', () => {
    const index = ticketIndex(nodeSql());
    const refusals = () => {
      const page = index.list({ limit: 1 });
      return page === 'unknown cursor' ? page : page.refusals;
    };
    index.addRefused('zendesk', { count: 3, now: Date.parse(at(1)) });
    index.addRefused('chatwoot', { count: 1, now: Date.parse(at(1)) });
    index.addRefused('zendesk', { count: 1, now: Date.parse(at(3)) });
    expect(refusals()).toEqual([
      { helpdesk: 'chatwoot', count: 1, last_at: at(1) },
      { helpdesk: 'zendesk', count: 4, last_at: at(3) },
    ]);
    index.prune(Date.parse(at(2)));
    expect(refusals()).toMatchObject([{ helpdesk: 'zendesk' }]);
  });
  it('counts what became of drafts, until those of a ticket of one tool are erased', () => {
    const index = ticketIndex(nodeSql());
    const learned = {
      job: 1,
      intent: 'reset',
      articles: ['https://docs.example.com/a'],
      outcome: 'kept',
      share: 1,
    } as const;
    const places = (['chatwoot', 'zendesk'] as const).flatMap((helpdesk) =>
      ['1', '2'].map((ticketId) => ({ helpdesk, ticketId })),
    );
    for (const place of places) index.addOutcome(place, learned, Date.parse(at(1)));
    index.eraseOutcomes({ helpdesk: 'chatwoot', ticketId: '1' });
    expect(index.outcomes()).toMatchObject({
      intents: [{ intent: 'reset', kept: 3 }],
      articles: [{ url: 'https://docs.example.com/a', kept: 3 }],
    });
  });
  it('counts the last feedback on each draft beside what became of it, until the draft is erased', () => {
    const index = ticketIndex(nodeSql());
    const of = (ticketId: string) => ({ helpdesk: 'chatwoot' as const, ticketId });
    const cited = { intent: 'reset', articles: ['https://docs.example.com/a'] };
    index.addOutcome(of('1'), { job: 1, ...cited, outcome: 'edited', share: 0.5 }, Date.parse(at(1)));
    for (const value of ['up', 'down'] as const)
      index.addFeedback(of('1'), { job: 1, ...cited, value }, Date.parse(at(2)));
    index.addFeedback(of('2'), { job: 1, ...cited, intent: 'other', value: 'up' }, Date.parse(at(2)));
    const none = { kept: 0, edited: 0, discarded: 0, share: 0, up: 0, down: 0 };
    expect(TicketOutcomes.parse(index.outcomes())).toEqual({
      intents: [
        { ...none, intent: 'reset', edited: 1, share: 0.5, down: 1 },
        { ...none, intent: 'other', up: 1 },
      ],
      articles: [{ ...none, url: 'https://docs.example.com/a', edited: 1, share: 0.5, up: 1, down: 1 }],
    });
    index.eraseOutcomes({ helpdesk: 'chatwoot', ticketId: '1' });
    index.prune(Date.parse(at(3)));
    expect(index.outcomes()).toEqual({ intents: [], articles: [] });
  });
  it('gives distinct ids whatever the ids of tickets are', () => {
    const index = ticketIndex(nodeSql());
    for (const ticketId of ['a/1', 'a', 'a%2F1', '\ud800', 'ticket 🙂']) index.report(place(ticketId), [job()]);
    const ids = listed(index, 'open').tickets.map(({ id }) => id);
    expect(new Set(ids).size).toBe(5);
    for (const id of ids) expect(id).not.toMatch(/\s/);
  });
  it('finds dead jobs only, by id or all', () => {
    const index = ticketIndex(nodeSql());
    index.report(place('1'), [job({ state: 'dead' }), job({ job: 2 })]);
    index.report(place('2'), [job({ state: 'dead', changed_at: at(1) })]);
    expect(index.dead(['chatwoot/1/1', 'chatwoot/1/2', 'none'], 10).map(({ id }) => id)).toEqual(['chatwoot/1/1']);
    expect(index.dead('all', 10).map(({ place: { ticketId } }) => ticketId)).toEqual(['1', '2']);
    expect(index.dead('all', 1)).toHaveLength(1);
    index.forget('chatwoot/1/1');
    expect(index.countDead()).toBe(1);
  });
  it('lists each delivery that could not be stored once, with its content', () => {
    const index = ticketIndex(nodeSql());
    const options = { now: Date.UTC(2026, 0, 1), error: 'Cannot store the delivery.' };
    for (const about of ['990001', '990001', 'latest'])
      index.addUndelivered({ ...place(), about, message: `{"about":"${about}"}` }, options);
    index.report(place(), [job({ state: 'done' })]);
    expect(listed(index, 'dead').tickets).toMatchObject([{ last_error: 'Cannot store the delivery.' }, {}]);
    expect(index.dead('all', 10).map(({ message }) => message)).toEqual(['{"about":"990001"}', '{"about":"latest"}']);
  });
  it('deletes jobs that ended long ago, and no delivery that waits for a person', () => {
    const index = ticketIndex(nodeSql());
    index.report(place('1'), [job({ state: 'done' }), job({ job: 2, state: 'dead' }), job({ job: 3 })]);
    index.report(place('2'), [job({ state: 'done', changed_at: at(50) })]);
    index.addUndelivered({ ...place(), about: 'first', message: '{}' }, { now: Date.UTC(2026, 0, 1), error: 'No.' });
    index.prune(Date.UTC(2026, 0, 1, 0, 30));
    expect(['open', 'done', 'dead'].map((state) => listed(index, state as 'open').total)).toEqual([1, 1, 1]);
  });
});

describe('rateLimitPauses()', () => {
  it('keeps the latest end of a pause by tool, and lists those that are not over', () => {
    const pauses = rateLimitPauses(nodeSql());
    pauses.set('chatwoot', 5000);
    pauses.set('chatwoot', 3000);
    pauses.set('zendesk', 2000);
    expect(pauses.all(1000)).toEqual({ chatwoot: 5000, zendesk: 2000 });
    expect(pauses.all(2000)).toEqual({ chatwoot: 5000 });
  });
});

const syncForTest = (answers: (boolean | Error)[]) => {
  const clock = { now: 1000 };
  const started: boolean[] = [];
  const sync = articleSync({
    sql: nodeSql(),
    now: () => clock.now,
    random: () => 0.5,
    retryMs: 1000,
    start: async ({ full }) => {
      started.push(full);
      const answer = answers.shift() ?? true;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    onFault: () => {},
  });
  const next = async () => {
    clock.now = sync.dueAt() ?? clock.now;
    await sync.work();
  };
  return { sync, clock, started, next };
};

describe('articleSync()', () => {
  it('starts one sync for several requests, a full one when any of them is full', async () => {
    const { sync, started, next } = syncForTest([]);
    sync.request({ full: false, now: 1000 });
    sync.request({ full: true, now: 1000 });
    sync.request({ full: false, now: 1000 });
    await next();
    expect(started).toEqual([true]);
    expect(sync.dueAt()).toBeUndefined();
    await sync.work();
    expect(started).toHaveLength(1);
  });
  it('retries while another sync runs, which may have read before the change', async () => {
    const { sync, started, next, clock } = syncForTest([false, false, true]);
    sync.request({ full: false, now: 1000 });
    for (let count = 0; count < 3; count += 1) await next();
    expect(started).toHaveLength(3);
    expect(sync.dueAt()).toBeUndefined();
    expect(clock.now).toBe(5000);
  });
  it('retries failures with growing back-off, without limit', async () => {
    const { sync, started, next, clock } = syncForTest(Array(30).fill(new Error('the library is down')));
    sync.request({ full: true, now: 1000 });
    for (let count = 0; count < 30; count += 1) await next();
    expect(sync.dueAt()).toBe(clock.now + 600_000);
    await next();
    expect(started).toHaveLength(31);
    expect(sync.dueAt()).toBeUndefined();
  });
  it('starts another sync for a request that came during the start', async () => {
    const { sync, started, next } = syncForTest([]);
    sync.request({ full: false, now: 1000 });
    const starting = next();
    sync.request({ full: true, now: 1000 });
    await starting;
    expect(sync.dueAt()).toBeDefined();
    await next();
    expect(started).toEqual([false, true]);
    expect(sync.dueAt()).toBeUndefined();
  });
});
